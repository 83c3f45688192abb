"""Models of every kind, frames full of traps, and engines that score them, for tests of exports.

A frame has every type of column, with nulls, NaN, infinities and categories that fit has not seen.
"""

import datetime as dt
import functools
import sqlite3
from decimal import Decimal

import duckdb
import numpy as np
import polars as pl

from support.registry import BOOSTERS, weak
from weakforce import Rule, Stump, Tree

#: Boosters whose scores can be exported.
EXPORTED = [booster for booster in BOOSTERS if not hasattr(booster, "n_layers")]
LEARNERS = [Stump, Rule, Tree]
LABELS = ["it's", 'a "b"', "c; DROP TABLE rows; --", "d\nd"]
START = dt.datetime(1969, 12, 31, 12)


def mixed_frame(n_rows: int, seed: int, unseen: bool = False) -> pl.DataFrame:
    """A frame with a column of every kind; `unseen` asks for categories that are not in others."""
    generator = np.random.default_rng(seed)
    new = ["new", "B"] if unseen else []

    def pick(values, dtype=None):
        entries = [values[at] for at in generator.integers(0, len(values), n_rows)]
        gaps = generator.random(n_rows) < 0.15
        entries = [None if gap else x for gap, x in zip(gaps, entries, strict=True)]
        return pl.Series(entries, dtype=dtype)

    moments = [
        START + dt.timedelta(microseconds=int(count))
        for count in generator.integers(-(10**15), 10**15, 60)
    ]
    fine = pl.Series(generator.integers(-(10**4), 10**4, n_rows)).cast(pl.Datetime("ns"))
    return pl.DataFrame(
        {
            "number": pick([*generator.normal(size=50).tolist(), np.nan, np.inf, -np.inf, 0.1]),
            "single": pick(generator.normal(size=9).tolist(), pl.Float32),
            "whole": pick([*range(9), 2**53 + 1, -(2**60)]),
            "decimal": pick([Decimal(at) / 1000 for at in range(-3000, 3000, 371)]),
            "truth": pick([False, True]),
            "job": pick(["a", "b", "c", "d", "e", "f", "g", "", "it's", "null", *new]),
            "town": pick(["x", "y", "z", *new], pl.Categorical),
            "level": pick(["low", "mid", "high"], pl.Enum(["low", "mid", "high", "never"])),
            "month": pick([1, 2, 3, 4, *([7, 8] if unseen else [])]),
            "day": pick([moment.date() for moment in moments]),
            "moment": pick(moments, pl.Datetime("us")),
            "zoned": pick(moments, pl.Datetime("ms")).dt.replace_time_zone("UTC"),
            "fine": fine,
            "span": pick([moment - START for moment in moments], pl.Duration("us")),
            "clock": pick([moment.time() for moment in moments]),
        }
    )


def labels_of(frame: pl.DataFrame, n_classes: int) -> list[str]:
    """Labels that depend on several columns."""
    number, job, late, month, truth = (
        frame.select(column.fill_null(False)).to_series().to_numpy().astype(int)
        for column in (
            pl.col("number").fill_nan(None) > 0,
            pl.col("job").is_in(["a", "c", "it's"]),
            pl.col("moment") > START,
            pl.col("month") > 2,
            pl.col("truth"),
        )
    )
    codes = (2 * number + job + late * month + truth) % n_classes
    return [LABELS[code] for code in codes]


@functools.cache
def fitted(booster, learner, n_classes: int):
    """A small model of the mixed frame."""
    X = mixed_frame(200, 1)
    small = Stump() if learner is Stump else weak(booster, learner)
    model = booster(small, n_estimators=12, max_bins=8, categorical_features=["month"])
    return model.fit(X, labels_of(X, n_classes))


def agrees(found, model, X) -> bool:
    """Whether scores are those of the model, to 1e-9 of their size."""
    scores = model.decision_function(X)
    found = np.asarray(found, dtype=np.float64).reshape(scores.shape)
    return bool(np.abs(found - scores).max() <= 1e-9 * max(1.0, np.abs(scores).max()))


def clear_leads(model, X) -> np.ndarray:
    """Of which rows the best class does not depend on rounding."""
    scores = model.decision_function(X)
    if scores.ndim == 1:
        return np.abs(scores) > 1e-9
    ordered = np.sort(scores, axis=1)
    return ordered[:, -1] - ordered[:, -2] > 1e-9


def polars_scores(model, X: pl.DataFrame) -> np.ndarray:
    """What the exported expression says, as an array."""
    found = X.select(model.to_polars()).to_series()
    return (found.struct.unnest() if found.dtype == pl.Struct else found).to_numpy()


class DuckDBEngine:
    """DuckDB with a table "rows", which has a key."""

    dialect = "duckdb"

    def __init__(self, frame: pl.DataFrame) -> None:
        self.connection = duckdb.connect(config={"threads": 1})
        self.connection.execute("SET TimeZone = 'Asia/Tokyo'")
        self.connection.register("arrow", frame.with_row_index("key ").to_arrow())
        self.connection.execute('CREATE TABLE "rows" AS SELECT * FROM arrow')

    def run(self, query: str) -> list[tuple]:
        return self.connection.execute(query).fetchall()


class SQLiteEngine:
    """SQLite with the same table, in which dates are texts and durations are microseconds."""

    dialect = "sqlite"

    def __init__(self, frame: pl.DataFrame) -> None:
        frame = frame.with_row_index("key ")
        self.connection = sqlite3.connect(":memory:")
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame.columns)
        self.connection.execute(f'CREATE TABLE "rows" ({names})')
        marks = ", ".join("?" * frame.width)
        fine = [
            frame[name].dt.to_string("%Y-%m-%d %H:%M:%S%.9f")
            for name, dtype in frame.schema.items()
            if isinstance(dtype, pl.Datetime) and dtype.time_unit == "ns"
        ]
        rows = ([as_sqlite(value) for value in row] for row in frame.with_columns(fine).rows())
        self.connection.executemany(f'INSERT INTO "rows" VALUES ({marks})', rows)

    def run(self, query: str) -> list[tuple]:
        return self.connection.execute(query).fetchall()


def as_sqlite(value):
    """A value as people keep it in SQLite."""
    if isinstance(value, dt.timedelta):
        return value // dt.timedelta(microseconds=1)
    if isinstance(value, (dt.date, dt.time)):
        return str(value)
    if isinstance(value, Decimal) or (isinstance(value, int) and abs(value) >= 2**63):
        return float(value)
    return value


ENGINES = [DuckDBEngine, SQLiteEngine]


def scored(engine, model, X: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The scores and labels that a database gives, in the order of the rows."""
    query = model.to_sql("rows", dialect=engine.dialect, keep=["key "])
    rows = sorted(engine.run(query))
    assert [row[0] for row in rows] == list(range(len(X)))
    return np.array([row[1:-1] for row in rows]), np.array([row[-1] for row in rows])
