"""What papers prove of margins on training rows, in one place.

In: the weights and edges of the rounds of a fitted model. Out: upper bounds on the exponential
loss L = Σ u exp(−lead/2), which is Σ u exp(−y H) for two classes, and what follows for margins.

All the theorems are one inequality. A row with a margin of at most θ has a lead of at most l(θ), so
exp((l(θ) − lead)/2) is at least 1 for it, and with Markov the share of such rows is at most
exp(l(θ)/2) L: exp(θ Σ|α|) L for normalized margins, ((1+θ)/(1−θ)) L for logistic ones, exp(θ |V|) L
for symmetric ones. A booster whose paper bounds L provides a `MarginTheory` with `loss_bounds`.

- Discrete AdaBoost and ATA (Rätsch, Onoda and Müller 2001, theorem 3 with its proof): L ≤ Π Z with
  Z = (1−ε) exp(−α) + ε exp(α), which is 2√(ε(1−ε)) for φ = ½. It holds for all weights α by which
  rows are weighed anew, so for arc-gv and learning rates too.
- AdaBoost_R (Nock and Nielsen 2007, theorem 1): L ≤ Π √(1−μ²) ≤ exp(−½ Σ μ²). They add the error of
  the empirical Bayes rule and take max{1, (1+θ)/(1−θ)}, neither of which Markov's inequality needs:
  what is shown here is never above their bound. A learning rate η makes it
  Π (cosh c − μ sinh c) with c = η artanh μ.
- SFBoost (Nock and Lefaucheur 2002, inequality 7): L = Π Z. Their theorem 1 goes on to bound every
  Z by 2√(W⁺W⁻), which contradicts Π Z = Σ 2√(U⁺U⁻) over the buckets: with 10 % positive rows and
  tests that tell nothing the error stays 10 %, while their bound falls like 0.6^(T+1). So the bound
  here is the last one that is proved.
- AdaBoost.MH (Schapire and Singer 1999) and AdaBoost.M2 (Freund and Schapire 1997), K classes:
  L ≤ (K/2) Π Z and L ≤ (K−1) Π Z, with Z ≤ ½((1+γ) exp(−α) + (1−γ) exp(α)) for answers in [−1, 1].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from .._fitting.labels import Floats
from .theory import MarginTheory

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

#: The largest weight of an answer of size 1 before the learning rate, as the core caps it.
_WEIGHT_CAP = 18.0

#: By what share computed bounds are raised and losses may exceed them: far more than rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class VoteTheory(MarginTheory):
    """Votes ±1 for one of two classes: theorem 3 of Rätsch et al. (2001)."""

    edges_bound_margins: bool = True

    def loss_bounds(self, model: FittedModel) -> Floats | None:
        """Return Π Z; None for several classes, and for weights that a program replaced."""
        if model.n_classes > 2 or model.is_reweighted:
            return None
        errors = model.errors
        return _product(1.0 - errors, errors, model.weights)


@dataclass(frozen=True)
class LimitedVoteTheory(VoteTheory):
    """Votes whose margins reach a limit: corollary 4 of Rätsch et al. (2001)."""

    phi: float = 0.5
    learning_rate: float = 1.0

    def limit_margin(self, model: FittedModel) -> float | None:
        """Return the margin that all rows reach in the end.

        With ε the largest error of all rounds, which must go on to be below φ, that is the largest
        θ for which the bound of theorem 3 falls with every round: (ln(φ/ε) + ln((1−φ)/(1−ε))) /
        (ln(φ/ε) − ln((1−φ)/(1−ε))), between 1 − 2φ and the smallest edge 1 − 2ε.
        """
        known = model.n_classes == 2 and self.learning_rate == 1.0 and model.n_rounds > 0
        if not known or model.is_reweighted:
            return None
        worst = float(model.errors.max())
        if not 0.0 < worst < self.phi:
            return None
        gained, lost = np.log(self.phi / worst), np.log((1.0 - self.phi) / (1.0 - worst))
        return float((gained + lost) / (gained - lost))


@dataclass(frozen=True)
class ConfidenceTheory(MarginTheory):
    """AdaBoost_R for two classes: theorem 1 of Nock and Nielsen (2007)."""

    proved_kind: str = "logistic"
    learning_rate: float = 1.0

    def loss_bounds(self, model: FittedModel) -> Floats | None:
        """Return Π (cosh c − μ sinh c); None where that is not proved, as for votes."""
        if model.n_classes > 2 or model.is_reweighted:
            return None
        edges = model.edges
        with np.errstate(divide="ignore"):
            half_log_odds = np.clip(np.arctanh(edges), -_WEIGHT_CAP, _WEIGHT_CAP)
        return _product((1.0 + edges) / 2, (1.0 - edges) / 2, self.learning_rate * half_log_odds)


@dataclass(frozen=True)
class PairTheory(MarginTheory):
    """Boosters over pairs of rows and classes, whose loss is at most a factor times Π Z.

    The factor is that for each class, plus a number: K/2 for AdaBoost.MH, K − 1 for AdaBoost.M2.
    """

    per_class: float = 1.0
    plus: float = 0.0

    def loss_bounds(self, model: FittedModel) -> Floats | None:
        """Return the factor times Π Z."""
        edges = model.edges
        factor = self.per_class * model.n_classes + self.plus
        return factor * _product((1.0 + edges) / 2, (1.0 - edges) / 2, model.weights)


def _product(right: Floats, wrong: Floats, weights: Floats) -> Floats:
    """Return Π (right exp(−α) + wrong exp(α)) after 0, 1, … rounds."""
    with np.errstate(divide="ignore"):
        logs = np.logaddexp(np.log(right) - weights, np.log(wrong) + weights)
    return cast(Floats, np.exp(np.concatenate([[0.0], np.cumsum(logs)])))


def leads_at(model: FittedModel, kind: str, n_rounds: int, theta: Floats) -> Floats:
    """Return the leads of rows whose margins are θ after some rounds."""
    if kind != "logistic":
        return theta * (model.theory.spread(model, kind, n_rounds) or 1.0)
    # Margins of leads below −70 are −1 to the last digit, but not below it.
    rounded_up = np.clip(theta + np.finfo(np.float64).eps, -1.0, 1.0)
    with np.errstate(divide="ignore"):
        return cast(Floats, 4 * np.arctanh(rounded_up))


def bound_on_shares(leads: Floats, proved: float, loss: float) -> Floats | None:
    """Bound the shares of rows whose leads are at most these; None if that is not proved of them.

    `proved` bounds the loss of training rows, `loss` is that of the rows in question. Should it be
    larger, these are other rows or other weights than those of fit.
    """
    if loss > proved * (1 + _ROUNDING):
        return None
    with np.errstate(over="ignore", divide="ignore"):
        bounds = np.exp(leads / 2 + np.log(proved * (1 + _ROUNDING)))
    return cast(Floats, np.minimum(bounds, 1.0))
