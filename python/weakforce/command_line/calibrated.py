"""Whether a model of a file gives the probabilities of true labels, and knows how.

In: a model. Out: whether its `calibrate` says so, or a failure that says what is missing.
"""

from __future__ import annotations

from .._estimator.base import BoostingClassifier
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
