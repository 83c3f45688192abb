"""Small noisy problems for the tests of soft margins, and AdaBoost fitted to them.

Out: numbers in columns of which the first two decide, with labels −1 and +1; three classes; votes
that answer nothing, or everything.
"""

from functools import cache

import numpy as np

from weakforce import DiscreteAdaBoostClassifier

#: No stump has an edge.
PARITY = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3), np.array([0, 1, 1, 0] * 3)
#: One is always right.
SEPARABLE = np.arange(10.0)[:, None], np.repeat([0, 1], 5)


@cache
def noisy_problem(rows=120, seed=0, columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, np.where(X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=rows) > 0, 1, -1)


def smaller_problem(rows=50, seed=0):
    """Few rows and columns, so that all stumps make a small program."""
    return noisy_problem(rows, seed, columns=3)


@cache
def boosted(rows=120, seed=0, n_estimators=30):
    """AdaBoost on the noisy problem; not to be changed."""
    model = DiscreteAdaBoostClassifier(n_estimators=n_estimators)
    return model.fit(*noisy_problem(rows, seed))


@cache
def three_classes(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    return X, (X[:, :3] + 0.7 * rng.normal(size=(rows, 3))).argmax(axis=1)


def uniform(y):
    return np.full(len(y), 1 / len(y))
