"""Arrays of objects and strings: each column has the type of its values.

Such an array gives the models and scores of a frame with the same columns, and works with the tools
of scikit-learn that make such arrays.
"""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import weakforce
from weakforce import RealAdaBoostClassifier, Rule, Tree, WeakForceClassifier

ROWS = 120
GENERATOR = np.random.default_rng(4)
FRAME = pl.DataFrame(
    {
        "job": GENERATOR.choice(["Private", "State", "Self"], ROWS),
        "age": GENERATOR.integers(18, 80, ROWS).astype(float),
        "member": GENERATOR.random(ROWS) < 0.5,
        "since": [
            dt.date(2024, 1, 1) + dt.timedelta(int(i)) for i in GENERATOR.integers(0, 99, ROWS)
        ],
        "grade": GENERATOR.choice(["a", "b"], ROWS),
    }
).with_columns(
    job=pl.when(pl.col("age") < 25).then(None).otherwise("job"),
    age=pl.when(pl.col("grade") == "a", pl.col("age") > 70).then(None).otherwise("age"),
    member=pl.when(pl.col("age") == 40).then(None).otherwise("member"),
)
Y = ((FRAME["job"] == "State") & FRAME["member"] | (FRAME["age"] > 50)).fill_null(False).to_numpy()
ARRAY = np.array(FRAME.rows(), dtype=object)


def booster(learner=None, **parameters) -> RealAdaBoostClassifier:
    return RealAdaBoostClassifier(learner, n_estimators=12, **parameters)


@pytest.mark.parametrize("learner", [None, Tree(max_leaf_nodes=4), Rule(max_literals=2)])
def test_columns_of_an_array_are_what_they_are_in_a_frame(learner, tmp_path):
    of_frame, of_array = booster(learner).fit(FRAME, Y), booster(learner).fit(ARRAY, Y)
    scores = of_frame.decision_function(FRAME)
    assert np.array_equal(of_array.decision_function(ARRAY), scores)
    assert np.array_equal(of_frame.decision_function(ARRAY), scores)  # columns by position
    assert np.array_equal(of_array.decision_function(FRAME), scores)
    assert not hasattr(of_array, "feature_names_in_")
    kinds = [feature.kind for feature in of_array.fitted_model_.features]
    assert kinds == ["text", "number", "boolean", "instant", "text"]
    of_array.save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    assert np.array_equal(again.decision_function(ARRAY), scores)


MISSING = [None, float("nan"), np.nan, pd.NA, pd.NaT, np.float32("nan")]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_whatever_is_missing_is_missing(missing):
    array = ARRAY.copy()
    array[FRAME.select(pl.all().is_null()).to_numpy()] = missing
    expected = booster().fit(ARRAY, Y).decision_function(ARRAY)
    assert np.array_equal(booster().fit(array, Y).decision_function(array), expected)


TEXTS = np.array(FRAME.select("grade", pl.col("job").fill_null("none")).rows())

SAME = {
    "strings": TEXTS,
    "strings of any length": TEXTS.astype(np.dtypes.StringDType()),
    "objects": TEXTS.astype(object),
    "lists": TEXTS.tolist(),
    "column by column": np.asfortranarray(TEXTS),
    "masked": np.ma.masked_array(TEXTS, np.zeros(TEXTS.shape, bool)),
}


@pytest.mark.parametrize("name", SAME)
def test_arrays_of_strings_hold_categories(name):
    expected = booster().fit(pl.DataFrame(TEXTS, schema=["x0", "x1"]), Y)
    model = booster().fit(SAME[name], Y)
    found = model.decision_function(SAME[name])
    assert np.array_equal(
        found, expected.decision_function(pl.DataFrame(TEXTS, schema=["x0", "x1"]))
    )


def test_lists_of_mixed_rows_keep_their_types():
    rows = FRAME.select("grade", "age").rows()
    model = booster().fit(list(map(list, rows)), Y)
    assert [feature.kind for feature in model.fitted_model_.features] == ["text", "number"]


NUMBERS = {
    "integers": [1, 2, 3, 4],
    "floats and integers": [1, 2.0, 3, 4.0],
    "NumPy numbers": [np.int8(1), np.float32(2), 3, 4.0],
    "decimals": [Decimal(1), Decimal(2), Decimal(3), Decimal(4)],
    "Booleans among them": [True, 2, 3, 4],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_arrays_of_objects_that_are_numbers_hold_numbers(name):
    array = np.empty((4, 1), dtype=object)
    array[:, 0] = NUMBERS[name]
    model = booster().fit(array, [0, 0, 1, 1])
    plain = booster().fit(np.array([[1.0], [2.0], [3.0], [4.0]]), [0, 0, 1, 1])
    assert model.to_polars().meta.eq(plain.to_polars())
    assert model.predict(array).tolist() == [0, 0, 1, 1]


def test_a_column_of_another_type_is_refused_by_its_name():
    model = booster().fit(ARRAY, Y)
    array = ARRAY.copy()
    array[:, 0] = 1.0
    with pytest.raises(TypeError, match=r"'x0'.*as during fit"):
        model.predict(array)
    array[3, 0] = "State"
    with pytest.raises(TypeError, match=r"'x0'.*float, str"):
        model.predict(array)
    array[:, 0] = None  # says nothing that could contradict
    assert len(model.predict(array)) == ROWS
    assert len(model.predict(array[:1])) == 1


def test_folds_without_a_value_of_a_column_keep_its_type():
    array = ARRAY[:, [0, 1]].copy()
    array[:, 0] = None
    array[7, 0] = "Private"
    assert booster(calibrate="sigmoid").fit(array, Y).predict_proba(array).shape == (ROWS, 2)
    assert weakforce.suspect_labels(array, Y, booster(), n_repeats=1).height == ROWS


def test_permutation_importance_works_on_strings():
    for X in (ARRAY, FRAME, FRAME.to_pandas()):
        model = booster().fit(X, Y)
        found = permutation_importance(model, X, Y, n_repeats=2, random_state=0)
        assert found.importances_mean[1] > 0


def test_bagging_works_on_strings():
    model = BaggingClassifier(booster(), n_estimators=2, random_state=0).fit(ARRAY, Y)
    assert model.score(ARRAY, Y) > 0.8


def test_column_transformers_work_on_strings():
    kept = ColumnTransformer(
        [
            ("texts", SimpleImputer(strategy="most_frequent"), [0, 4]),
            ("rest", "passthrough", [1, 2]),
        ]
    )
    pipeline = make_pipeline(kept, booster())
    array = np.where(pd.isna(ARRAY), np.nan, ARRAY)
    assert cross_val_score(pipeline, array, Y, cv=2).mean() > 0.7


def test_the_default_learns_from_strings():
    model = WeakForceClassifier(n_estimators=2, n_trees=4, random_state=0).fit(ARRAY, Y)
    again = clone(model).fit(FRAME, Y)
    assert np.array_equal(model.decision_function(ARRAY), again.decision_function(FRAME))
