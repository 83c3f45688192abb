"""From whatever users call X to what the core reads: an Arrow stream or a NumPy array.

In: Polars frames, objects with `__arrow_c_stream__`, arrays, nested lists. Out: an object the core
can read without copying the data; Polars frames of several chunks as pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils import check_array

from .._files.failures import polars_errors, reason_of
from .._reading.literal_columns import frame_of, without
from .._reading.wording import shown_value
from . import polars_threads
from .array_columns import OBJECTS, ArrayColumns, typed_columns
from .tiled_frames import CAST, TiledFrame

#: How pyarrow's types that Polars does not have begin; it panics where it meets some of them.
_NOT_IN_POLARS = ("decimal256", "run_end_encoded", "sparse_union", "dense_union", "union")

#: NumPy types that the core reads as they are.
_READABLE = frozenset("?bhilqBHILQfd")

#: The most columns that a message lists.
_MOST_LISTED = 50

#: Pieces of a frame have at least so many rows on average; smaller ones take longer than a copy.
_PIECE_ROWS = 4096


class Pieces(list[pl.DataFrame]):
    """A Polars frame of several chunks, cut where they end.

    Polars hands a frame out in a single chunk: one of several it would copy, all of it, and keep
    the copy. Its pieces are handed out as they are.
    """

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self[0].columns


def as_frame(X: Any) -> Any:
    """Return X as something the core reads, copying only what Arrow cannot carry."""
    frame = as_container(X)
    return _in_pieces(frame) if isinstance(frame, pl.DataFrame) else frame


def _in_pieces(frame: pl.DataFrame) -> pl.DataFrame | Pieces:
    columns = frame.get_columns()
    if all(column.n_chunks() == 1 for column in columns):
        return frame
    ends = {end for column in columns for end in accumulate(column.chunk_lengths())}
    # Every piece would bring all categories along.
    has_categories = any(column.dtype in (pl.Categorical, pl.Enum) for column in columns)
    if has_categories or len(ends) * _PIECE_ROWS > frame.height:
        # A whole frame needs the threads of Polars to become one of a single chunk.
        return frame_of(column.rechunk() for column in columns)
    starts = [0, *sorted(ends)]
    return Pieces(frame[start:end] for start, end in pairwise(starts) if end > start)


def collected(X: pl.LazyFrame) -> pl.DataFrame:
    """Return the rows of a lazy frame."""
    polars_threads.require("a polars LazyFrame as X")
    return X.collect()


def as_container(X: Any) -> Any:
    """Return X as a Polars frame, another frame that speaks Arrow, an array or its columns."""
    if _is_readable(X) or isinstance(X, TiledFrame):
        return X
    if isinstance(X, pl.LazyFrame):
        X = collected(X)
    if isinstance(X, pl.DataFrame):
        for name in X.columns:
            if "\0" in name:  # on which Polars would abort the process
                raise ValueError(f"column name {name!r} holds a null character, expected none")
        if any(dtype in CAST for dtype in X.dtypes):
            columns = X.get_columns()
            return frame_of(one.cast(pl.Float64) if one.dtype in CAST else one for one in columns)
        return X
    if hasattr(X, "__arrow_c_stream__") and not isinstance(X, pl.Series):  # ArrayColumns as well
        _refuse_surrogates(X)
        # pandas would send a filtered frame's index along as one more column.
        return X.reset_index(drop=True) if hasattr(X, "reset_index") else X
    return typed_columns(as_array(X))


def _refuse_surrogates(X: Any) -> None:
    """Refuse names that no text can hold; pandas takes them, and its Arrow stream does not."""
    for name in getattr(X, "columns", ()) if hasattr(X, "iloc") else ():
        try:
            str(name).encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"column name {name!r} holds half a surrogate pair, expected whole characters"
            ) from None


def as_array(X: Any) -> NDArray[Any]:
    """Return what is no frame as an array of two dimensions: of numbers, objects or strings."""
    if isinstance(X, pl.Series):
        raise TypeError(f"X is a polars Series named {X.name!r}, expected a frame of columns")
    if isinstance(X, np.ma.MaskedArray):
        is_number = X.dtype.kind not in OBJECTS
        X = np.ma.filled(X.astype(np.float64 if is_number else object), np.nan)
    elif isinstance(X, (list, tuple)):
        X = _of_nested_lists(X)
    if getattr(getattr(X, "dtype", None), "kind", "") in OBJECTS:
        array: NDArray[Any] = check_array(X, dtype=None, ensure_all_finite=False, input_name="X")
        return array
    array = check_array(X, dtype="numeric", ensure_all_finite=False, input_name="X")
    if array.dtype.kind in "mM":
        raise TypeError(
            f"X is a NumPy array of {array.dtype}, expected numbers; dates belong in a frame"
        )
    if array.dtype.char not in _READABLE or not array.dtype.isnative:
        array = array.astype(np.float64)
    return array if array.flags.aligned else array.copy()


def _of_nested_lists(X: Any) -> Any:
    """Return nested lists as an array: of objects if there are strings, as NumPy has one type."""
    try:
        array = np.asarray(X)
    except (TypeError, ValueError):  # which `check_array` has words for
        return X
    return np.array(X, dtype=object) if array.dtype.kind in "US" else array


def _is_readable(X: Any) -> bool:
    """Whether X is an array that the core reads as it is.

    The checks of scikit-learn take longer than scoring a row.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.size > 0
        and X.dtype.char in _READABLE
        and X.dtype.isnative
        and X.flags.aligned
    )


def polars_frame(X: Any) -> pl.DataFrame:
    """Return a frame that speaks Arrow as one of Polars; refuse types that this does not have."""
    schema = getattr(X, "schema", ())  # as pyarrow has it
    for field in schema if isinstance(schema, Iterable) else ():
        kind = str(getattr(field, "type", ""))
        if kind.startswith(_NOT_IN_POLARS):
            raise TypeError(
                f"column '{field.name}' has type {kind}, which Polars does not have; expected "
                "numbers, Booleans, dates, times, strings or categories"
            )
    try:
        return pl.DataFrame(X)
    except polars_errors() as error:
        raise TypeError(
            f"X: {reason_of(error)}; expected columns of types that Polars has"
        ) from None


def split_column(X: Any, values: Any, argument: str) -> tuple[Any, Any]:
    """Take a column out of X if an argument of fit names it instead of giving its values."""
    if not isinstance(values, str):
        return X, values
    if isinstance(X, pl.LazyFrame):
        X = collected(X)
    if not isinstance(X, TiledFrame) and not hasattr(X, "__arrow_c_stream__"):
        raise TypeError(
            f"{argument} names a column ({values!r}), so X must be a frame; got {type(X).__name__}"
        )
    # pandas and pyarrow keep their types, such as ordered categories, only in their own frames.
    own = hasattr(X, "reset_index") or hasattr(X, "drop_columns")
    is_read = own or isinstance(X, (pl.DataFrame, TiledFrame))
    frame: Any = X if is_read else polars_frame(X)
    names = column_names(frame) or []
    if values not in names:
        raise ValueError(f"{argument} names the column {values!r}, but X has only {_listed(names)}")
    if isinstance(frame, TiledFrame):
        return frame.without(values), frame.column(values)
    if hasattr(frame, "drop_columns"):
        return frame.drop_columns([values]), frame[values]
    return frame.drop(columns=values) if own else without(frame, [values]), frame[values]


def _listed(names: Sequence[str]) -> str:
    more = f", … {len(names)} in all" if len(names) > _MOST_LISTED else ""
    return ", ".join(names[:_MOST_LISTED]) + more


def column_names(frame: Any) -> list[str] | None:
    """Return the names of the columns, or None for arrays."""
    if isinstance(frame, (np.ndarray, ArrayColumns)):
        return None
    names = getattr(frame, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        names = getattr(frame, "column_names", names)
    if names is None:
        names = getattr(getattr(frame, "schema", None), "names", None)
    return None if names is None else [str(name) for name in names]


def n_columns(frame: Any) -> int:
    """Return the number of columns."""
    if isinstance(frame, np.ndarray):
        return int(frame.shape[1])
    if isinstance(frame, ArrayColumns):
        return frame.shape[1]
    return len(column_names(frame) or ())


def categorical_places(categorical: Any, frame: Any) -> list[int]:
    """Resolve `categorical_features` into column positions."""
    if isinstance(categorical, str) and categorical == "from_dtype":
        return []
    if categorical is None:
        return []
    if isinstance(categorical, str) or not isinstance(categorical, (Sequence, np.ndarray)):
        raise TypeError(
            f"parameter 'categorical_features': got {categorical!r}, expected 'from_dtype', a list "
            "of column names, positions or a Boolean mask"
        )
    entries = list(categorical)
    names, count = column_names(frame), n_columns(frame)
    if entries and all(isinstance(entry, (bool, np.bool_)) for entry in entries):
        if len(entries) != count:
            raise ValueError(
                f"parameter 'categorical_features': got a mask of {len(entries)} entries, expected "
                f"one for each of {count} columns"
            )
        return [place for place, entry in enumerate(entries) if entry]
    return [place_of(entry, names, count, "categorical_features") for entry in entries]


def place_of(entry: Any, names: list[str] | None, count: int, parameter: str) -> int:
    """Return the position of a column that a parameter names, or gives by its position."""
    if isinstance(entry, str):
        if names is None or entry not in names:
            raise ValueError(
                f"parameter '{parameter}': got the name {entry!r}, expected one of "
                f"{names if names is not None else 'the positions, because X has no names'}"
            )
        return names.index(entry)
    if isinstance(entry, (int, np.integer)) and 0 <= entry < count:
        return int(entry)
    raise ValueError(
        f"parameter '{parameter}': got {shown_value(entry)}, expected names or positions below "
        f"{count}"
    )
