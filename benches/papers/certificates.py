"""Totally corrective boosters on the IDA sets: one optimum, reached three ways, and the ν-property.

In: a directory with `NAME.parquet` (and `NAME_splits.parquet`) of the IDA benchmark. Out: for each
set the soft margin that LPBoost, SoftBoost and ERLPBoost reach over stumps, beside the optimum over
all stumps by HiGHS (scipy), which never sees our code; then the shares of margin errors and of
support rows, between which ν must lie, up to one row. Exits with an error where a bar is missed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import linprog

from weakforce import ERLPBoostClassifier, LPBoostClassifier, SoftBoostClassifier

TARGET = "target"
TRAIN_ROWS = {
    "banana": 400,
    "breast-cancer": 200,
    "diabetis": 468,
    "flare-solar": 666,
    "german": 700,
    "heart": 170,
    "image": 1300,
    "ringnorm": 400,
    "splice": 1000,
    "thyroid": 140,
    "titanic": 150,
    "twonorm": 400,
    "waveform": 400,
}
BOOSTERS = (LPBoostClassifier, SoftBoostClassifier, ERLPBoostClassifier)
#: What counts as slack: more than the solver's rounding.
SLACK = 1e-7

Floats = NDArray[np.float64]


def main() -> None:
    options = read_options()
    print(f"ν = {options.nu}, tol = {options.tol}, columns coarsened to {options.values} values")
    print(
        f"{'set':14}{'rows':>5}{'stumps':>7}{'optimum':>9}"
        + "".join(f"{booster.__name__.removesuffix('Classifier'):>28}" for booster in BOOSTERS)
    )
    missed = []
    for name in options.sets:
        X, y = read_rows(options.data, name, options.values)
        margins = all_stump_margins(X, y)
        optimum = best_soft_margin(margins, options.nu)
        line = f"{name:14}{len(y):5}{margins.shape[1]:7}{optimum:9.5f}"
        for booster in BOOSTERS:
            model: Any = booster(nu=options.nu, tol=options.tol, n_estimators=options.rounds)
            begun = time.perf_counter()
            model.fit(X, y)
            seconds = time.perf_counter() - begun
            errors = float(np.mean(model.slack_ > SLACK))
            support = model.n_support_ / len(y)
            line += f"{model.objective_:9.5f}{model.n_iter_:5}{seconds:6.1f}s"
            line += f"{errors:4.0%}{support:4.0%}"
            missed += [
                f"{name}, {booster.__name__}: {reason}"
                for reason in misses(model, optimum, (errors, support), len(y), options)
            ]
        print(line, flush=True)
    print("per booster: objective, rounds, time, rows below the margin, support rows")
    if missed:
        raise SystemExit("MISSED\n" + "\n".join(missed))
    print("all within tol of the optimum, and ν lies between the two shares up to one row")


def misses(
    model: Any,
    optimum: float,
    shares: tuple[float, float],
    n_rows: int,
    options: argparse.Namespace,
) -> list[str]:
    """Return which bars a model misses."""
    errors, support = shares
    found = []
    if model.stop_reason_ != "optimal":
        found.append(f"stopped by {model.stop_reason_} at {model.certificate_[-1]:.5f}")
    if not -1e-6 <= optimum - model.objective_ <= options.tol + 1e-6:
        found.append(f"objective {model.objective_:.6f}, optimum {optimum:.6f}")
    if errors > options.nu + 1 / n_rows or support < options.nu - 1 / n_rows:
        found.append(f"{errors:.3f} margin errors, {support:.3f} support")
    return found


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="totally corrective boosters on the IDA sets")
    parser.add_argument("data", type=Path, help="directory of the IDA sets (parquet)")
    parser.add_argument("--sets", nargs="+", default=list(TRAIN_ROWS), choices=list(TRAIN_ROWS))
    parser.add_argument("--nu", type=float, default=0.3)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--values", type=int, default=32, help="different values a column keeps")
    parser.add_argument("--rounds", type=int, default=5000)
    return parser.parse_args()


def read_rows(directory: Path, name: str, n_values: int) -> tuple[pl.DataFrame, NDArray[Any]]:
    """Return the training rows of the first realization, or as many drawn at random.

    Columns are coarsened to their quantiles, so that all stumps can be listed.
    """
    rows = pl.read_parquet(directory / f"{name}.parquet")
    splits = directory / f"{name}_splits.parquet"
    if splits.exists():
        split = pl.read_parquet(splits).filter(pl.col("is_train"))
        first = split.filter(pl.col("realization") == split["realization"].min())
        rows = rows[first["row"]]
    else:
        rows = rows.sample(TRAIN_ROWS[name], seed=0)
    return rows.drop(TARGET).select(pl.all().map_batches(coarse(n_values))), rows[TARGET].to_numpy()


def coarse(n_values: int) -> Callable[[pl.Series], pl.Series]:
    """Return what rounds a column down to one of so many of its quantiles."""

    def round_down(column: pl.Series) -> pl.Series:
        values = column.to_numpy()
        if len(np.unique(values)) <= n_values:
            return column.cast(pl.Float64)
        steps = np.quantile(values, np.linspace(0, 1, n_values + 1)[:-1], method="lower")
        return pl.Series(column.name, steps[np.searchsorted(steps, values, side="right") - 1])

    return round_down


def all_stump_margins(X: pl.DataFrame, y: NDArray[Any]) -> Floats:
    """Return y h(x) of every different stump, both polarities and constants included."""
    signs = np.where(y == np.unique(y)[1], 1.0, -1.0)
    answers = [np.ones(len(y))]
    for column in X.to_numpy().T:
        answers += [np.where(column <= cut, 1.0, -1.0) for cut in np.unique(column)[:-1]]
    sides = np.unique(np.array(answers), axis=0).T
    return np.concatenate([sides, -sides], axis=1) * signs[:, None]


def best_soft_margin(margins: Floats, nu: float) -> float:
    """Return max ϱ − 1/(ν l) Σ ξ over all weights, by its dual: l rows, one bound on all edges."""
    n_rows, n_stumps = margins.shape
    # Variables d (rows) and γ: min γ subject to Mᵀd ≤ γ, Σ d = 1, 0 ≤ d ≤ 1/(ν l).
    constraints = np.hstack([margins.T, -np.ones((n_stumps, 1))])
    solved = linprog(
        np.append(np.zeros(n_rows), 1.0),
        A_ub=constraints,
        b_ub=np.zeros(n_stumps),
        A_eq=np.append(np.ones(n_rows), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0.0, 1.0 / (nu * n_rows))] * n_rows + [(None, None)],
        method="highs",
    )
    if solved.status != 0:
        raise RuntimeError(f"HiGHS: {solved.message}")
    return float(solved.fun)


if __name__ == "__main__":
    main()
