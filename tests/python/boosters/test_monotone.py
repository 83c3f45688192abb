"""Scores that must not fall, or not rise, along a column (`monotonic_cst`)."""

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weakforce import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    Stump,
    Tree,
    WeakForceClassifier,
    boosters,
)

SIGNS = {0: 1, 1: -1}

KEEPERS = [
    LogitBoostClassifier(n_estimators=15),
    LogitBoostClassifier(Stump(), n_estimators=15),
    LogitBoostClassifier(Tree(max_leaf_nodes=8, splitter="random"), n_estimators=15),
    LogitBoostClassifier(Tree(max_leaf_nodes=8, max_features=2), n_estimators=15, subsample=0.7),
    RealAdaBoostClassifier(Tree(max_leaf_nodes=8), n_estimators=15),
    RealAdaBoostClassifier(Tree(max_leaf_nodes=8, answer="gentle", smoothing=0.1), n_estimators=9),
    RealAdaBoostClassifier(Stump(), n_estimators=15),
    GentleBoostClassifier(Tree(max_leaf_nodes=8), n_estimators=15),
    WeakForceClassifier(n_trees=6, n_estimators=8, random_state=0),
]


def wavy_problem(n_rows, seed):
    """Return rows on which scores that are free go up and down along both columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    filled = np.nan_to_num(X)
    score = np.sin(3 * filled[:, 0]) + np.cos(3 * filled[:, 1]) + filled[:, 2]
    y = (score + rng.logistic(size=n_rows) > 0).astype(int)
    y[:2] = [0, 1]
    return X, y


def largest_violation(model, X):
    """Return by how much scores go the wrong way on a dense grid, at most."""
    grid = np.linspace(-4, 4, 161)
    worst = 0.0
    for column, sign in SIGNS.items():
        rows = np.repeat(X[:25, None], len(grid), axis=1)
        rows[:, :, column] = grid
        scores = model.decision_function(rows.reshape(-1, X.shape[1])).reshape(25, -1)
        worst = max(worst, float((-sign * np.diff(scores, axis=1)).max()))
    return worst


@pytest.mark.parametrize("keeper", KEEPERS, ids=repr)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000), n_rows=st.integers(3, 160))
@pytest.mark.slow
def test_no_score_goes_the_wrong_way_on_a_dense_grid(keeper, seed, n_rows):
    X, y = wavy_problem(n_rows, seed)
    model = keeper.set_params(monotonic_cst=SIGNS).fit(X, y)
    assert largest_violation(model, np.vstack([X, X[:1].repeat(25, axis=0)])) <= 0.0


@pytest.mark.parametrize("keeper", KEEPERS[:1] + KEEPERS[-1:], ids=repr)
def test_scores_go_up_and_down_where_they_may(keeper):
    X, y = wavy_problem(300, 1)
    free = keeper.set_params(monotonic_cst=None).fit(X, y)
    assert largest_violation(free, X) > 0.01


def test_columns_are_given_by_name_by_position_or_one_by_one():
    X, y = wavy_problem(200, 2)
    frame = pl.DataFrame(X, schema=["up", "down", "any"])
    ways = [{"up": 1, "down": -1}, {0: 1, 1: -1}, [1, -1, 0], np.array([1, -1, 0])]
    models = [LogitBoostClassifier(n_estimators=5, monotonic_cst=way).fit(frame, y) for way in ways]
    scores = [model.decision_function(frame) for model in models]
    assert all((other == scores[0]).all() for other in scores[1:])


def test_an_order_that_asks_for_nothing_changes_nothing():
    X, y = wavy_problem(200, 3)
    plain = LogitBoostClassifier(n_estimators=5).fit(X, y)
    for nothing in ({}, {0: 0}, [0, 0, 0]):
        same = LogitBoostClassifier(n_estimators=5, monotonic_cst=nothing).fit(X, y)
        assert (same.decision_function(X) == plain.decision_function(X)).all()


@pytest.mark.parametrize(
    ("given_order", "said"),
    [
        ([1, 0], "got 2 entries, expected one for each of 3 columns"),
        ([1, 0, 2], "got 2 for column 2, expected -1, 0 or 1"),
        ({"x": 1}, "got the name 'x'"),
        ({5: 1}, "got 5, expected names or positions below 3"),
        (1, "got 1, expected None, a dict"),
        ({0: True}, "got True for column 0"),
    ],
)
def test_bad_orders_are_refused_by_name(given_order, said):
    X, y = wavy_problem(30, 4)
    with pytest.raises((ValueError, TypeError), match=f"'monotonic_cst': {said}"):
        LogitBoostClassifier(monotonic_cst=given_order).fit(X, y)


def test_categories_have_no_order():
    frame = pl.DataFrame({"job": ["cook", "nurse", "smith"] * 10, "age": range(30)})
    y = [0, 1] * 15
    with pytest.raises(ValueError, match="'monotonic_cst': got 1 for column 'job', expected 0"):
        LogitBoostClassifier(monotonic_cst={"job": 1}).fit(frame, y)


def test_more_than_two_classes_have_no_order():
    X, y = wavy_problem(60, 5)
    with pytest.raises(ValueError, match=r"'monotonic_cst': .* more than two classes"):
        LogitBoostClassifier(monotonic_cst=SIGNS).fit(X, y + (X[:, 2] > 1))


@pytest.mark.parametrize("learner", [Rule(), RBFNet()], ids=repr)
def test_learners_that_keep_no_order_are_refused(learner):
    X, y = wavy_problem(60, 6)
    X = np.nan_to_num(X)
    with pytest.raises(ValueError, match=r"'monotonic_cst': .* Stump\(\) or Tree\(\)"):
        RealAdaBoostClassifier(learner, monotonic_cst=SIGNS).fit(X, y)


def test_boosters_that_keep_no_order_refuse_it():
    X, y = wavy_problem(60, 7)
    keepers = {booster for booster in boosters() if booster.capabilities().monotone}
    assert {LogitBoostClassifier, RealAdaBoostClassifier} <= keepers
    assert DiscreteAdaBoostClassifier not in keepers
    for booster in set(boosters()) - keepers:
        with pytest.raises(ValueError, match=r"'monotonic_cst': .* expected None: only"):
            booster(monotonic_cst=SIGNS).fit(X, y)
