"""The rows most similar to one row.

In: coded columns and the class of each row. Out: the nearest rows by a weighted sum of differences,
each between 0 and 1: of numbers by their ranks, of categories whether they are the same. A column
weighs as much as it tells of the class (mutual information), so that noise does not decide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .coded_columns import MISSING, NUMBER, RARE, CodedColumn

#: Rows are compared with so many others at most, taken evenly from the table.
_MOST_ROWS = 200_000
#: Rows from which the weights of columns are learned at most.
_SAMPLE = 50_000
#: The least weight of a column, as a part of the largest one.
_LEAST = 0.02


class SimilarRows:
    """Rows that can be asked for their neighbours.

    Attributes:
        weights: the weight of each compared column, by name; they sum to one.
    """

    def __init__(self, columns: list[CodedColumn], codes: NDArray[np.intp], n_classes: int) -> None:
        self._columns = [column for column in columns if column.is_compared]
        step = -(-len(codes) // _MOST_ROWS)
        self._compared = np.arange(0, len(codes), max(1, step))
        self._codes = [np.ascontiguousarray(c.codes[self._compared]) for c in self._columns]
        told = np.array([_information(c, codes, n_classes) for c in self._columns])
        told = np.maximum(told, _LEAST * told.max(initial=0.0))
        told = told / told.sum() if told.sum() > 0 else np.full(len(told), 1 / max(1, len(told)))
        self.weights = {c.name: float(w) for c, w in zip(self._columns, told, strict=True)}

    def of(self, row: int, count: int) -> list[tuple[int, float]]:
        """Return the nearest other rows with their similarity, from 0 to 1, the nearest first."""
        distance = np.zeros(len(self._compared), dtype=np.float32)
        for column, codes in zip(self._columns, self._codes, strict=True):
            distance += _differences(column, row, self.weights[column.name])[codes]
        distance[self._compared == row] = np.inf
        count = min(count, int(np.isfinite(distance).sum()))
        if count == 0 or not self._columns:
            return []
        nearest = np.argpartition(distance, count - 1)[:count]
        # Of equally near rows the first ones, however the partition left them.
        limit = distance[nearest].max()
        within = np.flatnonzero(distance <= limit)
        order = within[np.argsort(distance[within], kind="stable")][:count]
        return [(int(self._compared[at]), 1.0 - float(distance[at])) for at in order]


def _differences(column: CodedColumn, row: int, weight: float) -> NDArray[np.float32]:
    """Return how different each code is from that of a row, times the weight of the column."""
    own = int(column.codes[row])
    different = np.ones(256, dtype=np.float32)
    if own == MISSING or column.kind != NUMBER:
        if own != RARE or column.kind == NUMBER:  # rare categories are all different
            different[own] = 0.0
    else:
        n_codes = column.n_codes
        different[:n_codes] = np.abs(np.arange(n_codes) - own) / (n_codes - 1)
    return different * np.float32(weight)


def _information(column: CodedColumn, codes: NDArray[np.intp], n_classes: int) -> float:
    """Return the mutual information of a column and the class, less what chance alone makes."""
    step = -(-len(codes) // _SAMPLE)
    values, classes = column.codes[::step].astype(np.intp), codes[::step]
    if column.kind == NUMBER:
        values = np.where(values == MISSING, 16, values * 16 // max(column.n_codes, 16))
    n_values = int(values.max(initial=0)) + 1
    table = np.bincount(values * n_classes + classes, minlength=n_values * n_classes)
    shares = table.reshape(n_values, n_classes) / max(1, len(values))
    expected = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0)
    present = shares > 0
    found = float((shares[present] * np.log(shares[present] / expected[present])).sum())
    used = (np.count_nonzero(shares.sum(axis=1)) - 1) * (np.count_nonzero(shares.sum(axis=0)) - 1)
    return max(0.0, found - used / (2 * max(1, len(values))))
