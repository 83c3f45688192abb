"""Fits on a Dask cluster, beside LightGBM's and XGBoost's on the same cluster and rows.

In (command line): how many rows and columns, and of which cluster. Out (standard output, and JSON
with `--output`): for stumps and for trees the seconds of a fit to rows that are in the cluster
already, of each library, and of ours in one process with as many threads; and the bytes that a
worker of ours sends in a round beside the size of the sums. Rows are drawn by the workers. Bars:
at least twice as fast as either, at most 1.3 times the time of one process, and at most 2.2 times
the size of the sums.

    python benches/peers/dask_cluster.py --rows 10_000_000 --output dask.json
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array
import numpy as np
from dask.delayed import delayed
from distributed import Client, LocalCluster, wait
from problem import draw

import weakforce
from weakforce import DiscreteAdaBoostClassifier, LogitBoostClassifier, Stump, Tree

SLOWEST, FASTEST, MOST_SENT = 1.3, 2.0, 2.2
LEAVES = {"stumps": 2, "trees": 12}
RATE = 0.1
#: Votes, as in `compare.py`, or Newton steps on the log loss as the others take them.
BOOSTERS = {"discrete": DiscreteAdaBoostClassifier, "logitboost": LogitBoostClassifier}


def main() -> None:
    options = read_options()
    warnings.filterwarnings("ignore")
    report: dict[str, Any] = {"options": vars(options), "found": {}}
    cluster = {"n_workers": options.workers, "threads_per_worker": options.threads}
    with LocalCluster(**cluster, dashboard_address=None) as workers, Client(workers) as client:
        X, y = spread(options, client)
        size, threads = f"{options.rows:,} × {options.columns} float32", options.threads
        print(f"{size} on {options.workers} workers of {threads} threads", flush=True)
        for name in options.learners:
            found = {
                library: min(measure(RUNS[library], name, (X, y, client), options))
                for library in options.libraries
            }
            report["found"][name] = found
            print(f"{options.rounds} {name}: " + ", ".join(map(shown, found.items())), flush=True)
            sent = traffic(name, (X, y, client), options)
            report["found"][name]["traffic"] = sent
            print(
                f"   a worker sends {sent['sent']:,.0f} bytes in a round, the sums are "
                f"{sent['sums']:,.0f} (ratio {sent['ratio']:.2f}, bar {MOST_SENT}), "
                f"{sent['n_sums']:.1f} times",
                flush=True,
            )
    if not options.skip_one_process:
        rows = draw(options.rows, options.columns, 0)
        for name in options.learners:
            runs = [one_process(name, rows, options) for _ in range(options.repeats)]
            seconds, boosting = min(runs)
            found = report["found"][name]
            found["one process"] = seconds
            ratio = found.get("weakforce", float("nan")) / seconds
            print(f"{name} in one process: {seconds:.2f} s, ratio {ratio:.2f} (bar {SLOWEST})")
            print_model(name, found["traffic"], boosting, options)
    if options.output:
        Path(options.output).write_text(json.dumps(report, indent=2) + "\n")


def spread(options: argparse.Namespace, client: Client) -> tuple[Any, Any]:
    """Return rows and labels that lie on the workers."""
    n_chunks = options.chunks or 2 * options.workers
    ends = [options.rows * at // n_chunks for at in range(n_chunks + 1)]
    drawn = [
        delayed(draw_chunk, nout=2)(ends[at + 1] - ends[at], options.columns, at)
        for at in range(n_chunks)
    ]
    sizes = np.diff(ends).tolist()
    X = dask.array.concatenate(
        [
            dask.array.from_delayed(rows, (size, options.columns), dtype=np.float32)
            for (rows, _), size in zip(drawn, sizes, strict=True)
        ]
    )
    y = dask.array.concatenate(
        [
            dask.array.from_delayed(labels, (size,), dtype=np.int64)
            for (_, labels), size in zip(drawn, sizes, strict=True)
        ]
    )
    X, y = client.persist([X, y])
    wait([X, y])
    return X, y


def draw_chunk(n_rows: int, n_columns: int, seed: int) -> tuple[Any, Any]:
    """Return some rows of the problem as arrays."""
    frame, labels = draw(n_rows, n_columns, seed)
    return frame.to_numpy(), labels


def booster(name: str, options: argparse.Namespace) -> Any:
    """Return ours."""
    leaves = LEAVES[name]
    learner = Stump() if leaves == 2 else Tree(max_leaf_nodes=leaves)
    return BOOSTERS[options.booster](learner, n_estimators=options.rounds, learning_rate=RATE)


def fit_ours(name: str, rows: Any, options: argparse.Namespace) -> Any:
    X, y, client = rows
    return weakforce.dask.fit(booster(name, options), X, y, client=client)


def fit_lightgbm(name: str, rows: Any, options: argparse.Namespace) -> None:
    import lightgbm

    X, y, client = rows
    lightgbm.DaskLGBMClassifier(
        client=client,
        n_estimators=options.rounds,
        num_leaves=LEAVES[name],
        learning_rate=RATE,
        verbose=-1,
    ).fit(X, y)


def fit_xgboost(name: str, rows: Any, options: argparse.Namespace) -> None:
    from xgboost import dask as cluster

    X, y, client = rows
    parameters = {
        "objective": "binary:logistic",
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_leaves": LEAVES[name],
        "max_depth": 0,
        "learning_rate": RATE,
    }
    matrix = cluster.DaskQuantileDMatrix(client, X, y)
    cluster.train(client, parameters, matrix, num_boost_round=options.rounds)


RUNS: dict[str, Callable[..., Any]] = {
    "weakforce": fit_ours,
    "lightgbm": fit_lightgbm,
    "xgboost": fit_xgboost,
}


def measure(run: Callable[..., Any], name: str, rows: Any, options: argparse.Namespace) -> Any:
    """Yield the seconds of fits, the first of which warms up what is loaded once."""
    for _ in range(options.repeats):
        began = time.perf_counter()
        run(name, rows, options)
        yield time.perf_counter() - began


def one_process(name: str, rows: Any, options: argparse.Namespace) -> tuple[float, float]:
    """Return the seconds of the same fit with all threads in this process, and of its rounds."""
    model = booster(name, options).set_params(n_jobs=options.workers * options.threads)
    began = time.perf_counter()
    model.fit(*rows)
    return time.perf_counter() - began, model.fit_times_["boosting"]


def traffic(name: str, rows: Any, options: argparse.Namespace) -> dict[str, float]:
    """Return what the worker that sends most sends in a round, without what is sent once."""
    few, many = (
        fit_ours(name, rows, argparse.Namespace(**{**vars(options), "rounds": n_rounds}))
        for n_rounds in (5, 15)
    )
    n_rounds = many.n_iter_ - few.n_iter_
    found = [
        {what: (sent[what] - few.fit_traffic_[worker][what]) / n_rounds for what in sent}
        for worker, sent in many.fit_traffic_.items()
    ]
    most = max(found, key=lambda of_worker: of_worker["sent"])
    return {**most, "ratio": (most["sent"] + most["gathered"]) / most["sums"]}


def print_model(name: str, sent: Any, boosting: float, options: argparse.Namespace) -> None:
    """Print what a round would take on large clusters: the kernel of one process, and the sums.

    With p workers of T threads and n rows: n / (p T) × the time of a row on one thread, the bytes
    2 (p − 1)/p × those of the sums, and ⌈log₂ p⌉ steps either way for each time that sums are asked
    for.
    """
    threads = options.workers * options.threads
    kernel = boosting * threads / options.rounds / options.rows
    print(
        f"   {kernel * 1e9:.2f} ns a row and round on one thread; seconds a round with workers of "
    )
    print(
        f"   {options.model_threads} threads, {options.bandwidth:g} bytes/s, {options.latency:g} s:"
    )
    for n_workers in (100, 1000):
        sums = 2 * (n_workers - 1) / n_workers * sent["sums"] / options.bandwidth
        steps = 2 * math.ceil(math.log2(n_workers)) * sent["n_sums"] * options.latency
        for n_rows in (10**9, 10**11):
            rows = n_rows / n_workers / options.model_threads * kernel
            total = rows + sums + steps
            print(
                f"   {n_workers:,} workers, {n_rows:.0e} rows, {name}: {total:.3g} = rows "
                f"{rows:.3g} + bytes {sums:.3g} + steps {steps:.3g}"
            )


def shown(entry: tuple[str, float]) -> str:
    return f"{entry[0]} {entry[1]:.2f} s"


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--chunks", type=int, help="partitions; two for each worker by default")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--learners", nargs="+", default=list(LEAVES), choices=list(LEAVES))
    parser.add_argument("--libraries", nargs="+", default=list(RUNS), choices=list(RUNS))
    parser.add_argument("--booster", default="discrete", choices=list(BOOSTERS))
    parser.add_argument("--skip-one-process", action="store_true")
    parser.add_argument("--model-threads", type=int, default=16, help="of a worker, in the model")
    parser.add_argument("--bandwidth", type=float, default=1.25e9, help="bytes a second, likewise")
    parser.add_argument("--latency", type=float, default=1e-3, help="seconds a step, likewise")
    parser.add_argument("--output", metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
