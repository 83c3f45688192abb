"""Committees beside boosting: bagging, wagging, MultiBoosting and arc-x4.

In: parameters. Out: estimators; the algorithms are in the core, `src/booster`. Their hypotheses
vote for one of any number of classes, and probabilities are shares of votes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._estimator.base import BoostingClassifier
from ._estimator.fitting import Task
from ._fitting.labels import Floats, factors_of
from ._margins.theory import MarginTheory
from ._out_of_bag.votes import OutOfBagVotes
from ._reading.calibrations import VoteShares
from ._reading.fitted_model import FittedModel
from .learners import Tree, WeakLearner


@dataclass(eq=False, repr=False, kw_only=True)
class _Committee(BoostingClassifier):
    """What committees share: trees that vote, and probabilities that are shares of votes.

    Parameters:
        scoring: what early stopping watches: "accuracy", or "loss", the log loss of the soft-max of
            the scores, which says little of votes that are counted.
    """

    scoring: str = "accuracy"

    #: The leaves of the default tree for two classes.
    _n_leaves: ClassVar[int]

    def _margin_theory(self) -> MarginTheory:
        return MarginTheory(largest_lead=1.0)

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:
        return Tree(max_leaf_nodes=self._n_leaves * (n_classes - 1))

    @classmethod
    def calibration_kinds(cls) -> tuple[str, ...]:
        """Return the kinds of calibrations that models of this estimator can have."""
        return (*super().calibration_kinds(), "votes")

    def _plain_calibration(self, model: FittedModel, task: Task) -> VoteShares:
        return VoteShares(float(model.weights.sum()), factors_of(task.prior))


@dataclass(eq=False, repr=False, kw_only=True)
class BaggedClassifier(_Committee):
    """Bagging: every hypothesis learns from a bootstrap sample, all votes are equal (Breiman 1996).

    A row is in a sample as often as a Poisson number of mean 1 says, which is what a bootstrap of
    many rows does; it depends on the seed, the round and what the row holds, not on the order of
    rows. If all weights are whole multiples of the smallest one, a row of weight 2 draws twice, as
    two equal rows do. With `resample` as many rows as there are are drawn by their weights instead,
    for classifiers whose fit takes no `sample_weight`. Hypotheses are judged by the weights of fit,
    and all are kept.

    Bagging helps hypotheses that change with their sample, so the default learner is a large tree,
    `Tree(max_leaf_nodes=64 * (K - 1))` with K the number of classes; a committee of stumps is
    little better than one of them. `predict_proba` is the share of votes. The parameters that all
    boosters share are described in `BoostingClassifier`; a `learning_rate` other than 1 is refused.

    Attributes:
        oob_score_: the share of training rows whose label is what most of the hypotheses say that
            have not seen them: an honest estimate of `score` on new rows.
        oob_log_loss_: the mean log loss of the shares of their votes. A label without any vote
            counts as half a vote.
        oob_decision_function_: the sums of their votes, in the form of `decision_function`; NaN for
            rows that all hypotheses have seen or none was to learn from.

    What is known out of bag is not saved, and absent with `resample`, and after `warm_start` where
    `random_state` is no integer.

    Examples:
        >>> from weakforce import BaggedClassifier, datasets
        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> model = BaggedClassifier(n_estimators=20, random_state=0).fit(X, y)
        >>> set(model.estimator_weights_.tolist())
        {1.0}
        >>> bool(model.score(X, y) > 0.95), bool(0.7 < model.oob_score_ < 0.85)
        (True, True)
    """

    _kind: ClassVar[str] = "bagging"
    _n_leaves: ClassVar[int] = 64
    _reported: ClassVar[tuple[str, ...]] = ("oob_score_", "oob_log_loss_", "oob_decision_function_")

    def _report(self, reports: list[dict[str, Floats]], task: Task) -> None:
        seed_is_known = isinstance(self.random_state, (int, np.integer))
        if self.resample or (task.is_continued and not seed_is_known):
            return
        votes = np.column_stack([report["oob_votes"] for report in reports])
        given = task.given
        judged = OutOfBagVotes.of_votes(votes, given.codes, given.weights, factors_of(task.prior))
        if not len(judged.judged()):
            return
        self.oob_decision_function_ = judged.decision_function()
        self.oob_score_ = judged.accuracy()
        self.oob_log_loss_ = judged.log_loss()


@dataclass(eq=False, repr=False, kw_only=True)
class WaggedClassifier(_Committee):
    """Wagging: as bagging, under random weights instead of samples (Bauer and Kohavi 1999).

    Every hypothesis learns from the weights of fit times numbers drawn from the exponential
    distribution with mean 1, as Webb (2000) draws them, so that it sees all rows. All votes are
    equal. The default learner and `predict_proba` are those of `BaggedClassifier`. The parameters
    that all boosters share are described in `BoostingClassifier`; a `learning_rate` other than 1 is
    refused.

    Examples:
        >>> from weakforce import WaggedClassifier, datasets
        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> model = WaggedClassifier(n_estimators=20, random_state=0).fit(X, y)
        >>> bool(model.score(X, y) > 0.95)
        True
    """

    _kind: ClassVar[str] = "wagging"
    _n_leaves: ClassVar[int] = 64


@dataclass(eq=False, repr=False, kw_only=True)
class MultiBoostClassifier(_Committee):
    """MultiBoosting: committees of AdaBoost, each from weights drawn anew (Webb 2000).

    T votes are divided among ⌈√T⌉ committees, the i-th of which ends with vote ⌈iT/⌈√T⌉⌉. Each
    starts from the weights of fit times numbers drawn from the exponential distribution with mean 1
    (wagging). Within a committee votes have the weights of
    AdaBoost, or of SAMME for more than two classes. One without an edge ends its committee and is
    dropped, one without an error ends it and stays. All votes are added.

    Parameters:
        committee_size: the votes of each committee; None divides them as above, so that with
            `warm_start` committees depend on the number of rounds asked for.
        wag_first: whether the first committee starts from drawn weights too. False starts it from
            the weights of fit, as Webb's listing does; then a model of one committee is that of
            AdaBoost.

    The default learner is `Tree(max_leaf_nodes=12 * (K - 1))`, with K the number of classes.
    `predict_proba` is the share of votes, counted by their weights. The parameters that all
    boosters share are described in `BoostingClassifier`.

    Examples:
        >>> from weakforce import MultiBoostClassifier, datasets
        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> model = MultiBoostClassifier(n_estimators=16, random_state=0).fit(X, y)
        >>> bool(model.score(X, y) > 0.95)
        True
    """

    committee_size: int | None = None
    wag_first: bool = True

    _kind: ClassVar[str] = "multi_boost"
    _n_leaves: ClassVar[int] = 12


@dataclass(eq=False, repr=False, kw_only=True)
class ArcX4Classifier(_Committee):
    """arc-x4: equal votes, under weights that grow with mistakes (Breiman 1998).

    A row weighs 1 + m⁴ times what it weighs in fit, with m the number of votes so far that are
    wrong on it. So weights adapt as those of boosting do, but none runs away. All votes are equal
    and all are kept.

    The default learner is `Tree(max_leaf_nodes=12 * (K - 1))`, with K the number of classes.
    `predict_proba` is the share of votes. The parameters that all boosters share are described in
    `BoostingClassifier`; a `learning_rate` other than 1 is refused.

    Examples:
        >>> from weakforce import ArcX4Classifier, datasets
        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> model = ArcX4Classifier(n_estimators=20).fit(X, y)
        >>> bool(model.score(X, y) > 0.95)
        True
    """

    _kind: ClassVar[str] = "arc_x4"
    _n_leaves: ClassVar[int] = 12
