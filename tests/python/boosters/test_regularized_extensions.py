"""AdaBoost_Reg beyond the paper's choices: any power of the influence, φ, and mistrust of rows.

In: small noisy frames. Out: models beside the naive oracle and ATA(φ).
"""

import numpy as np
import pytest

from reference.learners import to_frame
from reference.soft_margin import Rounds, regularized
from support.equal_models import (
    assert_equal_to_the_oracle,
    assert_equal_up_to_rounding,
    assert_same_stumps,
)
from support.small_margin_problems import noisy_problem, uniform
from support.small_problems import learnable_problem
from weakforce import DiscreteAdaBoostClassifier, RegularizedAdaBoostClassifier, Stump, Tree

ROUNDS = 10


def mistrust_of(rows, C):
    """A third of the rows is mistrusted; what they are forgiven is at most a margin of 0.6."""
    rng = np.random.default_rng(rows)
    return np.where(rng.random(rows) < 0.3, 0.6 * rng.random(rows) / C, 0.0)


@pytest.mark.parametrize("mistrusting", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("phi", [0.3, 0.5])
@pytest.mark.parametrize("p", [0.5, 1, 2, 3])
def test_model_equals_the_oracle_round_by_round(p, phi, weighted, mistrusting):
    columns, y, weights, later = learnable_problem(int(weighted), noise=0.3)
    weights = weights if weighted else None
    parameters = {"C": 0.05 * len(y) ** p, "p": p, "phi": phi}
    mistrust = mistrust_of(len(y), parameters["C"]) if mistrusting else None
    expected, influence = regularized(columns, y, weights, ROUNDS, mistrust=mistrust, **parameters)
    model = RegularizedAdaBoostClassifier(n_estimators=ROUNDS, max_bins=1000, **parameters)
    model.fit(to_frame(columns), y, sample_weight=weights, mistrust=mistrust)
    assert_same_stumps(model, expected)
    assert_equal_to_the_oracle(model, expected, (columns, later), atol=1e-6)
    np.testing.assert_allclose(model.influence_, influence, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("phi", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("p", [0.5, 1, 2, 3])
def test_losses_of_the_oracle_are_those_of_the_definition(p, phi):
    X, y = noisy_problem(rows=30)
    rng = np.random.default_rng(0)
    u, mistrust = rng.dirichlet(np.ones(len(y))), 0.02 * rng.random(len(y))
    rounds = Rounds(u, 40.0, p, phi, mistrust)
    for b, column in ((0.7, 0), (0.4, 1), (1.3, 2)):
        margins = y * np.sign(X[:, column])
        losses = rounds.losses(margins, [0.0, b])
        assert losses[0] == pytest.approx(rounds.loss(), abs=1e-12)
        rounds = rounds.with_round(b, margins)
        assert losses[1] == pytest.approx(rounds.loss(), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("mistrusting", [False, True])
@pytest.mark.parametrize("phi", [0.35, 0.6])
@pytest.mark.parametrize("p", [0.3, 1.5, 4])
def test_no_step_on_a_fine_grid_has_a_lower_loss(p, phi, mistrusting):
    X, y = noisy_problem()
    C = 0.05 * len(y) ** p
    mistrust = mistrust_of(len(y), C) if mistrusting else None
    model = RegularizedAdaBoostClassifier(C=C, p=p, phi=phi, n_estimators=15)
    model.fit(X, y, mistrust=mistrust)
    assert model.n_iter_ > 1
    rounds = Rounds(uniform(y), C, p, phi, 0.0 if mistrust is None else mistrust)
    for alpha, stump in zip(model.estimator_weights_, model.estimators_, strict=True):
        inside = X[:, stump.column] <= stump.threshold
        margins = y * np.where(inside, stump.inside, stump.outside)
        assert rounds.loss_with(margins, 2 * alpha) <= rounds.losses(margins).min() + 1e-12
        rounds = rounds.with_round(2 * alpha, margins)


# C = 0


@pytest.mark.parametrize("learning_rate", [1.0, 0.4])
@pytest.mark.parametrize("p", [0.5, 2])
@pytest.mark.parametrize(
    ("learner", "phi"),
    [
        *[(Stump(), phi) for phi in (0.35, 0.5, 0.65, 0.9)],
        *[(Tree(max_leaf_nodes=6), phi) for phi in (0.25, 0.5, 0.8)],
    ],
)
def test_without_regularisation_it_is_ata(learner, phi, p, learning_rate):
    X, y = noisy_problem()
    weights = np.random.default_rng(1).random(len(y)) + 0.2
    shared = {"n_estimators": 25, "learning_rate": learning_rate, "phi": phi}
    plain = DiscreteAdaBoostClassifier(learner, **shared).fit(X, y, weights)
    model = RegularizedAdaBoostClassifier(learner, C=0.0, p=p, **shared)
    model.fit(X, y, weights, mistrust=weights)
    assert_equal_up_to_rounding(model, plain, X, ("row_weights_",))


def test_a_vote_no_better_than_phi_ends_the_run():
    X, y = noisy_problem()
    error = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y).estimator_errors_[0]
    for C in (0.0, 100.0):
        model = RegularizedAdaBoostClassifier(C=C, phi=error - 1e-3).fit(X, y)
        assert (model.stop_reason_, model.n_iter_) == ("no_edge", 0)
        model = RegularizedAdaBoostClassifier(C=C, phi=error + 1e-3).fit(X, y)
        assert model.n_iter_ > 0


# The power of the influence


def test_whole_powers_are_the_same_as_numbers_of_any_type():
    X, y = noisy_problem()
    for p in (1, 2):
        runs = [
            RegularizedAdaBoostClassifier(C=0.05 * len(y) ** p, p=power, n_estimators=10)
            for power in (p, float(p), np.float64(p), np.int64(p))
        ]
        weights = [model.fit(X, y).estimator_weights_.tobytes() for model in runs]
        assert len(set(weights)) == 1


@pytest.mark.parametrize("p", [1, 2])
def test_powers_next_to_each_other_make_similar_models(p):
    X, y = noisy_problem()
    C = 0.05 * len(y) ** p
    model, other = (
        RegularizedAdaBoostClassifier(C=C, p=power, n_estimators=10).fit(X, y)
        for power in (p, p * (1 + 1e-9))
    )
    pair = model.estimator_weights_, other.estimator_weights_
    np.testing.assert_allclose(*pair, rtol=0, atol=1e-6)
    assert (model.estimator_weights_ != other.estimator_weights_).any()


@pytest.mark.parametrize("p", [1e-300, 1e-3, 50.0, 1e4, 1e308])
def test_extreme_powers_give_finite_models(p):
    X, y = noisy_problem()
    weights = np.where(np.arange(len(y)) % 7 == 0, 1e-6, 1.0)
    model = RegularizedAdaBoostClassifier(C=0.3, p=p, n_estimators=10).fit(X, y, weights)
    assert model.n_iter_ > 0
    assert np.isfinite(model.estimator_weights_).all()
    assert model.row_weights_.sum() == pytest.approx(1.0)
