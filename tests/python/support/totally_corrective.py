"""LPBoost, SoftBoost and ERLPBoost on small noisy frames, for the tests of all three."""

import numpy as np
import pytest

from support.small_margin_problems import smaller_problem
from weakforce import ERLPBoostClassifier, LPBoostClassifier, SoftBoostClassifier

BOOSTERS = [LPBoostClassifier, SoftBoostClassifier, ERLPBoostClassifier]
every_booster = pytest.mark.parametrize("booster", BOOSTERS)
ROUNDING = 1e-7


def fit(booster, nu=0.3, rows=50, seed=0, **parameters):
    parameters = {"tol": 0.01, "n_estimators": 1000, **parameters}
    return booster(nu=nu, **parameters).fit(*smaller_problem(rows, seed))


def votes_of(model, X, y):
    """The margins of all votes, some of which may have weight zero."""
    answers = [
        np.where(X[:, stump.column] <= stump.threshold, stump.inside, stump.outside)
        for stump in model.estimators_
    ]
    return np.asarray(y)[:, None] * np.column_stack(answers)
