"""Wrong labels: finding them, counting them and learning without them, beside other libraries.

In: a directory with the sets at hand (`ida/banana.parquet`, `libsvm/segment.parquet`,
`large/adult_train.parquet`). Out: tables, and a JSON file with every number. Parts:

- ranking: the area under the ROC curve of "this label was turned" against the suspicion of a row,
  on 18 sets of at most 2,000 rows, 20 % of the labels turned to any other class or to the most
  similar one;
- whole: the same with times, on five larger sets, all of their rows, 10 and 20 %;
- count: the estimated share of wrong labels at 0 to 30 %, beside cleanlab's; and of the rows that
  `n_worth_checking(0.8)` names, the share that is wrong;
- clean: the test error of LightGBM and of LogitBoost, with and without `CleanedClassifier`.

All see the same rows and labels, and nobody is tuned to a set. Ours had their settings chosen on
seeds 10 to 12 of the same sets; reported seeds begin with 20.
"""

from __future__ import annotations

import argparse
import json
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.metrics import roc_auc_score
from suspects_rivals import MAKERS, cleanlab_share, rank_rivals
from suspects_sets import FILES, LARGE, read, read_large, similar_classes, split, turn
from suspects_tables import print_cleaned, print_counts, print_ranking

from weakforce import CleanedClassifier, label_noise, suspect_labels

FIRST_SEED = 20
SHARES = (0.0, 0.05, 0.1, 0.2, 0.3)
WHOLE_SHARES = (0.1, 0.2)
METHODS = ("cross-fit", "one-fit")


def main() -> None:
    options = read_options()
    seeds = range(FIRST_SEED, FIRST_SEED + options.seeds)
    few = range(FIRST_SEED, FIRST_SEED + options.large_seeds)
    jobs = {
        "ranking": [(name, seed, kind) for name in FILES for seed in seeds for kind in KINDS],
        "count": [(name, seed, share) for name in FILES for seed in seeds for share in SHARES],
        "clean": [(name, seed, maker) for name in FILES for seed in seeds for maker in MAKERS],
        "whole": [(name, seed, share) for name in LARGE for seed in few for share in WHOLE_SHARES],
    }
    report = json.loads(options.output.read_text()) if options.output.exists() else {}
    for part in options.parts:
        wanted_jobs = [job for job in jobs[part] if not options.sets or job[0] in options.sets]
        # What is timed has the machine to itself.
        processes = 1 if part == "whole" else options.processes
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            wanted = [pool.submit(PARTS[part], options.data, *job) for job in wanted_jobs]
            found = [
                {"set": job[0], "seed": job[1], "case": job[2], **task.result()}
                for job, task in zip(wanted_jobs, wanted, strict=True)
            ]
        # What an earlier run found of other sets, seeds and cases stays.
        known = {(line["set"], line["seed"], line["case"]) for line in found}
        earlier = report.get(part, [])
        found += [one for one in earlier if (one["set"], one["seed"], one["case"]) not in known]
        report[part] = found
        options.output.write_text(json.dumps(report, indent=0) + "\n")
        PRINTERS[part](part, found)


KINDS = ("uniform", "asymmetric")


def rank_small(directory: Path, name: str, seed: int, kind: str) -> dict[str, object]:
    """Return the areas and times of all rankings on one set."""
    X, clean = read(directory, name)
    similar = similar_classes(X, clean) if kind == "asymmetric" else None
    return rank_all(X, clean, turn(clean, seed, 0.2, similar), seed, 1)


def rank_whole(directory: Path, name: str, seed: int, share: float) -> dict[str, object]:
    """Return the same of a large set."""
    X, clean = read_large(directory, name)
    return rank_all(X, clean, turn(clean, seed, share), seed, 2)


def rank_all(X, clean, labels, seed: int, n_threads: int) -> dict[str, object]:
    wrong = labels != clean
    areas, seconds = {}, {}
    for method in METHODS:
        start = perf_counter()
        options = {"method": method, "n_reasons": 0, "random_state": seed, "n_jobs": n_threads}
        found = suspect_labels(X, labels, **options)
        seconds[method] = perf_counter() - start
        areas[method] = area(wrong[found["row"].to_numpy()], found["score"].to_numpy())
    for ranking, (suspicion, taken) in rank_rivals(X, labels, seed, n_threads).items():
        areas[ranking], seconds[ranking] = area(wrong, suspicion), taken
    return {"areas": areas, "seconds": seconds}


def area(wrong, suspicion) -> float:
    return float(roc_auc_score(wrong, suspicion))


def count_wrong(directory: Path, name: str, seed: int, share: float) -> dict[str, object]:
    """Return the share of wrong labels, true and estimated, and what is worth checking."""
    X, clean = read(directory, name)
    labels = turn(clean, seed, share)
    wrong = labels != clean
    found = label_noise(X, labels, random_state=seed, n_jobs=1)
    count = found.n_worth_checking(0.8)
    first = np.argsort(-found.p_wrong, kind="stable")[:count]
    return {
        "true": float(wrong.mean()),
        "estimated": found.rate,
        "interval": [found.low, found.high],
        "cleanlab": cleanlab_share(X, labels, seed),
        "worth_checking": count,
        "precision": float(wrong[first].mean()) if count else None,
    }


def clean_and_fit(directory: Path, name: str, seed: int, maker: str) -> dict[str, object]:
    """Return the test error on clean labels without cleaning, and by action."""
    (X, clean), (X_test, truth) = split(*read(directory, name), seed)
    labels = turn(clean, seed, 0.2)
    model = MAKERS[maker]()
    errors = {"none": float(np.mean(model.fit(X, labels).predict(X_test) != truth))}
    for action in ("drop", "relabel", "weight"):
        cleaned = CleanedClassifier(MAKERS[maker](), action=action, n_jobs=1).fit(X, labels)
        errors[action] = float(np.mean(cleaned.predict(X_test) != truth))
    return {"errors": errors}


PARTS = {"ranking": rank_small, "whole": rank_whole, "count": count_wrong, "clean": clean_and_fit}
PRINTERS = {
    "ranking": print_ranking,
    "whole": print_ranking,
    "count": print_counts,
    "clean": print_cleaned,
}


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="directory that holds ida/, libsvm/ and large/")
    parser.add_argument("--parts", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument(
        "--sets", type=lambda text: text.split(","), help="only these; default: all"
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--large-seeds", type=int, default=1, help="seeds of the part 'whole'")
    parser.add_argument("--processes", type=int, default=2)
    output = Path(__file__).with_suffix(".json")
    parser.add_argument("--output", type=Path, default=output, help="JSON file for all numbers")
    return parser.parse_args()


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
