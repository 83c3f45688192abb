"""The workloads of boosted stumps, one small function each.

In: sizes and threads. Out: titles, bars and contenders, set up as `rivals.py` says.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import lightgbm as lgb
import numpy as np
import polars as pl
import xgboost as xgb
from contest import Bar, Contender, Workload
from memory import Job, measure_in_fresh_process
from numpy.typing import NDArray
from problem import draw, draw_narrow
from rivals import (
    LONG_RUN,
    MAX_BINS,
    N_COLUMNS,
    STUMPS,
    Sizes,
    boosting,
    boosting_alone,
    both,
    fit,
    scoring,
)
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier

SMALL = (300, 10)
NARROW_LEVELS = range(2, 13)


@dataclass(frozen=True)
class NarrowColumns(Sizes):
    """The sizes of a problem whose columns have few values, as most columns of real tables."""

    @cached_property
    def data(self) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The frame and its labels."""
        return draw_narrow(self.rows, N_COLUMNS, NARROW_LEVELS)

    def __str__(self) -> str:
        return f"{self.rows:,} × {N_COLUMNS} columns of 2–12 values"


def stump_workloads(sizes: Sizes) -> dict[str, Workload]:
    rounds, long = sizes.rounds, LONG_RUN * sizes.rounds
    narrow = NarrowColumns(sizes.rows, sizes.rounds, sizes.threads)
    small = "{} × {}".format(*SMALL)
    return {
        "a": Workload(
            f"fit {rounds} stump rounds, {sizes}, binning excluded",
            both(4, 4),
            partial(boosting, sizes, STUMPS),
        ),
        "b": Workload(
            f"fit {rounds} stump rounds, {sizes}, from a polars frame",
            both(5, 5),
            partial(whole_fit, sizes),
        ),
        "c": Workload(
            f"score {long:,} stumps on {sizes}", both(30, 10), partial(scoring, sizes, STUMPS, long)
        ),
        "d": Workload(
            f"fit {long:,} stump rounds, {small}",
            (Bar("scikit-learn", at_least=50),),
            partial(small_fit, sizes),
        ),
        "e": Workload(
            f"real AdaBoost against discrete, {rounds} rounds, {sizes}",
            (Bar("discrete", at_most=1.15),),
            partial(real_boosting, sizes),
        ),
        "f": Workload(
            f"peak memory of the fit above its input, {sizes}",
            (Bar(None, at_most=120),),
            partial(peak_memory, sizes),
            unit="MB",
            pick=max,
        ),
        "narrow": Workload(
            f"fit {rounds} stump rounds, {narrow}, binning excluded",
            both(6, 6),
            partial(boosting, narrow, STUMPS),
        ),
    }


def real_boosting(sizes: Sizes) -> list[Contender]:
    """Each booster with the stumps that it takes by default."""
    return [
        boosting_alone("real", RealAdaBoostClassifier, None, sizes),
        boosting_alone("discrete", DiscreteAdaBoostClassifier, None, sizes),
    ]


def whole_fit(sizes: Sizes) -> list[Contender]:
    """Everything from a polars frame to a model; conversions count."""
    frame, y = sizes.data
    for_lightgbm, for_xgboost = sizes.lightgbm(STUMPS), sizes.xgboost(STUMPS)
    model = DiscreteAdaBoostClassifier(
        STUMPS.ours, n_estimators=sizes.rounds, max_bins=MAX_BINS, n_jobs=sizes.threads
    )

    def lightgbm(convert: Callable[[pl.DataFrame], Any]) -> object:
        dataset = lgb.Dataset(convert(frame), y, params=for_lightgbm)
        return lgb.train(for_lightgbm, dataset, sizes.rounds)

    def xgboost(build: Callable[[Any, Any], xgb.DMatrix]) -> object:
        return xgb.train(for_xgboost, build(frame.to_numpy(), y), sizes.rounds)

    def plain_matrix(X: Any, y: Any) -> xgb.DMatrix:
        return xgb.DMatrix(X, y, nthread=sizes.threads)

    timed = Contender.timed
    contenders = [
        timed("weakforce", "", lambda: fit(model, frame, y)),
        timed("LightGBM", "numpy", lambda: lightgbm(pl.DataFrame.to_numpy)),
        timed("XGBoost", "numpy, QuantileDMatrix", lambda: xgboost(sizes.quantile_matrix)),
        timed("XGBoost", "numpy, DMatrix", lambda: xgboost(plain_matrix)),
    ]
    if importlib.util.find_spec("pyarrow"):
        contenders.append(timed("LightGBM", "arrow", lambda: lightgbm(pl.DataFrame.to_arrow)))
    return contenders


def small_fit(sizes: Sizes) -> list[Contender]:
    frame, y = draw(*SMALL)
    array, rounds = frame.to_numpy(), LONG_RUN * sizes.rounds
    ours = DiscreteAdaBoostClassifier(STUMPS.ours, n_estimators=rounds, n_jobs=sizes.threads)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=rounds)

    def scikit_learn() -> None:
        theirs.fit(array, y)
        if len(theirs.estimators_) < rounds:
            raise RuntimeError(f"scikit-learn stopped after {len(theirs.estimators_)} rounds")

    return [
        Contender.timed("weakforce", "polars", lambda: fit(ours, frame, y)),
        Contender.timed("scikit-learn", "numpy", scikit_learn),
    ]


def peak_memory(sizes: Sizes) -> list[Contender]:
    job = Job(sizes.rows, N_COLUMNS, sizes.rounds, sizes.threads)
    return [Contender("weakforce", "polars", lambda: measure_in_fresh_process(job))]
