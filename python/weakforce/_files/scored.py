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


def scored(
    scorer: Scorer, table: Table, frame: pl.LazyFrame, kept: Sequence[str]
) -> Iterator[Scored]:
    """Yield the kept columns of some rows, and what `decision_function` says of these.

    Parameters:
        scorer: the model, and how many threads it may use.
        table: the table.
        frame: its rows, as far as the model needs them or they are kept.
        kept: the columns to keep.
    """
    scores = scorer.read_scores(table)
    if scores is None:
        for batch in batches(frame, table):
            yield select(batch, kept), scorer.scores(batch)
        return
    rows = _Rows(batches(select(frame, kept), table) if kept else None, table.name)
    with reading(table.name):
        for some in scores:
            yield rows.take(len(some)), scorer.model.shown(some)


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
