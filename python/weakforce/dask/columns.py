"""Partitions of a frame on one worker, as columns that go together with those of other workers.

In: partitions as they come: pandas, Polars or Arrow frames, or arrays, and what all workers know of
theirs. Out: one object that the core reads, whose columns have the names, the order and the kinds
of all partitions. A partition whose column holds nothing goes with any kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from .._fitting.array_columns import ArrayColumns
from .._fitting.frames import as_container, polars_frame
from .._reading.literal_columns import stacked
from .kinds import ColumnFacts, kind_of


class Tables(list[pa.Table]):
    """The partitions of a frame, which the core reads one after the other."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self[0].column_names)

    def picked(self, rows: NDArray[np.int64]) -> pl.DataFrame:
        """Return the rows at ascending places."""
        ends = np.cumsum([0, *(table.num_rows for table in self)])
        found: list[pl.DataFrame] = []
        for table, first, end in zip(self, ends[:-1], ends[1:], strict=True):
            low, high = np.searchsorted(rows, [first, end])
            if high > low:
                frame = polars_frame(table)[rows[low:high] - first]
                found.append(frame.cast({pl.Categorical: pl.String, pl.Enum: pl.String}))
        return stacked(found)


@dataclass(frozen=True)
class Columns:
    """The columns of the partitions of one worker.

    Attributes:
        partitions: the number of each, and a table, or an array of numbers.
        are_named: whether the columns have names of the user's, as those of arrays have not.
    """

    partitions: list[tuple[int, pa.Table | NDArray[Any]]]
    are_named: bool

    @classmethod
    def read(cls, partitions: list[tuple[int, Any]]) -> Columns:
        """Return the columns of partitions, each of which comes with its number."""
        read = [(number, _read(number, X)) for number, X in partitions]
        of_arrays = [isinstance(X, (np.ndarray, ArrayColumns)) for _, X in read]
        if any(of_arrays) and not all(of_arrays):
            raise TypeError(
                f"X: partition {read[of_arrays.index(True)][0]} is an array, but partition "
                f"{read[of_arrays.index(False)][0]} is a frame, expected one or the other"
            )
        if not any(of_arrays):
            return cls([(number, _table(X)) for number, X in read], True)
        are_numbers = all(isinstance(X, np.ndarray) for _, X in read)
        return cls([(n, X if are_numbers else _table_of_array(X)) for n, X in read], False)

    def facts(self) -> list[tuple[int, list[ColumnFacts]]]:
        """Return what other workers have to know, by partition."""
        return [(number, _facts(X)) for number, X in self.partitions]

    def counts(self) -> dict[int, int]:
        """Return the number of rows of each partition."""
        return {number: len(X) for number, X in self.partitions}

    def united(self, common: dict[str, ColumnFacts]) -> Any:
        """Return what the core reads; `common` says what columns are of in all partitions."""
        arrays = [X for _, X in self.partitions if isinstance(X, np.ndarray)]
        kinds = {facts.kind for facts in common.values()}
        if arrays and kinds <= {"numbers", "Booleans"} and len(kinds) == 1:
            rows = [array for array in arrays if len(array)] or arrays[:1]
            return rows[0] if len(rows) == 1 else np.concatenate(rows)
        tables = [_recast(_table_of_array(X), common) for _, X in self.partitions]
        if self.are_named:
            return Tables(tables)
        return ArrayColumns(polars_frame(pa.concat_tables(tables, promote_options="permissive")))


def _read(number: int, X: Any) -> Any:
    """Return a partition as a frame that speaks Arrow, or as an array."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and len(X) == 0:
        return X if X.dtype.kind in "biuf" else X.astype(np.float64)  # nothing to check
    if isinstance(X, (pl.LazyFrame, list, tuple)) or not (
        isinstance(X, np.ndarray) or hasattr(X, "__arrow_c_stream__")
    ):
        raise TypeError(
            f"X: partition {number} is a {type(X).__name__}, expected a frame (pandas, Polars, "
            "Arrow) or a two-dimensional array"
        )
    return as_container(X)


def _table(frame: Any) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "iloc"):
        return pa.Table.from_pandas(frame, preserve_index=False)
    return pa.table(frame)


def _table_of_array(X: Any) -> pa.Table:
    """Return the columns of an array under the names that the core gives them."""
    if isinstance(X, np.ndarray):
        return pa.table({f"x{at}": np.ascontiguousarray(X[:, at]) for at in range(X.shape[1])})
    return pa.table(X.frame) if isinstance(X, ArrayColumns) else X


def _facts(X: pa.Table | NDArray[Any]) -> list[ColumnFacts]:
    if isinstance(X, np.ndarray):
        kind = "Booleans" if X.dtype.kind == "b" else "numbers"
        type = pa.from_numpy_dtype(X.dtype)
        names = (f"x{place}" for place in range(X.shape[1]))
        return [ColumnFacts(name, kind, type, len(X) == 0) for name in names]
    return [_column_facts(field, X.column(at)) for at, field in enumerate(X.schema)]


def _column_facts(field: pa.Field, column: pa.ChunkedArray) -> ColumnFacts:
    return ColumnFacts(field.name, kind_of(field), field.type, column.null_count == len(column))


def _recast(table: pa.Table, common: dict[str, ColumnFacts]) -> pa.Table:
    """Return columns in the order of all partitions; those without values in the common type."""
    table = table.select(list(common))
    for place, field in enumerate(table.schema):
        wanted = common[field.name]
        if kind_of(field) != wanted.kind:
            nulls = pa.nulls(table.num_rows, wanted.type)
            table = table.set_column(place, field.name, nulls)
    return table
