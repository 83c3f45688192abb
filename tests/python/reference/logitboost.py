"""A naive LogitBoost (A10): Newton steps of trees that are found by trying every test.

In: columns of numbers or strings with None for missing, classes 0..K−1, weights above zero. Out:
the scores of these rows after every round, and the parts into which each hypothesis put them.
Sums are taken anew for every test, over rows; nothing is binned or shared with the core.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

TIE = 1e-12
LONGEST = 4.0


@dataclass
class Settings:
    """How hypotheses are grown; stumps are trees that split once, gain or not."""

    max_leaf_nodes: int = 2
    min_samples_leaf: int = 1
    l2_regularization: float = 1.0
    learning_rate: float = 1.0
    must_gain: bool = False


@dataclass
class Run:
    """Scores by round and row, and by class if there is a hypothesis for each; parts likewise."""

    scores: list[np.ndarray] = field(default_factory=list)
    parts: list[list[np.ndarray]] = field(default_factory=list)


def tests_of(column):
    """Yield the rows inside of every test of a column: lowest cut first, missing inside first."""
    missing = np.array([value is None for value in column])
    known = sorted({value for value in column if value is not None})
    if any(isinstance(value, str) for value in known):
        levels = [*known, None] if missing.any() else known
        for size in range(1, len(levels)):
            for chosen in combinations(levels, size):
                yield np.array([value in chosen for value in column])
        return
    for cut in known:
        below = np.array([value is not None and value <= cut for value in column])
        if missing.any() and cut != known[-1]:
            yield below | missing
        yield below


class Grower:
    """Grows one hypothesis for given gradients and curvatures."""

    def __init__(self, columns, settings, smallest):
        self.tests = [inside for column in columns for inside in tests_of(column)]
        self.settings = settings
        self.damping = settings.l2_regularization * smallest

    def gain(self, rows, g, q):
        return g[rows].sum() ** 2 / (q[rows].sum() + self.damping)

    def best(self, rows, g, q):
        """Return the gain of the best split of some rows, and the rows inside; None if none is."""
        found, least = None, self.settings.min_samples_leaf
        for test in self.tests:
            inside, outside = rows & test, rows & ~test
            if min(inside.sum(), outside.sum()) < max(1, least):
                continue
            gain = self.gain(inside, g, q) + self.gain(outside, g, q)
            if found is None or gain > found[0] + TIE * q.sum():
                found = gain, inside
        return found and (found[0] - self.gain(rows, g, q), found[1])

    def grow(self, g, q):
        """Return the rows of every leaf."""
        tie = TIE * q.sum()
        whole = np.ones(len(g), dtype=bool)
        leaves = [(whole, self.best(whole, g, q))]
        while len(leaves) < self.settings.max_leaf_nodes:
            gains = [-np.inf if best is None else best[0] for _, best in leaves]
            if max(gains) == -np.inf or (self.settings.must_gain and max(gains) <= tie):
                break
            rows, (_, inside) = leaves.pop(int(np.argmax(np.array(gains) >= max(gains) - tie)))
            for part in (inside, rows & ~inside):
                leaves.append((part, self.best(part, g, q)))
        return [rows for rows, _ in leaves]

    def answers(self, leaves, g, q, factor):
        """Return what every row is answered: the step of its leaf."""
        total = np.zeros(len(g))
        for rows in leaves:
            step = g[rows].sum() / (q[rows].sum() + self.damping)
            total[rows] = factor * np.clip(step, -LONGEST, LONGEST)
        return total


def boost(columns, y, weights=None, n_rounds=5, by_class=None, **settings):
    """Run LogitBoost; `by_class` asks for the form of several classes when there are two."""
    settings, y = Settings(**settings), np.asarray(y)
    n_classes = int(y.max()) + 1
    u = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    u = u / u.sum()
    grower = Grower(columns, settings, u.min())
    form = of_classes if by_class or n_classes > 2 else of_two
    truth = np.array([y == k for k in range(n_classes)], dtype=float)
    return form(grower, truth, u, n_rounds, settings.learning_rate)


def of_two(grower, truth, u, n_rounds, rate):
    """p = 1/(1 + exp(−2F)), F ← F + ν ½ G/(Q + λ)."""
    prior = 0.5 * np.log((u @ truth[1]) / (u @ truth[0]))
    run, F = Run(), np.full(len(u), prior)
    for _ in range(n_rounds):
        p = 1 / (1 + np.exp(-2 * F))
        g, q = u * (truth[1] - p), u * p * (1 - p)
        leaves = grower.grow(g, q)
        F = F + rate * grower.answers(leaves, g, q, 0.5)
        run.scores.append(F)
        run.parts.append([leaves])
    return run


def of_classes(grower, truth, u, n_rounds, rate):
    """p = soft-max F, F_k ← F_k + ν (K−1)/K · G_k/(Q_k + λ)."""
    n_classes = len(truth)
    logs = np.log(truth @ u)
    run, F = Run(), np.repeat((logs - logs.mean())[:, None], len(u), axis=1)
    for _ in range(n_rounds):
        p = np.exp(F - F.max(axis=0))
        p /= p.sum(axis=0)
        new, parts = F.copy(), []
        for k in range(n_classes):
            g, q = u * (truth[k] - p[k]), u * p[k] * (1 - p[k])
            leaves = grower.grow(g, q)
            new[k] += rate * grower.answers(leaves, g, q, (n_classes - 1) / n_classes)
            parts.append(leaves)
        F = new
        run.scores.append(F.T)
        run.parts.append(parts)
    return run
