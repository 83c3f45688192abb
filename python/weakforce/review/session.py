"""A review that is going on: what is decided, what comes next, how much is left.

In: a table, a ranking, an open journal. Out: rows to show, and decisions that are on disk before
anything else happens. One thread at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any

import numpy as np

from .decisions import CHANGED, KEPT, OPEN, SKIPPED, Decisions
from .filters import STATES, Filter, Mask
from .fingerprints import TableFingerprint
from .journal import Journal
from .journal_lines import CHANGE, KEEP, SKIP, UNDO, Decision
from .ranking import Ranking
from .row_view import RowView, RowViews
from .wrong_left import WrongLeftEstimate


class StaleDecisionError(ValueError):
    """A row was decided somewhere else since the page showed it."""


class DecisionError(ValueError):
    """The page sent a decision that makes no sense."""


@dataclass(frozen=True)
class Progress:
    """How far the review is.

    Attributes:
        n_rows: all rows.
        n_kept: rows whose label was found right.
        n_changed: rows whose label was changed.
        n_skipped: rows that were put off.
        n_looking_wrong: rows for which another label is the more likely one.
        n_looked_at: how many of these are no longer open.
        n_matching: rows that the filter lets through.
        wrong_left: the estimated number of wrong labels left, with an interval.
    """

    n_rows: int
    n_kept: int
    n_changed: int
    n_skipped: int
    n_looking_wrong: int
    n_looked_at: int
    n_matching: int
    wrong_left: tuple[float, float, float]


class ReviewSession:
    """A review of a table."""

    def __init__(
        self,
        table: TableFingerprint,
        ranking: Ranking,
        views: RowViews,
        journal: Journal,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self.ranking, self.views, self.columns = ranking, views, views.columns
        self.decisions = Decisions(len(ranking.order), journal.decisions)
        self._table, self._journal, self._now = table, journal, now
        self._estimate = WrongLeftEstimate(ranking)
        self._matching: Callable[[Filter], Mask] = lru_cache(maxsize=8)(self._matches)

    def read_filter(self, entries: Any) -> Filter:
        """Return the filter that a page sends."""
        return Filter.read(entries, len(self.ranking.classes), len(self.columns))

    def next_row(self, filter: Filter, after: int | None = None) -> int | None:
        """Return the most suspect row that a filter lets through; None if there is none.

        With `after`, rows that are no more suspect than that one come first. Rows that are settled
        already are gone through one after the other like this.
        """
        shown = self._shown(filter)[self.ranking.order]
        places = np.flatnonzero(shown)
        if len(places) == 0:
            return None
        if after is not None:
            later = places[places >= self.views.ranks[after]]
            places = later if len(later) else places
        return int(self.ranking.order[places[0]])

    def view(self, row: int) -> RowView:
        """Return everything that is shown of a row."""
        return self.views.of(row, self.label)

    def label(self, row: int) -> str:
        """Return the label of a row as it stands now."""
        decision = self.decisions.of(row)
        if decision is not None and decision.label is not None:
            return decision.label
        return self.ranking.classes[int(self.ranking.given[row])]

    def decide(self, row: int, kind: str, label: int | None, seen: int) -> None:
        """Bring a decision to disk, then take notice of it.

        Parameters:
            row: the row.
            kind: "keep", "change" or "skip".
            label: the place of the new class, for "change".
            seen: how many decisions on the row the page knew of.
        """
        n_rows, n_classes = len(self.ranking.order), len(self.ranking.classes)
        if not 0 <= row < n_rows:
            raise DecisionError(f"row: got {row}, expected a number from 0 to {n_rows - 1}")
        if kind not in (KEEP, CHANGE, SKIP):
            raise DecisionError(f"decision: got {kind!r}, expected keep, change or skip")
        if self.decisions.count_of(row) != seen:
            raise StaleDecisionError(f"row {row:,} was decided in another window")
        given = self.ranking.classes[self.ranking.given[row]]
        new = {KEEP: given, SKIP: None}.get(kind)
        if kind == CHANGE:
            if label is None or not 0 <= label < n_classes:
                raise DecisionError(
                    f"label: got {label}, expected the place of a class, 0 to {n_classes - 1}"
                )
            new = self.ranking.classes[label]
            kind = KEEP if new == given else CHANGE
        self._add(row, kind, new)

    def undo(self) -> int | None:
        """Take the last decision back; return its row, None if there is no decision."""
        last = self.decisions.last()
        if last is None:
            return None
        self._add(last.row, UNDO, None)
        return last.row

    def progress(self, filter: Filter) -> Progress:
        """Return how far the review is."""
        states, wrong = self.decisions.states, self.ranking.disagrees
        counts = np.bincount(states, minlength=4)
        left = self._estimate.after(states)
        return Progress(
            len(states),
            int(counts[KEPT]),
            int(counts[CHANGED]),
            int(counts[SKIPPED]),
            int(wrong.sum()),
            int((wrong & (states != OPEN)).sum()),
            int(self._shown(filter).sum()),
            (left.number, left.low, left.high),
        )

    def _shown(self, filter: Filter) -> Mask:
        in_state: Mask = self.decisions.states == STATES[filter.state]
        return in_state & self._matching(replace(filter, state="open"))

    def _matches(self, filter: Filter) -> Mask:
        return filter.matches(self.ranking, self.columns)

    def _add(self, row: int, kind: str, label: str | None) -> None:
        given = self.ranking.classes[self.ranking.given[row]]
        at = self._now().isoformat(timespec="milliseconds")
        decision = Decision(row, self._table.row(row), kind, given, label, at)
        self._journal.append(decision)
        self.decisions.add(decision)
