"""Parquet files of which each worker reads its own.

In: paths and patterns, as the workers see them. Out: for each worker the files that it reads, and
there rows that are read tile by tile. Nothing passes through the client but names.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pyarrow as pa
from distributed import Client

from .._files.failures import reading
from .._files.formats import FORMATS, format_by_suffix, matching_files
from .._fitting.tiled_frames import TiledFrame, tiled
from .kinds import ColumnFacts, kind_of


@dataclass(frozen=True)
class Files:
    """Files that one worker reads, in their order."""

    names: list[str]
    dropped: list[str]

    def rows(self) -> TiledFrame:
        """Return their rows, without the columns that are dropped."""
        rows: TiledFrame = tiled(self.names)
        for name in self.dropped:
            if name not in rows.columns:
                raise ValueError(
                    f"parameter 'drop': got {name!r}, expected columns of {self.names[0]!r}"
                )
            rows = rows.without(name)
        return rows


def paths_in(X: Any) -> list[str] | None:
    """Return the paths and patterns that X is, or None if it is something else."""
    given = [X] if isinstance(X, (str, os.PathLike)) else X
    if not isinstance(given, (list, tuple)) or not given:
        return None
    if not all(isinstance(path, (str, os.PathLike)) for path in given):
        return None
    paths = [os.fspath(path) for path in given]
    for path in paths:
        _check_suffix(path)
    return paths


def share_out(
    client: Client, paths: list[str], dropped: list[str]
) -> dict[str, list[tuple[int, Files]]]:
    """Return the files of each worker, with the number of the first: about as many bytes each.

    Files that follow each other stay together; where there are fewer files than workers, some
    workers have none.
    """
    sizes = client.submit(list_files, paths, pure=False).result()
    workers = sorted(client.nthreads())
    total, n_workers = sum(size for _, size in sizes), len(workers)
    shares: dict[str, list[str]] = {}
    firsts: dict[str, int] = {}
    n_before = 0
    for number, (name, size) in enumerate(sizes):
        middle = n_before + size / 2
        place = min(int(middle * n_workers / total), n_workers - 1) if total else 0
        shares.setdefault(workers[place], []).append(name)
        firsts.setdefault(workers[place], number)
        n_before += size
    return {worker: [(firsts[worker], Files(names, dropped))] for worker, names in shares.items()}


def list_files(paths: list[str]) -> list[tuple[str, int]]:
    """Return the files that match paths and patterns, and their sizes."""
    names = [name for path in paths for name in matching_files(path)]
    found = []
    for name in names:
        _check_suffix(name)
        with reading(name):
            found.append((name, os.stat(name).st_size))
    return found


@dataclass(frozen=True)
class Tiles:
    """The columns of the files of one worker; the number is that of the first file."""

    number: int
    rows: TiledFrame

    def facts(self) -> list[tuple[int, list[ColumnFacts]]]:
        """Return what other workers have to know."""
        free = self.rows.columns_without_type()
        schema = pa.table(self.rows.head()).schema
        facts = (ColumnFacts(f.name, kind_of(f), f.type, f.name in free) for f in schema)
        return [(self.number, list(facts))]

    def counts(self) -> dict[int, int]:
        """Return the number of rows."""
        return {self.number: self.rows.n_rows}

    def united(self, common: dict[str, ColumnFacts]) -> TiledFrame:
        """Return what the core reads; columns without a type get that of other workers."""
        types = {
            name: pl.DataFrame(pa.table({name: pa.nulls(0, common[name].type)})).schema[name]
            for name in self.rows.columns_without_type()
            if not common[name].is_free
        }
        return self.rows.arranged(list(common), types)


def _check_suffix(name: str) -> None:
    if format_by_suffix(name) != "parquet":
        suffixes: Sequence[str] = FORMATS["parquet"]
        raise ValueError(
            f"X: got {name!r}, expected a Parquet file or a pattern that ends in "
            f"{' or '.join(suffixes)}"
        )
