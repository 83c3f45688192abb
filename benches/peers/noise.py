"""How boosters and their peers take wrong labels: the table of the README.

In: a directory with the sets at hand (`ida/image.parquet`, `uci/breast-wisconsin.parquet`,
`large/kr-vs-kp.parquet`). Out: test errors in per cent on clean labels after learning from labels
of which a share was turned, by model and share, on three simulated domains and three real sets; all
outcomes as JSON. Nobody is tuned: rounds and sizes are the same at every level of noise.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import polars as pl
import xgboost
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from weakforce import (
    DiscreteAdaBoostClassifier,
    MartiBoostClassifier,
    RealAdaBoostClassifier,
    RegularizedAdaBoostClassifier,
    Rule,
    SFBoostClassifier,
    SoftmaxBoostClassifier,
    Stump,
    datasets,
)

Ints = NDArray[np.int64]
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4)
TRAIN_ROWS = {"LEDeven": 1000, "XD6": 1000, "Long–Servedio": 4000}
TEST_ROWS = 10_000
FILES = {
    "breast-wisconsin": "uci/breast-wisconsin.parquet",
    "image": "ida/image.parquet",
    "kr-vs-kp": "large/kr-vs-kp.parquet",
}

#: All are given two cores and a seed. SFBoost, MartiBoost and soft-max boosting are ours to show.
MODELS: dict[str, Callable[[int], Any]] = {
    "SFBoost": lambda seed: SFBoostClassifier(Stump(), n_estimators=21, random_state=seed),
    "SFBoost, rules": lambda seed: SFBoostClassifier(
        Rule(max_literals=3), n_estimators=21, random_state=seed
    ),
    "MartiBoost": lambda seed: MartiBoostClassifier(Stump(), n_layers=100, random_state=seed),
    "SoftmaxBoost": lambda seed: SoftmaxBoostClassifier(
        Stump(), n_estimators=1000, random_state=seed
    ),
    "AdaBoost_Reg": lambda seed: RegularizedAdaBoostClassifier(
        Stump(), n_estimators=200, C=1e4, random_state=seed
    ),
    "AdaBoost": lambda seed: DiscreteAdaBoostClassifier(
        Stump(), n_estimators=1000, random_state=seed
    ),
    "real AdaBoost": lambda seed: RealAdaBoostClassifier(
        Stump(), n_estimators=1000, random_state=seed
    ),
    "LightGBM": lambda seed: lightgbm.LGBMClassifier(random_state=seed, verbose=-1, n_jobs=1),
    "XGBoost": lambda seed: xgboost.XGBClassifier(random_state=seed, n_jobs=1),
    "random forest": lambda seed: RandomForestClassifier(300, random_state=seed, n_jobs=1),
    "SVM": lambda _: make_pipeline(StandardScaler(), SVC()),
}


@dataclass(frozen=True)
class Division:
    """Training and test rows as numbers; the labels are clean."""

    X: NDArray[np.float64]
    y: Ints
    test_rows: NDArray[np.float64]
    test_labels: Ints


def main() -> None:
    options = read_options()
    jobs = [
        (domain, noise, seed, model)
        for domain in options.domains
        for noise in LEVELS
        for seed in range(options.seeds)
        for model in options.models
    ]
    errors: dict[str, dict[str, dict[str, list[float]]]] = {}
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as pool:
        wanted = [pool.submit(attempt, options.data, *job) for job in jobs]
        for (domain, noise, _, model), job in zip(jobs, wanted, strict=True):
            by_level = errors.setdefault(domain, {}).setdefault(model, {})
            by_level.setdefault(f"{noise:g}", []).append(job.result())
    print_tables(errors)
    if options.output:
        report = {"seeds": options.seeds, "errors": errors}
        options.output.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="directory that holds ida/, uci/ and large/")
    domains = [*TRAIN_ROWS, *FILES]
    parser.add_argument("--domains", type=lambda text: text.split(","), default=domains)
    parser.add_argument("--models", type=lambda text: text.split("|"), default=list(MODELS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--output", type=Path, help="JSON file for all errors")
    return parser.parse_args()


def attempt(directory: Path, domain: str, noise: float, seed: int, model: str) -> float:
    """Return the error in per cent of one model under one noise."""
    rows = divide(directory, domain, seed)
    turned = np.random.default_rng(seed).random(len(rows.y)) < noise
    fitted = MODELS[model](seed)
    if hasattr(fitted, "n_jobs") and fitted.n_jobs is None:
        fitted.set_params(n_jobs=1)
    fitted.fit(rows.X, np.where(turned, 1 - rows.y, rows.y))
    return 100 * float(np.mean(fitted.predict(rows.test_rows) != rows.test_labels))


def divide(directory: Path, domain: str, seed: int) -> Division:
    """Return the rows of a domain: simulated ones, or two thirds of a set against the rest."""
    if domain in TRAIN_ROWS:
        train = simulate(domain, TRAIN_ROWS[domain], seed)
        return Division(*train, *simulate(domain, TEST_ROWS, seed + 1000))
    frame = pl.read_parquet(directory / FILES[domain])
    X = frame.drop("target").to_dummies(pl.selectors.string(), drop_first=True)
    y = (frame["target"] == frame["target"].max()).to_numpy().astype(np.int64)
    X = X.fill_null(strategy="mean").cast(pl.Float64).to_numpy()
    parts = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
    return Division(parts[0], parts[2], parts[1], parts[3])


def simulate(domain: str, n_rows: int, seed: int) -> tuple[NDArray[np.float64], Ints]:
    """Draw rows with clean class labels; the segments of LEDeven are as noisy as ever."""
    if domain == "LEDeven":
        X, y = datasets.make_led_even(n_rows, seed=seed)
    elif domain == "XD6":
        X, y = datasets.make_xd6(n_rows, noise=0.0, seed=seed)
    else:
        X, y = datasets.make_long_servedio(n_rows, noise=0.0, seed=seed)
    labels = np.unique(y.to_numpy(), return_inverse=True)[1]
    return X.cast(pl.Float64).to_numpy(), labels.astype(np.int64)


def print_tables(errors: dict[str, dict[str, dict[str, list[float]]]]) -> None:
    """Print a table for each domain, best of each level marked."""
    for domain, by_model in errors.items():
        means = {
            model: {level: float(np.mean(e)) for level, e in by_level.items()}
            for model, by_level in by_model.items()
        }
        levels = list(next(iter(means.values())))
        print(f"\n{domain}\n{'wrong labels':16}" + "".join(f"{float(x):>9.0%}" for x in levels))
        best = {level: min(e[level] for e in means.values()) for level in levels}
        for model, by_level in means.items():
            cells = (f"{e:.1f}{'*' * (e <= best[x] + 0.05)}" for x, e in by_level.items())
            print(f"{model:16}" + "".join(f"{cell:>9}" for cell in cells))


if __name__ == "__main__":
    main()
