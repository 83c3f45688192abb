"""Small problems of three and more classes, for comparisons with the naive oracles.

Out: columns (lists of numbers or strings with None for missing), labels 0..K−1, weights under which
no two tests score alike by chance (some of them zero), and rows that come later.
"""

import numpy as np

from support.small_problems import draw_columns, literals_in, splits_in


def class_problem(seed, n_classes=3, noise=0.6, rows=None):
    """A frame with a signal in numbers, a category and missing values."""
    rng = np.random.default_rng([seed, n_classes])
    rows = int(rng.integers(30, 45)) if rows is None else rows
    columns = draw_columns(rng, rows, ["a", "b", "c", "d"])
    centres = 2.0 * rng.normal(size=(n_classes, 2))
    points = np.column_stack([columns[0], columns[3]])
    affinity = -((points[:, None] - centres[None]) ** 2).sum(axis=2)
    by_letter = rng.normal(size=(5, n_classes))
    letters = [4 if letter is None else "abcd".index(letter) for letter in columns[2]]
    affinity += by_letter[letters] + noise * rng.normal(size=(rows, n_classes))
    y = affinity.argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    weights = rng.random(rows) + 0.05
    weights[n_classes:][rng.random(rows - n_classes) < 0.1] = 0.0
    return columns, y, weights, draw_columns(rng, 20, ["a", "b", "e"])


def blobs(rows=120, n_classes=3, columns=3, seed=0, spread=1.0):
    """Numbers only: classes around random centres, in an array."""
    rng = np.random.default_rng([seed, n_classes])
    y = np.arange(rows) % n_classes
    X = 1.5 * rng.normal(size=(n_classes, columns))[y] + spread * rng.normal(size=(rows, columns))
    return X, y


# What the core says of its hypotheses, in the oracle's terms


def structure(hypothesis):
    """The tests of a naive hypothesis, in the terms of `structure_in`."""
    if hypothesis.kind == "rule":
        return [(literal.column, literal.test, literal.than) for literal in hypothesis.literals]
    return [split for _, split in hypothesis.splits]


def structure_in(description, columns, weights):
    """The tests of a hypothesis that the core describes."""
    if description["kind"] == "rule":
        return literals_in(description)
    if description["kind"] == "stump":
        fields = ("column", "threshold", "categories", "missing_inside")
        description = {field: [description.get(field)] for field in fields}
    return splits_in(description, columns, weights)


def by_round(model):
    """The core's descriptions: a dict for each round, from the score column to the hypothesis."""
    rounds = [{} for _ in range(model.n_iter_)]
    core = model.fitted_model_.core
    pairs = zip(core.member_rounds.tolist(), core.member_outputs.tolist(), strict=True)
    for member, (place, column) in enumerate(pairs):
        rounds[place][column] = core.hypothesis(member)
    return rounds


def assert_same_tests(model, expected, columns, weights):
    """Every round made the tests of the oracle, for each class on its own or for all at once."""
    for t, (got, wanted) in enumerate(zip(by_round(model), expected, strict=True)):
        if not isinstance(wanted, list):
            wanted = [wanted]
        wanted = {column: h for column, h in enumerate(wanted) if h is not None}
        assert got.keys() == wanted.keys(), t
        for column, hypothesis in wanted.items():
            found = structure_in(got[column], columns, weights)
            assert found == structure(hypothesis), (t, column)
