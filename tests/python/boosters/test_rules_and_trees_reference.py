"""Every booster over rules and trees against the naive oracle, round by round, on mixed frames.

Compared after ten rounds: α, errors, edges, the rules and trees themselves, the last row weights
and the scores of training rows and of new rows with missing values and unseen categories.
"""

import numpy as np
import pytest

import weakforce
from reference.boosting import LEARNERS, RULES, boost
from reference.learners import to_frame
from support.equal_models import assert_equal_to_the_oracle
from support.small_problems import learnable_problem, literals_in, splits_in

ROUNDS = 10
BOOSTERS = {booster._kind: booster for booster in weakforce.boosters()}
CLASSES = {learner._kind: learner for learner in weakforce.weak_learners()}

CASES = [
    ("discrete", "rule", {}, {}),
    ("discrete", "rule", {"criterion": "error", "max_literals": 3}, {"learning_rate": 0.5}),
    ("discrete", "tree", {"max_leaf_nodes": 4}, {}),
    ("discrete", "tree", {"max_leaf_nodes": 3, "criterion": "z"}, {"phi": 0.4}),
    ("arc_gv", "rule", {"criterion": "gini"}, {}),
    ("arc_gv", "tree", {"max_leaf_nodes": 3, "min_samples_leaf": 3}, {"learning_rate": 0.7}),
    ("real", "rule", {}, {}),
    ("real", "rule", {"answer": "gentle", "min_gain": 0.01, "max_literals": 3}, {}),
    ("real", "rule", {"answer": "vote", "criterion": "gini"}, {}),
    ("real", "tree", {"max_leaf_nodes": 5, "criterion": "z"}, {"step": "unit"}),
    ("real", "tree", {"max_leaf_nodes": 4, "answer": "gentle", "max_depth": 2}, {}),
    ("adaboost_r", "rule", {"smoothing": 0.02}, {}),
    ("adaboost_r", "rule", {"answer": "gentle", "max_literals": 1}, {"learning_rate": 0.4}),
    ("adaboost_r", "tree", {"max_leaf_nodes": 4}, {}),
    ("adaboost_r", "tree", {"max_leaf_nodes": 3, "min_weight_leaf": 0.0723, "answer": "vote"}, {}),
    ("gentleboost", "rule", {"smoothing": 0.0}, {}),
    ("gentleboost", "tree", {"max_leaf_nodes": 4, "smoothing": 0.0}, {"learning_rate": 0.7}),
]


def test_every_oracle_stands_for_a_learner_and_meets_every_booster():
    assert set(LEARNERS) <= set(CLASSES)
    assert {case[:2] for case in CASES} == {
        (booster, learner) for booster in RULES for learner in LEARNERS if learner != "stump"
    }


def structure(hypothesis):
    """A naive rule or tree in the terms of `structure_in`."""
    if hasattr(hypothesis, "literals"):
        return [(literal.column, literal.test, literal.than) for literal in hypothesis.literals]
    return [node.split for node in hypothesis.grown.nodes]


def structure_in(description, columns, weights):
    if description["kind"] == "rule":
        return literals_in(description)
    return splits_in(description, columns, weights)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("kind", "learner", "settings", "parameters"), CASES)
def test_booster_over_rules_and_trees_equals_the_oracle(kind, learner, settings, parameters, seed):
    columns, y, weights, later = learnable_problem(seed + 20, noise=4.0)
    oracle = {"kind": learner, **settings}
    expected = boost(kind, columns, y, weights, ROUNDS, oracle, **parameters)
    weak = CLASSES[learner](**settings)
    model = BOOSTERS[kind](weak, n_estimators=ROUNDS, max_bins=1000, **parameters)
    model.fit(to_frame(columns), y, sample_weight=weights)
    assert_equal_to_the_oracle(model, expected, (columns, later))
    for t, hypothesis in enumerate(expected.hypotheses):
        got = structure_in(model.fitted_model_.core.hypothesis(t), columns, weights)
        assert got == structure(hypothesis), t


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "stump"])
@pytest.mark.parametrize("kind", RULES)
def test_default_parameters_and_uniform_weights_equal_the_oracle(kind, learner):
    columns, y, _, later = learnable_problem(11, noise=4.0)
    default = CLASSES[learner]().get_params()
    default.pop("splitter", None)  # there is an oracle for the best one only
    oracle = {"kind": learner, **default}
    expected = boost(kind, columns, y, None, 4, oracle)
    model = BOOSTERS[kind](CLASSES[learner](), n_estimators=4).fit(to_frame(columns), y)
    np.testing.assert_allclose(model.estimator_weights_, expected.alphas, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        model.decision_function(to_frame(later)), expected.scores(later), rtol=0, atol=1e-9
    )
