"""Arrays of objects and of strings, each column of which has a type of its own.

In: an array of two dimensions. Out: an array of numbers if all its columns hold numbers, otherwise
Arrow columns without names: numbers, Booleans, strings (which are categories) or times. None, NaN
and what pandas has for them are missing values.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._reading.wording import shown_value

#: Kinds of NumPy types whose columns have types of their own: objects and strings.
OBJECTS = frozenset("OUT")

#: Python types by what they are to a column; the first that fits counts.
_FAMILIES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("missing", (type(None),)),
    ("boolean", (bool, np.bool_)),
    ("number", (Real, Decimal)),
    ("text", (str,)),
    ("time", (dt.date, dt.time, dt.timedelta)),
)

#: What pandas has for missing values; named, because nothing here needs pandas.
_PANDAS_MISSING = ("NAType", "NaTType")

#: What columns may hold, for errors.
_EXPECTED = "numbers, strings, Booleans or times, and None for what is missing"


@dataclass(frozen=True, eq=False)
class ArrayColumns:
    """The columns of an array that do not all hold numbers.

    Attributes:
        frame: the columns; their names are not the user's.
    """

    frame: pl.DataFrame

    #: By this the core knows that columns are found by their positions.
    _has_no_names: ClassVar[bool] = True

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.frame.shape

    def __len__(self) -> int:
        return self.frame.height

    def __getitem__(self, rows: NDArray[np.int64]) -> ArrayColumns:
        return ArrayColumns(self.frame[rows])

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def typed_columns(array: Any) -> Any:
    """Return the columns of an array of objects or strings by their types; all else as it is."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in OBJECTS:
        return array
    if array.dtype.kind == "O":
        columns = [_column(array[:, at].tolist(), f"x{at}") for at in range(array.shape[1])]
    else:
        columns = [_texts(array[:, at].tolist(), f"x{at}") for at in range(array.shape[1])]
    # A column of nothing but nulls agrees with any type of fit, as one of NaN would not.
    if all(column.dtype == pl.Float64 and not column.null_count() for column in columns):
        return np.column_stack([column.to_numpy() for column in columns])
    return ArrayColumns(pl.DataFrame(columns))


def _column(values: list[Any], name: str) -> pl.Series:
    """Return one column by the types of its values."""
    families = {kind: _family(kind) for kind in set(map(type, values))}
    found = set(families.values()) - {"missing"}
    if "other" in found:
        culprit = next(value for value in values if families[type(value)] == "other")
        raise TypeError(
            f"column '{name}' of X holds {shown_value(culprit)} of type {type(culprit).__name__}, "
            f"whose argument must be a string or a number; expected {_EXPECTED}"
        )
    given = values
    if "missing" in families.values():
        given = [None if families[type(value)] == "missing" else value for value in values]
    if found == {"text", "number"}:  # NaN among strings is a missing value
        given = [None if value != value else value for value in given]
        found = {_family(type(value)) for value in given if value is not None}
    if found == {"text"}:
        return _texts(given, name)
    if found == {"boolean"}:
        whole = [None if value is None else bool(value) for value in given]
        return pl.Series(name, whole, dtype=pl.Boolean)
    if found <= {"number", "boolean"}:
        return _numbers(given, name)
    if found == {"time"} and len({type(value) for value in given if value is not None}) == 1:
        return pl.Series(name, given)
    kinds = {type(value).__name__ for value in given if value is not None}
    raise TypeError(
        f"column '{name}' of X mixes values of types {', '.join(sorted(kinds))}, expected one "
        f"type: {_EXPECTED}"
    )


def _family(kind: type) -> str:
    if kind.__name__ in _PANDAS_MISSING:
        return "missing"
    return next((name for name, types in _FAMILIES if issubclass(kind, types)), "other")


def _numbers(given: list[Any], name: str) -> pl.Series:
    if all(value is None for value in given):
        return pl.Series(name, [None] * len(given), dtype=pl.Float64)
    try:
        numbers = [np.nan if value is None else float(value) for value in given]
    except OverflowError:
        raise ValueError(
            f"column '{name}' of X holds an integer beyond all floats, expected smaller ones"
        ) from None
    return pl.Series(name, np.array(numbers))


def _texts(given: Iterable[str | None], name: str) -> pl.Series:
    texts = [None if value is None else str(value) for value in given]
    try:
        return pl.Series(name, texts, dtype=pl.String)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"column '{name}' of X holds {shown_value(error.object)} with half a surrogate pair, "
            "which no text holds, expected whole characters"
        ) from None
