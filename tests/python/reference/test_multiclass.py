"""The naive oracles for many classes, checked by hand, with finite differences and scikit-learn.

Oracles that are wrong would prove nothing; these tests need none of our boosters.
"""

from math import log

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from reference import boosting as reference_boosting
from reference import multiclass as reference_multiclass
from reference.channel_learners import fit_stump, fit_tree
from reference.channels import CLASS, CRITERIA, SHARED, Ground, class_answer
from reference.learners import to_frame
from reference.multiclass import decompose, m1, m2, mh, one_vs_one, samme
from reference.softmax import centred, gradient, norm, risk, sm_boost, softmax
from support.small_multiclass_problems import blobs, class_problem
from support.small_problems import learnable_problem

SMOOTH = {"smoothing": 0.0}
LEARNERS = [{"kind": "stump"}, {"kind": "rule"}, {"kind": "tree", "max_leaf_nodes": 4}]


def test_criteria_of_three_classes_follow_the_formulas():
    sums = np.array([1.0, 4.0, 9.0])
    assert CRITERIA["error"](sums) == 5.0
    assert CRITERIA["gini"](sums) == pytest.approx(14 - (1 + 16 + 81) / 14)
    assert CRITERIA["z"](sums) == pytest.approx(2 * (2 + 3 + 6))
    pairs = np.array([1.0, 4.0, 9.0, 9.0])
    assert SHARED.impurity("z", pairs) == pytest.approx(2 * 2 + 2 * 9)
    assert SHARED.impurity("error", pairs) == pytest.approx(1 + 9)


def test_equal_classes_go_to_the_last_one():
    assert class_answer("vote", np.array([0.3, 0.3, 0.2, 0.2]), 0.0) == 1
    assert class_answer("vote", np.array([0.4, 0.3, 0.3]), 0.0) == 0


def test_the_best_class_stump_of_a_hand_worked_frame():
    # Weights 1/6 each. x ≤ 2 keeps class 0 apart; the rest is a tie that the last class wins.
    ground = Ground([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    y = np.array([0, 0, 1, 1, 2, 2])
    stump = fit_stump(ground, np.eye(3)[y] / 6, CLASS)
    [(_, split)] = stump.splits
    assert (split.threshold, stump.values) == (2.0, [0, 2])
    assert stump.answers(ground.columns).tolist() == [0, 0, 2, 2, 2, 2]


def test_samme_of_a_hand_worked_frame():
    columns, y = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]], [0, 0, 1, 1, 2, 2]
    run = samme(columns, y, rounds=2)
    # ε = 1/3 (class 1), so α = ln 2 + ln 2 and class 1 weighs 4 · 1/6 each: 8 of 12 in all.
    assert run.errors[0] == pytest.approx(1 / 3)
    assert run.alphas[0] == pytest.approx(2 * log(2))
    # Then x ≤ 2 errs on class 2 and x ≤ 4 on class 0, ε = 2/12 each; the lower cut wins.
    assert run.errors[1] == pytest.approx(1 / 6)
    assert run.alphas[1] == pytest.approx(log(5) + log(2))
    assert run.scores(columns).argmax(axis=1).tolist() == [0, 0, 1, 1, 1, 1]


def test_m1_stops_at_one_half_where_samme_goes_on():
    columns, y = [[1.0] * 5], [0, 1, 1, 2, 2]
    assert m1(columns, y).stop_reason == "no_edge"
    assert m1(columns, y).alphas == []
    run = samme(columns, y)
    assert run.errors[0] == pytest.approx(3 / 5)
    assert run.alphas[0] == pytest.approx(log(2 / 3) + log(2))


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_with_two_classes_all_are_discrete_adaboost(learner, seed):
    columns, y, weights, later = learnable_problem(seed, noise=2.0)
    codes = (np.asarray(y) > 0).astype(int)
    votes = {**learner, "answer": "vote"}
    expected = reference_boosting.boost("discrete", columns, y, weights, 8, votes)
    runs = [samme, m1, mh, m2]
    scores = [run(columns, codes, weights, 8, learner).scores(later) for run in runs]
    scores.append(mh(columns, codes, weights, 8, learner, shared=True).scores(later))
    scores.append(m2(columns, codes, weights, 8, learner, shared=False).scores(later))
    for each in scores:
        half = (each[:, 1] - each[:, 0]) / 2
        np.testing.assert_allclose(half, expected.scores(later), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_naive_samme_and_its_tree_are_scikit_learns(seed):
    X, y = blobs(60, 4, seed=seed, spread=1.5)
    X = X.astype(np.float32)
    weights = np.random.default_rng(seed).random(60) + 0.1
    # Rounding makes scikit-learn split pure leaves too, unless a decrease is asked for.
    tree = DecisionTreeClassifier(max_leaf_nodes=5, min_impurity_decrease=1e-9)
    peer = AdaBoostClassifier(tree, n_estimators=6, random_state=0).fit(X, y, weights)
    columns = X.T.astype(float).tolist()
    run = samme(columns, y, weights, 6, {"kind": "tree", "max_leaf_nodes": 5})
    np.testing.assert_allclose(run.errors, peer.estimator_errors_, rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.alphas, peer.estimator_weights_, rtol=0, atol=1e-6)
    assert (run.scores(columns).argmax(axis=1) == peer.predict(X)).all()


def test_one_vs_rest_is_scikit_learns_binary_booster_for_each_class():
    X, y = blobs(60, 3, seed=1, spread=1.5)
    X = X.astype(np.float32)
    weights = np.random.default_rng(1).random(60) + 0.1
    columns = X.T.astype(float).tolist()
    expected = decompose("discrete", "ovr", columns, y, weights, 6, {"criterion": "gini"})
    for k, run in enumerate(expected.runs):
        stump = DecisionTreeClassifier(max_depth=1)
        peer = AdaBoostClassifier(stump, n_estimators=6, random_state=0).fit(X, y == k, weights)
        np.testing.assert_allclose(run.errors, peer.estimator_errors_, rtol=0, atol=1e-6)
        assert ((expected.scores(columns)[:, k] >= 0) == peer.predict(X)).all()


def test_one_vs_one_leaves_the_other_classes_out():
    code = one_vs_one(4)
    assert code.tolist() == [
        [1, 1, 1, 0, 0, 0],
        [-1, 0, 0, 1, 1, 0],
        [0, -1, 0, -1, 0, 1],
        [0, 0, -1, 0, -1, -1],
    ]
    columns, y, weights, _ = class_problem(0, 3)
    expected = decompose("real", "ovo", columns, y, weights, 4, {"answer": "gentle"})
    kept = np.where(y == 2, 0.0, weights)
    signs = np.array([1, -1, 0])[y]
    alone = reference_boosting.boost("real", columns, signs, kept, 4, {"answer": "gentle"} | SMOOTH)
    np.testing.assert_allclose(expected.runs[0].errors, alone.errors, rtol=0, atol=1e-12)
    np.testing.assert_allclose(expected.runs[0].alphas, alone.alphas, rtol=0, atol=1e-9)


def test_m2_moves_weight_to_the_mislabels_that_were_believed():
    columns, y, weights, _ = class_problem(2, 3, noise=2.0)
    before = reference_multiclass.prepare(columns, y, weights)
    run = m2(columns, y, weights, 1)
    D = run.weights[before.places]
    p = (1 + run.hypotheses[0].answers(before.ground.columns)) / 2
    rows = np.arange(len(before.y))
    start = np.where(before.one_hot() == 0, before.u[:, None] / 2, 0.0)
    ratio = D / np.where(start > 0, start, 1.0)
    believed = (p == 1) & (p[rows, before.y] == 0)[:, None] & (start > 0)
    refuted = (p == 0) & (p[rows, before.y] == 1)[:, None] & (start > 0)
    assert ratio[believed].min() > 1 > ratio[refuted].max() > 0


# The risk of sm-boost


def scores_and_costs(seed, rows=6, n_classes=4):
    rng = np.random.default_rng(seed)
    u = rng.random(rows)
    return rng.normal(size=(rows, n_classes)), rng.random((rows, n_classes)), u / u.sum()


@pytest.mark.parametrize("seed", range(3))
def test_proposition_2_equals_finite_differences(seed):
    scores, costs, u = scores_and_costs(seed)
    step = 1e-5
    numeric = np.zeros_like(scores)
    for place in np.ndindex(scores.shape):
        moved = [scores.copy(), scores.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        slope = (risk(moved[0], costs, u) - risk(moved[1], costs, u)) / (2 * step)
        numeric[place] = slope / u[place[0]]  # the inner product weighs rows by u
    np.testing.assert_allclose(numeric, gradient(scores, costs), rtol=0, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_lemma_1_the_risk_is_smooth(seed):
    (scores, costs, u), (others, _, _) = scores_and_costs(seed), scores_and_costs(seed + 50)
    change = norm(gradient(scores, costs) - gradient(others, costs), u)
    assert 0 < change <= norm(scores - others, u)


def test_centred_costs_are_zero_on_average():
    scores, costs, _ = scores_and_costs(1)
    np.testing.assert_allclose(
        (softmax(scores) * centred(scores, costs)).sum(axis=1), 0, atol=1e-15
    )


def test_theory_steps_follow_theorem_1():
    columns, y, weights, _ = class_problem(0, 3, noise=2.0)
    run = sm_boost(columns, y, weights, 30, {"kind": "stump"}, step="theory")
    costs = np.array([2 / 3, *run.expected_costs])
    # R(t) ≤ R(t−1) − ½ ⟨∇, h⟩² / ‖h‖²; with votes ‖h‖² = K and the step is ⟨∇, h⟩ / K.
    assert (np.diff(costs) <= -0.5 * 3 * np.array(run.alphas) ** 2 + 1e-12).all()
    norms = np.array(run.gradient_norms)
    assert norms.min() <= norms[0]


def test_frames_of_the_oracle_are_what_users_bring():
    columns, y, weights, later = class_problem(0, 5)
    frame = to_frame(columns)
    assert frame.null_count().to_numpy().sum() > 0
    assert {str(dtype) for dtype in frame.dtypes} == {"Float64", "String"}
    assert set(y) == set(range(5))
    assert set(y[weights > 0]) == set(range(5))
    assert "e" in later[2]


def test_a_pure_frame_is_one_leaf_and_a_stump_of_equal_answers():
    ground, V = Ground([[1.0, 2.0]]), np.array([[0.5, 0.0], [0.5, 0.0]])
    assert fit_tree(ground, V, CLASS).splits == []
    assert fit_stump(ground, V, CLASS).values == [0, 0]
