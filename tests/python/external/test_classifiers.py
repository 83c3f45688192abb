"""Scikit-learn classifiers as weak learners, seen from outside: fit, predict, agree with peers.

What they are handed is in external/test_views.py; pickles, errors and interrupts in
external/test_life.py.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import weakforce
from support.registry import CORRECTIVE, VOTERS, every_single_booster
from weakforce import (
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    Rule,
    Stump,
    Tree,
    datasets,
)

CLASSIFIERS = [
    GaussianNB(),
    LogisticRegression(C=0.1),
    DecisionTreeClassifier(max_depth=2, random_state=0),
    RandomForestClassifier(n_estimators=3, max_depth=2),
    SVC(C=0.05, kernel="poly"),
    RidgeClassifier(),
    DiscreteAdaBoostClassifier(n_estimators=3),
]

every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)


def banana(rows=300, seed=1):
    domain = datasets.make_banana(rows, noise=0.1, seed=seed)
    return domain.X, domain.y.to_numpy()


def answers_of(classifier, X, positive, real):
    """What a classifier says to the rows of X, written from the definition."""
    if real and hasattr(classifier, "predict_proba"):
        return 2 * classifier.predict_proba(X)[:, list(classifier.classes_).index(positive)] - 1
    return np.where(classifier.predict(X) == positive, 1.0, -1.0)


@every_classifier
@every_single_booster
def test_scores_are_weighted_sums_of_the_classifiers_answers(booster, classifier):
    X, y = banana()
    # Six of these classifiers have no margin on four fifths of the rows, as by default.
    margin = {"nu": 0.7} if booster._kind in CORRECTIVE else {}
    model = booster(classifier, n_estimators=6, random_state=3, **margin).fit(X, y)
    assert len(model.estimators_) == model.n_iter_ > 0
    assert all(type(member) is type(classifier) for member in model.estimators_)
    expected = np.zeros(len(y))
    stages = list(model.staged_decision_function(X))
    real = booster not in VOTERS
    for member, alpha, stage in zip(
        model.estimators_, model.estimator_weights_, stages, strict=True
    ):
        expected += alpha * answers_of(member, X, model.classes_[1], real)
        np.testing.assert_allclose(stage, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=0, atol=1e-9)
    assert np.mean(model.predict(X) == y) == pytest.approx(model.train_score_[-1])
    assert model.score(X, y) > 0.6
    assert type(classifier).__name__ in model.summary()


@every_classifier
def test_the_classifier_given_stays_unfitted_and_unchanged(classifier):
    before = {**vars(classifier)}
    model = RealAdaBoostClassifier(classifier, n_estimators=2).fit(*banana(100))
    assert vars(classifier) == before
    assert model.estimator is classifier
    assert model.estimators_[0] is not model.estimators_[1]


def test_errors_and_edges_are_those_of_the_weights_of_the_round():
    X, y = banana()
    weights = []

    def note(info):
        weights.append(info.error)

    model = DiscreteAdaBoostClassifier(GaussianNB(), n_estimators=5, callbacks=note).fit(X, y)
    w = np.full(len(y), 1 / len(y))
    for member, alpha, error in zip(
        model.estimators_, model.estimator_weights_, model.estimator_errors_, strict=True
    ):
        wrong = member.predict(X) != y
        assert w[wrong].sum() == pytest.approx(error, abs=1e-9)
        assert alpha == pytest.approx(np.log((1 - error) / error) / 2)
        w = w * np.exp(2 * alpha * wrong)
        w /= w.sum()
    np.testing.assert_allclose(model.row_weights_, w, atol=1e-9)
    assert weights == model.estimator_errors_.tolist()


ROUNDS = 30


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_one_split_trees_agree_with_our_stumps_and_scikit_learns_adaboost(weighted):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32)
    sample_weight = np.random.default_rng(0).random(len(y)) if weighted else None
    tree = DecisionTreeClassifier(max_depth=1)
    outside = DiscreteAdaBoostClassifier(tree, n_estimators=ROUNDS, random_state=0)
    ours = DiscreteAdaBoostClassifier(
        Stump(criterion="gini"), n_estimators=ROUNDS, max_bins=1000
    ).fit(X, y, sample_weight)
    peer = AdaBoostClassifier(tree, n_estimators=ROUNDS, random_state=0).fit(X, y, sample_weight)
    outside.fit(X, y, sample_weight)
    for errors in (ours.estimator_errors_, peer.estimator_errors_):
        np.testing.assert_allclose(outside.estimator_errors_, errors, rtol=0, atol=1e-6)
    for alphas in (ours.estimator_weights_, peer.estimator_weights_ / 2):
        np.testing.assert_allclose(outside.estimator_weights_, alphas, rtol=0, atol=1e-6)
    assert (outside.predict(X) == ours.predict(X)).all()
    assert (outside.predict(X) == peer.predict(X)).all()


def test_whole_trees_agree_with_ours():
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32)
    tree = DecisionTreeClassifier(max_leaf_nodes=4)
    outside = DiscreteAdaBoostClassifier(tree, n_estimators=3, random_state=0).fit(X, y)
    learner = Tree(max_leaf_nodes=4)
    ours = DiscreteAdaBoostClassifier(learner, n_estimators=3, max_bins=1000).fit(X, y)
    np.testing.assert_allclose(outside.estimator_errors_, ours.estimator_errors_, atol=1e-6)


def containers(X):
    frame = pl.DataFrame(X, schema=["a", "b"])
    return {
        "numpy": X,
        "fortran": np.asfortranarray(X),
        "list": X.tolist(),
        "polars": frame,
        "lazy": frame.lazy(),
        "pandas": pd.DataFrame(X, columns=["a", "b"], index=np.arange(len(X))[::-1]),
        "pyarrow": pa.table({"a": X[:, 0], "b": X[:, 1]}),
        "reader": pa.table({"a": X[:, 0], "b": X[:, 1]}).to_reader(),
    }


@pytest.mark.parametrize("name", containers(np.zeros((1, 2))))
@pytest.mark.parametrize("early_stopping", [False, True])
def test_every_container_gives_the_same_model(name, early_stopping):
    X, y = banana()
    X = np.asarray(X)
    options = {"n_estimators": 5, "early_stopping": early_stopping, "random_state": 1}
    expected = RealAdaBoostClassifier(GaussianNB(), **options).fit(X, y)
    model = RealAdaBoostClassifier(GaussianNB(), **options).fit(containers(X)[name], y)
    scores = expected.decision_function(X)
    assert np.array_equal(model.decision_function(containers(X)[name]), scores)
    assert np.array_equal(model.validation_score_, expected.validation_score_)
    assert len(model.validation_score_) == (model.n_iter_ if early_stopping else 0)


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_columns_are_found_by_name_and_further_ones_dropped(library):
    X, y = banana()
    frame = pl.DataFrame(np.asarray(X), schema=["a", "b"])
    more = frame.select(pl.lit("text").alias("first"), "b", "a", pl.lit(None).alias("last"))
    if library == "pandas":
        frame, more = frame.to_pandas(), more.to_pandas()
    model = DiscreteAdaBoostClassifier(LogisticRegression(), n_estimators=4)
    model.fit(frame, y, X_val=more, y_val=y)
    assert np.array_equal(model.decision_function(more), model.decision_function(frame))
    assert np.array_equal(model.validation_score_, model.train_score_)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert list(model.estimators_[0].feature_names_in_) == ["a", "b"]
    with pytest.raises(ValueError, match="'a'"):
        model.predict(more[["b"]] if library == "pandas" else more.select("b"))


def test_a_column_of_the_frame_can_be_the_target():
    X, y = banana()
    frame = pl.DataFrame(np.asarray(X), schema=["a", "b"]).with_columns(y=pl.Series(y))
    model = DiscreteAdaBoostClassifier(GaussianNB(), n_estimators=3).fit(frame, "y")
    assert model.n_features_in_ == 2
    assert model.score(frame, "y") == pytest.approx(model.train_score_[-1])


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [2.0, 7.0]])
def test_labels_are_handed_over_as_they_are(labels):
    X, y = banana()
    named = np.array(labels)[np.asarray(y == np.max(y)).astype(int)]
    for given in (named, pl.Series(named)):
        model = RealAdaBoostClassifier(GaussianNB(), n_estimators=3).fit(X, given)
        assert model.estimators_[0].classes_.tolist() == labels
        assert set(model.predict(X)) <= set(labels)
        assert model.score(X, given) > 0.6


def test_early_stopping_watches_the_classifiers_too():
    X, y = banana(400)
    options = {"n_estimators": 200, "early_stopping": True, "n_iter_no_change": 3}
    model = RealAdaBoostClassifier(GaussianNB(), random_state=0, **options).fit(X, y)
    assert model.stop_reason_ == "early_stopping"
    assert (model.row_weights_ == 0).sum() == 40


def test_warm_start_goes_on_where_it_stopped():
    X, y = banana()
    forest = RandomForestClassifier(n_estimators=2, max_depth=2)
    options = {"random_state": 5}
    whole = DiscreteAdaBoostClassifier(forest, n_estimators=8, **options).fit(X, y)
    model = DiscreteAdaBoostClassifier(forest, n_estimators=3, warm_start=True, **options)
    first = model.fit(X, y).estimators_
    model.set_params(n_estimators=8).fit(X, y)
    assert all(a is b for a, b in zip(first, model.estimators_, strict=False))
    np.testing.assert_allclose(model.decision_function(X), whole.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("learners", [(GaussianNB(), Stump()), (Rule(), GaussianNB())], ids=str)
def test_warm_start_does_not_mix_classifiers_with_learners_of_ours(learners):
    X, y = banana()
    model = DiscreteAdaBoostClassifier(learners[0], n_estimators=2, warm_start=True).fit(X, y)
    scores = model.decision_function(X)
    model.set_params(estimator=learners[1], n_estimators=4)
    with pytest.raises(ValueError, match=r"'estimator'.*warm_start=True"):
        model.fit(X, y)
    assert np.array_equal(model.decision_function(X), scores)


def test_warm_start_may_change_the_classifier():
    X, y = banana()
    model = DiscreteAdaBoostClassifier(GaussianNB(), n_estimators=2, warm_start=True).fit(X, y)
    model.set_params(estimator=DecisionTreeClassifier(max_depth=1), n_estimators=4).fit(X, y)
    kinds = [type(member) for member in model.estimators_]
    assert kinds == [GaussianNB] * 2 + [DecisionTreeClassifier] * 2


def test_seeds_follow_from_the_seed_and_the_round():
    X, y = banana()
    forest = RandomForestClassifier(n_estimators=2, max_depth=2, random_state=11)
    first, again, other = (
        RealAdaBoostClassifier(forest, n_estimators=4, random_state=seed).fit(X, y)
        for seed in (1, 1, 2)
    )
    seeds = [member.random_state for member in first.estimators_]
    assert len(set(seeds)) == 4
    assert [member.random_state for member in again.estimators_] == seeds
    assert set(seeds).isdisjoint(member.random_state for member in other.estimators_)
    assert np.array_equal(first.decision_function(X), again.decision_function(X))


def test_grid_searches_reach_into_the_classifier():
    X, y = banana()
    model = RealAdaBoostClassifier(DecisionTreeClassifier(), n_estimators=3)
    search = GridSearchCV(model, {"estimator__max_depth": [1, 3]}, cv=3).fit(X, y)
    assert search.best_estimator_.estimators_[0].max_depth in (1, 3)
    search = GridSearchCV(model, {"estimator": [DecisionTreeClassifier(), Tree()]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.6


def test_importances_are_the_weighted_mean_of_the_classifiers_own():
    X, y = banana()
    model = RealAdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=5).fit(X, y)
    weights = np.abs(model.estimator_weights_)
    own = [member.feature_importances_ for member in model.estimators_]
    np.testing.assert_allclose(model.feature_importances_, weights @ own / weights.sum())
    linear = DiscreteAdaBoostClassifier(LogisticRegression(), n_estimators=3).fit(X, y)
    assert linear.feature_importances_.shape == (2,)
    assert linear.feature_importances_.sum() == pytest.approx(1.0)
    assert "importance" in linear.summary()
    silent = DiscreteAdaBoostClassifier(GaussianNB(), n_estimators=3).fit(X, y)
    assert not hasattr(silent, "feature_importances_")
    assert silent.set_params(estimator=Stump()).fit(X, y).feature_importances_.shape == (2,)


def test_tags_say_what_the_classifier_can_do():
    for classifier in CLASSIFIERS:
        tags, inner = get_tags(DiscreteAdaBoostClassifier(classifier)), get_tags(classifier)
        assert tags.input_tags.allow_nan == inner.input_tags.allow_nan
        assert tags.input_tags.categorical == inner.input_tags.categorical
        assert tags.classifier_tags.multi_class
    assert get_tags(DiscreteAdaBoostClassifier()).input_tags.allow_nan
    assert not get_tags(DiscreteAdaBoostClassifier(weakforce.RBFNet())).input_tags.categorical
    get_tags(DiscreteAdaBoostClassifier(object()))


@parametrize_with_checks(
    [
        DiscreteAdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=10),
        RealAdaBoostClassifier(GaussianNB(), n_estimators=10),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
