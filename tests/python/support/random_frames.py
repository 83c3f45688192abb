"""Random frames of random types, as hypothesis draws them."""

import datetime as dt
from decimal import Decimal

import polars as pl
from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
NAMES = st.text(st.characters(exclude_categories=["Cs"], min_codepoint=1), max_size=4)
FEW_TEXTS = st.sampled_from(["", "a", "b", "A", "ä", "nan", "null", "0", "\x00"])
DATES = st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1))
TIMES = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))
LENGTHS = st.timedeltas(dt.timedelta(-100_000), dt.timedelta(100_000))
LEVELS = ["low", "mid", "high", "never"]

TYPES = [
    (pl.Int8, st.integers(-128, 127)),
    (pl.Int64, st.integers(-(2**63), 2**63 - 1)),
    (pl.UInt16, st.integers(0, 3)),
    (pl.UInt64, st.integers(0, 2**64 - 1)),
    (pl.Int128, st.integers(-(2**127), 2**127 - 1)),
    (pl.Float32, st.floats(width=32)),
    (pl.Float64, st.floats()),
    (pl.Boolean, st.booleans()),
    (pl.String, TEXT),
    (pl.Categorical, FEW_TEXTS),
    (pl.Enum(LEVELS), st.sampled_from(LEVELS)),
    (pl.Date, DATES),
    (pl.Datetime("ms"), TIMES),
    (pl.Datetime("ns", "UTC"), TIMES.map(lambda time: time.replace(tzinfo=dt.timezone.utc))),
    (pl.Duration("us"), LENGTHS),
    (pl.Time, st.times()),
    (pl.Decimal(20, 3), st.integers(-(10**15), 10**15).map(lambda i: Decimal(i) / 1000)),
    (pl.Null, st.none()),
]


@st.composite
def columns(draw, rows: int, kind=None) -> pl.Series:
    """A column of a type: any values, few or one; with or without gaps."""
    dtype, values = kind or draw(st.sampled_from(TYPES))
    few = draw(st.integers(0, 4))
    if few:
        values = st.sampled_from(draw(st.lists(values, min_size=few, max_size=few)))
    if draw(st.booleans()):
        values = values | st.none()
    name = draw(NAMES)
    return pl.Series(name, draw(st.lists(values, min_size=rows, max_size=rows)), dtype=dtype)


@st.composite
def frames(draw) -> pl.DataFrame:
    rows = draw(st.integers(1, 40))
    drawn = [draw(columns(rows)) for _ in range(draw(st.integers(1, 5)))]
    return pl.DataFrame({series.name: series for series in drawn})


@st.composite
def problems(draw):
    """A frame, labels of two classes (or one, now and then), weights (some of them zero)."""
    X = draw(frames())
    pair = draw(st.sampled_from([(0, 1), ("no", "yes"), (False, True), (-1.0, 1.0)]))
    y = draw(st.lists(st.sampled_from(pair), min_size=len(X), max_size=len(X)))
    weight = st.sampled_from([0.0, 1e-100, 0.5, 1.0, 3.0, 1e100])
    weights = draw(st.none() | st.lists(weight, min_size=len(X), max_size=len(X)))
    return X, y, weights
