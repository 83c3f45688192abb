"""Single RBF nets beside table 1 of paper 004 (Rätsch, Onoda and Müller 2001).

In: a directory with `NAME.parquet` and `NAME_splits.parquet` (realization, is_train, row) of the
IDA benchmark. Out: per set the mean test error of one net over the realizations at hand and its
spread, the published mean and spread, and whether ours is at most a point above the published one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weakforce import DiscreteAdaBoostClassifier, RBFNet

TARGET = "target"
TOLERANCE = 1.0  # percentage points


@dataclass(frozen=True)
class Published:
    """The error of the single net in per cent: mean and standard deviation of 100 realizations."""

    mean: float
    deviation: float


SINGLE_NETS = {
    "banana": Published(10.8, 0.6),
    "ringnorm": Published(1.7, 0.2),
    "twonorm": Published(2.9, 0.3),
    "waveform": Published(10.7, 1.1),
}


@dataclass(frozen=True)
class Realization:
    """One division of a set into rows to learn from and rows to be judged by."""

    train: pl.DataFrame
    test: pl.DataFrame


def main() -> None:
    options = read_options()
    net = RBFNet(n_centers=options.centers, n_steps=options.steps)
    print(f"{net!r}, {options.seeds} seed(s) per realization; test error in per cent")
    print(f"{'set':10}{'nets':>5}{'ours':>15}{'published':>15}{'ms a fit':>10}")
    missed = []
    for name, published in SINGLE_NETS.items():
        errors, seconds = measure(options.data, name, net, options.seeds)
        ours = f"{errors.mean():.2f} ± {spread(errors):.2f}"
        theirs = f"{published.mean:.1f} ± {published.deviation:.1f}"
        note = ""
        if errors.mean() > published.mean + TOLERANCE:
            missed.append(name)
            note = f"   MISSED by more than {TOLERANCE:g}"
        print(f"{name:10}{len(errors):5}{ours:>15}{theirs:>15}{1e3 * seconds:10.0f}{note}")
    if missed:
        raise SystemExit(f"worse than published: {', '.join(missed)}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="single RBF nets beside paper 004")
    parser.add_argument("data", type=Path, help="directory of the IDA sets (parquet)")
    parser.add_argument("--centers", type=int, default=RBFNet().n_centers)
    parser.add_argument("--steps", type=int, default=RBFNet().n_steps)
    parser.add_argument("--seeds", type=int, default=5, help="nets per realization")
    return parser.parse_args()


def measure(
    directory: Path, name: str, net: RBFNet, seeds: int
) -> tuple[NDArray[np.float64], float]:
    """Return the test errors of all nets in per cent, and the mean time of a fit in seconds."""
    errors, seconds = [], 0.0
    for realization in read_realizations(directory, name):
        X_test, y_test = split_target(realization.test)
        for seed in range(seeds):
            model = DiscreteAdaBoostClassifier(net, n_estimators=1, random_state=seed)
            X, y = split_target(realization.train)
            start = time.perf_counter()
            model.fit(X, y)
            seconds += time.perf_counter() - start
            errors.append(100 * float(np.mean(model.predict(X_test) != y_test.to_numpy())))
    return np.array(errors), seconds / len(errors)


def read_realizations(directory: Path, name: str) -> Iterator[Realization]:
    rows = pl.read_parquet(directory / f"{name}.parquet")
    splits = pl.read_parquet(directory / f"{name}_splits.parquet")
    for split in splits.partition_by("realization", maintain_order=True):
        train, test = (
            rows[split.filter(pl.col("is_train") == is_train)["row"]] for is_train in (True, False)
        )
        yield Realization(train, test)


def split_target(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    return rows.drop(TARGET), rows[TARGET]


def spread(errors: NDArray[np.float64]) -> float:
    return float(errors.std(ddof=1)) if len(errors) > 1 else 0.0


if __name__ == "__main__":
    main()
