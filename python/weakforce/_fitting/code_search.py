"""A search for codes whose rows are far from each other.

In: a code of −1 and +1. Out: one of the same shape whose smallest Hamming distance between two rows
is at least as large; columns stay different, also with the sides exchanged, and have both signs.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import cast

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.int8]
Signs = NDArray[np.float64]

#: The most steps, and the most products that all of them together take.
_MOST_STEPS = 1000
_MOST_PRODUCTS = 2e9

#: How many steps an entry that was changed stays as it is: at least, and at most so many more.
_REST = 3
_MORE_REST = 10

#: A pair of rows counts 2^(goal + _AHEAD − distance), at most 2^_MOST_DOUBLINGS and at least 1.
#: All sums are integers that doubles hold exactly, so the search is the same on every machine.
_AHEAD = 4
_MOST_DOUBLINGS = 36


def spread_rows(matrix: Matrix, random: Callable[[], int]) -> Matrix:
    """Return a code at least as good, by changing the entry that helps most, again and again.

    Each step changes one entry, even if none helps, and entries rest for a while once they were
    changed (tabu search, Glover 1989); `random` draws integers that decide between equals.
    """
    n_rows, n_columns = matrix.shape
    goal = most_distance(n_rows, n_columns)
    search = _Search(matrix, goal, random)
    best, quality = matrix, search.quality()
    n_steps = int(min(_MOST_STEPS, _MOST_PRODUCTS / (n_rows**2 * n_columns)))
    # All columns there are: nothing can be changed.
    movable = n_columns < 2 ** (n_rows - 1) - 1
    for step in range(n_steps if movable else 0):
        if quality[0] == goal or not search.change(step):
            break
        if search.quality() > quality:
            best, quality = search.signs.astype(np.int8), search.quality()
    return best


def most_distance(n_rows: int, n_columns: int) -> int:
    """Return what the smallest distance of two rows is at most (Plotkin 1960).

    That is the mean over all pairs of rows if the columns are the most balanced ones there are.
    """
    total, left = 0, n_columns
    for ones in range(n_rows // 2, 0, -1):
        columns = comb(n_rows, ones) // (2 if 2 * ones == n_rows else 1)
        taken = min(left, columns)
        total += taken * ones * (n_rows - ones)
        left -= taken
    return total // comb(n_rows, 2)


class _Search:
    """A code that is being changed entry by entry."""

    def __init__(self, matrix: Matrix, goal: int, random: Callable[[], int]) -> None:
        self.signs: Signs = matrix.astype(np.float64)
        n_rows, n_columns = matrix.shape
        self._goal, self._random = goal, random
        self._distances = (n_columns - self.signs @ self.signs.T) / 2.0
        self._others = ~np.eye(n_rows, dtype=bool)
        self._columns = [_unsigned(column) for column in self.signs.T]
        self._rests_until = np.zeros(matrix.shape, dtype=np.int64)

    def quality(self) -> tuple[int, int]:
        """Return the smallest distance, and less the number of pairs that have it."""
        distances = self._distances[self._others]
        smallest = distances.min()
        return int(smallest), -int((distances == smallest).sum())

    def change(self, step: int) -> bool:
        """Change the entry that raises the counts of pairs least; False if none may change."""
        raised = self._raised()
        raised[self._rests_until > step] = np.inf
        while np.isfinite(least := raised.min()):
            ties = np.flatnonzero(raised == least)
            row, at = divmod(int(ties[self._random() % len(ties)]), raised.shape[1])
            column = self.signs[:, at].copy()
            column[row] *= -1.0
            unsigned = _unsigned(column)
            if abs(column.sum()) < len(column) and unsigned not in self._columns:
                farther = self.signs[:, at] * self.signs[row, at] * self._others[row]
                self._distances[row] += farther
                self._distances[:, row] += farther
                self.signs[:, at], self._columns[at] = column, unsigned
                self._rests_until[row, at] = step + _REST + self._random() % _MORE_REST
                return True
            raised[row, at] = np.inf
        return False

    def _raised(self) -> Signs:
        """Return by how much the counts of all pairs would rise, by the entry that changes."""
        now = self._count(0)
        farther = (self._count(1) - now) * self._others
        nearer = (self._count(-1) - now) * self._others
        # Rows that agree there with the changed one go farther from it, the others come nearer.
        either = (farther + nearer).sum(axis=1)[:, None]
        return cast(Signs, either + self.signs * ((farther - nearer) @ self.signs))

    def _count(self, farther: int) -> Signs:
        doublings = self._goal + _AHEAD - self._distances - farther
        doublings = np.clip(doublings, 0, _MOST_DOUBLINGS).astype(np.int32)
        return cast(Signs, np.ldexp(1.0, doublings))


def _unsigned(column: Signs) -> bytes:
    """Return a column as it is with either sign."""
    return bytes((column * column[0]).tobytes())
