"""Rows whose margins are looked at, and their leads after some rounds.

In: a fitted model, and X, y and weights as users hand them over. Out: the truth of the rows,
weights that sum to 1, and leads round by round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._fitting.labels import Floats, row_weights
from .._fitting.rows import Rows
from .theory import MarginTheory

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel


class MarginRows(NamedTuple):
    """Rows with their truth and their shares of the weight; `n_jobs` threads score them."""

    X: Any
    truth: Any
    weights: Floats
    n_jobs: int | None = None

    @classmethod
    def read(cls, model: FittedModel, rows: Rows, n_jobs: int | None) -> MarginRows:
        """Return what users hand over, checked."""
        X, truth = model.read(rows.X, rows.y)
        weights = row_weights(rows.sample_weight, len(truth))
        return cls(X, truth, weights / weights.sum(), n_jobs)

    def leads_after(
        self, model: FittedModel, rounds: Sequence[int]
    ) -> Iterator[tuple[int, Floats]]:
        """Yield some rounds, ascending, with the leads of all rows after them."""
        if list(rounds) == [model.n_rounds]:
            scores = model.without_prior().decision_function(self.X, self.n_jobs)
            yield model.n_rounds, model.leads(scores, self.truth)
            return
        last = max(rounds)
        stages = model.without_prior().staged_decision_function(self.X, self.n_jobs)
        for n_rounds, scores in enumerate(stages, start=1):
            if n_rounds in rounds:
                yield n_rounds, model.leads(scores, self.truth)
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


def checked_kind(theory: MarginTheory, kind: str | None) -> str:
    """Return the kind of margin that is asked for; None means the one of which most is proved."""
    if kind is None:
        return theory.proved_kind
    if kind not in theory.kinds:
        expected = ", ".join(map(repr, theory.kinds))
        raise ValueError(f"parameter 'kind': got {kind!r}, expected {expected} or None")
    return kind
