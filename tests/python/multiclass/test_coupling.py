"""Coupling of pairs (Hastie and Tibshirani 1998): the equations that its probabilities solve."""

import numpy as np
import pytest
from sklearn.base import clone

from reference import decoding
from support.problem_scores import problem_scores
from support.small_multiclass_problems import blobs
from weakforce import DiscreteAdaBoostClassifier, LPBoostClassifier, RealAdaBoostClassifier, Tree


def uneven(n_classes, seed=0):
    """Classes of very different sizes, and weights."""
    X, y = blobs(60 * n_classes, n_classes, seed=seed, spread=1.2)
    rng = np.random.default_rng(seed)
    kept = rng.random(len(y)) < (1 + y) / n_classes
    return X[kept], y[kept], rng.random(kept.sum()) + 0.1


BOOSTERS = [
    DiscreteAdaBoostClassifier(n_estimators=40, multi_class="ovo", decode="coupling"),
    RealAdaBoostClassifier(n_estimators=3, multi_class="ovo", decode="coupling"),
    LPBoostClassifier(n_estimators=10, tol=0.5, multi_class="ovo", decode="coupling"),
]


@pytest.mark.parametrize("n_classes", [3, 5, 8])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("booster", BOOSTERS, ids=lambda b: type(b).__name__)
def test_sums_over_pairs_are_those_of_the_probabilities(booster, weighted, n_classes):
    X, y, weights = uneven(n_classes)
    model = clone(booster).fit(X, y, weights if weighted else None)
    shares = np.bincount(y, weights if weighted else None)
    shares = shares / shares.sum()
    r = decoding.pair_probabilities(model.code_, problem_scores(model, X))
    p = model.predict_proba(X)
    n = shares[:, None] + shares
    assert np.abs(decoding.disagreement(r, n, p)).max() < 1e-9
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)


def test_pairs_that_agree_give_back_the_probabilities_they_come_from():
    # One column with a value for each row: every pair knows the shares of its two classes there.
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 30, size=(6, 4))
    values = np.arange(6).repeat(4).repeat(counts.ravel())
    y = np.tile(np.arange(4), 6).repeat(counts.ravel())
    X = values[:, None].astype(float)
    learner = Tree(max_leaf_nodes=6, criterion="z", smoothing=0.0)
    model = RealAdaBoostClassifier(learner, n_estimators=1, multi_class="ovo", decode="coupling")
    p = model.fit(X, y).predict_proba(np.arange(6.0)[:, None])
    # Weights of two classes are balanced by nothing, so the shares are those of the counts.
    np.testing.assert_allclose(p, counts / counts.sum(axis=1, keepdims=True), atol=1e-9)


def test_the_weights_of_rows_are_the_rows_that_they_stand_for():
    X, y, _ = uneven(4)
    times = np.random.default_rng(2).integers(1, 4, len(y))
    model = RealAdaBoostClassifier(n_estimators=3, multi_class="ovo", decode="coupling")
    weighted = clone(model).fit(X, y, times.astype(float))
    repeated = clone(model).fit(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_allclose(
        weighted.predict_proba(X), repeated.predict_proba(X), rtol=0, atol=1e-6
    )


def test_a_class_without_training_rows_is_no_obstacle():
    X, y, _ = uneven(4)
    model = RealAdaBoostClassifier(n_estimators=3, multi_class="ovo", decode="coupling")
    model.fit(X, y, (y != 2).astype(float))
    p = model.predict_proba(X)
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.slow
def test_coupled_probabilities_lose_less_than_sums_of_scores():
    X, y = blobs(600, 5, spread=1.0)
    losses, errors = {}, {}
    for decode in ("score", "coupling"):
        model = DiscreteAdaBoostClassifier(n_estimators=50, multi_class="ovo", decode=decode)
        shares = model.fit(X[::2], y[::2]).predict_proba(X[1::2])
        own = np.maximum(shares[np.arange(300), y[1::2]], 1e-15)
        losses[decode] = -np.log(own).mean()
        errors[decode] = 1.0 - model.score(X[1::2], y[1::2])
    assert losses["coupling"] < losses["score"]
    assert errors["coupling"] <= errors["score"]
