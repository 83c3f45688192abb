"""Rows with their target as users hand them to fit.

In: X, y, weights, costs and mistrust as they come. Out: the same with the target taken out of X.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import external
from .frames import split_target


class Rows(NamedTuple):
    """Rows to learn from, or to watch; `suffix` is what fit appends to the names of the latter."""

    X: Any
    y: Any
    sample_weight: Any = None
    cost: Any = None
    mistrust: Any = None
    suffix: str = ""

    def split(self) -> Rows:
        """Take the target out of X if y names one of its columns; refuse the one without the other.

        That there is nothing to learn from is found out later, by those who say it best.
        """
        given = {"X": self.X, "y": self.y}
        if self.cost is not None:
            given["cost"] = self.cost
        missing = [name for name, value in given.items() if value is None]
        if self.suffix and missing and len(missing) < len(given):
            present = next(name for name, value in given.items() if value is not None)
            raise ValueError(
                f"{missing[0]}{self.suffix} is None but {present}{self.suffix} is given, expected "
                "both or neither"
            )
        X, y = split_target(self.X, self.y)
        return self._replace(X=X, y=y)

    def in_own_container(self) -> Rows:
        """Return rows that can be picked and may be read more than once."""
        return self._replace(X=external.own_container(self.X))

    def lasting(self) -> Rows:
        """Return rows that may be read more than once, in their own container if that allows it."""
        return self._replace(X=external.lasting_container(self.X))
