"""Tables to read: Parquet, CSV, TSV and Arrow IPC.

In: the name of a file, or bytes. Out: lazy frames. A CSV file has no types, so the reader of one
for a model says which types the model knows.
"""

from __future__ import annotations

import glob
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from .. import _core
from .._fitting import polars_threads
from .failures import FileError, reading

#: How files in Arrow's IPC format begin; what begins otherwise is a stream.
_IPC_MAGIC = b"ARROW1"

Types = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """One file, or standard input in full.

    Attributes:
        name: how messages call it.
        format: one of `formats.FORMATS`.
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
        polars_threads.require(f"to read {self.name!r}")
        with reading(self.name):
            if self.content is None:
                _check_readable(self.name)
            if self.is_text:
                return self._scan_text(source, types, guess)
            if self.format == "parquet":
                self._check_footer()
                return pl.scan_parquet(source, glob=False)
            if not self._starts_with(_IPC_MAGIC):
                return pl.read_ipc_stream(source).lazy()
            if self.content is not None:
                return pl.read_ipc(source).lazy()
            # Older versions of Polars do not know the option.
            literally: Any = {"glob": False} if glob.has_magic(self.name) else {}
            return pl.scan_ipc(source, **literally)

    def _check_footer(self) -> None:
        """Refuse a Parquet file of which rows would be lost."""
        if self._footer_fault is not None:
            raise FileError(
                f"cannot read {self.name!r}: its footer is damaged: {self._footer_fault}"
            )

    @cached_property
    def _footer_fault(self) -> str | None:
        return _core.parquet_fault(self.name, self.content)

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


def _check_readable(name: str) -> None:
    """Let the system say what is wrong with a file; Polars would say it in other words."""
    with open(name, "rb"):
        pass
