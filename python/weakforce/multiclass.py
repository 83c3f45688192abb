"""AdaBoost for any number of classes at once: SAMME, M1, MH and M2.

In: parameters. Out: estimators; the algorithms are in the core, `src/booster`. Their scores grow
with the rounds, so a temperature makes probabilities of them, see `_estimator.calibrated`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._estimator.base import BoostingClassifier
from ._estimator.class_by_class import ClassByClassClassifier
from ._margins.bounds import PairTheory, VoteTheory
from ._margins.theory import MarginTheory
from .learners import Tree, WeakLearner


class _VotingClassifier(BoostingClassifier):
    """Boosters whose hypotheses vote for one of K classes."""

    _has_temperature: ClassVar[bool] = True

    def _margin_theory(self) -> MarginTheory:
        return VoteTheory(largest_lead=1.0)

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:
        return Tree(max_leaf_nodes=12 * (n_classes - 1))


@dataclass(eq=False, repr=False, kw_only=True)
class SAMMEClassifier(_VotingClassifier):
    """SAMME: hypotheses vote for one of K classes (Zhu, Zou, Rosset and Hastie 2009).

    Each round adds the hypothesis with the smallest weighted error ε, with weight
    α = ln((1−ε)/ε) + ln(K−1), and multiplies the weights of the rows it got wrong by exp(α). The
    score of a class is the sum of the weights α of the hypotheses that vote for it. Any hypothesis
    better than guessing has a weight: the run stops with reason "no_edge" when ε ≥ 1 − 1/K. For two
    classes it is discrete AdaBoost, with the weights α/2 of its votes ±1.

    The default learner is `Tree(max_leaf_nodes=12 * (K - 1))`, with K the number of classes. The
    parameters that all boosters share are described in `BoostingClassifier`.

    Examples:
        >>> from weakforce import SAMMEClassifier, Stump, datasets
        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> model = SAMMEClassifier(n_estimators=10).fit(X, y)
        >>> model.decision_function(X).shape
        (300, 3)
        >>> bool(model.score(X, y) > 0.95)
        True
        >>> print(SAMMEClassifier(Stump(), n_estimators=1).fit(X, y).estimators_[0])
        x7 ≤ 2.57 → 0, else 1
    """

    _kind: ClassVar[str] = "samme"


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostM1Classifier(_VotingClassifier):
    """AdaBoost.M1: hypotheses vote for one of K classes (Freund and Schapire 1997).

    As SAMME, but with α = ln((1−ε)/ε): hypotheses must be right on more than half of the weight,
    however many classes there are, and the run stops with reason "no_edge" when ε ≥ ½. For two
    classes it is discrete AdaBoost, with the weights α/2 of its votes ±1.

    The default learner is `Tree(max_leaf_nodes=12 * (K - 1))`, with K the number of classes. The
    parameters that all boosters share are described in `BoostingClassifier`.

    Examples:
        >>> from weakforce import AdaBoostM1Classifier, datasets
        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> model = AdaBoostM1Classifier(n_estimators=10).fit(X, y)
        >>> bool(model.score(X, y) > 0.95)
        True
    """

    _kind: ClassVar[str] = "m1"


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostMHClassifier(ClassByClassClassifier):
    """AdaBoost.MH: every class against the rest, under one distribution (Schapire, Singer 1999).

    Weights are kept for all pairs of a row and a class. Each round finds a hypothesis h(·, k) for
    every class k, which says whether a row is of that class; all of them get the weight
    α = ½ ln((1+γ)/(1−γ)) with γ = Σ w(i, k) (±1) h(x_i, k), and pairs that were wrong gain weight.
    The score of class k is Σ α h(x, k).

    Parameters:
        shared: whether one partition of the rows (one stump, rule or tree) answers for all classes
            instead of one for each class, which is faster; its answers are scores for all classes.
            Scikit-learn classifiers and nets answer for one class only.

    Answers must be votes (`answer="auto"` or "vote") or shares ("gentle"). The default learner is
    `Tree(max_leaf_nodes=12)`. The parameters that all boosters share are described in
    `BoostingClassifier`.

    Examples:
        >>> from weakforce import AdaBoostMHClassifier, datasets
        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> model = AdaBoostMHClassifier(n_estimators=10).fit(X, y)
        >>> len(model.estimators_), len(model.estimators_[0])
        (10, 3)
        >>> len(AdaBoostMHClassifier(shared=True, n_estimators=10).fit(X, y).estimators_)
        10
        >>> bool(model.score(X, y) > 0.95)
        True
    """

    shared: bool = False

    _kind: ClassVar[str] = "mh"
    _has_temperature: ClassVar[bool] = True

    def _margin_theory(self) -> MarginTheory:
        return PairTheory(per_class=0.5)


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostM2Classifier(ClassByClassClassifier):
    """AdaBoost.M2: hypotheses rank the right class above wrong ones (Freund and Schapire 1997).

    Weights are kept for all pairs of a row and a wrong class. Each round finds h(x, k) in [−1, 1]
    with a small pseudo-loss (1−γ)/2, where γ is half the weighted mean of h(x, y) − h(x, k) over
    these pairs, and gives it the weight α = ½ ln((1+γ)/(1−γ)). The score of class k is Σ α h(x, k).

    Parameters, answers and the default learner are those of `AdaBoostMHClassifier`, but one
    partition of the rows answers for all classes unless told otherwise: scikit-learn classifiers
    and nets need shared=False.

    Examples:
        >>> from weakforce import AdaBoostM2Classifier, datasets
        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> model = AdaBoostM2Classifier(n_estimators=10).fit(X, y)
        >>> bool(model.score(X, y) > 0.9)
        True
    """

    shared: bool = True

    _kind: ClassVar[str] = "m2"
    _has_temperature: ClassVar[bool] = True

    def _margin_theory(self) -> MarginTheory:
        return PairTheory(per_class=1.0, plus=-1.0)
