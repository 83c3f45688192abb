"""Frames of cases: a column of any type, and the containers that fit takes.

In: columns as {"name", "type", "values"} and the name of a container. Out: what fit gets as X.
Times are written as integers in the unit of their type, decimals as texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from .values import decode

LEVELS = ["low", "mid", "high", "never"]

#: Polars' types by the names that cases give them.
POLARS = {
    **{name: getattr(pl, name) for name in ("Int8", "Int16", "Int32", "Int64", "Int128")},
    **{name: getattr(pl, name) for name in ("UInt8", "UInt16", "UInt32", "UInt64")},
    **{name: getattr(pl, name) for name in ("Float32", "Float64", "Boolean", "String")},
    **{name: getattr(pl, name) for name in ("Categorical", "Date", "Time", "Null", "Binary")},
    "Enum": pl.Enum(LEVELS),
    "Datetime ms": pl.Datetime("ms"),
    "Datetime us": pl.Datetime("us"),
    "Datetime ns UTC": pl.Datetime("ns", "UTC"),
    "Datetime us Asia/Tokyo": pl.Datetime("us", "Asia/Tokyo"),
    "Duration us": pl.Duration("us"),
    "Duration ns": pl.Duration("ns"),
    "Decimal": pl.Decimal(20, 3),
    "List": pl.List(pl.Int64),
    "Struct": pl.Struct({"a": pl.Int64}),
    "Object": pl.Object,
}

#: Types that only Arrow has.
ARROW = {
    "arrow decimal256": pa.decimal256(60, 3),
    "arrow large string": pa.large_string(),
    "arrow string view": pa.string_view(),
    "arrow dictionary": pa.dictionary(pa.int8(), pa.string()),
    "arrow dictionary of numbers": pa.dictionary(pa.int16(), pa.int64()),
    "arrow date64": pa.date64(),
    "arrow time32": pa.time32("s"),
    "arrow half": pa.float16(),
    "arrow interval": pa.month_day_nano_interval(),
    "arrow fixed binary": pa.binary(4),
    "arrow map": pa.map_(pa.string(), pa.int64()),
    "arrow odd zone": pa.timestamp("s", "Mars/Olympus"),
}
#: Types that are put together from other arrays.
COMPOSED = ("arrow union", "arrow run ends")

NAMED_CONTAINERS = ("polars", "lazy", "arrow", "pandas")
CONTAINERS = (*NAMED_CONTAINERS, "numpy", "object", "lists")


def build(columns: Sequence[dict[str, Any]], container: str) -> Any:
    """Return columns in a container."""
    if container == "arrow":
        arrays = [_arrow_array(column) for column in columns]
        return pa.Table.from_arrays(arrays, names=[column["name"] for column in columns])
    if container in ("numpy", "object"):
        return _array(columns, container)
    if container == "lists":
        lists = [decode(column["values"]) for column in columns]
        return [list(row) for row in zip(*lists, strict=True)]
    frame = pl.DataFrame([_series(column) for column in columns])
    if container == "lazy":
        return frame.lazy()
    if container == "pandas":
        return frame.to_pandas()
    return frame


def as_polars(columns: Sequence[dict[str, Any]], container: str) -> pl.DataFrame | None:
    """Return the same rows as a Polars frame under the names that a model gives them, if it can."""
    if any(column["type"] in (*ARROW, *COMPOSED) for column in columns):
        return None
    if container == "numpy":
        array = _array(columns, container)
        if array.dtype == object:
            return None
        return pl.DataFrame(array, schema=[f"x{at}" for at in range(array.shape[1])])
    if container not in NAMED_CONTAINERS:
        return None
    return pl.DataFrame([_series(column) for column in columns])


def _series(column: dict[str, Any]) -> pl.Series:
    dtype = POLARS[column["type"]]
    if column["type"] == "Object":
        return pl.Series(column["name"], decode(column["values"]), dtype=pl.Object)
    return pl.Series(column["name"], _entries(column), dtype=_physical(dtype)).cast(dtype)


def _physical(dtype: Any) -> Any:
    """Return the type in which values are written."""
    if dtype in (pl.Date,):
        return pl.Int32
    return pl.Int64 if dtype.is_temporal() else dtype


def _entries(column: dict[str, Any]) -> list[Any]:
    values = decode(column["values"])
    if column["type"] in ("Decimal", "arrow decimal256"):
        return [None if value is None else Decimal(value) for value in values]
    return values


def _arrow_array(column: dict[str, Any]) -> Any:
    kind = column["type"]
    if kind in POLARS:
        return _series(column).to_arrow()
    values = _entries(column)
    if kind == "arrow union":
        kinds = pa.array([at % 2 for at in range(len(values))], pa.int8())
        texts = [None if value is None else str(value) for value in values]
        numbers = list(range(len(values)))
        return pa.UnionArray.from_sparse(kinds, [pa.array(texts), pa.array(numbers)])
    if kind == "arrow run ends":
        if not values:
            return pa.array([], pa.run_end_encoded(pa.int32(), pa.int64()))
        ends = pa.array(range(1, len(values) + 1), pa.int32())
        return pa.RunEndEncodedArray.from_arrays(ends, pa.array(values, pa.int64()))
    dtype = ARROW[kind]
    if kind == "arrow half":
        values = [None if value is None else np.float16(value) for value in values]
    if pa.types.is_temporal(dtype) and not pa.types.is_interval(dtype):
        return pa.array(values, pa.int32() if kind == "arrow time32" else pa.int64()).cast(dtype)
    return pa.array(values, dtype)


def _array(columns: Sequence[dict[str, Any]], container: str) -> Any:
    lists = [decode(column["values"]) for column in columns]
    if container == "numpy":
        return np.array([list(row) for row in zip(*lists, strict=True)])
    array = np.empty((len(lists[0]) if lists else 0, len(lists)), dtype=object)
    for at, entries in enumerate(lists):
        array[:, at] = entries
    return array
