"""Bad input is refused by the name of its culprit, and the estimator stays as it was.

Every refusal is tried on an unfitted estimator, which stays unfitted, and on a fitted one, which
keeps every attribute and predicts as before.
"""

import re
from copy import copy
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

import weakforce
from support.registry import in_rounds
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Stump

BOOSTERS = weakforce.boosters()
X = pl.DataFrame({"size": [1.0, 2.0, 3.0, 4.0, 5.0, None], "colour": list("rgbrgb")})
Y = [0, 1, 0, 1, 1, 0]
BAD = (ValueError, TypeError)


@cache
def fitted(booster):
    """A fitted model, not to be changed, and its scores."""
    model = booster(**in_rounds(booster, 3)).fit(X, Y)
    return model, model.decision_function(X)


def refuse(booster, culprit, *data, bad=None, error=BAD, **named):
    """Fit with bad data or parameters; return the message."""
    known, scores = fitted(booster)
    for model in (booster(**in_rounds(booster, 3)), copy(known)):
        good = model.get_params(deep=False)
        model.set_params(**(bad or {}))
        before = dict(vars(model))
        with pytest.raises(error, match=culprit) as caught:
            model.fit(*(data or (X, Y)), **named)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())
        model.set_params(**good)
        if hasattr(model, "classes_"):
            assert np.array_equal(model.decision_function(X), scores)
        else:
            with pytest.raises(NotFittedError):
                model.predict(X)
    return str(caught.value)


PARAMETERS = {
    "n_estimators": [0, -1, 1.5, "ten", None, True, [10]],
    "learning_rate": [0, -1, float("nan"), float("inf"), "fast", None],
    "max_bins": [0, 1, -5, 65536, 2.5, "many", None],
    "validation_fraction": [0, 1, -0.5, 1.5, float("nan"), "half"],
    "n_iter_no_change": [0, -1, 1.5, "few"],
    "calibrate": ["platt", "noisy", 1, True, ["sigmoid"]],
    "scoring": ["auc", None, 3, "Loss"],
    "subsample": [0, -0.5, 1.5, float("nan"), "half", None, True],
    "replace": ["yes", None, 2],
    "tol": [-1e-9, float("nan"), float("inf"), "small"],
    "early_stopping": ["yes", None, 2],
    "n_jobs": [0, 1.5, "all"],
    "random_state": [-1, 1.5, "dice", 2**80],
    "class_weight": ["heavy", 3, [1, 2], {0: -1}, {0: "a"}, {0: None}, {0: float("nan")}, {7: 1}],
    "categorical_features": ["colour", 3, ["shape"], [2], [-1], [1.5], [None], [True]],
    "callbacks": [3, "abc", [print, 3]],
    "estimator": [object(), Stump, "stump", 3],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in PARAMETERS.items() for value in values]
)
def test_a_parameter_out_of_range_is_refused_by_its_name(name, value):
    for booster in BOOSTERS:
        own = next(iter(in_rounds(booster, 1))) if name == "n_estimators" else name
        refuse(booster, f"parameter '{own}'", bad={own: value})


OWN_PARAMETERS = [
    *((DiscreteAdaBoostClassifier, "phi", value) for value in (0, 1, -1, 1.5, float("nan"), "x")),
    *((DiscreteAdaBoostClassifier, "phi", value) for value in (None, [0.5])),
    *((DiscreteAdaBoostClassifier, "resample", value) for value in ("yes", None, 3)),
    *((RealAdaBoostClassifier, "step", value) for value in ("giant", None, 3, "Unit")),
]


@pytest.mark.parametrize(("booster", "name", "value"), OWN_PARAMETERS)
def test_a_boosters_own_parameter_is_refused_by_its_name(booster, name, value):
    refuse(booster, f"parameter '{name}'", bad={name: value})


#: What only a reader of the Rust code understands.
JARGON = re.compile(r"usize|[uif](64|32|16)|line \d+ column|variant|null|internal error")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("n_estimators", "max_bins") for value in (-1, 1.5, "x", None)),
        *((name, value) for name in ("learning_rate", "tol", "phi") for value in (-1, "x", None)),
        *((name, value) for name in ("early_stopping", "resample") for value in ("x", None)),
        *(("n_jobs", value) for value in (0, 1.5, "x")),
        *(("estimator", Stump(**{name: "x"})) for name in ("criterion", "answer", "smoothing")),
    ],
)
def test_messages_say_what_came_and_speak_no_rust(name, value):
    message = refuse(DiscreteAdaBoostClassifier, "expected", bad={name: value})
    assert not JARGON.search(message), message
    assert ("x" if isinstance(value, Stump) else str(value)) in message


def test_bad_values_are_value_errors_and_bad_types_type_errors():
    for bad in ({"n_estimators": 0}, {"n_estimators": -1}, {"max_bins": -5}, {"phi": 2.0}):
        refuse(DiscreteAdaBoostClassifier, next(iter(bad)), bad=bad, error=ValueError)
    bad = {"estimator": Stump(criterion="beauty")}
    refuse(DiscreteAdaBoostClassifier, "criterion", bad=bad, error=ValueError)
    for bad in ({"n_estimators": "ten"}, {"phi": "x"}, {"estimator": object()}, {"callbacks": 3}):
        refuse(DiscreteAdaBoostClassifier, next(iter(bad)), bad=bad, error=TypeError)


FRAMES = {
    "no rows": (X.clear(), "X.*0 sample"),
    "no columns": (X.select([]), "X.*0 feature"),
    "no columns in pandas": (pd.DataFrame(index=range(6)), "X.*0 feature"),
    "no rows in an array": (np.zeros((0, 3)), "0 sample"),
    "no columns in an array": (np.zeros((6, 0)), "0 feature"),
    "doubled names": (pa.table([pa.array(Y)] * 2, names=["twin", "twin"]), "twin"),
    "doubled names in pandas": (pd.DataFrame([[1, 2]] * 6, columns=["twin", "twin"]), "twin"),
    "null character in a name": (X.rename({"size": "si\0ze"}), r"si\\x00ze"),
    "lists": (X.with_columns(bad=pl.lit([1, 2])), "'bad'.*List"),
    "arrays": (X.with_columns(bad=pl.Series([[1]] * 6, dtype=pl.Array(pl.Int8, 1))), "'bad'.*List"),
    "structs": (X.with_columns(bad=pl.struct("size")), "'bad'.*Struct"),
    "bytes": (X.with_columns(bad=pl.lit(b"x")), "'bad'.*Binary"),
    "objects": (X.with_columns(pl.Series("bad", [object()] * 6)), "'bad'"),
    "pandas objects": (pd.DataFrame({"bad": [object()] * 6}), "column bad"),
    "mixed pandas": (pd.DataFrame({"bad": ["a", 1] * 3}), "column bad"),
    "maps": (pa.table({"bad": pa.nulls(6, pa.map_(pa.string(), pa.int8()))}), "'bad'.*Map"),
    "fixed bytes": (pa.table({"bad": pa.nulls(6, pa.binary(3))}), "'bad'.*Binary"),
    "intervals": (pa.table({"bad": pa.nulls(6, pa.month_day_nano_interval())}), "'bad'.*Interval"),
    "dictionary of bytes": (
        pa.table({"bad": pa.nulls(6, pa.dictionary(pa.int8(), pa.binary()))}),
        "'bad'.*Binary",
    ),
    "a series": (X["size"], "X is a polars Series"),
    "a chunked array": (pa.chunked_array([Y]), "X could not be read"),
    "one dimension": (np.zeros(6), "2D array"),
    "three dimensions": (np.zeros((6, 1, 1)), "dim 3"),
    "bytes in an array": (np.array([[b"a"]] * 6), "bytes"),
    "mixed types in an array": (np.array([[0, "a"], [1, 2]] * 3, object), "'x1'.*int, str"),
    "objects in an array": (np.array([[0, {}], [1, {}]] * 3, object), "'x1'.*dict"),
    "integers beyond all floats": (np.array([[10**400]] * 6, object), "'x0'.*beyond"),
    "half a surrogate pair in an array": (np.array([["\ud800"]] * 6), r"'x0'.*\\ud800"),
    "dates in an array": (np.zeros((6, 1), "datetime64[D]"), "datetime64"),
    "complex": (np.zeros((6, 1), complex), "Complex"),
    "nothing": (None, "2D array"),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_that_cannot_be_learned_from_is_refused(name):
    frame, culprit = FRAMES[name]
    refuse(DiscreteAdaBoostClassifier, culprit, frame, Y)


LABELS = {
    "none": (None, "y"),
    "null": (pl.Series([0, 1, None, 1, 0, 1]), "y.*row 2"),
    "null string": (["a", "b", None, "b", "a", "b"], "y.*row 2"),
    "nan": ([0.0, 1.0, 1.0, float("nan"), 0.0, 1.0], "y.*row 3"),
    "nan string": (["a", "b", "a", float("nan"), "a", "b"], "y.*row 3"),
    "infinite": ([0.0, 1.0, 1.0, float("inf"), 0.0, 1.0], "y.*row 3"),
    "nan object": (np.array(["a", "b", "a", np.nan, "a", "b"], dtype=object), "y.*row 3"),
    "pandas missing": (pd.Series(["a", "b", "a", None, "a", "b"]), "y.*row 3"),
    "pandas NA": (pd.Series([1, 2, None, 1, 2, 1], dtype="Int64"), "y.*row 2"),
    "pyarrow null": (pa.array(["a", "b", "a", None, "a", "b"]), "y.*row 3"),
    "one class": ([1] * 6, "y.*one class.*1"),
    "fractions": ([0.5, 1.5, 0.5, 1.5, 0.5, 0.5], "y.*0.5"),
    "mixed types": (["a", 1, "a", 1, "a", 1], "y.*int.*str"),
    "bytes": (np.array([b"a", b"b"] * 3), "y"),
    "lists": (pl.Series([[1], [2]] * 3), "y.*List"),
    "two dimensions": ([[0, 1]] * 6, "y"),
    "too few": ([0, 1, 0], "y.*3 labels.*6 rows"),
    "too many": ([0, 1] * 4, "y.*8 labels.*6 rows"),
    "no such column": ("price", "'price'.*size, colour"),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_that_cannot_be_learned_are_refused(name):
    labels, culprit = LABELS[name]
    refuse(RealAdaBoostClassifier, culprit, X, labels)


WEIGHTS = {
    "too few": ([1, 1], "2 weights.*6 rows"),
    "too many": ([1] * 7, "7 weights.*6 rows"),
    "negative": ([1, 1, -1, 1, 1, 1], "row 2.*-1"),
    "nan": ([1, 1, float("nan"), 1, 1, 1], "row 2.*NaN"),
    "null": (pl.Series([1, 1, None, 1, 1, 1]), "row 2.*NaN"),
    "infinite": ([1, 1, float("inf"), 1, 1, 1], "row 2.*inf"),
    "all zero": ([0] * 6, "all weights are zero"),
    "strings": (["heavy"] * 6, "heavy"),
    "complex": ([1j] * 6, "complex"),
    "two dimensions": ([[1]] * 6, "2 dimensions"),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_that_are_none_are_refused(name):
    weights, culprit = WEIGHTS[name]
    message = refuse(RealAdaBoostClassifier, culprit, X, Y, sample_weight=weights)
    assert message.startswith("sample_weight")


def test_a_class_without_weight_is_refused():
    refuse(RealAdaBoostClassifier, "y.*one class", X, Y, sample_weight=[0, 1, 0, 1, 1, 0])
    refuse(RealAdaBoostClassifier, "y.*one class", bad={"class_weight": {0: 0}})
    refuse(RealAdaBoostClassifier, "class_weight", bad={"class_weight": {0: 0, 1: 0}})


VALIDATION = {
    "X alone": ({"X_val": X}, "y_val is None"),
    "y alone": ({"y_val": Y}, "X_val is None"),
    "unknown label": ({"X_val": X, "y_val": [0, 1, 0, 1, 2, 0]}, "y_val.*2.*0, 1"),
    "null label": ({"X_val": X, "y_val": [0, 1, None, 1, 1, 0]}, "y_val.*row 2"),
    "too few": ({"X_val": X, "y_val": [0, 1]}, "y_val.*2 labels.*6 rows"),
    "too many": ({"X_val": X, "y_val": Y * 2}, "y_val.*12 labels.*6 rows"),
    "no rows": ({"X_val": X.clear(), "y_val": []}, "(X_val|y_val).*0 "),
    "column missing": ({"X_val": X.select("size"), "y_val": Y}, "'colour'"),
    "column re-typed": ({"X_val": X.with_columns(size=pl.lit("big")), "y_val": Y}, "'size'"),
}


@pytest.mark.parametrize("name", VALIDATION)
def test_validation_rows_that_do_not_fit_are_refused(name):
    named, culprit = VALIDATION[name]
    for booster in BOOSTERS:
        refuse(booster, culprit, X, Y, **named)
