"""The most similar rows are those that a naive search finds."""

import numpy as np
import polars as pl
import pytest

from weakforce.review.coded_columns import coded_column
from weakforce.review.similar_rows import SimilarRows

GENERATOR = np.random.default_rng(5)
N = 200
CLASSES = GENERATOR.integers(0, 2, N)
NUMBERS = np.where(GENERATOR.random(N) < 0.1, np.nan, np.round(GENERATOR.normal(CLASSES), 1))
TEXTS = [None if at % 11 == 0 else "ab"[own] for at, own in enumerate(CLASSES)]
NOISE = GENERATOR.normal(size=N)
COLUMNS = [
    coded_column(pl.Series("number", NUMBERS)),
    coded_column(pl.Series("text", TEXTS)),
    coded_column(pl.Series("noise", NOISE)),
]
SIMILAR = SimilarRows(COLUMNS, CLASSES, 2)


def naive_distances(row):
    """Distances by ranks among distinct numbers and by equality, missing ones being different."""
    found = np.zeros(N)
    for other in range(N):
        for column, values in (("number", NUMBERS), ("noise", NOISE)):
            distinct = np.unique(values[~np.isnan(values)]).tolist()
            own, its = values[row], values[other]
            if np.isnan(own) or np.isnan(its):
                difference = 0.0 if np.isnan(own) and np.isnan(its) else 1.0
            else:
                difference = abs(distinct.index(own) - distinct.index(its)) / (len(distinct) - 1)
            found[other] += SIMILAR.weights[column] * difference
        found[other] += SIMILAR.weights["text"] * (TEXTS[row] != TEXTS[other])
    return found


@pytest.mark.parametrize("row", [0, 11, 57, 199])
def test_they_are_the_nearest_by_a_naive_search(row):
    expected = naive_distances(row)
    expected[row] = np.inf
    found = SIMILAR.of(row, 6)
    assert len(found) == 6
    assert row not in [other for other, _ in found]
    nearest = np.sort(expected)[:6]
    np.testing.assert_allclose([1 - similarity for _, similarity in found], nearest, atol=1e-5)
    np.testing.assert_allclose([expected[other] for other, _ in found], nearest, atol=1e-5)


def test_columns_that_tell_of_the_class_weigh_most():
    weights = SIMILAR.weights
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["text"] > weights["number"] > weights["noise"] > 0


def test_equal_rows_come_in_their_order():
    column = coded_column(pl.Series("x", [1, 2, 1, 1, 1, 2]))
    similar = SimilarRows([column], np.array([0, 1, 0, 0, 0, 1]), 2)
    assert similar.of(3, 2) == [(0, 1.0), (2, 1.0)]
    assert [row for row, _ in similar.of(1, 9)] == [5, 0, 2, 3, 4]


def test_without_columns_nothing_is_similar():
    column = coded_column(pl.Series("x", [1, 1, 1]))
    assert SimilarRows([column], np.array([0, 1, 0]), 2).of(0, 2) == []
