"""What the workloads share: the settings everybody runs under and the contests held more than once.

In: sizes and threads, and the shape of the trees. Out: contenders, ours first; each gets its data
in the form it is quickest with, and where that is not plain it competes in several. What a workload
leaves out (binning, the building of a matrix) is done before the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import lightgbm as lgb
import numpy as np
import polars as pl
import xgboost as xgb
from contest import Bar, Contender, seconds
from numpy.typing import NDArray
from problem import draw

import weakforce
from weakforce import DiscreteAdaBoostClassifier, Stump, Tree, WeakLearner

N_COLUMNS = 50
MAX_BINS = 255
MAX_LEAVES = 12
LONG_RUN = 10  # some workloads run this many times as many rounds
TRAINING_ROWS = 20_000  # for models that are only scored


@dataclass(frozen=True)
class Shape:
    """One kind of weak hypothesis, as each library asks for it."""

    ours: WeakLearner
    lightgbm: dict[str, Any]
    xgboost: dict[str, Any]


STUMPS = Shape(Stump(), {"num_leaves": 2}, {"max_depth": 1})
TREES = Shape(
    Tree(max_leaf_nodes=MAX_LEAVES),
    {"num_leaves": MAX_LEAVES},
    {"max_leaves": MAX_LEAVES, "max_depth": 0, "grow_policy": "lossguide"},
)


@dataclass(frozen=True)
class Sizes:
    """What the command line sets, and the data that follow from it."""

    rows: int
    rounds: int
    threads: int

    @cached_property
    def data(self) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The big frame and its labels."""
        return draw(self.rows, N_COLUMNS)

    def __str__(self) -> str:
        return f"{self.rows:,} × {N_COLUMNS} float32"

    def lightgbm(self, shape: Shape) -> dict[str, Any]:
        """Return LightGBM's parameters."""
        return {
            "objective": "binary",
            "max_bin": MAX_BINS,
            "num_threads": self.threads,
            "verbosity": -1,
        } | shape.lightgbm

    def xgboost(self, shape: Shape) -> dict[str, Any]:
        """Return XGBoost's parameters."""
        return {
            "objective": "binary:logistic",
            "tree_method": "hist",
            "max_bin": MAX_BINS,
            "nthread": self.threads,
            "verbosity": 0,
        } | shape.xgboost

    def quantile_matrix(self, X: Any, y: Any) -> xgb.QuantileDMatrix:
        """Bin for XGBoost."""
        return xgb.QuantileDMatrix(X, y, max_bin=MAX_BINS, nthread=self.threads)


def both(lightgbm: float, xgboost: float) -> tuple[Bar, ...]:
    """Ask for at least these ratios."""
    return Bar("LightGBM", at_least=lightgbm), Bar("XGBoost", at_least=xgboost)


def boosting(sizes: Sizes, shape: Shape) -> list[Contender]:
    """Run rounds alone, on data that everybody has binned."""
    ours = boosting_alone("weakforce", DiscreteAdaBoostClassifier, shape.ours, sizes)
    return [ours, *peers_boosting(sizes, shape)]


def peers_boosting(sizes: Sizes, shape: Shape) -> list[Contender]:
    """The rounds of the others, on data that they have binned before."""
    frame, y = sizes.data
    for_lightgbm, for_xgboost = sizes.lightgbm(shape), sizes.xgboost(shape)
    dataset = lgb.Dataset(frame.to_numpy(), y, params=for_lightgbm).construct()
    matrix = sizes.quantile_matrix(frame.to_numpy(), y)

    def lightgbm() -> object:
        return lgb.train(for_lightgbm, dataset, sizes.rounds)

    def xgboost() -> object:
        return xgb.train(for_xgboost, matrix, sizes.rounds)

    return [
        Contender.timed("LightGBM", "Dataset ready", lightgbm),
        Contender.timed("XGBoost", "QuantileDMatrix ready", xgboost),
    ]


def boosting_alone(
    name: str,
    booster: Callable[..., weakforce.BoostingClassifier],
    learner: WeakLearner | None,
    sizes: Sizes,
    rounds: int | None = None,
) -> Contender:
    """Our rounds without our binning; as many as the others' unless told otherwise."""
    rounds = sizes.rounds if rounds is None else rounds
    model = booster(learner, n_estimators=rounds, max_bins=MAX_BINS, n_jobs=sizes.threads)
    return Contender(name, "", lambda: fit(model, *sizes.data).fit_times_["boosting"])


def fit(model: weakforce.BoostingClassifier, X: Any, y: Any) -> weakforce.BoostingClassifier:
    """Fit a model that must not stop early, or the times would not compare."""
    model.fit(X, y)
    if model.n_iter_ < model.n_estimators:
        raise RuntimeError(f"{model} stopped after {model.n_iter_} rounds: {model.stop_reason_}")
    return model


def scoring(sizes: Sizes, shape: Shape, rounds: int) -> list[Contender]:
    """Raw scores of models that were trained on fewer rows."""
    frame, y = sizes.data
    array = frame.to_numpy(order="c")
    few, few_y = frame.head(TRAINING_ROWS), y[:TRAINING_ROWS]
    model = DiscreteAdaBoostClassifier(shape.ours, n_estimators=rounds, n_jobs=sizes.threads)
    ours = fit(model, few, few_y)
    for_lightgbm, for_xgboost = sizes.lightgbm(shape), sizes.xgboost(shape)
    dataset = lgb.Dataset(few.to_numpy(), few_y, params=for_lightgbm)
    lightgbm = lgb.train(for_lightgbm, dataset, rounds)
    xgboost = xgb.train(for_xgboost, sizes.quantile_matrix(few.to_numpy(), few_y), rounds)
    matrix = xgb.DMatrix(array, nthread=sizes.threads)

    def lightgbm_scores() -> object:
        return lightgbm.predict(array, raw_score=True, num_threads=sizes.threads)

    def xgboost_scores() -> object:
        return xgboost.inplace_predict(array, predict_type="margin")

    def xgboost_on_matrix() -> float:
        fresh = xgboost.copy()  # a booster remembers the scores of a matrix it has seen
        fresh.set_param({"nthread": sizes.threads})
        return seconds(lambda: fresh.predict(matrix, output_margin=True))

    return [
        Contender.timed("weakforce", "polars", lambda: ours.decision_function(frame)),
        Contender.timed("LightGBM", "numpy", lightgbm_scores),
        Contender.timed("XGBoost", "numpy in place", xgboost_scores),
        Contender("XGBoost", "DMatrix ready", xgboost_on_matrix),
    ]
