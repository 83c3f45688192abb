"""Every booster against the naive oracle, round by round, on small mixed frames.

Compared after 15 rounds: α, errors, edges, the tests themselves, the last row weights and the
scores of training rows and of new rows with missing values and unseen categories.
"""

import numpy as np
import pytest

import weakforce
from reference.boosting import RULES, boost
from reference.learners import fit_stump, to_frame
from support.equal_models import assert_equal_to_the_oracle, assert_same_stumps
from support.small_problems import learnable_problem
from weakforce import Stump

ROUNDS = 15
CLASSES = {booster._kind: booster for booster in weakforce.boosters()}
Z_LOGISTIC = {"criterion": "z", "answer": "logistic"}

CASES = [
    ("discrete", {}, {}),
    ("discrete", {"criterion": "gini"}, {"learning_rate": 0.3}),
    ("discrete", {"criterion": "z"}, {"phi": 0.4}),
    ("discrete", {}, {"phi": 0.7, "learning_rate": 0.5}),
    ("arc_gv", {}, {}),
    ("arc_gv", {"criterion": "gini"}, {"learning_rate": 0.7}),
    ("real", Z_LOGISTIC, {}),
    ("real", Z_LOGISTIC, {"step": "unit", "learning_rate": 0.6}),
    ("real", {"criterion": "gini", "answer": "gentle"}, {"step": "line-search"}),
    ("real", {"criterion": "error", "answer": "gentle", "smoothing": 0.0}, {"step": "unit"}),
    ("real", {"answer": "vote"}, {"step": "line-search"}),
    ("adaboost_r", Z_LOGISTIC, {}),
    ("adaboost_r", {"criterion": "gini", "answer": "gentle", "smoothing": 0.1}, {}),
    ("adaboost_r", {"criterion": "z", "answer": "logistic"}, {"learning_rate": 0.4}),
    ("adaboost_r", {"answer": "vote"}, {"learning_rate": 0.8}),
    ("gentleboost", {"criterion": "gini", "smoothing": 0.0}, {}),
    ("gentleboost", {"criterion": "z", "answer": "gentle"}, {"learning_rate": 0.4}),
]


def fit_both(kind, learner, parameters, seed):
    columns, y, weights, later = learnable_problem(seed)
    expected = boost(kind, columns, y, weights, ROUNDS, learner, **parameters)
    model = CLASSES[kind](Stump(**learner), n_estimators=ROUNDS, max_bins=1000, **parameters)
    model.fit(to_frame(columns), y, sample_weight=weights)
    return model, expected, columns, later


def test_every_oracle_stands_for_a_booster_and_is_compared():
    assert {case[0] for case in CASES} == set(RULES) <= set(CLASSES)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kind", "learner", "parameters"), CASES)
def test_booster_equals_the_oracle_round_by_round(kind, learner, parameters, seed):
    model, expected, columns, later = fit_both(kind, learner, parameters, seed)
    assert_same_stumps(model, expected)
    assert_equal_to_the_oracle(model, expected, (columns, later))


@pytest.mark.parametrize("kind", RULES)
def test_the_default_learner_and_uniform_weights_equal_the_oracle(kind):
    columns, y, _, later = learnable_problem(11)
    booster = CLASSES[kind]
    default = booster()._default_learner().get_params()
    expected = boost(kind, columns, y, None, 10, default)
    model = booster(n_estimators=10).fit(to_frame(columns), y)
    np.testing.assert_allclose(model.estimator_weights_, expected.alphas, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        model.decision_function(to_frame(later)), expected.scores(later), rtol=0, atol=1e-9
    )


def test_the_oracle_finds_the_best_stump_of_a_hand_worked_frame():
    # Weights 1/6 each. x ≤ 2.2 errs on no row; nothing else errs on fewer than one.
    columns = [[5.0, 5.0, 6.0, 6.0, 5.0, 6.0], [1.0, 2.0, 3.0, 4.0, 5.0, 2.5]]
    y = [-1, -1, 1, 1, 1, 1]
    stump = fit_stump(columns, y, [1 / 6] * 6)
    assert (stump.split.column, stump.split.threshold) == (1, 2.2)
    assert (stump.inside, stump.outside) == (-1.0, 1.0)
    z_stump = fit_stump(columns[:1], y, [1 / 6] * 6, "z", "logistic")
    assert z_stump.split.threshold == 5.0
    assert z_stump.inside == pytest.approx(0.5 * np.log(1 / 2))
    assert z_stump.outside == 18.0
