"""A naive MartiBoost for two classes: a matrix of masses and exhaustive stumps, in plain loops.

Written from the paper's words and not from the core: rows carry a row of the matrix, a layer makes
a new matrix, and a stump is found by trying every cut of every column both ways round.
"""

from itertools import pairwise

import numpy as np

#: What all nodes without a hypothesis may hold together.
PRUNED = 1e-6


def best_stump(X, y, weights):
    """The column, the cut and the sign (the answer above the cut) with the least weighted error."""
    best = None
    for column in range(X.shape[1]):
        values = np.unique(X[:, column])
        present = X[weights > 0, column]
        for low, high in pairwise(values):
            cut = (low + high) / 2
            if (present > cut).all() or (present < cut).all():
                continue
            votes = np.where(X[:, column] > cut, 1, -1)
            error = weights[votes != y].sum()
            for sign, wrong in ((1, error), (-1, weights.sum() - error)):
                if best is None or wrong < best[0] - 1e-12:
                    best = (wrong, column, cut, sign)
    return best


def right_share(answer, q):
    """The probability of a move to the right."""
    if q >= 0.5:
        return 0.5 / q if answer > 0 else 0.0
    return 1.0 if answer > 0 else 1.0 - 0.5 / (1.0 - q)


class NaiveMartiBoost:
    """y holds −1 and +1."""

    def __init__(self, n_layers):
        self.n_layers = n_layers

    def fit(self, X, y, start=None):
        start = np.full(len(y), 1 / len(y)) if start is None else start / start.sum()
        self.nodes = []
        mass = np.ones((len(y), 1))
        for layer in range(self.n_layers):
            here = [self._node(layer, k, X, y, start * mass[:, k]) for k in range(layer + 1)]
            self.nodes.append(here)
            mass = self._move(here, X, mass)
        self.mass = mass
        return self

    def _node(self, layer, k, X, y, weights):
        plus, minus = weights[y > 0].sum(), weights[y < 0].sum()
        if plus + minus == 0:
            return {"pass": 2 * k >= layer}
        least = PRUNED / ((layer + 1) ** 2 * (layer + 2))
        if min(plus, minus) == 0 or plus + minus < least:
            return {"pass": plus >= minus}
        balanced = np.where(y > 0, weights / (2 * plus), weights / (2 * minus))
        found = best_stump(X, y, balanced)
        if found is None:
            sign, column, cut = 1, 0, -np.inf
        else:
            _, column, cut, sign = found
        votes = sign * np.where(X[:, column] > cut, 1, -1)
        q = balanced[votes > 0].sum()
        return {"stump": (column, cut, sign), "q": q, "error": balanced[votes != y].sum()}

    def _move(self, nodes, X, mass):
        moved = np.zeros((len(X), len(nodes) + 1))
        for k, node in enumerate(nodes):
            for row in range(len(X)):
                if "pass" in node:
                    share = float(node["pass"])
                else:
                    column, cut, sign = node["stump"]
                    share = right_share(sign if X[row, column] > cut else -sign, node["q"])
                moved[row, k + 1] += share * mass[row, k]
                moved[row, k] += (1 - share) * mass[row, k]
        return moved

    def masses(self, X, n_layers=None):
        """The mass of every row in every node after so many layers."""
        mass = np.ones((len(X), 1))
        for nodes in self.nodes[:n_layers]:
            mass = self._move(nodes, X, mass)
        return mass

    def right(self, X, n_layers=None):
        """The mass that ends on the right."""
        mass = self.masses(X, n_layers)
        moves, middle = np.arange(mass.shape[1]), (mass.shape[1] - 1) / 2
        return mass[:, moves > middle].sum(axis=1) + 0.5 * mass[:, moves == middle].sum(axis=1)
