"""What was decided so far, and a table with the decisions applied.

In: decisions one after the other, as they are in the journal. Out: the state of every row, the last
decision that can be taken back, a table of decisions, the cleaned table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._reading.literal_columns import frame_of
from .journal_lines import CHANGE, KEEP, SKIP, UNDO, Decision

#: The states of rows, as numbers; the decisions that lead to them.
OPEN, KEPT, CHANGED, SKIPPED = range(4)
STATES = {KEEP: KEPT, CHANGE: CHANGED, SKIP: SKIPPED}

#: What the column beside the labels of a cleaned table has behind the name of the target.
AUDIT_SUFFIX = "_review"


class Decisions:
    """The decisions on the rows of a table.

    Attributes:
        states: the state of each row.
    """

    def __init__(self, n_rows: int, decisions: Iterable[Decision] = ()) -> None:
        self.states: NDArray[np.int8] = np.zeros(n_rows, dtype=np.int8)
        self._by_row: dict[int, list[Decision]] = {}
        self._order: list[int] = []
        for decision in decisions:
            self.add(decision)

    def add(self, decision: Decision) -> None:
        """Take notice of a decision; of one that takes another back, too."""
        history = self._by_row.setdefault(decision.row, [])
        if decision.kind != UNDO:
            history.append(decision)
            self._order.append(decision.row)
        elif history:
            history.pop()
            del self._order[_last_place(self._order, decision.row)]
        self.states[decision.row] = STATES[history[-1].kind] if history else OPEN

    def of(self, row: int) -> Decision | None:
        """Return the decision on a row that holds."""
        history = self._by_row.get(row)
        return history[-1] if history else None

    def count_of(self, row: int) -> int:
        """Return how many decisions on a row were made and not taken back."""
        return len(self._by_row.get(row, ()))

    def last(self) -> Decision | None:
        """Return the decision that would be taken back."""
        return self.of(self._order[-1]) if self._order else None

    def holding(self) -> list[Decision]:
        """Return the decisions that hold, by row."""
        return [history[-1] for _, history in sorted(self._by_row.items()) if history]

    def table(self, labels: pl.Series) -> pl.DataFrame:
        """Return the decisions that hold as a table; `labels` are those of the data."""
        held = self.holding()
        rows = [decision.row for decision in held]
        values = Labels(labels)
        wanted = [values.value(d.label) if d.label is not None else None for d in held]
        return frame_of(
            [
                pl.Series("row", rows, dtype=pl.Int64),
                pl.Series("fingerprint", [d.fingerprint for d in held], dtype=pl.String),
                labels.alias("given").gather(rows),
                pl.Series("decision", [d.kind for d in held], dtype=pl.String),
                values.series(wanted).alias("label"),
                pl.Series("decided_at", [d.at for d in held], dtype=pl.String),
            ]
        )

    def cleaned(self, table: pl.DataFrame, target: str) -> pl.DataFrame:
        """Return the table with changed labels, and a column that says what was done to each."""
        labels = table.get_column(target)
        values = Labels(labels)
        new = labels.to_list()
        said: list[str | None] = [None] * table.height
        for decision in self.holding():
            said[decision.row] = _audit_text(decision)
            if decision.kind == CHANGE and decision.label is not None:
                new[decision.row] = values.value(decision.label)
        name = target + AUDIT_SUFFIX
        while name in table.columns:
            name += "_"
        columns = [
            values.series(new).alias(target) if one.name == target else one
            for one in table.get_columns()
        ]
        return frame_of([*columns, pl.Series(said, dtype=pl.String).alias(name)])


class Labels:
    """The labels of a table by the texts that decisions hold."""

    def __init__(self, labels: pl.Series) -> None:
        self._dtype = labels.dtype
        known = labels.alias("labels").unique().to_list()
        self._values = {label_key(value): value for value in known}

    def value(self, text: str) -> Any:
        """Return the label that a text stands for, also one that the table does not have."""
        if text in self._values:
            return self._values[text]
        if self._dtype == pl.Boolean:
            return text == "True"
        return pl.Series([text]).cast(self._dtype).item()

    def series(self, values: list[Any]) -> pl.Series:
        """Return labels in the type of the table's."""
        return pl.Series(values, dtype=self._dtype)


def label_key(label: Any) -> str:
    """Return the text that stands for a label in decisions."""
    return str(label)


def _audit_text(decision: Decision) -> str:
    return {
        KEEP: "kept",
        SKIP: "skipped",
        CHANGE: f"changed from {decision.given}",
    }[decision.kind]


def _last_place(order: list[int], row: int) -> int:
    return next(at for at in reversed(range(len(order))) if order[at] == row)
