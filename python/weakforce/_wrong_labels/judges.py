"""Who judges labels unless the user says who.

In: rows with class codes. Out: what is said of every row by judges that have not seen its label.
"""

from __future__ import annotations

import numpy as np

from .._estimator.cross_fit import CrossFit, Judgement, Problem
from ..learners import Tree
from ..logitboost import LogitBoostClassifier
from .out_of_bag import judge_out_of_bag

#: The most rows that one fit of `WeakForceClassifier` judges out of bag.
MOST_JUDGED = 50_000

#: The folds of cross-fitting more rows than that.
N_FOLDS = 5


def default_booster() -> LogitBoostClassifier:
    """Return the booster that judges the labels of many rows unless the user has another one."""
    learner = Tree(max_leaf_nodes=31, min_samples_leaf=20)
    return LogitBoostClassifier(learner, n_estimators=100, learning_rate=0.1)


def judge_unseen(
    problem: Problem, seed: int, n_jobs: int | None, folds: tuple[int, int] = (N_FOLDS, 1)
) -> Judgement:
    """Return what one fit says out of bag; of many rows what fits to other rows say.

    `folds` are the number of folds, and how often rows are divided into them.
    """
    if np.count_nonzero(problem.weights) <= MOST_JUDGED:
        return judge_out_of_bag(problem, seed, n_jobs)
    booster = default_booster().set_params(n_jobs=n_jobs)
    return CrossFit(booster, problem, *folds).judge(seed)
