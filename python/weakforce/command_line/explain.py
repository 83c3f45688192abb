"""`weakforce explain`: what a model has learned, and why it says what it says of rows.

In: a model file, and tables if rows are to be explained. Out: the summary of the model; or what
every column contributes to the score of a row, or on average.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
import polars as pl

from .._estimator.base import BoostingClassifier
from .._files.columns import feature_names, scan_for
from .._files.outputs import write_frame
from .._files.tables import collect
from .._fitting.labels import label_list
from .._reading.literal_columns import columns, select, stacked
from .._reading.summaries import score_meaning
from .._reading.wording import column_text
from .explained_row import ExplainedRow
from .failures import FailureError, UsageError
from .files import output_format, tables_of
from .models import read_model
from .tables import table


def run(arguments: argparse.Namespace) -> None:
    """Print what a model has learned, or why it says what it says."""
    if arguments.top < 0:
        raise UsageError(f"option --top: got {arguments.top}, expected a number >= 0")
    if not arguments.data and (arguments.row or arguments.out):
        raise UsageError("options --row and --out need data to explain")
    if arguments.out is not None:
        format = output_format(arguments.out, arguments.out_format)
    model = read_model(arguments.model)
    if not arguments.data:
        print(_model_as_json(model) if arguments.json else _model_as_text(model, arguments.top))
        return
    rows = _rows(model, arguments)
    if arguments.out is not None:
        write_frame(arguments.out, model.contributions(rows), format)
    elif arguments.row:
        _explain_rows(model, rows, arguments)
    else:
        _explain_on_average(model, rows, arguments)


def _rows(model: BoostingClassifier, arguments: argparse.Namespace) -> pl.DataFrame:
    """Return the rows to explain: those that are asked for, or all."""
    frames = [
        collect(scan_for(model.fitted_model_, table, (), {}), table.name)
        for table in tables_of(arguments.data, arguments)
    ]
    rows = select(stacked(frames), feature_names(model.fitted_model_))
    for row in arguments.row:
        if not 0 <= row < rows.height:
            raise FailureError(
                f"option --row: got {row}, expected a row below {rows.height}, counted from 0"
            )
    return rows[arguments.row] if arguments.row else rows


def _model_as_text(model: BoostingClassifier, top: int) -> str:
    text = model.summary(top)
    titles = ("importance", "column")
    # A summary of trees or nets lists them itself, and so does that of the default.
    if "  ".join(titles) in text or "columns that count" in text:
        return text
    lines = [(value, column_text(name)) for name, value in _importances(model)[:top]]
    return f"{text}\n\n{table(titles, lines)}" if lines else text


def _model_as_json(model: BoostingClassifier) -> str:
    described: dict[str, Any] = {
        "estimator": type(model).__name__,
        "classes": label_list(model.classes_),
        "rounds": int(model.n_iter_),
        "stop_reason": model.stop_reason_,
        "importances": dict(_importances(model)),
    }
    try:
        described["rules"] = model.rules(merge=True).to_dicts()
    except TypeError:  # the model is not made of rules
        described["rules"] = None
    return json.dumps(described, indent=2, default=str)


def _importances(model: BoostingClassifier) -> list[tuple[str, float]]:
    """Return the columns that matter with how much they do, most important first."""
    importances = model.feature_importances_
    order = [int(at) for at in np.argsort(-importances, kind="stable") if importances[at] > 0]
    return [(feature_names(model.fitted_model_)[at], float(importances[at])) for at in order]


def _explain_on_average(
    model: BoostingClassifier, rows: pl.DataFrame, arguments: argparse.Namespace
) -> None:
    if rows.is_empty():
        raise FailureError("there are no rows to explain")
    names = feature_names(model.fitted_model_)
    means = model.contributions(rows).select(columns(names).abs().mean()).row(0)
    found = sorted(zip(names, means, strict=True), key=lambda entry: -entry[1])
    if arguments.json:
        print(json.dumps(dict(found), indent=2))
        return
    lines = [(mean, column_text(name)) for name, mean in found[: arguments.top] if mean > 0]
    text = table(("mean |contribution|", "column"), lines)
    print("\n".join([text, score_meaning(model.fitted_model_)]))


def _explain_rows(
    model: BoostingClassifier, rows: pl.DataFrame, arguments: argparse.Namespace
) -> None:
    parts, errors = _with_errors(model, rows)
    labels = label_list(model.classes_)
    n_scores = parts.height // rows.height
    explained = []
    for at, answer in enumerate(model.predict(rows).tolist()):
        lines = slice(at * n_scores, (at + 1) * n_scores)
        off = None if errors is None else errors[lines]
        values = rows.row(at, named=True)
        explained.append(ExplainedRow(arguments.row[at], answer, labels, values, parts[lines], off))
    if arguments.json:
        print(json.dumps([row.as_json() for row in explained], indent=2, default=str))
    else:
        meaning = score_meaning(model.fitted_model_)
        print("\n\n".join(row.as_text(arguments.top, meaning) for row in explained))


def _with_errors(
    model: BoostingClassifier, rows: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return contributions, and their standard errors if they are estimated."""
    found = model.contributions(rows, errors=True)
    count = len(feature_names(model.fitted_model_)) + 1
    parts = select(found, found.columns[:-count])
    errors = select(found, found.columns[-count:])
    return parts, errors if errors.to_numpy().any() else None
