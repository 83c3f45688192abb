"""The tables of `suspects.py`.

In: a list of numbers by set, seed and case. Out: lines that are printed, means with standard errors
over seeds.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

Found = list[dict[str, Any]]


def mean_and_error(by_seed: dict[int, list[float]]) -> str:
    """Return the mean over sets and seeds, with the standard error over seeds."""
    means = [float(np.mean(numbers)) for numbers in by_seed.values()]
    error = np.std(means, ddof=1) / np.sqrt(len(means)) if len(means) > 1 else float("nan")
    return f"{np.mean(means):.4f} ± {error:.4f}"


def print_ranking(part: str, found: Found) -> None:
    for case in dict.fromkeys(line["case"] for line in found):
        lines = [line for line in found if line["case"] == case]
        print(f"\n{part}, {case}: mean area, seconds for all sets")
        for ranking in lines[0]["areas"]:
            by_seed, seconds = defaultdict(list), 0.0
            for line in lines:
                by_seed[line["seed"]].append(line["areas"][ranking])
                seconds += line["seconds"][ranking] / len({one["seed"] for one in lines})
            print(f"{ranking:34}{mean_and_error(by_seed)}{seconds:10.2f}")
        if part == "whole":
            _print_sets(lines)


def _print_sets(lines: Found) -> None:
    for name in dict.fromkeys(line["set"] for line in lines):
        print(f"  {name}")
        own = [line for line in lines if line["set"] == name]
        for ranking in own[0]["areas"]:
            area = np.mean([line["areas"][ranking] for line in own])
            seconds = np.mean([line["seconds"][ranking] for line in own])
            print(f"    {ranking:34}{area:.5f}{seconds:10.2f} s")


def print_counts(_: str, found: Found) -> None:
    for who in ("estimated", "cleanlab"):
        by_seed = defaultdict(list)
        for line in found:
            by_seed[line["seed"]].append(abs(line[who] - line["true"]))
        print(f"\n{who}: mean absolute error {mean_and_error(by_seed)}")
    inside = [line["interval"][0] <= line["true"] <= line["interval"][1] for line in found]
    print(f"intervals that hold the true share: {np.mean(inside):.1%}")
    for case in dict.fromkeys(line["case"] for line in found):
        lines = [line for line in found if line["case"] == case]
        reached = [line["precision"] for line in lines if line["precision"] is not None]
        bias = np.mean([line["estimated"] - line["true"] for line in lines])
        print(
            f"{case:.0%}: bias {bias:+.4f}; of the rows worth checking {np.mean(reached):.1%} are "
            f"wrong ({len(lines) - len(reached)} of {len(lines)} runs name none)"
        )


def print_cleaned(_: str, found: Found) -> None:
    for maker in dict.fromkeys(line["case"] for line in found):
        lines = [line for line in found if line["case"] == maker]
        names = list(dict.fromkeys(line["set"] for line in lines))
        print(f"\n{maker}: test error, sets with less than without cleaning")
        for action in lines[0]["errors"]:
            by_seed = defaultdict(list)
            for line in lines:
                by_seed[line["seed"]].append(line["errors"][action])
            gains = [
                np.mean(
                    [
                        line["errors"]["none"] - line["errors"][action]
                        for line in lines
                        if line["set"] == name
                    ]
                )
                for name in names
            ]
            better = sum(gain > 0 for gain in gains)
            print(f"{action:10}{mean_and_error(by_seed)}   {better} of {len(names)}")
