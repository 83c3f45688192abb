"""A column of every type that a frame can hold."""

import datetime as dt
from decimal import Decimal

import numpy as np
import polars as pl

DAY = dt.datetime(2024, 3, 1)
LETTERS = list("abcdefgh")


def integers(name: str) -> pl.Series:
    """Eight ascending integers, the smallest and the largest of the type among them."""
    bits = int(name.strip("UInt"))
    if name.startswith("U"):
        values = [0, 1, 2, 3, 100, 101, 102, 2**bits - 1]
    else:
        values = [-(2 ** (bits - 1)), -3, -2, -1, 0, 1, 2, 2 ** (bits - 1) - 1]
    return pl.Series(values, dtype=getattr(pl, name))


def series_by_type() -> dict[str, pl.Series]:
    """Eight ascending values of every type."""
    known = {name: hasattr(pl, name) for name in ("Int128", "UInt128", "Float16")}
    numbers = [f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64, 128)]
    series = {name: integers(name) for name in numbers if known.get(name, True)}
    floats = [-np.inf, -2.5, -1.0, -0.0, 0.5, 1.0, 3.25, np.inf]
    for name in ("Float16", "Float32", "Float64"):
        if known.get(name, True):
            series[name] = pl.Series(floats, dtype=getattr(pl, name))
    series["Boolean"] = pl.Series([False] * 4 + [True] * 4)
    series["Date"] = pl.Series([DAY.date() + dt.timedelta(days=i) for i in range(-4, 4)])
    for unit in ("ms", "us", "ns"):
        times = [DAY + dt.timedelta(milliseconds=i) for i in range(8)]
        for zone in (None, "UTC", "Europe/Berlin"):
            zoned = pl.Series(times, dtype=pl.Datetime(unit)).dt.replace_time_zone(zone)
            series[f"Datetime {unit} {zone}"] = zoned
        lengths = [dt.timedelta(milliseconds=i) for i in range(-4, 4)]
        series[f"Duration {unit}"] = pl.Series(lengths, dtype=pl.Duration(unit))
    series["Time"] = pl.Series([dt.time(23, 59, 59, i) for i in range(8)])
    for precision, scale in ((5, 2), (38, 10)):
        cents = [Decimal(i) / 100 for i in range(-4, 4)]
        series[f"Decimal {precision}"] = pl.Series(cents, dtype=pl.Decimal(precision, scale))
    for name, dtype in (
        ("String", pl.String),
        ("Categorical", pl.Categorical),
        ("Enum", pl.Enum(["z", *LETTERS])),
    ):
        series[name] = pl.Series(LETTERS, dtype=dtype)
    return series
