"""What margins on training rows prove of the error on rows to come.

In: a fitted model of votes for two classes, its training rows and the size of the class of
hypotheses. Out: a frame with the value of each bound. `theorems` holds the formulas.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .._estimator.checks import checked_booster
from .._fitting.rows import Rows
from .._reading.wording import shown_value
from .hypothesis_class import log_stumps
from .rows import MarginRows
from .theorems import (
    Sample,
    equilibrium_margin_bound,
    margin_distribution_bound,
    smallest_margin_bound,
)
from .votes import refuse_all_but_votes

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

_SCHEMA = {
    "bound": pl.String,
    "value": pl.Float64,
    "theta": pl.Float64,
    "margin_error": pl.Float64,
    "applies": pl.Boolean,
    "vacuous": pl.Boolean,
    "log_hypotheses": pl.Float64,
    "reference": pl.String,
}

_THEOREMS = {
    "margin_distribution": (
        margin_distribution_bound,
        "Schapire, Freund, Bartlett and Lee 1998, proof of theorem 1",
    ),
    "smallest_margin": (smallest_margin_bound, "Breiman 1999, as in Wang et al. 2011"),
    "equilibrium_margin": (
        equilibrium_margin_bound,
        "Wang, Sugiyama, Jing, Yang, Zhou and Feng 2011",
    ),
}


def margin_bounds(
    model: Any, X: Any, y: Any, *, delta: float = 0.05, log_hypotheses: float | None = None
) -> pl.DataFrame:
    """Return upper bounds on the error for new rows, and the equilibrium margin.

    The bounds hold for all votes f = Σ c h with c ≥ 0, Σ c = 1 of hypotheses h out of a finite
    class H at once, with probability 1 − δ over n training rows that are drawn independently. With
    P_S a share of the training rows and y f the normalized margin of a row, the error P(y f ≤ 0) of
    new rows is at most

    - margin_distribution (Schapire et al. 1998; their theorem 1 states its order of magnitude, this
      is the last line of its proof, with the N they choose): for every θ > 0,
      P_S(y f ≤ θ) + 2 exp(−N θ²/8) + √(ln(N (N+1)² |H|^N / δ) / 2n), N = ⌈(4/θ²) ln(n / ln|H|)⌉.
    - smallest_margin (Breiman 1999): R (ln(2n) + ln(1/R) + 1) + ln(|H|/δ)/n with
      R = 32 ln(2|H|)/(n θ²), if the smallest margin θ is above 4 √(2/|H|) and R is at most 2n.
    - equilibrium_margin (Wang et al. 2008 and 2011), for |H| > 8: ln|H|/n + KL⁻¹(q; u(θ)) with
      u(θ) = ((8 ln|H|/θ²) ln(2n²/ln|H|) + ln|H| + ln(n/δ))/n, for every q = P_S(y f ≤ θ) < 1 with
      θ in (√(8/|H|), 1]. KL⁻¹(q; u) is the smallest w ≥ q whose KL(q‖w) = q ln(q/w) +
      (1−q) ln((1−q)/(1−w)) is at least u. The θ with the smallest bound is the equilibrium margin
      and its q the equilibrium margin error.

    The share of margins up to θ stays the same until θ reaches the next margin of a row, while the
    other terms fall. So bounds are compared in the limit at the margin of each row, and
    `margin_error` is the share of rows below θ, as in the definition of the equilibrium margin.

    All of them are loose: expect thousands of rows before one of them is below 1. They are for
    comparing margins of models whose hypotheses are of the same kind: according to the bounds a
    larger equilibrium margin with a smaller error at it is better, whatever the smallest margin is.

    Parameters:
        model: a fitted booster of votes for two classes, whatever its weights: discrete AdaBoost,
            ATA, arc-gv, AdaBoost_Reg, LPBoost, and others with `answer="vote"`.
        X: the rows of fit.
        y: their labels, or the name of the column of X that holds them.
        delta: δ, the probability with which a bound may fail, between 0 and 1.
        log_hypotheses: ln|H|, above 0. None counts the stumps that the columns of the model allow:
            the thresholds between bins with missing values on either side, all subsets of
            categories, the answers the other way round, and two constants. That takes the
            thresholds as given, although they come from the rows. Needed for other learners.

    Returns:
        A frame with a row for each bound and the columns bound, value, theta, margin_error,
        applies (whether the conditions of the theorem hold; otherwise value is null), vacuous
        (whether it says nothing: not below 1, or not applicable), log_hypotheses and reference.

    Examples:
        >>> from weakforce import DiscreteAdaBoostClassifier, datasets, margin_bounds
        >>> X, y = datasets.make_xd6(50_000, noise=0.0, seed=1)
        >>> model = DiscreteAdaBoostClassifier(n_estimators=100).fit(X, y)
        >>> bounds = margin_bounds(model, X, y)
        >>> bounds["bound"].to_list()
        ['margin_distribution', 'smallest_margin', 'equilibrium_margin']
        >>> bounds["vacuous"].to_list()
        [False, True, False]
        >>> _, value, theta, margin_error, *_ = bounds.row(2)
        >>> print(f"{margin_error:.2f} of the rows are below the equilibrium margin {theta:.2f}")
        0.73 of the rows are below the equilibrium margin 0.43
    """
    booster = checked_booster(model)
    fitted = booster.fitted_model_
    refuse_all_but_votes(fitted, booster.capabilities().needs)
    _check_delta(delta)
    size = _log_size(fitted, log_hypotheses)
    rows = MarginRows.read(fitted, Rows(X, y), booster.n_jobs)
    ((_, leads),) = rows.leads_after(fitted, [fitted.n_rounds])
    margins = np.clip(fitted.margins(leads, "normalized"), -1.0, 1.0)
    sample = Sample(np.sort(margins), size, float(delta))
    return pl.DataFrame([_line(name, sample) for name in _THEOREMS], schema=_SCHEMA, orient="row")


def _line(name: str, sample: Sample) -> dict[str, Any]:
    theorem, reference = _THEOREMS[name]
    found = theorem(sample)
    return {
        "bound": name,
        "value": found.value,
        "theta": found.theta,
        "margin_error": found.margin_error,
        "applies": found.value is not None,
        "vacuous": found.value is None or found.value >= 1.0,
        "log_hypotheses": sample.log_hypotheses,
        "reference": reference,
    }


def _check_delta(delta: Any) -> None:
    if isinstance(delta, bool) or not isinstance(delta, (int, float, np.number)):
        raise TypeError(f"parameter 'delta': got {delta!r}, expected a number between 0 and 1")
    if not 0.0 < delta < 1.0:
        raise ValueError(f"parameter 'delta': got {delta!r}, expected a number between 0 and 1")


def _log_size(model: FittedModel, given: Any) -> float:
    """Return ln|H|, as the user gives it, or by the columns of the model."""
    if given is None:
        return log_stumps(model)
    expected = "the logarithm of the number of hypotheses, above 0, or None"
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)):
        raise TypeError(
            f"parameter 'log_hypotheses': got {shown_value(given)}, expected {expected}"
        )
    if not (math.isfinite(given) and given > 0.0):
        raise ValueError(f"parameter 'log_hypotheses': got {given!r}, expected {expected}")
    return float(given)
