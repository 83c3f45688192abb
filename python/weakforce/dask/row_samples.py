"""Some of the training rows of all workers.

In: the weights of the rows of one worker, and where its partitions are among all rows. Out: those
of its rows that one process would look at, and what was found out about those of all workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._fitting.exact_totals import ExactTotals
from .._fitting.labels import Floats
from .._fitting.row_samples import RowSample, places_in_use, rows_worth, spaced, weight_sums
from .labels import gathered
from .reducer import Reducer


@dataclass(frozen=True, eq=False)
class ShardSample(RowSample):
    """Some of the rows of one worker.

    Attributes:
        ranks: the place of each in the sample of all rows.
        reducer: the way to the other workers.
    """

    ranks: NDArray[np.int64]
    reducer: Reducer

    @classmethod
    def draw(cls, weights: Floats | None, most: int, reducer: Reducer) -> ShardSample:
        """Return those of the rows of weight > 0 of all workers, so many at most, that are here."""
        counts = [n_rows for _, n_rows in reducer.pieces]
        n_own = sum(counts)
        used = places_in_use(weights, n_own)
        piece_of = np.repeat(np.arange(len(counts)), counts)[used]
        used_by_piece = np.bincount(piece_of, minlength=len(counts)).tolist()
        firsts = [first for first, _ in reducer.pieces]
        largest = 1.0 if weights is None else float(weights.max(initial=0.0))
        own = (list(zip(firsts, used_by_piece, strict=True)), largest)
        all_pieces, largests = zip(*gathered(reducer, own), strict=True)
        # The number of a row among those of all workers that have a weight.
        before, n_before = {}, 0
        for first, n_used in sorted(piece for pieces in all_pieces for piece in pieces if piece[1]):
            before[first] = n_before
            n_before += n_used
        numbers = np.concatenate(
            [
                np.arange(n_used) + before.get(first, 0)
                for first, n_used in zip(firsts, used_by_piece, strict=True)
            ]
        )
        wanted = spaced(np.arange(n_before), n_before, most)
        ranks = np.searchsorted(wanted, numbers)
        is_wanted = wanted[np.minimum(ranks, len(wanted) - 1)] == numbers
        sums = gathered(reducer, weight_sums(weights, n_own, max(largests)))
        totals, squares = (ExactTotals.sum(parts) for parts in zip(*sums, strict=True))
        n_rows = rows_worth((totals, squares))
        return cls(used[is_wanted], n_rows, ranks[is_wanted], reducer)

    def of_all(self, *found: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return what was found out about the rows of all workers, in their order."""
        shards = gathered(self.reducer, (self.ranks, *found))
        ranks, *columns = (np.concatenate(parts) for parts in zip(*shards, strict=True))
        order = np.argsort(ranks)
        return tuple(column[order] for column in columns)
