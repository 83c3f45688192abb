"""From scores to what a model says: probabilities, answers, labels, accuracy.

In: scores of `decision_function`. Out: arrays over the rows. Whatever predicts (estimators, files,
the command line, evaluations, reports) asks here, so that all of them say the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._fitting.labels import Floats, label_list
from .._fitting.targets import LabelSets, Target
from .calibrations import Calibration
from .scores import best, cheapest, leads, probabilities


@dataclass(frozen=True, eq=False, kw_only=True)
class Decisions:
    """What scores mean.

    Attributes:
        target: what is predicted: one of several classes, or sets of them.
        calibration: makes probabilities of scores; None for the soft-max.
        costs: what answers cost (true × answered) where the answer is that of least expected cost;
            None where it is the most probable class.
        prior: what the class weights add to the scores of every row; None without them.
    """

    target: Target
    calibration: Calibration | None = None
    costs: Floats | None = None
    prior: Floats | None = None

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, ascending."""
        return self.target.classes

    @property
    def labels(self) -> list[Any]:
        """The labels as Python objects."""
        return label_list(self.classes)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def has_label_sets(self) -> bool:
        """Whether rows have several labels."""
        return isinstance(self.target, LabelSets)

    def shown(self, scores: Floats) -> Floats:
        """Return the core's scores as users see them: of two classes just H, with the prior."""
        shown = self.target.shown(scores)
        return shown if self.prior is None else shown + self.prior

    def probabilities(self, scores: Floats) -> Floats:
        """Return P(class) for each row and class."""
        if self.calibration is None:
            return probabilities(scores)
        return self.calibration.probabilities(scores)

    def answers(self, scores: Floats) -> NDArray[Any]:
        """Return the class of each row by its code; for sets of labels, which ones it has."""
        if isinstance(self.target, LabelSets):
            return self.target.members(self.probabilities(scores))
        if self.costs is not None:
            return cheapest(self.probabilities(scores), self.costs)
        return best(scores) if self.calibration is None else self.calibration.answers(scores)

    def predict(self, scores: Floats) -> Any:
        """Return the label of every row, or its labels, in the form of y."""
        return self.target.labels(self.answers(scores))

    def accuracy(self, scores: Floats, truth: Any, sample_weight: Any = None) -> float:
        """Return the share of the weight that is classified right."""
        _check_length(truth, scores)
        right = self.target.right(self.answers(scores), truth)
        return float(np.average(right, weights=sample_weight))

    def leads(self, scores: Floats, truth: Any) -> Floats:
        """Return how far the labels of rows lead, or are behind."""
        _check_length(truth, scores)
        return leads(scores, truth)


def _check_length(truth: NDArray[Any], scores: Floats) -> None:
    if len(truth) != len(scores):
        raise ValueError(
            f"y: got {len(truth)} labels, expected one for each of {len(scores)} rows of X"
        )
