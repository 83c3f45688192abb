"""Shapley's formula, subset by subset.

In: what each set of columns is worth. Out: what each column adds, on average over all orders.
"""

from functools import cache
from itertools import combinations
from math import factorial


def shapley(worth, n_columns):
    """Shapley's formula, subset by subset."""
    worth = cache(worth)
    values = []
    for column in range(n_columns):
        others = [other for other in range(n_columns) if other != column]
        total = 0.0
        for size in range(n_columns):
            factor = factorial(size) * factorial(n_columns - size - 1) / factorial(n_columns)
            for known in combinations(others, size):
                before, after = frozenset(known), frozenset({*known, column})
                total += factor * (worth(after) - worth(before))
        values.append(total)
    return values
