"""The workloads that the bars speak of, one small function each.

In: sizes and threads. Out: contenders, ours first; each gets its data in the form it is quickest
with, and where that is not plain it competes in several. What a workload leaves out (binning, the
building of a matrix) is done before the clock starts.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import lightgbm as lgb
import numpy as np
import polars as pl
import xgboost as xgb
from contest import Bar, Contender, Workload, seconds
from memory import measure_in_fresh_process
from numpy.typing import NDArray
from problem import draw
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import weakforce
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier

N_COLUMNS = 50
MAX_BINS = 255
SMALL = (300, 10)
LONG_RUN = 10  # (c) and (d) run this many times as many rounds
TRAINING_ROWS = 20_000  # for models that are only scored


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

    @property
    def lightgbm(self) -> dict[str, Any]:
        """LightGBM's parameters for boosted stumps."""
        return {
            "objective": "binary",
            "num_leaves": 2,
            "max_bin": MAX_BINS,
            "num_threads": self.threads,
            "verbosity": -1,
        }

    @property
    def xgboost(self) -> dict[str, Any]:
        """XGBoost's parameters for boosted stumps."""
        return {
            "objective": "binary:logistic",
            "max_depth": 1,
            "tree_method": "hist",
            "max_bin": MAX_BINS,
            "nthread": self.threads,
            "verbosity": 0,
        }

    def quantile_matrix(self, X: Any, y: Any) -> xgb.QuantileDMatrix:
        """Bin for XGBoost."""
        return xgb.QuantileDMatrix(X, y, max_bin=MAX_BINS, nthread=self.threads)


def workloads(sizes: Sizes) -> dict[str, Workload]:
    big, rounds = f"{sizes.rows:,} × {N_COLUMNS} float32", sizes.rounds
    long = f"{LONG_RUN * rounds:,}"
    small = "{} × {}".format(*SMALL)

    def both(lightgbm: float, xgboost: float) -> tuple[Bar, ...]:
        return Bar("LightGBM", at_least=lightgbm), Bar("XGBoost", at_least=xgboost)

    def of(set_up: Callable[[Sizes], list[Contender]]) -> Callable[[], list[Contender]]:
        return lambda: set_up(sizes)

    return {
        "a": Workload(
            f"fit {rounds} stump rounds, {big}, binning excluded", both(3, 3), of(boosting)
        ),
        "b": Workload(
            f"fit {rounds} stump rounds, {big}, from a polars frame", both(4, 4), of(whole_fit)
        ),
        "c": Workload(f"score {long} stumps on {big}", both(30, 10), of(scoring)),
        "d": Workload(
            f"fit {long} stump rounds, {small}", (Bar("scikit-learn", at_least=50),), of(small_fit)
        ),
        "e": Workload(
            f"real AdaBoost against discrete, {rounds} rounds, {big}",
            (Bar("discrete", at_most=1.15),),
            of(real_boosting),
        ),
        "f": Workload(
            f"peak memory of the fit above its input, {big}",
            (Bar(None, at_most=120),),
            of(peak_memory),
            unit="MB",
            pick=max,
        ),
    }


def boosting(sizes: Sizes) -> list[Contender]:
    """Run rounds alone, on data that everybody has binned."""
    frame, y = sizes.data
    dataset = lgb.Dataset(frame.to_numpy(), y, params=sizes.lightgbm).construct()
    matrix = sizes.quantile_matrix(frame.to_numpy(), y)

    def lightgbm() -> object:
        return lgb.train(sizes.lightgbm, dataset, sizes.rounds)

    def xgboost() -> object:
        return xgb.train(sizes.xgboost, matrix, sizes.rounds)

    return [
        boosting_alone(DiscreteAdaBoostClassifier, "weakforce", sizes),
        Contender.timed("LightGBM", "Dataset ready", lightgbm),
        Contender.timed("XGBoost", "QuantileDMatrix ready", xgboost),
    ]


def real_boosting(sizes: Sizes) -> list[Contender]:
    return [
        boosting_alone(RealAdaBoostClassifier, "real", sizes),
        boosting_alone(DiscreteAdaBoostClassifier, "discrete", sizes),
    ]


def boosting_alone(
    booster: type[weakforce.BoostingClassifier], name: str, sizes: Sizes
) -> Contender:
    """Our rounds without our binning."""
    model = booster(n_estimators=sizes.rounds, max_bins=MAX_BINS, n_jobs=sizes.threads)
    return Contender(name, "", lambda: fit(model, *sizes.data).fit_times_["boosting"])


def fit(model: weakforce.BoostingClassifier, X: Any, y: Any) -> weakforce.BoostingClassifier:
    """Fit a model that must not stop early, or the times would not compare."""
    model.fit(X, y)
    if model.n_iter_ < model.n_estimators:
        raise RuntimeError(f"{model} stopped after {model.n_iter_} rounds: {model.stop_reason_}")
    return model


def whole_fit(sizes: Sizes) -> list[Contender]:
    """Everything from a polars frame to a model; conversions count."""
    frame, y = sizes.data
    model = DiscreteAdaBoostClassifier(
        n_estimators=sizes.rounds, max_bins=MAX_BINS, n_jobs=sizes.threads
    )

    def lightgbm(convert: Callable[[pl.DataFrame], Any]) -> object:
        dataset = lgb.Dataset(convert(frame), y, params=sizes.lightgbm)
        return lgb.train(sizes.lightgbm, dataset, sizes.rounds)

    def xgboost(build: Callable[[Any, Any], xgb.DMatrix]) -> object:
        return xgb.train(sizes.xgboost, build(frame.to_numpy(), y), sizes.rounds)

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


def scoring(sizes: Sizes) -> list[Contender]:
    """Raw scores of models that were trained on fewer rows."""
    frame, y = sizes.data
    array = frame.to_numpy(order="c")
    few, few_y = frame.head(TRAINING_ROWS), y[:TRAINING_ROWS]
    rounds = LONG_RUN * sizes.rounds
    ours = fit(DiscreteAdaBoostClassifier(n_estimators=rounds, n_jobs=sizes.threads), few, few_y)
    dataset = lgb.Dataset(few.to_numpy(), few_y, params=sizes.lightgbm)
    lightgbm = lgb.train(sizes.lightgbm, dataset, rounds)
    xgboost = xgb.train(sizes.xgboost, sizes.quantile_matrix(few.to_numpy(), few_y), rounds)
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


def small_fit(sizes: Sizes) -> list[Contender]:
    frame, y = draw(*SMALL)
    array, rounds = frame.to_numpy(), LONG_RUN * sizes.rounds
    ours = DiscreteAdaBoostClassifier(n_estimators=rounds, n_jobs=sizes.threads)
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
    def run() -> float:
        return measure_in_fresh_process(sizes.rows, N_COLUMNS, sizes.rounds, sizes.threads)

    return [Contender("weakforce", "polars", run)]
