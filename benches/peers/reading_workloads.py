"""The workloads of models that are read: what every column contributes to a score.

In: sizes and threads. Out: titles, bars and contenders. Models are trained on few rows; what counts
is the time from a frame of rows to a frame of contributions, or from array to array for a peer.
"""

from __future__ import annotations

from functools import partial

import lightgbm as lgb
from contest import Bar, Contender, Workload
from problem import draw
from rivals import LONG_RUN, MAX_LEAVES, N_COLUMNS, STUMPS, TRAINING_ROWS, TREES, Sizes, fit

from weakforce import DiscreteAdaBoostClassifier

TREE_ROWS = 10_000


def reading_workloads(sizes: Sizes) -> dict[str, Workload]:
    rounds, long = sizes.rounds, LONG_RUN * sizes.rounds
    trees = f"{rounds} trees of {MAX_LEAVES} leaves"
    return {
        "contributions": Workload(
            f"contributions of {long:,} stumps against predict, {sizes}",
            (Bar("predict", at_most=2),),
            partial(stump_contributions, sizes, long),
        ),
        "treeshap": Workload(
            f"contributions of {trees}, {TREE_ROWS:,} × {N_COLUMNS} float32",
            (Bar("LightGBM", at_least=1),),
            partial(tree_contributions, sizes),
        ),
    }


def stump_contributions(sizes: Sizes, rounds: int) -> list[Contender]:
    frame, y = sizes.data
    model = DiscreteAdaBoostClassifier(STUMPS.ours, n_estimators=rounds, n_jobs=sizes.threads)
    fit(model, frame.head(TRAINING_ROWS), y[:TRAINING_ROWS])
    return [
        Contender.timed("contributions", "", lambda: model.contributions(frame)),
        Contender.timed("predict", "", lambda: model.predict(frame)),
    ]


def tree_contributions(sizes: Sizes) -> list[Contender]:
    frame, y = draw(TRAINING_ROWS, N_COLUMNS)
    model = DiscreteAdaBoostClassifier(TREES.ours, n_estimators=sizes.rounds, n_jobs=sizes.threads)
    fit(model, frame, y)
    parameters = sizes.lightgbm(TREES)
    dataset = lgb.Dataset(frame.to_numpy(), y, params=parameters)
    peer = lgb.train(parameters, dataset, sizes.rounds)
    rows = frame.head(TREE_ROWS)
    array = rows.to_numpy(order="c")

    def lightgbm() -> object:
        return peer.predict(array, pred_contrib=True, num_threads=sizes.threads)

    return [
        Contender.timed("weakforce", "polars", lambda: model.contributions(rows)),
        Contender.timed("LightGBM", "numpy", lightgbm),
    ]
