"""The margins of symmetric functions, whose scores are those of buckets.

In: a fitted model with buckets. Out: the largest lead of a bucket, and the loss, which is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._fitting.labels import Floats
from .theory import MarginTheory

if TYPE_CHECKING:
    from .._reading.buckets import Buckets
    from .._reading.fitted_model import FittedModel

#: A difference between the logarithms of two shares below which the shares are equal.
_EVEN = 1e-12


@dataclass(frozen=True)
class SymmetricTheory(MarginTheory):
    """SFBoost: Nock and Lefaucheur (2002)."""

    kinds: tuple[str, ...] = ("normalized", "logistic", "symmetric")
    proved_kind: str = "symmetric"

    def spread(self, model: FittedModel, kind: str, n_rounds: int) -> float:
        """Return the largest lead that a bucket has, or twice |V| for symmetric margins."""
        if kind == "symmetric":
            spread = _lead_without_tests(model)
            return spread if spread > _EVEN else 2.0
        if model.decode in ("hamming", "vote"):
            return super().spread(model, kind, n_rounds)
        tables = model.bucket_scores(n_rounds)
        if model.code is not None:
            return model.code.spread(np.array([[np.abs(scores).max() for scores in tables]]))
        (scores,) = tables
        if scores.ndim == 1:
            return 2 * float(np.abs(scores).max())
        return float(np.ptp(scores, axis=1).max())

    def loss_bounds(self, model: FittedModel) -> Floats | None:
        """Return Π Z, which is the loss itself (inequality 7); None for several classes."""
        if model.n_classes > 2:
            return None
        return np.asarray(np.cumprod(_buckets(model).z), np.float64)


def _lead_without_tests(model: FittedModel) -> float:
    """Return how far the best class is ahead of the next one where no test is made."""
    if model.code is None:
        second, first = np.sort(_buckets(model).weights.sum(axis=0))[-2:]
        return float(np.log(first / second)) if second > 0 else 0.0
    starts = np.array([scores[0] for scores in model.bucket_scores(0)])
    second, first = np.sort(starts if model.code.one_vs_rest else model.code.matrix @ starts)[-2:]
    return float(first - second)


def _buckets(model: FittedModel) -> Buckets:
    if model.buckets is None:
        raise ValueError("the model has no buckets")
    return model.buckets
