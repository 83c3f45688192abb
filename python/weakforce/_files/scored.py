"""The scores of a table of any size, batch by batch, beside the columns that are kept.

In: a model and a table. Out: frames of kept columns with the scores of their rows, in order. The
core reads Parquet files itself, where it can: what it scores never becomes a frame, which takes
longer than to score it. Other tables come as batches of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from .. import _core
from .._reading.literal_columns import select
from .batches import batches
from .columns import feature_names
from .failures import FileError, reading
from .tables import Table

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

#: The cells that are scored together, more or less; each takes two bytes.
_TILE_CELLS = 16_000_000

Scored = tuple[pl.DataFrame, Any]


class Scorer(NamedTuple):
    """A model, and the number of threads that it may use."""

    model: FittedModel
    n_jobs: int | None

    def scores(self, rows: pl.DataFrame) -> Any:
        """Return what `decision_function` says of rows."""
        columns = select(rows, feature_names(self.model))
        return self.model.decision_function(columns, self.n_jobs)

    def read_scores(self, table: Table) -> Iterator[Any] | None:
        """Return the scores as the core reads them; None if it cannot."""
        if table.format != "parquet" or table.content is not None:
            return None
        core = self.model.core
        return _core.ParquetScores.open(core, table.name, self.n_jobs, _TILE_CELLS)


class Source(NamedTuple):
    """The rows of a table, as far as they are scored or kept.

    Attributes:
        table: the table.
        rows: its rows, with the columns that the model needs.
        kept: the columns to keep.
        as_written: the same rows with the columns to keep as texts, for a table without types whose
            columns the model reads as something else; None where `rows` has those columns.
    """

    table: Table
    rows: pl.LazyFrame
    kept: Sequence[str]
    as_written: pl.LazyFrame | None = None


def scored(scorer: Scorer, source: Source) -> Iterator[Scored]:
    """Yield the kept columns of some rows, and what `decision_function` says of these."""
    table, rows, kept, as_written = source
    read = scorer.read_scores(table)
    if read is None and as_written is None:
        for batch in batches(rows, table):
            yield select(batch, kept), scorer.scores(batch)
        return
    beside = as_written if as_written is not None else select(rows, kept)
    others = _Rows(batches(beside, table) if kept else None, table.name)
    with reading(table.name):
        for some in _all_scores(scorer, source) if read is None else map(scorer.model.shown, read):
            yield others.take(len(some)), some


def _all_scores(scorer: Scorer, source: Source) -> Iterator[Any]:
    return (scorer.scores(batch) for batch in batches(source.rows, source.table))


class _Rows:
    """Rows that come in batches and are taken in other numbers."""

    def __init__(self, frames: Iterator[pl.DataFrame] | None, name: str) -> None:
        self.frames, self.name = frames, name
        self.rest = pl.DataFrame()

    def take(self, n_rows: int) -> pl.DataFrame:
        """Return the next rows; a frame without columns if there are none to take."""
        if self.frames is None:
            return self.rest
        while self.rest.height < n_rows:
            more = next(self.frames, None)
            if more is None:
                raise FileError(f"cannot read {self.name!r}: it changed while it was read")
            self.rest = pl.concat([self.rest, more]) if self.rest.height else more
        taken, self.rest = self.rest[:n_rows], self.rest[n_rows:]
        return taken
