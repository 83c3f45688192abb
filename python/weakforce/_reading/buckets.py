"""The bucket table of a symmetric function: what it scores, and what it was learned from.

In: the core's table. Out: scores, counts and weights by bucket.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._fitting.labels import Floats


@dataclass(frozen=True, eq=False)
class Buckets:
    """The buckets of a model, in the order of the number of tests that a row passes.

    Attributes:
        scores: the score of each bucket; by bucket and class for more than two classes.
        counts: the training rows by bucket and class.
        weights: their shares of the weight.
        losses: the exponential loss after 0, 1, … rounds.
    """

    scores: Floats
    counts: NDArray[np.int64]
    weights: Floats
    losses: Floats

    @classmethod
    def from_core(cls, table: Mapping[str, Floats]) -> Buckets:
        """Read the core's table."""
        counts = table["counts"].astype(np.int64)
        return cls(table["scores"], counts, table["weights"], table["losses"])

    @property
    def z(self) -> Floats:
        """By which factor the loss changes: before the first round, and in each round."""
        factors: Floats = np.diff(np.log(self.losses), prepend=0.0)
        np.exp(factors, out=factors)
        return factors
