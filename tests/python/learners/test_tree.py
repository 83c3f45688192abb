"""Best-first trees against a naive one that searches every leaf exhaustively on raw values.

Checked on many small frames: numbers with ties, categories, missing values, weights with zeros, all
criteria and answers, all limits. The core lists inner nodes in the order of splitting, so the order
is checked too: by growing the naive tree along it, and by the naive tree's own choices.
"""

import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from reference.boosting import Round, real
from reference.learners import CRITERIA, TIE, Search, answer_of, is_categorical, to_frame
from reference.rule import class_weights
from reference.tree import Grower, fit_tree
from support.small_problems import problems_full_of_ties, random_problem, shares, splits_in
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Stump, Tree

ANSWERS = ("vote", "logistic", "gentle")
COMBINATIONS = list(itertools.product(CRITERIA, ANSWERS))
SMOOTHING = 0.03
LIMITS = [
    {"max_depth": 1},
    {"max_depth": 2},
    {"min_samples_leaf": 2},
    {"min_samples_leaf": 5},
    {"min_weight_leaf": 0.071},
    {"min_weight_leaf": 0.233},
    {"max_depth": 3, "min_samples_leaf": 3, "min_weight_leaf": 0.0493},
]


def first_tree(frame, y, weights=None, **parameters):
    """The core's description of the first tree, or None if it has no edge."""
    model = RealAdaBoostClassifier(Tree(**parameters), n_estimators=1, max_bins=1000)
    model.fit(frame, np.asarray(y), sample_weight=weights)
    return model.fitted_model_.core.hypothesis(0) if model.n_iter_ else None


def check_leaves(got, leaves, y, weights, answer):
    """Compare the core's leaves with those that the naive tree ended up with, by number."""
    assert sorted(leaves) == list(range(len(got["values"])))
    w = shares(weights)
    for number, leaf in leaves.items():
        inside = class_weights(leaf.rows, y, w)
        assert got["values"][number] == pytest.approx(answer_of(answer, *inside, SMOOTHING))
        assert got["weights"][number] == pytest.approx(sum(inside), abs=1e-12)
        assert got["rows"][number] == sum(weights[row] > 0 for row in leaf.rows)


def without_guesses(split, column, rows, w):
    """The test as far as the rows that it was made for decide it."""
    here = {column[row] for row in rows if w[row] > 0}
    categories = None if split.categories is None else split.categories & here
    missing_inside = split.missing_inside if None in here else None
    return replace(split, categories=categories, missing_inside=missing_inside)


def replay(got, columns, y, weights, max_leaf_nodes, answer, **limits):
    """Grow the naive tree along the core's splits; each must be as good as the best one."""
    w = shares(weights)
    grown = Grower(columns, y, w, **limits)
    places, leaves = {0: grown.leaves[0]}, {}
    if not got["column"]:
        leaves[0] = places.pop(0)
    for number, split in enumerate(splits_in(got, columns, weights)):
        leaf = places.pop(number)
        assert any(leaf is tied for tied in grown.tied(1e-11)), "the gain is not the largest"
        search = Search(columns, y, w, grown.criterion, leaf.rows)
        chosen = search.weigh(without_guesses(split, columns[split.column], leaf.rows, w))
        assert chosen.score == pytest.approx(leaf.best.score, abs=1e-11)
        if abs(sum(chosen.inside) - sum(chosen.outside)) > TIE:
            assert chosen.split == split, "values without rows here go to the heavier side"
        assert grown.allows(leaf.rows, chosen)
        grown.split(leaf, replace(chosen, split=split))
        children = (grown.nodes[-1].inside, grown.nodes[-1].outside)
        for reference, child in zip((got["inside"], got["outside"]), children, strict=True):
            to = reference[number]
            (places if to >= 0 else leaves)[to if to >= 0 else -1 - to] = child
    assert not places
    assert len(grown.leaves) == max_leaf_nodes or not grown.tied()
    check_leaves(got, leaves, y, weights, answer)


def check_against_naive_growth(columns, y, weights, answer, *, exactly, **parameters):
    w = shares(weights)
    expected = fit_tree(columns, y, w, answer=answer, smoothing=SMOOTHING, **parameters)
    got = first_tree(
        to_frame(columns), y, weights, answer=answer, smoothing=SMOOTHING, **parameters
    )
    if got is None:
        assert real(Round(w, list(y), expected.answers(columns), 0.0))[-1] == "drop"
        return expected
    assert got["kind"] == "tree"
    replay(got, columns, y, weights, answer=answer, **parameters)
    if exactly:
        cuts = [(node.split.column, node.split.threshold) for node in expected.grown.nodes]
        assert list(zip(got["column"], got["threshold"], strict=True)) == cuts
    return expected


@pytest.mark.slow
@pytest.mark.parametrize(("criterion", "answer"), COMBINATIONS)
def test_tree_equals_the_naive_growth_on_generic_weights(criterion, answer):
    rng = np.random.default_rng([list(CRITERIA).index(criterion), ANSWERS.index(answer)])
    sizes = set()
    for run in range(24):
        columns, y, weights = random_problem(rng, zeros=run % 2 == 1)
        size = (2, 3, 5, 12)[run % 4]
        tree = check_against_naive_growth(
            columns, y, weights, answer, exactly=True, criterion=criterion, max_leaf_nodes=size
        )
        sizes.add(len(tree.grown.leaves))
    assert {2, 3, 5} < sizes


@pytest.mark.slow
@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_limits_hold_for_every_test_that_is_considered(criterion, limits):
    rng = np.random.default_rng([list(CRITERIA).index(criterion), LIMITS.index(limits)])
    tighter = 0
    for run in range(12):
        problem = random_problem(rng, rows=25, zeros=run % 2 == 1)
        parameters = {"criterion": criterion, "max_leaf_nodes": 9}
        tree = check_against_naive_growth(
            *problem, "logistic", exactly=True, **parameters, **limits
        )
        free = fit_tree(problem[0], problem[1], shares(problem[2]), **parameters)
        splits = [[node.split for node in grown.nodes] for grown in (tree.grown, free.grown)]
        tighter += splits[0] != splits[1]
    assert tighter >= 3


@pytest.mark.parametrize(("criterion", "answer"), COMBINATIONS)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(problem=problems_full_of_ties(12), max_leaf_nodes=st.integers(2, 9))
def test_every_split_is_among_the_best_where_many_tie(problem, max_leaf_nodes, criterion, answer):
    numbers_only = not any(is_categorical(column) for column in problem[0])
    check_against_naive_growth(
        *problem,
        answer,
        exactly=numbers_only,  # equal shares of categories may be sorted by the last bit
        criterion=criterion,
        max_leaf_nodes=max_leaf_nodes,
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problem=problems_full_of_ties(12), limits=st.sampled_from(LIMITS))
def test_limits_hold_where_many_tests_tie(problem, limits):
    columns, y, weights = problem
    numeric = [column for column in columns if not is_categorical(column)]
    check_against_naive_growth(
        numeric or [[1.0] * len(y)], y, weights, "vote", exactly=True, max_leaf_nodes=6, **limits
    )


# Order and shape


@pytest.mark.parametrize(
    ("labels", "thresholds", "parents"),
    [
        # Level by level, but right before left in the end.
        ("1101000011110011", [7.0, 3.0, 11.0, 13.0, 1.0], [0, 0, 2, 1]),
        # First down on one side, then on the other.
        ("0010111110111111", [3.0, 1.0, 2.0, 9.0, 8.0], [0, 1, 0, 3]),
        ("1000011110001110", [4.0, 8.0, 11.0, 0.0, 14.0], [0, 1, 0, 2]),
    ],
)
def test_the_leaf_that_gains_most_is_split_first_wherever_it_lies(labels, thresholds, parents):
    X, y = pl.DataFrame({"x": np.arange(16.0)}), [int(label) for label in labels]
    got = first_tree(X, y, max_leaf_nodes=6)
    assert got["threshold"] == thresholds
    children = list(zip(got["inside"], got["outside"], strict=True))
    assert [at for n in range(1, 5) for at in range(5) if n in children[at]] == parents


def test_a_tree_of_few_leaves_is_the_beginning_of_one_of_many():
    rng = np.random.default_rng(4)
    X = pl.DataFrame(rng.normal(size=(300, 5)))
    y = rng.integers(0, 2, 300)
    large = first_tree(X, y, max_leaf_nodes=20)
    for leaves in range(2, 20):
        small = first_tree(X, y, max_leaf_nodes=leaves)
        for field in ("column", "threshold", "missing_inside"):
            assert small[field] == large[field][: leaves - 1]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_tree_that_cannot_be_split_is_one_leaf(criterion):
    frame = pl.DataFrame({"a": [1.0] * 5, "b": ["same"] * 5})
    got = first_tree(frame, [0, 1, 1, 1, 1], criterion=criterion, smoothing=0.0)
    assert (got["column"], got["inside"], got["rows"], got["weights"]) == ([], [], [5], [1.0])
    assert got["values"][0] == pytest.approx(0.5 * np.log(4))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_tree_of_two_leaves_is_a_stump(criterion):
    rng = np.random.default_rng(5)
    for _ in range(30):
        columns, y, weights = random_problem(rng)
        X = to_frame(columns)
        tree, stump = (
            RealAdaBoostClassifier(learner, n_estimators=4).fit(X, y, weights)
            for learner in (
                Tree(max_leaf_nodes=2, criterion=criterion),
                Stump(criterion=criterion),
            )
        )
        scores = tree.decision_function(X), stump.decision_function(X)
        np.testing.assert_allclose(*scores, rtol=0, atol=1e-9)
        for field in ("column", "threshold", "categories", "missing_inside"):
            first = [getattr(hypothesis, field) for hypothesis in stump.estimators_]
            assert [getattr(grown, field)[0] for grown in tree.estimators_] == first


def test_splits_that_gain_nothing_are_made_on_the_way_to_those_that_do():
    parity = pl.DataFrame({"a": [0.0, 0.0, 1.0, 1.0] * 3, "b": [0.0, 1.0] * 6})
    y = (parity["a"] != parity["b"]).to_numpy()
    for criterion in CRITERIA:
        learner = Tree(max_leaf_nodes=4, criterion=criterion)
        model = DiscreteAdaBoostClassifier(learner, n_estimators=1).fit(parity, y)
        assert model.score(parity, y) == 1.0


def test_repeated_rows_count_once_each_and_weights_not_at_all():
    X, y = pl.DataFrame({"x": [0.0] * 3 + [1.0] * 5}), [0] * 3 + [1] * 5
    weights = [10.0] * 3 + [1.0] * 5
    assert first_tree(X, y, weights, min_samples_leaf=3)["rows"] == [3, 5]
    assert len(first_tree(X, y, weights, min_samples_leaf=4)["rows"]) == 1
    absent = [10.0, 10.0, 0.0] + [1.0] * 5
    assert len(first_tree(X, y, absent, min_samples_leaf=3)["rows"]) == 1


# The oracle itself


@pytest.mark.slow
@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 3}, {"max_depth": 2}], ids=str)
def test_the_naive_tree_and_ours_are_scikit_learns(limits):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 3)).astype(np.float32)
        y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=40) > 0, 1, -1)
        w = rng.random(40) + 0.05
        # Rounding makes scikit-learn split pure leaves too, unless a decrease is asked for.
        peer = DecisionTreeClassifier(max_leaf_nodes=6, min_impurity_decrease=1e-9, **limits)
        shown = peer.fit(X, y, w).predict_proba(X)[:, 1]
        columns = X.T.astype(float).tolist()
        naive = fit_tree(columns, y.tolist(), shares(w), 6, "gentle", **limits)
        np.testing.assert_allclose(naive.answers(columns), 2 * shown - 1, atol=1e-12)
        learner = Tree(max_leaf_nodes=6, answer="gentle", smoothing=0.0, **limits)
        ours = RealAdaBoostClassifier(learner, n_estimators=1, step="unit").fit(X, y, w)
        np.testing.assert_allclose(ours.decision_function(X), 2 * shown - 1, atol=1e-12)
