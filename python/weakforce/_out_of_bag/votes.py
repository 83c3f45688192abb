"""The votes on training rows of hypotheses that have not seen them.

In: the number of votes for each row and class, class codes, weights, and class weights. Out: scores
in the form of `decision_function`, accuracy and log loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._fitting.labels import Codes, Floats
from .scores import OutOfBag

#: What a class without any vote counts in the log loss, which would be infinite.
_LEAST_VOTE = 0.5


@dataclass(frozen=True, eq=False)
class OutOfBagVotes(OutOfBag):
    """Judgements out of bag, whose scores are votes times class weights.

    Attributes:
        votes: by row and class.
    """

    votes: Floats

    @classmethod
    def of_votes(
        cls, votes: Floats, codes: Codes, weights: Floats | None, factors: tuple[float, ...]
    ) -> OutOfBagVotes:
        """Return the judgements on rows that any hypothesis votes on without having seen them."""
        weighted = votes * np.array(factors) if factors else votes
        is_silent = votes.sum(axis=1, keepdims=True) == 0
        judged = OutOfBag.of(np.where(is_silent, np.nan, weighted), codes, weights)
        return cls(judged.scores, judged.codes, judged.weights, votes)

    def decision_function(self) -> Floats:
        """Return the sums of votes in the form of `decision_function`."""
        votes = np.where(np.isnan(self.scores), np.nan, self.votes)
        return votes if votes.shape[1] > 2 else np.asarray(votes[:, 1] - votes[:, 0])

    def probabilities(self) -> Floats:
        """Return the shares of the classes of judged rows in the votes, under the class weights."""
        scores = np.maximum(self.scores[self.judged()], _LEAST_VOTE)
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))
