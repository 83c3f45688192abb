"""`weakforce predict`: the answers of a model to tables of any size.

In: a model file and tables, read in batches. Out: a table of predictions in the order of the rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from .. import BoostingClassifier, _core
from .._fitting.labels import label_list
from .._reading.scores import probabilities
from .columns import columns_of, feature_names, names_in, scan_for
from .failures import UsageError
from .files import FORMATS, Table, add_reading, tables_of
from .models import add_model, read_model
from .outputs import frames_writer, output_format
from .scored import scored

_EPILOG = """\
examples:
  weakforce predict model.json new.parquet --out predictions.parquet
  weakforce predict model.json "part-*.parquet" --proba --keep id --out predictions.csv
  cut -d, -f1-5 new.csv | weakforce predict model.json - --format csv | head

The output has the column prediction; with --proba a column probability_LABEL for each class; with
--scores the column score (of two classes; positive speaks for the second), or score_LABEL for each
class. Rows keep their order. Tables are read and written in batches, so they may be larger than
memory; only the columns that the model needs are read. A file that exists is replaced, all at once
in the end. CSV columns are read as what they were during fit, and kept columns of CSV files stay as
they are."""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "predict",
        help="write what a model says of new rows",
        description="Write what a model says of new rows.",
        epilog=_EPILOG,
    )
    add_model(parser)
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help='files, patterns such as "part-*.parquet", or -'
    )
    parser.add_argument(
        "--out", default="-", metavar="FILE", help="where to write (default: standard output)"
    )
    parser.add_argument(
        "--out-format", choices=FORMATS, help="default: by the suffix, or CSV to standard output"
    )
    parser.add_argument("--proba", action="store_true", help="add the probability of each class")
    parser.add_argument("--scores", action="store_true", help="add the scores")
    parser.add_argument(
        "--keep", action="append", default=[], metavar="COLUMNS",
        help="columns of the data to put before the predictions, with commas between them",
    )  # fmt: skip
    parser.add_argument("--keep-all", action="store_true", help="put all of them there")
    add_reading(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Predict batch by batch."""
    format = output_format(arguments.out, arguments.out_format)
    if arguments.model == "-" and "-" in arguments.data:
        raise UsageError("model and data cannot both be standard input")
    model = read_model(arguments.model)
    tables = tables_of(arguments.data, arguments)
    kept = _kept(tables[0], arguments)
    frames = [scan_for(model, table, kept, {}) for table in tables]
    _core.keep_freed_memory()
    no_rows = frames[0].head(0).collect()
    no_scores = model.decision_function(no_rows.select(feature_names(model)))
    none = predictions(model, no_rows.select(kept), no_scores, arguments)
    with frames_writer(arguments.out, format, none.schema) as write:
        for table, frame in zip(tables, frames, strict=True):
            for rows, scores in scored(model, table, frame, kept):
                write(predictions(model, rows, scores, arguments).cast(none.schema))


def predictions(
    model: BoostingClassifier, kept: pl.DataFrame, scores: Any, asked: argparse.Namespace
) -> pl.DataFrame:
    """Return what the scores of rows say, behind the columns to keep."""
    columns = {"prediction": model.fitted_model_.target.predict(scores)}
    labels = label_list(model.classes_)
    if isinstance(columns["prediction"], np.ndarray) and columns["prediction"].ndim == 2:
        columns = _by_class("prediction", columns["prediction"], labels)
    if asked.proba:
        columns |= _by_class("probability", probabilities(scores), labels)
    if asked.scores:
        columns |= {"score": scores} if scores.ndim == 1 else _by_class("score", scores, labels)
    own = [_series(name, values, labels) for name, values in columns.items()]
    return pl.DataFrame([*kept.get_columns(), *own])


def _by_class(name: str, numbers: Any, labels: Sequence[Any]) -> dict[str, Any]:
    return {f"{name}_{label}": numbers[:, at] for at, label in enumerate(labels)}


def _series(name: str, values: Any, labels: Sequence[Any]) -> pl.Series:
    """Return a column; that of labels has their type even if it is empty."""
    if isinstance(values, np.ndarray) and values.dtype == object:
        return pl.Series(name, values.tolist(), dtype=pl.Series(labels).dtype)
    return pl.Series(name, values)


def _kept(table: Table, arguments: argparse.Namespace) -> list[str]:
    """Return the columns to keep, none of which may have the name of one to come."""
    found = columns_of(table.scan({}), table.name)
    kept = found if arguments.keep_all else names_in(arguments.keep, found, "--keep")
    for name in kept:
        if name in ("prediction", "score"):
            raise UsageError(f"option --keep: the output has a column {name!r} of its own")
    return kept
