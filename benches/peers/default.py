"""The default classifier beside its peers, on clean and on wrong labels; nobody is tuned.

In: a data directory (see `default_tasks.py`). Out: one line of JSON in the cache folder for each
set, repetition, noise and method, so that a run which was ended goes on where it stopped; with
`--report` the tables, the aggregated numbers and the picture of `default_report.py`. All methods
learn on one thread from the same rows and labels, with the settings that their authors chose.

    python benches/peers/default.py DATA --cache FOLDER --groups ida --repetitions 6-10
    python benches/peers/default.py DATA --cache FOLDER --whole adult,letter --noise 0,40
    python benches/peers/default.py DATA --cache FOLDER --report
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import xgboost
from default_report import Line, report
from default_tasks import NOISES, DataSet, Floats, Ints, Task, find_sets, make_task
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import weakforce

OURS = "WeakForce"
GROUPS = ("ida", "multi-class", "two classes")
N_BINS = 15
#: Probabilities below are taken as this large, for the log loss.
LEAST_PROBABILITY = 1e-6
#: LightGBM reads categories as such from this number of rows on, as numbers below: by default it
#: wants 100 rows for each category, and on small sets it would learn nothing at all.
LIGHTGBM_CATEGORIES_FROM = 1000


@dataclass(frozen=True)
class Method:
    """A classifier, made from a task and a seed, and the form of the rows that it reads."""

    make: Callable[[Task, int], Any]
    rows: str
    #: Parameters of `fit` that name the categorical columns.
    fit: Callable[[Task], dict[str, Any]] = lambda task: {}  # noqa: ARG005


#: Threads, seeds and silence are the only settings, and the sizes that are part of a name.
METHODS = {
    OURS: Method(
        lambda _, seed: weakforce.WeakForceClassifier(random_state=seed, n_jobs=1), "frame"
    ),
    "LightGBM": Method(
        lambda _, seed: lightgbm.LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1),
        "coded",
        lambda task: (
            {"categorical_feature": task.categorical}
            if len(task.labels) >= LIGHTGBM_CATEGORIES_FROM
            else {}
        ),
    ),
    "XGBoost": Method(lambda _, seed: xgboost.XGBClassifier(random_state=seed, n_jobs=1), "coded"),
    "hist. gradient boosting": Method(
        lambda task, seed: HistGradientBoostingClassifier(
            random_state=seed, categorical_features=task.categorical
        ),
        "coded",
    ),
    "random forest": Method(
        lambda _, seed: RandomForestClassifier(300, random_state=seed, n_jobs=1), "flat"
    ),
    "extra trees": Method(
        lambda _, seed: ExtraTreesClassifier(300, random_state=seed, n_jobs=1), "flat"
    ),
    "extra trees 5": Method(
        lambda _, seed: ExtraTreesClassifier(300, min_samples_leaf=5, random_state=seed, n_jobs=1),
        "flat",
    ),
    "SVM": Method(lambda _, __: make_pipeline(StandardScaler(), SVC()), "flat"),
    "CatBoost": Method(
        lambda task, seed: catboost.CatBoostClassifier(
            random_seed=seed,
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
            cat_features=task.categorical,
        ),
        "strings",
    ),
}


def main() -> None:
    options = read_options()
    options.cache.mkdir(parents=True, exist_ok=True)
    cache = options.cache / "runs.jsonl"
    if options.report:
        report(read_lines(cache), options.output, options.picture)
        return
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    deadline = time.monotonic() + 60 * options.minutes
    done = {key_of(line) for line in read_lines(cache)}
    with threadpool_limits(limits=1), cache.open("a") as file:
        for line in run(options, done):
            file.write(json.dumps(line) + "\n")
            file.flush()
            if time.monotonic() > deadline:
                return


def read_options() -> argparse.Namespace:
    def names(text: str) -> list[str]:
        return text.split(",")

    def numbers(text: str) -> list[int]:
        first, _, last = text.partition("-")
        return list(range(int(first), int(last or first) + 1))

    here = Path(__file__).resolve()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="directory that holds ida, uci, libsvm and large")
    parser.add_argument("--cache", type=Path, required=True, help="folder for the results")
    parser.add_argument("--groups", type=names, default=list(GROUPS))
    parser.add_argument("--sets", type=names, help="only these sets of the groups")
    parser.add_argument("--whole", type=names, help="these sets, with all their rows")
    parser.add_argument("--noise", type=names, default=list(NOISES))
    parser.add_argument("--methods", type=names, default=list(METHODS))
    parser.add_argument("--repetitions", type=numbers, default=numbers("1-5"), help="as 6-10")
    parser.add_argument("--minutes", type=float, default=np.inf, help="stop after this time")
    parser.add_argument("--report", action="store_true", help="run nothing, print the tables")
    parser.add_argument("--output", type=Path, default=here.with_name("default_results.json"))
    parser.add_argument(
        "--picture", type=Path, default=here.parents[2] / "docs" / "default_noise.png"
    )
    return parser.parse_args()


def read_lines(cache: Path) -> list[Line]:
    return [json.loads(line) for line in cache.open()] if cache.exists() else []


def key_of(line: Line) -> tuple[Any, ...]:
    return tuple(line[part] for part in ("set", "whole", "repetition", "noise", "method"))


def run(options: argparse.Namespace, done: set[tuple[Any, ...]]) -> Iterator[Line]:
    """Yield what is not in the cache, repetition by repetition, all sets in each one."""
    whole = bool(options.whole)
    wanted = options.whole or options.sets
    sets = [
        found
        for found in find_sets(options.data)
        if (whole or found.group in options.groups) and (not wanted or found.name in wanted)
    ]
    for repetition in options.repetitions:
        for found in sets:
            for noise in options.noise:
                head = {"set": found.name, "whole": whole, "repetition": repetition, "noise": noise}
                heads = [{**head, "method": method} for method in options.methods]
                missing = [line for line in heads if key_of(line) not in done]
                if missing:
                    task = make_task(found, repetition, noise, whole)
                    yield from (line | attempt(found, task, line) for line in missing)


def attempt(found: DataSet, task: Task, line: Line) -> Line:
    """Fit one method to one task; return the measures and what the report needs to know."""
    method = METHODS[line["method"]]
    train, test = rows_for(method.rows, task)
    classes, labels = np.unique(task.labels, return_inverse=True)
    model = method.make(task, line["repetition"])
    start = time.process_time()
    model.fit(train, labels, **method.fit(task))
    seconds = time.process_time() - start
    measures = {"seconds": seconds, **measure(model, test, classes, task)}
    facts: Line = {
        "group": found.group,
        "n_train": len(task.labels),
        "n_test": len(task.clean),
        "n_classes": task.n_classes,
    }
    if line["method"] == OURS:
        facts["build"] = build_of_ours()
    print(*(line[part] for part in line), f"{measures['error']:.2f} {seconds:.1f} s", flush=True)
    return facts | measures


def rows_for(form: str, task: Task) -> tuple[Any, Any]:
    """Return training and test rows in the form that a method reads."""
    if form == "frame":
        return task.train, task.test
    if form == "coded":
        return task.coded
    if form == "flat":
        return task.flat
    return tuple(strings(part, task.categorical) for part in task.coded)


def strings(coded: Floats, categorical: list[int]) -> Any:
    """Return rows with the codes of categories as texts, which is what CatBoost wants."""
    if not categorical:
        return coded
    rows = coded.astype(object)
    rows[:, categorical] = coded[:, categorical].astype(str)
    return rows


def measure(model: Any, test: Any, classes: Ints, task: Task) -> dict[str, float | None]:
    """Return the measures on the test rows; those of probabilities only if there are any."""
    if not hasattr(model, "predict_proba"):
        scores = model.decision_function(test)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        wrong = classes[model.predict(test)] != task.clean
        area = mean_area(spread(scores, classes, task.n_classes, scores.min()), task.clean)
        nothing = dict.fromkeys(("log_loss_clean", "log_loss_noisy", "ece"))
        return {"error": 100 * float(wrong.mean()), "auc": area, **nothing}
    shares = spread(model.predict_proba(test), classes, task.n_classes, 0.0)
    return {
        "error": 100 * float(np.mean(shares.argmax(axis=1) != task.clean)),
        "auc": mean_area(shares, task.clean),
        "log_loss_clean": log_loss(shares, task.clean),
        "log_loss_noisy": log_loss(shares, task.noisy),
        "ece": calibration_error(shares, task.noisy),
    }


def spread(columns: Floats, classes: Ints, n_classes: int, filling: float) -> Floats:
    """Return columns for all classes; training rows may lack some."""
    complete = np.full((len(columns), n_classes), filling)
    complete[:, classes] = columns
    return complete


def mean_area(scores: Floats, labels: Ints) -> float:
    """Return the mean area under the ROC curve of each class of the test rows against the rest."""
    present = [k for k in np.unique(labels) if not np.all(labels == k)]
    return float(np.mean([roc_auc_score(labels == k, scores[:, k]) for k in present]))


def log_loss(shares: Floats, labels: Ints) -> float:
    own = shares[np.arange(len(labels)), labels]
    return float(-np.log(np.clip(own, LEAST_PROBABILITY, 1.0)).mean())


def calibration_error(shares: Floats, labels: Ints) -> float:
    """Return the expected calibration error of the likeliest class, by bins of equal width."""
    sure = shares.max(axis=1)
    gap = (shares.argmax(axis=1) == labels) - sure
    bins = np.minimum((sure * N_BINS).astype(int), N_BINS - 1)
    return float(np.abs(np.bincount(bins, gap, N_BINS)).sum() / len(labels))


def build_of_ours() -> str:
    """Return a name for the built extension, as results of two builds should not be mixed."""
    path = Path(weakforce.__file__).with_name("_core.abi3.so")
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


if __name__ == "__main__":
    main()
