"""Weights more than 1e308 apart: numbers stay finite, and models can be saved and read.

In: every booster on a few rows of which some weigh next to nothing beside the others, alone or with
rows held back, drawn, or in classes of their own. Out: the promises that hold for any weights.
"""

import pickle

import numpy as np
import pytest

import weakforce
from support.registry import every_booster, in_rounds, weak
from weakforce import LPAdaBoostClassifier, SoftBoostClassifier, Stump, Tree

#: By name: weights of six rows. Each class has rows of both sizes, or one has only light ones.
PATTERNS = {
    "one light": [1e100, 5e-324, 1e100, 1e100, 1e100, 1e100],
    "one heavy": [5e-324, 5e-324, 1e300, 5e-324, 5e-324, 5e-324],
    "light class": [1e300, 1e-300, 2e-300, 1e300, 1e-300, 1e300],
    "light classes": [1e300, 1e-300, 2e-310, 1e300, 1e-300, 5e-324],
    "three sizes": [1e-300, 1e-300, 1e300, 2.5, 1e300, 1.0],
}
every_pattern = pytest.mark.parametrize("pattern", PATTERNS)
X = np.array([[0.0], [1], [2], [0], [1], [2]])


def assert_sound(model):
    """Assert that what a fit reports is finite, and that the model can be written and read."""
    for name in ("row_weights_", "train_score_", "validation_score_", "estimator_weights_"):
        assert np.isfinite(getattr(model, name)).all(), name
    assert (model.row_weights_ >= 0).all()
    assert model.row_weights_.sum() == pytest.approx(1.0, abs=1e-9)
    scores = model.decision_function(X)
    assert np.isfinite(scores).all()
    assert pickle.loads(pickle.dumps(model)).decision_function(X).tobytes() == scores.tobytes()


@every_booster
@every_pattern
@pytest.mark.parametrize("n_classes", [2, 3])
def test_reports_are_finite(booster, pattern, n_classes):
    y = np.arange(6) % n_classes
    model = booster(weak(booster, Stump), **in_rounds(booster, 5))
    assert_sound(model.fit(X, y, PATTERNS[pattern]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@every_booster
@every_pattern
def test_reports_are_finite_where_rows_are_held_back(booster, pattern, seed):
    y = np.arange(6) % 2
    model = booster(weak(booster, Stump), early_stopping=True, random_state=seed)
    assert_sound(model.fit(X, y, PATTERNS[pattern]))


@pytest.mark.parametrize("seed", range(8))
def test_a_sample_of_rows_that_vanish_is_no_sample(seed):
    for booster in (weakforce.ArcX4Classifier, weakforce.DiscreteAdaBoostClassifier):
        model = booster(Tree(), subsample=0.3, n_estimators=20, random_state=seed)
        assert_sound(model.fit(X, np.arange(6) % 2, PATTERNS["light class"]))


@pytest.mark.parametrize("booster", [LPAdaBoostClassifier, SoftBoostClassifier])
def test_every_problem_of_one_versus_one_has_weight(booster):
    y = np.array([0, 1, 2, 0, 1, 2])
    assert_sound(booster(multi_class="ovo").fit(X, y, PATTERNS["light classes"]))


def test_weights_that_vanish_are_those_of_rows_alone():
    y = np.arange(6) % 2
    heavy = np.array([True, True, False, False, True, True])
    weights = np.where(heavy, 1e300, 1e-300)
    model = SoftBoostClassifier().fit(X, y, weights)
    alone = SoftBoostClassifier().fit(X[heavy], y[heavy])
    np.testing.assert_allclose(model.row_weights_[heavy], alone.row_weights_, atol=1e-6)
    np.testing.assert_allclose(model.row_weights_[~heavy], 0.0, atol=1e-9)
