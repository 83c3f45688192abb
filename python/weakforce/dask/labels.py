"""The labels and weights of the rows of one worker, as those of all workers.

In: labels by partition, and the way to the other workers. Out: a target whose classes are those of
all rows, and whose class weights count all rows.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._fitting import label_sets
from .._fitting.exact_totals import ExactTotals
from .._fitting.label_codes import known_codes, learn_codes
from .._fitting.label_values import labels_of
from .._fitting.labels import (
    Codes,
    Floats,
    check_classes,
    checked_weights,
    class_factors,
    is_category,
)
from .._fitting.targets import OneLabel, Truth
from .failures import in_partition
from .reducer import Reducer


def gathered(reducer: Reducer, own: Any) -> list[Any]:
    """Return an object of every shard, by rank."""
    return [pickle.loads(data) for data in reducer.gather(pickle.dumps(own))]


@dataclass(frozen=True, eq=False)
class ShardTarget(OneLabel):
    """One class per row, of which some other rows have other ones."""

    reducer: Reducer

    def read(self, y: Any, estimator: str, name: str = "y") -> Codes:  # noqa: ARG002
        """Return y, which holds the class of each row already."""
        codes: Codes = y
        return codes

    def class_factors(self, truth: Truth, sample_weight: Any, class_weight: Any) -> Floats:
        """Return the weight of each class, by the rows of all shards."""
        weights = checked_weights(sample_weight, len(truth))
        own = ExactTotals.of(truth, weights, len(self.classes))
        largest = 1.0 if weights is None else float(weights.max(initial=0.0))
        parts, largests = zip(*gathered(self.reducer, (own, largest)), strict=True)
        totals = ExactTotals.sum(parts).over(max(largests))
        return class_factors(self.classes, totals, class_weight)


@dataclass(frozen=True)
class OwnLabels:
    """The labels of the rows of one worker.

    Attributes:
        values: the labels of each partition without repetition, below each other.
        places: the place of each row's label among them.
        counts: the number of rows of each partition.
        are_categories: whether they are categories whatever they look like.
    """

    values: NDArray[Any]
    places: Codes
    counts: list[int]
    are_categories: bool

    @classmethod
    def read(cls, partitions: list[tuple[int, Any]], estimator: str) -> OwnLabels:
        """Return the labels of partitions, each of which comes with its number."""
        found, places, n_before = [], [], 0
        for number, y in partitions:
            with in_partition(number):
                if label_sets.is_indicator(y) or label_sets.lists_of(y) is not None:
                    raise ValueError(
                        "y: got several labels for each row, expected one, because the rows are "
                        "spread over workers"
                    )
                values, codes = learn_codes(*labels_of(y, estimator))
            places.append(codes + np.uint32(n_before))
            found.append(values)
            n_before += len(values)
        values = _below_each_other(found)
        are_categories = any(is_category(y) for _, y in partitions)
        counts = [len(codes) for codes in places]
        return cls(values, np.concatenate(places), counts, are_categories)

    def target(self, reducer: Reducer, known: NDArray[Any] | None) -> tuple[ShardTarget, Codes]:
        """Return what there is to predict, and the class of every row.

        Classes are those of an earlier fit if there was one.
        """
        if known is None:
            shards = gathered(reducer, (self.values, len(self.places), self.are_categories))
            values, counts, categories = zip(*shards, strict=True)
            known, _ = learn_codes(_below_each_other(list(values)))
            check_classes(known, sum(counts), any(categories))
        return ShardTarget(known, reducer), self.codes(known)

    def codes(self, classes: NDArray[Any], name: str = "y") -> Codes:
        """Return the class of every row; refuse labels that are not among the classes."""
        return known_codes(self.values, None, classes, name)[self.places]


def _below_each_other(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Return labels below each other; a partition without rows has no say in their type."""
    arrays = [array for array in arrays if len(array)] or arrays[:1]
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def read_weights(partitions: list[tuple[int, Any]], n_rows: list[int]) -> Floats:
    """Return the weights of the rows of partitions, each of which comes with its number."""
    found = []
    for (number, weights), count in zip(partitions, n_rows, strict=True):
        with in_partition(number):
            checked = checked_weights(weights, count)
        found.append(np.zeros(0) if checked is None else checked)
    return np.concatenate(found)
