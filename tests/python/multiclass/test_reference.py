"""SAMME, M1, MH, M2 and sm-boost against the naive oracles, round by round, on mixed frames.

Compared after some rounds: α, errors, edges, the stumps, rules and trees themselves, and the scores
of training rows and of new rows with missing values and unseen categories; three to five classes,
weights with zeros or none.
"""

import numpy as np
import pytest

import weakforce
from reference import multiclass as reference_multiclass
from reference.learners import to_frame
from reference.softmax import sm_boost
from support.small_multiclass_problems import assert_same_tests, class_problem

ROUNDS = 8
BOOSTERS = {booster._kind: booster for booster in weakforce.boosters()}
LEARNERS = {learner._kind: learner for learner in weakforce.weak_learners()}
ORACLES = {**reference_multiclass.BOOSTERS, "softmax": sm_boost}
GENTLE = {"answer": "gentle", "smoothing": 0.01}
COSTS = np.array([[0, 1, 4], [2, 0, 1], [3, 0.5, 0]])

#: Booster, learner, its settings, the booster's parameters, the number of classes.
CASES = [
    ("samme", "stump", {}, {}, 3),
    ("samme", "stump", {"criterion": "gini"}, {"learning_rate": 0.5}, 5),
    ("samme", "stump", {"criterion": "z"}, {}, 4),
    ("samme", "rule", {}, {}, 3),
    ("samme", "rule", {"criterion": "gini", "max_literals": 3}, {}, 4),
    ("samme", "rule", {"criterion": "error", "min_gain": 0.01}, {"learning_rate": 0.7}, 5),
    ("samme", "tree", {"max_leaf_nodes": 5}, {}, 3),
    ("samme", "tree", {"max_leaf_nodes": 4, "criterion": "z", "max_depth": 2}, {}, 5),
    ("samme", "tree", {"max_leaf_nodes": 6, "criterion": "error"}, {}, 4),
    ("m1", "stump", {}, {}, 3),
    ("m1", "rule", {"criterion": "gini"}, {}, 3),
    ("m1", "tree", {"max_leaf_nodes": 5, "min_samples_leaf": 3}, {}, 4),
    ("m1", "tree", {"max_leaf_nodes": 6}, {"learning_rate": 0.5}, 5),
    ("mh", "stump", {}, {}, 3),
    ("mh", "stump", {"criterion": "z", **GENTLE}, {}, 4),
    ("mh", "rule", {"max_literals": 3}, {"learning_rate": 0.5}, 3),
    ("mh", "tree", {"max_leaf_nodes": 4}, {}, 5),
    ("mh", "tree", {"max_leaf_nodes": 3, "min_weight_leaf": 0.0723}, {}, 3),
    ("mh", "stump", {}, {"shared": True}, 3),
    ("mh", "stump", {"criterion": "gini"}, {"shared": True, "learning_rate": 0.5}, 5),
    ("mh", "rule", {}, {"shared": True}, 4),
    ("mh", "tree", {"max_leaf_nodes": 5}, {"shared": True}, 3),
    ("mh", "tree", {"max_leaf_nodes": 5, "criterion": "z", **GENTLE}, {"shared": True}, 4),
    ("m2", "stump", {}, {}, 3),
    ("m2", "stump", {"criterion": "z", **GENTLE}, {}, 5),
    ("m2", "stump", {"criterion": "gini"}, {"shared": False}, 4),
    ("m2", "rule", {}, {}, 3),
    ("m2", "rule", {"criterion": "error"}, {"shared": False, "learning_rate": 0.5}, 3),
    ("m2", "tree", {"max_leaf_nodes": 5}, {}, 4),
    ("m2", "tree", {"max_leaf_nodes": 4, **GENTLE}, {"learning_rate": 0.7}, 3),
    ("m2", "tree", {"max_leaf_nodes": 3}, {"shared": False}, 5),
    ("softmax", "stump", {}, {}, 3),
    ("softmax", "stump", {"criterion": "gini"}, {"step": "theory", "cost": COSTS}, 3),
    ("softmax", "stump", {"criterion": "z", **GENTLE}, {"step": "theory"}, 4),
    ("softmax", "rule", {}, {"learning_rate": 0.5}, 4),
    ("softmax", "rule", {"max_literals": 3, "criterion": "gini"}, {"cost": COSTS}, 3),
    ("softmax", "tree", {"max_leaf_nodes": 4}, {}, 5),
    ("softmax", "tree", {"max_leaf_nodes": 5}, {"cost": COSTS, "learning_rate": 2.0}, 3),
    ("softmax", "tree", {"max_leaf_nodes": 3, "criterion": "z"}, {"step": "theory"}, 3),
]


def test_every_oracle_meets_every_learner():
    assert set(ORACLES) <= set(BOOSTERS)
    assert {case[:2] for case in CASES} == {
        (kind, learner) for kind in ORACLES for learner in ("stump", "rule", "tree")
    }


def make(kind, learner, settings, parameters, rounds=ROUNDS):
    if kind == "softmax":
        parameters = {**parameters, "n_draws": None}
    weak = LEARNERS[learner](**settings)
    return BOOSTERS[kind](weak, n_estimators=rounds, max_bins=1000, **parameters)


def assert_equal_to_the_oracle(model, expected, columns, weights, later):
    assert model.n_iter_ == len(expected.alphas) > 1
    assert model.stop_reason_ == expected.stop_reason
    assert_same_tests(model, expected.hypotheses, columns, weights)
    np.testing.assert_allclose(model.estimator_weights_, expected.alphas, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.edges_, expected.edges, rtol=0, atol=1e-9)
    for frame in (columns, later):
        got = model.decision_function(to_frame(frame))
        np.testing.assert_allclose(got, expected.scores(frame), rtol=0, atol=1e-9)
    errors = expected.errors if hasattr(expected, "errors") else (1 - np.array(expected.edges)) / 2
    np.testing.assert_allclose(model.estimator_errors_, errors, rtol=0, atol=1e-9)
    if hasattr(expected, "expected_costs"):
        costs = model.expected_cost_, expected.expected_costs
        np.testing.assert_allclose(*costs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("kind", "learner", "settings", "parameters", "n_classes"), CASES)
def test_booster_equals_the_oracle_round_by_round(
    kind, learner, settings, parameters, n_classes, seed
):
    columns, y, weights, later = class_problem(seed, n_classes, noise=2.0)
    oracle = {"kind": learner, **settings}
    expected = ORACLES[kind](columns, y, weights, ROUNDS, oracle, **parameters)
    model = make(kind, learner, settings, parameters)
    model.fit(to_frame(columns), y, sample_weight=weights)
    assert_equal_to_the_oracle(model, expected, columns, weights, later)


@pytest.mark.parametrize("learner", ["stump", "rule", "tree"])
@pytest.mark.parametrize("kind", ORACLES)
def test_booster_equals_the_oracle_without_weights(kind, learner):
    columns, y, _, later = class_problem(7, 3, noise=1.0)
    settings = {"max_leaf_nodes": 4} if learner == "tree" else {}
    expected = ORACLES[kind](columns, y, None, 5, {"kind": learner, **settings})
    model = make(kind, learner, settings, {}, rounds=5).fit(to_frame(columns), y)
    assert_equal_to_the_oracle(model, expected, columns, np.ones(len(y)), later)


@pytest.mark.parametrize("kind", ["samme", "m1"])
def test_row_weights_of_class_votes_are_those_of_the_oracle(kind):
    columns, y, weights, _ = class_problem(3, 4)
    expected = ORACLES[kind](columns, y, weights, 5, {"kind": "tree", "max_leaf_nodes": 6})
    model = make(kind, "tree", {"max_leaf_nodes": 6}, {}, rounds=5)
    model.fit(to_frame(columns), y, sample_weight=weights)
    np.testing.assert_allclose(model.row_weights_, expected.weights, rtol=0, atol=1e-9)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("kind", ["mh", "m2"])
def test_row_weights_of_pairs_are_summed_over_the_classes(kind, shared):
    columns, y, weights, _ = class_problem(3, 4, noise=2.0)
    oracle = {"kind": "tree", "max_leaf_nodes": 3}
    expected = ORACLES[kind](columns, y, weights, 5, oracle, shared=shared)
    model = make(kind, "tree", {"max_leaf_nodes": 3}, {"shared": shared}, rounds=5)
    model.fit(to_frame(columns), y, sample_weight=weights)
    by_row = expected.weights.sum(axis=1)
    np.testing.assert_allclose(model.row_weights_, by_row, rtol=0, atol=1e-9)


def test_costs_by_row_equal_the_oracle():
    columns, y, weights, later = class_problem(5, 4, noise=2.0)
    costs = np.random.default_rng(5).random((len(y), 4)) * 3
    settings = {"max_leaf_nodes": 4}
    expected = sm_boost(columns, y, weights, ROUNDS, {"kind": "tree", **settings}, row_costs=costs)
    model = make("softmax", "tree", settings, {"cost": 1 - np.eye(4)})
    model.fit(to_frame(columns), y, sample_weight=weights, cost=costs)
    assert_equal_to_the_oracle(model, expected, columns, weights, later)
