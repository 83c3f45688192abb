"""How time grows with the rows and with the columns: ten times as many of either.

In (command line): the sizes and the threads. Out: docs/growth.json and, where matplotlib is there,
docs/growth.png: seconds of fits without binning by rows and by columns, for stumps and trees, and
how much longer each ten times as many take. The bar is 10.5.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from problem import draw

from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Stump, Tree

DOCS = Path(__file__).resolve().parents[2] / "docs"
BAR = 10.5
LEAVES = 12

#: By name: a booster of so many rounds on so many threads.
BOOSTERS: dict[str, Callable[[int, int], Any]] = {
    "stumps": lambda rounds, threads: DiscreteAdaBoostClassifier(
        Stump(), n_estimators=rounds, n_jobs=threads
    ),
    f"trees of {LEAVES} leaves": lambda rounds, threads: RealAdaBoostClassifier(
        Tree(max_leaf_nodes=LEAVES), n_estimators=rounds, n_jobs=threads
    ),
}


def main() -> None:
    """Measure, print a table, and write the results and the picture."""
    options = parsed()
    rows = [options.least_rows * 10**power for power in range(options.steps)]
    columns = [options.least_columns * 10**power for power in range(options.steps)]
    measured = {
        "rows": by_size([(n, options.columns) for n in rows], rows, options),
        "columns": by_size([(options.rows, n) for n in columns], columns, options),
    }
    found = {"rounds": options.rounds, "threads": options.threads, **measured}
    (options.out / "growth.json").write_text(json.dumps(found, indent=1) + "\n")
    draw_picture(measured, options)


def parsed() -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least-rows", type=int, default=10_000)
    parser.add_argument("--least-columns", type=int, default=5)
    parser.add_argument("--steps", type=int, default=3, help="sizes, each ten times the last")
    parser.add_argument("--rows", type=int, default=100_000, help="where columns grow")
    parser.add_argument("--columns", type=int, default=20, help="where rows grow")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3, help="fits, of which the best counts")
    parser.add_argument("--out", type=Path, default=DOCS, help="the folder of results")
    return parser.parse_args()


def by_size(
    shapes: list[tuple[int, int]], sizes: list[int], options: argparse.Namespace
) -> dict[str, Any]:
    """Return the seconds of each booster by size, and how much longer each takes than the last."""
    seconds: dict[str, list[dict[str, float]]] = {name: [] for name in BOOSTERS}
    for n_rows, n_columns in shapes:
        X, y = draw(n_rows, n_columns)
        for name, booster in BOOSTERS.items():
            fits = [timed(booster, X, y, options) for _ in range(options.repeats)]
            best = min(fits, key=lambda fit: fit["boosting"])
            seconds[name].append(best)
            print(f"{n_rows:>11,} rows × {n_columns:>5,}  {name:<20} {best['boosting']:9.3f} s")
    ratios = {
        name: [after["boosting"] / before["boosting"] for before, after in pairwise(times)]
        for name, times in seconds.items()
    }
    for name, times in ratios.items():
        text = ", ".join(f"{ratio:.1f}" for ratio in times)
        verdict = "holds" if all(ratio <= BAR for ratio in times) else "does not hold"
        print(f"{name}: ten times as much takes {text} times as long; {BAR} {verdict}")
    return {"sizes": sizes, "seconds": seconds, "ratios": ratios}


def timed(booster: Callable[[int, int], Any], X: Any, y: Any, options: Any) -> dict[str, float]:
    """Return the seconds of the rounds, of binning, and of the whole call."""
    model = booster(options.rounds, options.threads)
    begun = time.perf_counter()
    model.fit(X, y)
    whole = time.perf_counter() - begun
    if model.n_iter_ != options.rounds:
        raise RuntimeError(f"{model} ended after {model.n_iter_} rounds: {model.stop_reason_}")
    parts = model.fit_times_
    return {"boosting": parts["boosting"], "binning": parts["binning"], "whole": whole}


def draw_picture(measured: dict[str, Any], options: argparse.Namespace) -> None:
    """Draw the seconds by size, on scales on which ten times as long for ten times is a line."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not there")
        return
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    fixed = {"rows": f"{options.columns} columns", "columns": f"{options.rows:,} rows"}
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    for axes, (what, found) in zip(panels, measured.items(), strict=True):
        sizes = found["sizes"]
        for at, (name, times) in enumerate(found["seconds"].items()):
            seconds = [fit["boosting"] for fit in times]
            axes.loglog(sizes, seconds, marker="o", color=f"C{at}", label=name)
            straight = [seconds[0] * size / sizes[0] for size in sizes]
            axes.loglog(sizes, straight, color=f"C{at}", linestyle=":", linewidth=1)
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        axes.set_xlabel(what)
        axes.set_title(fixed[what], fontsize=10)
        axes.grid(visible=True, which="major", alpha=0.3)
    panels[0].set_ylabel(f"seconds of {options.rounds} rounds")
    panels[0].legend(frameon=False, title="dotted: in proportion", fontsize=9)
    figure.savefig(options.out / "growth.png", dpi=130)


if __name__ == "__main__":
    main()
