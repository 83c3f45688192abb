"""Discrete AdaBoost with gini stumps and trees and exact cuts against scikit-learn's.

scikit-learn reads X as float32 and breaks ties between tests at random, so both get float32 values,
and where it takes another test than ours, that test must be shown to be equally pure under the same
weights. Its estimator weights are twice our α.
"""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Stump, Tree

ROUNDS = 50


def load():
    X, y = load_breast_cancer(return_X_y=True)
    return X.astype(np.float32), y


def load_twins():
    """Return data in which every column occurs twice."""
    X, y = load()
    return np.hstack([X[:, :5], X[:, :5]]), y


def load_coarse():
    """Return a few rows that only say which values lie above the median."""
    X, y = load()
    return (np.median(X, axis=0) < X).astype(np.float32)[:30], y[:30]


def fit_sklearn(X, y, seed, sample_weight=None):
    stump = DecisionTreeClassifier(max_depth=1)
    peer = AdaBoostClassifier(stump, n_estimators=ROUNDS, random_state=seed)
    return peer.fit(X, y, sample_weight)


def fit_ours(X, y, sample_weight=None, rounds=ROUNDS):
    model = DiscreteAdaBoostClassifier(Stump(criterion="gini"), n_estimators=rounds, max_bins=1000)
    return model.fit(X, y, sample_weight)


def side(stump, X):
    return X[:, stump.column].astype(np.float64) <= stump.threshold


def gini(inside, y, w):
    """Return the weighted gini impurity of a partition, Σ 2 W⁺W⁻ / (W⁺ + W⁻) over its sides."""
    total = 0.0
    for rows in (inside, ~inside):
        positive, negative = w[rows & (y == 1)].sum(), w[rows & (y == 0)].sum()
        total += 2 * positive * negative / (positive + negative)
    return total


def same_partition(first, second):
    return (first == second).all() or (first != second).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_errors_and_weights_equal_scikit_learns_for_fifty_rounds(seed, weighted):
    X, y = load()
    assert max(len(np.unique(column)) for column in X.T) <= 1000
    sample_weight = np.random.default_rng(seed).random(len(y)) if weighted else None
    peer, model = fit_sklearn(X, y, seed, sample_weight), fit_ours(X, y, sample_weight)
    assert model.n_iter_ == len(peer.estimators_) == ROUNDS
    np.testing.assert_allclose(model.estimator_errors_, peer.estimator_errors_, rtol=0, atol=1e-6)
    alphas = 2 * model.estimator_weights_
    np.testing.assert_allclose(alphas, peer.estimator_weights_, rtol=0, atol=1e-6)
    assert (model.predict(X) == peer.predict(X)).all()
    for ours, theirs in zip(model.estimators_, peer.estimators_, strict=True):
        assert same_partition(side(ours, X), theirs.apply(X) == 1)


def replay(peer, X, y):
    """Walk through scikit-learn's rounds under its own weights; yield our stump beside each."""
    w = np.full(len(y), 1 / len(y))
    for theirs, error, weight in zip(
        peer.estimators_, peer.estimator_errors_, peer.estimator_weights_, strict=True
    ):
        wrong = theirs.predict(X) != y
        assert w[wrong].sum() == pytest.approx(error, abs=1e-9)
        yield fit_ours(X, y, w, rounds=1), theirs, error, weight, w
        w = w * np.exp(weight * wrong)
        w /= w.sum()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("data", [load, load_twins, load_coarse])
def test_every_different_choice_of_scikit_learn_is_a_tie(data, seed):
    X, y = data()
    different = 0
    for model, theirs, error, weight, w in replay(fit_sklearn(X, y, seed), X, y):
        ours, tree = model.estimators_[0], theirs.tree_
        inside, their_inside = side(ours, X), theirs.apply(X) == 1
        assert gini(inside, y, w) == pytest.approx(gini(their_inside, y, w), abs=1e-12)
        if same_partition(inside, their_inside):
            assert model.estimator_errors_[0] == pytest.approx(error, abs=1e-6)
            assert 2 * model.estimator_weights_[0] == pytest.approx(weight, abs=1e-6)
        if ours.column != tree.feature[0] or not same_partition(inside, their_inside):
            different += 1
            assert (ours.column, ours.threshold) < (tree.feature[0], tree.threshold[0])
    assert (different > 0) == (data is not load)


def test_the_float32_cast_only_merges_values_that_it_cannot_tell_apart():
    X, y = load_breast_cancer(return_X_y=True)
    # Two values that differ only in float64 and separate the classes: scikit-learn sees one value.
    X = np.column_stack([X, np.where(y == 1, 1.0 + 1e-12, 1.0)])
    assert fit_ours(X, y).stop_reason_ == "perfect"
    cast = X.astype(np.float32)
    model, peer = fit_ours(cast, y), fit_sklearn(X, y, seed=0)
    np.testing.assert_allclose(model.estimator_errors_, peer.estimator_errors_, rtol=0, atol=1e-6)


@pytest.mark.parametrize("leaves", [3, 6])
@pytest.mark.parametrize("seed", range(2))
def test_boosted_trees_equal_scikit_learns(seed, leaves):
    X, y = load()
    weight = np.random.default_rng(seed).random(len(y)) + 0.1
    # Rounding makes scikit-learn split pure leaves too, unless a decrease is asked for.
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, min_impurity_decrease=1e-10)
    peer = AdaBoostClassifier(tree, n_estimators=20, random_state=seed).fit(X, y, weight)
    ours = Tree(max_leaf_nodes=leaves)
    model = DiscreteAdaBoostClassifier(ours, n_estimators=20, max_bins=1000).fit(X, y, weight)
    rounds = len(peer.estimators_)
    assert model.n_iter_ == rounds > 3
    np.testing.assert_allclose(model.estimator_errors_, peer.estimator_errors_, rtol=0, atol=1e-6)
    assert (model.predict(X) == peer.predict(X)).all()


@pytest.mark.parametrize("limits", [{}, {"max_depth": 4}, {"min_samples_leaf": 20}], ids=str)
def test_one_large_tree_equals_scikit_learns(limits):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=3000) > 0).astype(int)
    peer = DecisionTreeClassifier(max_leaf_nodes=25, min_impurity_decrease=1e-10, **limits)
    weight = rng.random(3000) + 0.1  # so that no two tests tie
    shown = peer.fit(X, y, weight).predict_proba(X)[:, 1]
    tree = Tree(max_leaf_nodes=25, answer="gentle", smoothing=0.0, **limits)
    model = RealAdaBoostClassifier(tree, n_estimators=1, step="unit", max_bins=3000)
    scores = model.fit(X, y, weight).decision_function(X)
    np.testing.assert_allclose(scores, 2 * shown - 1, atol=1e-9)
