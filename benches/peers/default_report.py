"""The report of `default.py`: tables, aggregated numbers and a picture.

In: one line for each set, repetition, noise and method. Out: for each group of sets and each noise
the mean of a measure over the repetitions of a set and then over the sets, and the difference of
each peer to ours over the runs that both have, with its standard error. That error comes from the
repetitions, the sets are given; `se_sets` in the file comes from the sets as if they were drawn.
"""

from __future__ import annotations

import json
import platform
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

Line = dict[str, Any]
#: Measure of one method by (set, repetition).
Runs = dict[tuple[str, int], float]

OURS = "WeakForce"
#: The measures, with the decimals of the tables.
MEASURES = {
    "error": ("error on clean test labels, per cent", 2),
    "auc": ("AUC on clean test labels, mean over the classes", 4),
    "log_loss_noisy": ("log loss on test labels as noisy as the training labels", 4),
    "log_loss_clean": ("log loss on clean test labels", 4),
    "ece": ("expected calibration error on noisy test labels", 4),
    "seconds": ("seconds of fit, processor time on one thread", 2),
}
#: ECE of a few test rows is mostly chance, so sets with this many are shown by themselves.
MANY_TEST_ROWS = 1000
PACKAGES = ("lightgbm", "xgboost", "catboost", "scikit-learn", "polars", "numpy")
DRAWN = {
    OURS: "#c1121f",
    "LightGBM": "#3a7d44",
    "XGBoost": "#8ab17d",
    "CatBoost": "#e09f3e",
    "random forest": "#33658a",
    "extra trees 5": "#86bbd8",
}
PANELS = {
    "ida": "two classes (Rätsch et al.)",
    "multi-class": "three or more classes (UCI, Statlog)",
}


def report(lines: list[Line], output: Path, picture: Path) -> None:
    """Print the tables, write the aggregated numbers and draw the picture."""
    groups = grouped(lines)
    results = {group: aggregate(part) for group, part in groups.items()}
    for group, by_measure in results.items():
        print_counts(group, groups[group])
        for measure, by_noise in by_measure.items():
            print_table(measure, by_noise)
    packages = {package: version(package) for package in PACKAGES}
    builds = sorted({line["build"] for line in lines if "build" in line})
    content = {
        "versions": {"python": platform.python_version(), **packages},
        "builds of weakforce": builds,
        "groups": results,
        "sets": {group: by_set(part) for group, part in groups.items()},
    }
    output.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    draw(groups, picture)


def grouped(lines: list[Line]) -> dict[str, list[Line]]:
    """Return the lines by group; whole sets are groups by themselves."""
    groups: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        groups[f"{line['set']}, whole" if line["whole"] else line["group"]].append(line)
        if line["n_test"] >= MANY_TEST_ROWS and not line["whole"]:
            groups[f"{line['group']}, {MANY_TEST_ROWS} test rows or more"].append(line)
    return dict(sorted(groups.items()))


def runs_by_noise(lines: list[Line], measure: str) -> dict[str, dict[str, Runs]]:
    """Return a measure by noise, method and run."""
    runs: dict[str, dict[str, Runs]] = defaultdict(lambda: defaultdict(dict))
    for line in sorted(lines, key=lambda line: line["noise"]):
        if line[measure] is not None:
            key = (line["set"], line["repetition"])
            runs[line["noise"]][line["method"]][key] = line[measure]
    return runs


def aggregate(lines: list[Line]) -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
    """Return means and differences to ours by measure, noise and method."""
    return {
        measure: {
            noise: {
                method: compare(by_method[OURS], runs)
                for method, runs in by_method.items()
                if by_method[OURS].keys() & runs.keys()
            }
            for noise, by_method in runs_by_noise(lines, measure).items()
        }
        for measure in MEASURES
    }


def compare(ours: Runs, peer: Runs) -> dict[str, Any]:
    """Return the means of a peer and of ours over the runs that both have, and the difference."""
    shared = sorted(ours.keys() & peer.keys())
    differences = by_name({key: peer[key] - ours[key] for key in shared})
    means = [float(np.mean(values)) for values in differences.values()]
    return {
        "mean": rounded(set_mean({key: peer[key] for key in shared})),
        "ours": rounded(set_mean({key: ours[key] for key in shared})),
        "difference": rounded(float(np.mean(means))),
        "se": rounded(error_of_repetitions(list(differences.values()))),
        "se_sets": rounded(float(np.std(means, ddof=1) / len(means) ** 0.5))
        if len(means) > 1
        else None,
        "sets": len(means),
        "runs": len(shared),
    }


def error_of_repetitions(differences: list[list[float]]) -> float | None:
    """Return the standard error of the mean over sets; sets with one run get the mean variance."""
    variances = [float(np.var(values, ddof=1)) for values in differences if len(values) > 1]
    if not variances:
        return None
    usual = float(np.mean(variances))
    parts = [
        (float(np.var(values, ddof=1)) if len(values) > 1 else usual) / len(values)
        for values in differences
    ]
    return float(np.sum(parts) ** 0.5 / len(parts))


def by_name(runs: Runs) -> dict[str, list[float]]:
    values: dict[str, list[float]] = defaultdict(list)
    for (name, _), value in runs.items():
        values[name].append(value)
    return values


def set_mean(runs: Runs) -> float:
    return float(np.mean([np.mean(values) for values in by_name(runs).values()]))


def rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def by_set(lines: list[Line]) -> dict[str, dict[str, dict[str, float | None]]]:
    """Return mean errors by set, noise and method."""
    means: dict[str, dict[str, dict[str, float | None]]] = defaultdict(lambda: defaultdict(dict))
    for noise, by_method in runs_by_noise(lines, "error").items():
        for method, runs in by_method.items():
            for name, values in by_name(runs).items():
                means[name][noise][method] = rounded(float(np.mean(values)))
    return means


def print_counts(group: str, lines: list[Line]) -> None:
    names = sorted({line["set"] for line in lines})
    print(f"\n\n=== {group}: {len(names)} sets: {', '.join(names)}")


def print_table(measure: str, by_noise: dict[str, dict[str, dict[str, Any]]]) -> None:
    """Print the mean of ours and, for each peer, its mean, difference to ours and its error."""
    title, decimals = MEASURES[measure]
    print(f"\n{title}: mean (difference to ours ± standard error; runs)")
    print(f"{'wrong labels':24}" + "".join(f"{noise:>33}" for noise in by_noise))
    methods = dict.fromkeys(method for cells in by_noise.values() for method in cells)
    for method in methods:
        row = [cell(by_noise[noise].get(method), method, decimals) for noise in by_noise]
        print(f"{method:24}" + "".join(f"{text:>33}" for text in row))


def cell(numbers: dict[str, Any] | None, method: str, decimals: int) -> str:
    if numbers is None:
        return "–"
    mean = f"{numbers['mean']:.{decimals}f}"
    if method == OURS:
        return f"{mean} ({numbers['runs']})"
    error = "?" if numbers["se"] is None else f"{numbers['se']:.{decimals}f}"
    return f"{mean} ({numbers['difference']:+.{decimals}f} ± {error}; {numbers['runs']})"


def draw(groups: dict[str, list[Line]], picture: Path) -> None:
    """Draw the mean error by the share of wrong labels, one panel for each group."""
    mpl.use("Agg")
    shown = {group: common_runs(groups[group]) for group in PANELS if group in groups}
    shown = {group: by_noise for group, by_noise in shown.items() if by_noise}
    if not shown:
        return
    figure, axes = plt.subplots(1, len(shown), figsize=(9, 5), dpi=100, squeeze=False)
    for axis, (group, by_noise) in zip(axes[0], shown.items(), strict=True):
        draw_panel(axis, by_noise)
        n_sets = len({name for name, _ in by_noise["0"][OURS]})
        axis.set_title(f"{PANELS[group]}, {n_sets} sets", fontsize=11)
    axes[0][0].set_ylabel("error on clean test labels, per cent")
    axes[0][0].legend(frameon=False, loc="upper left")
    figure.tight_layout()
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, facecolor="white")


def draw_panel(axis: Any, by_noise: dict[str, dict[str, Runs]]) -> None:
    levels = [int(noise) for noise in by_noise]
    for method, color in DRAWN.items():
        width, order = (3.0, 3) if method == OURS else (1.6, 2)
        means = [set_mean(by_method[method]) for by_method in by_noise.values()]
        axis.plot(
            levels, means, "o-", color=color, linewidth=width, zorder=order, label=method, ms=5
        )
    axis.set_xlabel("wrong training labels, per cent")
    axis.set_xticks(levels)
    axis.set_ylim(bottom=0)
    axis.grid(color="#dddddd", linewidth=0.6)
    axis.spines[["top", "right"]].set_visible(False)


def common_runs(lines: list[Line]) -> dict[str, dict[str, Runs]]:
    """Return the errors of runs that all drawn methods have, by level of noise and method.

    A level counts if it has the same sets as clean labels have.
    """
    common: dict[str, dict[str, Runs]] = {}
    for noise, by_method in runs_by_noise(lines, "error").items():
        shared = set.intersection(*(set(by_method[method]) for method in DRAWN))
        if noise.isdigit() and shared:
            common[noise] = {
                method: {key: by_method[method][key] for key in sorted(shared)} for method in DRAWN
            }
    sets = {noise: {name for name, _ in by_method[OURS]} for noise, by_method in common.items()}
    return {noise: common[noise] for noise in common if sets[noise] == sets.get("0")}
