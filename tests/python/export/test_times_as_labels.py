"""Labels that are instants or lengths of time become literals of their type in every dialect."""

import datetime as dt
import sqlite3

import duckdb
import numpy as np
import polars as pl
import pytest

from weakforce import RealAdaBoostClassifier

X = pl.DataFrame({"a": np.arange(40.0)})
IS_SECOND = np.arange(40) > 11


def model(first, second) -> RealAdaBoostClassifier:
    return RealAdaBoostClassifier(n_estimators=2).fit(X, np.array([first, second])[1 * IS_SECOND])


def predicted(query: str, cast: str) -> list:
    rows = X  # noqa: F841
    return [label for (label,) in duckdb.sql(f"SELECT {cast} FROM ({query})").fetchall()]


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s", "m", "h", "D", "W"])
def test_lengths_are_intervals_and_in_sqlite_microseconds(unit):
    sizes = {"ns": 1500_000, "us": 1500, "ms": 3, "s": 4, "m": 5, "h": 6, "D": 7, "W": 2}
    label = np.timedelta64(sizes[unit], unit)
    fitted = model(label, 2 * label)
    microseconds = (fitted.predict(X) / np.timedelta64(1, "us")).astype(int).tolist()
    assert predicted(fitted.to_sql("rows"), "epoch_us(prediction)") == microseconds
    assert f"INTERVAL '{microseconds[0]} microseconds'" in fitted.to_sql("rows", "postgres")
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE rows (a REAL)")
    base.executemany("INSERT INTO rows VALUES (?)", X.rows())
    found = base.execute(fitted.to_sql("rows", "sqlite")).fetchall()
    assert [label for _, label in found] == microseconds


def test_lengths_of_python_are_intervals_too():
    fitted = RealAdaBoostClassifier(n_estimators=2).fit(
        X, [dt.timedelta(hours=2 if late else 1) for late in IS_SECOND]
    )
    hours = predicted(fitted.to_sql("rows"), "epoch(prediction) / 3600")
    assert hours == [2.0 if late else 1.0 for late in IS_SECOND]


@pytest.mark.parametrize("first", [np.timedelta64(1, "ns"), np.timedelta64(1, "M")])
def test_lengths_that_databases_do_not_have_are_refused(first):
    with pytest.raises(ValueError, match=r"label .*whole number of microseconds"):
        model(first, 1000 * first).to_sql("rows")


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us"])
def test_instants_of_every_unit_are_moments(unit):
    fitted = model(np.datetime64("2024-05-16", unit), np.datetime64("2025-07-17", unit))
    moments = fitted.predict(X).astype("datetime64[us]").astype(int).tolist()
    assert predicted(fitted.to_sql("rows"), "epoch_us(CAST(prediction AS TIMESTAMP))") == moments
