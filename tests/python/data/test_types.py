"""Every type a column can have: it trains, survives save and load, and predicts the same.

Also what the types promise beyond that: units of time do not matter, null and NaN are one missing
value, unseen categories are missing, an Enum declares its set, columns are found by name. The
containers a frame can come in are in data/test_containers.py, the bins in data/test_bins.py.
"""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import weakforce
from support.column_types import DAY, LETTERS, series_by_type
from support.registry import COUNTING, every_mixed_pair, every_pair, some_mixed_pairs, weak
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Stump

BY_TYPE = series_by_type()


def learnable(series: pl.Series) -> tuple[pl.DataFrame, np.ndarray]:
    """A frame whose label one stump knows: the upper half and the missing are positive."""
    column = pl.concat([series, pl.Series([None], dtype=series.dtype)]).sample(
        200, with_replacement=True, seed=3
    )
    lower = column.is_in(series.head(4).implode()).fill_null(False)
    return pl.DataFrame({"column": column}), ~lower.to_numpy()


def reloaded(model, path):
    model.save(path)
    return weakforce.load(path)


@some_mixed_pairs
@pytest.mark.parametrize("name", BY_TYPE)
def test_every_type_trains_and_predicts_the_same_after_save_and_load(
    name, booster, learner, tmp_path
):
    X, y = learnable(BY_TYPE[name])
    model = booster(weak(booster, learner), n_estimators=30).fit(X, y)
    assert model.score(X, y) == 1.0
    again = reloaded(model, tmp_path / "model.json")
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert again.estimators_ == model.estimators_


@pytest.mark.parametrize("dtype", [pl.Null, pl.Float64, pl.String, pl.Date, pl.Boolean], ids=str)
def test_a_column_of_nothing_but_nulls_trains_and_carries_no_weight(dtype, tmp_path):
    X = pl.DataFrame({"empty": pl.Series([None] * 6, dtype=dtype), "x": range(6)})
    y = [0, 1, 0, 1, 1, 1]
    model = RealAdaBoostClassifier(n_estimators=5).fit(X, y)
    assert model.feature_importances_.tolist() == [0.0, 1.0]
    scores = model.decision_function(X)
    assert np.array_equal(reloaded(model, tmp_path / "model.json").decision_function(X), scores)
    alone = DiscreteAdaBoostClassifier(n_estimators=5).fit(X.select("empty"), y)
    assert set(alone.predict(X)) == {1}


@pytest.mark.parametrize("name", BY_TYPE)
def test_a_column_of_type_null_at_predict_is_missing_whatever_the_fitted_type(name):
    X, y = learnable(BY_TYPE[name])
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y)
    nothing = pl.DataFrame({"column": pl.Series([None, None], dtype=pl.Null)})
    assert model.predict(nothing).all()


def test_datetimes_of_any_unit_predict_as_those_of_the_fit():
    start = pl.Series([DAY]).dt.timestamp("us")[0]
    for middle in range(start, start + 128):
        learnt = pl.Series("t", [middle - 2, middle + 2]).cast(pl.Datetime("us")).to_frame()
        model = DiscreteAdaBoostClassifier(n_estimators=1).fit(learnt, [0, 1])
        # A cut lies on a whole microsecond; a value that sits on it must stay on its side.
        cut = model.estimators_[0].threshold
        assert middle - 2 <= cut == int(cut) < middle + 2
        times = pl.Series("t", [int(cut), int(cut) + 1]).cast(pl.Datetime("us")).to_frame()
        assert model.predict(times).tolist() == [0, 1]
        assert model.predict(times.cast(pl.Datetime("ns"))).tolist() == [0, 1], cut
        assert model.predict(times.select(pl.col("t").dt.replace_time_zone("UTC"))).sum() == 1


def test_durations_and_milliseconds_of_any_unit_predict_as_those_of_the_fit():
    for dtype in (pl.Duration, pl.Datetime):
        millis = pl.Series("t", range(100)).cast(pl.Int64) * 2 * 10**9
        y = np.random.default_rng(0).integers(0, 2, 100)
        X = millis.cast(dtype("ms")).to_frame()
        model = DiscreteAdaBoostClassifier(n_estimators=50).fit(X, y)
        fine = (pl.Series("t", range(200)).cast(pl.Int64) * 10**9).cast(dtype("ms")).to_frame()
        expected = model.decision_function(fine)
        assert len(set(expected)) > 10
        for unit in ("us", "ns"):
            assert np.array_equal(model.decision_function(fine.cast(dtype(unit))), expected)


def test_a_date_predicts_as_its_midnight():
    dates = pl.DataFrame({"t": [DAY.date() + dt.timedelta(days=i) for i in range(40)]})
    y = np.random.default_rng(0).integers(0, 2, 40)
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(dates, y)
    midnights = dates.cast(pl.Datetime("us"))
    assert np.array_equal(model.decision_function(midnights), model.decision_function(dates))
    assert "2024-03" in str(model.estimators_[0])


@some_mixed_pairs
@pytest.mark.parametrize("fitted", [pl.String, pl.Categorical, pl.Enum(LETTERS)], ids=str)
def test_unseen_categories_behave_as_missing(fitted, booster, learner):
    X = pl.DataFrame({"column": pl.Series(["a", "b", "c", None] * 10, dtype=fitted)})
    model = booster(weak(booster, learner), n_estimators=3, learning_rate=1.0)
    model.fit(X, [0, 0, 0, 1] * 10)
    for given in (pl.String, pl.Categorical, pl.Enum(["new", *LETTERS])):
        now = pl.DataFrame({"column": pl.Series(["a", "new", None], dtype=given)})
        seen, unseen, missing = model.decision_function(now)
        assert seen < 0 < missing == unseen


@every_mixed_pair
def test_values_missing_at_predict_only_get_one_definite_score(booster, learner):
    X = pl.DataFrame({"number": range(40), "text": LETTERS * 5})
    model = booster(weak(booster, learner), n_estimators=10).fit(X, np.arange(40) % 7 < 3)
    gaps = X.with_columns(
        pl.lit(None, pl.Int64).alias("number"), pl.lit(None, pl.String).alias("text")
    )
    scores = model.decision_function(gaps)
    assert np.isfinite(scores).all()
    assert len(set(scores)) == 1


def test_an_enum_declares_values_that_were_not_seen():
    values = ["a"] * 6 + [None]
    y = [0] * 6 + [1]
    declared = pl.Series(values, dtype=pl.Enum(["later", "a"])).to_frame("column")
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(declared, y)
    later = pl.DataFrame({"column": ["later"]})
    # A declared value without rows goes with the heavier side, an undeclared one is missing.
    assert model.predict(later).tolist() == [0]
    for dtype in (pl.String, pl.Categorical):
        undeclared = DiscreteAdaBoostClassifier(n_estimators=1).fit(declared.cast(dtype), y)
        assert undeclared.predict(later).tolist() == [1]


@every_pair
def test_null_and_nan_are_one_missing_value(booster, learner):
    numbers = pl.Series([1.0, None, 3.0, None, 5.0, None, 7.0, 8.0])
    y = [0, 1, 0, 1, 0, 1, 1, 0]
    with_nulls, with_nans = (
        pl.DataFrame({"x": numbers}),
        pl.DataFrame({"x": numbers.fill_null(np.nan)}),
    )
    model = booster(weak(booster, learner), n_estimators=9, random_state=0)
    of_nulls, of_nans = clone(model).fit(with_nulls, y), clone(model).fit(with_nans, y)
    assert of_nulls.n_iter_ > 0
    assert of_nulls.estimators_ == of_nans.estimators_
    scores = of_nulls.decision_function(with_nulls)
    for model, X in ((of_nulls, with_nans), (of_nans, with_nulls), (of_nans, with_nans)):
        assert np.array_equal(model.decision_function(X), scores)


def test_infinities_are_ordinary_values_at_both_ends():
    X = pl.DataFrame({"x": [-np.inf, -1e308, 0.0, 1e308, np.inf] * 4})
    for positive in range(1, 5):
        y = np.arange(20) % 5 >= positive
        model = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y)
        assert model.score(X, y) == 1.0
        assert np.isfinite(model.estimators_[0].threshold)


@every_mixed_pair
def test_constant_columns_leave_nothing_to_learn(booster, learner):
    X = pl.DataFrame({"number": [7] * 6, "text": ["same"] * 6, "gap": [None] * 6})
    model = booster(weak(booster, learner), n_estimators=4).fit(X, [0, 1, 1, 1, 0, 1])
    assert len(set(model.decision_function(X))) == 1
    assert set(model.predict(X)) == {1}


@every_mixed_pair
def test_one_row_per_class_is_enough(booster, learner):
    X = pl.DataFrame({"x": [1.0, 2.0], "s": ["u", "v"]})
    model = booster(weak(booster, learner), n_estimators=4).fit(X, ["no", "yes"])
    assert model.predict(X).tolist() == ["no", "yes"]
    first = model.estimators_[0]
    text = str(first[0] if isinstance(first, list) else first)
    # Both columns tell the rows apart: the lower one is taken, or one of them by chance.
    assert "x ≤ 1 " in text or "x ≤ 1:" in text or (booster._kind in COUNTING and "s = " in text)


@pytest.mark.parametrize(
    ("listed", "named"),
    [(["zip", "b"], True), ([1, 2], True), ([1, 2], False), (np.arange(3) > 0, False)],
)
def test_categorical_features_are_given_by_name_position_or_mask(listed, named):
    # Even codes are positive: no cut can say that, a subset can.
    codes = np.arange(8).repeat(5)
    X = pl.DataFrame({"x": np.zeros(40), "zip": codes, "b": codes == 3})
    X = X if named else X.cast(pl.Float64).to_numpy()
    y = codes % 2 == 0
    model = DiscreteAdaBoostClassifier(n_estimators=1, categorical_features=listed).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.estimators_[0].categories in (("0", "2", "4", "6"), ("1", "3", "5", "7"))
    assert DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y).score(X, y) < 1.0


@every_mixed_pair
def test_columns_are_found_by_name_and_further_ones_ignored(booster, learner):
    generator = np.random.default_rng(5)
    X = pl.DataFrame({"a": generator.normal(size=99), "b": generator.choice(LETTERS, 99)})
    model = booster(weak(booster, learner), n_estimators=12)
    model.fit(X, generator.integers(0, 2, 99))
    expected = model.decision_function(X)
    assert np.array_equal(model.decision_function(X.select("b", "a")), expected)
    more = X.select(pl.lit(3).alias("first"), "b", "a", pl.lit("last").alias("last"))
    assert np.array_equal(model.decision_function(more), expected)


def test_a_further_column_is_ignored_whatever_its_type():
    X = pl.DataFrame({"a": range(8)})
    model = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, [0, 1] * 4)
    expected = model.decision_function(X)
    for further in (pl.lit([1.0, 2.0]), pl.lit(b"bytes"), pl.struct(pl.lit(1))):
        nested = X.with_columns(further.alias("further"))
        assert np.array_equal(model.decision_function(nested), expected)


def test_stump_thresholds_of_booleans_read_as_numbers():
    X = pl.DataFrame({"flag": [True, False] * 10})
    model = DiscreteAdaBoostClassifier(Stump(criterion="gini"), n_estimators=1).fit(X, X["flag"])
    assert model.estimators_[0].threshold == 0.0
    assert model.classes_.tolist() == [False, True]
