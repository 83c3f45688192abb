"""Rows of a table of any size in batches of bounded memory, in their order.

In: a lazy frame over one table. Out: frames, the next of which is read while the last is used.

Polars decodes Parquet ahead of the reader of its batches, so that memory grows with the file. If
slices are asked for one by one, only the row groups that they touch are read, but these in full,
so slices end where row groups do: where these are too large, pyarrow reads page by page, if it is
installed. Slices of a CSV file would read it from its beginning each time, so there Polars' own
batches serve.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

import polars as pl

from .. import _core
from .._reading import literal_columns
from .failures import reading
from .tables import Table

#: The bytes of a batch in memory, more or less.
_BATCH_BYTES = 80_000_000
_FEWEST, _MOST = 1_000, 1_000_000
#: The bytes that one value takes at most, or is taken for where that is unknown.
_NUMBER_BYTES, _OTHER_BYTES = 8, 40

#: A row group of so many batches is still one.
_WHOLE_GROUP = 3

#: The bytes of a row group that is too large to be read in full, and of a buffer within it.
_LARGE_GROUP, _PAGE_BUFFER = 250_000_000, 1 << 16

Item = TypeVar("Item")


def batches(frame: pl.LazyFrame, table: Table) -> Iterator[pl.DataFrame]:
    """Yield the rows of a table; at least one batch, should it be empty."""
    with reading(table.name):
        n_rows = _rows_of_batch(frame.collect_schema())
        if table.is_text and hasattr(frame, "collect_batches"):
            found = _polars_batches(frame, n_rows)
        elif table.format == "parquet" and _has_large_row_groups(table):
            found = _page_by_page(frame, table, n_rows)
        else:
            found = _slices(frame, _lengths(frame, table, n_rows))
        yield from one_ahead(found)


def frame_batches(frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """Yield the rows of a lazy frame, whatever it reads; at least one batch, should it be empty."""
    with reading("the LazyFrame"):
        n_rows = _rows_of_batch(frame.collect_schema())
        if hasattr(frame, "collect_batches"):
            found = _polars_batches(frame, n_rows)
        else:
            found = _slices(frame, _even_lengths(_count(frame), n_rows))
        yield from one_ahead(found)


def _slices(frame: pl.LazyFrame, lengths: Iterable[int]) -> Iterator[pl.DataFrame]:
    start = 0
    for length in lengths:
        yield frame.slice(start, length).collect()
        start += length


def _lengths(frame: pl.LazyFrame, table: Table, n_rows: int) -> list[int]:
    """Return the lengths of slices of about so many rows, which end where row groups do."""
    groups = None
    if table.format == "parquet" and table.content is None:
        groups = _core.parquet_group_rows(table.name)
    if groups is None:
        return _even_lengths(_count(frame), n_rows)
    lengths = [0]
    for group in groups:
        if lengths[-1] + group <= n_rows:
            lengths[-1] += group
        elif group <= _WHOLE_GROUP * n_rows:
            lengths.append(group)
        else:
            lengths += _even_lengths(group, n_rows)
    return [length for length in lengths if length] or [0]


def _count(frame: pl.LazyFrame) -> int:
    count: int = frame.select(pl.len()).collect().item()
    return count


def _even_lengths(total: int, n_rows: int) -> list[int]:
    return [min(n_rows, total - start) for start in range(0, max(total, 1), n_rows)]


def _polars_batches(frame: pl.LazyFrame, n_rows: int) -> Iterator[pl.DataFrame]:
    empty = True
    for batch in frame.collect_batches(chunk_size=n_rows):
        empty = False
        yield batch
    if empty:
        yield frame.head(0).collect()


def _has_large_row_groups(table: Table) -> bool:
    """Whether row groups should not be read in full, and need not be."""
    if table.content is not None or os.path.getsize(table.name) < _LARGE_GROUP:
        return False
    if importlib.util.find_spec("pyarrow") is None:
        return False
    from pyarrow.parquet import read_metadata

    found = read_metadata(table.name)
    groups = (found.row_group(at).total_byte_size for at in range(found.num_row_groups))
    return max(groups, default=0) > _LARGE_GROUP


def _page_by_page(frame: pl.LazyFrame, table: Table, n_rows: int) -> Iterator[pl.DataFrame]:
    from pyarrow.parquet import ParquetFile

    schema = frame.collect_schema()
    with ParquetFile(table.name, pre_buffer=False, buffer_size=_PAGE_BUFFER) as file:
        for batch in file.iter_batches(n_rows, columns=schema.names(), use_threads=False):
            read = pl.from_arrow(batch)
            yield literal_columns.cast(
                literal_columns.select(cast(pl.DataFrame, read), schema.names()), schema
            )


def one_ahead(items: Iterator[Item]) -> Iterator[Item]:
    """Yield items, the next of which is made in another thread while the last is used."""
    end = object()
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, items, end)
            yield item  # type: ignore[misc]


def _rows_of_batch(schema: pl.Schema) -> int:
    row = sum(_NUMBER_BYTES if kind.is_numeric() else _OTHER_BYTES for kind in schema.dtypes())
    return max(_FEWEST, min(_MOST, _BATCH_BYTES // max(row, 1)))
