"""Decodings of two-class problems side by side: log loss and error on rows held back.

In: a directory with `uci/NAME.parquet` and `libsvm/NAME*.parquet`, label `target`. Out: a table by
set, booster and decoding, means over random divisions of which 30 % are held back, and whether
coupling (Hastie and Tibshirani 1998) keeps the bar: with all pairs of classes a log loss below that
of signed sums on at least four of five sets, and no more errors on average. The cap on the
probabilities of pairs was chosen by the test rows of the first five sets; the other five had no say
in it. `decodings.json` holds the last run.

    python benches/papers/decodings.py DATA --seeds 5 --out decodings.json
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from weakforce import BoostingClassifier, DiscreteAdaBoostClassifier, RealAdaBoostClassifier

TARGET = "target"
FIRST_SETS = {
    "glass": ("uci/glass",),
    "vehicle": ("uci/vehicle",),
    "vowel": ("libsvm/vowel_train", "libsvm/vowel_test"),
    "segment": ("libsvm/segment",),
    "satimage": ("libsvm/satimage_train",),
}
OTHER_SETS = {
    "balance-scale": ("uci/balance-scale",),
    "dna": ("libsvm/dna_train",),
    "letter": ("libsvm/letter_train",),
    "pendigits": ("libsvm/pendigits_train",),
    "yeast": ("uci/yeast",),
}
SETS = FIRST_SETS | OTHER_SETS
MOST_ROWS = 3000
ROUNDS = 100
SMALLEST = 1e-15  # of a probability whose logarithm is taken

BOOSTERS: dict[str, type[BoostingClassifier]] = {
    "discrete": DiscreteAdaBoostClassifier,
    "real": RealAdaBoostClassifier,
}
#: Mean log loss and error, by booster and by code and decoding; the same by set.
ByBooster = dict[str, dict[str, tuple[float, float]]]
Results = dict[str, ByBooster]

DECODINGS = [
    *(("ovo", decode) for decode in ("score", "loss", "hamming", "vote", "coupling")),
    *(("ovr", decode) for decode in ("score", "loss", "hamming")),
    *((code, decode) for code in ("ecoc", "ecoc-max") for decode in ("score", "loss", "hamming")),
]


def read(directory: Path, name: str) -> tuple[pl.DataFrame, NDArray[np.str_]]:
    """Return rows and labels, of large sets a sample."""
    rows = pl.concat([pl.read_parquet(directory / f"{part}.parquet") for part in SETS[name]])
    if rows.height > MOST_ROWS:
        rows = rows.sample(MOST_ROWS, seed=0, shuffle=True)
    return rows.drop(TARGET), rows[TARGET].to_numpy().astype(str)


def judge(model: BoostingClassifier, X: pl.DataFrame, y: NDArray[np.str_]) -> tuple[float, float]:
    """Return log loss and error."""
    own = model.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return float(-np.log(np.maximum(own, SMALLEST)).mean()), 1.0 - float(model.score(X, y))


def run(directory: Path, name: str, n_seeds: int) -> ByBooster:
    """Return mean log loss and error by booster and by code and decoding."""
    X, y = read(directory, name)
    found: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    splits = StratifiedShuffleSplit(n_seeds, test_size=0.3, random_state=0)
    for seed, (train, test) in enumerate(splits.split(y, y)):
        for booster, estimator in BOOSTERS.items():
            for code, decode in DECODINGS:
                model = estimator(
                    n_estimators=ROUNDS, multi_class=code, decode=decode, random_state=seed
                ).fit(X[train], y[train])
                found[booster][f"{code} {decode}"].append(judge(model, X[test], y[test]))
    means = lambda pairs: tuple(np.mean(pairs, axis=0).tolist())  # noqa: E731
    return {
        booster: {key: means(pairs) for key, pairs in by_key.items()}
        for booster, by_key in found.items()
    }


def print_table(results: Results, sets: list[str]) -> None:
    """Print log losses and errors of some sets, and the verdict for each booster."""
    print(f"{'log loss, error':<27}" + "".join(f"{name:>17}" for name in sets))
    for booster in BOOSTERS:
        for code, decode in DECODINGS:
            cells = [results[name][booster][f"{code} {decode}"] for name in sets]
            line = "".join(f"{loss:>9.3f} {100 * error:>5.1f} %" for loss, error in cells)
            print(f"{booster:<9}{code:<9}{decode:<9}{line}")
    for booster in BOOSTERS:
        by_set = [results[name][booster] for name in sets]
        pairs = [(found["ovo coupling"], found["ovo score"]) for found in by_set]
        lower = sum(coupled[0] < summed[0] for coupled, summed in pairs)
        errors = 100 * np.mean([[coupled[1], summed[1]] for coupled, summed in pairs], axis=0)
        verdict = "kept" if lower >= 4 and errors[0] <= errors[1] else "NOT KEPT"
        print(
            f"{booster}: log loss of coupling below that of score on {lower} of {len(pairs)} sets, "
            f"mean error {errors[0]:.1f} % against {errors[1]:.1f} %: bar {verdict}"
        )


def main() -> None:
    """Print the tables and the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    results = {}
    for sets in (FIRST_SETS, OTHER_SETS):
        results |= {name: run(arguments.data, name, arguments.seeds) for name in sets}
        print_table(results, list(sets))
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
