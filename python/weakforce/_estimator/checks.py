"""Checks of estimators that users hand to functions.

In: anything. Out: a fitted booster, or an error that names what came.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from .base import BoostingClassifier


def checked_booster(model: Any) -> BoostingClassifier:
    """Return a fitted booster; refuse everything else."""
    if not isinstance(model, BoostingClassifier):
        raise TypeError(
            f"parameter 'model': got {type(model).__name__}, expected a fitted booster of weakforce"
        )
    check_is_fitted(model)
    return model
