"""A naive oracle of the committees of algorithms.md, A11, for two classes.

Written from the formulas, in plain loops over rows; draws are those of src/sampling.rs, written
anew. Columns, labels of −1 and +1 and learners are as in reference/boosting.py.
"""

from functools import partial
from math import ceil, exp, log, sqrt

import numpy as np

from reference.boosting import LEARNERS, Round, Run, discrete
from reference.learners import Columns
from reference.unit_rows import WORD, hashed, unit_numbers

#: The samples that are tried before a run gives up.
TRIES = 10


def count(seed, draw, row):
    """How often a bootstrap sample has a row: the inverse of the Poisson distribution of mean 1."""
    uniform = (hashed(hashed(seed, WORD, 0), draw, row) >> 11) / 2**53
    times, term = 0, exp(-1.0)
    total = term
    while uniform >= total:
        times += 1
        term /= times
        total += term
    return times


def exponential(seed, draw, row):
    """A number from the exponential distribution of mean 1, by the inverse of it."""
    return -log(((hashed(hashed(seed, WORD, 0), draw, row) >> 11) + 0.5) / 2**53)


def numbers_of(row):
    """All numbers of a row, of which there may be one."""
    return row if isinstance(row, list) else [row]


def counts(seed, draw, rows):
    """How often each row is drawn, of which the numbers are given."""
    return np.array([sum(count(seed, draw, n) for n in numbers_of(row)) for row in rows])


def exponentials(seed, draw, rows):
    """The mean of what is drawn for the numbers of each row."""
    return np.array(
        [np.mean([exponential(seed, draw, n) for n in numbers_of(row)]) for row in rows]
    )


def shares(weights):
    return [float(weight) for weight in np.asarray(weights) / np.sum(weights)]


def committee_ends(n_votes, size=None):
    """The numbers of votes after which committees end."""
    if size is not None:
        return {votes for votes in range(1, n_votes + 1) if votes % size == 0}
    n_committees = ceil(sqrt(n_votes))
    return {ceil(i * n_votes / n_committees) for i in range(1, n_committees + 1)}


def committee(
    kind, columns: Columns, y, rounds, learner, weights=None, seed=0, size=None, wag_first=True
) -> Run:
    """Run a committee; rows of weight 0 are absent, and a learner is a dict of parameters."""
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    taken = [row for row, weight in enumerate(weights) if weight > 0]
    columns = [[column[row] for row in taken] for column in columns]
    y = [int(y[row]) for row in taken]
    u = shares(weights[taken])
    drawn_by = unit_numbers(columns, y, weights[taken])
    learner = {"smoothing": min(u), **learner, "answer": "vote"}
    fit = partial(LEARNERS[learner.pop("kind")], **learner)
    run = Run([], [], [], [], [], "n_estimators")
    mistakes = np.zeros(len(taken))
    ends = committee_ends(rounds, size)
    w, dropped = u, 0
    if kind == "multi_boost" and wag_first:
        w = shares(np.array(u) * exponentials(seed, 0, drawn_by))
    while len(run.hypotheses) < rounds:
        votes = len(run.hypotheses)
        seen_by_learner = {
            "bagging": lambda votes=votes: shares(np.array(u) * counts(seed, votes, drawn_by)),
            "wagging": lambda votes=votes: shares(
                np.array(u) * exponentials(seed, votes, drawn_by)
            ),
        }.get(kind, lambda w=w: w)()
        hypothesis = fit(columns, y, seen_by_learner)
        seen = Round(w, y, hypothesis.answers(columns), 0.0)
        alpha = 1.0
        if kind == "multi_boost":
            alpha, _, new_w, verdict = discrete(seen)
            if verdict == "drop":
                dropped += 1
                if dropped == TRIES:
                    run.stop_reason = "no_edge"
                    break
                w = shares(np.array(u) * exponentials(seed, votes * TRIES + dropped, drawn_by))
                continue
            dropped = 0
            over = verdict == "perfect" or votes + 1 in ends
            w = new_w
            if over and votes + 1 < rounds:
                w = shares(np.array(u) * exponentials(seed, (votes + 1) * TRIES, drawn_by))
        elif kind == "arc_x4":
            mistakes += np.array(seen.h) != np.array(y)
            w = shares(np.array(u) * (1 + mistakes**4))
        run.hypotheses.append(hypothesis)
        run.alphas.append(alpha)
        run.errors.append(seen.error)
        run.edges.append(seen.edge)
    run.row_weights = [0.0] * len(weights)
    for row, weight in zip(taken, w, strict=True):
        run.row_weights[row] = weight
    return run
