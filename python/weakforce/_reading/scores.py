"""From scores to classes, probabilities and leads.

In: one score H per row (two classes; positive speaks for the second), or one score per row and
class. Out: arrays over the rows. A tie goes to the positive class of two, to the first of several.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


def single(scores: Floats) -> Floats:
    """Return the score H of the positive class against the other one of two."""
    return scores if scores.ndim == 1 else (scores[:, 1] - scores[:, 0]) / 2


def best(scores: Floats) -> Places:
    """Return the class with the largest score in each row."""
    if scores.ndim == 1:
        return (scores >= 0).astype(np.intp)
    return cast(Places, scores.argmax(axis=1))


def probabilities(scores: Floats, factor: float = 1.0) -> Floats:
    """Return the soft-max of the scores times a factor > 0; its argmax is `best`.

    For H that is 1/(1 + exp(−2H)).
    """
    if scores.ndim == 1:
        with np.errstate(over="ignore"):
            positive = 1.0 / (1.0 + np.exp(-2.0 * factor * scores))
        # Where rounding makes both classes equal, the one that predict names stays ahead.
        positive[(scores >= 0) & (positive <= 0.5)] = np.nextafter(0.5, 1.0)
        return np.column_stack([1.0 - positive, positive])
    shares: Floats = np.exp(factor * (scores - scores.max(axis=1, keepdims=True)))
    shares /= shares.sum(axis=1, keepdims=True)
    return with_winners_ahead(shares, best(scores))


def with_winners_ahead(shares: Floats, winners: Places) -> Floats:
    """Return shares whose argmax are the winners, where rounding has made others equal to them."""
    behind = np.flatnonzero(shares.argmax(axis=1) != winners)
    shares[behind, winners[behind]] = np.nextafter(shares[behind].max(axis=1), 1.0)
    return shares


def cheapest(shares: Floats, costs: Floats) -> Places:
    """Return the answer of least expected cost (true × answered) for each row of probabilities.

    A tie goes to the second class of two, to the first of several.
    """
    expected: Floats = sum(
        (shares[:, [true]] * line for true, line in enumerate(costs)), np.zeros(shares.shape)
    )
    if shares.shape[1] == 2:
        return (expected[:, 1] <= expected[:, 0]).astype(np.intp)
    return cast(Places, expected.argmin(axis=1))


def leads(scores: Floats, members: NDArray[Any]) -> Floats:
    """Return the best score of a row's own classes less that of the best other class.

    `members` holds one class code per row, or says of every row and class whether it is the row's
    own. Rows that own all classes or none have no lead: NaN.
    """
    if scores.ndim == 1:
        return 2.0 * np.where(members == 1, scores, -scores)
    if members.ndim == 1:
        own = (np.arange(len(scores)), members)
        others = scores.copy()
        others[own] = -np.inf
        return cast(Floats, scores[own] - others.max(axis=1))
    ahead = np.where(members, scores, -np.inf).max(axis=1)
    after = np.where(members, -np.inf, scores).max(axis=1)
    lead = np.full(len(scores), np.nan)
    known = np.isfinite(ahead) & np.isfinite(after)
    lead[known] = ahead[known] - after[known]
    return lead
