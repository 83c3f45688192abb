"""What must not change a model: absent rows, repeated rows, order, names, threads, width, scale.

In: every booster and weak learner of the registry. Out: the same bytes where nothing may differ,
the same tests and numbers up to rounding where sums are taken in another order.
"""

import json
from functools import cache

import numpy as np
import polars as pl
import pytest

from support.equal_models import assert_equal_up_to_rounding, tolerance_of
from support.registry import every_mixed_pair, every_pair, some_mixed_pairs, some_pairs, weak
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Stump


def make(booster, learner, rounds=20, **parameters):
    """Return a booster with a small learner."""
    return booster(weak(booster, learner), n_estimators=rounds, **parameters)


def mixed_frame(rows, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=rows), rng.normal(size=rows)
    frame = pl.DataFrame(
        {
            "a": a,
            "b": pl.Series(b).set(pl.Series(rng.random(rows) < 0.1), None),
            "count": rng.integers(0, 12, rows),
            "city": rng.choice([f"town {k}" for k in range(9)], rows),
        }
    )
    y = (a + b + 0.1 * frame["count"].to_numpy() + rng.normal(size=rows) > 0.5).astype(int)
    return frame, y, rng.random(rows) + 0.05


def numbers(model):
    """Every number of the model file, without the estimator's parameters."""
    return model.fitted_model_.core.to_json("{}")


#: What a hypothesis asks of a row, by the names in its description.
QUESTIONS = ("name", "test", "threshold", "categories", "missing_inside", "inside", "outside")


def questions(description):
    """A description without its answers and counts: what differs only where tests differ."""
    if isinstance(description, list):
        return [questions(entry) for entry in description]
    if not isinstance(description, dict):
        return description
    kept = {key: value for key, value in description.items() if key in (*QUESTIONS, "literals")}
    answers = [key for key in ("inside", "outside") if isinstance(kept.get(key), float)]
    return {key: questions(value) for key, value in kept.items() if key not in answers}


def chosen_tests(model):
    return [questions(model.fitted_model_.core.hypothesis(t)) for t in range(model.n_iter_)]


def assert_same(model, expected, X):
    """The same tests, with the same numbers up to rounding."""
    assert chosen_tests(model) == chosen_tests(expected)
    assert_equal_up_to_rounding(model, expected, X)


# Rows


@every_mixed_pair
@pytest.mark.parametrize("parameters", [{}, {"early_stopping": True, "max_bins": 20}])
def test_zero_weight_equals_row_removal(booster, learner, parameters):
    X, y, weight = mixed_frame(200)
    junk = pl.DataFrame(
        {"a": [1e300, None], "b": [-np.inf, 7.0], "count": [-50, 99], "city": ["never", None]}
    )
    mixed = pl.concat([junk, X[:100], junk, X[100:]], how="vertical_relaxed")
    present = np.ones(204, dtype=bool)
    present[[0, 1, 102, 103]] = False
    all_y, all_weight = np.ones(204, dtype=int), np.zeros(204)
    all_y[present], all_weight[present] = y, weight
    parameters = {"random_state": 0, **parameters}
    model = make(booster, learner, 12, **parameters).fit(mixed, all_y, all_weight)
    expected = make(booster, learner, 12, **parameters).fit(X, y, weight)
    assert numbers(model) == numbers(expected)
    assert (model.row_weights_[present] == expected.row_weights_).all()
    assert (model.row_weights_[~present] == 0).all()


@every_pair
def test_zero_weight_equals_row_removal_for_numbers_too(booster, learner):
    rng = np.random.default_rng(8)
    X, weight = rng.normal(size=(120, 3)), rng.random(120)
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=120) > 0.5).astype(int)
    weight[rng.random(120) < 0.3] = 0.0
    X[weight == 0] *= 1e6
    there = weight > 0
    model = make(booster, learner, 5, random_state=0).fit(X, y, weight)
    expected = make(booster, learner, 5, random_state=0).fit(X[there], y[there], weight[there])
    assert numbers(model) == numbers(expected)
    assert (model.row_weights_[there] == expected.row_weights_).all()


@every_mixed_pair
@pytest.mark.parametrize("max_bins", [255, 20])
def test_integer_weights_equal_row_repetition(booster, learner, max_bins):
    X, y, _ = mixed_frame(250)
    counts = np.random.default_rng(1).integers(0, 5, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    smooth = weak(booster, learner, smoothing=0.01)  # by default that of the lightest row
    model = booster(smooth, n_estimators=12, max_bins=max_bins).fit(X, y, counts)
    expected = booster(smooth, n_estimators=12, max_bins=max_bins).fit(X[rows], y[rows])
    assert_same(model, expected, X)
    summed = np.bincount(rows, expected.row_weights_, len(y))
    np.testing.assert_allclose(model.row_weights_, summed, atol=tolerance_of(model))


@every_mixed_pair
def test_shuffled_rows_give_the_same_model(booster, learner):
    X, y, weight = mixed_frame(300)
    order = np.random.default_rng(2).permutation(len(y))
    model = make(booster, learner, max_bins=40).fit(X[order], y[order], weight[order])
    expected = make(booster, learner, max_bins=40).fit(X, y, weight)
    assert_same(model, expected, X)
    pair = model.row_weights_, expected.row_weights_[order]
    np.testing.assert_allclose(*pair, atol=tolerance_of(model))


@every_mixed_pair
def test_scaled_weights_give_the_same_model(booster, learner):
    X, y, weight = mixed_frame(300)
    fit = lambda w: make(booster, learner, 12, max_bins=8).fit(X, y, w)  # noqa: E731
    expected = fit(weight)
    assert numbers(fit(weight * 2.0**40)) == numbers(expected)
    assert numbers(fit(weight * 2.0**-1000)) == numbers(expected)
    assert_same(fit(weight * 3.7), expected, X)
    assert_same(fit(np.full(len(y), 0.5)), fit(None), X)


def test_weights_whose_sum_overflows_give_the_same_model():
    X, y, weight = mixed_frame(300)
    fit = lambda w: DiscreteAdaBoostClassifier(n_estimators=15, max_bins=8).fit(X, y, w)  # noqa: E731
    assert numbers(fit(weight * 2.0**1020)) == numbers(fit(weight))


# Columns and classes


@every_mixed_pair
def test_shuffled_columns_give_the_same_model_up_to_their_order(booster, learner):
    X, y, weight = mixed_frame(300)
    expected = make(booster, learner).fit(X, y, weight)
    for names in (["city", "count", "b", "a"], ["b", "city", "a", "count"]):
        model = make(booster, learner).fit(X.select(names), y, weight)
        assert_same(model, expected, X)
        shares = dict(zip(X.columns, expected.feature_importances_, strict=True))
        shuffled = [shares[name] for name in names]
        tolerance = tolerance_of(model)
        np.testing.assert_allclose(model.feature_importances_, shuffled, atol=tolerance)


@some_mixed_pairs
def test_renamed_columns_give_the_same_model_up_to_their_names(booster, learner):
    X, y, weight = mixed_frame(300)
    expected = make(booster, learner).fit(X, y, weight)
    new = {name: f"the {name} of\n{'z' if name < 'c' else 'y'}" for name in X.columns}
    model = make(booster, learner).fit(X.rename(new), y, weight)
    assert model.feature_names_in_.tolist() == list(new.values())
    renamed = numbers(model).decode()
    for old, name in new.items():
        renamed = renamed.replace(json.dumps(name), json.dumps(old))
    assert renamed == numbers(expected).decode()


@every_mixed_pair
def test_swapped_classes_turn_the_scores_around(booster, learner):
    X, y, weight = mixed_frame(300)
    model = make(booster, learner).fit(X, 1 - y, weight)
    expected = make(booster, learner).fit(X, y, weight)
    tolerance = tolerance_of(model)
    pair = model.estimator_weights_, expected.estimator_weights_
    np.testing.assert_allclose(*pair, atol=tolerance)
    scores = model.decision_function(X), -expected.decision_function(X)
    np.testing.assert_allclose(*scores, rtol=0, atol=tolerance)


@every_mixed_pair
def test_monotone_transformations_of_numbers_change_no_training_score(booster, learner):
    X, y, weight = mixed_frame(300)
    expected = make(booster, learner, max_bins=1000).fit(X, y, weight)
    bent = X.with_columns(pl.col("a").exp(), pl.col("b") ** 3, pl.col("count") * 0.37 - 1e6)
    model = make(booster, learner, max_bins=1000).fit(bent, y, weight)
    assert model.decision_function(bent).tobytes() == expected.decision_function(X).tobytes()
    assert model.row_weights_.tobytes() == expected.row_weights_.tobytes()
    assert numbers(model) != numbers(expected)  # the cuts


# Threads


@cache
def long_problem():
    """Return 60,000 × 8: shared out by rows."""
    X, y, weight = mixed_frame(60_000)
    rng = np.random.default_rng(3)
    more = {f"n{k}": rng.normal(size=60_000).astype(np.float32) for k in range(4)}
    return X.with_columns(**more), y, weight


@cache
def wide_problem():
    """Return 2,000 × 300: shared out by columns."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2000, 300))
    y = (X[:, :30].sum(axis=1) + rng.normal(size=2000) > 0).astype(int)
    return X, y, rng.random(2000)


@pytest.mark.slow
@some_mixed_pairs
@pytest.mark.parametrize(
    ("problem", "max_bins", "weighted"),
    [
        (long_problem, 700, True),
        (wide_problem, 255, False),
    ],
)
def test_number_of_threads_changes_no_byte_of_the_model_file(
    booster, learner, problem, max_bins, weighted, tmp_path
):
    X, y, weight = problem()
    files, others = [], []
    for n_jobs in (1, 7):
        model = make(booster, learner, 4, max_bins=max_bins, n_jobs=n_jobs)
        model.fit(X, y, weight if weighted else None)
        others.append((model.row_weights_.tobytes(), model.decision_function(X).tobytes()))
        model.set_params(n_jobs=None).save(tmp_path / "model.json")
        files.append((tmp_path / "model.json").read_bytes())
    assert model.n_iter_ == 4
    assert files[0] == files[1]
    assert others[0] == others[1]


@some_pairs
def test_number_of_threads_changes_no_byte_for_numbers_either(booster, learner):
    X, y, weight = wide_problem()
    seen = set()
    for n_jobs in (1, 2, 7):
        model = make(booster, learner, 3, n_jobs=n_jobs, random_state=1)
        model.fit(X[:, :40], y, weight)
        seen.add((numbers(model), model.row_weights_.tobytes()))
    assert len(seen) == 1


def test_number_of_threads_changes_no_draw():
    X, y, _ = long_problem()
    settings = {"n_estimators": 8, "random_state": 5, "early_stopping": True, "resample": True}
    models = [DiscreteAdaBoostClassifier(n_jobs=jobs, **settings).fit(X, y) for jobs in (1, 2, 7)]
    assert len({numbers(model) for model in models}) == 1


# Code width


def one_value_too_many(rng):
    """Return a column of 256 values, whose lowest two share a bin if there may be only 255.

    The 40 lowest values belong to one class, so that no cut between them can be the best.
    """
    x = np.tile(np.arange(256.0), 12)
    others = rng.integers(0, 6, size=(len(x), 3)).astype(float)
    signal = x - 128 + 30 * (others[:, 0] - others[:, 1]) + 40 * rng.normal(size=len(x))
    y = (signal > 0) & (x >= 40)
    return np.column_stack([others[:, :1], x, others[:, 1:]]), y


@pytest.mark.parametrize("criterion", ["z", "gini"])
@pytest.mark.parametrize("booster", [DiscreteAdaBoostClassifier, RealAdaBoostClassifier])
def test_codes_of_one_and_two_bytes_give_equal_models_where_cuts_are_equal(booster, criterion):
    rng = np.random.default_rng(6)
    X, y = one_value_too_many(rng)
    learner = Stump(criterion=criterion)
    narrow = booster(learner, n_estimators=30, max_bins=255).fit(X, y)
    wide = booster(learner, n_estimators=30, max_bins=1000).fit(X, y)
    assert numbers(narrow) != numbers(wide)  # the cut between 0 and 1, and the rows below it
    assert numbers(narrow).count(b",") == numbers(wide).count(b",") - 2
    assert narrow.estimators_ == wide.estimators_
    assert sum(stump.column == 1 for stump in wide.estimators_) >= 5
    for name in ("estimator_weights_", "edges_", "row_weights_"):
        assert (getattr(narrow, name) == getattr(wide, name)).all()
    np.testing.assert_array_equal(narrow.decision_function(X), wide.decision_function(X))


@every_mixed_pair
def test_more_bins_than_values_change_nothing(booster, learner):
    X, y, weight = mixed_frame(200)
    expected = make(booster, learner, 8, max_bins=200).fit(X, y, weight)
    for max_bins in (255, 256, 65_535):
        model = make(booster, learner, 8, max_bins=max_bins).fit(X, y, weight)
        assert numbers(model) == numbers(expected)
