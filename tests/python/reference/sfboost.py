"""A naive SFBoost (A8), by row weights as the paper has it; the core never forms any.

Every test of every column is tried both ways round: D is the distribution over the rows, Z is
summed row by row, and buckets are counted anew each time. Two classes, y = ±1, no missing values.
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Round:
    """A test and what came of it."""

    loss: float  # B after it
    best: float  # the least B of all tests that make a partition not made before
    fires: np.ndarray  # 0 or 1 by row
    z: float
    scores: np.ndarray  # v by bucket, NaN where nobody is
    weights: np.ndarray  # D after the round


def half_log_odds(positive, negative):
    with np.errstate(divide="ignore", invalid="ignore"):
        return 0.5 * (np.log(positive) - np.log(negative))


def update(buckets, fires, scores, D, y, smoothing):
    """Return v, H, Z and D after a hypothesis: the update of the paper, bucket by bucket."""
    n_old = len(scores)
    new = np.full(n_old + 1, np.nan)
    for j in range(n_old + 1):
        sums = []
        for sign in (1, -1):
            came = (buckets == j - 1) & (fires == 1) & (y == sign)
            stayed = (buckets == j) & (fires == 0) & (y == sign)
            total = 0.0
            if came.any():
                total += D[came].sum() * np.exp(sign * scores[j - 1])
            if stayed.any():
                total += D[stayed].sum() * np.exp(sign * scores[j])
            sums.append(total)
        if sum(sums) > 0:
            new[j] = half_log_odds(sums[0] + smoothing, sums[1] + smoothing)
    before, after = scores[buckets], new[buckets + fires]
    terms = D * np.exp(-y * (after - before))
    return new, terms.sum(), terms / terms.sum()


def loss_of_buckets(buckets, u, y):
    """Return B = Σ 2√(U⁺U⁻) over the buckets."""
    return sum(
        2 * np.sqrt(u[(buckets == j) & (y == 1)].sum() * u[(buckets == j) & (y == -1)].sum())
        for j in np.unique(buckets)
    )


def description_of_buckets(buckets, u, y, n_rows):
    """Return −Σ U ln(share) over the buckets, to which a row of each class is added."""
    total = 0.0
    for j in np.unique(buckets):
        sums = [u[(buckets == j) & (y == label)].sum() + 1 / n_rows for label in np.unique(y)]
        total -= sum((s - 1 / n_rows) * np.log(s / sum(sums)) for s in sums)
    return total


def candidates(X):
    """Yield the column and the answers of every test: low rows fire, or the others."""
    for column, values in enumerate(X.T):
        for cut in np.unique(values)[:-1]:
            inside = (values <= cut).astype(int)
            yield column, inside
            yield column, 1 - inside


def partition(fires):
    """Return what is the same for a test and its complement, and for no other partition."""
    return (fires ^ fires[0]).tobytes()


def new_candidates(X, made):
    """Return the answers of all tests whose partition of the rows was not made before."""
    return [fires for _, fires in candidates(X) if partition(fires) not in made]


def run(X, y, u, chosen, smoothing=0.0):
    """Return the rounds of SFBoost with these stumps beside the best ones, and Z before the first.

    Ties are broken by chance, so which of several best tests is taken is given.
    """
    u = u / u.sum()
    scores = np.array([half_log_odds(u[y == 1].sum() + smoothing, u[y == -1].sum() + smoothing)])
    terms = u * np.exp(-y * scores[0])
    first, D = terms.sum(), terms / terms.sum()
    buckets, rounds, made = np.zeros(len(y), dtype=int), [], set()
    for fires in chosen:
        assert partition(fires) not in made
        best = min(loss_of_buckets(buckets + new, u, y) for new in new_candidates(X, made))
        made.add(partition(fires))
        scores, z, D = update(buckets, fires, scores, D, y, smoothing)
        buckets = buckets + fires
        rounds.append(Round(loss_of_buckets(buckets, u, y), best, fires, z, scores, D))
    return first, rounds


def fired(stump, X):
    """What a stump adds to the bucket of every row."""
    inside = X[:, stump.column] <= stump.threshold
    return np.where(inside, stump.inside, stump.outside).astype(int)


def buckets_of(model, X):
    """The bucket of every row, from the hypotheses."""
    return sum(fired(stump, X) for stump in model.estimators_)


def counted(buckets, y, u, n_buckets, classes):
    return np.array(
        [[u[(buckets == j) & (y == label)].sum() for label in classes] for j in range(n_buckets)]
    )
