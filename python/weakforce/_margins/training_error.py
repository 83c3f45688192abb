"""After how many rounds AdaBoost makes no error on its training rows.

In: an edge that every round has, and the rows or the weight of the lightest one. Out: a number of
rounds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def rounds_to_zero_error(
    edge: float, n_rows: int | None = None, *, smallest_weight: float | None = None
) -> int:
    """Return the number of rounds after which AdaBoost classifies all training rows right.

    With an edge of at least γ' = 1 − 2ε in each of T rounds, which is 2γ in papers that write
    γ = ½ − ε, the share of the start weight that discrete AdaBoost gets wrong is at most
    Π 2√(ε(1−ε)) ≤ exp(−2 γ² T) (Freund and Schapire 1997). Once that is below the share u of the
    lightest row, no row is wrong: after T > ln(1/u)/(2γ²) = 2 ln(1/u)/γ'² rounds, with u = 1/m
    for m rows of equal weight.

    Parameters:
        edge: the smallest edge of all rounds, above 0 and at most 1, as `edges_` has them. The
            result is proved if the rounds to come have it too, and for φ = ½ and a learning rate of
            1.
        n_rows: the number of training rows, if they start with equal weights.
        smallest_weight: the smallest start weight above 0 as a share of all of it, otherwise.

    Returns:
        The smallest whole T above that.

    Examples:
        >>> from weakforce import DiscreteAdaBoostClassifier, Tree, datasets, rounds_to_zero_error
        >>> rounds_to_zero_error(0.2, 1000)
        346
        >>> X, y = datasets.make_xd6(200, noise=0.0, seed=1)
        >>> model = DiscreteAdaBoostClassifier(Tree(max_leaf_nodes=6), n_estimators=100).fit(X, y)
        >>> enough = rounds_to_zero_error(model.edges_.min(), 200)
        >>> bool((model.train_score_[enough:] == 1.0).all())
        True
    """
    lowest = _checked_edge(edge)
    if (n_rows is None) == (smallest_weight is None):
        given = "neither" if n_rows is None else "both"
        raise ValueError(
            f"parameters 'n_rows' and 'smallest_weight': got {given}, expected one of them"
        )
    if n_rows is not None:
        log_rows = math.log(_checked_rows(n_rows))
    else:
        log_rows = -math.log(_checked_share(smallest_weight))
    return math.floor(2.0 * log_rows / lowest**2) + 1


def _checked_edge(edge: Any) -> float:
    return _checked_number("edge", edge, "above 0 and at most 1")


def _checked_share(share: Any) -> float:
    return _checked_number("smallest_weight", share, "above 0 and at most 1")


def _checked_number(name: str, given: Any, expected: str) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)):
        raise TypeError(f"parameter '{name}': got {given!r}, expected a number {expected}")
    if not 0.0 < given <= 1.0:
        raise ValueError(f"parameter '{name}': got {given!r}, expected a number {expected}")
    return float(given)


def _checked_rows(n_rows: Any) -> int:
    expected = "a whole number of at least 1"
    if isinstance(n_rows, bool) or not isinstance(n_rows, (int, np.integer)):
        raise TypeError(f"parameter 'n_rows': got {n_rows!r}, expected {expected}")
    if n_rows < 1:
        raise ValueError(f"parameter 'n_rows': got {n_rows!r}, expected {expected}")
    return int(n_rows)
