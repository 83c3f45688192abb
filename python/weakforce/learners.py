"""Weak learners: what an estimator boosts.

In: parameters. Out: settings for the core. A learner is a plain scikit-learn estimator without a
`fit` of its own, so that `clone`, `get_params` and grid searches over `estimator__criterion` work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.base import BaseEstimator


class WeakLearner(BaseEstimator):  # type: ignore[misc]
    """What all weak learners share."""

    _kind: ClassVar[str]

    def _settings(self) -> dict[str, Any]:
        return {self._kind: self.get_params(deep=False)}


@dataclass(eq=False, repr=False, kw_only=True)
class Stump(WeakLearner):
    """A decision stump: one test on one column.

    Numbers are tested against a threshold, with missing values on the better side; categories are
    split into two subsets, with "missing" as one more category.

    Parameters:
        criterion: how tests are scored: "error" (weighted error), "z" (the exponential loss
            2√(W⁺W⁻)) or "gini".
        answer: what a side says: "vote" (−1 or +1 by majority), "logistic" (half the log-odds) or
            "gentle" (difference of the class shares).
        smoothing: share of the total weight that is added to both class weights of a side before a
            logistic or gentle answer; None means the share of the lightest training row, 1/m for m
            rows of equal weight.

    Examples:
        >>> from weakforce import RealAdaBoostClassifier, Stump
        >>> model = RealAdaBoostClassifier(Stump(criterion="z", answer="logistic"))
    """

    criterion: str = "error"
    answer: str = "vote"
    smoothing: float | None = None

    _kind: ClassVar[str] = "stump"
