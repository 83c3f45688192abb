"""What is known of the margins of a booster's models.

In: a fitted model. Out: the kinds of margin it has, the largest lead, by which margins are
normalized, and what is proved of them. A booster provides one of these; those whose papers prove
more extend it, see `bounds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._fitting.labels import Floats

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel


@dataclass(frozen=True)
class MarginTheory:
    """The margins of models whose scores are sums of weighted answers; nothing is proved.

    Attributes:
        kinds: the kinds of margin.
        kinds_of_fit: further kinds, which the estimator knows of the rows of fit after the last
            round, and nobody knows of other rows.
        proved_kind: the kind for which the booster's paper proves something.
        edges_bound_margins: whether a weighted mean of edges is one of normalized margins, as it
            is for votes.
        largest_lead: the largest difference that a vote of weight 1 makes between two of several
            classes.
    """

    kinds: tuple[str, ...] = ("normalized", "logistic")
    kinds_of_fit: tuple[str, ...] = ()
    proved_kind: str = "normalized"
    edges_bound_margins: bool = False
    largest_lead: float = 2.0

    def margins(self, model: FittedModel, leads: Floats, kind: str, n_rounds: int) -> Floats:
        """Return the margins that belong to leads after some rounds."""
        if kind == "logistic":
            return np.tanh(leads / 4)
        return self.normalized(model, leads, kind, n_rounds)

    def normalized(self, model: FittedModel, leads: Floats, kind: str, n_rounds: int) -> Floats:
        """Return leads as shares of the largest one.

        Where scores are logarithms or losses, by their parameter `decode`, there is none: with
        scores ln p these are (p − q)/(p + q), p of the own class and q of the best other one.
        """
        if model.decode in ("loss", "coupling"):
            return np.tanh(leads / 2)
        return leads / (self.spread(model, kind, n_rounds) or 1.0)

    def spread(self, model: FittedModel, kind: str, n_rounds: int) -> float:  # noqa: ARG002
        """Return the largest lead that the votes of the first rounds could make."""
        weights = model.weights[:n_rounds]
        if model.code is not None:
            counts = model.decode in ("hamming", "vote")
            return model.code.largest_distance() if counts else model.code.spread(weights)
        largest = self.largest_lead if model.n_classes > 2 else 2.0
        return largest * float(np.abs(weights).sum())

    def loss_bounds(self, model: FittedModel) -> Floats | None:  # noqa: ARG002
        """Return what the exponential loss is proved to be at most after 0, 1, … rounds.

        The loss of training rows with start weights u is Σ u exp(−lead/2), Σ u exp(−y H) for two
        classes. None where nothing is proved. `bounds` says what follows.
        """
        return None

    def limit_margin(self, model: FittedModel) -> float | None:  # noqa: ARG002
        """Return what the smallest margin is proved to reach in the end; None without a proof."""
        return None
