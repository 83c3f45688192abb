"""`weakforce evaluate`: how good a model is on labelled rows.

In: a model file, tables and a target. Out: accuracy, recall and precision, a table of confusions,
log loss, area under the curve and margins, as text or JSON.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .. import BoostingClassifier, margin_statistics
from .._labels import label_list
from .._targets import LabelSets
from .._wording import label_text
from .failures import FailureError
from .files import add_reading
from .labelled import Labelled, add_target, read_judging
from .models import add_model, read_model
from .tables import classes_text, counted, facts, number, table

_EPILOG = """\
examples:
  weakforce evaluate model.json test.parquet --target label
  weakforce evaluate model.json "test-*.csv" --target label --json > scores.json

Recall is the share of a class that the model finds, precision the share of its answers that are
right. With --weight all numbers but the counts are weighted. Margins say how clearly rows are
right: 1 is as clear as can be, below 0 is wrong."""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "evaluate",
        help="judge a model by labelled rows",
        description="Judge a model by labelled rows.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_model(parser)
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help='files, patterns such as "part-*.parquet", or -'
    )
    add_target(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    add_reading(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Print how good a model is."""
    model = read_model(arguments.model)
    if isinstance(model._target, LabelSets):
        raise FailureError("the model gives several labels to a row; evaluate is for one label")
    rows = read_judging(model, arguments.data, arguments)
    if rows.X.is_empty():
        raise FailureError("there are no rows to judge the model by")
    judged = judge(model, rows)
    print(json.dumps(judged, indent=2) if arguments.json else _text(judged))


def judge(model: BoostingClassifier, rows: Labelled) -> dict[str, Any]:
    """Return how good a model is, as what JSON can hold."""
    from sklearn.metrics import log_loss, roc_auc_score

    labels = label_list(model.classes_)
    truth = model._target.read(rows.y, type(model).__name__)
    weights = None if rows.weights is None else rows.weights.to_numpy()
    answers = model._target.read(pl.Series(model.predict(rows.X)), type(model).__name__)
    shares = model.predict_proba(rows.X)
    judged: dict[str, Any] = {
        "rows": rows.X.height,
        "accuracy": float(np.average(answers == truth, weights=weights)),
        "log_loss": float(
            log_loss(truth, shares, sample_weight=weights, labels=range(len(labels)))
        ),
    }
    if len(labels) == 2 and 0 < truth.sum() < len(truth):
        judged["auc"] = float(roc_auc_score(truth, shares[:, 1], sample_weight=weights))
    judged["classes"] = _by_class(labels, truth, answers, weights)
    judged["confusion"] = confusion(truth, answers, len(labels)).tolist()
    margins = margin_statistics(model, rows.X, rows.y, sample_weight=weights)
    judged["margins"] = dict(margins.iter_rows())
    return judged


def confusion(truth: NDArray[Any], answers: NDArray[Any], n_classes: int) -> NDArray[np.int64]:
    """Return how many rows of each class (row) get each answer (column)."""
    places = truth.astype(np.int64) * n_classes + answers
    return np.bincount(places, minlength=n_classes**2).reshape(n_classes, n_classes)


def _by_class(
    labels: list[Any], truth: NDArray[Any], answers: NDArray[Any], weights: Any
) -> list[dict[str, Any]]:
    mass = np.ones(len(truth)) if weights is None else weights
    by_class = []
    for at, label in enumerate(labels):
        own, said = truth == at, answers == at
        hit = mass[own & said].sum()
        by_class.append(
            {
                "label": label if isinstance(label, (str, int, float, bool)) else str(label),
                "rows": int(own.sum()),
                "recall": float(hit / mass[own].sum()) if mass[own].sum() > 0 else None,
                "precision": float(hit / mass[said].sum()) if mass[said].sum() > 0 else None,
            }
        )
    return by_class


def _text(judged: dict[str, Any]) -> str:
    labels = [label_text(entry["label"]) for entry in judged["classes"]]
    counts = [entry["rows"] for entry in judged["classes"]]
    entries = {"rows": counted(judged["rows"], "row"), "classes": classes_text(labels, counts)}
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
            "how many rows of a class (line) get which answer (column)",
            table(("", *labels), found),
            "",
            _margins_text(judged["margins"]),
        ]
    )


def _margins_text(margins: dict[str, float | None]) -> str:
    """Return the margins' statistics that apply, a line each."""
    shown = {
        name.replace("quantile_", "quantile ").replace("_", " "): (
            number(int(value)) if name.startswith("rows") else number(value)
        )
        for name, value in margins.items()
        if value is not None
    }
    return "margins: " + facts(shown)
