"""Weak learners: what an estimator boosts.

In: parameters. Out: settings for the core. A learner is a plain scikit-learn estimator without a
`fit` of its own, so that `clone`, `get_params` and grid searches over `estimator__criterion` work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

_LEARNERS: list[type[WeakLearner]] = []


def weak_learners() -> list[type[WeakLearner]]:
    """Return the classes of all weak learners of this library."""
    return list(_LEARNERS)


class WeakLearner(BaseEstimator):  # type: ignore[misc]
    """What all weak learners share.

    Those that ask questions (`Stump`, `Rule`, `Tree`) understand the same three parameters:

    - `criterion`: how questions are scored, by the class weights W⁺ and W⁻ of either side: "error"
      (weighted error, min(W⁺, W⁻)), "z" (the exponential loss, 2√(W⁺W⁻)) or "gini"
      (2 W⁺W⁻/(W⁺ + W⁻)). For votes for one of several classes of weights W_k, W in all, that is
      W − max W_k, 2 Σ √(W_j W_k) over all pairs, or W − Σ W_k²/W.
    - `answer`: what a side says: "vote" (−1 or +1 by majority), "logistic" (half the log-odds),
      "gentle" (difference of the class shares), or "auto": a vote under boosters that need votes,
      gentle under `GentleBoostClassifier`, otherwise logistic.
    - `smoothing`: share of the total weight that is added to both class weights of a side before a
      logistic or gentle answer; None means the share of the lightest training row, 1/m for m rows
      of equal weight.
    """

    #: The learner's name in the core's registry.
    _kind: ClassVar[str]
    #: Whether columns may hold categories.
    _takes_categories: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _LEARNERS.append(cls)

    def _settings(self) -> dict[str, Any]:
        return {self._kind: self.get_params(deep=False)}


@dataclass(eq=False, repr=False, kw_only=True)
class Stump(WeakLearner):
    """A decision stump: one test on one column.

    Numbers are tested against a threshold, with missing values on the better side; categories are
    split into two subsets, with "missing" as one more category.

    Parameters:
        criterion: how tests are scored: "error", "z" or "gini"; see `WeakLearner`.
        answer: what a side says: "auto", "vote", "logistic" or "gentle"; see `WeakLearner`.
        smoothing: what is added to the class weights of a side; see `WeakLearner`.

    Examples:
        >>> from weakforce import RealAdaBoostClassifier, Stump, datasets
        >>> X, y = datasets.make_xd6(500, seed=1)
        >>> model = RealAdaBoostClassifier(Stump(criterion="z"), n_estimators=20).fit(X, y)
        >>> bool(model.score(X, y) > 0.75)
        True
    """

    criterion: str = "error"
    answer: str = "auto"
    smoothing: float | None = None

    _kind: ClassVar[str] = "stump"


@dataclass(eq=False, repr=False, kw_only=True)
class Rule(WeakLearner):
    """A rule: a conjunction of at most `max_literals` simple conditions, grown one by one.

    A literal compares a number with a threshold (`age > 37`), asks for one category (`job =
    "nurse"`, `job ≠ "nurse"`), or whether a value is there (`age is null`). As in SQL, every
    literal but `is null` is false for a missing value. The rule has one answer for the rows on
    which it fires and one for all others. `model.rules()` shows the rules of a model as a table,
    `model.summary()` as text.

    Parameters:
        max_literals: the most literals of a rule, at least 1.
        criterion: how rules are scored: "error", "z" or "gini"; see `WeakLearner`.
        answer: what a side says: "auto", "vote", "logistic" or "gentle"; see `WeakLearner`.
        min_gain: a literal is added only if it lowers the criterion by more than this share of the
            total weight.
        smoothing: what is added to the class weights of a side; see `WeakLearner`.

    Examples:
        >>> import polars as pl
        >>> from weakforce import RealAdaBoostClassifier, Rule
        >>> jobs = ["nurse"] * 6 + ["cook"] * 2 + ["smith"] * 2
        >>> X = pl.DataFrame({"age": [25, 29, 36, 40, 50, 52, 23, 42, 41, 45], "job": jobs})
        >>> y = [0, 0, 1, 1, 1, 1, 0, 0, 0, 0]
        >>> model = RealAdaBoostClassifier(Rule(), n_estimators=1).fit(X, y)
        >>> print(model.estimators_[0])
        job = "nurse" and age > 32 → +0.805, else −0.973
    """

    max_literals: int = 2
    criterion: str = "z"
    answer: str = "auto"
    min_gain: float = 0.0
    smoothing: float | None = None

    _kind: ClassVar[str] = "rule"


@dataclass(eq=False, repr=False, kw_only=True)
class Tree(WeakLearner):
    """A decision tree, grown best-first: the leaf that gains most is split next.

    Every inner node is a test as that of a `Stump`; every leaf has an answer.

    Parameters:
        max_leaf_nodes: the most leaves.
        max_depth: the most tests on the way to a leaf; None means no limit.
        min_samples_leaf: the fewest training rows of a leaf.
        min_weight_leaf: the smallest share of the total weight in a leaf.
        criterion: how tests are scored: "gini", "z" or "error"; see `WeakLearner`.
        answer: what a leaf says: "auto", "vote", "logistic" or "gentle"; see `WeakLearner`.
        smoothing: what is added to the class weights of a leaf; see `WeakLearner`.
        splitter: "best" tries every test; "random" draws one test for each column and leaf, of
            which the best is taken. Random trees differ more from each other, which suits boosters
            whose trees are so large that they would otherwise know the training rows by heart.
        max_features: how many columns are tried at each leaf, drawn anew: None for all of them,
            "sqrt" for the square root of their number, a number, or a share of them.

    Examples:
        >>> from weakforce import RealAdaBoostClassifier, Tree, datasets
        >>> X, y = datasets.make_xd6(500, seed=1)
        >>> model = RealAdaBoostClassifier(Tree(max_leaf_nodes=8), n_estimators=20).fit(X, y)
        >>> model.estimators_[0].n_leaves
        8
        >>> bool(model.score(X, y) > 0.85)
        True
    """

    max_leaf_nodes: int = 12
    max_depth: int | None = None
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    criterion: str = "gini"
    answer: str = "auto"
    smoothing: float | None = None
    splitter: str = "best"
    max_features: Any = None

    _kind: ClassVar[str] = "tree"


@dataclass(eq=False, repr=False, kw_only=True)
class RBFNet(WeakLearner):
    """A small network of radial basis functions, fitted to the weighted rows.

    The output is a weighted sum of Gaussian bumps. Centres start from weighted k-means; then
    centres and widths descend on the weighted squared error by conjugate gradients, with the
    output weights always optimal (Rätsch, Onoda and Müller 2001, appendix D). Columns must be
    numeric and are standardised inside; missing values count as the column's mean.

    Parameters:
        n_centers: the number of Gaussian bumps.
        n_steps: the number of steps of the descent on centres and widths.
        ridge: the penalty on the squared output weights.
        answer: what the net says: "vote" (the sign), "clipped" (the output, kept in [−1, 1]), or
            "auto": a vote under boosters that need votes, otherwise clipped.

    Examples:
        >>> from weakforce import DiscreteAdaBoostClassifier, RBFNet, datasets
        >>> X, y = datasets.make_banana(400, seed=1)
        >>> model = DiscreteAdaBoostClassifier(RBFNet(n_centers=8), n_estimators=5).fit(X, y)
        >>> bool(model.score(X, y) > 0.8)
        True
    """

    n_centers: int = 15
    n_steps: int = 10
    ridge: float = 1e-6
    answer: str = "auto"

    _kind: ClassVar[str] = "rbf_net"
    _takes_categories: ClassVar[bool] = False
