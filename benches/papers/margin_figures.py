"""Figures 5 and 6 of Nock and Nielsen (2007): margins on new rows of noisy domains, by booster.

In: nothing but options. Out: `figure_5_led_even.png` and `figure_6_xd6.png` in a directory, each
with four panels for 10 to 40 % noise (of attributes for LEDeven, of classes for XD6): the logistic
margins of discrete AdaBoost, AdaBoost_R and real AdaBoost over rules of up to six literals, and
the exact curve of Bayes' rule. Prints the error of each and the area between its curve and that of
Bayes' rule, which is the mean distance between their margins put in order. The paper trains on 300
rows and stops after 20 to 1000 rounds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
import polars as pl
from matplotlib import pyplot

from weakforce import (
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    Rule,
    bayes_margin_curve,
    margin_curve,
)
from weakforce.datasets import Domain, make_led_even, make_xd6
from weakforce.plotting import canvas

NOISE = (0.1, 0.2, 0.3, 0.4)
MAX_LITERALS = 6
TRAIN_ROWS = 300
#: Where curves are compared: fine enough for areas to two digits.
THETA = np.linspace(-1.0, 1.0, 801)
BOOSTERS: dict[str, Callable[..., Any]] = {
    "discrete AdaBoost": DiscreteAdaBoostClassifier,
    "AdaBoost_R": AdaBoostRClassifier,
    "real AdaBoost": RealAdaBoostClassifier,
}
FIGURES: dict[str, tuple[str, Callable[..., Domain]]] = {
    "figure_5_led_even": ("LEDeven", make_led_even),
    "figure_6_xd6": ("XD6", make_xd6),
}


def main() -> None:
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    print(f"{options.rounds} rounds of rules with up to {MAX_LITERALS} literals")
    print(f"{'domain':10}{'noise':>6}{'Bayes':>8}  error and distance to Bayes' rule by booster")
    for file_name, (title, make) in FIGURES.items():
        figure = draw(title, make, options)
        path = options.out / f"{file_name}.png"
        figure.savefig(path, dpi=150)
        pyplot.close(figure)
        print(f"wrote {path}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path(), help="directory for the pictures")
    parser.add_argument("--seed", type=int, default=1, help="seed of the samples")
    parser.add_argument("--rounds", type=int, default=1000, help="rounds of boosting")
    parser.add_argument("--test-rows", type=int, default=20_000, help="new rows to look at")
    parser.add_argument("--quick", action="store_true", help="20 rounds and 2,000 rows")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.test_rows = 20, 2000
    return options


def draw(title: str, make: Callable[..., Domain], options: argparse.Namespace) -> Any:
    """Return the figure of one domain, and print its numbers."""
    figure, panels = pyplot.subplots(
        2, 2, figsize=(9.0, 7.0), sharex=True, sharey=True, layout="constrained"
    )
    for panel, noise in zip(panels.ravel(), NOISE, strict=True):
        train = make(TRAIN_ROWS, noise=noise, seed=options.seed)
        test = make(options.test_rows, noise=noise, seed=options.seed + 1_000_000)
        bayes = bayes_margin_curve(test, theta=THETA)
        curves = {
            name: curve_on_new_rows(booster, train, test, options.rounds)
            for name, booster in BOOSTERS.items()
        }
        draw_panel(panel, curves, bayes, f"{title}, {noise:.0%} noise")
        told = (f"{name}: {tell(curve, bayes)}" for name, curve in curves.items())
        print(f"{title:10}{noise:6.0%}{test.bayes_error:8.1%}  {', '.join(told)}", flush=True)
    for panel in panels[-1]:
        panel.set_xlabel("logistic margin θ")
    for panel in panels[:, 0]:
        panel.set_ylabel("share of new rows with margin ≤ θ")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure


def curve_on_new_rows(
    booster: Callable[..., Any], train: Domain, test: Domain, rounds: int
) -> pl.DataFrame:
    model = booster(Rule(max_literals=MAX_LITERALS), n_estimators=rounds).fit(*train)
    return margin_curve(model, *test, kind="logistic", theta=THETA)


def draw_panel(
    panel: Any, curves: dict[str, pl.DataFrame], bayes: pl.DataFrame, title: str
) -> None:
    canvas.clear_frame(panel)
    panel.axvline(0.0, color=canvas.QUIET, linewidth=1.0)
    looks = canvas.line_looks(len(curves))
    for (name, curve), look in zip(curves.items(), looks, strict=True):
        panel.step(curve["theta"], curve["share"], where="post", label=name, **look)
    panel.step(bayes["theta"], bayes["share"], where="post", color="black", label="Bayes’ rule")
    panel.set_title(title, loc="left", fontsize="medium")
    panel.set(xlim=(-1, 1), ylim=(-0.02, 1.02), xticks=(-1, -0.5, 0, 0.5, 1))
    canvas.in_percent(panel.yaxis)


def tell(curve: pl.DataFrame, bayes: pl.DataFrame) -> str:
    """Write the error, and the area between a curve and that of Bayes' rule."""
    error = curve["share"][len(THETA) // 2]
    distance = np.abs((curve["share"] - bayes["share"]).to_numpy()).mean() * 2.0
    return f"{error:.1%} {distance:.2f}"


if __name__ == "__main__":
    main()
