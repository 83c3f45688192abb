"""How many wrong labels are left, as the decisions so far make it look.

In: suspicions of all rows and the decisions. Out: an expected number with an interval.

The probability that a label is wrong is modelled as logit p = a + b·logit(suspicion). Before any
decision b is 1, and a makes the probabilities sum to the share of disagreement among the surest
fifth of the rows, where classes hardly overlap. Decisions then move both: the most probable (a, b)
under independent normal priors is found by Newton steps, and its curvature gives the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .decisions import CHANGED, KEPT
from .ranking import Ranking

#: How far a and b may be from what is assumed before any decision (standard deviations).
_SPREAD = np.array([1.5, 0.5])
_SURE_SHARE = 0.2
_STEPS = 30


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
        self._logits = np.log(shares / (1.0 - shares))
        self._prior = np.array([_offset(self._logits, noise_share(ranking)), 1.0])

    def after(self, states: NDArray[np.int8]) -> WrongLeft:
        """Return the estimate given the states of all rows."""
        is_settled = (states == KEPT) | (states == CHANGED)
        settled = np.flatnonzero(is_settled)
        line, covariance = self._fit(self._logits[settled], states[settled] == CHANGED)
        left = self._logits[~is_settled]
        if len(left) == 0:
            return WrongLeft(0.0, 0.0, 0.0)
        shares = _logistic(line[0] + line[1] * left)
        slopes = shares * (1.0 - shares)
        gradient = np.array([slopes.sum(), (slopes * left).sum()])
        number = float(shares.sum())
        spread = 1.645 * float(np.sqrt(gradient @ covariance @ gradient + slopes.sum()))
        # The number is positive and its error grows with it, so the interval is one of ratios.
        ratio = np.exp(min(spread / max(number, 1e-9), 3.0))
        return WrongLeft(number, number / ratio, min(number * ratio, float(len(left))))

    def _fit(
        self, logits: NDArray[np.float64], wrong: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the most probable (a, b) and their covariance."""
        line, precision = self._prior.copy(), np.diag(1.0 / _SPREAD**2)
        design = np.column_stack([np.ones(len(logits)), logits])
        for _ in range(_STEPS):
            shares = _logistic(design @ line)
            gradient = design.T @ (wrong - shares) - precision @ (line - self._prior)
            curvature = (design.T * (shares * (1.0 - shares))) @ design + precision
            step = np.linalg.solve(curvature, gradient)
            line = line + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
            if np.abs(step).max() < 1e-8:
                break
        return line, np.asarray(np.linalg.inv(curvature), dtype=float)


def noise_share(ranking: Ranking) -> float:
    """Return the share of rows whose label is not the most likely, among the surest fifth."""
    count = max(1, round(_SURE_SHARE * len(ranking.order)))
    surest = np.argsort(-np.abs(ranking.margins), kind="stable")[:count]
    return float((ranking.disagrees[surest].sum() + 0.5) / (count + 1.0))


def _offset(logits: NDArray[np.float64], share: float) -> float:
    """Return by how much logits have to be moved for their probabilities to have this mean."""
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        if _logistic(logits + middle).mean() < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -700, 700))))
