"""What the papers prove or work out by hand: examples, identities and bounds of A1–A4.

Each fact is checked on fitted models alone, with formulas written out here; [0], [2] and [4] are
the papers as numbered in algorithms.md.
"""

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

from support.registry import BY_COST, every_booster, every_greedy_booster
from weakforce import (
    AdaBoostRClassifier,
    ArcGVClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    Stump,
)

LOGISTIC = Stump(criterion="z", answer="logistic")
VOTE = Stump(answer="vote")
THETAS = np.linspace(-1, 1, 41)


def noisy_problem(rows=120, columns=4, seed=0, noise=0.7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = np.where(X[:, 0] + X[:, 1] + noise * rng.normal(size=rows) > 0, 1, -1)
    return X, y


def answers(stump, X):
    return np.where(X[:, stump.column] <= stump.threshold, stump.inside, stump.outside)


def row_weights_by_round(booster, X, y, rounds, **parameters):
    """Return the distributions before round 1, before round 2, …, after the last round."""
    runs = [booster(n_estimators=t + 1, **parameters).fit(X, y) for t in range(rounds)]
    return [np.full(len(y), 1 / len(y))] + [run.row_weights_ for run in runs]


def largest_margin(X, y):
    """Solve the linear program for the largest smallest margin of any mix of votes."""
    votes = [np.ones(len(X))]
    for x in X.T:
        values = np.unique(x)
        votes += [np.where(x <= cut, 1.0, -1.0) for cut in (values[1:] + values[:-1]) / 2]
    M = y[:, None] * np.column_stack(votes)
    M = np.hstack([M, -M])
    rows, n = M.shape
    solved = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.hstack([-M, np.ones((rows, 1))]),
        b_ub=np.zeros(rows),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    assert solved.status == 0
    return -solved.fun


def test_xor_walk_of_section_7_3_1():
    X, y = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]]), [1, 1, -1, -1]
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(X, y)
    np.testing.assert_allclose(model.estimator_weights_, 0.5 * np.log([3, 5, 9]), rtol=1e-12)
    np.testing.assert_allclose(model.estimator_errors_, [1 / 4, 1 / 6, 1 / 10], rtol=1e-12)
    assert model.train_score_.tolist() == [0.75, 0.75, 1.0]
    assert (model.predict(X) == y).all()


def test_exercise_4_reaches_zero_error_with_five_stumps():
    X, y = np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [0, 0]]), np.array([1, 1, 1, 1, -1])
    model = DiscreteAdaBoostClassifier(n_estimators=5000).fit(X, y)
    first = int(np.argmax(model.train_score_ == 1.0))
    assert model.train_score_[first] == 1.0
    # The constant and one vote for each arm; AdaBoost takes them several times over.
    functions = {tuple(answers(stump, X)) for stump in model.estimators_[: first + 1]}
    arms = {tuple(np.where(np.arange(5) == arm, 1.0, -1.0)) for arm in range(4)}
    assert functions == arms | {(1.0,) * 5}
    assert largest_margin(X, y) == pytest.approx(1 / 7)
    assert model.margins(X, y).min() == pytest.approx(1 / 7, abs=0.005)


@pytest.mark.parametrize("learning_rate", [1.0, 0.5])
def test_lemma_1_adaboost_r_on_votes_is_discrete_adaboost(learning_rate):
    X, y = noisy_problem()
    parameters = {"n_estimators": 60, "learning_rate": learning_rate}
    expected = DiscreteAdaBoostClassifier(VOTE, **parameters).fit(X, y)
    model = AdaBoostRClassifier(VOTE, **parameters).fit(X, y)
    assert model.estimators_ == expected.estimators_
    np.testing.assert_allclose(model.estimator_weights_, expected.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(model.row_weights_, expected.row_weights_, rtol=1e-9)


@every_booster
def test_row_weights_are_a_distribution_that_leaves_zero_weights_out(booster):
    X, y = noisy_problem()
    sample_weight = np.random.default_rng(1).random(len(y))
    sample_weight[::7] = 0.0
    w = booster(n_estimators=30).fit(X, y, sample_weight).row_weights_
    assert w.sum() == pytest.approx(1.0, abs=1e-12)
    assert (w[::7] == 0).all()
    assert (np.delete(w, np.s_[::7]) > 0).all()


@pytest.mark.parametrize("phi", [0.3, 0.5, 0.6])
def test_last_hypothesis_has_error_phi_after_the_update(phi):
    X, y = noisy_problem(noise=0.0)
    for rounds in range(1, 8):
        model = DiscreteAdaBoostClassifier(n_estimators=rounds, phi=phi).fit(X, y)
        wrong = answers(model.estimators_[-1], X) != y
        assert model.row_weights_[wrong].sum() == pytest.approx(phi, abs=1e-12)


def test_training_error_stays_below_both_bounds_of_a1():
    X, y = noisy_problem(noise=0.3)
    model = DiscreteAdaBoostClassifier(n_estimators=250).fit(X, y)
    errors = model.estimator_errors_
    product = np.cumprod(2 * np.sqrt(errors * (1 - errors)))
    exponential = np.exp(-2 * np.cumsum((0.5 - errors) ** 2))
    training_error = 1 - model.train_score_
    assert (training_error <= product + 1e-12).all()
    assert (product <= exponential + 1e-12).all()
    assert product[-1] < 1 / len(y)
    assert training_error[-1] == 0


def margin_bound(theta, phi, errors):
    """Theorem 3 of [4] from its appendix B: exp(θ/2 Σb) Π ((1−ε) e^{−b/2} + ε e^{b/2})."""
    odds = phi / (1 - phi)
    factor = odds ** ((1 + theta) / 2) + odds ** (-(1 - theta) / 2)
    return np.prod(factor * np.sqrt(errors ** (1 - theta) * (1 - errors) ** (1 + theta)))


@pytest.mark.parametrize("phi", [0.3, 0.4, 0.5, 0.6, 0.7])
def test_theorem_3_bounds_the_margin_distribution(phi):
    X, y = noisy_problem(noise=0.0)
    model = DiscreteAdaBoostClassifier(n_estimators=60, phi=phi).fit(X, y)
    margins, errors = model.margins(X, y), model.estimator_errors_
    assert (errors < phi).all()
    share = np.array([(margins <= theta - 1e-12).mean() for theta in THETAS])
    bound = np.array([margin_bound(theta, phi, errors) for theta in THETAS])
    assert (share <= bound + 1e-12).all()
    assert (bound[share > 0] < 1).any(), "the bound says something where there are margin errors"


def test_corollary_4_bounds_the_smallest_margin_once_the_run_is_long():
    X, y = noisy_problem(rows=20, columns=3, seed=2, noise=0.0)
    best = largest_margin(X, y)
    phi = (1 - best / 2) / 2  # so that 1 − 2φ is half of what can be reached
    model = DiscreteAdaBoostClassifier(n_estimators=800, phi=phi).fit(X, y)
    smallest, errors = model.margins(X, y).min(), model.estimator_errors_
    assert model.n_iter_ == 800
    assert errors.max() <= (1 - best) / 2 + 1e-9
    # At θ = 1 − 2φ the bound is exp(−Σ KL(φ ‖ ε)); below 1/m no margin can be that small.
    divergence = phi * np.log(phi / errors) + (1 - phi) * np.log((1 - phi) / (1 - errors))
    assert margin_bound(1 - 2 * phi, phi, errors) == pytest.approx(np.exp(-divergence.sum()))
    assert np.exp(-divergence.sum()) < 1 / len(y)
    assert smallest > 1 - 2 * phi
    # Equation 6 with the largest error, reached up to the θ where the bound falls below 1/m.
    epsilon = errors.max()
    a, b = np.log(phi / epsilon), np.log((1 - phi) / (1 - epsilon))
    worst = np.full_like(errors, epsilon)
    theta = brentq(lambda t: np.log(margin_bound(t, phi, worst) * len(y)), -1, (a + b) / (a - b))
    assert smallest > theta > 1 - 2 * phi
    assert theta == pytest.approx((a + b) / (a - b), abs=0.06)


def test_adaboost_r_updates_by_equation_6_without_normalising():
    X, y = noisy_problem()
    before, *later = row_weights_by_round(AdaBoostRClassifier, X, y, 40)
    model = AdaBoostRClassifier(n_estimators=40).fit(X, y)
    product = before
    for stump, mu, alpha, after in zip(
        model.estimators_, model.edges_, model.estimator_weights_, later, strict=True
    ):
        h = answers(stump, X)
        largest = np.abs(h).max()
        assert mu == pytest.approx((before * y * h).sum() / largest, abs=1e-12)
        assert alpha == pytest.approx(np.log((1 + mu) / (1 - mu)) / (2 * largest), rel=1e-9)
        product = product * (1 - mu * y * h / largest) / (1 - mu**2)
        np.testing.assert_allclose(after, product, rtol=1e-9)
        assert product.sum() == pytest.approx(1.0, abs=1e-9)
        before = after


def test_equation_19_weight_falls_only_where_a_row_does_better_than_average():
    X, y = noisy_problem()
    weights = row_weights_by_round(AdaBoostRClassifier, X, y, 15)
    model = AdaBoostRClassifier(n_estimators=15).fit(X, y)
    right_but_heavier = 0
    for t, (stump, mu) in enumerate(zip(model.estimators_, model.edges_, strict=True)):
        assert mu > 0
        margin = y * answers(stump, X) / np.abs(answers(stump, X)).max()
        falls = weights[t + 1] < weights[t] * (1 - 1e-12)
        assert (margin[falls] >= mu).all()
        assert falls[margin > mu + 1e-9].all()
        right_but_heavier += ((margin > 0) & (weights[t + 1] > weights[t])).sum()
    assert right_but_heavier > 0


@pytest.mark.parametrize("learner", [LOGISTIC, Stump(answer="gentle"), VOTE])
def test_theorem_1_of_paper_0_bounds_every_margin_error(learner):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, size=(300, 3)).astype(float)  # rows repeat with different labels
    y = np.where(X.sum(axis=1) + rng.normal(size=300) > 4.5, 1, -1)
    u = rng.random(300)
    u /= u.sum()
    positive, negative = {}, {}
    for row, label, weight in zip(map(tuple, X), y, u, strict=True):
        side = positive if label > 0 else negative
        side[row] = side.get(row, 0.0) + weight
    bayes = sum(min(weight, negative.get(row, 0.0)) for row, weight in positive.items())
    assert 0.01 < bayes < 0.2
    for rounds in (1, 5, 50):
        model = AdaBoostRClassifier(learner, n_estimators=rounds).fit(X, y, u)
        margins = model.margins(X, y, kind="logistic")
        decay = np.exp(-0.5 * (model.edges_**2).sum())
        for theta in THETAS[:-1]:
            bound = bayes + max(1.0, (1 + theta) / (1 - theta)) * decay
            assert u[margins <= theta].sum() <= bound + 1e-12
    assert bayes + decay < 0.8


def test_logistic_stumps_without_smoothing_have_alpha_one():
    X, y = noisy_problem(rows=400, seed=4, noise=2.0)
    X = np.clip(np.round(X), -1, 1)  # few cuts, so that no side is pure
    learner = Stump(criterion="z", answer="logistic", smoothing=0.0)
    model = RealAdaBoostClassifier(learner, n_estimators=25).fit(X, y)
    assert max(abs(s.inside) for s in model.estimators_) < 10
    np.testing.assert_allclose(model.estimator_weights_, 1.0, atol=1e-9)


@pytest.mark.parametrize("answer", ["gentle", "logistic"])
def test_line_search_beats_every_weight_of_a_fine_grid(answer):
    X, y = noisy_problem()
    learner = Stump(criterion="gini", answer=answer, smoothing=0.05)
    weights = row_weights_by_round(RealAdaBoostClassifier, X, y, 10, estimator=learner)
    model = RealAdaBoostClassifier(learner, n_estimators=10).fit(X, y)
    rounds = zip(model.estimators_, model.estimator_weights_, weights, strict=False)
    for stump, alpha, w in rounds:
        margins = y * answers(stump, X)
        loss = lambda a: (w * np.exp(-a * margins)).sum()  # noqa: B023, E731
        assert all(loss(alpha) <= loss(a) + 1e-15 for a in np.linspace(-5, 5, 401))
        slope = (-margins * w * np.exp(-alpha * margins)).sum()
        curvature = (margins**2 * w * np.exp(-alpha * margins)).sum()
        assert abs(slope / curvature) <= 1e-9 * alpha
    assert not np.allclose(model.estimator_weights_, 1.0, atol=1e-3)


def test_arc_gv_reaches_the_largest_margin_where_adaboost_does_not():
    # Rudin, Daubechies and Schapire (2004): AdaBoost cycles at 1/3, the best is 3/8.
    M = np.array(
        [
            [-1, 1, 1, 1, 1, -1, -1, 1],
            [-1, 1, 1, -1, -1, 1, 1, 1],
            [1, -1, 1, 1, 1, -1, 1, 1],
            [1, -1, 1, 1, -1, 1, 1, 1],
            [1, -1, 1, -1, 1, 1, 1, -1],
            [1, 1, -1, 1, 1, 1, 1, -1],
            [1, 1, -1, 1, 1, 1, -1, 1],
            [1, 1, 1, 1, -1, -1, 1, -1],
        ]
    )
    y = np.array([-1, -1, -1, -1, 1, 1, 1, 1])
    X = y[:, None] * M
    assert largest_margin(X, y) == pytest.approx(3 / 8)
    smallest = {}
    for booster in (DiscreteAdaBoostClassifier, ArcGVClassifier):
        smallest[booster] = booster(n_estimators=10_000).fit(X, y).margins(X, y).min()
    assert smallest[DiscreteAdaBoostClassifier] == pytest.approx(1 / 3, abs=0.001)
    assert 0.37 < smallest[ArcGVClassifier] <= 3 / 8 + 1e-9


@every_greedy_booster
def test_learning_rate_scales_alpha_before_the_update(booster):
    X, y = noisy_problem()
    whole = booster(n_estimators=1).fit(X, y)
    half = booster(n_estimators=1, learning_rate=0.5).fit(X, y)
    assert half.estimators_ == whole.estimators_
    assert half.estimator_weights_[0] == pytest.approx(whole.estimator_weights_[0] / 2, rel=1e-12)
    if booster._kind in BY_COST:
        return  # with two classes, a vote's right and wrong rows weigh the same after one round
    uniform = np.full(len(y), 1 / len(y))
    moved = [np.abs(model.row_weights_ - uniform).sum() for model in (half, whole)]
    assert 0 < moved[0] < moved[1]
