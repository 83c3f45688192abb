"""scikit-learn's own checks for every booster, and life inside its tools on Polars frames.

In: the registries of boosters and weak learners, so that a new one is checked by being registered.
One check is expected to fail, for nets.
"""

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from support.registry import (
    LEARNERS,
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


def expected_failures(estimator):
    check = "check_sample_weight_equivalence_on_dense_data"
    if estimator._learner(2)._kind == "rbf_net":
        return {check: "a net's penalty is shared out by the number of rows, whatever they weigh"}
    return {}


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
        RealAdaBoostClassifier(Tree(max_leaf_nodes=5), n_estimators=8, multi_class="ovo"),
    ]


@parametrize_with_checks(
    [booster() for booster in boosters()] + over_every_learner() + other_ways(),
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


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
