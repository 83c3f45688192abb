"""What a model predicts: one of several classes, or any set of them.

In: y, and what a model answers. Out: class codes and costs for the core; scores and labels for the
user. Both kinds of target have the same methods, so that hardly any other module has to ask which
one it is. The truth of a target is what `read` makes of y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._reading.scores import single
from . import label_sets
from .exact_totals import ExactTotals
from .labels import (
    Codes,
    Floats,
    checked_weights,
    class_factors,
    encode_known_labels,
    encode_labels,
    relative_weights,
)

Truth: TypeAlias = NDArray[Any]


@dataclass(frozen=True, eq=False)
class OneLabel:
    """One class per row; its truth is a code per row."""

    classes: NDArray[Any]

    @classmethod
    def learn(cls, y: Any, estimator: str) -> tuple[OneLabel, Codes]:
        """Return the target that y holds, and its truth."""
        classes, codes = encode_labels(y, estimator)
        return cls(classes), codes

    def read(self, y: Any, estimator: str, name: str = "y") -> Codes:
        """Return the truth of labels that must all be known."""
        return encode_known_labels(y, self.classes, estimator, name)

    def codes(self, truth: Truth) -> Codes:
        """Return the class of each row."""
        return truth

    def costs(self, truth: Truth) -> Floats | None:  # noqa: ARG002
        """Return None: costs do not follow from one label."""
        return None

    def weights(self, truth: Truth, sample_weight: Any, class_weight: Any) -> Floats | None:
        """Multiply sample weights and class weights; None if neither is given."""
        weights = checked_weights(sample_weight, len(truth))
        if class_weight is None:
            return weights
        factors = self.class_factors(truth, sample_weight, class_weight)[truth]
        return factors if weights is None else weights * factors

    def class_factors(self, truth: Truth, sample_weight: Any, class_weight: Any) -> Floats:
        """Return the weight of each class."""
        weights = checked_weights(sample_weight, len(truth))
        largest = 1.0 if weights is None else float(weights.max(initial=0.0))
        totals = ExactTotals.of(truth, weights, len(self.classes)).over(largest)
        return class_factors(self.classes, totals, class_weight)

    def shown(self, scores: Floats) -> Floats:
        """Return the core's scores as users see them: of two classes just H."""
        return single(scores) if len(self.classes) == 2 else scores

    def labels(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Return the label of every row, given its class."""
        return np.asarray(self.classes[answers])

    def right(self, answers: NDArray[Any], truth: Truth) -> NDArray[np.bool_]:
        """Whether each row is classified right."""
        return cast(NDArray[np.bool_], answers == truth)


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Any number of labels per row; its truth is a Boolean matrix of rows and classes.

    `as_lists` says whether users give and get lists of labels, or matrices of 0 and 1.
    """

    classes: NDArray[Any]
    as_lists: bool

    @classmethod
    def learn(cls, y: Any, estimator: str) -> tuple[LabelSets, label_sets.Members]:  # noqa: ARG003
        """Return the target that y holds, and its truth."""
        lists = label_sets.lists_of(y)
        if lists is not None:
            classes, members = label_sets.learn_lists(lists)
        else:
            members = label_sets.read_indicator(y)
            classes = np.arange(members.shape[1])
        if not members.any():
            raise ValueError(f"y: none of {len(members)} rows has a label, expected some")
        if len(classes) == 1:
            raise ValueError(f"y: got only one label, {classes[0]!r}, expected two or more")
        return cls(classes, lists is not None), members

    def read(self, y: Any, estimator: str, name: str = "y") -> label_sets.Members:
        """Return the truth of labels that must all be known."""
        if y is None:
            raise ValueError(f"{estimator} requires y to be passed, but the target y is None")
        lists = label_sets.lists_of(y)
        if lists is not None:
            return label_sets.read_lists(lists, self.classes, name)
        if not label_sets.is_indicator(y):
            expected = "lists of labels" if self.as_lists else "a matrix of 0 and 1"
            raise ValueError(f"{name}: got one label per row, expected {expected} as in fit")
        members = label_sets.read_indicator(y, name)
        if members.shape[1] != len(self.classes):
            raise ValueError(
                f"{name}: got {members.shape[1]} columns, expected one for each of "
                f"{len(self.classes)} labels"
            )
        return members

    def codes(self, truth: Truth) -> Codes:
        """Return the first label of each row, by which rows are held back for validation."""
        codes: Codes = truth.argmax(axis=1).astype(np.uint32)
        return codes

    def costs(self, truth: Truth) -> Floats | None:
        """Return what answers cost: nothing for the labels of a row, 1 for all others."""
        return 1.0 - truth.astype(np.float64)

    def weights(self, truth: Truth, sample_weight: Any, class_weight: Any) -> Floats | None:
        """Multiply sample weights with the mean class weight of a row's labels."""
        weights = checked_weights(sample_weight, len(truth))
        if class_weight is None:
            return weights
        sums = truth @ self.class_factors(truth, sample_weight, class_weight)
        counts = truth.sum(axis=1)
        factors: Floats = np.divide(sums, counts, out=np.ones(len(truth)), where=counts > 0)
        return factors if weights is None else weights * factors

    def class_factors(self, truth: Truth, sample_weight: Any, class_weight: Any) -> Floats:
        """Return the weight of each label."""
        totals = truth.T @ relative_weights(sample_weight, len(truth))
        return class_factors(self.classes, totals.astype(np.float64), class_weight)

    def shown(self, scores: Floats) -> Floats:
        """Return the core's scores as users see them: one for each class."""
        return scores

    def members(self, shares: Floats) -> label_sets.Members:
        """Return the labels that are at least half as probable as the most probable one."""
        return cast(label_sets.Members, shares >= shares.max(axis=1, keepdims=True) / 2)

    def labels(self, answers: label_sets.Members) -> NDArray[np.int64] | pl.Series:
        """Return the labels of every row in the form of y, given which ones it has."""
        if self.as_lists:
            return label_sets.write_lists(answers, self.classes)
        return answers.astype(np.int64)

    def right(self, answers: label_sets.Members, truth: Truth) -> NDArray[np.bool_]:
        """Whether each row gets just its own labels."""
        return cast(NDArray[np.bool_], (answers == truth).all(axis=1))


Target: TypeAlias = OneLabel | LabelSets


def learn_target(y: Any, estimator: str, sets: bool) -> tuple[Target, Any]:
    """Return what y holds, and its truth; `sets` says whether rows may have several labels."""
    if label_sets.is_indicator(y) or label_sets.lists_of(y) is not None:
        if sets:
            return LabelSets.learn(y, estimator)
        if not isinstance(y, pl.Series):
            raise ValueError(
                f"y: got several labels for each row, expected one (y should be a 1d array for "
                f"{estimator}; SoftmaxBoostClassifier takes sets of labels)"
            )
    return OneLabel.learn(y, estimator)
