"""What the papers prove of SAMME, M1, MH and M2: agreement for two classes, errors, bounds.

Each fact is checked on fitted models alone; SAMME is also compared with scikit-learn's.
"""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from reference.learners import to_frame
from support.small_multiclass_problems import blobs
from support.small_problems import learnable_problem
from weakforce import (
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    Stump,
    Tree,
)

LEARNERS = [Stump(), Stump(criterion="gini"), Rule(), Tree(max_leaf_nodes=4)]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


# Two classes


@pytest.mark.parametrize("booster", [SAMMEClassifier, AdaBoostM1Classifier])
@pytest.mark.parametrize("learning_rate", [1.0, 0.4])
@every_learner
def test_samme_and_m1_of_two_classes_are_discrete_adaboost(booster, learner, learning_rate):
    columns, y, weights, later = learnable_problem(3, noise=2.0)
    parameters = {"n_estimators": 12, "learning_rate": learning_rate}
    for w in (weights, None):
        expected = DiscreteAdaBoostClassifier(learner, **parameters).fit(to_frame(columns), y, w)
        model = booster(learner, **parameters).fit(to_frame(columns), y, w)
        assert model.estimators_ == expected.estimators_
        assert (model.estimator_weights_ == expected.estimator_weights_).all()
        assert (model.row_weights_ == expected.row_weights_).all()
        scores = [each.decision_function(to_frame(later)) for each in (model, expected)]
        assert scores[0].shape == (20,)
        assert scores[0].tobytes() == scores[1].tobytes()


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("booster", [AdaBoostMHClassifier, AdaBoostM2Classifier])
@pytest.mark.parametrize("learning_rate", [1.0, 0.4])
@every_learner
def test_mh_and_m2_of_two_classes_are_discrete_adaboost(booster, shared, learner, learning_rate):
    columns, y, weights, later = learnable_problem(3, noise=2.0)
    parameters = {"n_estimators": 12, "learning_rate": learning_rate}
    expected = DiscreteAdaBoostClassifier(learner, **parameters)
    expected.fit(to_frame(columns), y, weights)
    model = booster(learner, shared=shared, **parameters).fit(to_frame(columns), y, weights)
    pair = model.estimator_weights_, expected.estimator_weights_
    np.testing.assert_allclose(*pair, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.edges_, expected.edges_, rtol=0, atol=1e-9)
    for frame in (columns, later):
        scores = [each.decision_function(to_frame(frame)) for each in (model, expected)]
        np.testing.assert_allclose(*scores, rtol=0, atol=1e-9)
    assert (model.predict(to_frame(later)) == expected.predict(to_frame(later))).all()
    margins = [each.margins(to_frame(columns), y) for each in (model, expected)]
    np.testing.assert_allclose(*margins, rtol=0, atol=1e-9)
    logistic = [each.margins(to_frame(columns), y, kind="logistic") for each in (model, expected)]
    np.testing.assert_allclose(*logistic, rtol=0, atol=1e-9)


# scikit-learn's SAMME


@pytest.mark.parametrize("data", [load_iris, load_wine], ids=["iris", "wine"])
@pytest.mark.parametrize("leaves", [2, 4])
def test_samme_equals_scikit_learns(data, leaves):
    X, y = data(return_X_y=True)
    X = X.astype(np.float32)  # what scikit-learn's trees read
    weights = np.random.default_rng(leaves).random(len(y)) + 0.1  # so that no two tests tie
    # Rounding makes scikit-learn split pure leaves too, unless a decrease is asked for.
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, min_impurity_decrease=1e-10)
    peer = AdaBoostClassifier(tree, n_estimators=20, random_state=0).fit(X, y, weights)
    learner = Stump(criterion="gini") if leaves == 2 else Tree(max_leaf_nodes=leaves)
    model = SAMMEClassifier(learner, n_estimators=20, max_bins=1000).fit(X, y, weights)
    assert model.n_iter_ == len(peer.estimators_) > 5
    np.testing.assert_allclose(model.estimator_errors_, peer.estimator_errors_, rtol=0, atol=1e-6)
    np.testing.assert_allclose(model.estimator_weights_, peer.estimator_weights_, rtol=0, atol=1e-6)
    assert (model.predict(X) == peer.predict(X)).all()
    staged = zip(model.staged_predict(X), peer.staged_predict(X), strict=True)
    assert all((ours == theirs).all() for ours, theirs in staged)


def test_samme_learns_digits_as_well_as_scikit_learns():
    X, y = load_digits(return_X_y=True)
    X = X.astype(np.float32)
    tree = DecisionTreeClassifier(max_leaf_nodes=20)
    peer = AdaBoostClassifier(tree, n_estimators=10, random_state=0).fit(X[:900], y[:900])
    model = SAMMEClassifier(Tree(max_leaf_nodes=20), n_estimators=10).fit(X[:900], y[:900])
    difference = model.score(X[900:], y[900:]) - peer.score(X[900:], y[900:])
    assert difference > -0.03


# Errors and bounds


@pytest.mark.parametrize("n_classes", [3, 5])
def test_after_an_update_the_last_vote_is_as_bad_as_a_guess(n_classes):
    X, y = blobs(150, n_classes, spread=1.5)
    for booster, expected in ((SAMMEClassifier, 1 - 1 / n_classes), (AdaBoostM1Classifier, 0.5)):
        for rounds in range(1, 5):
            model = booster(Tree(max_leaf_nodes=8), n_estimators=rounds).fit(X, y)
            last = booster(Tree(max_leaf_nodes=8), n_estimators=1)
            last.fit(X, y, last_weights(booster, X, y, rounds))
            wrong = last.predict(X) != y
            assert model.row_weights_[wrong].sum() == pytest.approx(expected, abs=1e-9)


def last_weights(booster, X, y, rounds):
    """The row weights under which the last of some rounds was fitted."""
    if rounds == 1:
        return np.ones(len(y))
    return booster(Tree(max_leaf_nodes=8), n_estimators=rounds - 1).fit(X, y).row_weights_


def test_weights_follow_from_errors():
    X, y = blobs(150, 4, spread=1.5)
    samme = SAMMEClassifier(Stump(), n_estimators=15).fit(X, y)
    errors = samme.estimator_errors_
    np.testing.assert_allclose(samme.estimator_weights_, np.log(3 * (1 - errors) / errors))
    m1 = AdaBoostM1Classifier(Tree(max_leaf_nodes=6), n_estimators=15).fit(X, y)
    errors = m1.estimator_errors_
    np.testing.assert_allclose(m1.estimator_weights_, np.log((1 - errors) / errors))
    for booster in (AdaBoostMHClassifier, AdaBoostM2Classifier):
        model = booster(Stump(), n_estimators=15).fit(X, y)
        edges = model.edges_
        np.testing.assert_allclose(model.estimator_weights_, np.arctanh(edges), rtol=1e-9)
        np.testing.assert_allclose(model.estimator_errors_, (1 - edges) / 2, rtol=1e-9)


def test_m1_stops_at_an_error_of_one_half_where_samme_goes_on():
    X, y = blobs(200, 5, spread=3.0)
    m1 = AdaBoostM1Classifier(Stump(), n_estimators=30).fit(X, y)
    samme = SAMMEClassifier(Stump(), n_estimators=30).fit(X, y)
    assert m1.stop_reason_ == "no_edge"
    assert (m1.estimator_errors_ < 0.5).all()
    assert samme.n_iter_ == 30
    assert samme.estimator_errors_.max() > 0.5
    assert (samme.estimator_errors_ < 0.8).all()


def bound(errors):
    """2^T Π √(ε (1 − ε)), round by round."""
    return np.cumprod(2 * np.sqrt(errors * (1 - errors)))


@pytest.mark.parametrize(
    ("model", "spread", "factor", "last"),
    [
        (AdaBoostM1Classifier(Tree(max_leaf_nodes=16), n_estimators=40), 1.2, 1, 0.05),
        (AdaBoostM2Classifier(Tree(max_leaf_nodes=8), n_estimators=60), 0.8, 3, 0.5),
        (AdaBoostM2Classifier(Tree(max_leaf_nodes=8), shared=False, n_estimators=60), 0.8, 3, 0.5),
    ],
    ids=["M1", "M2-shared", "M2-own"],
)
def test_training_error_stays_below_its_bound(model, spread, factor, last):
    X, y = blobs(200, 4, spread=spread)
    limit = factor * bound(model.fit(X, y).estimator_errors_)
    assert (1 - model.train_score_ <= limit + 1e-12).all()
    assert limit[-1] < last


@pytest.mark.parametrize("shared", [True, False])
def test_hamming_loss_of_mh_stays_below_its_bound(shared):
    X, y = blobs(200, 4, spread=1.2)
    model = AdaBoostMHClassifier(Tree(max_leaf_nodes=4), shared=shared, n_estimators=40).fit(X, y)
    limit = np.cumprod(np.sqrt(1 - model.edges_**2))
    target = np.where(np.eye(4)[y] > 0, 1, -1)
    staged = list(model.staged_decision_function(X))
    hamming = np.array([(target * scores <= 0).mean() for scores in staged])
    assert (hamming <= limit + 1e-12).all()
    assert limit[-1] < 0.3


@pytest.mark.parametrize("booster", [SAMMEClassifier, AdaBoostM1Classifier])
def test_class_votes_that_are_all_right_end_the_run(booster):
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    model = booster(Tree(max_leaf_nodes=3), n_estimators=10).fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("perfect", 1)
    assert model.estimator_errors_.tolist() == [0.0]
    assert np.isfinite(model.predict_proba(X)).all()
    assert (model.predict(X) == y).all()


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("booster", [AdaBoostMHClassifier, AdaBoostM2Classifier])
def test_pairs_that_are_all_right_end_the_run(booster, shared):
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    model = booster(Tree(max_leaf_nodes=3), shared=shared, n_estimators=10).fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("perfect", 1)
    assert model.estimator_weights_.tolist() == [18.0]
    assert (model.predict(X) == y).all()
    assert (model.margins(X, y) == 1).all()


@pytest.mark.parametrize(
    "booster", [SAMMEClassifier, AdaBoostM1Classifier, AdaBoostMHClassifier, AdaBoostM2Classifier]
)
def test_a_frame_that_tells_nothing_has_no_edge(booster):
    X, y = np.ones((6, 2)), [0, 1, 2] * 2
    model = booster(n_estimators=5).fit(X, y)
    assert model.stop_reason_ == "no_edge"
    scores = model.decision_function(X)
    assert scores.shape == (6, 3)
    assert (model.predict(X) == model.classes_[scores.argmax(axis=1)]).all()
