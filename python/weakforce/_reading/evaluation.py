"""How good a model is on labelled rows, in numbers.

In: a fitted model, and rows with labels and weights. Out: what JSON can hold. The command line
prints it, and the report shows it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._fitting.labels import Floats
from .._fitting.rows import Rows
from .._margins.rows import MarginRows
from .._margins.statistics import statistics
from .fitted_model import FittedModel


def evaluation(
    model: FittedModel, rows: Rows, n_jobs: int | None = None, duals: Floats | None = None
) -> dict[str, Any]:
    """Return accuracy, log loss, area under the curve, confusions and margins.

    Only for models that give one label to a row. `duals` are those of a program, if it was solved
    for these rows.
    """
    from sklearn.metrics import log_loss, roc_auc_score

    truth, weights = model.read_labels(rows.y), rows.sample_weight
    scores = model.decision_function(rows.X, n_jobs)
    answers, shares = model.answers(scores), model.probabilities(scores)
    n_classes = model.n_classes
    measured: dict[str, Any] = {
        "rows": len(truth),
        "accuracy": float(np.average(answers == truth, weights=weights)),
        "log_loss": float(log_loss(truth, shares, sample_weight=weights, labels=range(n_classes))),
    }
    if n_classes == 2 and 0 < truth.sum() < len(truth):
        measured["auc"] = float(roc_auc_score(truth, scores, sample_weight=weights))
    measured["classes"] = _by_class(model.labels, truth, answers, weights)
    places = truth.astype(np.int64) * n_classes + answers
    counts = np.bincount(places, minlength=n_classes**2).reshape(n_classes, n_classes)
    measured["confusion"] = counts.tolist()
    margins = statistics(model, MarginRows.read(model, rows, n_jobs), "normalized", duals)
    measured["margins"] = dict(margins.iter_rows())
    return measured


def _by_class(
    labels: list[Any], truth: NDArray[Any], answers: NDArray[np.intp], weights: Floats | None
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
