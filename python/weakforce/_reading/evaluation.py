"""How good a model is on labelled rows, in numbers.

In: a fitted estimator, rows, labels and weights. Out: what JSON can hold. The command line prints
it, and the report shows it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._estimator.base import BoostingClassifier
from .._fitting.labels import Floats, label_list
from .._margins.statistics import margin_statistics
from .scores import best, probabilities


def evaluation(
    model: BoostingClassifier, X: pl.DataFrame, y: pl.Series, weights: Floats | None = None
) -> dict[str, Any]:
    """Return accuracy, log loss, area under the curve, confusions and margins.

    Only for models that give one label to a row.
    """
    from sklearn.metrics import log_loss, roc_auc_score

    truth = model._target.read(y, type(model).__name__)
    scores = model.decision_function(X)
    answers, shares = best(scores), probabilities(scores)
    n_classes = len(model.classes_)
    told: dict[str, Any] = {
        "rows": len(truth),
        "accuracy": float(np.average(answers == truth, weights=weights)),
        "log_loss": float(log_loss(truth, shares, sample_weight=weights, labels=range(n_classes))),
    }
    if n_classes == 2 and 0 < truth.sum() < len(truth):
        told["auc"] = float(roc_auc_score(truth, scores, sample_weight=weights))
    told["classes"] = _by_class(label_list(model.classes_), truth, answers, weights)
    places = truth.astype(np.int64) * n_classes + answers
    counts = np.bincount(places, minlength=n_classes**2).reshape(n_classes, n_classes)
    told["confusion"] = counts.tolist()
    margins = margin_statistics(model, X, y, kind="normalized", sample_weight=weights)
    told["margins"] = dict(margins.iter_rows())
    return told


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
