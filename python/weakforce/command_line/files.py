"""Tables to read: Parquet, CSV, TSV and Arrow IPC, several files, patterns, standard input.

In: names as the user gives them. Out: lazy frames. A CSV file has no types, so whoever reads one
for a model says which types the model knows.
"""

from __future__ import annotations

import argparse
import glob
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from .failures import FailureError, UsageError, reading

#: The formats, each with the suffixes of its files.
FORMATS = {
    "parquet": (".parquet", ".pq"),
    "csv": (".csv",),
    "tsv": (".tsv",),
    "ipc": (".arrow", ".feather", ".ipc"),
}

#: How files in Arrow's IPC format begin; what begins otherwise is a stream.
_IPC_MAGIC = b"ARROW1"

Types = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """One file, or standard input in full.

    Attributes:
        name: how messages call it.
        format: one of `FORMATS`.
        content: the bytes of standard input; None for a file.
        separator: what stands between the columns of a CSV file.
        nulls: texts that mean "missing" in a CSV file, besides the empty one.
    """

    name: str
    format: str
    content: bytes | None = None
    separator: str = ","
    nulls: Sequence[str] = ()

    @property
    def is_text(self) -> bool:
        """Whether the columns of this table have no types."""
        return self.format in ("csv", "tsv")

    def scan(self, types: Types, *, guess: bool = False) -> pl.LazyFrame:
        """Return the rows as a lazy frame.

        Parameters:
            types: the types of columns in a table without types.
            guess: whether the types of all others are guessed from all rows; if not, they are
                texts.
        """
        source: Any = self.name if self.content is None else io.BytesIO(self.content)
        with reading(self.name):
            if self.content is None:
                _check_readable(self.name)
            if self.is_text:
                return self._scan_text(source, types, guess)
            if self.format == "parquet":
                return pl.scan_parquet(source, glob=False)
            if not self._starts_with(_IPC_MAGIC):
                return pl.read_ipc_stream(source).lazy()
            if self.content is not None:
                return pl.read_ipc(source).lazy()
            # Older versions of Polars do not know the option.
            literally: Any = {"glob": False} if glob.has_magic(self.name) else {}
            return pl.scan_ipc(source, **literally)

    def _scan_text(self, source: Any, types: Types, guess: bool) -> pl.LazyFrame:
        how: dict[str, Any] = {"infer_schema": False}
        if guess:
            how = {"infer_schema_length": None, "try_parse_dates": True}
        return pl.scan_csv(
            source,
            schema_overrides=dict(types),
            separator="\t" if self.format == "tsv" else self.separator,
            null_values=list(self.nulls) or None,
            glob=False,
            **how,
        )

    def _starts_with(self, magic: bytes) -> bool:
        if self.content is not None:
            return self.content.startswith(magic)
        with open(self.name, "rb") as file:
            return file.read(len(magic)) == magic


def collect(frame: pl.LazyFrame, name: str) -> pl.DataFrame:
    """Return the rows of a lazy frame; what goes wrong names the table."""
    with reading(name):
        return frame.collect()


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how tables are read."""
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--format",
        choices=FORMATS,
        help="the format of the data, whatever the suffix; needed for standard input (-)",
    )
    group.add_argument(
        "--separator", default=",", metavar="C", help="what separates CSV columns (default: comma)"
    )
    group.add_argument(
        "--null",
        action="append",
        default=[],
        metavar="TEXT",
        help="a text that means 'missing' in CSV, besides the empty one; may be given repeatedly",
    )


def tables_of(names: Sequence[str], arguments: argparse.Namespace) -> list[Table]:
    """Return the tables that names, patterns and - stand for; there is at least one."""
    if len(arguments.separator.encode()) != 1:
        raise UsageError(f"option --separator: got {arguments.separator!r}, expected one character")
    tables = []
    how = {"separator": arguments.separator, "nulls": tuple(arguments.null)}
    for name in names:
        if name == "-":
            if arguments.format is None:
                raise UsageError(
                    "standard input has no suffix: say --format " + " or ".join(FORMATS)
                )
            content = sys.stdin.buffer.read()
            tables.append(Table("standard input", arguments.format, content, **how))
            continue
        for file in _expanded(name):
            tables.append(Table(file, arguments.format or _format_of(file), **how))
    return tables


def format_by_suffix(name: str) -> str | None:
    """Return the format that the suffix of a file stands for; None if it stands for none."""
    suffix = Path(name).suffix.lower()
    return next((format for format, suffixes in FORMATS.items() if suffix in suffixes), None)


def _format_of(name: str) -> str:
    format = format_by_suffix(name)
    if format is None:
        known = ", ".join(suffix for suffixes in FORMATS.values() for suffix in suffixes)
        raise UsageError(f"cannot tell the format of {name!r}: use {known}, or say --format")
    return format


def _expanded(name: str) -> list[str]:
    """Return the files that match a pattern, in order; a file that exists is no pattern."""
    if not glob.has_magic(name) or Path(name).exists():
        return [name]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise FailureError(f"no file matches {name!r}")
    return found


def _check_readable(name: str) -> None:
    """Let the system say what is wrong with a file; Polars would say it in other words."""
    with open(name, "rb"):
        pass
