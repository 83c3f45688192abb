"""Rows with the same codes and class are boosted as one, which changes nothing but the time.

In: frames with few distinct rows, every booster with every learner that reads codes. Rows of equal
start weight give the same model to the bit, with merging and without; other weights up to rounding,
and so do boosters that add up numbers of all rows instead of their weights, or solve programs.
"""

import numpy as np
import polars as pl
import pytest

import weakforce
from support.equal_models import SCORES, assert_equal_up_to_rounding
from support.registry import (
    ROUNDED_WHEN_MERGED,
    every_mixed_pair,
    in_rounds,
    some_mixed_pairs,
    weak,
)
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Rule, Tree, datasets


def xd6():
    X, y = datasets.make_xd6(2500, seed=1)
    return X, np.asarray(y)


def categories():
    """Categories and missing values: 400 rows, at most 90 of them different."""
    rng = np.random.default_rng(2)
    X = pl.DataFrame(
        {
            "city": rng.choice(["Rome", "Oslo", None], 400).tolist(),
            "size": pl.Series(rng.choice([1.5, 2.5, 7.0, np.nan], 400)).fill_nan(None),
            "flag": rng.random(400) < 0.3,
            "code": rng.choice(list("abcde"), 400, p=[0.5, 0.2, 0.1, 0.1, 0.1]),
        }
    )
    score = (X["city"] == "Rome").fill_null(True).cast(int) + (X["size"].fill_null(0) > 2).cast(int)
    y = (score.to_numpy() + 1.2 * rng.normal(size=400) > 0.8).astype(int)
    return X, y


def coarse_numbers():
    """Numbers that all differ, but not once they are binned."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 3))
    return X, (X.sum(axis=1) + rng.normal(size=600) > 0).astype(int)


PROBLEMS = {"xd6": xd6, "categories": categories, "coarse numbers": coarse_numbers}
every_problem = pytest.mark.parametrize("problem", PROBLEMS)


@pytest.fixture
def fit_both(monkeypatch):
    """Fits with merging and without."""

    def fit(model, *data, **named):
        fitted = []
        for merge in (True, False):
            monkeypatch.setattr(weakforce._estimator.fitting, "_MERGE_ROWS", merge)
            again = type(model)(**model.get_params(deep=False))
            fitted.append(again.fit(*data, **named))
        return fitted

    return fit


def make(booster, learner, **parameters):
    return booster(weak(booster, learner), **{"n_estimators": 12, "max_bins": 5, **parameters})


def assert_same(merged, plain, X):
    if merged._kind in ROUNDED_WHEN_MERGED:
        assert_same_up_to_rounding(merged, plain, X)
    else:
        assert_same_to_the_bit(merged, plain, X)


def assert_same_to_the_bit(merged, plain, X):
    assert merged.fitted_model_.core.to_json("{}") == plain.fitted_model_.core.to_json("{}")
    assert merged.row_weights_.tobytes() == plain.row_weights_.tobytes()
    assert merged.decision_function(X).tobytes() == plain.decision_function(X).tobytes()
    assert merged.n_iter_ > 1


def assert_same_up_to_rounding(merged, plain, X):
    more = ("row_weights_", *SCORES, "feature_importances_")
    assert_equal_up_to_rounding(merged, plain, X, more)


@every_problem
@every_mixed_pair
def test_equal_start_weights_give_the_same_model_to_the_bit(problem, booster, learner, fit_both):
    X, y = PROBLEMS[problem]()
    assert_same(*fit_both(make(booster, learner), X, y), X)


@every_problem
@every_mixed_pair
def test_sample_weights_give_the_same_model_up_to_rounding(problem, booster, learner, fit_both):
    X, y = PROBLEMS[problem]()
    weights = np.random.default_rng(4).random(len(y)) + 0.1
    weights[::9] = 0.0
    merged, plain = fit_both(make(booster, learner), X, y, weights)
    assert_same_up_to_rounding(merged, plain, X)
    assert (merged.row_weights_[::9] == 0).all()


@every_mixed_pair
def test_class_weights_and_early_stopping_do_not_tell(booster, learner, fit_both):
    X, y = categories()
    parameters = {"class_weight": {0: 3.0, 1: 0.7}, "early_stopping": True, "random_state": 5}
    model = make(booster, learner, n_estimators=60, **parameters)
    merged, plain = fit_both(model, X, y)
    assert_same_up_to_rounding(merged, plain, X)
    assert len(merged.validation_score_) == merged.n_iter_


@some_mixed_pairs
def test_validation_scores_are_the_same_to_the_bit(booster, learner, fit_both):
    X, y = xd6()
    model = make(booster, learner, n_estimators=40, early_stopping=True, random_state=1)
    merged, plain = fit_both(model, X, y)
    assert_same(merged, plain, X)
    assert (merged.validation_score_ == plain.validation_score_).all()
    given = {"X_val": X[:700], "y_val": y[:700]}
    merged, plain = fit_both(make(booster, learner), X[700:], y[700:], **given)
    assert_same(merged, plain, X)
    assert (merged.validation_score_ == plain.validation_score_).all()


@some_mixed_pairs
def test_warm_starts_do_not_tell(booster, learner, fit_both, monkeypatch):
    X, y = categories()
    long, _ = fit_both(make(booster, learner, n_estimators=9), X, y)
    for merge in ([True, True], [False, True], [True, False]):
        model = make(booster, learner, n_estimators=4, warm_start=True)
        for rounds, merged in zip((4, 9), merge, strict=True):
            monkeypatch.setattr(weakforce._estimator.fitting, "_MERGE_ROWS", merged)
            model.set_params(**in_rounds(model, rounds)).fit(X, y)
        assert_same(model, long, X)


def test_leaves_count_the_rows_that_were_merged(fit_both):
    X, y = categories()
    for least in (2, 15, 40):
        learner = Tree(max_leaf_nodes=8, min_samples_leaf=least)
        models = fit_both(RealAdaBoostClassifier(learner, n_estimators=5), X, y)
        assert_same_to_the_bit(*models, X)
        rows = [tree.rows for tree in models[0].estimators_]
        assert min(map(min, rows)) >= least
        assert {sum(counts) for counts in rows} == {400}


def test_rules_count_the_rows_that_were_merged(fit_both):
    X, y = categories()
    models = fit_both(RealAdaBoostClassifier(Rule(), n_estimators=8), X, y)
    fired = [
        [int(X.select(rule.expression()).to_series().sum()) for rule in model.estimators_]
        for model in models
    ]
    assert fired[0] == fired[1] == [rule.rows_inside for rule in models[0].estimators_]


def test_rows_that_are_drawn_one_by_one_are_not_merged(fit_both):
    X, y = xd6()
    model = DiscreteAdaBoostClassifier(Rule(), n_estimators=8, resample=True, random_state=3)
    assert_same_to_the_bit(*fit_both(model, X, y), X)


def test_merging_saves_the_time_of_the_rows_that_are_alike(fit_both):
    X, y = datasets.make_xd6(150_000, seed=1)
    model = DiscreteAdaBoostClassifier(Rule(max_literals=3), n_estimators=40)
    merged, plain = fit_both(model, X, y)
    assert merged.fit_times_["boosting"] < 0.5 * plain.fit_times_["boosting"]
    assert_same_to_the_bit(merged, plain, X)
