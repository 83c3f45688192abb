"""Rows with labels that are to be judged, as users hand them over.

In: X, y and weights. Out: rows that can be picked, classes, the truth of the target, and weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._estimator.cross_fit import Problem
from .._fitting.labels import Codes, Floats, row_weights
from .._fitting.rows import Rows
from .._fitting.targets import LabelSets, Target, learn_target
from .._reading.wording import shown_value


class Labelled(NamedTuple):
    """Rows in a container whose rows can be picked, with their target."""

    X: Any
    target: Target
    truth: Any
    weights: Floats

    def problem(self) -> Problem:
        """Return the problem of rows with one label each."""
        truth: Codes = self.truth
        return Problem(self.X, self.target.classes, truth, self.weights)


def read_labelled(X: Any, y: Any, sample_weight: Any, name: str, sets: bool = True) -> Labelled:
    """Return rows and their target; `sets` says whether rows may have several labels.

    `name` is that of the function that was called.
    """
    rows = Rows(X, y, sample_weight).split().in_own_container()
    target, truth = learn_target(rows.y, name, sets=True)
    if not sets and isinstance(target, LabelSets):
        raise ValueError(
            f"y: got several labels for each row, expected one: {name} takes one label for each "
            "row (y should be a 1d array)"
        )
    if rows.X is None:
        raise ValueError("X is None, expected rows")
    if len(rows.X) != len(truth):
        raise ValueError(
            f"y: got {len(truth)} labels, expected one for each of {len(rows.X)} rows of X"
        )
    return Labelled(rows.X, target, truth, row_weights(rows.sample_weight, len(truth)))


def count(name: str, given: Any, least: int, most: float = np.inf) -> int:
    """Return a whole number; refuse what is none, or out of bounds."""
    whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    if whole and least <= given <= most:
        return int(given)
    bounds = f"at least {least}" + (f" and at most {most}, the number of rows" * (most < np.inf))
    kind = ValueError if whole else TypeError
    raise kind(f"parameter '{name}': got {shown_value(given)}, expected a whole number of {bounds}")
