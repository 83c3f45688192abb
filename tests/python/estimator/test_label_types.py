"""Labels of unusual types are learned, judged and given back, or refused by name.

A label that was learned is known wherever labels are read again, in whatever container and unit it
comes.
"""

import datetime as dt
import enum
import uuid
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import weakforce
from weakforce import RealAdaBoostClassifier, WeakForceClassifier, suspect_labels
from weakforce._fitting.label_codes import learn_codes

ROWS = 40
X = np.arange(float(ROWS))[:, None]
IS_SECOND = np.arange(ROWS) > 11
BERLIN = ZoneInfo("Europe/Berlin")
WINTER, SUMMER = dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 7, 1, 12)


def pair(first, second) -> list:
    return [second if is_second else first for is_second in IS_SECOND]


def in_berlin(moment: dt.datetime) -> dt.datetime:
    return moment.replace(tzinfo=BERLIN)


def model() -> RealAdaBoostClassifier:
    return RealAdaBoostClassifier(n_estimators=2)


LABELS = {
    "instants with a time zone in Polars": pl.Series(pair(WINTER, SUMMER)).dt.replace_time_zone(
        "Europe/Berlin"
    ),
    "in pandas": pd.Series(pair(WINTER, SUMMER)).dt.tz_localize("Europe/Berlin"),
    "in pyarrow": pa.array(pair(in_berlin(WINTER), in_berlin(SUMMER))),
    "in a list": pair(in_berlin(WINTER), in_berlin(SUMMER)),
    "nanoseconds": pl.Series(pair(WINTER, SUMMER)).cast(pl.Datetime("ns")),
    "seconds": np.array(pair("2024-01-01", "2024-02-01"), "datetime64[s]"),
    "hours": np.array(pair("2024-01-01", "2024-02-01"), "datetime64[h]"),
    "months": np.array(pair("2024-01", "2024-02"), "datetime64[M]"),
    "far-off seconds": np.array(pair(10**15, 10**16), "datetime64[s]"),
    "lengths in weeks": np.array(pair(1, 2), "timedelta64[W]"),
    "large integers": pair(2**70, 2**71),
    "larger integers": pair(-1, 2**200),
    "integers of both ends": pair(2**63, -1),
    "UUIDs": pair(uuid.UUID(int=1), uuid.UUID(int=2)),
    "null characters": pair("a\0", "a"),
    "null characters in an array": np.array(pair("a\0", "a"), dtype=object),
    "periods": pd.Series(pair(pd.Period("2024-01"), pd.Period("2024-02"))),
    "run ends": pa.RunEndEncodedArray.from_arrays([12, ROWS], ["a", "b"]),
    "wide decimals": pa.array(pair(Decimal(1), Decimal(2)), pa.decimal256(50, 1)),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_are_learned_judged_and_given_back(name):
    y = LABELS[name]
    fitted = model().fit(X, y)
    assert len(fitted.classes_) == 2
    assert fitted.score(X, y) == 1.0
    assert (fitted.margins(X, y) > 0).all()
    assert fitted.score(X, fitted.predict(X)) == 1.0
    assert set(fitted.predict(X).tolist()) == set(fitted.classes_.tolist())
    found = suspect_labels(X, y, model(), n_folds=2, n_repeats=1)
    assert found["given"].n_unique() == 2
    assert fitted.summary()
    assert fitted.to_sql("rows")


@pytest.mark.parametrize("name", ["seconds", "UUIDs", "larger integers"])
def test_the_default_shows_labels_that_polars_does_not_have(name):
    fitted = WeakForceClassifier(n_estimators=2, n_trees=2, random_state=0).fit(X, LABELS[name])
    assert fitted.suspects_["given"].n_unique() == 2


def test_instants_are_the_same_in_every_container_and_unit():
    fitted = model().fit(X, LABELS["instants with a time zone in Polars"])
    in_utc = pair(dt.datetime(2024, 1, 1, 11), dt.datetime(2024, 7, 1, 10))
    for y in (
        *(LABELS[name] for name in ("in pandas", "in pyarrow", "in a list")),
        in_utc,
        np.array(in_utc, "datetime64[s]"),
        pl.Series(in_utc).cast(pl.Datetime("ns")),
    ):
        assert fitted.score(X, y) == 1.0


REFUSED = {
    "half a surrogate pair": (pair("\ud800", "a"), ValueError, r"y: .*'\\ud800'.*surrogate"),
    "half a pair in an array": (
        np.array(pair("\ud800", "a"), object),
        ValueError,
        r"y: .*'\\ud800'.*surrogate",
    ),
    "no order": (pair(*enum.Enum("Colour", "RED BLUE")), TypeError, "y has .*Colour.*no order"),
    "dicts": (pair({}, {}), TypeError, "y has labels of type dict"),
    "unions": (
        pa.UnionArray.from_sparse(
            pa.array([0] * ROWS, pa.int8()), [pa.array(pair(1, 2)), pa.array(pair("a", "b"))]
        ),
        TypeError,
        "y has type sparse_union",
    ),
    "complex numbers": (pair(1j, 2j), ValueError, "y is complex"),
    "complex numbers in pandas": (pd.Series(pair(1j, 2j)), ValueError, "y is complex"),
    "missing times": (np.array(pair("NaT", "2024-02-01"), "M8[s]"), ValueError, "y: .*row 0.*NaT"),
    "missing in pandas": (np.array(pair(pd.NA, "a"), object), ValueError, "y: .*row 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_label_is_refused_by_name(name, capfd):
    y, error, message = REFUSED[name]
    with pytest.raises(error, match=message) as caught:
        model().fit(X, y)
    assert caught.type is error
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["large integers", "larger integers", "UUIDs", "in a list"])
def test_labels_that_a_model_file_cannot_hold_are_refused_by_save(name, tmp_path):
    with pytest.raises(TypeError, match="y has labels"):
        model().fit(X, LABELS[name]).save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["integers of both ends", "null characters", "seconds", "months"])
def test_others_come_back_from_a_model_file(name, tmp_path):
    fitted = model().fit(X, LABELS[name])
    fitted.save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    assert again.classes_.dtype == fitted.classes_.dtype
    assert again.classes_.tolist() == fitted.classes_.tolist()


def test_codes_are_places_among_the_sorted_labels():
    generator = np.random.default_rng(5)
    for values in (
        generator.integers(-3, 90, 300).astype(np.int8),
        generator.integers(-3, 90, 300) * 10**15,
        generator.integers(0, 90, 300).astype(np.uint64) + np.uint64(2**64 - 100),
        np.array([-128, 127] * 9, np.int8),
        generator.integers(0, 90, 300).astype(np.float16),
        generator.integers(0, 90, 300) * 1e300,
        (generator.random(300) < 0.5),
        generator.integers(0, 90, 300).astype("datetime64[h]"),
        generator.integers(0, 90, 300).astype(str),
        generator.integers(0, 90, 300).astype(str).astype(object),
    ):
        classes, codes = learn_codes(values)
        expected, places = np.unique(values, return_inverse=True)
        assert classes.dtype == values.dtype
        assert np.array_equal(classes, expected)
        assert np.array_equal(codes, places)


HUGE = 10**400


@pytest.mark.parametrize("n_digits", [400, 5000])  # of which Python does not write the latter
def test_integers_beyond_all_floats_are_refused_by_name(n_digits):
    Y, huge = IS_SECOND.astype(int), 10**n_digits
    regularized = weakforce.RegularizedAdaBoostClassifier
    for name, call in {
        "sample_weight": lambda: model().fit(X, Y, [huge] * ROWS),
        "parameter 'class_weight'": lambda: model().set_params(class_weight={0: huge}).fit(X, Y),
        "parameter 'learning_rate'": lambda: model().set_params(learning_rate=huge).fit(X, Y),
        "parameter 'max_bins'": lambda: model().set_params(max_bins=huge).fit(X, Y),
        "parameter 'random_state'": lambda: model().set_params(random_state=huge).fit(X, Y),
        "parameter 'estimator__smoothing'": lambda: RealAdaBoostClassifier(
            weakforce.Stump(smoothing=huge)
        ).fit(X, Y),
        "parameter 'cost'": lambda: WeakForceClassifier(cost={0: {1: huge}}).fit(X, Y),
        "parameter 'noise_rate'": lambda: WeakForceClassifier(noise_rate=huge).fit(X, Y),
        "parameter 'mistrust'": lambda: regularized().fit(X, Y, mistrust=[huge] * ROWS),
        "parameter 'n_folds'": lambda: suspect_labels(X, Y, model(), n_folds=huge),
        "column 'x0'": lambda: model().fit([[huge]] * ROWS, Y),
    }.items():
        with pytest.raises(ValueError, match=name):
            call()


def test_halves_of_surrogate_pairs_in_parameters_are_refused_by_name(tmp_path):
    Y = IS_SECOND.astype(int)
    for name, learner in (("scoring", None), ("estimator__criterion", weakforce.Stump())):
        with pytest.raises(ValueError, match=rf"parameter '{name}'.*\\ud800"):
            RealAdaBoostClassifier(learner).set_params(**{name: "\ud800"}).fit(X, Y)
    fitted = model().fit(X, Y)
    for value in ("\ud800", HUGE, float("nan"), [1, HUGE]):
        with pytest.raises(ValueError, match=r"parameter 'multi_class'.*model file"):
            fitted.set_params(multi_class=value).save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("labels", [[[1], [1, 2]], [[], [1]], [3, (1, 2)], [{"a": 1}, 2]])
def test_labels_that_are_lists_of_different_lengths_are_refused_by_name(labels):
    with pytest.raises(ValueError, match=r"y: got entries of type .*expected one label for each"):
        model().fit(X[:2], labels)
