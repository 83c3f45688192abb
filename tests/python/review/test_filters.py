"""Filters let through what they say."""

import polars as pl
import pytest

from support.reviews import noisy_people, ranked
from weakforce.review.coded_columns import coded_column
from weakforce.review.filters import Filter, FilterError
from weakforce.review.ranking import Ranking

TABLE = noisy_people(80).with_columns(whole=pl.int_range(80), text=pl.lit("Ä b"))
RANKING = Ranking.of(ranked(TABLE, "pays"), "")
COLUMNS = [coded_column(one) for one in TABLE.drop("pays").get_columns()]
PLACES = {column.name: at for at, column in enumerate(COLUMNS)}

CASES = [
    ({}, pl.lit(True)),
    ({"given": "1"}, pl.col("pays") == "yes"),
    ({"column": "city", "text": "10115"}, pl.col("city") == "10115"),
    ({"column": "city", "text": "01", "condition": "contains"}, pl.col("city").str.contains("01")),
    ({"column": "text", "text": "ä", "condition": "contains"}, pl.lit(True)),
    ({"column": "text", "text": "ä b"}, pl.lit(True)),
    ({"column": "text", "text": "ä"}, pl.lit(False)),
    ({"column": "age", "condition": "missing"}, pl.col("age").is_null()),
    (
        {"column": "age", "condition": "between", "low": "30", "high": "40.5"},
        pl.col("age").is_between(30, 40.5).fill_null(False),
    ),
    ({"column": "age", "condition": "between", "low": "", "high": "40"}, pl.col("age") <= 40),
    ({"column": "whole", "text": "7"}, pl.col("whole") == 7),
    ({"column": "age", "text": "50"}, pl.col("age") == 50),
    ({"column": "member", "text": "true"}, pl.col("member")),
    (
        {"column": "since", "text": "2019", "condition": "contains"},
        pl.col("since").dt.year() == 2019,
    ),
    ({"column": "city", "condition": "missing"}, pl.lit(False)),
]


@pytest.mark.parametrize(("entries", "expected"), CASES)
def test_conditions_are_those_of_polars(entries, expected):
    if "column" in entries:
        entries = {**entries, "column": PLACES[entries["column"]]}
    mask = Filter.read(entries, 2, len(COLUMNS)).matches(RANKING, COLUMNS)
    wanted = TABLE.with_columns(expected.fill_null(False).alias("wanted"))["wanted"]
    assert mask.tolist() == wanted.to_list()


def test_the_suggested_class_is_that_of_the_ranking():
    mask = Filter.read({"suggested": 0}, 2, 1).matches(RANKING, COLUMNS)
    assert mask.tolist() == (RANKING.suggested == 0).tolist()
    assert 0 < mask.sum() < 80


WRONG = [
    ({"given": "2"}, "given: got '2', expected a number from 0 to 1"),
    ({"given": "x"}, "given: got 'x'"),
    ({"column": 99}, "column: got 99"),
    ({"state": "gone"}, "state: got 'gone', expected one of open"),
    ({"column": 0, "condition": "like"}, "condition: got 'like'"),
    ({"column": 0, "condition": "between", "low": "a"}, "low: got 'a', expected a number"),
]


@pytest.mark.parametrize(("entries", "said"), WRONG)
def test_what_makes_no_sense_is_refused(entries, said):
    with pytest.raises(FilterError, match=said):
        Filter.read(entries, 2, len(COLUMNS))


def test_texts_are_not_between_numbers():
    filter = Filter.read({"column": PLACES["city"], "condition": "between"}, 2, len(COLUMNS))
    with pytest.raises(FilterError, match="'city' has no numbers"):
        filter.matches(RANKING, COLUMNS)
