"""Decodings of code matrices as they are defined: loops over classes and problems.

In: a code with a row for each class, and the scores of its problems by row of X. Out: what is
compared between the classes, the largest being the answer; for coupling probabilities.
"""

import numpy as np

LOSSES = {
    "exponential": lambda margin: np.exp(-margin),
    "logistic": lambda margin: np.log1p(np.exp(-2.0 * margin)),
    "hinge": lambda margin: np.maximum(0.0, 1.0 - margin),
}


def by_score(code, H):
    """Σ M f."""
    return -_costs(code, H, lambda margin: -margin)


def by_loss(code, H, loss):
    """Less Σ L(M f), with L(0) where M is 0."""
    return -_costs(code, H, LOSSES[loss])


def by_hamming(code, H):
    """Less Σ (1 − sign(M f))/2, which is ½ where M is 0."""
    return -_costs(code, H, lambda margin: (1.0 - np.sign(margin)) / 2.0)


def _costs(code, H, cost):
    costs = np.zeros((len(H), len(code)))
    for row, scores in enumerate(H):
        for k, signs in enumerate(code):
            for sign, score in zip(signs, scores, strict=True):
                costs[row, k] += cost(sign * score)
    return costs


def by_vote(code, H):
    """The number of pairs that a class wins; half of those without a winner."""
    wins = np.zeros((len(H), len(code)))
    for row, scores in enumerate(H):
        for pair, score in enumerate(scores):
            first, second = np.flatnonzero(code[:, pair] > 0)[0], np.flatnonzero(code[:, pair] < 0)
            wins[row, first] += 1.0 if score > 0 else 0.5 if score == 0 else 0.0
            wins[row, second[0]] += 1.0 if score < 0 else 0.5 if score == 0 else 0.0
    return wins


def pair_probabilities(code, H, class_rows):
    """r_ij by row and classes: the probability that a row of i or j is one of i.

    Half the log-odds are those of the problem, but no pair is surer than (n + 1)/(n + 2), with n
    its training rows.
    """
    n_classes = len(code)
    r = np.full((len(H), n_classes, n_classes), 0.5)
    for pair, scores in enumerate(H.T):
        i, j = np.flatnonzero(code[:, pair] > 0)[0], np.flatnonzero(code[:, pair] < 0)[0]
        least = 1.0 / (class_rows[i] + class_rows[j] + 2.0)
        with np.errstate(over="ignore"):
            r[:, i, j] = np.clip(1.0 / (1.0 + np.exp(-2.0 * scores)), least, 1.0 - least)
        r[:, j, i] = 1.0 - r[:, i, j]
    return r


def disagreement(r, n, p):
    """Σ_j n_ij r_ij − Σ_j n_ij μ_ij by row and class, with μ_ij = p_i/(p_i + p_j)."""
    others = n * ~np.eye(len(n), dtype=bool)
    mu = p[:, :, None] / (p[:, :, None] + p[:, None, :])
    return (others * (r - mu)).sum(axis=2)


def coupled(r, n, rounds=20_000):
    """p by the iteration of Hastie and Tibshirani."""
    others = n * ~np.eye(len(n), dtype=bool)
    wins = (others * r).sum(axis=2)
    p = wins / wins.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        mu = p[:, :, None] / (p[:, :, None] + p[:, None, :])
        p = p * wins / (others * mu).sum(axis=2)
        p /= p.sum(axis=1, keepdims=True)
        if np.abs(disagreement(r, n, p)).max() < 1e-13 * n.max():
            break
    return p
