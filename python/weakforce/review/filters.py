"""Which rows of a review are shown: those of some class, state, or value of a column.

In: what the page asks for. Out: a mask over the rows of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coded_columns import NUMBER, CodedColumn, numbers_of, texts_of
from .decisions import CHANGED, KEPT, OPEN, SKIPPED
from .ranking import Ranking

#: The states that can be asked for.
STATES = {"open": OPEN, "kept": KEPT, "changed": CHANGED, "skipped": SKIPPED}
CONDITIONS = ("is", "contains", "between", "missing")

Mask = NDArray[np.bool_]


class FilterError(ValueError):
    """The page asked for rows in a way that makes no sense."""


@dataclass(frozen=True)
class Filter:
    """Which rows are shown; what is None or empty does not matter.

    Attributes:
        given: the class in the table, by its place.
        suggested: the class that is suggested, by its place.
        state: one of `STATES`.
        column: the place of a column that a condition is on.
        condition: one of `CONDITIONS`.
        text: the text of "is" and "contains".
        low: the lower end of "between"; None for none.
        high: its upper end.
    """

    given: int | None = None
    suggested: int | None = None
    state: str = "open"
    column: int | None = None
    condition: str = "is"
    text: str = ""
    low: float | None = None
    high: float | None = None

    @classmethod
    def read(cls, entries: Mapping[str, Any], n_classes: int, n_columns: int) -> Filter:
        """Return the filter that a page sends; refuse what makes no sense."""
        return cls(
            _place(entries, "given", n_classes),
            _place(entries, "suggested", n_classes),
            _choice(entries, "state", tuple(STATES), "open"),
            _place(entries, "column", n_columns),
            _choice(entries, "condition", CONDITIONS, "is"),
            str(entries.get("text") or ""),
            _number(entries, "low"),
            _number(entries, "high"),
        )

    def matches(self, ranking: Ranking, columns: list[CodedColumn]) -> Mask:
        """Return which rows have the classes and the value, whatever their state."""
        mask: Mask = np.ones(len(ranking.order), dtype=bool)
        if self.given is not None:
            mask &= ranking.given == self.given
        if self.suggested is not None:
            mask &= ranking.suggested == self.suggested
        if self.column is not None:
            mask &= self._has_value(columns[self.column])
        return mask

    def _has_value(self, column: CodedColumn) -> Mask:
        if column.kind == NUMBER:
            numbers = numbers_of(column.values)
            missing = np.isnan(numbers)
            if self.condition == "between":
                low = -np.inf if self.low is None else self.low
                high = np.inf if self.high is None else self.high
                return np.asarray(~missing & (numbers >= low) & (numbers <= high))
            if self.condition == "missing":
                return missing
        texts = [_shown(value) for value in column.values.to_list()]
        if column.kind != NUMBER:
            texts = texts_of(column.values)
        if self.condition == "missing":
            return np.fromiter((text is None for text in texts), bool, len(texts))
        if self.condition == "between":
            raise FilterError(f"column {column.name!r} has no numbers to be between others")
        wanted = self.text.casefold()
        if self.condition == "is":
            return np.fromiter(
                ((text or "").casefold() == wanted and text is not None for text in texts),
                bool,
                len(texts),
            )
        return np.fromiter(
            (text is not None and wanted in text.casefold() for text in texts), bool, len(texts)
        )


def _shown(value: Any) -> str | None:
    if value is None or value != value:
        return None
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _place(entries: Mapping[str, Any], name: str, count: int) -> int | None:
    value = entries.get(name)
    if value in (None, ""):
        return None
    try:
        place = int(str(value))
    except ValueError:
        place = -1
    if not 0 <= place < count:
        raise FilterError(f"{name}: got {value!r}, expected a number from 0 to {count - 1}")
    return place


def _choice(entries: Mapping[str, Any], name: str, known: tuple[str, ...], usual: str) -> str:
    value = entries.get(name) or usual
    if value not in known:
        raise FilterError(f"{name}: got {value!r}, expected one of {', '.join(known)}")
    return str(value)


def _number(entries: Mapping[str, Any], name: str) -> float | None:
    value = entries.get(name)
    if value in (None, ""):
        return None
    try:
        return float(str(value))
    except ValueError:
        raise FilterError(f"{name}: got {value!r}, expected a number") from None
