"""Who judges labels unless the user says who.

In: rows with class codes. Out: what is said of every row by judges that have not seen its label.
"""

from __future__ import annotations

import numpy as np

from .._estimator.cross_fit import CrossFit, Judgement, Problem
from ..learners import Tree
from ..logitboost import LogitBoostClassifier
from . import one_fit
from .out_of_bag import judge_out_of_bag

#: The folds of cross-fitting many rows.
N_FOLDS = 5


def default_booster(n_classes: int) -> LogitBoostClassifier:
    """Return the booster that judges the labels of many rows unless the user has another one."""
    if n_classes == 2:
        learner = Tree(max_leaf_nodes=16, min_samples_leaf=20)
        return LogitBoostClassifier(learner, n_estimators=60, learning_rate=0.1)
    learner = Tree(max_leaf_nodes=31, min_samples_leaf=20, splitter="random")
    return LogitBoostClassifier(learner, n_estimators=80, learning_rate=0.1)


def judge_unseen(
    problem: Problem, seed: int, n_jobs: int | None, folds: tuple[int, int] = (N_FOLDS, 1)
) -> Judgement:
    """Return what one fit says out of bag; of many rows what fits to other rows say.

    `folds` are the number of folds, and how often rows are divided into them.
    """
    if np.count_nonzero(problem.weights) <= one_fit.MOST_JUDGED:
        return judge_out_of_bag(problem, seed, n_jobs)
    booster = default_booster(len(problem.classes)).set_params(n_jobs=n_jobs)
    return CrossFit(booster, problem, *folds).judge(seed)
