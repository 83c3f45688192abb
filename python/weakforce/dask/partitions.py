"""What users hand to a fit on a cluster, as partitions.

In: Dask collections, lists of delayed frames, names of columns. Out: for each partition the delayed
columns, labels and weights. Nothing is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dask.array
from dask.base import is_dask_collection
from dask.delayed import Delayed
from distributed import Future

#: What X may be.
_EXPECTED = "a Dask DataFrame or Array, a list of delayed frames, or Parquet files"


@dataclass(frozen=True)
class Partition:
    """Rows that belong together.

    Attributes:
        number: its place among all partitions.
        X: its columns, delayed.
        y: its labels, delayed, or the name of a column.
        sample_weight: its weights likewise; None if all rows weigh the same.
    """

    number: int
    X: Any
    y: Any
    sample_weight: Any


def partitions_of(X: Any, y: Any, sample_weight: Any) -> list[Partition]:
    """Return the partitions of rows; refuse labels and weights that do not lie beside them."""
    if y is None:
        raise ValueError("y is None, expected labels or the name of the column of X with them")
    parts = _delayed(X, "X", f"expected {_EXPECTED}")
    chunks = X.chunks[0] if isinstance(X, dask.array.Array) else None
    labels = _beside(y, "y", parts, chunks)
    weights = [None] * len(parts)
    if sample_weight is not None:
        weights = _beside(sample_weight, "sample_weight", parts, chunks)
    numbered = enumerate(zip(parts, labels, weights, strict=True))
    return [Partition(number, *of_partition) for number, of_partition in numbered]


def _beside(given: Any, name: str, parts: list[Any], chunks: Any) -> list[Any]:
    """Return labels or weights for each partition."""
    if isinstance(given, str):
        return [given] * len(parts)
    if isinstance(given, dask.array.Array) and chunks is not None and given.ndim == 1:
        known = all(size == size for size in (*chunks, *given.chunks[0]))
        if known and sum(chunks) == given.shape[0] and given.chunks[0] != chunks:
            given = given.rechunk((chunks,))
    expected = "expected a Dask collection beside X, or the name of a column of X"
    found = _delayed(given, name, expected)
    if len(found) != len(parts):
        raise ValueError(
            f"{name}: got {len(found)} partitions, expected one for each of {len(parts)} of X"
        )
    return found


def _delayed(given: Any, name: str, expected: str) -> list[Any]:
    """Return the partitions of a collection."""
    if isinstance(given, dask.array.Array):
        if given.ndim == 2 and given.numblocks[1] > 1:
            given = given.rechunk({1: -1})
        return list(given.to_delayed().flatten())
    if is_dask_collection(given) and hasattr(given, "to_delayed") and hasattr(given, "npartitions"):
        return list(given.to_delayed())
    if isinstance(given, (list, tuple)) and all(
        isinstance(one, (Delayed, Future)) for one in given
    ):
        if not given:
            raise ValueError(f"{name}: got an empty list, expected at least one partition")
        return list(given)
    raise TypeError(f"{name}: got {type(given).__name__}, {expected}")
