"""Calibrations: from scores to probabilities that can be taken at their word.

In: scores of `decision_function`. Out: a probability for each row and class, and the class whose
probability is the largest. A calibration never changes; `_fitting.calibrating` learns it, and
`calibration_entry` writes it to model files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from .scores import Floats, Places, best, probabilities, with_winners_ahead


@dataclass(frozen=True)
class Temperature:
    """The soft-max of the scores times a factor, which leaves the best class the best."""

    factor: float

    def probabilities(self, scores: Floats) -> Floats:
        """Return P(class) for each row and class."""
        return probabilities(scores, self.factor)

    def answers(self, scores: Floats) -> Places:
        """Return the most probable class of each row."""
        return best(scores)

    def shift_for(self, prior: Floats) -> Floats:
        """Return what has to be added to scores so that their products get the prior."""
        return prior / self.factor


@dataclass(frozen=True)
class VoteShares:
    """The share of each class in the votes, counted by their weights.

    Attributes:
        total: the weight of all votes; 0 if there are none.
        factors: class weights, by which shares are multiplied before they are made to sum to 1;
            empty without them.
    """

    total: float
    factors: tuple[float, ...] = ()

    def probabilities(self, scores: Floats) -> Floats:
        """Return the share of each class for each row, under the class weights."""
        shares = self._shares(scores)
        if not self.factors:
            return shares
        weighted: Floats = shares * np.array(self.factors)
        # Where no class is possible, all are.
        weighted[~weighted.any(axis=1)] = 1.0
        weighted /= weighted.sum(axis=1, keepdims=True)
        # A tie goes to the second of two classes, of more to the first.
        is_second = weighted[:, -1] >= weighted[:, 0]
        winners = is_second.astype(np.intp) if scores.ndim == 1 else weighted.argmax(axis=1)
        return with_winners_ahead(weighted, winners)

    def _shares(self, scores: Floats) -> Floats:
        if scores.ndim == 1:
            positive = np.clip(0.5 + 0.5 * scores / (self.total or 1.0), 0.0, 1.0)
            positive[positive == 0.5] = np.nextafter(0.5, 1.0)  # a tie goes to the second class
            # Rounding must not turn a narrow majority around.
            positive[(scores < 0) & (positive > 0.5)] = np.nextafter(0.5, 0.0)
            return np.column_stack([1.0 - positive, positive])
        if self.total == 0:
            return with_winners_ahead(np.full(scores.shape, 1.0 / scores.shape[1]), best(scores))
        return with_winners_ahead(scores / scores.sum(axis=1, keepdims=True), best(scores))

    def answers(self, scores: Floats) -> Places:
        """Return the class with most votes in each row, under the class weights."""
        if not self.factors:
            return best(scores)
        return cast(Places, self.probabilities(scores).argmax(axis=1))

    def shift_for(self, prior: Floats) -> None:
        """Return None: class weights are among the factors, and scores stay as they are."""


@dataclass(frozen=True)
class Sigmoid:
    """Of two classes 1/(1 + exp(−(aH + b))) for the second; of more the soft-max of a s_k + b_k.

    Attributes:
        slope: a, at least 0.
        intercepts: b, or b_k for each of several classes.
    """

    slope: float
    intercepts: tuple[float, ...]

    def probabilities(self, scores: Floats) -> Floats:
        """Return P(class) for each row and class."""
        return probabilities(self._moved(scores))

    def answers(self, scores: Floats) -> Places:
        """Return the most probable class of each row."""
        return best(self._moved(scores))

    def _moved(self, scores: Floats) -> Floats:
        if scores.ndim == 1:  # whose soft-max doubles them
            return (self.slope * scores + self.intercepts[0]) / 2.0
        return np.asarray(self.slope * scores + np.array(self.intercepts))


@dataclass(frozen=True)
class Isotonic:
    """Probabilities that rise with the score: straight lines between knots, constant outside.

    Of two classes the knots are those of the second one's score. Of more, each class has its own,
    by how far its score is above the best other one, and the probabilities of a row are divided by
    their sum.

    Attributes:
        scores: by class the scores of the knots, ascending.
        shares: by class the probabilities there, never falling.
    """

    scores: tuple[tuple[float, ...], ...]
    shares: tuple[tuple[float, ...], ...]

    def probabilities(self, scores: Floats) -> Floats:
        """Return P(class) for each row and class."""
        if scores.ndim == 1:
            positive = self._of_class(0, scores)
            positive[positive == 0.5] = np.nextafter(0.5, 1.0)  # a tie goes to the second class
            return np.column_stack([1.0 - positive, positive])
        ahead = leads_of_all(scores)
        shares = np.column_stack([self._of_class(at, ahead[:, at]) for at in range(ahead.shape[1])])
        # Where no class is possible, all are.
        shares[~shares.any(axis=1)] = 1.0
        shares /= shares.sum(axis=1, keepdims=True)
        # Equal probabilities are common here; among them the best score decides.
        tied = shares == shares.max(axis=1, keepdims=True)
        return with_winners_ahead(shares, best(np.where(tied, scores, -np.inf)))

    def answers(self, scores: Floats) -> Places:
        """Return the most probable class of each row."""
        return cast(Places, self.probabilities(scores).argmax(axis=1))

    def _of_class(self, at: int, scores: Floats) -> Floats:
        return np.interp(scores, self.scores[at], self.shares[at])


@dataclass(frozen=True)
class CleanLabels:
    """Probabilities of true labels, if scores stand for those of labels of which a share is wrong.

    A wrong label is any other class with the same probability: q = (1 − ρ) p + ρ (1 − p)/(K − 1).
    Where q is lower than noise alone would make it, p is zero.
    """

    rate: float

    def probabilities(self, scores: Floats) -> Floats:
        """Return P(class) for each row and class."""
        noisy = probabilities(scores)
        other = self.rate / (noisy.shape[1] - 1)
        clean = np.maximum((noisy - other) / (1.0 - self.rate - other), 0.0)
        clean /= clean.sum(axis=1, keepdims=True)
        return with_winners_ahead(clean, best(scores))

    def answers(self, scores: Floats) -> Places:
        """Return the most probable class of each row."""
        return best(scores)


Calibration: TypeAlias = Temperature | VoteShares | Sigmoid | Isotonic | CleanLabels


def leads_of_all(scores: Floats) -> Floats:
    """Return how far the score of each class is above that of the best other one, in each row."""
    ordered = np.sort(scores, axis=1)
    first, second = ordered[:, [-1]], ordered[:, [-2]]
    leads: Floats = scores - first
    winners = (np.arange(len(scores)), scores.argmax(axis=1))
    leads[winners] = (first - second)[:, 0]
    return leads
