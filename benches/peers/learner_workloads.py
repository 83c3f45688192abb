"""The workloads of boosted trees and rules, one small function each.

In: sizes and threads. Out: titles, bars and contenders, set up as `rivals.py` says.
"""

from __future__ import annotations

from functools import partial

import lightgbm as lgb
import xgboost as xgb
from contest import Bar, Contender, Workload
from other_rivals import other_fits
from problem import draw
from rivals import (
    LONG_RUN,
    MAX_BINS,
    MAX_LEAVES,
    N_COLUMNS,
    TREES,
    Sizes,
    boosting,
    boosting_alone,
    both,
    fit,
    scoring,
)
from sklearn.tree import DecisionTreeClassifier

from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Rule, Stump
from weakforce.datasets import make_xd6

SINGLE_TREE_ROWS = 100_000
#: perpetual takes minutes for more.
SHARE_FOR_EVERYBODY = 10
XD6_ROWS = 10_000
XD6_NOISE = 0.1
MICROSECONDS = 1e6


def learner_workloads(sizes: Sizes) -> dict[str, Workload]:
    rounds, long = sizes.rounds, LONG_RUN * sizes.rounds
    fewer = Sizes(max(sizes.rows // SHARE_FOR_EVERYBODY, 1), rounds, sizes.threads)
    return {
        "g": Workload(
            f"fit {rounds} rounds of {MAX_LEAVES}-leaf trees, {sizes}, binning excluded",
            both(2, 1.5),
            partial(boosting, sizes, TREES),
        ),
        "everybody": Workload(
            f"fit {rounds} {MAX_LEAVES}-leaf trees, {fewer}, from a polars frame, everybody",
            both(1, 1),
            partial(everybody, fewer),
        ),
        "h": Workload(
            f"fit one {MAX_LEAVES}-leaf tree, {SINGLE_TREE_ROWS:,} × {N_COLUMNS} float32",
            (Bar("scikit-learn", at_least=20),),
            partial(single_tree, sizes),
        ),
        "i": Workload(
            f"rules of two literals against stumps, {rounds} rounds, {sizes}",
            (Bar("stumps", at_most=2.5),),
            partial(rule_boosting, sizes),
        ),
        "j": Workload(
            f"time per round by number of rows, {long:,} rules of three literals on XD6",
            (Bar("fewer rows", at_most=1.2),),
            partial(repeated_rows, sizes),
            unit="µs",
        ),
        "k": Workload(
            f"score {rounds} trees of {MAX_LEAVES} leaves on {sizes}",
            (Bar("XGBoost", at_least=1.5),),
            partial(scoring, sizes, TREES, rounds),
        ),
    }


def everybody(sizes: Sizes) -> list[Contender]:
    """Everything from a polars frame to a model, also with libraries that bars do not name."""
    frame, y = sizes.data
    ours = DiscreteAdaBoostClassifier(
        TREES.ours, n_estimators=sizes.rounds, max_bins=MAX_BINS, n_jobs=sizes.threads
    )
    for_lightgbm, for_xgboost = sizes.lightgbm(TREES), sizes.xgboost(TREES)

    def lightgbm() -> object:
        dataset = lgb.Dataset(frame.to_numpy(), y, params=for_lightgbm)
        return lgb.train(for_lightgbm, dataset, sizes.rounds)

    def xgboost() -> object:
        return xgb.train(for_xgboost, sizes.quantile_matrix(frame.to_numpy(), y), sizes.rounds)

    return [
        Contender.timed("weakforce", "", lambda: fit(ours, frame, y)),
        Contender.timed("LightGBM", "numpy", lightgbm),
        Contender.timed("XGBoost", "numpy, QuantileDMatrix", xgboost),
        *other_fits(sizes, TREES),
    ]


def single_tree(sizes: Sizes) -> list[Contender]:
    """One tree from a frame or an array, our binning included."""
    frame, y = draw(SINGLE_TREE_ROWS, N_COLUMNS)
    ours = DiscreteAdaBoostClassifier(
        TREES.ours, n_estimators=1, max_bins=MAX_BINS, n_jobs=sizes.threads
    )
    theirs = DecisionTreeClassifier(max_leaf_nodes=MAX_LEAVES)
    by_column, by_row = frame.to_numpy(order="fortran"), frame.to_numpy(order="c")
    return [
        Contender.timed("weakforce", "polars", lambda: fit(ours, frame, y)),
        Contender.timed("scikit-learn", "numpy by column", lambda: theirs.fit(by_column, y)),
        Contender.timed("scikit-learn", "numpy by row", lambda: theirs.fit(by_row, y)),
    ]


def rule_boosting(sizes: Sizes) -> list[Contender]:
    return [
        boosting_alone("rules", DiscreteAdaBoostClassifier, Rule(max_literals=2), sizes),
        boosting_alone("stumps", DiscreteAdaBoostClassifier, Stump(), sizes),
    ]


def repeated_rows(sizes: Sizes) -> list[Contender]:
    """Ten bits make few distinct rows, so a round should cost the same however many there are."""
    return [xd6_round("all rows", sizes.rows, sizes), xd6_round("fewer rows", XD6_ROWS, sizes)]


def xd6_round(name: str, n_rows: int, sizes: Sizes) -> Contender:
    """Microseconds per round of real AdaBoost, which finds an edge in every round."""
    domain = make_xd6(n_rows, noise=XD6_NOISE)
    rounds = LONG_RUN * sizes.rounds
    model = RealAdaBoostClassifier(
        Rule(max_literals=3), n_estimators=rounds, max_bins=MAX_BINS, n_jobs=sizes.threads
    )

    def run() -> float:
        boosting_time = fit(model, domain.X, domain.y).fit_times_["boosting"]
        return boosting_time / rounds * MICROSECONDS

    return Contender(name, f"{n_rows:,}", run)
