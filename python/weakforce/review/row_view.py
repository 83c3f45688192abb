"""Everything that is shown of one row, in words and numbers.

In: columns, ranking, what is usual, similar rows, reasons. Out: a `RowView`, which `row_markup`
makes HTML of, for the page and for reports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._reading.shown_values import value_text
from .coded_columns import CATEGORY, IMAGE, NUMBER, TEXT, CodedColumn
from .ranking import NONE, Ranking
from .reasons import Reasons
from .similar_rows import SimilarRows
from .usual_values import UsualNumbers, UsualValues

#: How many similar rows are shown, and how many columns of them.
_NEIGHBOURS, _NEIGHBOUR_COLUMNS = 5, 4
#: The most characters of a value of a similar row.
_SHORT = 24


@dataclass(frozen=True)
class Strip:
    """Where a number is beside the usual ones of two classes, all from 0 to 1.

    Attributes:
        value: the place of the number; None if it is missing.
        given: low end, quarter, three quarters and high end of the given class.
        suggested: those of the suggested class; None without one.
    """

    value: float | None
    given: tuple[float, ...] | None
    suggested: tuple[float, ...] | None


@dataclass(frozen=True)
class ValueView:
    """A value beside what is usual.

    Attributes:
        column: the name of its column.
        text: the value.
        usual_given: what is usual for the given class.
        usual_suggested: what is usual for the suggested class; "" without one.
        unusual_given: whether it is unusual for the given class.
        unusual_suggested: whether it is unusual for the suggested class.
        strip: a picture of it, for numbers.
    """

    column: str
    text: str
    usual_given: str
    usual_suggested: str
    unusual_given: bool
    unusual_suggested: bool
    strip: Strip | None


@dataclass(frozen=True)
class NeighbourView:
    """A similar row: its position, its label, how similar it is, and its values."""

    row: int
    label: str
    similarity: float
    values: tuple[str, ...]


@dataclass(frozen=True)
class RowView:
    """A row as a person sees it.

    Attributes:
        row: its position in the table, from 0.
        rank: how many rows are more suspect, plus one.
        given: its label.
        suggested: the label that is suggested; None if none is.
        disagrees: whether the suggested label is the more likely one.
        margin: from −1 to 1.
        score: the suspicion.
        images: columns of image paths: place, name and path.
        texts: columns of texts: name and text.
        values: all other columns.
        reasons: why the label is suspect.
        neighbour_columns: the columns that are shown of similar rows.
        neighbours: the most similar rows.
    """

    row: int
    rank: int
    given: str
    suggested: str | None
    disagrees: bool
    margin: float
    score: float
    images: tuple[tuple[int, str, str | None], ...]
    texts: tuple[tuple[str, str | None], ...]
    values: tuple[ValueView, ...]
    reasons: tuple[str, ...]
    neighbour_columns: tuple[str, ...]
    neighbours: tuple[NeighbourView, ...]


@dataclass(frozen=True, eq=False)
class RowViews:
    """What makes views of the rows of a table.

    Attributes:
        columns: all columns but the target, as they stand in the table.
    """

    columns: list[CodedColumn]
    ranking: Ranking
    usual: UsualValues
    similar: SimilarRows
    reasons: Reasons
    ranks: np.ndarray

    @classmethod
    def over(
        cls, columns: list[CodedColumn], ranking: Ranking, usual: UsualValues, reasons: Reasons
    ) -> RowViews:
        """Return what makes views, with rows to compare."""
        similar = SimilarRows(columns, ranking.given, len(ranking.classes))
        ranks = np.empty(len(ranking.order), dtype=np.intp)
        ranks[ranking.order] = np.arange(1, len(ranking.order) + 1)
        return cls(columns, ranking, usual, similar, reasons, ranks)

    def of(self, row: int, label_of: Callable[[int], str] | None = None) -> RowView:
        """Return the view of a row; `label_of` says what the label of another row is by now."""
        ranking = self.ranking
        given, suggested = int(ranking.given[row]), int(ranking.suggested[row])
        shown = [column for column in self.columns if column.kind in (NUMBER, CATEGORY)]
        reasons = self._reasons(row, given, suggested)
        names, neighbours = self._neighbours(row, label_of)
        return RowView(
            row,
            int(self.ranks[row]),
            ranking.classes[given],
            None if suggested == NONE else ranking.classes[suggested],
            bool(ranking.disagrees[row]),
            float(ranking.margins[row]),
            float(ranking.scores[row]),
            tuple(
                (at, column.name, column.values[row])
                for at, column in enumerate(self.columns)
                if column.kind == IMAGE
            ),
            tuple((c.name, c.values[row]) for c in self.columns if c.kind == TEXT),
            tuple(self._value(column, row, given, suggested) for column in shown),
            reasons,
            names,
            neighbours,
        )

    def _reasons(self, row: int, given: int, suggested: int) -> tuple[str, ...]:
        lines = () if suggested == NONE else tuple(self.reasons(row, given, suggested))
        if self.ranking.reasons is not None and self.ranking.reasons[row]:
            return (self.ranking.reasons[row], *lines)
        return lines

    def _value(self, column: CodedColumn, row: int, given: int, suggested: int) -> ValueView:
        own = self.usual.of(column, given)
        other = None if suggested == NONE else self.usual.of(column, suggested)
        strip = None
        if isinstance(own, UsualNumbers):
            numbers = other if isinstance(other, UsualNumbers) else None
            strip = _strip(self.usual.number(column, row), own, numbers)
        return ValueView(
            column.name,
            value_text(column.values[row]),
            "" if own is None else own.text,
            "" if other is None else other.text,
            self.usual.is_unusual(column, row, given),
            suggested != NONE and self.usual.is_unusual(column, row, suggested),
            strip,
        )

    def _neighbours(
        self, row: int, label_of: Callable[[int], str] | None
    ) -> tuple[tuple[str, ...], tuple[NeighbourView, ...]]:
        weights = self.similar.weights
        heaviest = sorted(weights, key=lambda name: -weights[name])[:_NEIGHBOUR_COLUMNS]
        chosen = [column for column in self.columns if column.name in heaviest]
        found = self.similar.of(row, _NEIGHBOURS)
        classes, given = self.ranking.classes, self.ranking.given
        return tuple(column.name for column in chosen), tuple(
            NeighbourView(
                other,
                classes[given[other]] if label_of is None else label_of(other),
                similarity,
                tuple(_short(value_text(column.values[other])) for column in chosen),
            )
            for other, similarity in found
        )


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def _strip(
    number: float | None, given: UsualNumbers, suggested: UsualNumbers | None
) -> Strip | None:
    """Return places on a scale that holds both classes and the number, with some room."""
    ends = [numbers.quantiles for numbers in (given, suggested) if numbers and numbers.quantiles]
    known = [end for each in ends for end in (each[0], each[-1])]
    if not known:
        return None
    low, high = min(known), max(known)
    span = (high - low) or abs(high) or 1.0
    low, high = low - 0.15 * span, high + 0.15 * span
    if not np.isfinite(high - low):
        return None

    def place(value: float) -> float:
        return min(max((value - low) / (high - low), 0.0), 1.0)

    def places(numbers: UsualNumbers | None) -> tuple[float, ...] | None:
        if numbers is None or not numbers.quantiles:
            return None
        return tuple(place(numbers.quantiles[at]) for at in (0, 1, 3, 4))

    return Strip(None if number is None else place(number), places(given), places(suggested))
