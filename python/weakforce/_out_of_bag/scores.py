"""The scores of training rows by trees that have not seen them.

In: a score for each row and class, class codes and weights. Out: accuracy, log loss, suspects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._fitting.labels import Codes, Floats, label_series


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """Judgements out of bag.

    Attributes:
        scores: by row and class; NaN for rows that were not judged.
        codes: the class of each row as given.
        weights: the weight of each row.
    """

    scores: Floats
    codes: Codes
    weights: Floats

    @classmethod
    def of(cls, scores: Floats, codes: Codes, weights: Floats | None) -> OutOfBag:
        """Return the judgements on rows; those of weight zero were not judged."""
        given = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=float)
        return cls(np.where(given[:, None] > 0, scores, np.nan), codes, given)

    def judged(self) -> NDArray[np.intp]:
        """Return the positions of the rows that were judged."""
        return np.flatnonzero(~np.isnan(self.scores[:, 0]))

    def decision_function(self) -> Floats:
        """Return scores in the form of `decision_function`: for two classes one for each row."""
        if self.scores.shape[1] > 2:
            return self.scores
        return np.asarray(0.5 * (self.scores[:, 1] - self.scores[:, 0]))

    def probabilities(self) -> Floats:
        """Return the probabilities of the classes of judged rows."""
        scores = self.scores[self.judged()]
        terms = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(terms / terms.sum(axis=1, keepdims=True))

    def _mean(self, numbers: Any) -> float:
        weights = self.weights[self.judged()]
        return float(np.average(numbers, weights=weights / weights.max()))

    def answers(self) -> Codes:
        """Return the class with the highest score of each judged row."""
        scores = self.scores[self.judged()]
        # Of two equal scores the second wins, as in `predict`.
        if scores.shape[1] == 2:
            return np.asarray(scores[:, 1] >= scores[:, 0], dtype=np.uint32)
        return np.asarray(scores.argmax(axis=1), dtype=np.uint32)

    def accuracy(self) -> float:
        """Return the share of judged rows whose label is their prediction."""
        return self._mean(self.answers() == self.codes[self.judged()])

    def log_loss(self) -> float:
        """Return the mean log loss of judged rows."""
        own = self._own_probabilities()
        return self._mean(-np.log(np.maximum(own, np.finfo(float).tiny)))

    def _own_probabilities(self) -> Floats:
        """Return the probability of the given label of each judged row."""
        rows = self.judged()
        return np.asarray(self.probabilities()[np.arange(len(rows)), self.codes[rows]])

    def suspects(self, classes: NDArray[Any]) -> pl.DataFrame:
        """Return all judged rows, the most suspect labels first."""
        labels, doubt = label_series(classes), 1.0 - self._own_probabilities()
        # Sorted here and not by a query, which a forked process cannot ask.
        order = np.argsort(-doubt, kind="stable")
        rows = self.judged()[order]
        given = self.codes[rows]
        scores = self.scores[rows]
        at = np.arange(len(rows))
        own = scores[at, given]
        others = scores.copy()
        others[at, given] = -np.inf
        columns = {
            "row": rows,
            "given": labels.gather(given),
            "suggested": labels.gather(self.answers()[order]),
            "margin": np.tanh((own - others.max(axis=1)) / 4.0),
            "influence": pl.Series([None] * len(rows), dtype=pl.Float64),
            "score": doubt[order],
        }
        return pl.DataFrame(columns)
