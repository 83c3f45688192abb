"""What a fitted booster says of rows: scores, labels, probabilities, accuracy, margins.

In: rows, and the core's model. Out: arrays over the rows, at the end or round by round. What scores
mean for users is the target's to know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._fitting import external
from .._fitting.codes import Code
from .._fitting.frames import as_frame, split_target
from .._fitting.targets import Target
from .._reading.scores import leads, probabilities

Floats = NDArray[np.float64]


class Predictions:
    """The methods of a booster that look at rows once it is fitted."""

    n_jobs: int | None
    classes_: NDArray[Any]
    n_iter_: int
    estimator_weights_: Floats
    _model: _core.Model
    _target: Target
    _code: Code | None

    #: Whether each class is a two-class problem of its own even if there are only two.
    _class_by_class: ClassVar[bool] = False
    #: The kinds of margin.
    _margin_kinds: ClassVar[tuple[str, ...]] = ("normalized", "logistic")
    #: The kind for which the booster's paper proves something.
    _proved_kind: ClassVar[str] = "normalized"
    #: Whether a weighted mean of edges is one of normalized margins, as it is for votes.
    _edges_bound_margins: ClassVar[bool] = False
    #: The largest difference that a vote of weight 1 makes between two classes.
    _largest_lead: ClassVar[float] = 2.0

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of every row.

        For two classes that is H(x), whose sign is the prediction; for more a score for each class,
        of which the largest is the prediction.
        """
        model = self._fitted()
        frame, view = self._view(model, X)
        return self._target.shown(model.decision_function(frame, self.n_jobs, view))

    def predict(self, X: Any) -> Any:
        """Return the label of every row; a tie goes to the second of two classes.

        Of more classes a tie goes to the first. Labels come as they came to fit, so for a target
        with several labels per row as a matrix of 0 and 1, or as a series of lists: all labels that
        are at least half as probable as the most probable one.
        """
        scores = self.decision_function(X)
        return self._target.predict(scores)

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x) for each class: the soft-max of the scores.

        For two classes that is 1/(1 + exp(−2H)) for the second one.
        """
        return probabilities(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return cast(Floats, np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; y holds labels of any type or is the name of a column of X.

        If rows have several labels, it is the share of rows that get just their own.
        """
        X, truth = self._read(X, y)
        return self._accuracy(self.decision_function(X), truth, sample_weight)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores of every row after each round."""
        model = self._fitted()
        frame, view = self._view(model, X)
        for scores in model.staged(frame, self.n_jobs, view):
            yield self._target.shown(scores)

    def staged_predict(self, X: Any) -> Iterator[Any]:
        """Yield the label of every row after each round."""
        return (self._target.predict(scores) for scores in self.staged_decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the class probabilities of every row after each round."""
        return (probabilities(scores) for scores in self.staged_decision_function(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy after each round."""
        X, truth = self._read(X, y)
        for scores in self.staged_decision_function(X):
            yield self._accuracy(scores, truth, sample_weight)

    def margins(self, X: Any, y: Any, kind: str = "normalized") -> Floats:
        """Return the margin of every row: how right its label is according to the model.

        The lead of a row is the score of its class less the largest score of another class; for
        two classes that is 2 y H with y = ±1. If rows have several labels, the best of them leads
        or not; rows that have all labels or none have no margin: NaN.

        Parameters:
            X: the rows.
            y: their labels, or the name of the column of X that holds them.
            kind: "normalized" for the lead over the largest one that votes could make, such as
                y H / Σ|α| for two classes (in [−1, 1] for votes); or "logistic" for
                tanh(lead / 4), such as tanh(y H / 2), which is always in [−1, 1].
        """
        if kind not in self._margin_kinds:
            expected = " or ".join(map(repr, self._margin_kinds))
            raise ValueError(f"parameter 'kind': got {kind!r}, expected {expected}")
        X, truth = self._read(X, y)
        return self._margins_of(self._leads(self.decision_function(X), truth), kind, self.n_iter_)

    def _leads(self, scores: Floats, truth: Any) -> Floats:
        """Return how far the labels of rows lead, or are behind."""
        _check_length(truth, scores)
        return leads(scores, truth)

    def _margins_of(self, lead: Floats, kind: str, n_rounds: int) -> Floats:
        """Return the margins that belong to leads after some rounds."""
        return np.tanh(lead / 4) if kind == "logistic" else self._normalized(lead, kind, n_rounds)

    def _normalized(self, lead: Floats, kind: str, n_rounds: int) -> Floats:
        """Return leads as shares of the largest one."""
        return lead / (self._spread(kind, n_rounds) or 1.0)

    def _spread(self, kind: str, n_rounds: int) -> float:  # noqa: ARG002
        """Return the largest lead that the votes of the first rounds could make."""
        weights = self.estimator_weights_[:n_rounds]
        if self._code is not None:
            return self._code.spread(weights)
        largest = self._largest_lead if len(self.classes_) > 2 else 2.0
        return largest * float(np.abs(weights).sum())

    def _loss_bounds(self) -> Floats | None:
        """Return what the exponential loss is proved to be at most after 0, 1, … rounds.

        The loss of training rows with start weights u is Σ u exp(−lead/2), Σ u exp(−y H) for two
        classes. None where nothing is proved. `_margins.bounds` says what follows.
        """
        return None

    def _limit_margin(self) -> float | None:
        """Return what the smallest margin is proved to reach in the end; None without a proof."""
        return None

    def _read(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return X without its target, and the truth of the target."""
        self._fitted()
        X, y = split_target(X, y)
        return X, self._target.read(y, type(self).__name__)

    def _accuracy(self, scores: Floats, truth: Any, sample_weight: Any) -> float:
        _check_length(truth, scores)
        return float(np.average(self._target.right(scores, truth), weights=sample_weight))

    def _fitted(self) -> _core.Model:
        check_is_fitted(self)
        return self._model

    def _view(self, model: _core.Model, X: Any) -> tuple[Any, external.ScoringView | None]:
        if model.is_external:
            targeted = self._targeted(self.classes_)
            return external.score_view(X, model.feature_names, self.classes_, targeted)
        return as_frame(X), None

    def _targeted(self, classes: NDArray[Any]) -> bool:
        """Whether classifiers learn one side of a two-class problem instead of the labels."""
        return len(classes) > 2 or self._class_by_class


def _check_length(truth: NDArray[Any], scores: Floats) -> None:
    if len(truth) != len(scores):
        raise ValueError(
            f"y: got {len(truth)} labels, expected one for each of {len(scores)} rows of X"
        )
