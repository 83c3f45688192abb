"""How many wrong labels are left, as the decisions so far make it look.

In: suspicions of all rows and the decisions. Out: an expected number with an interval.

The probability that a label is wrong is modelled as logit p = a + b·logit(suspicion). Before any
decision b is about 1 and the probabilities sum to about the share of labels that are contradicted
among the rows judges are surest of. The decisions then say how probable each pair (b, sum) of a
grid is; the answer is the mean over the grid. Rows count by groups of like suspicion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._wrong_labels.noise import count_wrong
from .decisions import CHANGED, KEPT
from .ranking import Ranking

Floats = NDArray[np.float64]

#: How far the sum may be from the share of contradicted labels, and b from 1 (standard deviations
#: of their logarithms); the grid reaches this many of them to either side, in so many steps.
_SUM_SPREAD, _SLOPE_SPREAD = 0.3, 0.8
_REACH, _SUMS, _SLOPES = 3.0, 41, 17
_GROUPS = 200


@dataclass(frozen=True)
class WrongLeft:
    """The estimated number of wrong labels that nobody has settled, with a 90 % interval."""

    number: float
    low: float
    high: float


class WrongLeftEstimate:
    """The estimate for a ranking."""

    def __init__(self, ranking: Ranking) -> None:
        shares = np.clip(ranking.scores, 1e-6, 1.0 - 1e-6)
        logits = np.log(shares / (1.0 - shares))
        edges = np.unique(np.quantile(logits, np.linspace(0.0, 1.0, _GROUPS + 1)[1:-1]))
        self._groups = np.searchsorted(edges, logits)
        self._sizes = np.bincount(self._groups).astype(float)
        sums = np.bincount(self._groups, weights=logits)
        middles = sums / np.maximum(self._sizes, 1.0)
        share, spread = noise_share(ranking)
        steps = np.linspace(-_REACH, _REACH, _SUMS)
        slope_steps = np.linspace(-_REACH, _REACH, _SLOPES)
        wanted = np.minimum(share * np.exp(spread * steps), 0.95)
        slopes = np.exp(_SLOPE_SPREAD * slope_steps)
        # By slope, sum, and group of rows.
        lines = slopes[:, None, None] * middles
        self._shares = _with_sums(lines, self._sizes / len(logits), wanted[:, None])
        self._log_prior = -0.5 * (slope_steps[:, None] ** 2 + steps**2)

    def after(self, states: NDArray[np.int8]) -> WrongLeft:
        """Return the estimate given the states of all rows."""
        changed, kept = self._counted(states == CHANGED), self._counted(states == KEPT)
        left = self._sizes - changed - kept
        if not left.any():
            return WrongLeft(0.0, 0.0, 0.0)
        chance = self._log_prior + np.log(self._shares) @ changed + np.log1p(-self._shares) @ kept
        chance = np.exp(chance - chance.max()).ravel()
        chance /= chance.sum()
        numbers = (self._shares @ left).ravel()
        number = float(chance @ numbers)
        low, high = _interval(numbers, chance)
        # That a label is wrong is a matter of chance even if its probability is known.
        chances = self._shares * (1.0 - self._shares)
        noise = 1.645 * np.sqrt(float(chance @ (chances @ left).ravel()))
        below, above = np.hypot(number - low, noise), np.hypot(high - number, noise)
        return WrongLeft(number, max(0.0, number - below), min(number + above, float(left.sum())))

    def _counted(self, rows: NDArray[np.bool_]) -> Floats:
        return np.bincount(self._groups[rows], minlength=len(self._sizes)).astype(float)


def noise_share(ranking: Ranking) -> tuple[float, float]:
    """Return the share of wrong labels by the rows that judges are surest of, as `label_noise`.

    Also how far its logarithm may be off. A ranking holds margins, so judges are as sure as the
    most likely class is ahead of the given one, or the given one of the next.
    """
    lead = 4.0 * np.arctanh(np.minimum(np.abs(ranking.margins), 1.0 - 1e-12))
    sure = _logistic(lead)
    is_best = (~ranking.disagrees).astype(np.uint32)
    everywhere = np.ones(len(sure))
    share, count = count_wrong(np.column_stack([1.0 - sure, sure]), is_best, everywhere)
    wrong = share * count + 0.5
    return wrong / (count + 1.0), float(np.hypot(_SUM_SPREAD, 1.0 / np.sqrt(wrong)))


def _with_sums(lines: Floats, weights: Floats, wanted: Floats) -> Floats:
    """Return probabilities whose logits are moved so that their weighted sums are as wanted."""
    shape = np.broadcast_shapes(lines.shape, wanted.shape)[:-1]
    low, high = np.full(shape, -60.0), np.full(shape, 60.0)
    for _ in range(50):
        middle = (low + high) / 2
        is_low = _logistic(lines + middle[..., None]) @ weights < wanted[..., 0]
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return np.clip(_logistic(lines + ((low + high) / 2)[..., None]), 1e-12, 1.0 - 1e-12)


def _interval(numbers: Floats, chance: Floats) -> tuple[float, float]:
    """Return the numbers that are undercut and exceeded with a probability of 5 %."""
    order = np.argsort(numbers)
    reached = np.cumsum(chance[order])
    at = np.searchsorted(reached, [0.05, 0.95]).clip(0, len(order) - 1)
    return float(numbers[order[at[0]]]), float(numbers[order[at[1]]])


def _logistic(values: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-values)))
