"""Runs of many classes: weights, merged rows, threads, early stopping, callbacks, warm start.

In: every variant of support/multiclass_variants.py on small frames with categories and missing
values. Out: the same bytes where nothing may differ, the same numbers up to rounding elsewhere.
"""

import numpy as np
import polars as pl
import pytest

import weakforce
from reference.early_stopping import expected_rounds, watched_by
from reference.learners import to_frame
from support.equal_models import assert_equal_up_to_rounding
from support.multiclass_variants import (
    VARIANTS,
    WITHOUT_DRAWS,
    every_sure_variant,
    every_variant,
    fit,
    make,
    one_variant_each,
)
from support.registry import COMMITTEES, COUNTING, FORGIVING, GRIDS, LOOKING_BACK
from support.small_multiclass_problems import blobs, class_problem
from weakforce import RoundInfo, SAMMEClassifier, Stump

COLUMNS, Y, WEIGHTS, LATER = class_problem(4, 3, noise=1.5, rows=90)
X, X_LATER = to_frame(COLUMNS), to_frame(LATER)


def test_every_booster_of_the_registry_has_a_variant():
    elsewhere = (*FORGIVING, *COMMITTEES, *COUNTING, *GRIDS, *LOOKING_BACK)  # boosters/test_*
    here = {booster for booster in weakforce.boosters() if booster._kind not in elsewhere}
    assert {type(model) for model in VARIANTS.values()} == here


def fingerprint(model):
    """Every number of a fitted model, and its row weights, as bytes."""
    return model.fitted_model_.core.to_json("{}"), model.row_weights_.tobytes()


def test_variants_are_worth_comparing():
    for name in VARIANTS:
        assert fit(name, X, Y, WEIGHTS).n_iter_ > 2, name


# Weights


# Coupling counts rows: many tell more than few of as much weight.
@pytest.mark.parametrize("name", [name for name in WITHOUT_DRAWS if "coupling" not in name])
def test_whole_weights_equal_repeated_rows(name):
    counts = np.random.default_rng(1).integers(0, 4, len(Y))
    rows = np.repeat(np.arange(len(Y)), counts)
    smooth = {"estimator__smoothing": 0.01}  # by default that of the lightest row
    model = fit(name, X, Y, counts, parameters=smooth)
    expected = fit(name, X[rows], Y[rows], parameters=smooth)
    assert_equal_up_to_rounding(model, expected, X)
    summed = np.bincount(rows, expected.row_weights_, len(Y))
    np.testing.assert_allclose(model.row_weights_, summed, rtol=0, atol=1e-9)


@every_variant
def test_rows_of_weight_zero_are_absent(name):
    there = np.arange(len(Y)) % 5 > 0
    weights = np.where(there, WEIGHTS + 0.1, 0.0)
    model = fit(name, X, Y, weights)
    expected = fit(name, X.filter(there), Y[there], weights[there])
    assert model.fitted_model_.core.to_json("{}") == expected.fitted_model_.core.to_json("{}")
    assert (model.row_weights_[~there] == 0).all()
    assert (model.row_weights_[there] == expected.row_weights_).all()


@every_variant
def test_row_weights_are_a_distribution(name):
    w = fit(name, X, Y, WEIGHTS).row_weights_
    assert w.shape == Y.shape
    assert w.sum() == pytest.approx(1.0, abs=1e-12)
    assert (w[WEIGHTS == 0] == 0).all()
    assert (w >= 0).all()


@every_sure_variant
def test_scaled_weights_give_the_same_model(name):
    expected = fit(name, X, Y, WEIGHTS)
    again = fit(name, X, Y, WEIGHTS * 2.0**40)
    assert again.fitted_model_.core.to_json("{}") == expected.fitted_model_.core.to_json("{}")
    assert_equal_up_to_rounding(fit(name, X, Y, WEIGHTS * 3.7), expected, X)


@every_variant
def test_class_weights_multiply_the_probabilities(name):
    factors = np.array([3.0, 1.0, 0.5])
    model = fit(name, X, Y, WEIGHTS, parameters={"class_weight": {0: 3.0, 2: 0.5}})
    plain = fit(name, X, Y, WEIGHTS)
    weighted = plain.predict_proba(X) * factors
    expected = weighted / weighted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    assert model.row_weights_.tobytes() == plain.row_weights_.tobytes()


@one_variant_each
def test_shuffled_rows_give_the_same_model(name):
    if name.startswith("Softmax"):
        pytest.skip("rows are drawn by their places")
    order = np.random.default_rng(2).permutation(len(Y))
    model = fit(name, X[order], Y[order], WEIGHTS[order])
    assert_equal_up_to_rounding(model, fit(name, X, Y, WEIGHTS), X)


# Threads and merged rows


@every_variant
def test_number_of_threads_changes_no_byte(name):
    X, y = blobs(3000, 3, columns=6, spread=2.0)
    models = [fit(name, X, y, parameters={"n_estimators": 3, "n_jobs": n}) for n in (1, 2, 3)]
    assert len({fingerprint(model) for model in models}) == 1
    scores = {model.decision_function(X).tobytes() for model in models}
    assert len(scores) == 1


def few_different_rows(rows=500):
    """Categories and missing values: at most 60 different rows, of four classes."""
    rng = np.random.default_rng(2)
    X = pl.DataFrame(
        {
            "city": rng.choice(["Rome", "Oslo", None], rows).tolist(),
            "size": pl.Series(rng.choice([1.5, 2.5, 7.0, np.nan], rows)).fill_nan(None),
            "code": rng.choice(list("abcde"), rows, p=[0.5, 0.2, 0.1, 0.1, 0.1]),
        }
    )
    signal = (X["city"] == "Rome").fill_null(True).cast(int) * 2 + (X["size"].fill_null(0) > 2)
    return X, np.clip(np.round(signal.to_numpy() + 0.7 * rng.normal(size=rows)), 0, 3).astype(int)


@pytest.mark.parametrize("weighted", [False, True])
@every_variant
def test_merged_rows_change_nothing(name, weighted, monkeypatch):
    X, y = few_different_rows()
    weights = np.random.default_rng(3).random(len(y)) + 0.1 if weighted else None
    fitted = []
    for merge in (True, False):
        monkeypatch.setattr(weakforce._estimator.fitting, "_MERGE_ROWS", merge)
        fitted.append(fit(name, X, y, weights, n_classes=4))
    if weighted:
        assert_equal_up_to_rounding(*fitted, X)
        pair = [model.row_weights_ for model in fitted]
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-9)
    elif name.startswith(("M2", "Logit")) or name == "Softmax-all-Tree":
        assert_equal_up_to_rounding(*fitted, X)  # which add up the classes of a row or of many
    else:
        assert fingerprint(fitted[0]) == fingerprint(fitted[1])


# Early stopping and callbacks


@pytest.mark.parametrize("scoring", ["loss", "accuracy"])
@every_variant
def test_early_stopping_on_given_rows(name, scoring):
    parameters = {"early_stopping": True, "n_iter_no_change": 3, "tol": 0.005, "n_estimators": 300}
    parameters["scoring"] = scoring
    X, y = blobs(150, 3, spread=2.0)
    X_val, y_val = blobs(100, 3, spread=2.0, seed=9)
    model = fit(name, X, y, X_val=X_val, y_val=y_val, parameters=parameters)
    staged = list(model.staged_score(X_val, y_val))
    np.testing.assert_allclose(model.validation_score_, staged, rtol=1e-12)
    assert model.stop_reason_ == "early_stopping"
    assert model.n_iter_ == expected_rounds(watched_by(model, X_val, y_val), 3, 0.005)


@one_variant_each
def test_early_stopping_on_a_held_back_fraction(name):
    X, y = blobs(300, 3, spread=2.0)
    weight = np.random.default_rng(1).random(300) + 0.5
    parameters = {"early_stopping": True, "n_iter_no_change": 3, "validation_fraction": 0.2}
    parameters |= {"n_estimators": 100, "random_state": 0}
    model = fit(name, X, y, weight, parameters=parameters)
    held = model.row_weights_ == 0
    assert [int(held[y == k].sum()) for k in range(3)] == [20, 20, 20]
    assert len(model.validation_score_) == model.n_iter_ > 1
    staged = list(model.staged_score(X[held], y[held], weight[held]))
    np.testing.assert_allclose(model.validation_score_, staged, rtol=1e-12)
    staged = list(model.staged_score(X[~held], y[~held], weight[~held]))
    np.testing.assert_allclose(model.train_score_, staged, rtol=1e-12)


@every_variant
def test_callbacks_see_every_round_and_may_end_the_run(name):
    seen = []

    def at_three(info):
        seen.append(info)
        return info.round == 3

    model = fit(name, X, Y, X_val=X[:40], y_val=Y[:40], parameters={"callbacks": at_three})
    assert (model.stop_reason_, model.n_iter_, len(seen)) == ("callback", 3, 3)
    assert all(isinstance(info, RoundInfo) for info in seen)
    assert [info.train_score for info in seen] == model.train_score_.tolist()
    assert [info.validation_score for info in seen] == model.validation_score_.tolist()


# Warm start


@pytest.mark.parametrize("stages", [(1, 2, 8), (5, 8)])
@every_variant
def test_warm_start_equals_one_long_fit_bit_for_bit(name, stages):
    long = fit(name, X, Y, WEIGHTS, parameters={"n_estimators": 8, "random_state": 1})
    model = make(name, warm_start=True, random_state=1)
    for rounds in stages:
        model.set_params(n_estimators=rounds).fit(X, Y, WEIGHTS)
        assert model.n_iter_ == min(rounds, long.n_iter_)
    assert fingerprint(model) == fingerprint(long)


@one_variant_each
def test_warm_start_refuses_other_labels_and_fewer_rounds(name):
    model = make(name, warm_start=True, n_estimators=4).fit(X, Y)
    before = fingerprint(model)
    with pytest.raises(ValueError, match=r"n_estimators.*2.*at least"):
        model.set_params(n_estimators=2).fit(X, Y)
    with pytest.raises(ValueError, match="7"):
        model.set_params(n_estimators=6).fit(X, np.where(Y == 2, 7, Y))
    model.set_params(n_estimators=4)
    assert fingerprint(model) == before


def test_warm_start_may_lack_a_class():
    model = SAMMEClassifier(Stump(), warm_start=True, n_estimators=3).fit(X, Y)
    kept = Y != 1
    model.set_params(n_estimators=6).fit(X.filter(kept), Y[kept])
    assert model.n_iter_ == 6
    assert model.classes_.tolist() == [0, 1, 2]
