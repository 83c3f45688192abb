"""Rows that are read tile by tile, because they may be more than memory holds.

In: paths, patterns of paths, or a lazy frame that only reads, selects and renames. Out: an object
that the core reads twice, once for the bins and once for the codes, and its columns by name, for
labels and weights.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._files.batches import batches, frame_batches
from .._files.failures import FileError, reading
from .._files.formats import SUFFIXES, format_by_suffix, matching_files
from .._files.tables import Table, collect
from .._reading.literal_columns import frame_of, select, stacked
from . import polars_threads

#: Types that Arrow, or the core's reader of it, does not carry; it compares numbers as doubles.
CAST = (pl.Null, pl.Int128, *([pl.UInt128] if hasattr(pl, "UInt128") else []))

#: The lines of a plan that reads files, selects columns and renames them; it may be evaluated again
#: and again, tile by tile.
_PLAN_LINES = re.compile(
    r"(Parquet|Csv|Ipc) SCAN \[.*\]"
    r"|PROJECT (\*|\d+)/\d+ COLUMNS"
    r"|ESTIMATED ROWS: \d+"
    r'|SELECT \[(col\("[^"]*"\)(\.alias\("[^"]*"\))?(, )?)*\]'
)

#: Kinds of columns that may stand below each other although their types differ.
_TEXTS = (pl.String, pl.Categorical)


class _Part(NamedTuple):
    """Some of the rows: a lazy frame and the file that it reads, None if it may read several."""

    frame: pl.LazyFrame
    table: Table | None
    #: Whether the columns are those of the file, with their names and types.
    is_plain: bool = False

    @property
    def name(self) -> str:
        return "the LazyFrame" if self.table is None else self.table.name

    @property
    def parquet_file(self) -> str | None:
        """The file, if it is a Parquet file of just these columns."""
        table = self.table
        if table is None or not self.is_plain or table.format != "parquet":
            return None
        return None if table.content is not None else table.name

    def tiles(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield the rows of some columns."""
        frame = select(self.frame, names)
        if self.table is None:
            return frame_batches(frame)
        return batches(frame, self.table)

    def state(self) -> tuple[int, int] | None:
        """Return what changes if the file does."""
        if self.table is None or self.table.content is not None:
            return None
        with reading(self.table.name):
            found = os.stat(self.table.name)
        return found.st_size, found.st_mtime_ns


class TiledFrame:
    """Columns of files, of which a tile of rows at a time is in memory."""

    #: How the core knows it.
    _comes_in_tiles = True

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._parts = parts
        self._states = [part.state() for part in parts]
        self.schema = _common_schema(parts)
        self.columns = list(self.schema)
        self._taken: dict[str, pl.Series] = {}

    @classmethod
    def of_frames(cls, frames: Sequence[tuple[pl.LazyFrame, Table, bool]]) -> TiledFrame:
        """Return the rows of lazy frames, each over one table, and perhaps as they stand in it."""
        return cls([_Part(*part) for part in frames])

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        if self._taken:
            return next(iter(self._taken.values())).len()
        counts = (collect(part.frame.select(pl.len()), part.name).item() for part in self._parts)
        return sum(counts)

    def head(self) -> pl.DataFrame:
        """Return the columns, without rows."""
        return pl.DataFrame(schema={name: self.schema[name] for name in self.columns})

    def tiles(self) -> Iterator[pl.DataFrame]:
        """Yield all rows in their order."""
        for part in self._parts:
            self.check_unchanged()
            for tile in part.tiles(self.columns):
                yield self._in_common_types(tile)
        self.check_unchanged()

    @property
    def parquet_files(self) -> list[str] | None:
        """The files, if all are Parquet files whose columns the core may read by itself."""
        if any(self.schema[name] in CAST[1:] for name in self.columns):
            return None
        names = [part.parquet_file for part in self._parts]
        return None if None in names else names  # type: ignore[return-value]

    def check_unchanged(self) -> None:
        """Refuse files that have changed since they were looked at first."""
        for part, state in zip(self._parts, self._states, strict=True):
            if part.state() != state:
                raise FileError(f"{part.name!r} changed while it was read, expected a file at rest")

    def column(self, name: str) -> pl.Series:
        """Return a column with all its rows."""
        pieces = [collect(select(part.frame, [name]), part.name) for part in self._parts]
        series = stacked(pieces).get_column(name)
        self._taken[name] = series
        return series

    def picked(self, places: NDArray[np.int64]) -> pl.DataFrame:
        """Return the rows at ascending places."""
        first, found = 0, []
        for tile in self.tiles():
            start, end = np.searchsorted(places, [first, first + tile.height])
            if end > start:
                found.append(tile[places[start:end] - first])
            first += tile.height
        return stacked(found) if found else self.head()

    def without(self, name: str) -> TiledFrame:
        """Return the same rows without a column."""
        rest = TiledFrame.__new__(TiledFrame)
        rest.__dict__.update(self.__dict__)
        rest.columns = [column for column in self.columns if column != name]
        return rest

    def columns_without_type(self) -> set[str]:
        """Return the columns that hold nothing but nulls, as their type says in all parts."""
        schemas = [part.frame.collect_schema() for part in self._parts]
        return {name for name in self.columns if all(schema[name] == pl.Null for schema in schemas)}

    def arranged(self, names: Sequence[str], types: dict[str, Any]) -> TiledFrame:
        """Return the same rows with columns in this order, of which some get another type."""
        other = TiledFrame.__new__(TiledFrame)
        other.__dict__.update(self.__dict__)
        other.columns = list(names)
        if types:
            other.schema = self.schema | types
            other._parts = [part._replace(is_plain=False) for part in self._parts]
        return other

    def _in_common_types(self, tile: pl.DataFrame) -> pl.DataFrame:
        if all(dtype not in CAST for dtype in tile.dtypes):
            return tile
        columns = tile.get_columns()
        return frame_of(
            one.cast(self.schema[one.name]) if one.dtype in CAST else one for one in columns
        )

    def __repr__(self) -> str:
        names = ", ".join(part.name for part in self._parts[:3])
        return f"TiledFrame({names}{', …' if len(self._parts) > 3 else ''})"


def tiled(X: Any) -> Any:
    """Return X as rows that are read tile by tile if it stands for files; X itself if not."""
    if isinstance(X, pl.LazyFrame):
        if not _only_reads(X):
            return X
        polars_threads.require("a polars LazyFrame as X")
        return TiledFrame([_Part(X, None)])
    paths = [X] if _is_path(X) else X
    if not isinstance(paths, (list, tuple)) or not paths or not all(map(_is_path, paths)):
        return X
    names = [name for path in paths for name in matching_files(os.fspath(path))]
    return TiledFrame([_scan(name) for name in names])


def _is_path(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))


def _scan(name: str) -> _Part:
    form = format_by_suffix(name)
    if form is None:
        raise ValueError(f"X: {name!r} ends in none of {SUFFIXES}")
    table = Table(name, form)
    return _Part(table.scan({}, guess=True), table, is_plain=True)


def _only_reads(frame: pl.LazyFrame) -> bool:
    """Whether a lazy frame does no more than to read files, select columns and rename them."""
    lines = [line.strip() for line in frame.explain(optimized=False).splitlines()]
    return "SCAN" in " ".join(lines) and all(_PLAN_LINES.fullmatch(line) for line in lines if line)


def _common_schema(parts: Sequence[_Part]) -> dict[str, Any]:
    """Return the types of the columns, which all parts share; refuse parts that differ."""
    common: dict[str, Any] = {}
    for part in parts:
        with reading(part.name):
            schema = part.frame.collect_schema()
        for name, dtype in schema.items():
            if part is not parts[0] and name not in common:
                raise ValueError(
                    f"column {name!r} is in {part.name!r} but not in {parts[0].name!r}, expected "
                    "the same columns in all files"
                )
            known = common.get(name, pl.Null)
            if known == pl.Null:
                common[name] = dtype
            elif dtype != pl.Null and not _go_together(known, dtype):
                raise TypeError(
                    f"column {name!r} has type {dtype} in {part.name!r}, but {known} in files "
                    "before it, expected one type"
                )
        for name in common:
            if name not in schema:
                raise ValueError(
                    f"column {name!r} is in {parts[0].name!r} but not in {part.name!r}, expected "
                    "the same columns in all files"
                )
    return {name: pl.Float64 if dtype in CAST else dtype for name, dtype in common.items()}


def _go_together(one: Any, other: Any) -> bool:
    if one == other:
        return True
    both = (one, other)
    return (
        all(dtype.is_numeric() for dtype in both)
        or all(dtype in _TEXTS for dtype in both)
        or all(isinstance(dtype, pl.Datetime) for dtype in both)
    )
