"""How calibrations are learned.

In: scores of rows, their classes by code, and weights. Out: calibrations. Sigmoid and isotonic ones
need scores that the model has not been fitted to; a temperature is learned from the training rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize
from sklearn.isotonic import IsotonicRegression

from .._reading.calibrations import Calibration, Isotonic, Sigmoid, Temperature, leads_of_all
from .labels import Codes, Floats

#: What is added to the loss of K > 2 intercepts: half of this times the sum of their squares.
_RIDGE = 1.0

#: A temperature is fitted as if so many rows of each class had a wrong label, at most this share of
#: all rows. On training rows that a model knows by heart, the best factor would be infinite
#: otherwise. Chosen by the log loss on test rows of eight data sets.
_WRONG_PER_CLASS = 6.0
_MOST_WRONG = 0.25


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows of weight > 0 with their scores; weights have mean 1.

    Attributes:
        scores: one for each row, or one for each row and class.
        codes: the class of each row.
        weights: the weight of each row.
        n_classes: the number of classes.
    """

    scores: Floats
    codes: Codes
    weights: Floats
    n_classes: int

    @classmethod
    def of(cls, scores: Floats, codes: Codes, weights: Floats | None, n_classes: int) -> ScoredRows:
        """Return the rows that have a weight and a score, NaN being none."""
        given = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
        known = np.isfinite(scores.reshape(len(codes), -1)).all(axis=1)
        used = np.flatnonzero((given > 0) & known)
        kept = given[used] / given[used].max(initial=0.0) if len(used) else given[used]
        return cls(scores[used], codes[used], kept / kept.mean() if len(used) else kept, n_classes)

    def by_class(self) -> Floats:
        """Return scores whose soft-max has a column for each class."""
        if self.scores.ndim == 2:
            return self.scores
        return np.column_stack([-self.scores, self.scores])

    def is_of(self, code: int) -> Floats:
        """Return 1 for the rows of a class, 0 for all others."""
        return np.asarray(self.codes == code, dtype=np.float64)


def fit_sigmoid(rows: ScoredRows) -> Sigmoid:
    """Return the sigmoid with the least log loss under Platt's targets.

    The target of a row of class y is (N_y + 1)/(N_y + 2) for its own class, with N_y the number of
    rows of that class; the K − 1 others share the rest. For two classes that is Platt (2000).
    """
    # Of two classes the first has the score 0 and no intercept.
    first = 1 if rows.scores.ndim == 1 else 0
    scores = np.column_stack([np.zeros(len(rows.codes)), rows.scores]) if first else rows.scores
    scale = float(np.abs(scores).max(initial=0.0)) or 1.0
    scores = scores / scale
    targets = _platt_targets(rows)
    ridge = 0.0 if first else _RIDGE

    def loss(parameters: Floats) -> tuple[float, Floats]:
        slope, intercepts = parameters[0], parameters[1:]
        logits = slope * scores
        logits[:, first:] += intercepts
        top = logits.max(axis=1, keepdims=True)
        terms = np.exp(logits - top)
        sums = terms.sum(axis=1, keepdims=True)
        losses = (top + np.log(sums))[:, 0] - (targets * logits).sum(axis=1)
        excess = rows.weights[:, None] * (terms / sums - targets)
        gradient = np.concatenate(
            [[(excess * scores).sum()], excess.sum(axis=0)[first:] + ridge * intercepts]
        )
        total = (rows.weights * losses).sum() + ridge / 2.0 * (intercepts**2).sum()
        return float(total) / len(scores), gradient / len(scores)

    count = scores.shape[1] - first
    found = minimize(
        loss,
        np.concatenate([[1.0], np.zeros(count)]),
        method="L-BFGS-B",
        jac=True,
        bounds=[(0.0, None), *[(None, None)] * count],
        options={"maxiter": 2000, "maxfun": 5000, "ftol": 1e-15, "gtol": 1e-9},
    )
    slope, *intercepts = found.x.tolist()
    return Sigmoid(slope / scale, tuple(intercepts))


def _platt_targets(rows: ScoredRows) -> Floats:
    n_classes = rows.n_classes
    counts = np.bincount(rows.codes, weights=rows.weights, minlength=n_classes)[rows.codes]
    others = 1.0 / (counts + 2.0) / (n_classes - 1)
    targets = np.repeat(others[:, None], n_classes, axis=1)
    targets[np.arange(len(targets)), rows.codes] = (counts + 1.0) / (counts + 2.0)
    return targets


def fit_isotonic(rows: ScoredRows) -> Isotonic:
    """Return scikit-learn's isotonic regressions, of each class against the rest."""
    if rows.scores.ndim == 1:
        knots = [_isotonic_knots(rows.scores, rows.is_of(1), rows.weights)]
    else:
        leads = leads_of_all(rows.scores)
        knots = [
            _isotonic_knots(leads[:, code], rows.is_of(code), rows.weights)
            for code in range(rows.n_classes)
        ]
    scores, shares = zip(*knots, strict=True)
    return Isotonic(scores, shares)


def _isotonic_knots(
    scores: Floats, members: Floats, weights: Floats
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    fitted.fit(scores, members, sample_weight=weights)
    return tuple(fitted.X_thresholds_.tolist()), tuple(fitted.y_thresholds_.tolist())


#: What `calibrate` can say, and what learns it.
CALIBRATORS: dict[str, Callable[[ScoredRows], Calibration]] = {
    "sigmoid": fit_sigmoid,
    "isotonic": fit_isotonic,
}


def check_name(calibrate: Any) -> None:
    """Refuse what is no way of calibrating."""
    if calibrate is not None and not (isinstance(calibrate, str) and calibrate in CALIBRATORS):
        raise ValueError(
            f"parameter 'calibrate': got {calibrate!r}, expected None, 'sigmoid' or 'isotonic'"
        )


def fit_temperature(rows: ScoredRows, n_rows: float) -> Temperature | None:
    """Return the factor under the soft-max that has the least log loss on training rows.

    Targets are smoothed, the less the more training rows there are: `n_rows`, of which these may be
    some. None if all scores are equal. Sums do not depend on the order of the rows.
    """
    scores = rows.by_class()
    scores = scores - scores.mean(axis=1, keepdims=True)
    scale = float(np.abs(scores).max(initial=0.0))
    if scale == 0.0:
        return None
    scores = scores / scale
    n_classes = rows.n_classes
    wrong = min(_WRONG_PER_CLASS * n_classes / n_rows, _MOST_WRONG)
    # Scores have mean zero, so the sum of those of the other classes is minus that of the own one.
    own = scores[np.arange(len(scores)), rows.codes]
    wanted = (1.0 - wrong) * own - wrong / (n_classes - 1) * own

    def slope(log_factor: float) -> float:
        terms = np.exp(log_factor) * scores
        terms -= terms.max(axis=1, keepdims=True)
        np.exp(terms, out=terms)
        sums = terms.sum(axis=1)
        terms *= scores
        means = terms.sum(axis=1) / sums
        return fsum((rows.weights * (means - wanted)).tolist())

    low, high = np.log(1e-6), np.log(1e6)
    if slope(low) >= 0.0:  # the scores say less than nothing
        found = low
    elif slope(high) <= 0.0:
        found = high
    else:
        found = brentq(slope, low, high, xtol=1e-9, rtol=1e-9)
    return Temperature(float(np.exp(found)) / scale)
