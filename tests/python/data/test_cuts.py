"""Where a column is cut: at the roundest number near the middle, a whole one between whole ones.

The cuts are read from the model file and compared with the naive oracle's, for numbers that people
write (ages, prices, measurements) and for any others; times are cut at whole days, hours, minutes.
"""

import datetime as dt
import json
from fractions import Fraction
from itertools import pairwise
from math import ulp

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reference.learners import round_cut
from weakforce import DiscreteAdaBoostClassifier

DAY = dt.datetime(2024, 3, 1)
#: Microseconds in a day, an hour, a minute, a second and a millisecond.
UNITS = [86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 1_000]


def cuts_of(column: pl.Series) -> list[float]:
    y = np.arange(len(column)) % 2
    model = DiscreteAdaBoostClassifier(n_estimators=1, max_bins=1000).fit(column.to_frame("x"), y)
    return json.loads(model.fitted_model_.core.to_json("{}"))["features"][0]["cuts"]


def is_borderline(low, high):
    """Whether some rounding ends on the border of the middle half, where floats may disagree."""
    middle = low / 2 + high / 2
    rounded = [float(format(middle, f".{digits}e")) for digits in range(17)]
    off = [abs(Fraction(number) - Fraction(middle)) for number in rounded]
    quarter = (Fraction(high) - Fraction(low)) / 4
    noise = quarter * Fraction(1e-9) + Fraction(ulp(middle))
    return any(abs(distance - quarter) <= noise for distance in off)


NUMBERS = {
    "ages": st.integers(0, 110).map(float),
    "whole": st.integers(-(2**60), 2**60).map(float),
    "prices": st.integers(-100_000, 100_000).map(lambda cents: cents / 100),
    "measured": st.floats(-10, 10),
    "any": st.floats(-1e300, 1e300),
    "close": st.integers(0, 50).map(lambda steps: 1.0 + steps * np.finfo(float).eps),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", NUMBERS)
@settings(max_examples=80, deadline=None, derandomize=True)
@given(data=st.data())
def test_cuts_are_those_of_the_oracle_and_separate_the_values(kind, data):
    values = data.draw(st.lists(NUMBERS[kind], min_size=2, max_size=20))
    values = np.unique(np.array(values) + 0.0).tolist()
    if len(values) == 1:
        values.append(values[0] + 1e300)
    cuts = cuts_of(pl.Series(values, dtype=pl.Float64))
    for (low, high), cut in zip(pairwise(values), cuts, strict=True):
        assert low <= cut < high
        assert cut == round_cut(low, high) or is_borderline(low, high), (low, high)


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (37.0, 38.0, 37.0),
        (36.0, 38.0, 37.0),
        (0.0, 1.0, 0.0),
        (-1.0, 0.0, -1.0),
        (18.0, 65.0, 40.0),
        (19.99, 20.49, 20.2),
        (0.1, 0.2, 0.15),
        (-0.3, 0.4, 0.05),
        (5.1, 4999.0, 3000.0),
        (1.0, 1.0 + 2**-52, 1.0),
        (123_456.0, 123_457.0, 123_456.0),
    ],
)
def test_cuts_worked_by_hand(low, high, cut):
    assert cuts_of(pl.Series([low, high])) == [cut]
    assert round_cut(low, high) == cut


def test_integers_of_every_width_are_parted_by_whole_numbers():
    for dtype in (pl.Int8, pl.UInt16, pl.Int64):
        assert cuts_of(pl.Series([3, 4, 5, 9, 100], dtype=dtype)) == [3.0, 4.0, 7.0, 50.0]
    assert cuts_of(pl.Series([True, False])) == [0.0]


def round_times(low: int, high: int) -> set[float]:
    """The naive cut between two counts of microseconds; two where the middle is just half-way."""
    middle, quarter = Fraction(low + high, 2), Fraction(high - low, 4)
    for unit in UNITS:
        places = [middle // unit * unit, -(-middle // unit) * unit]
        nearest = min(abs(place - middle) for place in places)
        if nearest <= quarter:
            return {float(place) for place in places if abs(place - middle) == nearest}
    return {float(middle // 1)}


@pytest.mark.slow
@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    start=st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    gap=st.sampled_from([*UNITS, 1, 30]).flatmap(lambda unit: st.integers(1, 40 * unit)),
)
@example(start=DAY, gap=UNITS[0])
@example(start=DAY, gap=3 * UNITS[0])
def test_instants_and_durations_are_cut_at_whole_days_hours_or_minutes(start, gap):
    low = (start - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
    expected = round_times(low, low + gap)
    for dtype in (pl.Datetime("us"), pl.Duration("us")):
        [cut] = cuts_of(pl.Series([low, low + gap], dtype=pl.Int64).cast(dtype))
        assert low <= cut < low + gap
        assert cut in expected


def test_dates_some_days_apart_are_cut_at_midnight():
    days = pl.Series([DAY.date() + dt.timedelta(days=3 * step) for step in range(8)])
    assert all(cut % UNITS[0] == 0 for cut in cuts_of(days))
    assert len(cuts_of(days)) == 7
