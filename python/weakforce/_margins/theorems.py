"""Bounds on the error for new rows in terms of the margins of training rows, as papers prove them.

In: sorted margins, the logarithm of the number of hypotheses, and δ. Out: the smallest value of
each bound, and the margin θ at which it has it; `margin_bounds` states the formulas.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import entr, rel_entr

from .._fitting.labels import Floats

#: The most steps of Newton's method; about ten are taken.
_MOST_STEPS = 100


class Sample(NamedTuple):
    """Margins of rows in ascending order, ln|H| and δ."""

    margins: Floats
    log_hypotheses: float
    delta: float

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.margins)

    def candidates(self, above: float) -> tuple[Floats, Floats]:
        """Return the places θ ≤ 1 above a limit at which a bound can be smallest, and their shares.

        These are the margins of rows, and 1. A share is that of the rows below θ: what is proved of
        the rows up to any smaller θ holds in the limit.
        """
        theta = np.union1d(self.margins, [1.0])
        theta = theta[theta > above]
        return theta, np.searchsorted(self.margins, theta, side="left") / self.n_rows


class Bound(NamedTuple):
    """The value of a bound, and where it has it; no value if the theorem does not apply."""

    value: float | None
    theta: float | None = None
    margin_error: float | None = None


def margin_distribution_bound(sample: Sample) -> Bound:
    """Schapire et al. (1998): the smallest value over all θ."""
    n, log_h = sample.n_rows, sample.log_hypotheses
    theta, shares = sample.candidates(above=0.0)
    drawn = np.maximum(np.ceil(4.0 / theta**2 * max(math.log(n / log_h), 0.0)), 1.0)
    log_events = np.log(drawn) + 2.0 * np.log1p(drawn) + drawn * log_h - math.log(sample.delta)
    values = shares + 2.0 * np.exp(-drawn * theta**2 / 8.0) + np.sqrt(log_events / (2.0 * n))
    best = int(values.argmin())
    return Bound(float(values[best]), float(theta[best]), float(shares[best]))


def smallest_margin_bound(sample: Sample) -> Bound:
    """Breiman (1999): none if the smallest margin is too small."""
    n, log_h = sample.n_rows, sample.log_hypotheses
    theta = float(sample.margins[0])
    # 4 √(2/|H|), which is not computed from |H| because that may be too large for a number.
    if theta <= 4.0 * math.sqrt(2.0) * math.exp(-log_h / 2.0):
        return Bound(None, theta, 0.0)
    ratio = 32.0 * (math.log(2.0) + log_h) / (n * theta**2)
    if ratio > 2.0 * n:
        return Bound(None, theta, 0.0)
    value = ratio * (math.log(2.0 * n / ratio) + 1.0) + (log_h - math.log(sample.delta)) / n
    return Bound(value, theta, 0.0)


def equilibrium_margin_bound(sample: Sample) -> Bound:
    """Wang et al. (2011): none if no margin is in the range, or if rows are too few for H."""
    n, log_h = sample.n_rows, sample.log_hypotheses
    theta, shares = sample.candidates(above=math.sqrt(8.0) * math.exp(-log_h / 2.0))
    theta, shares = theta[shares < 1.0], shares[shares < 1.0]
    logarithm = math.log(2.0 * n**2 / log_h)
    if not len(theta) or n < 2 or logarithm <= 0.0:
        return Bound(None)
    u = (8.0 * log_h / theta**2 * logarithm + log_h + math.log(n / sample.delta)) / n
    # Not their values are compared but −ln(1 − value), because many values may round to 1.
    exponents = inverse_kl_exponents(shares, u)
    best = int(exponents.argmin())
    value = log_h / n - math.expm1(-exponents[best])
    return Bound(value, float(theta[best]), float(shares[best]))


def inverse_kl_exponents(q: Floats, u: Floats) -> Floats:
    """Return t = −ln(1 − w) of the smallest w ≥ q with KL(q‖w) ≥ u, for q < 1 and u > 0.

    With w = 1 − exp(−t), KL(q‖w) = q ln(q/w) + (1−q)(ln(1−q) + t) is convex and ascending in t, so
    Newton's method descends from any t where it is at least u and never passes the solution. Since
    w ≤ 1, (u + entropy of q)/(1−q) is such a t.
    """
    right = 1.0 - q
    t: Floats = (u + entr(q) + entr(right)) / right
    for _ in range(_MOST_STEPS):
        w = -np.expm1(-t)
        excess = rel_entr(q, w) + right * (np.log1p(-q) + t) - u
        step = np.maximum(excess, 0.0) / np.maximum((w - q) / w, np.finfo(np.float64).tiny)
        t = t - step
        if np.all(step <= 1e-14 * t):
            break
    return t
