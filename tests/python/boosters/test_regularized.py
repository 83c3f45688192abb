"""AdaBoost_Reg: the limit C = 0, the oracle, the line search by brute force, and influence.

In: small noisy frames. Out: what section 4.1 of paper [4] says, recomputed in NumPy from the stumps
and weights of fitted models.
"""

import numpy as np
import pytest

import weakforce
from reference.learners import CAP, to_frame
from reference.soft_margin import STEPS, Rounds, regularized
from support.equal_models import (
    assert_equal_to_the_oracle,
    assert_equal_up_to_rounding,
    assert_same_stumps,
)
from support.small_problems import learnable_problem
from weakforce import DiscreteAdaBoostClassifier, RegularizedAdaBoostClassifier, Rule, Stump, Tree

ROUNDS = 12


def noisy_problem(rows=120, seed=0, flipped=0.15):
    """Labels by the sign of a sum, of which a share is flipped; returns which ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    wrong = rng.random(rows) < flipped
    y = np.where((X[:, 0] + X[:, 1] > 0) != wrong, 1, -1)
    return X, y, wrong


def stump_margins(model, X, y):
    """The margins y h of every row, by round."""
    return np.array(
        [
            y * np.where(X[:, s.column] <= s.threshold, s.inside, s.outside)
            for s in model.estimators_
        ]
    )


def rounds_of(model, X, y, u):
    """The rounds of a fitted model, one more each time, in the oracle's terms."""
    rounds = Rounds(u, model.C, model.p)
    for alpha, margins in zip(model.estimator_weights_, stump_margins(model, X, y), strict=True):
        yield rounds, 2 * alpha, margins
        rounds = rounds.with_round(2 * alpha, margins)


def last_rounds(model, X, y, u):
    *_, (rounds, b, margins) = rounds_of(model, X, y, u)
    return rounds.with_round(b, margins)


def uniform(y):
    return np.full(len(y), 1 / len(y))


# C = 0


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("learner", [Stump(), Rule(), Tree(max_leaf_nodes=4)])
@pytest.mark.parametrize("learning_rate", [1.0, 0.4])
def test_without_regularisation_it_is_adaboost(learner, p, learning_rate):
    X, y, _ = noisy_problem()
    weights = np.random.default_rng(1).random(len(y)) + 0.2
    shared = {"n_estimators": 25, "learning_rate": learning_rate}
    plain = DiscreteAdaBoostClassifier(learner, **shared).fit(X, y, weights)
    model = RegularizedAdaBoostClassifier(learner, C=0.0, p=p, **shared).fit(X, y, weights)
    assert model.n_iter_ > 5
    assert_equal_up_to_rounding(model, plain, X, ("row_weights_",))


def test_regularisation_changes_the_model():
    X, y, _ = noisy_problem()
    plain, model = (
        RegularizedAdaBoostClassifier(C=C, n_estimators=30).fit(X, y) for C in (0.0, 1000.0)
    )
    assert model.n_iter_ > 5
    shorter = min(model.n_iter_, plain.n_iter_)
    difference = model.estimator_weights_[:shorter] - plain.estimator_weights_[:shorter]
    assert np.abs(difference).max() > 0.01


# The oracle


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("C", "p", "learning_rate"),
    [(5.0, 1, 1.0), (0.8, 1, 0.5), (50.0, 2, 1.0), (300.0, 2, 1.0), (100.0, 2, 0.6)],
)
def test_model_equals_the_oracle_round_by_round(C, p, learning_rate, weighted, seed):
    columns, y, weights, later = learnable_problem(seed)
    weights = weights if weighted else None
    parameters = {"C": C, "p": p, "learning_rate": learning_rate}
    expected, influence = regularized(columns, y, weights, ROUNDS, **parameters)
    model = RegularizedAdaBoostClassifier(n_estimators=ROUNDS, max_bins=1000, **parameters)
    model.fit(to_frame(columns), y, sample_weight=weights)
    assert_same_stumps(model, expected)
    assert_equal_to_the_oracle(model, expected, (columns, later), atol=1e-6)
    np.testing.assert_allclose(model.influence_, influence, rtol=1e-5, atol=1e-6)


# The line search


def test_losses_of_the_oracle_are_those_of_the_definition():
    X, y, _ = noisy_problem(rows=30)
    u = np.random.default_rng(0).dirichlet(np.ones(len(y)))
    for p in (1, 2):
        rounds = Rounds(u, 40.0, p)
        for b, column in ((0.7, 0), (0.4, 1), (1.3, 2)):
            margins = y * np.sign(X[:, column])
            losses = rounds.losses(margins, [0.0, b])
            assert losses[0] == pytest.approx(rounds.loss(), abs=1e-12)
            rounds = rounds.with_round(b, margins)
            assert losses[1] == pytest.approx(rounds.loss(), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("relative", [0.001, 0.01, 0.05, 0.2, 1.0])
def test_no_step_on_a_fine_grid_has_a_lower_loss(relative, p, seed):
    X, y, _ = noisy_problem(seed=seed)
    C = relative * len(y) ** p
    model = RegularizedAdaBoostClassifier(C=C, p=p, n_estimators=15).fit(X, y)
    assert model.n_iter_ > 0
    for rounds, b, margins in rounds_of(model, X, y, uniform(y)):
        assert 0 < b <= 2 * CAP
        assert rounds.loss_with(margins, b) <= rounds.losses(margins).min() + 1e-12


@pytest.mark.parametrize("p", [1, 2])
def test_everybody_is_forgiven_at_once_from_a_c_of_rows_to_the_p_on(p):
    # Then the soft margin of a row that the first vote gets wrong is −1 + C/mᵖ ≥ 0.
    X, y, _ = noisy_problem(rows=60, seed=4)
    largest = float(len(y)) ** p
    model = RegularizedAdaBoostClassifier(C=1.001 * largest, p=p, n_estimators=50).fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("unbounded", 1)
    assert model.estimator_weights_[0] == CAP
    rounds, _, margins = next(rounds_of(model, X, y, uniform(y)))
    assert rounds.losses(margins).argmin() == len(STEPS) - 1
    model = RegularizedAdaBoostClassifier(C=0.9 * largest, p=p, n_estimators=50).fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("n_estimators", 50)


@pytest.mark.parametrize("seed", range(4))
def test_vote_that_errs_only_on_forgiven_rows_is_unbounded_and_left_out(seed):
    # The rows of one class weigh so little that they are soon forgiven altogether.
    X, y, _ = noisy_problem(rows=100, seed=seed, flipped=0.4)
    weights = np.where(y > 0, 1e-7, 1.0)
    model = RegularizedAdaBoostClassifier(C=100.0, n_estimators=100).fit(X, y, weights)
    assert model.stop_reason_ == "unbounded"
    assert 0 < model.n_iter_ < 100
    assert model.estimator_weights_.max() < CAP
    rounds = last_rounds(model, X, y, weights / weights.sum())
    dropped = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y, model.row_weights_)
    margins = stump_margins(dropped, X, y)[0]
    assert (margins < 0).any()
    assert rounds.losses(margins).argmin() == len(STEPS) - 1


def test_nobody_has_influence_without_a_vote():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3), np.array([0, 1, 1, 0] * 3)
    model = RegularizedAdaBoostClassifier().fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("no_edge", 0)
    assert model.influence_.tolist() == [0.0] * 12


# Influence


@pytest.mark.parametrize("p", [1, 2])
def test_influence_is_the_mean_of_the_row_weights_over_the_rounds(p):
    X, y, _ = noisy_problem()
    C = 0.05 * len(y) ** p
    model = RegularizedAdaBoostClassifier(C=C, p=p, n_estimators=9).fit(X, y)
    runs = [
        RegularizedAdaBoostClassifier(C=C, p=p, n_estimators=t).fit(X, y).row_weights_
        for t in range(1, 9)
    ]
    weights = np.array([uniform(y), *runs])
    expected = np.average(weights, axis=0, weights=model.estimator_weights_)
    np.testing.assert_allclose(model.influence_, expected, rtol=0, atol=1e-12)
    assert model.influence_.sum() == pytest.approx(1.0)


def test_row_weights_are_those_of_the_soft_margins():
    X, y, _ = noisy_problem()
    model = RegularizedAdaBoostClassifier(C=500.0, n_estimators=20).fit(X, y)
    b = 2 * model.estimator_weights_.sum()
    soft_margins = model.margins(X, y) + 500.0 * model.influence_**2
    w = np.exp(-0.5 * b * soft_margins)
    np.testing.assert_allclose(model.row_weights_, w / w.sum(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("C", [0.0, 1000.0])
def test_flipped_labels_stand_out_by_their_influence(C):
    X, y, wrong = noisy_problem(rows=300, flipped=0.1)
    model = RegularizedAdaBoostClassifier(C=C, n_estimators=40).fit(X, y)
    pairs = model.influence_[wrong][:, None] > model.influence_[~wrong]
    assert pairs.mean() > 0.85


def test_forgiveness_spreads_the_influence():
    X, y, _ = noisy_problem(rows=300)
    plain, forgiving = (
        RegularizedAdaBoostClassifier(C=C, n_estimators=40).fit(X, y) for C in (0.0, 3000.0)
    )
    assert forgiving.influence_.max() < plain.influence_.max()


def test_rows_of_weight_zero_have_no_influence_and_change_nothing():
    X, y, _ = noisy_problem()
    weights = np.random.default_rng(2).random(len(y)) + 0.1
    weights[::4] = 0.0
    there = weights > 0
    parameters = {"C": 300.0, "n_estimators": 15}
    model = RegularizedAdaBoostClassifier(**parameters).fit(X, y, weights)
    fewer = RegularizedAdaBoostClassifier(**parameters).fit(X[there], y[there], weights[there])
    np.testing.assert_array_equal(model.estimator_weights_, fewer.estimator_weights_)
    np.testing.assert_array_equal(model.influence_[there], fewer.influence_)
    assert (model.influence_[~there] == 0).all()


@pytest.mark.parametrize("p", [1, 2])
def test_weights_equal_repetition_once_c_counts_the_rows(p):
    # Influence is per row, about 1/l. Repeated rows are more, so C grows with their number.
    X, y, _ = noisy_problem()
    counts = np.random.default_rng(5).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    ratio = len(rows) / len(y)
    C = 0.05 * len(y) ** p
    model = RegularizedAdaBoostClassifier(C=C, p=p, n_estimators=15).fit(X, y, counts)
    repeated = RegularizedAdaBoostClassifier(C=C * ratio**p, p=p, n_estimators=15)
    repeated.fit(X[rows], y[rows])
    pair = model.estimator_weights_, repeated.estimator_weights_
    np.testing.assert_allclose(*pair, rtol=0, atol=1e-9)
    pair = model.influence_[rows] / ratio, repeated.influence_
    np.testing.assert_allclose(*pair, rtol=0, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 7.0, 1e9])
def test_scale_of_the_sample_weights_does_not_matter(scale):
    X, y, _ = noisy_problem()
    weights = np.random.default_rng(6).random(len(y)) + 0.1
    plain, scaled = (
        RegularizedAdaBoostClassifier(C=300.0, n_estimators=15).fit(X, y, w)
        for w in (weights, scale * weights)
    )
    pair = plain.estimator_weights_, scaled.estimator_weights_
    np.testing.assert_allclose(*pair, rtol=1e-9)
    np.testing.assert_allclose(plain.influence_, scaled.influence_, rtol=1e-9)


def test_equal_rows_are_merged_without_a_trace(monkeypatch):
    X, y, _ = noisy_problem(rows=300)
    X = np.sign(X) + (X > 1)
    models = []
    for merge in (True, False):
        monkeypatch.setattr(weakforce._estimator.fitting, "_MERGE_ROWS", merge)
        models.append(RegularizedAdaBoostClassifier(C=2000.0, n_estimators=20).fit(X, y))
    merged, plain = models
    assert merged.n_iter_ > 5
    for name in ("estimator_weights_", "row_weights_", "influence_"):
        pair = getattr(merged, name), getattr(plain, name)
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-9, err_msg=name)
    alike = {}
    for row, influence in zip(np.column_stack([X, y]), merged.influence_, strict=True):
        alike.setdefault(tuple(row), set()).add(influence)
    assert len(alike) < len(y)
    assert all(len(influences) == 1 for influences in alike.values())
