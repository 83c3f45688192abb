"""What is said of rows if there is only one class to learn.

In: rows of which all that have a weight are of one class. Out: a judgement that is sure of it.
"""

from __future__ import annotations

import numpy as np

from .._estimator.cross_fit import Judgement, Problem


def judge_one_class(problem: Problem, known: int) -> Judgement:
    """Return that every row is surely of the class that is known."""
    n_rows = len(problem.truth)
    judged = Judgement(
        np.zeros((n_rows, len(problem.classes))),
        np.where(problem.truth == known, 1.0, -1.0),
        np.where(problem.weights > 0, 1.0, np.nan),
    )
    judged.probabilities[:, known] = 1.0
    return judged
