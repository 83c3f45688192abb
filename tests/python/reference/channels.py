"""A naive oracle for many classes, part one: the best test over weights by row and channel.

In: columns as in reference/learners.py and an array V of weights, one line per row and one column
per channel: two (−1, +1), one per class, or two per class (−1 and +1 of each class, for learners
that answer all classes at once). Every test is a Boolean array over the rows, and a search is one
product of all tests with V. Rows without weight still count where columns are cut.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from reference.learners import TIE, Columns, Split, answer_of, cuts_of, is_categorical, values_of
from reference.rule import Literal, literals_of

Array = np.ndarray


# Criteria: the impurity of a side, from the weights along the last axis


def error_of(sums: Array) -> Array:
    return sums.sum(axis=-1) - sums.max(axis=-1)


def gini_of(sums: Array) -> Array:
    total = sums.sum(axis=-1)
    return total - (sums**2).sum(axis=-1) / np.where(total > 0, total, 1.0)


def z_of(sums: Array) -> Array:
    roots = np.sqrt(sums)
    pairs = roots[..., :, None] * roots[..., None, :]
    return pairs.sum(axis=(-1, -2)) - sums.sum(axis=-1)


CRITERIA: dict[str, Callable[[Array], Array]] = {"error": error_of, "gini": gini_of, "z": z_of}


def by_class(sums: Array) -> Array:
    """Weights of two channels per class, split up into classes and signs."""
    return sums.reshape(*sums.shape[:-1], -1, 2)


# Answers of a part


def number_answer(kind: str, sums: Array, smooth: float) -> float:
    """What a part with the weights (−1, +1) says of one class; all weights together are 1."""
    return answer_of(kind, float(sums[0]), float(sums[1]), smooth)


def class_answer(kind: str, sums: Array, smooth: float) -> int:
    """The heaviest class, the last one of several."""
    assert kind == "vote"
    return int(np.flatnonzero(sums >= sums.max() - TIE)[-1])


def shared_answer(kind: str, sums: Array, smooth: float) -> Array:
    """A number for every class."""
    return np.array([number_answer(kind, pair, smooth) for pair in by_class(sums)])


@dataclass(frozen=True)
class Says:
    """What is asked of a learner: how a part is scored and how it answers."""

    impurity: Callable[[str, Array], Array]
    answer: Callable[[str, Array, float], Any]


NUMBER = Says(lambda name, sums: CRITERIA[name](sums), number_answer)
CLASS = Says(lambda name, sums: CRITERIA[name](sums), class_answer)
SHARED = Says(lambda name, sums: CRITERIA[name](by_class(sums)).sum(axis=-1), shared_answer)


# Tests


class Ground:
    """Training rows and all tests on their numbers: a Boolean line for each test."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.n_rows = len(columns[0])
        self.here = [1.0] * self.n_rows

    @cached_property
    def tables(self) -> list[tuple[list[Split], Array] | None]:
        return [
            None if is_categorical(column) else self.number_table(place, column)
            for place, column in enumerate(self.columns)
        ]

    def number_table(self, place: int, column: list[Any]) -> tuple[list[Split], Array]:
        """All thresholds with missing values inside, then outside; last, present or missing."""
        thresholds = [
            Split(place, cut, None, frozenset(), missing)
            for cut in cuts_of(column, self.here)
            for missing in (True, False)
        ]
        splits = [*thresholds, Split(place, None, None, frozenset(), False)]
        return splits, np.array([[split.takes(value) for value in column] for split in splits])

    def category_table(self, place: int, V: Array) -> tuple[list[Split], Array]:
        """The beginnings of every order of the categories by the share of one channel."""
        column = self.columns[place]
        known = frozenset(values_of(column, self.here))
        sums = {
            level: V[[value == level for value in column]].sum(axis=0)
            for level in [*sorted(known), None]
        }
        levels = [level for level, weights in sums.items() if weights.sum() > 0]
        splits = []
        for share in shares_of(sums):
            order = sorted(levels, key=share)  # equal shares stay in the order of the levels
            for size in range(1, len(order)):
                inside = frozenset(order[:size])
                splits.append(Split(place, None, inside - {None}, known, None in inside))
        masks = [[split.takes(value) for value in column] for split in splits]
        return splits, np.array(masks, dtype=bool).reshape(len(splits), self.n_rows)

    @cached_property
    def literals(self) -> tuple[list[Literal], Array]:
        """All literals of all columns, in the order in which ties are decided, and their rows."""
        every = [
            literal
            for place, column in enumerate(self.columns)
            for literal in literals_of(place, column, self.here)
        ]
        holds = [[each.holds(value) for value in self.columns[each.column]] for each in every]
        return every, np.array(holds)


def shares_of(sums):
    """The functions by which categories are ordered: their share of each channel in turn.

    Of two channels one has the other's order backwards.
    """
    n_channels = len(next(iter(sums.values())))
    channels = [1] if n_channels == 2 else range(n_channels)
    return [lambda level, c=c: sums[level][c] / sums[level].sum() for c in channels]


@dataclass
class Found:
    """A test with the rows it takes, the weights on its two sides and their impurity."""

    split: Split
    rows: Array
    inside: Array
    outside: Array
    score: float


def best_split(ground: Ground, V: Array, criterion, says: Says, least_rows=1, least_weight=0.0):
    """The first of the best tests with enough on both sides; V is zero for rows elsewhere."""
    weights = V.sum(axis=1)
    here = (weights > 0).astype(float)
    found: list[Found] = []
    for place, column in enumerate(ground.columns):
        table = ground.tables[place]
        splits, masks = table or ground.category_table(place, V)
        if not splits:
            continue
        missing = any(weight > 0 for weight, x in zip(weights, column, strict=True) if x is None)
        inside, outside = masks @ V, ~masks @ V
        score = says.impurity(criterion, inside) + says.impurity(criterion, outside)
        enough = np.minimum(masks @ here, ~masks @ here) >= least_rows
        enough &= np.minimum(masks @ weights, ~masks @ weights) >= max(least_weight, 1e-300)
        for at in np.flatnonzero(enough):
            if table is None or missing or not splits[at].missing_inside:
                split = splits[at]
                found.append(Found(split, masks[at], inside[at], outside[at], float(score[at])))
    best = first_best(found)
    if best is not None:
        best.split = settle_missing(best.split, ground.columns[best.split.column], weights)
    return best


def first_best(found):
    least = min((each.score for each in found), default=0.0)
    return next((each for each in found if each.score <= least + TIE), None)


def settle_missing(split: Split, column, weights) -> Split:
    """Send what no row decides to the heavier side: missing values and unknown categories."""
    rows = np.array([split.takes(value) for value in column])
    heavier = bool(weights[rows].sum() >= weights[~rows].sum() - TIE)
    here = {value for value, weight in zip(column, weights, strict=True) if weight > 0}
    categories = split.categories
    if categories is not None and heavier:
        categories = categories | (split.known - here)
    missing_inside = split.missing_inside if None in here else heavier
    return Split(split.column, split.threshold, categories, split.known, missing_inside)
