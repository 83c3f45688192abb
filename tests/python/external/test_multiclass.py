"""Scikit-learn classifiers under boosters of many classes: labels as they are, or one side each.

SAMME and M1 hand labels over and are compared with scikit-learn's own SAMME; all others ask for one
side of a two-class problem at a time.
"""

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from support.small_multiclass_problems import blobs
from weakforce import (
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
)

X, CODES = blobs(120, 3, spread=1.5)
NAMES = np.array(["ash", "elm", "oak"])
Y = NAMES[CODES]
WEIGHTS = np.random.default_rng(0).random(120) + 0.1
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)

TARGETED = {
    "MH": AdaBoostMHClassifier(n_estimators=4),
    "M2 own": AdaBoostM2Classifier(shared=False, n_estimators=4),
    "softmax": SoftmaxBoostClassifier(n_estimators=4, random_state=0),
    "softmax all": SoftmaxBoostClassifier(n_draws=None, n_estimators=4),
    "ovr": DiscreteAdaBoostClassifier(n_estimators=4),
    "ovo": RealAdaBoostClassifier(n_estimators=4, multi_class="ovo"),
}


def make(name, classifier, **parameters):
    model = TARGETED[name]
    fresh = type(model)(**model.get_params(deep=False))
    return fresh.set_params(estimator=classifier, **parameters)


@pytest.mark.parametrize("classifier", [TREE, GaussianNB(), LogisticRegression()], ids=repr)
def test_samme_over_scikit_learns_classifiers_is_scikit_learns_samme(classifier):
    peer = AdaBoostClassifier(classifier, n_estimators=8, random_state=0).fit(X, Y, WEIGHTS)
    model = SAMMEClassifier(classifier, n_estimators=8).fit(X, Y, WEIGHTS)
    if isinstance(classifier, LogisticRegression):
        assert abs(model.score(X, Y) - peer.score(X, Y)) < 0.1  # regularised by the total weight
        return
    rounds = model.n_iter_
    assert rounds == len(peer.estimators_) > 2  # though scikit-learn's arrays may be longer
    for name in ("estimator_errors_", "estimator_weights_"):
        np.testing.assert_allclose(getattr(model, name), getattr(peer, name)[:rounds], atol=1e-6)
    assert (model.predict(X) == peer.predict(X)).all()


@pytest.mark.parametrize("booster", [SAMMEClassifier, AdaBoostM1Classifier])
def test_votes_are_weighted_sums_of_the_classifiers_labels(booster):
    model = booster(DecisionTreeClassifier(max_depth=4), n_estimators=5, random_state=1)
    model.fit(X, Y, WEIGHTS)
    assert model.n_iter_ > 1
    expected = np.zeros((120, 3))
    stages = model.staged_decision_function(X)
    for tree, alpha, stage in zip(model.estimators_, model.estimator_weights_, stages, strict=True):
        assert tree.classes_.tolist() == NAMES.tolist()
        expected += alpha * (tree.predict(X)[:, None] == NAMES)
        np.testing.assert_allclose(stage, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", TARGETED)
def test_scores_are_weighted_sums_of_the_classifiers_sides(name):
    model = make(name, TREE).fit(X, Y, WEIGHTS)
    scores = np.zeros((120, 3))
    for trees, alphas in zip(model.estimators_, model.estimator_weights_, strict=True):
        assert len(trees) == 3
        for place, tree in enumerate(trees):
            if tree is None:
                continue
            alpha = alphas if np.ndim(alphas) == 0 else alphas[place]
            shares = tree.predict_proba(X)[:, list(tree.classes_).index(1)]
            side = 2 * shares - 1 if name == "ovo" else np.where(tree.predict(X) == 1, 1.0, -1.0)
            scores[:, place] += alpha * side
    if name == "ovo":
        scores = scores @ model.code_.T
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=0, atol=1e-9)
    assert model.score(X, Y) > 0.5
    assert "DecisionTreeClassifier" in model.summary()


@pytest.mark.parametrize("name", TARGETED)
def test_models_are_pickled_and_go_on(name):
    long = make(name, TREE, n_estimators=4).fit(X, Y)
    model = make(name, TREE, n_estimators=2, warm_start=True).fit(X, Y)
    model = pickle.loads(pickle.dumps(model)).set_params(n_estimators=4).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), long.decision_function(X), atol=1e-9)
    with pytest.raises(TypeError, match="DecisionTreeClassifier"):
        model.save("nowhere.json")


@pytest.mark.parametrize("name", [*TARGETED, "SAMME"])
def test_frames_come_by_name_and_importances_are_means(name):
    frame = pl.DataFrame(X, schema=["a", "b", "c"])
    model = SAMMEClassifier(TREE, n_estimators=4) if name == "SAMME" else make(name, TREE)
    model.fit(frame, Y, X_val=frame[:30], y_val=Y[:30])
    shuffled = frame.select("c", pl.lit("more").alias("d"), "a", "b")
    assert np.array_equal(model.decision_function(shuffled), model.decision_function(frame))
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(
        model.validation_score_, list(model.staged_score(frame[:30], Y[:30])), rtol=1e-12
    )


def test_seeds_follow_from_the_seed_and_the_round():
    forest = RandomForestClassifier(n_estimators=2, max_depth=2)
    first, again, other = (
        make("MH", forest, random_state=seed).fit(X, Y).decision_function(X) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("booster", [AdaBoostMHClassifier, AdaBoostM2Classifier])
def test_no_classifier_answers_for_all_classes_at_once(booster):
    with pytest.raises(ValueError, match=r"'estimator'.*shared"):
        booster(TREE, shared=True).fit(X, Y)


def test_a_class_without_rows_in_a_problem_is_answered_without_a_fit():
    weights = np.where(Y == "elm", 0.0, 1.0)
    model = make("MH", GaussianNB()).fit(X, Y, weights)
    assert (model.predict(X) != "elm").all()
    assert type(model.estimators_[0][1]).__name__ == "DummyClassifier"


def test_costs_reach_classifiers_as_sides_and_weights():
    cost = np.array([[0, 1, 1], [1, 0, 1], [30, 30, 0]])
    plain, careful = (
        make("softmax all", TREE, cost=given, n_estimators=10).fit(X, Y) for given in (None, cost)
    )
    missed = [(model.predict(X) != Y)[Y == "oak"].sum() for model in (plain, careful)]
    assert missed[1] < missed[0]
