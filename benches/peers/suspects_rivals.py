"""The rivals of `suspects.py`: cleanlab, LightGBM and XGBoost.

In: rows with wrong labels. Out: the suspicion of each row with the seconds that it took, and the
share of labels that cleanlab thinks wrong.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import lightgbm
import numpy as np
import polars as pl
import xgboost
from cleanlab.count import estimate_joint
from cleanlab.rank import get_label_quality_scores
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from weakforce import LogitBoostClassifier

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: The rounds of the one XGBoost fit whose margins are averaged.
AUM_ROUNDS = 100


def _lightgbm(seed: int = 0, n_threads: int = 1) -> Any:
    return lightgbm.LGBMClassifier(random_state=seed, verbose=-1, n_jobs=n_threads)


def _xgboost(seed: int = 0, n_threads: int = 1) -> Any:
    return xgboost.XGBClassifier(random_state=seed, n_jobs=n_threads, enable_categorical=True)


#: The classifiers that are cleaned.
MAKERS = {
    "LightGBM": _lightgbm,
    "LogitBoost": lambda: LogitBoostClassifier(n_jobs=1, random_state=0),
}


def rank_rivals(
    X: Floats | pl.DataFrame, labels: Ints, seed: int, n_threads: int
) -> dict[str, tuple[Floats, float]]:
    """Return the suspicion of each row by every rival, and how long it took."""
    rows = as_rivals_read(X)
    found = {}
    for name, model in (
        ("LightGBM", _lightgbm(seed, n_threads)),
        ("XGBoost", _xgboost(seed, n_threads)),
    ):
        start = perf_counter()
        shares = out_of_fold(model, rows, labels, seed)
        seconds = perf_counter() - start
        at = np.arange(len(labels))
        own = shares[at, labels]
        others = shares.copy()
        others[at, labels] = -1.0
        found[f"{name}, self-confidence"] = (-own, seconds)
        found[f"{name}, normalised margin"] = (others.max(axis=1) - own, seconds)
        if name == "LightGBM":
            start = perf_counter()
            quality = get_label_quality_scores(labels, shares, adjust_pred_probs=True)
            found["cleanlab, LightGBM"] = (-quality, seconds + perf_counter() - start)
    start = perf_counter()
    found["XGBoost, area under the margin"] = (
        area_under_margin(rows, labels, seed, n_threads),
        perf_counter() - start,
    )
    return found


def as_rivals_read(X: Floats | pl.DataFrame) -> Any:
    """Return rows as LightGBM and XGBoost read them: texts as categories of pandas."""
    if isinstance(X, np.ndarray):
        return X
    frame = X.with_columns(pl.col(pl.String).cast(pl.Categorical)).to_pandas()
    names = [f"c{at}" for at in range(frame.shape[1])]
    return frame.set_axis(names, axis=1)


def out_of_fold(model: Any, rows: Any, labels: Ints, seed: int) -> Floats:
    """Return class probabilities by five-fold cross-validation."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    return cross_val_predict(model, rows, labels, cv=folds, method="predict_proba")


def area_under_margin(rows: Any, labels: Ints, seed: int, n_threads: int) -> Floats:
    """Return minus the mean over the rounds of one fit of each row's margin."""
    n_classes = int(labels.max()) + 1
    data = xgboost.DMatrix(rows, labels, enable_categorical=True)
    settings = {"nthread": n_threads, "seed": seed, "eta": 0.1, "max_depth": 4}
    if n_classes == 2:
        settings["objective"] = "binary:logistic"
    else:
        settings |= {"objective": "multi:softprob", "num_class": n_classes}
    model = xgboost.train(settings, data, AUM_ROUNDS)
    total = np.zeros(len(labels))
    scores = None
    for at in range(AUM_ROUNDS):
        # Each round adds to the scores so far, so every tree is gone through once.
        data.set_base_margin([] if scores is None else scores.ravel())
        scores = model.predict(data, output_margin=True, iteration_range=(at, at + 1))
        total += _margin(scores, labels)
    return -total / AUM_ROUNDS


def _margin(scores: Floats, labels: Ints) -> Floats:
    if scores.ndim == 1:
        return np.where(labels == 1, scores, -scores)
    at = np.arange(len(labels))
    others = scores.copy()
    others[at, labels] = -np.inf
    return scores[at, labels] - others.max(axis=1)


def cleanlab_share(X: Floats, labels: Ints, seed: int) -> float:
    """Return the share of wrong labels by cleanlab's joint, from 5-fold LightGBM."""
    shares = out_of_fold(_lightgbm(seed), X, labels, seed)
    return float(1.0 - np.trace(estimate_joint(labels, shares)))
