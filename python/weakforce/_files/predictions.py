"""Predictions for tables of any size, as frames of bounded size in the order of the rows.

In: a model, tables, and what the output shall hold. Out: the schema of the output and its frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .._reading.literal_columns import cast, frame_of, select
from .columns import columns_of, feature_names, scan_for
from .failures import FileError
from .scored import Scorer, Source, scored
from .tables import Table

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel


@dataclass(frozen=True)
class Output:
    """What the output holds besides the column prediction.

    Attributes:
        keep: columns of the tables that come before the predictions.
        proba: whether there is a column probability_LABEL for each class.
        scores: whether there is the column score (of two classes), or score_LABEL for each class.
    """

    keep: Sequence[str] = ()
    proba: bool = False
    scores: bool = False

    def frame(self, model: FittedModel, kept: pl.DataFrame, scores: Any) -> pl.DataFrame:
        """Return what the scores of rows say, behind the columns to keep."""
        columns = {"prediction": model.predict(scores)}
        labels = model.labels
        if isinstance(columns["prediction"], np.ndarray) and columns["prediction"].ndim == 2:
            columns = _by_class("prediction", columns["prediction"], labels)
        if self.proba:
            columns |= _by_class("probability", model.probabilities(scores), labels)
        if self.scores:
            columns |= {"score": scores} if scores.ndim == 1 else _by_class("score", scores, labels)
        for name in kept.columns:
            if name in columns:
                raise ValueError(f"parameter 'keep': the output has a column {name!r} of its own")
        own = [_series(name, values, labels) for name, values in columns.items()]
        return frame_of([*kept.get_columns(), *own])


def predictions(
    scorer: Scorer, tables: Sequence[Table], output: Output
) -> tuple[pl.Schema, Iterator[pl.DataFrame]]:
    """Return the schema of the output and its frames, which are made one by one.

    The columns of all tables are checked before the first row is read.
    """
    sources = [_source(scorer.model, table, output.keep) for table in tables]
    first = sources[0]
    no_rows = first.rows.head(0).collect()
    beside = no_rows if first.as_written is None else first.as_written.head(0).collect()
    no_scores = scorer.scores(no_rows)
    schema = output.frame(scorer.model, select(beside, output.keep), no_scores).schema
    return schema, _frames(scorer, sources, output, schema)


def _source(model: FittedModel, table: Table, keep: Sequence[str]) -> Source:
    rows = scan_for(model, table, keep, {})
    found = columns_of(rows, table.name)
    for name in keep:
        if name not in found:
            raise FileError(f"{table.name!r} has no column {name!r}, which is to be kept")
    if not table.is_text or set(keep).isdisjoint(feature_names(model)):
        return Source(table, rows, keep)
    # What the model reads as a number is kept as it was written.
    return Source(table, rows, keep, select(table.scan({}), keep))


def _frames(
    scorer: Scorer, sources: Sequence[Source], output: Output, schema: pl.Schema
) -> Iterator[pl.DataFrame]:
    for source in sources:
        for rows, scores in scored(scorer, source):
            yield cast(output.frame(scorer.model, rows, scores), schema)


def _by_class(name: str, numbers: Any, labels: Sequence[Any]) -> dict[str, Any]:
    return {f"{name}_{label}": numbers[:, at] for at, label in enumerate(labels)}


def _series(name: str, values: Any, labels: Sequence[Any]) -> pl.Series:
    """Return a column; that of labels has their type even if it is empty."""
    if isinstance(values, np.ndarray) and values.dtype == object:
        return pl.Series(name, values.tolist(), dtype=pl.Series(labels).dtype)
    return pl.Series(name, values)
