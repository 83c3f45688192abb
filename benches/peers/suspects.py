"""Who finds wrong labels: `suspect_labels` beside cleanlab's rankings.

In: a directory with the sets at hand (`ida/banana.parquet`, `libsvm/segment.parquet`). Out: for
each set the area under the ROC curve of "this label was turned" against the suspicion of a row,
averaged over noise seeds: a fifth of the labels was turned, each to another class drawn uniformly.
All see the same rows, at most 2,000 of a set, and the same labels. cleanlab ranks by probabilities
of 5-fold LightGBM, once or as often as we repeat ours, and by those of the very fits that
`suspect_labels` makes, by all of its methods. Nobody is tuned to a set.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import lightgbm
import numpy as np
import polars as pl
from cleanlab.rank import get_label_quality_scores
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from weakforce import suspect_labels
from weakforce._estimator.cross_fit import CrossFit, Problem
from weakforce.suspects import default_booster

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Chosen before any result was seen: all sets of two classes of Rätsch et al., and five of Geist's.
TWO_CLASSES = (
    *("banana", "breast-cancer", "diabetis", "flare-solar", "german", "heart", "image"),
    *("ringnorm", "splice", "thyroid", "titanic", "twonorm", "waveform"),
)
SEVERAL_CLASSES = ("segment", "satimage_train", "pendigits_train", "vowel_train", "dna_train")
FILES = {
    **{name: f"ida/{name}.parquet" for name in TWO_CLASSES},
    **{name: f"libsvm/{name}.parquet" for name in SEVERAL_CLASSES},
}
MOST_ROWS = 2000
NOISE = 0.2
N_REPEATS = 3

OURS = "suspect_labels"
#: cleanlab's methods, and whether it adjusts probabilities by class first; the default leads.
METHODS = {
    "self-confidence": ("self_confidence", False),
    "normalized margin": ("normalized_margin", False),
    "weighted entropy": ("confidence_weighted_entropy", False),
    "self-confidence, adjusted": ("self_confidence", True),
    "normalized margin, adjusted": ("normalized_margin", True),
}


def main() -> None:
    options = read_options()
    jobs = [(name, seed) for name in options.sets for seed in range(options.seeds)]
    areas: dict[str, dict[str, list[float]]] = {}
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as pool:
        wanted = [pool.submit(attempt, options.data, *job) for job in jobs]
        for (name, _), job in zip(jobs, wanted, strict=True):
            for ranking, area in job.result().items():
                areas.setdefault(ranking, {}).setdefault(name, []).append(area)
    print_table(areas)
    report = {"seeds": options.seeds, "noise": NOISE, "most_rows": MOST_ROWS, "areas": areas}
    options.output.write_text(json.dumps(report, indent=1) + "\n")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="directory that holds ida/ and libsvm/")
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(FILES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    output = Path(__file__).with_suffix(".json")
    parser.add_argument("--output", type=Path, default=output, help="JSON file for all areas")
    return parser.parse_args()


def attempt(directory: Path, name: str, seed: int) -> dict[str, float]:
    """Return the areas of all rankings on one set under one noise."""
    X, clean = read(directory / FILES[name])
    labels = turn(clean, seed)
    suspicion = dict(rank_all(X, labels, seed))
    return {
        ranking: float(roc_auc_score(labels != clean, score))
        for ranking, score in suspicion.items()
    }


def read(path: Path) -> tuple[Floats, Ints]:
    """Return rows as numbers and class codes; the same part of a large set every time."""
    frame = pl.read_parquet(path)
    if len(frame) > MOST_ROWS:
        order = np.random.default_rng(0).permutation(len(frame))
        frame = frame[np.sort(order[:MOST_ROWS])]
    codes = np.unique(frame["target"].to_numpy(), return_inverse=True)[1]
    return frame.drop("target").cast(pl.Float64).to_numpy(), codes.astype(np.int64)


def turn(labels: Ints, seed: int) -> Ints:
    """Give a share of the rows another label."""
    generator = np.random.default_rng(seed)
    n_classes = int(labels.max()) + 1
    turned = generator.random(len(labels)) < NOISE
    return np.where(
        turned, (labels + generator.integers(1, n_classes, len(labels))) % n_classes, labels
    )


def rank_all(X: Floats, labels: Ints, seed: int) -> list[tuple[str, Floats]]:
    """Return the suspicion of each row by every ranking."""
    found = suspect_labels(X, labels, n_repeats=N_REPEATS, random_state=seed, n_jobs=1)
    rankings = [(OURS, found.sort("row")["score"].to_numpy())]
    by_division = [lightgbm_shares(X, labels, seed * N_REPEATS + at) for at in range(N_REPEATS)]
    shares_of = {
        "LightGBM": by_division[0],
        f"LightGBM {N_REPEATS} times": np.mean(by_division, axis=0),
        "ours": our_shares(X, labels, seed),
    }
    for source, shares in shares_of.items():
        for name, (method, adjusted) in METHODS.items():
            quality = get_label_quality_scores(
                labels, shares, method=method, adjust_pred_probs=adjusted
            )
            rankings.append((f"cleanlab, {source}, {name}", -quality))
    return rankings


def lightgbm_shares(X: Floats, labels: Ints, seed: int) -> Floats:
    """Return LightGBM's class probabilities by five-fold cross-validation."""
    model = lightgbm.LGBMClassifier(random_state=seed, verbose=-1, n_jobs=1)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    return cross_val_predict(model, X, labels, cv=folds, method="predict_proba")


def our_shares(X: Floats, labels: Ints, seed: int) -> Floats:
    """Return the class probabilities of the same fits as those of `suspect_labels`."""
    classes, truth = np.unique(labels, return_inverse=True)
    problem = Problem(X, classes, truth.astype(np.uint32), np.ones(len(X)))
    return CrossFit(default_booster(), problem, 5, N_REPEATS).judge(seed).probabilities


def print_table(areas: dict[str, dict[str, list[float]]]) -> None:
    """Print our areas beside those of cleanlab's default, then the means of all rankings."""
    default = next(iter(METHODS))
    rivals = [f"cleanlab, {source}, {default}" for source in ("LightGBM", "ours")]
    shown = [OURS, *rivals]
    print(f"{'':18}" + "".join(f"{text:>36}" for text in shown))
    for name in areas[OURS]:
        cells = (float(np.mean(areas[ranking][name])) for ranking in shown)
        print(f"{name:18}" + "".join(f"{cell:>36.4f}" for cell in cells))
    print("\nmean over sets")
    for ranking, by_set in areas.items():
        print(f"{ranking:58}{np.mean([np.mean(by_seed) for by_seed in by_set.values()]):.4f}")


if __name__ == "__main__":
    main()
