"""`reweight`: programs over the margins of a fitted model, against SciPy and by hand.

In: small noisy frames and AdaBoost fitted to them. Out: objectives, the conditions of Karush, Kuhn
and Tucker, what ν says of the rows, and what sample weights mean.
"""

import numpy as np
import pytest

from reference.soft_margin import caps, margins_of, objective_of, optimum
from support.margin_programs import FEW, answer_in, assert_optimal, every_program, some_programs
from support.small_margin_problems import boosted, noisy_problem, uniform
from weakforce import (
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    LPAdaBoostClassifier,
    RealAdaBoostClassifier,
    datasets,
    reweight,
)

#: Margins (1, 1), (1, −1) and (−1, 1): each of two votes errs on one of three rows.
THREE_BY_TWO = np.array([[0, 1], [1, 1], [1, 0]]), np.array([0, 1, 0])


# Optimality


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("weighted", [False, True])
@every_program
def test_objective_is_that_of_scipy_and_all_conditions_hold(method, C, weighted, seed):
    (X, y), model = noisy_problem(seed=seed), boosted(seed=seed)
    weights = np.random.default_rng(seed).random(len(y)) + 0.1 if weighted else np.ones(len(y))
    u, M = weights / weights.sum(), margins_of(model, X, y)
    new = reweight(model, X, y, method=method, C=C, sample_weight=weights if weighted else None)
    assert new.objective_ == pytest.approx(optimum(method, M, u, C), rel=1e-6, abs=1e-7)
    assert_optimal(new, method, C, M, u)
    own = objective_of(method, answer_in(new), M, u, C)
    assert new.objective_ == pytest.approx(own, rel=1e-9, abs=1e-9)
    assert 0 <= new.duality_gap_ <= 1e-6 * max(1.0, abs(new.objective_))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "C"), [("lp", None), ("lp-reg", 3.0), ("qp-reg", 30.0), ("l1", 0.05)]
)
def test_many_rows_have_the_optimum_of_all_of_them(method, C):
    # More rows than are handed to the solver as they stand.
    (X, y), model = noisy_problem(1500), boosted(1500, n_estimators=60)
    M = margins_of(model, X, y)
    assert len(np.unique(M, axis=0)) > 550
    new = reweight(model, X, y, method=method, C=C)
    assert new.objective_ == pytest.approx(optimum(method, M, None, C), rel=1e-6, abs=1e-7)
    assert_optimal(new, method, C, M, uniform(y))


@pytest.mark.parametrize("booster", [RealAdaBoostClassifier, AdaBoostRClassifier])
@some_programs
def test_confidences_have_margins_of_any_size(booster, method, C):
    X, y = noisy_problem()
    model = booster(n_estimators=15).fit(X, y)
    M = margins_of(model, X, y)
    assert len(np.unique(np.abs(M))) > 2
    new = reweight(model, X, y, method=method, C=C)
    assert new.objective_ == pytest.approx(optimum(method, M, None, C), rel=1e-6, abs=1e-7)
    assert_optimal(new, method, C, M, uniform(y))


@pytest.mark.slow
@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
def test_quadratic_program_agrees_with_cvxpy(C):
    cvxpy = pytest.importorskip("cvxpy")
    (X, y), model = noisy_problem(), boosted()
    M = margins_of(model, X, y)
    b = cvxpy.Variable(M.shape[1], nonneg=True)
    loss = cvxpy.sum(cvxpy.pos(1 - M @ b))
    expected = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(b) + C / len(y) * loss))
    expected.solve(solver="CLARABEL")
    new = reweight(model, X, y, method="qp-reg", C=C)
    assert new.objective_ == pytest.approx(expected.value, rel=1e-6)
    np.testing.assert_allclose(new.estimator_weights_, b.value, rtol=0, atol=1e-4)


@every_program
def test_slack_is_what_rows_lack_to_the_margin(method, C):
    (X, y), model = noisy_problem(), boosted()
    new = reweight(model, X, y, method=method, C=C)
    margins = margins_of(model, X, y) @ new.estimator_weights_
    threshold = 1.0
    if method.startswith("lp"):
        paid = 0.0 if C is None else C * new.slack_.mean()
        threshold = new.objective_ + paid
    np.testing.assert_allclose(new.slack_, np.maximum(threshold - margins, 0), rtol=0, atol=1e-7)
    # Scores are the margins that the program speaks of.
    np.testing.assert_allclose(y * new.decision_function(X), margins, rtol=0, atol=1e-9)


@every_program
def test_support_is_on_or_below_the_margin_and_nowhere_else(method, C):
    (X, y), model = noisy_problem(), boosted()
    new = reweight(model, X, y, method=method, C=C)
    assert new.support_.tolist() == np.flatnonzero(new.duals_ > 0).tolist()
    assert new.n_support_ == len(new.support_)
    margins = margins_of(model, X, y) @ new.estimator_weights_
    threshold = (margins + new.slack_).min()
    assert (margins[new.support_] <= threshold + 1e-6).all()
    below = np.flatnonzero(margins < threshold - 1e-6)
    assert np.isin(below, new.support_).all()


@every_program
def test_nu_is_the_share_of_the_duals_in_the_most_they_may_be(method, C):
    (X, y), model = noisy_problem(), boosted()
    new = reweight(model, X, y, method=method, C=C)
    if method == "lp":
        assert new.nu_ == 0.0
    else:
        share = (new.duals_ / caps(method, uniform(y), C)).mean()
        assert new.nu_ == pytest.approx(share, abs=1e-9)
    if method == "lp-reg":
        assert new.nu_ == pytest.approx(1 / C)


@pytest.mark.parametrize("nu", [0.05, 0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("domain", ["twonorm", "ringnorm", "banana", "waveform", "xd6"])
def test_nu_bounds_margin_errors_from_above_and_support_from_below(domain, nu):
    X, y = getattr(datasets, f"make_{domain}")(300, seed=0)
    model = DiscreteAdaBoostClassifier(n_estimators=40).fit(X, y)
    new = reweight(model, X, y, method="lp-reg", C=1 / nu)
    errors = (new.slack_ > 1e-7).mean()
    assert errors <= nu + 1 / 300
    assert new.n_support_ / 300 >= nu - 1 / 300
    margins = new.margins(X, y)
    threshold = (margins + new.slack_).min()
    assert (margins[new.support_] <= threshold + 1e-6).all()


# By hand


@pytest.mark.parametrize(
    ("method", "C", "objective", "weights", "duals"),
    [
        # c = (½, ½) has margins (1, 0, 0), and d = (0, ½, ½) gives no vote an edge.
        ("lp", None, 0.0, [1 / 2, 1 / 2], [0, 1 / 2, 1 / 2]),
        ("lp-reg", 3.0, 0.0, [1 / 2, 1 / 2], [0, 1 / 2, 1 / 2]),
        # Duals of at most 0.4 leave 0.2 for the first row, an edge of 0.2 to both votes.
        ("lp-reg", 1.2, 0.2, [1 / 2, 1 / 2], [0.2, 0.4, 0.4]),
        # Every combination has the mean margin ⅓.
        ("lp-reg", 1.0, 1 / 3, None, [1 / 3] * 3),
        # 2β² + (C/3)((1 − 2β)₊ + 2): β = C/6 up to ½.
        ("qp-reg", 1.0, 17 / 18, [1 / 6, 1 / 6], [1 / 3] * 3),
        ("qp-reg", 6.0, 4.5, [1 / 2, 1 / 2], [1, 2, 2]),
        # The sum s of the weights pays C(1 − s)₊ + 2C + s.
        ("l1", 0.5, 1.5, [0, 0], [0.5] * 3),
        ("l1", 2.0, 5.0, None, [1, 2, 2]),
    ],
)
def test_three_rows_and_two_votes_are_weighed_as_by_hand(method, C, objective, weights, duals):
    X, y = THREE_BY_TWO
    model = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, y)
    assert margins_of(model, X, y).tolist() == [[1, 1], [1, -1], [-1, 1]]
    new = reweight(model, X, y, method=method, C=C)
    assert new.objective_ == pytest.approx(objective, abs=1e-7)
    np.testing.assert_allclose(new.duals_, duals, rtol=0, atol=1e-6)
    assert new.support_.tolist() == np.flatnonzero(duals).tolist()
    if weights is not None:
        np.testing.assert_allclose(new.estimator_weights_, weights, rtol=0, atol=1e-6)


# Sample weights


@pytest.mark.parametrize(
    ("method", "C"), [("lp-reg", 1.5), ("lp-reg", 10.0), ("qp-reg", 20.0), ("l1", 0.1)]
)
def test_weights_equal_repetition(method, C):
    (X, y), model = noisy_problem(), boosted()
    counts = np.random.default_rng(3).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    # Slack is paid per row in eq. (22), where weights have mean 1 over the rows that are there.
    per_row = np.count_nonzero(counts) / len(rows) if method == "l1" else 1.0
    weighted = reweight(model, X, y, method=method, C=C, sample_weight=counts)
    repeated = reweight(model, X[rows], y[rows], method=method, C=C * per_row)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-7, abs=1e-8)
    assert weighted.nu_ == pytest.approx(repeated.nu_, abs=1e-6)
    if method == "qp-reg":  # the others may have several solutions
        pair = weighted.estimator_weights_, repeated.estimator_weights_
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-5)


@some_programs
def test_rows_of_weight_zero_are_absent(method, C):
    (X, y), model = noisy_problem(), boosted()
    weights = np.random.default_rng(4).random(len(y)) + 0.1
    weights[::3] = 0.0
    there = weights > 0
    new = reweight(model, X, y, method=method, C=C, sample_weight=weights)
    fewer = reweight(model, X[there], y[there], method=method, C=C, sample_weight=weights[there])
    assert new.objective_ == pytest.approx(fewer.objective_, rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(new.estimator_weights_, fewer.estimator_weights_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(new.duals_[there], fewer.duals_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(new.slack_[there], fewer.slack_, rtol=0, atol=1e-9)
    assert (new.duals_[~there] == 0).all()


@some_programs
def test_scale_of_the_weights_does_not_matter(method, C):
    (X, y), model = noisy_problem(), boosted()
    weights = np.random.default_rng(5).random(len(y)) + 0.1
    new, scaled = (
        reweight(model, X, y, method=method, C=C, sample_weight=w) for w in (weights, 1e3 * weights)
    )
    assert new.objective_ == pytest.approx(scaled.objective_, rel=1e-7, abs=1e-9)


def test_weights_mean_nothing_to_the_hard_margin():
    (X, y), model = noisy_problem(), boosted()
    weights = np.random.default_rng(6).random(len(y)) + 0.1
    plain, weighted = (reweight(model, X, y, method="lp", sample_weight=w) for w in (None, weights))
    assert plain.objective_ == pytest.approx(weighted.objective_, abs=1e-8)


def test_class_weights_of_the_model_stay_in_force():
    X, y = noisy_problem()
    model = DiscreteAdaBoostClassifier(n_estimators=20, class_weight={-1: 3.0, 1: 0.5}).fit(X, y)
    plain = DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y)
    new, expected = (reweight(each, X, y, method="qp-reg", C=10.0) for each in (model, plain))
    added = new.decision_function(X) - expected.decision_function(X)
    np.testing.assert_allclose(added, np.log(0.5 / 3.0) / 2)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_hard_margin_keeps_adaboosts_weights_where_rows_contradict_each_other(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 3)), rng.integers(0, n_classes, 60)
    with pytest.warns(UserWarning, match="largest smallest margin is .*; give C for soft margins"):
        model = LPAdaBoostClassifier(n_estimators=10).fit(X, y)
    assert (np.atleast_1d(model.objective_) <= 1e-9).any()
    plain = DiscreteAdaBoostClassifier(n_estimators=10).fit(X, y)
    total = np.abs(plain.estimator_weights_).sum(axis=0)
    np.testing.assert_allclose(model.estimator_weights_, plain.estimator_weights_ / total)
    if n_classes == 2:
        assert (model.predict(X) == plain.predict(X)).all()


def test_equal_rows_have_equal_duals_that_add_up():
    X, y = noisy_problem(300)
    X = np.sign(X)
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y)
    for method, C in FEW:
        new = reweight(model, X, y, method=method, C=C)
        assert_optimal(new, method, C, margins_of(model, X, y), uniform(y))
        seen = {}
        for row, dual in zip(np.column_stack([X, y]), new.duals_, strict=True):
            assert seen.setdefault(tuple(row), dual) == dual
        assert len(seen) < len(y)
