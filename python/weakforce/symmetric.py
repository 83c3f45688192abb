"""SFBoost: symmetric functions grown by boosting.

In: parameters. Out: an estimator; the algorithm is in the core, `src/booster/symmetric`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from ._estimator.decomposed import DecomposedClassifier
from ._fitting.codes import Code
from ._margins.symmetric import SymmetricTheory
from ._margins.theory import MarginTheory
from ._reading.fitted_model import FittedModel

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(eq=False, repr=False, kw_only=True)
class SFBoostClassifier(DecomposedClassifier):
    """SFBoost: what counts is how many tests a row passes, not which (Nock and Lefaucheur 2002).

    Hypotheses answer 0 or 1. A row sits in the bucket Σ h(x), and its score is that of its bucket:
    v = ½ ln(U⁺/U⁻), with U the weights of the classes there. Each round adds the hypothesis that
    makes the buckets purest, minimising Z = B/B′ with B = Σ 2√(U⁺ U⁻) over the buckets after the
    round and B′ before it; Z may be above 1. A partition of the rows is made only once: again, or
    the other way round, it would only shift buckets. Of hypotheses that are equally good one is
    drawn by `random_state`, and the run stops with reason "no_new_test" when no new partition is
    left. Rows keep their weights, so wrong labels never gain any.

    B falls by chance too: among many tests some make small buckets pure. By default hypotheses are
    chosen by description length instead, the nats that it takes to tell the class of every row by
    the shares of its bucket and to name the tests.

    Parameters:
        estimator: `Stump()`, `Rule()` or `Tree()`, whose `criterion` does not matter: the search
            looks at all buckets at once and scores both ways round, the rows inside moving up or
            those outside. A tree is grown on the buckets, and each leaf moves up or stays.
        max_bins: as in `BoostingClassifier`, but 32 by default: tests that differ by a few rows are
            different partitions, and of fewer bins each test says more.
        prune: whether only the best rounds are kept (SFBoost*): those up to the one with the
            smallest Π Z, or with the shortest description, or all if every bucket has rows of one
            class only. Each test is used once, so late rounds are left with tests that make buckets
            less pure. None is True.
        criterion: what hypotheses are chosen by: "z" for Z, as in the paper; "mdl" for the
            description length −Σ U ln(share), the shares being those of the buckets with a row of
            each class more, where every further literal of a rule must gain twice the nats that
            name it. "auto" is "mdl" if `prune` and `smoothing` are left as they are, and otherwise
            "z", so that `prune=True` is SFBoost* and `prune=False` SFBoost.
        multi_class: how more than two classes are learned: as in `DecomposedClassifier` ("ovr",
            "ovo", "ecoc" or a code matrix), each problem with hypotheses and a table of its own;
            or "shared": all classes have the same hypotheses and one table, whose scores are the
            logarithms of the shares of the classes in each bucket. That is smaller and less exact.
        smoothing: the share of the weight that is added to each class in each bucket before scores
            are taken; None for that of the lightest row. It fades as Π Z falls.
        learning_rate: must stay 1.

    Attributes:
        bucket_scores_: v by bucket; by bucket and class for several that share a table. A bucket
            without training rows has the score on the line between its nearest neighbours.
        bucket_counts_: the training rows by bucket and class.
        bucket_weights_: their shares of the weight.
        z_: Z before the first round and of each round. The product of the first t + 1 is the
            exponential loss Σ u exp(−y H) after t rounds.

        feature_importances_: the share of each column in the fall of the loss. What a round takes
            away goes to the columns of its hypothesis, and is shared with the rounds before it that
            took nothing away, if there are any.

    If classes are decomposed, those of buckets and Z are lists with an entry for each problem,
    whose classes are the negative and the positive side. A problem that is finished passes: its Z
    is 1. `prune` then goes by the sum of all losses.

    Margins have a third kind, "symmetric": y H / |V| with V = ½ ln(W⁺/W⁻) and W the weights of the
    classes in the whole sample, the score of a row without a single test. It says how much more the
    model knows than that; y H if the classes weigh the same.

    The `estimator_weights_` are all 1. `estimator_errors_` are what a majority on each side gets
    wrong under weights proportional to u exp(−y H), which are also the `row_weights_`. The
    parameters that all boosters share are described in `BoostingClassifier`.

    Examples:
        >>> from weakforce import SFBoostClassifier, datasets
        >>> X, y = datasets.make_long_servedio(4000, noise=0.3, seed=1)
        >>> clean_X, clean_y = datasets.make_long_servedio(10_000, seed=2)
        >>> model = SFBoostClassifier(n_estimators=21).fit(X, y)
        >>> model.score(clean_X, clean_y)
        1.0
    """

    max_bins: int = 32
    prune: bool | None = None
    smoothing: float | None = None
    criterion: str = "auto"

    _kind: ClassVar[str] = "sfboost"

    def _margin_theory(self) -> MarginTheory:
        return SymmetricTheory()

    def _code_for(self, classes: NDArray[Any], seed: int, earlier: Code | None) -> Code | None:
        if isinstance(self.multi_class, str) and self.multi_class == "shared":
            return None
        return super()._code_for(classes, seed, earlier)

    def _adopt(self, model: FittedModel) -> Self:
        super()._adopt(model)
        tables = model.tables
        if not tables:
            raise ValueError("the model has no buckets")
        one = model.code is None  # else there is a table for each problem
        self.bucket_scores_ = tables[0].scores if one else [each.scores for each in tables]
        self.bucket_counts_ = tables[0].counts if one else [each.counts for each in tables]
        self.bucket_weights_ = tables[0].weights if one else [each.weights for each in tables]
        self.z_ = tables[0].z if one else [each.z for each in tables]
        return self
