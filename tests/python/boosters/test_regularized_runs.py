"""Runs of AdaBoost_Reg: what becomes of influence in warm starts, files, and several classes.

In: small noisy frames. Out: influence by row and problem, and parameters that are refused.
"""

import numpy as np
import polars as pl
import pytest

import weakforce
from support.small_margin_problems import noisy_problem, three_classes
from weakforce import RegularizedAdaBoostClassifier, Stump


def test_influence_of_rows_held_back_is_zero():
    X, y = noisy_problem(rows=300)
    model = RegularizedAdaBoostClassifier(
        C=1000.0, early_stopping=True, n_iter_no_change=5, random_state=0
    ).fit(X, y)
    held = model.row_weights_ == 0
    assert held.sum() == pytest.approx(30, abs=1)
    assert (model.influence_[held] == 0).all()
    assert (model.influence_[~held] > 0).all()


def test_influence_goes_on_after_a_warm_start():
    X, y = noisy_problem()
    long = RegularizedAdaBoostClassifier(C=300.0, n_estimators=20).fit(X, y)
    model = RegularizedAdaBoostClassifier(C=300.0, n_estimators=7, warm_start=True).fit(X, y)
    short = model.influence_
    model.set_params(n_estimators=20).fit(X, y)
    np.testing.assert_array_equal(model.influence_, long.influence_)
    assert (model.influence_ != short).any()


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_threads_do_not_change_a_bit(n_jobs):
    X, y = noisy_problem(rows=40_000)
    model, alone = (
        RegularizedAdaBoostClassifier(C=1e7, n_estimators=8, n_jobs=jobs).fit(X, y)
        for jobs in (n_jobs, 1)
    )
    assert model.estimator_weights_.tobytes() == alone.estimator_weights_.tobytes()
    assert model.influence_.tobytes() == alone.influence_.tobytes()


def test_influence_is_not_saved(tmp_path):
    X, y = noisy_problem()
    model = RegularizedAdaBoostClassifier(C=300.0, n_estimators=10).fit(X, y)
    model.save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    assert not hasattr(again, "influence_")
    assert (again.C, again.p) == (300.0, 2)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_failed_fit_keeps_the_influence_of_the_one_before():
    X, y = noisy_problem()
    model = RegularizedAdaBoostClassifier(C=300.0, n_estimators=10).fit(X, y)
    before = model.influence_.copy()
    with pytest.raises(ValueError, match="'C'"):
        model.set_params(C=-1.0).fit(X[:50], y[:50])
    np.testing.assert_array_equal(model.influence_, before)


# Several classes


def test_influence_has_a_column_for_each_class_against_the_rest():
    X, y = three_classes()
    model = RegularizedAdaBoostClassifier(C=300.0, n_estimators=10).fit(X, y)
    assert model.influence_.shape == (len(y), 3)
    for k in range(3):
        alone = RegularizedAdaBoostClassifier(C=300.0, n_estimators=10).fit(X, y == k)
        np.testing.assert_allclose(model.influence_[:, k], alone.influence_, rtol=0, atol=1e-12)
        pair = model.estimator_weights_[:, k], alone.estimator_weights_
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-12)


def test_rows_of_other_classes_have_no_influence_on_a_pair():
    X, y = three_classes()
    model = RegularizedAdaBoostClassifier(C=300.0, n_estimators=10, multi_class="ovo").fit(X, y)
    assert model.influence_.shape == (len(y), 3)
    for column, code in enumerate(model.code_.T):
        there = code[y] != 0
        alone = RegularizedAdaBoostClassifier(C=300.0, n_estimators=10)
        alone.fit(X[there], code[y[there]])
        assert (model.influence_[~there, column] == 0).all()
        pair = model.influence_[there, column], alone.influence_
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-12)


# Parameters


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("C", -1e-9, ValueError),
        ("C", float("nan"), ValueError),
        ("C", float("inf"), ValueError),
        ("C", "much", TypeError),
        ("C", None, TypeError),
        ("p", 0, ValueError),
        ("p", -1.5, ValueError),
        ("p", float("inf"), ValueError),
        ("p", "2", TypeError),
        ("p", None, TypeError),
        ("phi", 0.0, ValueError),
        ("phi", 1.0, ValueError),
        ("phi", -0.3, ValueError),
        ("phi", float("nan"), ValueError),
        ("phi", "half", TypeError),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(name, value, error):
    X, y = noisy_problem()
    with pytest.raises(error, match=f"'{name}'"):
        RegularizedAdaBoostClassifier(**{name: value}).fit(X, y)


def test_confidences_are_refused():
    X, y = noisy_problem()
    with pytest.raises(ValueError, match=r"estimator.*vote"):
        RegularizedAdaBoostClassifier(Stump(answer="logistic")).fit(X, y)


def test_frames_with_categories_and_gaps_are_taken():
    rng = np.random.default_rng(7)
    X = pl.DataFrame(
        {"size": rng.normal(size=90), "town": rng.choice(["Oslo", "Rome", None], 90).tolist()}
    )
    signal = (X["size"] > 0) | (X["town"] == "Rome").fill_null(False)
    y = np.where(signal.to_numpy() != (rng.random(90) < 0.1), "yes", "no")
    model = RegularizedAdaBoostClassifier(C=100.0, n_estimators=20).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.influence_.shape == (90,)
