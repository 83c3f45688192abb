"""Fitted weak hypotheses as readable objects.

In: the core's description of one hypothesis. Out: a small frozen object that prints as a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class StumpHypothesis:
    """One test on one column.

    Attributes:
        column: position of the column.
        name: its name (`x3` for the fourth column of an array).
        threshold: rows with a value of at most this are inside; None for a test of categories, or
            if every value is inside and only missing ones are not.
        categories: the categories that are inside; None for a threshold.
        missing_inside: whether missing values are inside.
        inside: the answer to rows inside.
        outside: the answer to all others.
    """

    column: int
    name: str
    threshold: float | None
    categories: tuple[str, ...] | None
    missing_inside: bool
    inside: float
    outside: float
    column_kind: str = "number"

    @classmethod
    def from_core(cls, description: Mapping[str, Any]) -> StumpHypothesis:
        """Read the core's description."""
        categories = description.get("categories")
        return cls(
            column=description["column"],
            name=description["name"],
            threshold=description.get("threshold"),
            categories=None if categories is None else tuple(categories),
            missing_inside=description["missing_inside"],
            inside=description["inside"],
            outside=description["outside"],
            column_kind=description["column_kind"],
        )

    def _test(self) -> str:
        if self.categories is not None:
            shown = ", ".join(f'"{name}"' for name in self.categories[:8])
            more = f", … ({len(self.categories)} in all)" if len(self.categories) > 8 else ""
            test = f"{self.name} in {{{shown}{more}}}"
        elif self.threshold is None:
            return f"{self.name} is anything" if self.missing_inside else f"{self.name} is present"
        else:
            test = f"{self.name} ≤ {_readable(self.threshold, self.column_kind)}"
        return f"{test} or missing" if self.missing_inside else test

    def __str__(self) -> str:
        return f"{self._test()} → {_signed(self.inside)}, else {_signed(self.outside)}"


def _signed(number: float) -> str:
    return f"{number:+.3g}".replace("-", "−")


def _readable(threshold: float, kind: str) -> str:
    try:
        if kind == "instant":
            return (_EPOCH + timedelta(microseconds=threshold)).replace(tzinfo=None).isoformat(" ")
        if kind in ("duration", "timeofday"):
            return str(timedelta(microseconds=threshold))
    except OverflowError:
        return f"{threshold:.6g} µs" + (" since 1970" if kind == "instant" else "")
    return f"{threshold:.6g}"
