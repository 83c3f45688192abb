"""What is done about labels that are probably wrong.

In: rows with class codes, class probabilities by judges that have not seen the labels, and the
probability that each label is wrong. Out: labels and weights to learn from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._estimator.cross_fit import Problem
from .._fitting.labels import Codes, Floats

ACTIONS = ("drop", "relabel", "weight", "mistrust")

#: What is reported of rows that an action applies to.
_DONE = {
    "drop": "dropped",
    "relabel": "relabelled",
    "weight": "weighted",
    "mistrust": "mistrusted",
}


@dataclass(frozen=True, eq=False)
class Cleaning:
    """What was done to each row.

    Attributes:
        given: the code of the label as it came.
        labels: the code of the label to learn.
        weights: the weight to learn it with; 0 for rows that are dropped.
        used: whether the row is learned from at all.
        changed: whether it was dropped or relabelled.
        actions: what was done, in a word.
    """

    given: Codes
    labels: Codes
    weights: Floats
    used: NDArray[np.bool_]
    changed: NDArray[np.bool_]
    actions: NDArray[np.str_]


def clean(
    problem: Problem, shares: Floats, p_wrong: Floats, action: str, threshold: float
) -> Cleaning:
    """Return what to learn from."""
    given, weights = problem.truth, problem.weights
    nobody = np.zeros(len(given), dtype=bool)
    labels, used, changed, touched = given, ~nobody, nobody, nobody
    if action in ("drop", "relabel"):
        changed = touched = _likely_wrong(problem, p_wrong, threshold)
        if action == "drop":
            used = ~changed
            weights = np.where(changed, 0.0, weights)
        else:
            others = shares.copy()
            others[np.arange(len(given)), given] = -1.0
            labels = np.where(changed, others.argmax(axis=1), given).astype(given.dtype)
    elif action == "weight":
        weights, touched = weights * (1.0 - p_wrong), p_wrong > 0
        weights = _with_every_class(problem, weights)
    else:
        touched = p_wrong > 0
    actions = np.where(touched, _DONE[action], "kept")
    return Cleaning(given, labels, weights, used, changed, actions)


def _likely_wrong(problem: Problem, p_wrong: Floats, threshold: float) -> NDArray[np.bool_]:
    """Return which labels are probably wrong; of each class the likeliest one is not."""
    wrong = p_wrong > threshold
    for code in range(len(problem.classes)):
        own = np.flatnonzero((problem.truth == code) & (problem.weights > 0))
        if len(own) and wrong[own].all():
            wrong[own[p_wrong[own].argmin()]] = False
    return wrong


def _with_every_class(problem: Problem, weights: Floats) -> Floats:
    """Return weights under which each class that had some weight keeps some."""
    for code in range(len(problem.classes)):
        own = np.flatnonzero((problem.truth == code) & (problem.weights > 0))
        if len(own) and not weights[own].any():
            weights[own] = problem.weights[own]
    return weights
