"""Small random problems for comparisons with the naive oracle, and the core's answers in its terms.

Out: columns (lists of numbers or strings with None for missing), labels −1 and +1, and weights;
generic ones, under which no two tests score alike by chance, or small whole ones full of ties.
"""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from reference.learners import Split, is_categorical, values_of


def random_problem(rng, rows=None, zeros=False):
    """Draw a small frame of mixed columns, labels of both classes and generic weights."""
    rows = int(rng.integers(4, 25)) if rows is None else rows
    columns = []
    for _ in range(rng.integers(1, 5)):
        kind = rng.integers(3)
        if kind == 0:
            column = rng.normal(size=rows).tolist()
        elif kind == 1:
            column = rng.integers(-3, 4, size=rows).astype(float).tolist()
        else:
            column = [str(level) for level in rng.choice(list("abcd"), size=rows)]
        if rng.random() < 0.5:
            absent = rng.random(rows) < 0.3
            column = [None if gone else value for value, gone in zip(column, absent, strict=True)]
        columns.append(column)
    y = np.where(rng.random(rows) < 0.5, 1, -1)
    y[:2] = (-1, 1)
    weights = rng.random(rows) + 0.01
    if zeros:
        weights[2:][rng.random(rows - 2) < 0.2] = 0.0
    return columns, y, weights


def columns_of(draw, rows):
    numbers = st.sampled_from([None, -1.0, 0.0, 0.5, 2.0])
    levels = st.sampled_from([None, "a", "b", "c"])
    kinds = st.sampled_from([numbers, levels])
    count = draw(st.integers(1, 3))
    return [draw(st.lists(draw(kinds), min_size=rows, max_size=rows)) for _ in range(count)]


@st.composite
def problems_full_of_ties(draw, most_rows=9):
    """Few rows of few values and weights 1, 2 or 3; rows of weight 0 are left out."""
    rows = draw(st.integers(2, most_rows))
    columns = columns_of(draw, rows)
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=rows, max_size=rows))
    weights = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    kept = [row for row in range(rows) if weights[row]]
    assume({y[row] for row in kept} == {-1, 1})
    columns = [[column[row] for row in kept] for column in columns]
    return columns, [y[row] for row in kept], [weights[row] for row in kept]


def draw_columns(rng, rows, levels):
    """Two columns of numbers, one with gaps, one of categories with gaps."""
    numbers = rng.normal(size=(rows, 2))
    sparse = np.where(rng.random(rows) < 0.25, np.nan, rng.integers(-4, 5, size=rows))
    texts = rng.choice(levels, size=rows)
    gone = rng.random(rows) < 0.15
    return [
        numbers[:, 0].tolist(),
        [None if np.isnan(value) else float(value) for value in sparse],
        [None if lost else str(text) for text, lost in zip(texts, gone, strict=True)],
        numbers[:, 1].tolist(),
    ]


def learnable_problem(seed, noise=0.5):
    """A frame with a signal, generic weights with some zeros, and rows that come later."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(25, 45))
    columns = draw_columns(rng, rows, ["a", "b", "c", "d"])
    signal = np.array(columns[0]) + np.array(columns[3]) + noise * rng.normal(size=rows)
    y = np.where(signal > 0, 1, -1)
    weights = rng.random(rows) + 0.05
    weights[rng.random(rows) < 0.1] = 0.0
    return columns, y, weights, draw_columns(rng, 20, ["a", "b", "e"])


def shares(weights) -> list[float]:
    """The weights, scaled to a sum of 1."""
    w = np.asarray(weights, dtype=float)
    return (w / w.sum()).tolist()


# What the core says of a hypothesis, in the oracle's terms


def literals_in(description):
    """The literals of a rule as (column, test, threshold or category)."""
    found = []
    for literal in description["literals"]:
        than = literal["threshold"]
        if literal["categories"] is not None:
            [than] = literal["categories"]
        found.append((literal["column"], literal["test"], than))
    return found


def splits_in(description, columns, weights) -> list[Split]:
    """The tests of a tree's inner nodes, in the order of splitting."""
    fields = ("column", "threshold", "categories", "missing_inside")
    splits = []
    for column, threshold, categories, missing in zip(
        *(description[field] for field in fields), strict=True
    ):
        known = frozenset()
        if is_categorical(columns[column]):
            known = frozenset(values_of(columns[column], weights))
        inside = None if categories is None else frozenset(categories)
        splits.append(Split(column, threshold, inside, known, missing))
    return splits
