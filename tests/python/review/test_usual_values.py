"""What is usual for a class is what naive counts say."""

from collections import Counter
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from weakforce.review.coded_columns import CATEGORY, IMAGE, NUMBER, TEXT, coded_column, kind_of
from weakforce.review.usual_values import UsualValues

GENERATOR = np.random.default_rng(3)
N = 400
CLASSES = GENERATOR.integers(0, 3, N)
NUMBERS = np.where(GENERATOR.random(N) < 0.1, np.nan, GENERATOR.normal(CLASSES, 1.0))
TEXTS = GENERATOR.choice(["a", "b", "c", "d", "e"], N, p=[0.5, 0.3, 0.15, 0.04, 0.01]).tolist()
TEXTS[7] = None


def usual(series):
    column = coded_column(series)
    return column, UsualValues([column], CLASSES, 3)


@pytest.mark.parametrize("label", range(3))
def test_numbers_are_unusual_beyond_the_twentieths_of_their_class(label):
    column, values = usual(pl.Series("x", NUMBERS))
    own = NUMBERS[(label == CLASSES) & ~np.isnan(NUMBERS)]
    low, high = np.quantile(own, [0.05, 0.95])
    for row in range(N):
        expected = not np.isnan(NUMBERS[row]) and not low <= NUMBERS[row] <= high
        assert values.is_unusual(column, row, label) == expected
    assert f"middle {np.median(own):.4g}" in values.of(column, label).text


@pytest.mark.parametrize("label", range(3))
def test_categories_are_unusual_if_they_and_rarer_ones_are_a_twentieth(label):
    column, values = usual(pl.Series("x", TEXTS))
    counts = Counter(text for text, own in zip(TEXTS, CLASSES, strict=True) if own == label)
    total = sum(counts.values())
    seen = set()
    for row in range(N):
        own = counts[TEXTS[row]]
        expected = sum(count for count in counts.values() if count <= own) <= 0.05 * total
        assert values.is_unusual(column, row, label) == expected
        seen.add(expected)
    assert seen == {True, False}


def test_a_class_of_which_all_values_are_missing():
    series = pl.Series("x", [1.0 if code else None for code in CLASSES])
    column, values = usual(series)
    assert values.of(column, 0).text == "always missing"
    row = int(np.flatnonzero(CLASSES == 1)[0])
    assert values.is_unusual(column, row, 0)
    assert not values.is_unusual(column, row, 1)


def test_dates_are_written_as_dates():
    series = pl.Series("x", [date(2020, 1, 1) + timedelta(int(at)) for at in range(N)])
    column, values = usual(series)
    places = np.flatnonzero(CLASSES == 1)
    middle = series[int(np.quantile(places, 0.5, method="nearest"))]
    assert f"middle {middle}" in values.of(column, 1).text


def test_ratios_are_those_of_smoothed_counts():
    column, values = usual(pl.Series("x", TEXTS))
    shares = []
    for label in (1, 2):
        own = [text for text, code in zip(TEXTS, CLASSES, strict=True) if code == label]
        shares.append((own.count("c") + 0.5) / (len(own) + 0.5 * 256))
    row = TEXTS.index("c")
    assert values.log_ratio(column, row, 1, 2) == pytest.approx(np.log(shares[0] / shares[1]))


LONG = [f"{'a long sentence ' * 5}{at}" for at in range(20)]
KINDS = [
    (pl.Series("x", [1, 2]), NUMBER),
    (pl.Series("x", [date(2020, 1, 1)]), NUMBER),
    (pl.Series("x", [True, False]), CATEGORY),
    (pl.Series("x", ["a", "b"]), CATEGORY),
    (pl.Series("x", [None, None], dtype=pl.String), CATEGORY),
    (pl.Series("x", LONG), TEXT),
    (pl.Series("x", LONG[:2] * 10), CATEGORY),
    (pl.Series("x", ["a/1.PNG", None, "b.jpeg"]), IMAGE),
    (pl.Series("x", ["a/1.PNG", "b"]), CATEGORY),
    (pl.Series("x", [[1], [2]]), CATEGORY),
]


@pytest.mark.parametrize(("series", "kind"), KINDS)
def test_kinds_of_columns(series, kind):
    assert kind_of(series) == kind


def test_numbers_are_coded_in_their_order_and_missing_ones_apart():
    for numbers in (NUMBERS, np.round(NUMBERS), GENERATOR.normal(size=5000)):
        column = coded_column(pl.Series("x", numbers))
        missing = np.isnan(numbers)
        assert (column.codes[missing] == 255).all()
        order = np.argsort(numbers[~missing], kind="stable")
        assert (np.diff(column.codes[~missing][order].astype(int)) >= 0).all()
        assert column.codes[~missing].max() == column.n_codes - 1 <= 253
        if len(set(numbers[~missing])) <= 254:
            assert len(set(column.codes[~missing])) == len(set(numbers[~missing]))


def test_rare_categories_share_a_code():
    column = coded_column(pl.Series("x", [f"c{at}" for at in range(300)] + ["often"] * 5))
    assert column.codes[-1] == 0
    assert sorted(set(column.codes.tolist())) == list(range(255))
    assert (column.codes == 254).sum() == 301 - 254
