"""The workloads of boosters that do not fear noise, one small function each.

In: sizes and threads. Out: titles, bars and contenders. SFBoost is held against AdaBoost on the
same frame, whole fits against whole fits; MartiBoost against the clock.
"""

from __future__ import annotations

from functools import partial

from contest import Bar, Contender, Workload
from rivals import MAX_BINS, Sizes, fit

from weakforce import DiscreteAdaBoostClassifier, MartiBoostClassifier, SFBoostClassifier, Stump
from weakforce.datasets import make_long_servedio

LAYERS, GRID_ROWS = 300, 4_000


def robust_workloads(sizes: Sizes) -> dict[str, Workload]:
    rounds = max(1, sizes.rounds // 2)
    return {
        "y": Workload(
            f"SFBoost against AdaBoost, {rounds} stump rounds, {sizes}",
            (Bar("AdaBoost", at_most=3),),
            partial(symmetric_fit, sizes, rounds),
        ),
        "z": Workload(
            f"MartiBoost, {LAYERS} layers, {GRID_ROWS:,} rows of Long–Servedio, 20 % noise",
            (Bar(None, at_most=60),),
            partial(grid_fit, sizes),
        ),
    }


def symmetric_fit(sizes: Sizes, rounds: int) -> list[Contender]:
    frame, y = sizes.data
    options = {"n_estimators": rounds, "max_bins": MAX_BINS, "n_jobs": sizes.threads}
    return [
        Contender.timed(
            "SFBoost",
            "",
            partial(fit, SFBoostClassifier(Stump(), prune=False, **options), frame, y),
        ),
        Contender.timed(
            "AdaBoost", "", partial(fit, DiscreteAdaBoostClassifier(Stump(), **options), frame, y)
        ),
    ]


def grid_fit(sizes: Sizes) -> list[Contender]:
    X, y = make_long_servedio(GRID_ROWS, noise=0.2, seed=1)
    model = MartiBoostClassifier(Stump(), n_layers=LAYERS, n_jobs=sizes.threads)
    return [Contender.timed("MartiBoost", "", partial(model.fit, X, y))]
