"""One fit of the default classifier, whose trees judge the rows that they have not seen.

In: rows with class codes. Out: what these trees say of every row.
"""

from __future__ import annotations

import numpy as np

from .._estimator.cross_fit import Judgement, Problem
from .._fitting.array_columns import typed_columns
from .._fitting.external import take_rows
from .._fitting.labels import Floats
from .._reading.scores import leads, probabilities
from ..weak_force import WeakForceClassifier
from .certainty import judge_one_class


def judge_out_of_bag(problem: Problem, seed: int, n_jobs: int | None) -> Judgement:
    """Fit the default, and return what trees say of rows that they have not seen."""
    X, classes, truth, weights, _ = problem
    used, unused = np.flatnonzero(weights > 0), np.flatnonzero(weights == 0)
    known, counts = np.unique(truth[used], return_counts=True)
    judged = Judgement(np.zeros((len(truth), len(classes))), *np.full((2, len(truth)), np.nan))
    if len(known) == 1:
        return judge_one_class(problem, known[0])
    X = typed_columns(X)
    learned = take_rows(X, used)
    model = WeakForceClassifier(random_state=seed, n_jobs=n_jobs)
    model.fit(learned, classes[truth[used]], weights[used])
    shape = (len(truth), *model.oob_decision_function_.shape[1:])
    scores: Floats = np.empty(shape)
    scores[used] = model.oob_decision_function_
    if len(unused):
        scores[unused] = model.decision_function(take_rows(X, unused))
    places = np.searchsorted(known, truth)
    places = np.where(np.isin(truth, known), places, 0)
    judged.probabilities[:, known] = probabilities(scores)
    judged.margins[:] = np.tanh(leads(scores, places) / 4.0)
    seen = probabilities(model.decision_function(learned))[np.arange(len(used)), places[used]]
    mean = np.average(1.0 - seen, weights=weights[used] / weights[used].max())
    judged.influence[used] = (1.0 - seen) / mean if mean > 0 else 1.0
    # Of a class without another row, nobody knows who has not seen that row.
    lone = np.isin(truth, known[counts > 1], invert=True)
    judged.probabilities[lone, truth[lone]] = 0.0
    judged.margins[lone] = -1.0
    return judged
