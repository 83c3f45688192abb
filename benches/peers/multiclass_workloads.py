"""The workloads of more than two classes, one small function each.

In: sizes and threads. Out: titles, bars and contenders, set up as `rivals.py` says. LightGBM and
XGBoost grow a tree for each class in a round, as AdaBoost.MH and soft-max boosting do; SAMME grows
one tree for all classes, so it runs more rounds to have as many, or grows bigger ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl
from contest import Bar, Contender, Workload
from memory import MEGABYTE, Job, measure_in_fresh_process
from numpy.typing import NDArray
from problem import draw_classes
from rivals import (
    MAX_LEAVES,
    N_COLUMNS,
    TREES,
    Shape,
    Sizes,
    boosting_alone,
    peers_boosting,
)

from weakforce import (
    AdaBoostMHClassifier,
    BoostingClassifier,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Tree,
    WeakLearner,
)

MOST_ROWS = 100_000
N_CLASSES = 5
#: As many rows, columns and classes as in the letter data, and as many values of a column.
LETTERS = (15_000, 16, 26)
LETTER_LEVELS = 16
LETTER_ROUNDS = 10  # few, because the model counts too
AT_LEAST = "codes and one float per row and class"
A_FEW = 6  # such floats that a fit may take


@dataclass(frozen=True)
class ManyClasses(Sizes):
    """The sizes of a problem of several classes, and how the others ask for it."""

    n_classes: int = N_CLASSES

    @cached_property
    def data(self) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The frame and its labels."""
        return draw_classes(self.rows, N_COLUMNS, self.n_classes)

    def __str__(self) -> str:
        return f"{super().__str__()}, {self.n_classes} classes"

    def lightgbm(self, shape: Shape) -> dict[str, Any]:
        """Return LightGBM's parameters."""
        return super().lightgbm(shape) | {"objective": "multiclass", "num_class": self.n_classes}

    def xgboost(self, shape: Shape) -> dict[str, Any]:
        """Return XGBoost's parameters."""
        return super().xgboost(shape) | {"objective": "multi:softprob", "num_class": self.n_classes}


def multiclass_workloads(sizes: Sizes) -> dict[str, Workload]:
    many = ManyClasses(min(sizes.rows, MOST_ROWS), sizes.rounds, sizes.threads)
    rounds, trees = many.rounds, many.rounds * many.n_classes
    big_leaves = (many.n_classes - 1) * MAX_LEAVES
    big = Tree(max_leaf_nodes=big_leaves)
    faster = (Bar("LightGBM", at_least=1.5),)

    def against_peers(
        title: str,
        booster: Callable[..., BoostingClassifier],
        learner: WeakLearner = TREES.ours,
        own_rounds: int = rounds,
    ) -> Workload:
        set_up = partial(boosting, many, booster, learner, own_rounds)
        others = f"{trees} trees of {MAX_LEAVES} leaves"
        return Workload(f"{title} against {others}, {many}, binning excluded", faster, set_up)

    grown = f"{rounds} rounds of {many.n_classes} trees of {MAX_LEAVES} leaves"
    return {
        "l": against_peers(
            f"SAMME, {trees} trees of {MAX_LEAVES} leaves", SAMMEClassifier, own_rounds=trees
        ),
        "m": against_peers(
            f"SAMME, {rounds} trees of {big_leaves} leaves", SAMMEClassifier, learner=big
        ),
        "n": against_peers(f"AdaBoost.MH, {grown}", AdaBoostMHClassifier),
        "o": against_peers(f"soft-max boosting, {grown}", SoftmaxBoostClassifier),
        "p": Workload(
            f"soft-max boosting against AdaBoost.MH, {grown}, {many}",
            (Bar("AdaBoost.MH", at_least=1),),
            partial(softmax_against_mh, many),
        ),
        "q": letter_memory("AdaBoost.MH", "AdaBoostMHClassifier", sizes),
        "r": letter_memory("shared AdaBoost.MH", "AdaBoostMHClassifier", sizes, shared=True),
        "s": letter_memory("SAMME", "SAMMEClassifier", sizes),
        "t": letter_memory("soft-max boosting", "SoftmaxBoostClassifier", sizes),
    }


def boosting(
    sizes: ManyClasses,
    booster: Callable[..., BoostingClassifier],
    learner: WeakLearner,
    rounds: int,
) -> list[Contender]:
    ours = boosting_alone("weakforce", booster, learner, sizes, rounds)
    return [ours, *peers_boosting(sizes, TREES)]


def softmax_against_mh(sizes: ManyClasses) -> list[Contender]:
    """The two that grow a tree per class, and MH with one tree that answers all classes."""
    shared = partial(AdaBoostMHClassifier, shared=True)
    return [
        boosting_alone("soft-max boosting", SoftmaxBoostClassifier, TREES.ours, sizes),
        boosting_alone("AdaBoost.MH", AdaBoostMHClassifier, TREES.ours, sizes),
        boosting_alone("AdaBoost.MH, one tree a round", shared, TREES.ours, sizes),
    ]


def letter_memory(title: str, booster: str, sizes: Sizes, **parameters: Any) -> Workload:
    """Peak memory above the input, beside the codes and one 64-bit float per row and class."""
    n_rows, n_columns, n_classes = LETTERS
    size = (n_rows, n_columns, LETTER_ROUNDS, sizes.threads, n_classes, LETTER_LEVELS)
    job = Job(*size, booster, parameters)
    needed = n_rows * (n_columns + 8 * n_classes) / MEGABYTE
    return Workload(
        f"peak memory of {title} above its input, {n_rows:,} × {n_columns}, {n_classes} classes",
        (Bar(AT_LEAST, at_most=A_FEW),),
        lambda: [
            Contender("weakforce", "polars", lambda: measure_in_fresh_process(job)),
            Contender(AT_LEAST, "", lambda: needed),
        ],
        unit="MB",
        pick=max,
    )
