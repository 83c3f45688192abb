"""One fit that sees all labels, but can learn few of them by heart.

In: a booster and rows with class codes. Out: the margin of every row along the run. A label that
the others contradict has a low margin in early rounds and gains late, so the area under the margin
is small (Pleiss and others, "Identifying mislabeled data using the area under the margin ranking",
2020).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from .._estimator.base import BoostingClassifier
from .._estimator.cross_fit import Judgement, Problem, concentration, with_all_classes
from .._fitting.array_columns import typed_columns
from .._fitting.external import is_external, take_rows
from .._fitting.labels import Codes, Floats
from .._reading.scores import leads, probabilities
from ..learners import Tree
from ..logitboost import LogitBoostClassifier
from .certainty import judge_one_class

#: The most rows that one fit of `WeakForceClassifier` judges out of bag by default. On more rows
#: boosters alone know as much, and several of them take less time.
MOST_JUDGED = 5_000


def bounded_booster(problem: Problem) -> LogitBoostClassifier:
    """Return the booster that judges in one fit unless the user has another one."""
    return bounded_booster_for(int(np.count_nonzero(problem.weights)), len(problem.classes))


def bounded_booster_for(n_rows: int, n_classes: int) -> LogitBoostClassifier:
    """Return the booster for so many rows of weight > 0.

    Few leaves with at least 20 rows each, few rounds and on few rows random cuts leave little room
    to learn a single label.
    """
    if n_rows <= MOST_JUDGED:
        learner = Tree(max_leaf_nodes=16, min_samples_leaf=20, splitter="random")
        return LogitBoostClassifier(learner, n_estimators=80, learning_rate=0.1)
    if n_classes == 2:
        learner = Tree(max_leaf_nodes=16, min_samples_leaf=20)
    else:
        learner = Tree(max_leaf_nodes=31, min_samples_leaf=20, splitter="random")
    return LogitBoostClassifier(learner, n_estimators=40, learning_rate=0.15)


def fit_once(
    booster: BoostingClassifier, problem: Problem, seed: int
) -> tuple[BoostingClassifier, Floats] | None:
    """Fit a booster to all rows that have a weight; None if these are all of one class.

    Returns the model, and by row how much it concentrated on it.
    """
    _, classes, truth, weights, _ = problem
    used = np.flatnonzero(weights > 0)
    known = np.unique(truth[used])
    if len(known) == 1:  # which leaves nothing to learn
        return None
    rows, start = with_all_classes(problem, used, known)
    model: BoostingClassifier = clone(booster)
    if model.random_state is None:
        model.set_params(random_state=seed)
    model.fit(take_rows(readable(problem.X, model), rows), classes[truth[rows]], start)
    influence: Floats = np.full(len(truth), np.nan)
    influence[used] = concentration(model, truth[rows], start)[start > 0]
    return model, influence


def readable(X: Any, booster: BoostingClassifier) -> Any:
    """Return rows as a booster reads them: arrays of objects as columns with types."""
    return X if is_external(getattr(booster, "estimator", None)) else typed_columns(X)


def judge_along(
    booster: BoostingClassifier, problem: Problem, seed: int
) -> tuple[Judgement, BoostingClassifier | None]:
    """Return means over the rounds of one fit, and its model; None if there is only one class."""
    _, _, truth, weights, _ = problem
    fitted = fit_once(booster, problem, seed)
    if fitted is None:
        return judge_one_class(problem, truth[weights > 0][0]), None
    model, influence = fitted
    shares, margins = mean_margins(model, readable(problem.X, model), truth)
    return Judgement(shares, margins, influence), model


def mean_margins(model: BoostingClassifier, X: Any, truth: Codes) -> tuple[Floats, Floats]:
    """Return the mean probabilities and margins of rows after each round."""
    prior = model.fitted_model_.prior
    shares: Floats = np.zeros((len(truth), len(model.classes_)))
    margins: Floats = np.zeros(len(truth))
    n_rounds = 0
    for scores in model.staged_decision_function(X):
        shares += probabilities(scores)
        # Margins are those of the votes, without what class weights add.
        margins += np.tanh(leads(scores if prior is None else scores - prior, truth) / 4.0)
        n_rounds += 1
    if n_rounds == 0:  # no hypothesis was any better than chance
        shares += probabilities(model.decision_function(X))
    n_rounds = max(n_rounds, 1)
    return shares / n_rounds, margins / n_rounds
