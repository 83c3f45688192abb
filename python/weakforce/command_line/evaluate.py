"""`weakforce evaluate`: how good a model is on labelled rows.

In: a model file, tables and a target. Out: accuracy, recall and precision, a table of confusions,
log loss, area under the curve and margins, as text or JSON.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from .._fitting.rows import Rows
from .._reading.evaluation import evaluation
from .._reading.wording import label_text
from .failures import FailureError
from .labelled import read_judging
from .models import read_model
from .tables import facts, number, table


def run(arguments: argparse.Namespace) -> None:
    """Print how good a model is."""
    model = read_model(arguments.model)
    if model.fitted_model_.has_label_sets:
        raise FailureError("the model gives several labels to a row; evaluate is for one label")
    rows = read_judging(model, arguments.data, arguments)
    if rows.X.is_empty():
        raise FailureError("there are no rows to judge the model by")
    weights = None if rows.weights is None else rows.weights.to_numpy()
    judged = evaluation(model.fitted_model_, Rows(rows.X, rows.y, weights), model.n_jobs)
    print(json.dumps(judged, indent=2) if arguments.json else _text(judged))


def _text(judged: dict[str, Any]) -> str:
    labels = [label_text(entry["label"]) for entry in judged["classes"]]
    entries = {"rows": number(judged["rows"])}
    for name in ("accuracy", "log_loss", "auc"):
        if name in judged:
            entries[name.replace("_", " ")] = number(judged[name])
    rows = [
        (label, entry["rows"], entry["recall"], entry["precision"])
        for label, entry in zip(labels, judged["classes"], strict=True)
    ]
    found = [(label, *line) for label, line in zip(labels, judged["confusion"], strict=True)]
    return "\n".join(
        [
            facts(entries),
            "",
            table(("class", "rows", "recall", "precision"), rows),
            "",
            "rows of a class (line) by the answer they get (column)",
            table(("", *labels), found),
            "",
            table(("margins", ""), _margin_lines(judged["margins"])),
        ]
    )


def _margin_lines(margins: dict[str, float | None]) -> list[tuple[str, Any]]:
    """Return the statistics of margins that apply."""
    return [
        (name.replace("_", " "), int(value) if name.startswith("rows") else value)
        for name, value in margins.items()
        if value is not None
    ]
