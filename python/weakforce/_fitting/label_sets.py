"""Targets with several labels per row: 0/1 indicator matrices and lists of labels.

In: y as users give it. Out: the classes and a Boolean matrix that says which labels a row has; and
back from such a matrix to what the user gave.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._files.failures import polars_errors, reason_of
from .label_codes import known_codes, learn_codes
from .label_values import labels_of_series
from .labels import label_series

Members = NDArray[np.bool_]


def lists_of(y: Any) -> pl.Series | None:
    """Return y as a series of lists if that is what it holds, otherwise None."""
    if isinstance(y, pl.DataFrame) and y.width == 1:
        y = y.to_series()
    if isinstance(y, pl.Series):
        y = y.alias("y")  # a series looks its name up, which may look like a pattern
        if isinstance(y.dtype, pl.Array):
            y = y.arr.to_list()
        return y if isinstance(y.dtype, pl.List) else None
    arrow = hasattr(y, "__arrow_c_array__") or hasattr(y, "__arrow_c_stream__")
    if arrow and not hasattr(y, "iloc") and not hasattr(y, "columns"):
        # pyarrow names the type; Polars refuses some that hold no lists.
        holds_lists = "list" in str(getattr(y, "type", "list"))
        return lists_of(_as_series(y)) if holds_lists else None
    values = y.to_numpy() if hasattr(y, "iloc") else y
    if not isinstance(values, np.ndarray) or values.dtype != object or values.ndim != 1:
        return None
    first = next((entry for entry in values if entry is not None), None)
    if not isinstance(first, (list, tuple, set, frozenset, np.ndarray)):
        return None
    entries = [None if _is_missing(entry) else list(entry) for entry in values]
    return _as_series(entries)


def _as_series(y: Any) -> pl.Series:
    """Return lists as a Polars series; what goes wrong is said of y."""
    known: tuple[type[BaseException], ...] = (TypeError, ValueError, OverflowError)
    try:
        return pl.Series("y", y)
    except known + polars_errors() as error:
        raise TypeError(
            f"y: {reason_of(error)}, expected lists of strings, Booleans, integers or dates"
        ) from None


def _is_missing(entry: Any) -> bool:
    return entry is None or not hasattr(entry, "__iter__")


def is_indicator(y: Any) -> bool:
    """Whether y has two dimensions and more than one column."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if isinstance(y, (list, tuple)) and len(y) and isinstance(y[0], (list, tuple, np.ndarray)):
        shape = (len(y), *np.shape(y[0]))
    return len(shape) == 2 and shape[1] > 1


def read_indicator(y: Any, name: str = "y") -> Members:
    """Return an indicator matrix as Booleans; entries other than 0 and 1 are refused."""
    try:
        dense = y.toarray() if hasattr(y, "toarray") else y
        matrix = np.asarray(dense)
        numbers = matrix.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}, expected a matrix of 0 and 1") from None
    if numbers.ndim != 2:
        raise ValueError(
            f"{name} has {numbers.ndim} dimensions, expected a column of 0 and 1 for each label"
        )
    wrong = np.argwhere((numbers != 0) & (numbers != 1))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise ValueError(
            f"{name}: got {matrix[row, column]} in row {row}, column {column} of a target with "
            f"{matrix.shape[1]} columns, expected 0 or 1; lists of labels belong in a Polars series"
        )
    members: Members = numbers == 1
    return members


def learn_lists(lists: pl.Series, name: str = "y") -> tuple[NDArray[Any], Members]:
    """Return the distinct labels of all lists, ascending, and which of them each row has."""
    rows, entries = _flat(lists, name)
    if isinstance(entries.dtype, pl.Null):
        return np.zeros(0, dtype=object), np.zeros((lists.len(), 0), dtype=bool)
    classes, codes = learn_codes(*labels_of_series(entries, name), name)
    return classes, _scatter(rows, codes, (lists.len(), len(classes)))


def read_lists(lists: pl.Series, classes: NDArray[Any], name: str = "y") -> Members:
    """Return which labels each row has; all must be among `classes`."""
    rows, entries = _flat(lists, name)
    codes = np.zeros(0, dtype=np.uint32)
    if entries.len():
        codes = known_codes(*labels_of_series(entries, name), classes, name)
    return _scatter(rows, codes, (lists.len(), len(classes)))


def _flat(lists: pl.Series, name: str) -> tuple[NDArray[np.intp], pl.Series]:
    """Return the row of every label, and the labels of all rows one after the other."""
    if lists.has_nulls():
        row = lists.is_null().arg_true()[0]
        raise ValueError(f"{name}: the labels of row {row} are null, expected a list")
    lengths = lists.list.len().to_numpy().astype(np.intp)
    entries = lists.filter(lists.list.len() > 0).explode()
    rows = np.repeat(np.arange(lists.len()), lengths)
    if entries.has_nulls():
        row = rows[entries.is_null().arg_true()[0]]
        raise ValueError(f"{name}: the labels of row {row} hold a null, expected none")
    return rows, entries


def _scatter(rows: NDArray[np.intp], codes: NDArray[Any], shape: tuple[int, int]) -> Members:
    members = np.zeros(shape, dtype=bool)
    members[rows, codes] = True
    return members


def write_lists(members: Members, classes: NDArray[Any]) -> pl.Series:
    """Return the labels of each row as a list, in the order of the classes."""
    labels = label_series(classes)
    known = labels.to_list()
    flat = [known[code] for code in np.nonzero(members)[1].tolist()]
    ends = members.sum(axis=1).cumsum().tolist()
    lists = [flat[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return pl.Series("y", lists, dtype=pl.List(labels.dtype))
