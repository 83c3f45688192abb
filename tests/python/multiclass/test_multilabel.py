"""Rows with several labels, or none: sm-boost through costs c_i(k) = [k is no label of row i].

In: indicator matrices of every container and Polars lists. Out: the same model, answers in the form
of the target.
"""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import weakforce
from reference.softmax import softmax
from support.small_multiclass_problems import blobs
from weakforce import SAMMEClassifier, SoftmaxBoostClassifier, Stump, Tree

ROWS = 90
X, _ = blobs(ROWS, 3, columns=4)
#: Label k is there where column k is large; some rows have none, some several.
Z = (X[:, :3] > 0.4).astype(int)
WORDS = np.array(["birch", "elm", "fir"])
LISTS = pl.Series("trees", [WORDS[row > 0].tolist() for row in Z], dtype=pl.List(pl.String))


def make(**parameters):
    parameters = {"estimator": Tree(max_leaf_nodes=4), "n_estimators": 15, **parameters}
    return SoftmaxBoostClassifier(**{"random_state": 0, **parameters})


def test_there_are_rows_with_no_label_one_and_several():
    assert set(Z.sum(axis=1)) >= {0, 1, 2}


def test_several_labels_are_costs():
    model = make(n_draws=None).fit(X, Z)
    by_costs = make(n_draws=None).fit(X, np.arange(ROWS) % 3, cost=1 - Z)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores, by_costs.decision_function(X), rtol=0, atol=1e-9)
    assert model.multilabel_ is True
    assert not getattr(by_costs, "multilabel_", False)
    assert model.classes_.tolist() == [0, 1, 2]
    assert scores.shape == (ROWS, 3)
    np.testing.assert_allclose(model.predict_proba(X), softmax(scores), rtol=0, atol=1e-12)


def test_labels_half_as_likely_as_the_likeliest_are_predicted():
    model = make().fit(X, Z)
    proba = model.predict_proba(X)
    expected = proba >= 0.5 * proba.max(axis=1, keepdims=True)
    predicted = model.predict(X)
    assert predicted.dtype == np.int64
    assert predicted.shape == (ROWS, 3)
    assert np.array_equal(predicted, expected.astype(int))
    assert set(predicted.sum(axis=1)) > {1}
    staged = list(model.staged_predict(X))
    assert np.array_equal(staged[-1], predicted)


def test_the_score_is_the_share_of_sets_that_are_right():
    model = make().fit(X, Z)
    right = (model.predict(X) == Z).all(axis=1)
    weight = np.random.default_rng(0).random(ROWS)
    assert 0.2 < right.mean() < 1
    assert model.score(X, Z) == right.mean()
    assert model.score(X, Z, weight) == pytest.approx(np.average(right, weights=weight))
    assert list(model.staged_score(X, Z))[-1] == right.mean()


CONTAINERS = {
    "list of lists": Z.tolist(),
    "Booleans": Z.astype(bool),
    "floats": Z.astype(float),
    "polars frame": pl.DataFrame(Z, schema=["a", "b", "c"]),
    "pandas frame": pd.DataFrame(Z, columns=["a", "b", "c"]),
    "Fortran order": np.asfortranarray(Z),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_indicators_come_in_any_container(name):
    expected = make().fit(X, Z)
    model = make().fit(X, CONTAINERS[name])
    assert model.decision_function(X).tobytes() == expected.decision_function(X).tobytes()
    assert model.score(X, CONTAINERS[name]) == expected.score(X, Z)
    assert np.array_equal(
        model.margins(X, CONTAINERS[name]), expected.margins(X, Z), equal_nan=True
    )


def test_lists_of_labels_are_indicators_and_come_back_as_lists():
    expected, model = make().fit(X, Z), make().fit(X, LISTS)
    assert model.decision_function(X).tobytes() == expected.decision_function(X).tobytes()
    assert model.classes_.tolist() == ["birch", "elm", "fir"]
    predicted = model.predict(X)
    assert isinstance(predicted, pl.Series)
    assert predicted.dtype == pl.List(pl.String)
    assert predicted.to_list() == [WORDS[row > 0].tolist() for row in expected.predict(X)]
    assert model.score(X, LISTS) == expected.score(X, Z)
    frame = pl.DataFrame(X).with_columns(LISTS)
    by_name = make().fit(frame, "trees")
    assert by_name.decision_function(frame).tobytes() == model.decision_function(X).tobytes()
    assert by_name.score(frame, "trees") == model.score(X, LISTS)


def test_lists_may_hold_numbers_repeat_themselves_and_change_their_order():
    numbers = [[10 * k for k in np.flatnonzero(row)] for row in Z]
    expected = make().fit(X, Z).decision_function(X)
    for lists in (numbers, [row[::-1] + row for row in numbers]):
        model = make().fit(X, pl.Series(lists, dtype=pl.List(pl.Int64)))
        assert model.classes_.tolist() == [0, 10, 20]
        assert model.decision_function(X).tobytes() == expected.tobytes()


def test_margins_compare_a_rows_best_label_with_the_best_of_the_others():
    model = make().fit(X, Z)
    scores = model.decision_function(X)
    total = 2 * np.abs(model.estimator_weights_).sum()
    margins = model.margins(X, Z)
    told = (Z.sum(axis=1) > 0) & (Z.sum(axis=1) < 3)
    for row in np.flatnonzero(told):
        own = scores[row][Z[row] > 0].max()
        other = scores[row][Z[row] == 0].max()
        assert margins[row] == pytest.approx((own - other) / total, abs=1e-12)
    assert np.abs(margins[told]).max() <= 1
    assert np.isnan(margins[~told]).all()  # all labels are right, or none is
    assert 0 < told.sum() < ROWS


def test_rows_without_labels_say_nothing():
    some = Z.sum(axis=1) > 0
    model = make(n_draws=None, n_estimators=5).fit(X, Z, some.astype(float))
    expected = make(n_draws=None, n_estimators=5).fit(X[some], Z[some])
    pair = model.decision_function(X), expected.decision_function(X)
    np.testing.assert_allclose(*pair, rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match="y"):
        make().fit(X, np.zeros_like(Z))


def test_expected_cost_is_the_probability_of_labels_that_are_not_there():
    model = make(n_estimators=5).fit(X, Z)
    expected = [
        (softmax(s) * (1 - Z)).sum(axis=1).mean() for s in model.staged_decision_function(X)
    ]
    np.testing.assert_allclose(model.expected_cost_, expected, rtol=1e-9)


def test_two_labels_are_two_columns():
    model = make().fit(X, Z[:, :2])
    assert model.decision_function(X).shape == (ROWS, 2)
    assert model.predict(X).shape == (ROWS, 2)
    assert model.predict_proba(X).shape == (ROWS, 2)


@pytest.mark.parametrize("target", [Z, LISTS], ids=["indicator", "lists"])
def test_models_come_back_from_files_and_pickles(target, tmp_path):
    model = make(n_estimators=4).fit(X, target)
    model.save(tmp_path / "model.json")
    for again in (weakforce.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert again.multilabel_ is True
        assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
        got, expected = again.predict(X), model.predict(X)
        assert type(got) is type(expected)
        assert got.to_list() == expected.to_list() if target is LISTS else (got == expected).all()
        assert again.score(X, target) == model.score(X, target)


def test_warm_start_and_early_stopping():
    long = make(n_estimators=8).fit(X, Z)
    model = make(n_estimators=3, warm_start=True).fit(X, Z)
    model.set_params(n_estimators=8).fit(X, Z)
    assert model.fitted_model_.core.to_json("{}") == long.fitted_model_.core.to_json("{}")
    stopped = make(n_estimators=200, early_stopping=True, n_iter_no_change=2, tol=0.01)
    stopped.fit(X, Z, X_val=X[:30], y_val=Z[:30])
    assert stopped.stop_reason_ == "early_stopping"
    assert len(stopped.validation_cost_) == stopped.n_iter_ < 200
    held = make(n_estimators=5, early_stopping=True).fit(X, Z)
    assert 0 < (held.row_weights_ == 0).sum() < ROWS


BAD = {
    "other numbers": Z * 2,
    "fractions": Z * 0.5,
    "negative": -Z,
    "missing": np.where(Z == 0, np.nan, 1.0),
    "three dimensions": Z[:, :, None],
    "too few rows": Z[:-1],
    "no columns": np.zeros((ROWS, 0)),
    "null list": pl.Series([None, *LISTS.to_list()[1:]], dtype=pl.List(pl.String)),
    "null in a list": pl.Series([[None], *LISTS.to_list()[1:]], dtype=pl.List(pl.String)),
    "only one label": pl.Series([["elm"]] * ROWS, dtype=pl.List(pl.String)),
    "empty lists": pl.Series([[]] * ROWS, dtype=pl.List(pl.String)),
    "lists of lists": pl.Series([[["elm"], ["fir"]]] * ROWS),
}


@pytest.mark.parametrize("name", BAD)
def test_targets_that_make_no_sense_are_refused(name):
    model = make()
    with pytest.raises((ValueError, TypeError), match=r"y\b|label"):
        model.fit(X, BAD[name])
    assert not hasattr(model, "classes_")


def test_a_column_of_numbers_is_one_label_each_as_ever():
    y = np.arange(ROWS)[:, None] % 3
    with pytest.warns(UserWarning, match="1d"):
        model = make(n_estimators=3).fit(X, y)
    assert not getattr(model, "multilabel_", False)
    assert model.predict(X).shape == (ROWS,)


def test_costs_of_ones_own_do_not_go_with_several_labels():
    with pytest.raises(ValueError, match="cost"):
        make(cost=1 - np.eye(3)).fit(X, Z)


def test_other_boosters_refuse_several_labels():
    with pytest.raises((ValueError, TypeError), match="y"):
        SAMMEClassifier(Stump()).fit(X, Z)
    with pytest.raises((ValueError, TypeError), match="y"):
        SAMMEClassifier(Stump()).fit(X, LISTS)
