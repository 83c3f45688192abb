"""LogitBoost beside a naive reference, and what algorithms A10 say of it."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from reference.learners import to_frame
from reference.logitboost import boost
from support.small_multiclass_problems import blobs, class_problem
from weakforce import LogitBoostClassifier, Stump, Tree, datasets

every_form = pytest.mark.parametrize("n_classes", [2, 3])
every_lambda = pytest.mark.parametrize("l2", [0.0, 1.0, 10.0])


def weighted_problem(seed, n_classes, rows=None):
    """Numbers, a category and missing values; all weights are above zero."""
    columns, y, weights, _ = class_problem(seed, n_classes, rows=rows)
    return columns, y, np.where(weights == 0, 0.4, weights)


def staged(model, X):
    return list(model.staged_decision_function(X))


def losses(model, X, y, weights=None):
    """The training loss after every round."""
    return np.array([log_loss(y, P, sample_weight=weights) for P in model.staged_predict_proba(X)])


def assert_same_scores(model, X, expected):
    stages = staged(model, X)
    assert len(stages) == len(expected.scores)
    for t, (got, wanted) in enumerate(zip(stages, expected.scores, strict=True)):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-9, err_msg=f"round {t}")


# The reference


@every_lambda
@every_form
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_exhaustive_search_makes_the_same_stumps(seed, weighted, n_classes, l2):
    columns, y, weights = weighted_problem(seed, n_classes)
    weights = weights if weighted else None
    parameters = {"l2_regularization": l2, "learning_rate": 0.5}
    expected = boost(columns, y, weights, 4, **parameters)
    X = to_frame(columns)
    model = LogitBoostClassifier(Stump(), n_estimators=4, **parameters).fit(X, y, weights)
    assert_same_scores(model, X, expected)


@every_lambda
@every_form
@pytest.mark.parametrize("least", [1, 4])
@pytest.mark.parametrize("seed", range(2))
def test_exhaustive_search_grows_the_same_trees(seed, least, n_classes, l2):
    columns, y, weights = weighted_problem(seed, n_classes)
    if least > 1:
        del columns[2]  # only subsets in the order of their steps are tried, which may be too small
    parameters = {"l2_regularization": l2, "learning_rate": 0.3}
    limits = {"max_leaf_nodes": 4, "min_samples_leaf": least}
    expected = boost(columns, y, weights, 4, must_gain=True, **limits, **parameters)
    X = to_frame(columns)
    model = LogitBoostClassifier(Tree(**limits), n_estimators=4, **parameters)
    assert_same_scores(model.fit(X, y, weights), X, expected)


def test_leaves_that_gain_nothing_under_the_penalty_stay_whole():
    columns, y, weights = weighted_problem(1, 2)
    parameters = {"l2_regularization": 1000.0, "learning_rate": 1.0}
    limits = {"max_leaf_nodes": 40}
    expected = boost(columns, y, weights, 3, must_gain=True, **limits, **parameters)
    X = to_frame(columns)
    model = LogitBoostClassifier(Tree(**limits), n_estimators=3, **parameters).fit(X, y, weights)
    assert_same_scores(model, X, expected)
    n_leaves = [len(tree.rows) for tree in model.estimators_]
    assert n_leaves == [len(leaves) for (leaves,) in expected.parts]
    assert min(n_leaves) < 20


def test_far_apart_weights_are_those_of_the_reference():
    columns, y, _ = weighted_problem(2, 2)
    weights = np.where(y == 0, 1000.0, 1e-4)
    parameters = {"l2_regularization": 1.0, "learning_rate": 0.5}
    expected = boost(columns, y, weights, 6, **parameters)
    model = LogitBoostClassifier(Stump(), n_estimators=6, **parameters)
    X = to_frame(columns)
    scores = staged(model.fit(X, y, weights), X)
    np.testing.assert_allclose(scores, expected.scores, rtol=0, atol=1e-6)


def small_categories(l2, seed):
    rng = np.random.default_rng(seed)
    letters = rng.choice(list("abcdef"), 40, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05])
    columns = [[str(letter) for letter in letters]]
    y, weights = rng.integers(0, 2, 40), rng.random(40) + 0.1
    parameters = {"l2_regularization": l2, "learning_rate": 1.0}
    model = LogitBoostClassifier(Stump(), n_estimators=1, **parameters)
    X = to_frame(columns)
    assert_same_scores(model.fit(X, y, weights), X, boost(columns, y, weights, 1, **parameters))


@pytest.mark.parametrize("seed", range(20))
def test_the_best_subset_of_categories_is_found(seed):
    small_categories(0.0, seed)


@pytest.mark.parametrize("seed", [45])
def test_the_best_subset_of_categories_is_found_under_a_penalty(seed):
    small_categories(10.0, seed)


# The two forms


@pytest.mark.parametrize("leaves", [2, 4])
@every_lambda
def test_two_classes_in_the_form_of_several_give_the_same_probabilities(l2, leaves):
    columns, y, weights = weighted_problem(3, 2)
    settings = {"l2_regularization": l2, "max_leaf_nodes": leaves, "must_gain": leaves > 2}
    two = boost(columns, y, weights, 5, **settings)
    several = boost(columns, y, weights, 5, by_class=True, **settings)
    for one, both in zip(two.scores, several.scores, strict=True):
        np.testing.assert_allclose(both[:, 1] - both[:, 0], 2 * one, rtol=0, atol=1e-9)
    learner = Stump() if leaves == 2 else Tree(max_leaf_nodes=leaves)
    model = LogitBoostClassifier(learner, n_estimators=5, learning_rate=1.0, l2_regularization=l2)
    X = to_frame(columns)
    for P, both in zip(
        model.fit(X, y, weights).staged_predict_proba(X), several.scores, strict=True
    ):
        odds = np.exp(both[:, 0] - both[:, 1])
        np.testing.assert_allclose(P[:, 1], 1 / (1 + odds), rtol=0, atol=1e-9)


@every_form
def test_probabilities_are_those_of_the_loss(n_classes):
    X, y = blobs(90, n_classes, seed=2)
    model = LogitBoostClassifier(n_estimators=7).fit(X, y)
    F = model.decision_function(X)
    terms = np.exp(np.column_stack([-F, F]) if n_classes == 2 else F)
    expected = terms / terms.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)


# Steps


@pytest.mark.parametrize("rate", [0.1, 1.0])
@pytest.mark.parametrize("learner", [Stump(), Tree(max_leaf_nodes=6)], ids=repr)
@every_form
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_never_rises_under_line_search(seed, n_classes, learner, rate):
    columns, y, weights = weighted_problem(seed, n_classes, rows=80)
    X = to_frame(columns)
    for l2 in (0.0, 1.0):
        model = LogitBoostClassifier(
            learner, n_estimators=25, step="line-search", learning_rate=rate, l2_regularization=l2
        ).fit(X, y, weights)
        start = np.log(n_classes)
        loss = losses(model, X, y, weights)
        assert (np.diff([start, *loss]) <= 1e-12).all()
        assert loss[-1] < 0.9 * start


def test_line_search_takes_the_best_multiple_of_the_answers():
    columns, y, weights = weighted_problem(5, 3, rows=80)
    X = to_frame(columns)
    model = LogitBoostClassifier(Stump(), n_estimators=4, step="line-search", learning_rate=1.0)
    model.fit(X, y, weights)
    stages = [np.zeros((80, 3)), *staged(model, X)]
    for before, after in pairwise(stages):

        def loss(length, before=before, move=after - before):
            terms = np.exp(before + length * move)
            return log_loss(y, terms / terms.sum(axis=1, keepdims=True), sample_weight=weights)

        assert loss(1.0) < min(loss(0.98), loss(1.02))


def test_unit_steps_all_weigh_the_learning_rate():
    model = LogitBoostClassifier(n_estimators=9, learning_rate=0.3).fit(*blobs())
    np.testing.assert_array_equal(model.estimator_weights_, np.full(9, 0.3))


@every_form
def test_no_step_is_longer_than_four_before_its_factor(n_classes):
    X = np.column_stack([np.arange(300.0), np.arange(300.0) == 7])
    y = np.arange(300) * n_classes // 300
    y[7] = 1  # which only the second column tells, when all others are long settled
    model = LogitBoostClassifier(Stump(), n_estimators=20, learning_rate=1.0, l2_regularization=0.0)
    stages = np.array(staged(model.fit(X, y), X))
    longest = np.abs(np.diff(stages, axis=0)).max()
    assert longest == pytest.approx(4 * (n_classes - 1) / n_classes, abs=1e-12)


def test_the_learners_criterion_and_smoothing_have_no_effect():
    X, y = blobs(200, 2, spread=3.0)
    plain = LogitBoostClassifier(Stump(), n_estimators=5).fit(X, y)
    for other in ({"criterion": "gini"}, {"criterion": "error"}, {"smoothing": 0.2}):
        model = LogitBoostClassifier(Stump(**other), n_estimators=5).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


@every_form
def test_row_weights_are_shares_of_the_gradients_after_the_last_round(n_classes):
    X, y = blobs(120, n_classes, spread=2.0)
    u = np.random.default_rng(1).random(len(y)) + 0.1
    model = LogitBoostClassifier(n_estimators=5).fit(X, y, u)
    gradients = u * np.abs((y[:, None] == model.classes_) - model.predict_proba(X)).sum(axis=1)
    np.testing.assert_allclose(model.row_weights_, gradients / gradients.sum(), rtol=1e-9)


# The shares of the classes


def rare_class():
    """Noise, and two per cent of a class."""
    return np.random.default_rng(0).normal(size=(1000, 2)), np.arange(1000) < 20


def test_the_first_round_is_no_worse_than_the_shares_of_the_classes():
    X, y = rare_class()
    shares = log_loss(y, np.full(len(y), y.mean()))
    for rate in (0.1, 1.0):
        model = LogitBoostClassifier(Stump(), n_estimators=1, learning_rate=rate).fit(X, y)
        assert losses(model, X, y)[0] < shares


def test_a_line_search_begins_without_the_shares_of_the_classes():
    X, y = rare_class()
    model = LogitBoostClassifier(Stump(), n_estimators=1, step="line-search", learning_rate=1e-9)
    assert model.fit(X, y).predict_proba(X)[:, 1].mean() == pytest.approx(0.5, abs=1e-6)


# Peers


@pytest.mark.slow
@every_form
@pytest.mark.parametrize("seed", range(3))
def test_log_loss_is_near_that_of_hist_gradient_boosting(seed, n_classes):
    X, y = (
        np.asarray(part) for part in datasets.make_waveform(4500, n_classes=n_classes, seed=seed)
    )
    shared = {"learning_rate": 0.1, "l2_regularization": 1.0}
    limits = {"max_leaf_nodes": 8, "min_samples_leaf": 20}
    ours = LogitBoostClassifier(Tree(**limits), n_estimators=50, **shared)
    peer = HistGradientBoostingClassifier(max_iter=50, early_stopping=False, **limits, **shared)
    with threadpool_limits(1):
        loss, expected = (
            log_loss(y[1500:], model.fit(X[:1500], y[:1500]).predict_proba(X[1500:]))
            for model in (ours, peer)
        )
    assert loss == pytest.approx(expected, rel=0.05)
