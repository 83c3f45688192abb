"""SFBoost: symmetric functions grown by boosting.

In: parameters. Out: an estimator; the algorithm is in the core, `src/booster/symmetric`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from . import _core
from ._estimator.base import BoostingClassifier
from ._estimator.predictions import Floats
from ._fitting.labels import label_list
from ._fitting.targets import Target
from ._reading.rules import aligned
from ._reading.wording import label_text

#: A difference between the logarithms of two shares below which the shares are equal.
_EVEN = 1e-12


@dataclass(eq=False, repr=False, kw_only=True)
class SFBoostClassifier(BoostingClassifier):
    """SFBoost: what counts is how many tests a row passes, not which (Nock and Lefaucheur 2002).

    Hypotheses answer 0 or 1. A row sits in the bucket Σ h(x), and its score is that of its bucket:
    v = ½ ln(U⁺/U⁻), with U the weights of the classes there, or the logarithm of each class's share
    for more than two classes. Each round adds the hypothesis that makes the buckets purest,
    minimising Z = B/B′ with B = Σ 2√(U⁺ U⁻) over the buckets after the round and B′ before it; Z
    may be above 1. Rows keep their weights for ever, so wrong labels never gain any: symmetric
    functions shrug off noise that ruins a weighted vote.

    Parameters:
        estimator: `Stump()`, `Rule()` or `Tree()`, whose `criterion` does not matter: the search
            looks at all buckets at once and scores both ways round, the rows inside moving up or
            those outside. A tree is grown on the buckets, and each leaf moves up or stays.
        prune: whether only the rounds up to the one with the smallest Π Z are kept (SFBoost*).
        smoothing: the share of the weight that is added to each class in each bucket before scores
            are taken; None for that of the lightest row. It fades as Π Z falls.
        learning_rate: must stay 1.

    Attributes:
        bucket_scores_: v by bucket; by bucket and class for more than two classes. A bucket without
            training rows has the score on the line between its nearest neighbours.
        bucket_counts_: the training rows by bucket and class.
        bucket_weights_: their shares of the weight.
        z_: Z before the first round and of each round. The product of the first t + 1 is the
            exponential loss Σ u exp(−y H) after t rounds.

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

    prune: bool = False
    smoothing: float | None = None

    _kind: ClassVar[str] = "sfboost"
    _margin_kinds: ClassVar[tuple[str, ...]] = ("normalized", "logistic", "symmetric")
    _proved_kind: ClassVar[str] = "symmetric"

    def _adopt(self, model: _core.Model, target: Target) -> None:
        super()._adopt(model, target)
        table = model.buckets
        if table is None:
            raise ValueError("the model has no buckets")
        losses = table["losses"]
        self.bucket_scores_: Floats = table["scores"]
        self.bucket_counts_ = table["counts"].astype(np.int64)
        self.bucket_weights_: Floats = table["weights"]
        self.z_: Floats = np.diff(np.log(losses), prepend=0.0)
        np.exp(self.z_, out=self.z_)

    def _spread(self, kind: str, n_rounds: int) -> float:
        """Return the largest lead that a bucket has, or twice |V| for symmetric margins."""
        if kind == "symmetric":
            second, first = np.sort(self.bucket_weights_.sum(axis=0))[-2:]
            spread = float(np.log(first / second)) if second > 0 else 0.0
            return spread if spread > _EVEN else 2.0
        scores = cast(Floats, self._fitted().bucket_scores(n_rounds))
        if scores.ndim == 1:
            return 2 * float(np.abs(scores).max())
        return float(np.ptp(scores, axis=1).max())

    def _loss_bounds(self) -> Floats | None:
        """Return Π Z, which is the loss itself (Nock and Lefaucheur 2002, inequality 7)."""
        return None if len(self.classes_) > 2 else np.asarray(np.cumprod(self.z_), np.float64)

    def _rules_note(self) -> str | None:
        """Return what the answers of a rule mean, which are no parts of a score."""
        return (
            'A rule moves rows up by one bucket: those on which it fires if "inside" is +1, all '
            'others if "outside" is.'
        )

    def _summary_tail(self) -> list[str]:
        """Return the table of buckets, which is the rest of the model."""
        labels = [label_text(label) for label in label_list(self.classes_)]
        scores = self.bucket_scores_.reshape(len(self.bucket_counts_), -1)
        named = ["score"] if scores.shape[1] == 1 else [f"score of {label}" for label in labels]
        cells: list[tuple[Any, ...]] = [("bucket", *(f"rows of {x}" for x in labels), *named)]
        for bucket, (counts, told) in enumerate(zip(self.bucket_counts_, scores, strict=True)):
            cells.append((str(bucket), *map(str, counts), *(f"{score:+.4f}" for score in told)))
        return [
            "",
            "The score of a row is that of its bucket.",
            "",
            *aligned(cells),
        ]
