"""What tests of pictures share: a backend without a screen, frames with all kinds of columns."""

import datetime

import matplotlib
import numpy as np
import polars as pl

matplotlib.use("Agg")


def mixed_frame(n_rows=240, seed=0):
    """Columns of every kind, some with missing values, and a score that they make up."""
    generator = np.random.default_rng(seed)
    start = datetime.datetime(2020, 1, 1)
    X = pl.DataFrame(
        {
            "size": generator.normal(size=n_rows),
            "visits": generator.integers(0, 5, n_rows),
            "smoker": generator.random(n_rows) < 0.3,
            "occupation": generator.choice(["nurse", "cook", "smith"], n_rows),
            "town": generator.choice(
                [f"a rather long name of a town {k}" for k in range(30)], n_rows
            ),
            "seen": [
                start + datetime.timedelta(days=int(d)) for d in generator.integers(0, 900, n_rows)
            ],
            "day": [
                start.date() + datetime.timedelta(days=int(d))
                for d in generator.integers(0, 90, n_rows)
            ],
            "stay": [datetime.timedelta(hours=int(h)) for h in generator.integers(0, 400, n_rows)],
            "clock": [datetime.time(int(h)) for h in generator.integers(0, 24, n_rows)],
            "grade": generator.integers(1, 4, n_rows),
        }
    )
    hole = pl.int_range(n_rows) % 7 == 0
    X = X.with_columns(pl.when(~hole).then(pl.col("size", "occupation")).name.keep())
    score = (
        X["size"].fill_null(2.0)
        + (X["occupation"] == "nurse").fill_null(False).cast(pl.Float64)
        + X["visits"] / 3
        - X["smoker"].cast(pl.Float64)
        + (X["seen"].dt.year() > 2020).cast(pl.Float64)
        - (X["stay"].dt.total_hours() > 200).cast(pl.Float64)
        + (X["clock"].dt.hour() > 12).cast(pl.Float64)
        + (X["grade"] == 2).cast(pl.Float64)
    )
    return X, score.to_numpy() + generator.normal(size=n_rows) / 2


def close(display, drawn=True):
    """Draw everything, which is when matplotlib complains and takes its time, and let go of it."""
    if drawn:
        display.figure_.set_dpi(50)
        display.figure_.canvas.draw()
    matplotlib.pyplot.close(display.figure_)
