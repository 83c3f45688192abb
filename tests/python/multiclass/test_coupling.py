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
    weights = weights if weighted else np.ones(len(y))
    model = clone(booster).fit(X, y, weights)
    # Rows of different weights tell as much as fewer of equal weight.
    rows = np.bincount(y, weights) * weights.sum() / (weights**2).sum()
    r = decoding.pair_probabilities(model.code_, problem_scores(model, X), rows)
    p = model.predict_proba(X)
    n = (rows[:, None] + rows) / rows.sum()
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


def test_no_pair_is_surer_than_its_rows_allow():
    X = np.arange(3.0).repeat([2, 4, 6])[:, None]
    y = np.arange(3).repeat([2, 4, 6])
    model = DiscreteAdaBoostClassifier(n_estimators=5, multi_class="ovo", decode="coupling")
    p = model.fit(X, y).predict_proba(np.arange(3.0)[:, None])
    assert (p.argmax(axis=1) == np.arange(3)).all()
    assert p.max() < 0.97  # a score of 18 would stand for a probability that rounds to 1


def test_weights_matter_up_to_a_factor():
    X, y, weights = uneven(4)
    model = RealAdaBoostClassifier(n_estimators=3, multi_class="ovo", decode="coupling")
    p = clone(model).fit(X, y, weights).predict_proba(X)
    for factor in (4.0, 1e-3):
        scaled = clone(model).fit(X, y, factor * weights).predict_proba(X)
        np.testing.assert_allclose(scaled, p, rtol=0, atol=1e-6)
    order = np.random.default_rng(3).permutation(len(y))
    mixed = clone(model).fit(X[order], y[order], weights[order])
    np.testing.assert_allclose(mixed.predict_proba(X), p, rtol=0, atol=1e-9)


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
