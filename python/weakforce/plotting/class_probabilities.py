"""The probabilities of a class against all others: how far they can be taken at their word.

In: the truth of rows, and the probabilities that a model gives them. Out: the points of
calibration, ROC and precision–recall curves, with the numbers that sum them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._fitting.labels import Floats, row_weights
from .._fitting.rows import Rows
from .._reading.fitted_model import FittedModel
from .._reading.wording import label_text

#: The bins of a calibration curve, as wide as each other.
_BINS = 10


class Curve(NamedTuple):
    """The points of a curve, and what sums it up."""

    x: Floats
    y: Floats
    value: float


@dataclass(frozen=True, eq=False)
class ClassProbabilities:
    """What a model says of one class, row by row.

    Attributes:
        label: the name of the class.
        is_own: which rows are of the class.
        shares: their probabilities of being so.
        ranks: what orders rows by them: scores do so where probabilities are rounded to 0 or 1.
        weights: the weights of the rows.
    """

    label: str
    is_own: NDArray[np.bool_]
    shares: Floats
    ranks: Floats
    weights: Floats

    @property
    def has_both(self) -> bool:
        """Whether there are rows of the class and others, without which there are no curves."""
        own = self.weights[self.is_own].sum()
        return bool(0 < own < self.weights.sum())

    def calibration(self) -> tuple[Curve, Floats]:
        """Return the share of the class by mean probability, in bins, and the weight of each bin.

        The value is the mean distance between the two.
        """
        places = np.minimum((self.shares * _BINS).astype(np.intp), _BINS - 1)
        sums = np.array(
            [
                np.bincount(places, weights=self.weights * numbers, minlength=_BINS)
                for numbers in (np.ones(len(places)), self.shares, self.is_own)
            ],
            dtype=np.float64,
        )
        weights, said, own = sums[:, sums[0] > 0]
        said, own, shares = said / weights, own / weights, weights / weights.sum()
        return Curve(said, own, float(shares @ np.abs(said - own))), shares

    def roc(self) -> Curve:
        """Return the share of the class that is found by that of other rows; and the area below."""
        from sklearn.metrics import roc_auc_score, roc_curve

        wrong, right, _ = roc_curve(self.is_own, self.ranks, sample_weight=self.weights)
        area = roc_auc_score(self.is_own, self.ranks, sample_weight=self.weights)
        return Curve(wrong, right, float(area))

    def precision_recall(self) -> Curve:
        """Return the precision by the share of the class that is found; and the mean precision."""
        from sklearn.metrics import average_precision_score, precision_recall_curve

        precision, found, _ = precision_recall_curve(
            self.is_own, self.ranks, sample_weight=self.weights
        )
        mean = average_precision_score(self.is_own, self.ranks, sample_weight=self.weights)
        return Curve(found, precision, float(mean))

    def base_rate(self) -> float:
        """Return the share of the class."""
        return float(self.weights[self.is_own].sum() / self.weights.sum())


def class_probabilities(
    model: FittedModel, rows: Rows, n_jobs: int | None
) -> list[ClassProbabilities]:
    """Return the probabilities of each class; of the second only if there are two."""
    if model.has_label_sets:
        raise TypeError(
            f"parameter 'model': got {model.name} with several labels for a row, expected one label"
        )
    X, truth = model.read(rows.X, rows.y)
    weights = row_weights(rows.sample_weight, len(truth))
    scores = model.decision_function(X, n_jobs)
    shares = model.probabilities(scores)
    shown = [1] if model.n_classes == 2 else range(model.n_classes)
    return [
        ClassProbabilities(
            label_text(model.labels[at]),
            truth == at,
            shares[:, at],
            scores if scores.ndim == 1 else shares[:, at],
            weights,
        )
        for at in shown
    ]


def most_frequent(classes: list[ClassProbabilities], most: int) -> list[ClassProbabilities]:
    """Return the classes with the most weight, in their order."""
    order: Any = np.argsort([-each.base_rate() for each in classes], kind="stable")[:most]
    return [classes[at] for at in sorted(order)]
