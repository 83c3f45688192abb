"""The AdaBoost family for two classes: one thin class per booster.

In: parameters. Out: estimators; the algorithms are in the core, `src/booster`. More classes become
several two-class problems, see `_estimator.decomposed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._estimator.decomposed import DecomposedClassifier
from ._margins.bounds import ConfidenceTheory, LimitedVoteTheory, VoteTheory
from ._margins.theory import MarginTheory
from .learners import Stump, WeakLearner


@dataclass(eq=False, repr=False, kw_only=True)
class DiscreteAdaBoostClassifier(DecomposedClassifier):
    """Discrete AdaBoost, and with `phi` the ATA family of Rätsch, Onoda and Müller (2001).

    Each round adds the vote with the smallest weighted error ε, with weight
    α = ½ ln(φ(1−ε) / (ε(1−φ))), and shifts weight to the rows it got wrong.

    Parameters:
        phi: the error that counts as no edge, between 0 and 1. ½ is AdaBoost; a smaller value
            drives all margins towards 1 − 2φ and stops when no vote is that good.

    More than two classes are decomposed by `multi_class` ("ovr", "ovo", "ecoc", "ecoc-max" or a
    code matrix) and `decode`. The parameters that all boosters share are described in
    `BoostingClassifier`.

    Examples:
        >>> from weakforce import DiscreteAdaBoostClassifier, datasets
        >>> X, y = datasets.make_xd6(500, seed=1)
        >>> model = DiscreteAdaBoostClassifier(n_estimators=50).fit(X, y)
        >>> bool(model.score(X, y) > 0.75)
        True

        Three classes as three pairs:

        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> model = DiscreteAdaBoostClassifier(multi_class="ovo", n_estimators=20).fit(X, y)
        >>> model.code_.tolist()
        [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
        >>> bool(model.score(X, y) > 0.85)
        True

        Probabilities that agree with those of the pairs:

        >>> model = model.set_params(decode="coupling").fit(X, y)
        >>> bool(model.predict_proba(X).max() < 0.999)
        True
    """

    phi: float = 0.5

    _kind: ClassVar[str] = "discrete"

    def _margin_theory(self) -> MarginTheory:
        return LimitedVoteTheory(phi=self.phi, learning_rate=self.learning_rate)


@dataclass(eq=False, repr=False, kw_only=True)
class ArcGVClassifier(DecomposedClassifier):
    """arc-gv: AdaBoost that maximises the smallest margin (Breiman 1999).

    α = ½ ln((1+γ)/(1−γ)) − ½ ln((1+ϱ)/(1−ϱ)) with γ the edge of the vote and ϱ the largest
    smallest-margin reached so far, at least 0. Stops with reason "no_edge" once no vote has an
    edge above ϱ.

    More than two classes are decomposed by `multi_class` ("ovr", "ovo", "ecoc", "ecoc-max" or a
    code matrix) and `decode`. The parameters that all boosters share are described in
    `BoostingClassifier`.
    """

    _kind: ClassVar[str] = "arc_gv"

    def _margin_theory(self) -> MarginTheory:
        return VoteTheory()


class _ConfidentClassifier(DecomposedClassifier):
    """Boosters whose hypotheses answer with confidences."""

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:  # noqa: ARG002
        return Stump(criterion="z")


@dataclass(eq=False, repr=False, kw_only=True)
class RealAdaBoostClassifier(_ConfidentClassifier):
    """Real AdaBoost: hypotheses answer with confidences (Nock and Nielsen 2007, Friedman 2000).

    Parameters:
        step: "line-search" gives each hypothesis the weight that minimises Σ w exp(−α y h);
            "unit" gives it weight 1.

    The default learner is `Stump(criterion="z")`. More than two classes are decomposed by
    `multi_class` ("ovr", "ovo", "ecoc", "ecoc-max" or a code matrix) and `decode`. The parameters
    that all boosters share are described in `BoostingClassifier`.
    """

    step: str = "line-search"

    _kind: ClassVar[str] = "real"

    def _margin_theory(self) -> MarginTheory:
        return MarginTheory(edges_bound_margins=True)


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoostRClassifier(_ConfidentClassifier):
    """AdaBoost_R: real answers without exponentials (Nock and Nielsen 2007).

    With μ = Σ w y h / h* and h* the largest |h|, w ← w (1 − μ y h/h*) / (1 − μ²) and
    α = ln((1+μ)/(1−μ)) / 2h*. Equals discrete AdaBoost for votes; for real answers, rows that are
    right but less surely than the average gain weight too.

    The default learner is `Stump(criterion="z")`. More than two classes are decomposed by
    `multi_class` ("ovr", "ovo", "ecoc", "ecoc-max" or a code matrix) and `decode`. The parameters
    that all boosters share are described in `BoostingClassifier`.
    """

    _kind: ClassVar[str] = "adaboost_r"

    def _margin_theory(self) -> MarginTheory:
        return ConfidenceTheory(learning_rate=self.learning_rate)


@dataclass(eq=False, repr=False, kw_only=True)
class GentleBoostClassifier(DecomposedClassifier):
    """GentleBoost: steps that are never longer than 1 (Friedman, Hastie and Tibshirani 2000).

    Minimises the exponential loss as real AdaBoost does, by Newton steps: every hypothesis fits the
    labels −1 and +1 by weighted least squares, so that a part of a tree answers with the difference
    of its class shares, (W⁺ − W⁻)/(W⁺ + W⁻) instead of half the log-odds, and is added as it is. A
    part of few rows that all are of one class cannot be overly sure. The loss falls with every
    round: no line search is needed.

    The default learner is `Stump(criterion="gini", smoothing=0.0)`, whose test fits best by least
    squares; learners with answer="auto" answer with shares ("gentle"), nets with their clipped
    output. Classifiers without `predict_proba` vote, and a vote as a step of 1 lowers the loss only
    if less than 0.27 of the weight is wrong. The run stops with reason "no_edge" when a hypothesis
    does not lower it, and never because all rows are right. More than two classes are decomposed by
    `multi_class`: "ovr", "ovo", "ecoc" or a code matrix. The parameters that all boosters share are
    described in `BoostingClassifier`.

    Examples:
        >>> from weakforce import GentleBoostClassifier, Tree, datasets
        >>> X, y = datasets.make_xd6(500, seed=1)
        >>> model = GentleBoostClassifier(Tree(max_leaf_nodes=8), n_estimators=20).fit(X, y)
        >>> bool(model.score(X, y) > 0.85)
        True
        >>> bool(abs(model.decision_function(X)).max() <= 20)
        True
    """

    _kind: ClassVar[str] = "gentleboost"

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:  # noqa: ARG002
        return Stump(criterion="gini", smoothing=0.0)

    def _margin_theory(self) -> MarginTheory:
        return MarginTheory(edges_bound_margins=True)
