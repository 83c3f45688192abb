"""Conditions on one column: what rules are conjunctions of, and what stumps and trees ask.

In: the core's description of a test. Out: a frozen object that prints as a person would write it
and becomes a Polars expression that holds on the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from .literal_columns import column
from .wording import categories_text, column_text, threshold_text

_SIGNS = {"at_most": "≤", "above": ">", "is": "=", "is_not": "≠"}


@dataclass(frozen=True)
class Literal:
    """A condition on one column. As in SQL, all but "missing" are false for a missing value.

    Attributes:
        column: position of the column.
        name: its name (`x3` for the fourth column of an array).
        column_kind: "number", "boolean", "instant", "duration", "time_of_day", "text" or
            "numbered_category".
        test: "at_most" or "above" a threshold, "is" or "is_not" one of the categories, "missing"
            or "present".
        threshold: what a number is compared with; times are in microseconds. Otherwise None.
        categories: one category, or several rare ones that share a bin. Otherwise None.

    Examples:
        >>> from weakforce import Literal
        >>> print(Literal(0, "blood pressure", "number", "above", 120.0))
        `blood pressure` > 120
    """

    column: int
    name: str
    column_kind: str
    test: str
    threshold: float | None = None
    categories: tuple[str, ...] | None = None

    @classmethod
    def from_core(cls, description: Mapping[str, Any]) -> Literal:
        """Read the core's description."""
        categories = description.get("categories")
        return cls(
            column=description["column"],
            name=description["name"],
            column_kind=description["column_kind"],
            test=description["test"],
            threshold=description.get("threshold"),
            categories=None if categories is None else tuple(categories),
        )

    def __str__(self) -> str:
        return f"{column_text(self.name)} {self._claim()}"

    def _claim(self) -> str:
        if self.categories is not None:
            text = categories_text(self.categories, self.column_kind)
            if len(self.categories) == 1:
                return f"{_SIGNS[self.test]} {text}"
            return f"in {text}" if self.test == "is" else f"not in {text}"
        if self.threshold is None:
            return "is null" if self.test == "missing" else "is not null"
        if self.column_kind == "boolean":
            return "= false" if self.test == "at_most" else "= true"
        return f"{_SIGNS[self.test]} {threshold_text(self.threshold, self.column_kind)}"

    def expression(self) -> pl.Expr:
        """Return the Polars expression that is true where the literal holds, and never null.

        The model reads a category that it has not seen during fit as missing; the expression does
        not know which ones it has seen, and takes every value that is there as present.
        """
        return self._claim_of(column(self.name)).fill_null(False)

    def _claim_of(self, column: pl.Expr) -> pl.Expr:
        if self.column_kind == "text":
            values, missing = column.cast(pl.String), column.is_null()
        else:
            values = numbers(column, self.column_kind)
            missing = values.is_null() | values.is_nan()
        if self.categories is not None:
            listed = values.is_in(entries(self.categories, self.column_kind))
            return listed if self.test == "is" else ~listed & ~missing
        if self.threshold is None:
            return missing if self.test == "missing" else ~missing
        if self.test == "at_most":
            return values <= self.threshold
        return (values > self.threshold) & ~missing  # to Polars, NaN is above all numbers


def entries(categories: Sequence[str], kind: str) -> list[Any]:
    return list(categories) if kind == "text" else [float(number) for number in categories]


def numbers(column: pl.Expr, kind: str) -> pl.Expr:
    """Return a column as the doubles that the core compares; times are in microseconds."""
    if kind == "instant":
        whole, fine = column.dt.epoch("us"), column.dt.epoch("ns")
    elif kind == "duration":
        whole, fine = column.dt.total_microseconds(), column.dt.total_nanoseconds()
    elif kind == "time_of_day":
        fine = column.cast(pl.Int64)
        whole = fine // 1000
    else:
        return column.cast(pl.Float64)
    # Far-off times have no count of nanoseconds, and no fraction of a microsecond either.
    rest = (fine - whole * 1000).fill_null(0)
    floor = whole + rest // 1000
    return floor.cast(pl.Float64) + (rest % 1000).cast(pl.Float64) / 1e3


@dataclass(frozen=True)
class Split:
    """A test with two sides, as stumps and trees ask it: what is inside, the rest is outside.

    Attributes:
        column: position of the column.
        name: its name (`x3` for the fourth column of an array).
        threshold: rows with a value of at most this are inside; None for a test of categories, or
            if every value is inside and only missing ones are not.
        categories: the categories that are inside; None for a threshold.
        missing_inside: whether missing values are inside.
        column_kind: what the values mean; see `Literal`.
    """

    column: int
    name: str
    threshold: float | None
    categories: tuple[str, ...] | None
    missing_inside: bool
    column_kind: str

    def _literal(self, test: str) -> Literal:
        which = (self.column, self.name, self.column_kind)
        if test == "at_most":
            return Literal(*which, test, threshold=self.threshold)
        return Literal(*which, test, categories=self.categories if test == "is" else None)

    def _of_values(self) -> Literal | None:
        """Return the literal for the values inside; None if no value is."""
        if self.threshold is not None:
            return self._literal("at_most")
        if self.categories is None:
            return self._literal("present")
        return self._literal("is") if self.categories else None

    @property
    def condition(self) -> str:
        """The test as text, such as `age ≤ 37 or null`."""
        literal = self._of_values()
        if literal is None:
            return str(self._literal("missing"))
        if not self.missing_inside:
            return str(literal)
        return "always" if literal.test == "present" else f"{literal} or null"

    def expression(self) -> pl.Expr:
        """Return the Polars expression that is true inside, and never null.

        Categories that the model has not seen count as missing for the model, but the expression
        does not know them.
        """
        literal = self._of_values()
        sides = [] if literal is None else [literal.expression()]
        if self.missing_inside or literal is None:
            sides.append(self._literal("missing").expression())
        return pl.any_horizontal(sides) if len(sides) > 1 else sides[0]
