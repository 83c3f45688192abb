"""Whole fits of the libraries that cannot be told to boost data they have binned before.

In: sizes and the shape of the trees. Out: a contender for each of CatBoost, hessboost and perpetual
that is installed. perpetual grows trees of its own shape; it gets as many of them.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

from contest import Contender
from rivals import MAX_BINS, MAX_LEAVES, STUMPS, Shape, Sizes


def other_fits(sizes: Sizes, shape: Shape) -> list[Contender]:
    """Everything from a polars frame to a model."""
    makers = {"catboost": catboost, "hessboost": hessboost, "perpetual": perpetual}
    there = [make for name, make in makers.items() if importlib.util.find_spec(name)]
    return [make(sizes, shape) for make in there]


def catboost(sizes: Sizes, shape: Shape) -> Contender:
    from catboost import CatBoostClassifier

    form: dict[str, Any] = (
        {"depth": 1}
        if shape is STUMPS
        else {"grow_policy": "Lossguide", "max_leaves": MAX_LEAVES, "depth": 16}
    )
    model = CatBoostClassifier(
        iterations=sizes.rounds,
        border_count=MAX_BINS - 1,
        thread_count=sizes.threads,
        allow_writing_files=False,
        verbose=False,
        **form,
    )
    return timed("CatBoost", sizes, lambda X, y: model.copy().fit(X, y))


def hessboost(sizes: Sizes, shape: Shape) -> Contender:
    import hessboost

    parameters = {key: value for key, value in sizes.xgboost(shape).items() if key != "verbosity"}

    def fit(X: Any, y: Any) -> object:
        return hessboost.train(parameters, hessboost.DMatrix(X, label=y), sizes.rounds)

    return timed("hessboost", sizes, fit)


def perpetual(sizes: Sizes, shape: Shape) -> Contender:  # noqa: ARG001
    from perpetual import PerpetualBooster

    def fit(X: Any, y: Any) -> object:
        model = PerpetualBooster(
            objective="LogLoss",
            iteration_limit=sizes.rounds,
            max_bin=MAX_BINS,
            num_threads=sizes.threads,
        )
        return model.fit(X, y)

    return timed("perpetual", sizes, fit, "trees of its own shape")


def timed(
    name: str, sizes: Sizes, fit: Callable[[Any, Any], object], form: str = "numpy"
) -> Contender:
    frame, y = sizes.data
    return Contender.timed(name, form, lambda: fit(frame.to_numpy(), y))
