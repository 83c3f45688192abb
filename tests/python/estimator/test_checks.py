"""scikit-learn's own checks for every booster, and life inside its tools on Polars frames.

In: the registries of boosters and weak learners, so that a new one is checked by being registered.
Two checks are expected to fail; of one the tests after it prove that it asks for something else
than the algorithms.
"""

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, make_blobs
from sklearn.ensemble import AdaBoostClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from reference.boosting import boost
from reference.multiclass import BOOSTERS as PAIRS_AND_VOTES
from reference.multiclass import decompose
from reference.softmax import sm_boost
from support.registry import (
    BOOSTERS,
    COMMITTEES,
    COUNTING,
    DRAWN_BY_ROW,
    FORGIVING_BY_WEIGHT,
    GRIDS,
    HARD_MARGIN,
    LEARNERS,
    OWN_STEPS,
    every_booster,
    every_mixed_pair,
    in_rounds,
    lively,
    weak,
)
from weakforce import (
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
    boosters,
)

MANY_CLASSES = {**PAIRS_AND_VOTES, "softmax": sm_boost}
#: The booster's name, the learner, a number of rounds and one of classes with which it does so.
FORGETS_START_WEIGHTS = [
    ("discrete", "stump", 100, 2),
    ("arc_gv", "stump", 100, 2),
    ("adaboost_r", "stump", 100, 2),
    ("real", "stump", 100, 3),
    ("real", "rule", 8, 3),
    ("real", "tree", 8, 3),
    ("samme", "tree", 6, 3),
    ("m1", "tree", 6, 3),
    ("mh", "tree", 6, 3),
    ("m2", "tree", 6, 3),
    ("softmax", "stump", 20, 2),
]


def expected_failures(estimator):
    learner = estimator._learner(2)._kind
    expected = {}
    if (estimator._kind, learner) in [case[:2] for case in FORGETS_START_WEIGHTS]:
        reason = "class weights are start weights: rounds make up for them, pure leaves ignore them"
        expected["check_class_weight_classifiers"] = reason
    if estimator._kind in FORGIVING_BY_WEIGHT:
        reason = "class weights are start weights: what is forgiven depends on them too"
        expected["check_class_weight_classifiers"] = reason
    if estimator._kind in COUNTING:
        reason = "a bucket that holds rows of one class is of that class, whatever they weigh"
        expected["check_class_weight_classifiers"] = reason
    if estimator._kind in GRIDS:
        reason = "every node weighs both classes the same"
        expected["check_class_weight_classifiers"] = reason
    if estimator._kind in HARD_MARGIN:
        reason = "the largest smallest margin is that of no rows at all if labels contradict"
        for check in ("check_classifiers_train", "check_class_weight_classifiers"):
            expected[check] = reason
    if estimator._kind in OWN_STEPS:
        reason = "class weights are start weights: rounds make up for them"
        expected["check_class_weight_classifiers"] = reason
        reason = "the trees want some rows in each leaf, whatever they weigh"
        expected["check_sample_weight_equivalence_on_dense_data"] = reason
    if estimator._kind in COMMITTEES:
        reason = "class weights are start weights, which pure leaves ignore"
        expected["check_class_weight_classifiers"] = reason
    if estimator._kind in DRAWN_BY_ROW:
        reason = "every row draws a number, be it of weight two or zero"
        expected["check_sample_weight_equivalence_on_dense_data"] = reason
    if learner == "rbf_net":
        reason = "a net's penalty is shared out by the number of rows, whatever they weigh"
        expected["check_sample_weight_equivalence_on_dense_data"] = reason
    if getattr(estimator, "n_draws", None) is not None:
        reason = "a row of weight two is drawn as often as two rows, but not at the same times"
        expected["check_sample_weight_equivalence_on_dense_data"] = reason
    return expected


def over_every_learner():
    """One booster over every learner but stumps, which the boosters take by default."""
    booster = RealAdaBoostClassifier
    others = [learner for learner in LEARNERS if learner is not Stump]
    return [booster(weak(booster, learner), n_estimators=8) for learner in others]


def other_ways():
    """What the defaults of a booster leave out."""
    return [
        SoftmaxBoostClassifier(Stump(), n_draws=None, n_estimators=20),
        AdaBoostMHClassifier(Tree(max_leaf_nodes=5), shared=True, n_estimators=8),
        RealAdaBoostClassifier(Tree(max_leaf_nodes=5, smoothing=0.01), multi_class="ovo"),
    ]


@parametrize_with_checks(
    [booster() for booster in boosters()] + over_every_learner() + other_ways(),
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def class_weight_problem(n_classes=2):
    """Return the data of check_class_weight_classifiers."""
    X, y = make_blobs(centers=n_classes, random_state=0, cluster_std=20)
    return train_test_split(X, y, test_size=0.5, random_state=0)


def naive_scores(kind, columns, y, weights, rounds, learner, later):
    """The scores of the naive booster, a column for each class; of two, H for the second."""
    if kind in MANY_CLASSES:
        return MANY_CLASSES[kind](columns, y, weights, rounds, learner).scores(later)
    if len(set(y)) > 2:
        votes = {**learner, "answer": "logistic", "smoothing": weights.min() / weights.sum()}
        return decompose(kind, "ovr", columns, y, weights, rounds, votes).scores(later)
    signs = np.where(y == 1, 1, -1)
    scores = boost(kind, columns, signs, weights, rounds, learner).scores(later)
    return np.column_stack([-scores, scores])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "learner", "rounds", "n_classes"), FORGETS_START_WEIGHTS)
def test_the_naive_boosters_fail_the_class_weight_check_in_the_same_way(
    kind, learner, rounds, n_classes
):
    X, X_test, y, _ = class_weight_problem(n_classes)
    booster = next(booster for booster in BOOSTERS if booster._kind == kind)
    chosen = weak(booster, next(each for each in LEARNERS if each._kind == learner))
    factors = {label: 1000 if label == 0 else 0.0001 for label in range(n_classes)}
    model = booster(chosen, n_estimators=rounds, class_weight=factors).fit(X, y)
    weights = np.where(y == 0, 1000, 0.0001)
    parameters = {"kind": learner, **chosen.get_params()}
    parameters.pop("splitter", None)
    parameters.pop("max_features", None)
    if n_classes > 2:
        parameters.pop("smoothing")
    later = X_test.T.tolist()
    scores = naive_scores(kind, X.T.tolist(), y, weights, rounds, parameters, later)
    predicted = scores.argmax(axis=1)
    assert np.mean(predicted == 0) <= 0.87  # what the check asks for more than
    assert (model.predict(X_test) == predicted).all()


def test_scikit_learns_adaboost_fails_the_class_weight_check_in_the_same_way():
    X, X_test, y, _ = class_weight_problem()
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    weights = np.where(y == 0, 1000, 0.0001)
    stump = DecisionTreeClassifier(max_depth=1)
    peer = AdaBoostClassifier(stump, n_estimators=100, random_state=0).fit(X, y, weights)
    model = DiscreteAdaBoostClassifier(Stump(criterion="gini"), n_estimators=100)
    model.fit(X, y, weights)
    for fitted in (peer, model):
        assert np.mean(fitted.predict(X_test) == 0) <= 0.87
    assert (model.predict(X) == peer.predict(X)).all()  # between those rows, cuts may differ


# Inside scikit-learn's tools


def mixed_frame(rows=160, seed=0):
    """Return a frame of numbers with nulls, categories and dates, and string labels."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=rows), rng.normal(size=rows)
    day = pl.Series(rng.integers(18_000, 20_000, rows)).cast(pl.Date)
    frame = pl.DataFrame(
        {
            "a": pl.Series(a).set(pl.Series(rng.random(rows) < 0.1), None),
            "b": b,
            "city": rng.choice(["Rome", "Oslo", "Lima"], rows),
            "day": day,
        }
    ).with_columns(pl.col("city").cast(pl.Enum(["Oslo", "Lima", "Rome"])))
    bonus = np.where(frame["city"] == "Rome", 1.0, -0.5)
    y = pl.Series("y", np.where(a + b + bonus + 0.3 * rng.normal(size=rows) > 0, "good", "bad"))
    return frame, y


@pytest.mark.slow
@every_mixed_pair
def test_cross_validation_on_a_polars_frame_equals_folds_made_by_hand(booster, learner):
    X, y = mixed_frame()
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    model = booster(weak(booster, learner), n_estimators=12, **lively(booster))
    by_hand = []
    for train, test in folds.split(X, y):
        by_hand.append(clone(model).fit(X[train], y[train]).score(X[test], y[test]))
    np.testing.assert_array_equal(cross_val_score(model, X, y, cv=folds), by_hand)
    assert np.mean(by_hand) > 0.75
    predicted = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    assert ((predicted[:, 1] >= 0.5) == (y == "good").to_numpy()).mean() > 0.75
    assert cross_val_score(model, X, y, cv=folds, scoring="roc_auc").min() > 0.75


@pytest.mark.slow
@every_booster
def test_grid_search_reaches_the_learners_parameters(booster):
    X, y = mixed_frame()
    weight = np.random.default_rng(1).random(len(y)) + 0.1
    answer, parameters = booster()._default_learner().answer, lively(booster)
    (rounds,) = in_rounds(booster, 0)
    grid = {"estimator__criterion": ["error", "z", "gini"], rounds: [2, 15]}
    search = GridSearchCV(booster(Stump(answer=answer), **parameters), grid, cv=3)
    search.fit(X, y, sample_weight=weight)
    assert len(search.cv_results_["params"]) == 6
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    best = search.best_params_
    direct = booster(
        Stump(answer=answer, criterion=best["estimator__criterion"]),
        **in_rounds(booster, best[rounds]),
        **parameters,
    ).fit(X, y, weight)
    assert (search.decision_function(X) == direct.decision_function(X)).all()
    assert search.best_estimator_.estimator.criterion == best["estimator__criterion"]


def test_threads_of_joblib_find_the_same_scores():
    X, y = mixed_frame()
    model = DiscreteAdaBoostClassifier(n_estimators=20)
    expected = cross_val_score(model, X, y, cv=4)
    with parallel_config(backend="threading", n_jobs=4):
        np.testing.assert_array_equal(cross_val_score(model, X, y, cv=4), expected)


@every_booster
def test_pipeline_of_polars_frames(booster):
    X, y = mixed_frame()
    scaled = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="polars")
    model = make_pipeline(scaled, booster(n_estimators=10, **lively(booster))).fit(X, y)
    assert model[-1].feature_names_in_.tolist() == ["a", "b", "city", "day"]
    assert model.score(X, y) > 0.75
    (rounds,) = in_rounds(booster, 0)
    model.set_params(**{f"{booster.__name__.lower()}__{rounds}": 3})
    assert getattr(model[-1], rounds) == 3


@every_mixed_pair
def test_pipeline_of_arrays_ignores_a_monotone_transformation(booster, learner):
    X, y = load_breast_cancer(return_X_y=True)
    model = booster(weak(booster, learner), n_estimators=5)
    piped = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    assert (piped.predict(X) == model.fit(X, y).predict(X)).all()


# Parameters


@every_booster
def test_parameters_can_be_read_set_cloned_and_printed(booster):
    learner = Stump(criterion="gini", smoothing=0.5)
    model = booster(learner, n_estimators=7, class_weight={"a": 2.0})
    parameters = model.get_params()
    assert parameters["estimator__criterion"] == "gini"
    assert set(model.get_params(deep=False)) | {
        f"estimator__{name}" for name in learner.get_params()
    } == set(parameters)
    model.set_params(estimator__smoothing=0.25, learning_rate=0.1)
    assert (learner.smoothing, model.learning_rate) == (0.25, 0.1)
    copy = clone(model)
    assert copy.estimator is not learner
    assert repr(copy) == repr(model)
    name = booster.__name__
    bare = getattr(booster, "booster", booster)  # and not as the registry makes it
    rounds = in_rounds(bare, 7)
    assert repr(bare(**rounds)) == f"{name}({next(iter(rounds))}=7)"
    assert repr(bare(Stump(answer="gentle"))) == f"{name}(estimator=Stump(answer='gentle'))"
    with pytest.raises(ValueError, match="no_such"):
        model.set_params(no_such=1)
    with pytest.raises(TypeError):
        booster(learner, 7)


@every_mixed_pair
def test_fit_changes_no_parameter(booster, learner):
    X, y = mixed_frame()
    learner, callbacks = learner(), []
    model = booster(learner, n_estimators=3, callbacks=callbacks, categorical_features=["city"])
    before = dict(model.get_params(), estimator=repr(learner))
    model.fit(X, y)
    assert dict(model.get_params(), estimator=repr(learner)) == before
    assert model.estimator is learner
    assert model.callbacks is callbacks
    assert not hasattr(clone(model), "classes_")
