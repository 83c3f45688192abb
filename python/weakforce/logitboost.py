"""LogitBoost: gradient boosting of the logistic loss by Newton steps.

In: parameters. Out: an estimator; the algorithm is in the core, `src/booster/logit.rs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._estimator.base import BoostingClassifier
from .learners import Tree, WeakLearner


@dataclass(eq=False, repr=False, kw_only=True)
class LogitBoostClassifier(BoostingClassifier):
    """LogitBoost of Friedman, Hastie and Tibshirani (2000), for any number of classes.

    Minimises the log loss. Each round adds a hypothesis (one for each class if there are more than
    two) whose parts answer with the Newton step G/(Q + λ) of their rows, where G and Q are sums of
    gradients and curvatures of the loss; tests are chosen by the gain G²/(Q + λ). Scores begin with
    the logarithms of the class shares, which the first hypotheses add. With trees this is what
    other libraries call gradient boosting, under sums of integers: models do not depend on the
    number of threads.

    Parameters:
        l2_regularization: λ, what is added to the curvature of a part, in rows: as if so many rows
            of the least weight were undecided and spoke for no change.
        step: "unit" takes Newton's steps; "line-search" takes each round's answers as often as
            lowers the training loss most, so that it never rises; scores then begin with zero.

    The learner is `Tree(max_leaf_nodes=31, min_samples_leaf=5)` by default; `Stump()` and `Rule()`
    do as well. Their parameters `criterion` and `smoothing` have no effect here, and `answer` must
    be "auto". The parameters that all boosters share are described in `BoostingClassifier`.

    Examples:
        >>> from weakforce import LogitBoostClassifier, datasets
        >>> X, y = datasets.make_waveform(600, n_classes=3, seed=1)
        >>> model = LogitBoostClassifier(n_estimators=30).fit(X[:300], y[:300])
        >>> bool(model.score(X[300:], y[300:]) > 0.75)
        True
    """

    learning_rate: float = 0.1
    l2_regularization: float = 1.0
    step: str = "unit"

    _kind: ClassVar[str] = "logitboost"

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:  # noqa: ARG002
        return Tree(max_leaf_nodes=31, min_samples_leaf=5)
