"""Rates and weights that run away: every fit ends with finite numbers and a reason that says so."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import weakforce as wf
from support.registry import weak

N_ROWS = 120

SHRUNK = [booster for booster in wf.boosters() if booster.capabilities().learning_rate]

WEIGHTS = {
    "even": None,
    "mixed": np.where(np.arange(N_ROWS) % 3 == 0, 1e300, 1e-300),
    "wide": 10.0 ** np.random.default_rng(1).uniform(-300, 300, N_ROWS),
}


def rows(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(N_ROWS, 3))
    score = X[:, 0] + 0.5 * X[:, 1] + 0.7 * generator.normal(size=N_ROWS)
    return X, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))


def check_finite(model: wf.BoostingClassifier, X: np.ndarray, y: np.ndarray, tmp_path) -> None:
    numbers = ["estimator_weights_", "estimator_errors_", "edges_", "train_score_", "row_weights_"]
    for name in numbers:
        assert np.isfinite(getattr(model, name)).all(), name
    scores, shares = model.decision_function(X), model.predict_proba(X)
    assert np.isfinite(scores).all()
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.isfinite(model.margins(X, y)).all()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), scores)
    model.save(tmp_path / "model.json")
    assert np.array_equal(wf.load(tmp_path / "model.json").decision_function(X), scores)


@pytest.mark.parametrize("rate", [5.0, 50.0, 1000.0, 1e300])
@pytest.mark.parametrize("booster", SHRUNK)
def test_large_rates_leave_finite_models(booster, rate, tmp_path):
    X, y = rows(3)
    model = booster(weak(booster, wf.Stump), n_estimators=10, learning_rate=rate).fit(X, y)
    check_finite(model, X, y, tmp_path)
    if model.stop_reason_ == "perfect":
        assert model.train_score_[-1] == 1.0


@pytest.mark.parametrize("weights", ["mixed", "wide"])
@pytest.mark.parametrize("booster", wf.boosters())
def test_weights_of_all_sizes_leave_finite_models(booster, weights, tmp_path):
    X, y = rows(2)
    rounds = {booster.capabilities().rounds: 5}
    model = booster(weak(booster, wf.Stump), **rounds).fit(X, y, WEIGHTS[weights])
    check_finite(model, X, y, tmp_path)


def test_a_rate_that_makes_weights_overflow_ends_the_run_with_the_rounds_so_far():
    X, y = rows(3)
    model = wf.SAMMEClassifier(learning_rate=1000.0, n_estimators=20).fit(X, y)
    assert model.stop_reason_ == "out_of_range"
    assert 1 <= model.n_iter_ < 20


def test_a_vote_that_is_right_on_what_has_weight_left_is_not_perfect():
    X, y = rows(3)
    for rate in (2.0, 5.0, 20.0):
        model = wf.SAMMEClassifier(learning_rate=rate, n_estimators=50).fit(X, y)
        assert model.stop_reason_ != "perfect"
        assert model.train_score_[-1] < 1.0


def test_tiny_rates_leave_finite_edges():
    X, y = rows(3)
    model = wf.LogitBoostClassifier(learning_rate=1e-300, n_estimators=5).fit(X, y)
    assert np.isfinite(model.edges_).all()
    assert np.isfinite(model.decision_function(X)).all()
