"""What a fitted booster predicts for rows: scores, labels, probabilities, accuracy, margins.

In: rows. Out: arrays over the rows, at the end or round by round; the fitted model computes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from .._fitting.labels import Floats
from .._margins.theory import MarginTheory
from .fitted import Fitted


class Predictions(Fitted):
    """The methods of a booster that look at rows once it is fitted."""

    n_jobs: int | None

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of every row.

        For two classes that is H(x), whose sign is the prediction; for more a score for each class,
        of which the largest is the prediction: unless `calibrate` changes predictions, which leaves
        the scores as they are.
        """
        return self.fitted_model_.decision_function(X, self.n_jobs)

    def predict(self, X: Any) -> Any:
        """Return the label of every row: the most probable class of `predict_proba`.

        A tie goes to the second of two classes, of more to the first. `WeakForceClassifier` with
        costs answers with the cheapest class instead. Labels come as they came to fit, so for a
        target with several labels per row as a matrix of 0 and 1, or as a series of lists: all
        labels that are at least half as probable as the most probable one.
        """
        return self.fitted_model_.predict(self.decision_function(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x) for each class: the soft-max of the scores, or as `calibrate` says.

        For two classes the soft-max is 1/(1 + exp(−2H)) for the second one.
        """
        return self.fitted_model_.probabilities(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return cast(Floats, np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; y holds labels of any type or is the name of a column of X.

        If rows have several labels, it is the share of rows that get just their own.
        """
        model = self.fitted_model_
        X, truth = model.read(X, y)
        return model.accuracy(self.decision_function(X), truth, sample_weight)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores of every row after each round."""
        yield from self.fitted_model_.staged_decision_function(X, self.n_jobs)

    def staged_predict(self, X: Any) -> Iterator[Any]:
        """Yield the label of every row after each round."""
        for scores in self.staged_decision_function(X):
            yield self.fitted_model_.predict(scores)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the class probabilities of every row after each round.

        A calibration is that of the whole model; shares of votes are those of the votes so far.
        """
        model = self.fitted_model_
        for n_rounds, scores in enumerate(self.staged_decision_function(X), 1):
            yield model.probabilities_after(n_rounds, scores)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy after each round."""
        model = self.fitted_model_
        X, truth = model.read(X, y)
        for scores in self.staged_decision_function(X):
            yield model.accuracy(scores, truth, sample_weight)

    def margins(self, X: Any, y: Any, kind: str = "normalized") -> Floats:
        """Return the margin of every row: how right its label is according to the model.

        The lead of a row is the score of its class less the largest score of another class; for
        two classes that is 2 y H with y = ±1. If rows have several labels, the best of them leads
        or not; rows that have all labels or none have no margin: NaN. Margins are those of the
        votes: what `class_weight` adds to the scores is no part of them.

        Parameters:
            X: the rows.
            y: their labels, or the name of the column of X that holds them.
            kind: "normalized" for the lead over the largest one that votes could make, such as
                y H / Σ|α| for two classes (in [−1, 1] for votes); or "logistic" for
                tanh(lead / 4), such as tanh(y H / 2), which is always in [−1, 1]. Some boosters
                have further ones, see there.
        """
        kinds = self._margin_kinds()
        if kind not in kinds:
            expected = " or ".join(map(repr, kinds))
            raise ValueError(f"parameter 'kind': got {kind!r}, expected {expected}")
        model = self.fitted_model_.without_prior()
        X, truth = model.read(X, y)
        return model.margins(model.leads(model.decision_function(X, self.n_jobs), truth), kind)

    def _margin_kinds(self) -> tuple[str, ...]:
        """Return the kinds of margin that `margins` knows."""
        return self._margin_theory().kinds

    def _margin_theory(self) -> MarginTheory:
        """Return what is known of the margins of this booster's models."""
        return MarginTheory()
