"""Some of the training rows, to learn from once the model is fitted.

In: the weights of rows. Out: rows at even distances, and what was found out about them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exact_totals import ExactTotals
from .labels import Floats


@dataclass(frozen=True, eq=False)
class RowSample:
    """Some of the rows that have a weight.

    Attributes:
        places: where they are, ascending.
        n_rows: as many equal weights would tell as much as those of all rows.
    """

    places: NDArray[np.int64]
    n_rows: float

    @classmethod
    def of(cls, weights: Floats | None, n_rows: int, most: int) -> RowSample:
        """Return rows of weight > 0, at most so many."""
        used = places_in_use(weights, n_rows)
        largest = 1.0 if weights is None else float(weights.max(initial=0.0))
        sums = weight_sums(weights, n_rows, largest)
        return cls(spaced(used, len(used), most), rows_worth(sums))

    def of_all(self, *found: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return what was found out about the rows: they are all there is."""
        return found


def places_in_use(weights: Floats | None, n_rows: int) -> NDArray[np.int64]:
    """Return the rows of weight > 0."""
    return np.arange(n_rows) if weights is None else np.flatnonzero(weights > 0)


def spaced(places: NDArray[Any], count: int, most: int) -> NDArray[Any]:
    """Return as many places of so many as shall be looked at, at even distances."""
    return places if count <= most else places[np.arange(most) * count // most]


def weight_sums(
    weights: Floats | None, n_rows: int, largest: float
) -> tuple[ExactTotals, ExactTotals]:
    """Return the sums of weights relative to the largest, and of their squares."""
    one = np.zeros(n_rows, dtype=np.uint32)
    relative = None if weights is None else weights / largest
    squares = None if relative is None else relative**2
    return ExactTotals.of(one, relative, 1), ExactTotals.of(one, squares, 1)


def rows_worth(sums: tuple[ExactTotals, ExactTotals]) -> float:
    """Return how many equal weights would tell as much as weights with these sums."""
    total, squares = (float(each.over(1.0)[0]) for each in sums)
    return total**2 / squares
