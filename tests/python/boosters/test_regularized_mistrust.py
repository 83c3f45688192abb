"""Mistrust of rows under AdaBoost_Reg: it follows its rows wherever they go; soft margins.

In: small noisy frames. Out: models with and without mistrust, and mistrust that is refused.
"""

import inspect
import json
import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import weakforce
from support.small_margin_problems import PARITY, noisy_problem, three_classes
from weakforce import (
    DiscreteAdaBoostClassifier,
    RegularizedAdaBoostClassifier,
    boosters,
    suspect_labels,
)
from weakforce._estimator.cross_fit import Problem, divide
from weakforce._fitting.calibrating import CALIBRATORS, ScoredRows
from weakforce._fitting.rows import Rows


def regularized(**parameters):
    return RegularizedAdaBoostClassifier(**{"C": 300.0, "n_estimators": 12, **parameters})


def mistrust_of(y, seed=3):
    """A quarter of the rows is mistrusted, by a margin of up to 0.6 at C = 300."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(y)) < 0.25, 0.002 * rng.random(len(y)), 0.0)


def assert_same_bytes(model, other, X):
    for name in ("estimator_weights_", "edges_", "row_weights_", "influence_"):
        assert getattr(model, name).tobytes() == getattr(other, name).tobytes(), name
    assert model.decision_function(X).tobytes() == other.decision_function(X).tobytes()


# What it does


@pytest.mark.parametrize("p", [0.5, 1, 2])
def test_no_mistrust_changes_not_a_bit(p):
    X, y = noisy_problem(rows=300)
    X = np.sign(X) + (X > 1)  # with equal rows, which are merged
    C = 0.05 * len(y) ** p
    plain = regularized(C=C, p=p).fit(X, y)
    for mistrust in (None, np.zeros(len(y)), [0] * len(y), pl.Series([False] * len(y))):
        assert_same_bytes(regularized(C=C, p=p).fit(X, y, mistrust=mistrust), plain, X)


def test_rows_of_huge_mistrust_lose_their_weight_after_the_first_round():
    X, y = noisy_problem(rows=200)
    for huge in (10.0, 1e10, 1e308):
        mistrust = np.where(np.arange(len(y)) % 5 == 0, huge, 0.0)
        model = regularized(n_estimators=1).fit(X, y, mistrust=mistrust)
        plain = regularized(n_estimators=1).fit(X, y)
        assert model.estimators_[0].threshold == plain.estimators_[0].threshold
        assert model.row_weights_[mistrust > 0].sum() < 1e-6
        assert model.row_weights_.sum() == pytest.approx(1.0)
        more = regularized().fit(X, y, mistrust=mistrust)
        assert more.n_iter_ > 5
        assert np.isfinite(more.estimator_weights_).all()
        assert more.row_weights_[mistrust > 0].sum() < 1e-6


@pytest.mark.parametrize("huge", [1e2, 1e4, 1e8, 1e308])
def test_a_vote_for_mistrusted_rows_alone_hardly_weighs(huge):
    # Most labels are inverted, so the first vote follows them; then they are gone.
    X, y = noisy_problem(rows=200)
    inverted = np.arange(len(y)) % 10 < 7
    given, mistrust = np.where(inverted, -y, y), np.where(inverted, huge, 0.0)
    model = regularized(n_estimators=20).fit(X, given, mistrust=mistrust)
    assert 0 < model.estimator_weights_[0] < 1e-3
    assert model.row_weights_[inverted].sum() < 1e-6
    assert model.score(X, y) > 0.8
    first = regularized(n_estimators=1).fit(X[~inverted], y[~inverted])
    assert model.estimator_errors_[1] == pytest.approx(first.estimator_errors_[0], abs=1e-3)


def test_mistrust_of_wrong_labels_helps():
    X, y = noisy_problem(rows=400, seed=8)
    rng = np.random.default_rng(0)
    wrong = rng.random(len(y)) < 0.25
    given = np.where(wrong, -y, y)
    shared = {"C": 100.0, "n_estimators": 60}
    plain = regularized(**shared).fit(X, given)
    careful = regularized(**shared).fit(X, given, mistrust=np.where(wrong, 0.02, 0.0))
    assert careful.score(X, y) > plain.score(X, y)
    assert careful.influence_[wrong].sum() < plain.influence_[wrong].sum()


def test_scores_of_suspect_labels_serve_as_mistrust():
    X, y = noisy_problem()
    found = suspect_labels(X, y).sort("row")
    model = regularized().fit(X, y, mistrust=found["score"] / 300)
    assert model.n_iter_ == 12


def test_equal_rows_of_different_mistrust_stay_apart():
    X, y = noisy_problem(rows=300)
    X = np.sign(X)
    mistrust = mistrust_of(y)
    model = regularized().fit(X, y, mistrust=mistrust)
    weights = np.exp(-model.estimator_weights_.sum() * model.margins(X, y, "soft"))
    np.testing.assert_allclose(model.row_weights_, weights / weights.sum(), rtol=0, atol=1e-12)
    alike = {}
    for row, weight in zip(np.column_stack([X, y]), model.row_weights_, strict=True):
        alike.setdefault(tuple(row), set()).add(weight)
    assert max(map(len, alike.values())) > 1


def test_order_of_the_rows_does_not_matter():
    X, y = noisy_problem()
    mistrust, order = mistrust_of(y), np.random.default_rng(0).permutation(len(y))
    model = regularized().fit(X, y, mistrust=mistrust)
    other = regularized().fit(X[order], y[order], mistrust=mistrust[order])
    pair = model.estimator_weights_, other.estimator_weights_
    np.testing.assert_allclose(*pair, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.influence_[order], other.influence_, rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("p", [1.5, 2])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_do_not_change_a_bit(n_jobs, p):
    X, y = noisy_problem(rows=40_000)
    C = 0.01 * len(y) ** p
    mistrust = mistrust_of(y) * 300.0 / C
    model, alone = (
        regularized(C=C, p=p, phi=0.45, n_estimators=6, n_jobs=jobs).fit(X, y, mistrust=mistrust)
        for jobs in (n_jobs, 1)
    )
    assert model.n_iter_ > 1
    assert_same_bytes(model, alone, X)


# Where rows go


def test_rows_of_weight_zero_take_their_mistrust_with_them():
    X, y = noisy_problem()
    mistrust, weights = mistrust_of(y), np.random.default_rng(2).random(len(y)) + 0.1
    weights[::4] = 0.0
    there = weights > 0
    model = regularized().fit(X, y, weights, mistrust=mistrust)
    fewer = regularized().fit(X[there], y[there], weights[there], mistrust=mistrust[there])
    np.testing.assert_array_equal(model.estimator_weights_, fewer.estimator_weights_)
    np.testing.assert_array_equal(model.influence_[there], fewer.influence_)


def test_rows_held_back_take_their_mistrust_with_them():
    X, y = noisy_problem(rows=300)
    mistrust = mistrust_of(y)
    stopping = {"early_stopping": True, "n_iter_no_change": 50, "random_state": 0}
    model = regularized(**stopping).fit(X, y, mistrust=mistrust)
    there = model.influence_ > 0
    assert 250 < there.sum() < 290
    given = {"X_val": X[~there], "y_val": y[~there]}
    other = regularized(**stopping).fit(X[there], y[there], mistrust=mistrust[there], **given)
    np.testing.assert_array_equal(model.influence_[there], other.influence_)
    np.testing.assert_array_equal(model.validation_score_, other.validation_score_)


def test_a_warm_start_goes_on_under_the_same_mistrust():
    X, y = noisy_problem()
    mistrust = mistrust_of(y)
    long = regularized(n_estimators=20).fit(X, y, mistrust=mistrust)
    model = regularized(n_estimators=7, warm_start=True).fit(X, y, mistrust=mistrust)
    model.set_params(n_estimators=20).fit(X, y, mistrust=mistrust)
    assert_same_bytes(model, long, X)


def test_samples_of_rows_are_drawn_as_without_mistrust():
    X, y = noisy_problem(rows=300)
    shared = {"subsample": 0.5, "random_state": 1, "n_estimators": 1}
    plain = regularized(**shared).fit(X, y)
    model = regularized(**shared).fit(X, y, mistrust=mistrust_of(y))
    assert model.estimators_[0].threshold == plain.estimators_[0].threshold
    assert (model.row_weights_ != plain.row_weights_).any()


def test_every_class_against_the_rest_has_the_mistrust_of_its_rows():
    X, y = three_classes()
    mistrust = mistrust_of(y)
    model = regularized().fit(X, y, mistrust=mistrust)
    for k in range(3):
        alone = regularized().fit(X, y == k, mistrust=mistrust)
        np.testing.assert_allclose(model.influence_[:, k], alone.influence_, rtol=0, atol=1e-12)


def test_every_pair_of_classes_has_the_mistrust_of_its_rows():
    X, y = three_classes()
    mistrust = mistrust_of(y)
    model = regularized(multi_class="ovo").fit(X, y, mistrust=mistrust)
    for column, code in enumerate(model.code_.T):
        there = code[y] != 0
        alone = regularized().fit(X[there], code[y[there]], mistrust=mistrust[there])
        pair = model.influence_[there, column], alone.influence_
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", sorted(CALIBRATORS))
def test_cross_fitted_calibrations_mistrust_the_same_rows(method):
    X, y = noisy_problem(rows=150)
    mistrust = mistrust_of(y)
    model = regularized(calibrate=method, random_state=7).fit(X, y, mistrust=mistrust)
    codes = (y > 0).astype(np.uint32)
    folds = divide(Problem(X, model.classes_, codes, np.ones(len(y))), 5, (7, 0))
    scores = np.empty(len(y))
    for fold in range(5):
        held = folds == fold
        other = clone(model).set_params(calibrate=None)
        other.fit(X[~held], y[~held], mistrust=mistrust[~held])
        scores[held] = other.decision_function(X[held])
    rows = ScoredRows.of(scores, codes, np.ones(len(y)), 2)
    expected = CALIBRATORS[method](rows).probabilities(model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)


# What is refused


@pytest.mark.parametrize(
    ("mistrust", "error", "got"),
    [
        (-0.1, ValueError, "-0.1 for row 5"),
        (float("nan"), ValueError, "nan for row 5"),
        (float("inf"), ValueError, "inf for row 5"),
        (None, ValueError, "nan for row 5"),
        ("much", TypeError, "much"),
    ],
)
def test_bad_numbers_are_refused_by_name(mistrust, error, got):
    X, y = noisy_problem()
    given = [0.0] * len(y)
    given[5] = mistrust
    with pytest.raises(error, match=rf"'mistrust': got .*{got}.*>= 0 for each of 120 rows"):
        regularized().fit(X, y, mistrust=given)


@pytest.mark.parametrize(
    ("mistrust", "error", "got"),
    [
        (np.zeros(119), ValueError, "119 numbers"),
        (np.zeros((120, 1)), ValueError, r"shape \(120, 1\)"),
        (0.5, ValueError, r"shape \(\)"),
        ("score", TypeError, "score"),
        ({"a": 1}, TypeError, "a"),
    ],
)
def test_bad_shapes_and_types_are_refused_by_name(mistrust, error, got):
    X, y = noisy_problem()
    model = regularized().fit(X, y)
    before = model.influence_
    with pytest.raises(error, match=rf"'mistrust': got .*{got}.*each of 120 rows"):
        model.fit(X, y, mistrust=mistrust)
    assert model.influence_ is before


def test_fits_of_other_boosters_take_no_mistrust():
    takes = [
        booster.__name__
        for booster in boosters()
        if "mistrust" in inspect.signature(booster.fit).parameters
    ]
    assert takes == ["RegularizedAdaBoostClassifier"]
    X, y = noisy_problem()
    with pytest.raises(ValueError, match=r"'mistrust'.*expected None.*this booster"):
        DiscreteAdaBoostClassifier()._fit(
            Rows(X, y, mistrust=mistrust_of(y)), Rows(None, None, suffix="_val")
        )


# Soft margins


@pytest.mark.parametrize("p", [0.5, 2])
@pytest.mark.parametrize("mistrusting", [False, True])
def test_soft_margins_are_those_of_the_definition(mistrusting, p):
    X, y = noisy_problem()
    C = 0.05 * len(y) ** p
    mistrust = mistrust_of(y) * 300 / C if mistrusting else None
    model = regularized(C=C, p=p).fit(X, y, mistrust=mistrust)
    soft = model.margins(X, y, kind="soft")
    zeta = 0.0 if mistrust is None else mistrust
    expected = model.margins(X, y) + C * (model.influence_**p + zeta)
    np.testing.assert_allclose(soft, expected, rtol=0, atol=1e-12)
    weights = np.exp(-model.estimator_weights_.sum() * soft)
    np.testing.assert_allclose(model.row_weights_, weights / weights.sum(), rtol=0, atol=1e-12)


def test_soft_margins_of_rows_that_took_no_part_have_no_influence_in_them():
    X, y = noisy_problem(rows=300)
    mistrust = mistrust_of(y)
    model = regularized(early_stopping=True, random_state=0).fit(X, y, mistrust=mistrust)
    held = model.influence_ == 0
    assert held.any()
    expected = model.margins(X, y)[held] + 300.0 * mistrust[held]
    np.testing.assert_allclose(model.margins(X, y, "soft")[held], expected, rtol=0, atol=1e-12)


def test_soft_margins_of_a_model_without_votes_are_what_is_forgiven():
    X, y = PARITY
    model = regularized().fit(X, y, mistrust=np.arange(12.0))
    assert model.n_iter_ == 0
    np.testing.assert_array_equal(model.margins(X, y, "soft"), 300.0 * np.arange(12.0))


def test_soft_margins_know_the_parameters_of_their_fit_and_are_pickled():
    X, y = noisy_problem()
    model = regularized().fit(X, y, mistrust=mistrust_of(y))
    soft = model.margins(X, y, "soft")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.margins(X, y, "soft"), soft)
    model.set_params(C=1.0, p=1)
    np.testing.assert_array_equal(model.margins(X, y, "soft"), soft)


def test_soft_margins_of_other_rows_are_refused():
    X, y = noisy_problem()
    model = regularized().fit(X, y)
    with pytest.raises(ValueError, match=r"X: got 50 rows, expected the 120 rows of fit"):
        model.margins(X[:50], y[:50], "soft")
    with pytest.raises(ValueError, match=r"row 0 has the margin .* as in fit"):
        model.margins(X, -y, "soft")
    with pytest.raises(ValueError, match=r"'kind'.*'exact'.*'normalized'.*'logistic'.*'soft'"):
        model.margins(X, y, "exact")
    three = regularized().fit(*three_classes())
    with pytest.raises(ValueError, match=r"'kind': got 'soft'.*more than two classes"):
        three.margins(*three_classes(), "soft")


def test_soft_margins_are_not_saved(tmp_path):
    X, y = noisy_problem()
    regularized(phi=0.4, p=1.5).fit(X, y, mistrust=mistrust_of(y)).save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    assert (again.phi, again.p) == (0.4, 1.5)
    with pytest.raises(ValueError, match=r"'kind': got 'soft'.*influence_.*not saved"):
        again.margins(X, y, "soft")


def test_files_from_before_there_was_phi_are_read(tmp_path):
    X, y = noisy_problem()
    model = regularized().fit(X, y)
    model.save(tmp_path / "model.json")
    described = json.loads((tmp_path / "model.json").read_text())
    assert described["estimator"]["parameters"].pop("phi") == 0.5
    (tmp_path / "older.json").write_text(json.dumps(described))
    again = weakforce.load(tmp_path / "older.json")
    assert (again.phi, again.p) == (0.5, 2)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.set_params(warm_start=True).fit(X, y).edges_, model.edges_)
