"""Rows whose margins are looked at, and their leads after some rounds.

In: a fitted estimator, X, y and weights as users hand them over. Out: the truth of the rows,
weights that sum to 1, and leads round by round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._estimator.base import BoostingClassifier
from .._fitting.labels import Floats, row_weights


class MarginRows(NamedTuple):
    """Rows with their truth and their shares of the weight."""

    X: Any
    truth: Any
    weights: Floats

    @classmethod
    def read(cls, model: BoostingClassifier, X: Any, y: Any, sample_weight: Any) -> MarginRows:
        """Return what users hand over, checked."""
        X, truth = model._read(X, y)
        weights = row_weights(sample_weight, len(truth))
        return cls(X, truth, weights / weights.sum())

    def leads_after(
        self, model: BoostingClassifier, rounds: Sequence[int]
    ) -> Iterator[tuple[int, Floats]]:
        """Yield some rounds, ascending, with the leads of all rows after them."""
        if list(rounds) == [model.n_iter_]:
            yield model.n_iter_, model._leads(model.decision_function(self.X), self.truth)
            return
        last = max(rounds)
        for n_rounds, scores in enumerate(model.staged_decision_function(self.X), start=1):
            if n_rounds in rounds:
                yield n_rounds, model._leads(scores, self.truth)
            if n_rounds == last:
                return

    def with_margins(self, margins: Floats) -> tuple[Floats, Floats]:
        """Return margins and weights of the rows that have a margin, the weights as shares again.

        Rows that own all labels or none of a target with several labels per row have none.
        """
        known = np.isfinite(margins)
        if known.all():
            return margins, self.weights
        total = float(self.weights[known].sum())
        if total == 0.0:
            raise ValueError("y: none of the rows that weigh anything has a margin, expected some")
        return margins[known], self.weights[known] / total


def checked_model(model: Any) -> BoostingClassifier:
    """Return a fitted booster of ours; refuse everything else."""
    if not isinstance(model, BoostingClassifier):
        raise TypeError(
            f"parameter 'model': got {type(model).__name__}, expected a fitted booster of weakforce"
        )
    model._fitted()
    return model


def checked_kind(model: BoostingClassifier, kind: str | None) -> str:
    """Return the kind of margin that is asked for; None means the one of which most is proved."""
    if kind is None:
        return model._proved_kind
    if kind not in model._margin_kinds:
        expected = ", ".join(map(repr, model._margin_kinds))
        raise ValueError(f"parameter 'kind': got {kind!r}, expected {expected} or None")
    return kind
