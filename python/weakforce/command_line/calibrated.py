"""Probabilities as a model's `calibrate` asks for them, where rows are scored without an estimator.

In: a model, and probabilities of labels as given. Out: those of true labels if the model says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from .._estimator.base import BoostingClassifier
from .._out_of_bag.label_noise import cleaned
from .failures import FailureError


def is_clean(model: BoostingClassifier) -> bool:
    """Whether a model gives the probabilities of true labels; refuse one that does not know how."""
    if getattr(model, "calibrate", None) != "clean":
        return False
    if getattr(model, "noise_rate", None) is None:
        raise FailureError(
            "the model has calibrate='clean' and no noise_rate, and label_noise_ is known only to "
            "the estimator that was fitted: it is not part of model files; set noise_rate before "
            "saving, as 'weakforce fit' does"
        )
    return True


def with_clean_probabilities(
    model: BoostingClassifier, frames: Iterable[pl.DataFrame]
) -> Iterator[pl.DataFrame]:
    """Yield frames of predictions with the probabilities that `predict_proba` would give."""
    names = [f"probability_{label}" for label in model.fitted_model_.labels]
    rate = float(model.noise_rate)
    for frame in frames:
        clean = cleaned(frame.select(names).to_numpy(), rate)
        yield frame.with_columns(pl.Series(name, clean[:, at]) for at, name in enumerate(names))
