"""Sizes at which `WeakForceClassifier` goes other ways: many rows, many bins, and being stopped."""

import os
import signal
import threading
import time

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import log_loss

from support.pool_problems import assert_probabilities, small
from weakforce import WeakForceClassifier


def rows_of(n_rows, cuts, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    return X, np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n_rows), cuts)


@pytest.mark.slow
def test_of_many_rows_all_are_judged_and_none_by_trust():
    X, y = rows_of(20_500, [0.0])
    models = [small(n_trees=3, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2)]
    model = models[0]
    assert np.isfinite(model.oob_decision_function_).all()
    assert model.capacity_["member"].unique(maintain_order=True).to_list() == ["forest", "boosted"]
    assert model.capacity_["share"].sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(model.decision_function(X), models[1].decision_function(X))
    test_X, test_y = rows_of(5000, [0.0], seed=1)
    assert model.oob_score_ == pytest.approx(model.score(test_X, test_y), abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("cuts", [[0.0], [-0.5, 0.5]], ids=["two", "three"])
def test_of_more_rows_some_are_judged_and_only_trees_are_boosted(cuts):
    X, y = rows_of(51_000, cuts)
    models = [small(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2)]
    model = models[0]
    assert model.capacity_["member"].to_list() == ["boosted"]
    assert model.capacity_["share"].to_list() == [1.0]
    np.testing.assert_array_equal(model.decision_function(X), models[1].decision_function(X))
    scores = model.oob_decision_function_.reshape(len(X), -1)
    judged = np.isfinite(scores).all(axis=1)
    assert np.isnan(scores[~judged]).all()
    assert 5000 < judged.sum() < 50_000
    assert sorted(model.suspects_["row"]) == np.flatnonzero(judged).tolist()
    test_X, test_y = rows_of(5000, cuts, seed=1)
    assert_probabilities(model, test_X)
    assert model.oob_score_ == pytest.approx(model.score(test_X, test_y), abs=0.03)
    test_loss = log_loss(test_y, model.predict_proba(test_X))
    assert model.oob_log_loss_ == pytest.approx(test_loss, abs=0.03)
    assert "boosted 100%" in model.summary()


@pytest.mark.parametrize("max_bins", [2, 255, 256, 257, 65_535])
def test_any_number_of_bins(max_bins):
    X, y = rows_of(600, [0.0])
    model = small(max_bins=max_bins).fit(X, y)
    assert_probabilities(model, X)
    assert model.score(X, y) > (0.6 if max_bins == 2 else 0.8)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 4])
def test_labels_that_tell_nothing_are_not_foretold_out_of_bag(n_classes):
    scores, losses, own = [], [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(200, 5)), np.arange(200) % n_classes
        model = small(n_trees=30, n_estimators=16, random_state=seed).fit(X, y)
        scores.append(model.oob_score_)
        losses.append(model.oob_log_loss_)
        own.append(model.score(X, y))
    assert np.mean(scores) == pytest.approx(1 / n_classes, abs=0.04)
    assert np.mean(losses) == pytest.approx(np.log(n_classes), abs=0.02)
    assert np.mean(own) > 1 / n_classes + 0.15


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")
def test_ctrl_c_ends_a_fit_and_leaves_the_estimator_as_it_was():
    X, y = rows_of(19_000, [-1.0, 0.0, 1.0])
    X = np.tile(X, 12)
    model = WeakForceClassifier(random_state=0, n_jobs=1)
    before = dict(vars(model))
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.7, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    finally:
        timer.cancel()  # a fit that has failed or is over must not end the tests
    assert time.monotonic() - sent[0] < 5.0
    assert vars(model) == before


def test_categories_of_any_type_and_columns_in_any_order_are_the_same():
    rng = np.random.default_rng(0)
    letters = rng.choice(["a", "b", "c", "d"], 150)
    y = (letters == "b") ^ (rng.random(150) < 0.1)
    X = pl.DataFrame({"letter": letters, "x": rng.normal(size=150)})
    plain = small().fit(X, y)
    for dtype in (pl.Categorical, pl.Enum(["a", "b", "c", "d"])):
        typed = X.with_columns(pl.col("letter").cast(dtype))
        model = small().fit(typed, y)
        np.testing.assert_array_equal(model.predict_proba(typed), plain.predict_proba(X))
    turned = X.select("x", "letter")
    np.testing.assert_array_equal(plain.predict_proba(turned), plain.predict_proba(X))


def test_class_weights_are_factors_of_row_weights():
    X, y = rows_of(200, [-0.5, 0.5])
    factors = {0: 3.0, 1: 0.5, 2: 1.0}
    by_class = small(class_weight=factors).fit(X, y)
    by_row = small().fit(X, y, np.array([factors[label] for label in y]))
    np.testing.assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))
