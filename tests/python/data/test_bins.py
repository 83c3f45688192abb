"""How columns are cut: between all of few values, at quantiles of many, rare categories together.

The cuts and categories are read from the model file, the way a user would look at them.
"""

import json
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import weakforce
from reference.learners import round_cut
from support.registry import every_single_booster, weak
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Stump


def features(model, folder) -> list[dict]:
    """What the model file says of each column."""
    model.save(folder / "model.json")
    return json.loads((folder / "model.json").read_bytes())["features"]


def cuts_of(X, folder, **parameters) -> np.ndarray:
    """The cuts of the only column."""
    weights = parameters.pop("sample_weight", None)
    model = DiscreteAdaBoostClassifier(n_estimators=1, **parameters)
    X = X if X.ndim == 2 else X[:, np.newaxis]
    model.fit(X, np.arange(len(X)) % 2, weights)
    return np.array(features(model, folder)[0]["cuts"])


def every_cut(values) -> list[float]:
    """A round number between each two neighbouring values, by the naive oracle."""
    return [round_cut(low, high) for low, high in pairwise(np.unique(values).tolist())]


def bin_weights(values, cuts, weights=None) -> np.ndarray:
    return np.bincount(np.searchsorted(cuts, values), weights, minlength=len(cuts) + 1)


@every_single_booster
def test_thresholds_are_round_numbers_between_adjacent_values(booster):
    generator = np.random.default_rng(1)
    X = generator.choice(generator.normal(size=40), size=(300, 3))
    model = booster(weak(booster, Stump), n_estimators=60, max_bins=40)
    model.fit(X, generator.integers(0, 2, 300))
    assert len(model.estimators_) > 30
    for stump in model.estimators_:
        assert stump.threshold in every_cut(X[:, stump.column])


@pytest.mark.parametrize("max_bins", [255, 256, 257, 3000, 65535])
def test_as_many_values_as_bins_are_cut_exactly(max_bins, tmp_path):
    values = np.random.default_rng(2).permutation(min(max_bins, 5000)) / 7
    assert np.array_equal(cuts_of(values, tmp_path, max_bins=max_bins), every_cut(values))


def test_one_value_more_than_bins_is_not_cut_exactly(tmp_path):
    for max_bins in (2, 3, 16, 255, 256):
        values = np.arange(max_bins + 1.0)
        cuts = cuts_of(values, tmp_path, max_bins=max_bins)
        assert 1 <= len(cuts) == max_bins - 1


def test_wide_codes_find_the_one_cut_among_thousands():
    values = np.arange(3000.0).repeat(2)[:, np.newaxis]
    y = values[:, 0] > 1234.5
    model = DiscreteAdaBoostClassifier(n_estimators=1, max_bins=65535).fit(values, y)
    assert model.estimators_[0].threshold == 1234.0
    assert model.score(values, y) == 1.0
    coarse = DiscreteAdaBoostClassifier(n_estimators=1, max_bins=64).fit(values, y)
    assert coarse.score(values, y) < 1.0


def test_65535_bins_are_the_most_a_column_gets(tmp_path):
    values = np.arange(70_000.0)
    cuts = cuts_of(values, tmp_path, max_bins=65535)
    assert 60_000 < len(cuts) <= 65534
    exact = cuts_of(values[:65535], tmp_path, max_bins=65535)
    assert np.array_equal(exact, values[:65534])  # whole numbers are parted by the lower one


def test_missing_values_keep_their_side_with_the_most_bins():
    values = np.append(np.arange(65535.0), [np.nan] * 3)[:, np.newaxis]
    y = np.isnan(values[:, 0])
    model = DiscreteAdaBoostClassifier(n_estimators=1, max_bins=65535).fit(values, y)
    assert model.score(values, y) == 1.0


@pytest.mark.parametrize("rows", [10_000, 300_000])
def test_many_values_get_bins_of_similar_weight(rows, tmp_path):
    values = np.random.default_rng(3).exponential(size=rows)
    cuts = cuts_of(values, tmp_path, max_bins=64)
    weights = bin_weights(values, cuts)
    assert 60 <= len(weights) <= 64
    assert weights.max() < 1.25 * rows / 64
    assert weights.min() > 0.75 * rows / 64


def test_bins_are_similar_in_weight_not_in_rows(tmp_path):
    values = np.random.default_rng(4).permutation(10_000.0 * np.linspace(0, 1, 10_000))
    heavy = np.where(values < 1000, 9.0, 1.0)
    weights = bin_weights(
        values, cuts_of(values, tmp_path, max_bins=64, sample_weight=heavy), heavy
    )
    assert len(weights) <= 64
    assert weights.max() < 1.25 * heavy.sum() / 64


def test_a_value_heavier_than_a_bin_gets_one_of_its_own(tmp_path):
    generator = np.random.default_rng(5)
    values = np.where(generator.random(10_000) < 0.5, 0.25, generator.random(10_000))
    cuts = cuts_of(values, tmp_path, max_bins=16)
    place = np.searchsorted(cuts, 0.25)
    inside = values[np.searchsorted(cuts, values) == place]
    assert set(inside) == {0.25}
    rest = np.delete(bin_weights(values, cuts), place)
    assert rest.max() <= 1.01 * 10_000 / 16


def test_few_values_in_many_rows_are_cut_exactly_even_where_one_occurs_once(tmp_path):
    values = np.random.default_rng(6).integers(0, 10, 400_000).astype(np.float64)
    values[123_457] = 3.5
    values[399_999] = 77.0
    assert np.array_equal(cuts_of(values, tmp_path), every_cut(values))


def test_cuts_of_big_data_do_not_depend_on_the_seed(tmp_path):
    values = np.random.default_rng(7).normal(size=300_000)
    first = cuts_of(values, tmp_path, random_state=1)
    assert np.array_equal(cuts_of(values, tmp_path, random_state=2), first)


def test_rows_of_weight_zero_make_no_cuts(tmp_path):
    values = np.arange(20.0)
    weights = np.where(values < 10, 1.0, 0.0)
    cuts = cuts_of(values, tmp_path, sample_weight=weights)
    assert np.array_equal(cuts, every_cut(values[:10]))


def test_infinite_and_neighbouring_values_are_kept_apart(tmp_path):
    above_one = np.nextafter(1.0, 2.0)
    values = np.array([-np.inf, -1e308, -5e-324, 0.0, 5e-324, 1.0, above_one, 1e308, np.inf])
    cuts = cuts_of(values, tmp_path)
    assert np.isfinite(cuts).all()
    assert np.array_equal(np.searchsorted(cuts, values), np.arange(9))


def test_negative_zero_is_zero(tmp_path):
    assert np.array_equal(cuts_of(np.array([-0.0, 0.0, 1.0, -1.0]), tmp_path), [-1.0, 0.0])


def test_categories_without_a_bin_of_their_own_share_one_that_is_not_missing(tmp_path):
    rare = [f"rare {i}" for i in range(100_000)]
    frequent = [f"frequent {i}" for i in range(15)] * 1000
    texts = pl.Series("text", [*frequent, *rare, *([None] * 5000)])
    y = texts.str.starts_with("rare").fill_null(False).to_numpy()
    model = DiscreteAdaBoostClassifier(n_estimators=1, max_bins=16).fit(texts.to_frame(), y)
    [feature] = features(model, tmp_path)
    assert sorted(feature["categories"]) == sorted(set(frequent))
    assert sorted(feature["rare"]) == sorted(rare)
    assert model.score(texts.to_frame(), y) == 1.0
    for fitted in (model, weakforce.load(tmp_path / "model.json")):
        asked = pl.DataFrame({"text": ["rare 17", "frequent 3", "never seen", None]})
        assert fitted.predict(asked).tolist() == [True, False, False, False]


def test_the_heaviest_categories_keep_their_bins(tmp_path):
    texts = pl.DataFrame({"text": list("aaaabbbbccdde")})
    y = np.arange(13) % 2
    model = DiscreteAdaBoostClassifier(n_estimators=1, max_bins=3).fit(texts, y)
    assert features(model, tmp_path)[0]["categories"] == ["a", "b"]
    weights = np.where(texts["text"].is_in(["d", "e"]), 10.0, 1.0)
    model = DiscreteAdaBoostClassifier(n_estimators=1, max_bins=3).fit(texts, y, weights)
    assert features(model, tmp_path)[0] == {
        "name": "text",
        "kind": "text",
        "categories": ["d", "e"],
        "rare": ["a", "b", "c"],
        "rows": [2, 1, 10, 0],
    }


def test_as_many_categories_as_bins_share_none(tmp_path):
    texts = pl.DataFrame({"text": [f"{i:03}" for i in range(300)] * 2})
    y = np.arange(600) % 2
    model = RealAdaBoostClassifier(n_estimators=1, max_bins=300).fit(texts, y)
    [feature] = features(model, tmp_path)
    assert feature["categories"] == [f"{i:03}" for i in range(300)]
    assert feature["rare"] == []


def test_more_categories_than_a_byte_tells_apart_are_told_apart():
    texts = pl.DataFrame({"text": [f"{i}" for i in range(1000)] * 2})
    y = np.random.default_rng(8).permutation(1000)[np.arange(2000) % 1000] < 500
    model = DiscreteAdaBoostClassifier(Stump(criterion="z"), n_estimators=1, max_bins=1000)
    assert model.fit(texts, y).score(texts, y) == 1.0
