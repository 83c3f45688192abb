"""Binary boosters on more than two classes: one-vs-rest, one-vs-one and code matrices (B5).

Compared with the naive oracle, with binary runs of the same booster, and by hand on the codes of
figure 7.12 of paper 002.
"""

import numpy as np
import pytest

import weakforce
from reference.boosting import RULES
from reference.learners import to_frame
from reference.multiclass import decompose, one_vs_one
from support.code_figures import FIGURE_A, FIGURE_B, FIGURE_C
from support.problem_scores import problem_scores
from support.small_multiclass_problems import assert_same_tests, blobs, class_problem
from weakforce import (
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    Stump,
    Tree,
)

BOOSTERS = {booster._kind: booster for booster in weakforce.boosters()}
LEARNERS = {learner._kind: learner for learner in weakforce.weak_learners()}

CODES = {"ovr": "ovr", "ovo": "ovo", "figure a": FIGURE_A, "figure b": FIGURE_B}
GENTLE = {"answer": "gentle", "smoothing": 0.02}
LOGISTIC = {"criterion": "z", "answer": "logistic", "smoothing": 0.02}

#: Booster, learner, its settings, the booster's parameters.
CASES = [
    ("discrete", "stump", {}, {}),
    ("discrete", "rule", {}, {"learning_rate": 0.5}),
    ("discrete", "tree", {"max_leaf_nodes": 3}, {"phi": 0.45}),
    ("arc_gv", "tree", {"max_leaf_nodes": 3}, {}),
    ("real", "stump", LOGISTIC, {}),
    ("real", "rule", GENTLE, {"step": "unit"}),
    ("adaboost_r", "tree", {"max_leaf_nodes": 3, **GENTLE}, {}),
    ("adaboost_r", "stump", LOGISTIC, {"learning_rate": 0.5}),
    ("gentleboost", "stump", {"criterion": "gini", "answer": "gentle", "smoothing": 0.0}, {}),
]


def test_every_binary_booster_is_compared():
    assert {case[0] for case in CASES} == set(RULES)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("kind", "learner", "settings", "parameters"), CASES)
def test_decomposition_equals_a_loop_over_naive_binary_boosters(
    kind, learner, settings, parameters, code
):
    columns, y, weights, later = class_problem(len(code), 4, noise=2.0)
    oracle = {"kind": learner, **settings}
    expected = decompose(kind, CODES[code], columns, y, weights, 6, oracle, **parameters)
    weak = LEARNERS[learner](**settings)
    model = BOOSTERS[kind](weak, n_estimators=6, max_bins=1000, **parameters)
    model.set_params(multi_class=CODES[code]).fit(to_frame(columns), y, weights)
    near = 1e-6 if kind == "adaboost_r" else 1e-9  # which divides by 1 − μ² and never rescales
    runs = expected.runs
    rounds = max(len(run.alphas) for run in runs)
    assert model.n_iter_ == rounds > 1
    by_round = [
        [run.hypotheses[t] if t < len(run.alphas) else None for run in runs] for t in range(rounds)
    ]
    assert_same_tests(model, by_round, columns, weights)
    for name, field, filler in (
        ("estimator_weights_", "alphas", 0.0),
        ("edges_", "edges", 0.0),
        ("estimator_errors_", "errors", 0.5),
    ):
        table = expected.table(field, filler)
        np.testing.assert_allclose(getattr(model, name), table, rtol=0, atol=near, err_msg=name)
    for frame in (columns, later):
        got = model.decision_function(to_frame(frame))
        np.testing.assert_allclose(got, expected.scores(frame), rtol=0, atol=10 * near)


@pytest.mark.parametrize("kind", RULES)
def test_one_vs_rest_is_a_binary_booster_for_each_class(kind):
    X, y = blobs(100, 4, spread=2.0)
    weights = np.random.default_rng(0).random(100) + 0.1
    model = BOOSTERS[kind](n_estimators=8).fit(X, y, weights)
    scores = model.decision_function(X)
    assert scores.shape == (100, 4)
    for k in range(4):
        alone = BOOSTERS[kind](n_estimators=8).fit(X, y == k, weights)
        rounds = alone.n_iter_
        np.testing.assert_allclose(scores[:, k], alone.decision_function(X), rtol=0, atol=1e-9)
        pair = model.estimator_weights_[:rounds, k], alone.estimator_weights_
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-9)
        tests = [
            [(s.column, s.threshold) for s in column]
            for column in (
                [hypotheses[k] for hypotheses in model.estimators_[:rounds]],
                alone.estimators_,
            )
        ]
        assert tests[0] == tests[1]
    assert (model.predict(X) == scores.argmax(axis=1)).all()


def test_one_vs_one_is_a_binary_booster_for_each_pair():
    y = np.repeat(np.arange(3), 40)
    X = np.random.default_rng(0).integers(0, 6, size=(120, 3)).astype(float)
    X[:, 0] += y  # few values, all of them in every pair
    learner = Stump(criterion="z", smoothing=0.01)
    model = RealAdaBoostClassifier(learner, n_estimators=5, multi_class="ovo").fit(X, y)
    pairs = [(0, 1), (0, 2), (1, 2)]
    by_pair = np.zeros((120, 3))
    for place, (a, b) in enumerate(pairs):
        kept = (y == a) | (y == b)
        alone = RealAdaBoostClassifier(learner, n_estimators=5)
        alone.fit(X[kept], np.where(y[kept] == a, 1, 0))
        by_pair[:, place] = alone.decision_function(X)
    expected = by_pair @ one_vs_one(3).T
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=0, atol=1e-9)
    assert (model.predict(X) == expected.argmax(axis=1)).all()


# Codes by hand


@pytest.mark.parametrize(("code", "rounds"), [(FIGURE_A, 1), (FIGURE_A, 7), (FIGURE_C, 5)])
def test_classes_are_decoded_by_the_sum_of_signed_scores(code, rounds):
    X, y = blobs(100, 4, spread=1.5)
    model = DiscreteAdaBoostClassifier(n_estimators=rounds, multi_class=code).fit(X, y)
    H = problem_scores(model, X)
    by_hand = np.zeros((100, 4))
    for k in range(4):
        for place in range(code.shape[1]):
            by_hand[:, k] += code[k, place] * H[:, place]
    np.testing.assert_allclose(model.decision_function(X), by_hand, rtol=0, atol=1e-9)
    assert (model.predict(X) == by_hand.argmax(axis=1)).all()
    assert np.array_equal(model.code_, code)


def test_the_scores_of_one_vs_rest_are_those_of_its_columns():
    X, y = blobs(100, 4, spread=1.5)
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), problem_scores(model, X), atol=1e-9)
    assert np.array_equal(model.code_, FIGURE_B)


@pytest.mark.parametrize("code", [FIGURE_A, FIGURE_B, FIGURE_C], ids="abc")
def test_every_code_of_figure_7_12_tells_four_classes_apart(code):
    X = np.repeat(np.eye(4), 3, axis=0)
    y = np.repeat(["ash", "elm", "fir", "oak"], 3)
    learner = Tree(max_leaf_nodes=4)
    model = DiscreteAdaBoostClassifier(learner, n_estimators=3, multi_class=code).fit(X, y)
    assert model.stop_reason_ == "perfect"
    assert (model.predict(X) == y).all()
    # Every column is right about its classes, so the right class gets 18 from each of them.
    taken = np.abs(code).sum(axis=1)
    scores = model.decision_function(X)
    assert scores[np.arange(12), np.repeat(np.arange(4), 3)] == pytest.approx(
        18.0 * np.repeat(taken, 3)
    )


def test_the_code_of_one_vs_rest_predicts_as_one_vs_rest():
    X, y = blobs(150, 4, spread=1.5)
    plain = RealAdaBoostClassifier(n_estimators=6).fit(X, y)
    coded = RealAdaBoostClassifier(n_estimators=6, multi_class=FIGURE_B).fit(X, y)
    H = plain.decision_function(X)
    expected = 2 * H - H.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(coded.decision_function(X), expected, rtol=0, atol=1e-9)
    assert (plain.predict(X) == coded.predict(X)).all()
    assert coded.estimators_ == plain.estimators_


def test_the_code_of_one_vs_one_is_one_vs_one():
    X, y = blobs(150, 4, spread=1.5)
    plain = RealAdaBoostClassifier(n_estimators=6, multi_class="ovo").fit(X, y)
    assert np.array_equal(plain.code_, FIGURE_C)
    coded = RealAdaBoostClassifier(n_estimators=6, multi_class=FIGURE_C).fit(X, y)
    assert coded.decision_function(X).tobytes() == plain.decision_function(X).tobytes()


def test_turning_a_column_around_changes_nothing_but_its_sign():
    X, y = blobs(150, 4, spread=1.5)
    turned = FIGURE_A * [1, -1, 1, -1, -1]
    models = [
        RealAdaBoostClassifier(n_estimators=6, multi_class=code).fit(X, y)
        for code in (FIGURE_A, turned)
    ]
    scores = [model.decision_function(X) for model in models]
    np.testing.assert_allclose(*scores, rtol=0, atol=1e-9)


def test_finished_columns_wait_for_the_others():
    # Class 2 is told apart at once; 0 and 1 never are.
    X = np.array([[0.0], [0.0], [0.0], [5.0], [5.0]])
    y = np.array([0, 0, 1, 2, 2])
    model = DiscreteAdaBoostClassifier(n_estimators=6).fit(X, y)
    weights = model.estimator_weights_
    assert weights.shape == (model.n_iter_, 3)
    assert weights[0, 2] == 18.0
    assert (weights[1:, 2] == 0).all()
    assert all(hypotheses[2] is None for hypotheses in model.estimators_[1:])
    assert (model.edges_[1:, 2] == 0).all()
    assert (model.estimator_errors_[1:, 2] == 0.5).all()
    assert (model.predict(X) == [0, 0, 0, 2, 2]).all()
