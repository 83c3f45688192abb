"""LPBoost, SoftBoost and ERLPBoost: the soft margin of all stumps, and the proof of it.

In: small noisy frames of numbers. Out: the optimum of the linear program over every stump there is
(SciPy), and certificates that bound the distance to it in every round.
"""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier

from reference.soft_margin import (
    Answer,
    all_stump_answers,
    optimality_residuals,
    optimum,
)
from support.small_margin_problems import smaller_problem
from support.totally_corrective import ROUNDING, every_booster, fit, votes_of
from weakforce import (
    LPBoostClassifier,
    RBFNet,
    Rule,
    Tree,
    datasets,
    reweight,
)


@cache
def best_objective(rows=50, seed=0, nu=0.3):
    """The largest soft margin of any combination of stumps."""
    X, y = smaller_problem(rows, seed)
    return optimum("lp-reg", y[:, None] * all_stump_answers(X), None, 1 / nu)


# The optimum


@every_booster
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("nu", [0.1, 0.3, 0.8])
def test_objective_is_that_of_all_stumps_within_the_tolerance(booster, nu, seed):
    model, best = fit(booster, nu, seed=seed), best_objective(seed=seed, nu=nu)
    assert model.stop_reason_ == "optimal"
    assert best - 0.01 - ROUNDING <= model.objective_ <= best + ROUNDING
    assert model.certificate_[-1] <= 0.01


@pytest.mark.parametrize("seed", range(3))
def test_lpboost_closes_the_gap_altogether(seed):
    model = fit(LPBoostClassifier, nu=0.2, seed=seed, tol=1e-7)
    assert model.stop_reason_ == "optimal"
    assert model.objective_ == pytest.approx(best_objective(seed=seed, nu=0.2), abs=2e-7)


@every_booster
def test_default_tolerance_is_a_hundredth(booster):
    assert booster().tol == 1e-2
    model = booster(nu=0.5, n_estimators=3000).fit(*smaller_problem())
    assert model.stop_reason_ == "optimal"
    assert model.objective_ == pytest.approx(best_objective(nu=0.5), abs=1e-2 + ROUNDING)


@every_booster
def test_votes_that_answer_all_rows_alike_are_among_the_stumps(booster):
    # Two thirds of one class: the constant has an edge, and so has every prefix.
    X, y = np.arange(30.0)[:, None], np.tile([1, 1, -1], 10)
    model = booster(nu=0.9, tol=0.01, n_estimators=500).fit(X, y)
    best = optimum("lp-reg", y[:, None] * all_stump_answers(X), None, 1 / 0.9)
    assert model.stop_reason_ == "optimal"
    assert best - 0.01 - ROUNDING <= model.objective_ <= best + ROUNDING


@every_booster
def test_all_of_the_weight_below_the_margin_is_the_best_single_stump(booster):
    # ν = 1: the objective is the mean margin, so that the largest edge is all there is.
    X, y = smaller_problem()
    model = fit(booster, nu=1.0)
    assert model.stop_reason_ == "optimal"
    assert model.objective_ == pytest.approx((y @ all_stump_answers(X)).max() / len(y))
    assert model.n_iter_ == 1
    np.testing.assert_allclose(model.duals_, 1 / len(y))


@every_booster
def test_less_than_a_row_below_the_margin_is_the_hard_margin(booster):
    X, y = smaller_problem(rows=20)
    model = fit(booster, nu=0.04, rows=20)
    hard = optimum("lp", y[:, None] * all_stump_answers(X))
    assert model.stop_reason_ == "optimal"
    assert hard - 0.01 - ROUNDING <= model.objective_ <= hard + ROUNDING
    assert hard > 0.01
    assert (model.predict(X) == y).all()


# The certificate


@every_booster
def test_certificate_bounds_the_distance_to_the_optimum_in_every_round(booster):
    best = best_objective(nu=0.3)
    for rounds in (1, 2, 3, 5, 8, 13, 21):
        model = fit(booster, n_estimators=rounds)
        assert len(model.certificate_) == model.n_iter_ <= rounds
        assert model.objective_ <= best + ROUNDING
        assert model.objective_ + model.certificate_[-1] >= best - ROUNDING


@every_booster
@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_certificate_is_never_negative_and_ends_below_the_tolerance(booster, nu):
    model = fit(booster, nu, rows=70, seed=5)
    assert (model.certificate_ >= -ROUNDING).all()
    assert (model.certificate_[:-1] > 0.01).all()
    assert model.certificate_[-1] <= 0.01


@pytest.mark.parametrize("seed", range(3))
def test_certificate_of_lpboost_is_the_best_edge_of_any_stump_less_the_objective(seed):
    X, y = smaller_problem(seed=seed)
    model = fit(LPBoostClassifier, nu=0.2, seed=seed, tol=1e-6)
    edges = (y * model.duals_) @ all_stump_answers(X)
    assert model.certificate_[-1] == pytest.approx(edges.max() - model.objective_, abs=1e-6)


@every_booster
def test_certificate_of_an_unfinished_run_is_the_lowest_edge_less_the_objective(booster):
    model = fit(booster, nu=0.1, n_estimators=4)
    assert model.stop_reason_ == "n_estimators"
    lowest = model.edges_.min() - model.objective_
    assert model.certificate_[-1] == pytest.approx(lowest, abs=ROUNDING)


# Weights, duals and slack


@every_booster
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rounds", [3, 1000])
def test_weights_solve_the_program_over_the_votes_found(booster, rounds, weighted):
    X, y = smaller_problem()
    weights = np.random.default_rng(1).random(len(y)) + 0.1 if weighted else np.ones(len(y))
    u = weights / weights.sum()
    model = booster(nu=0.3, tol=0.01, n_estimators=rounds)
    model.fit(X, y, weights if weighted else None)
    M = votes_of(model, X, y)
    assert model.objective_ == pytest.approx(optimum("lp-reg", M, u, 1 / 0.3), abs=1e-6)
    answer = Answer(model.estimator_weights_, model.slack_, model.duals_, model.objective_)
    residuals = optimality_residuals("lp-reg", answer, M, u, 1 / 0.3)
    assert max(residuals.values()) < 1e-6, residuals
    assert model.duality_gap_ <= 1e-6
    assert (model.estimator_weights_ >= 0).all()
    np.testing.assert_allclose(y * model.decision_function(X), M @ model.estimator_weights_)
    assert model.support_.tolist() == np.flatnonzero(model.duals_ > 0).tolist()
    assert model.n_support_ == len(model.support_)
    assert model.nu_ == 0.3
    assert model.solve_time_ > 0


@every_booster
def test_reweighting_finds_nothing_better(booster):
    X, y = smaller_problem()
    model = fit(booster, nu=0.25)
    again = reweight(model, X, y, method="lp-reg", C=4.0)
    assert again.objective_ == pytest.approx(model.objective_, abs=ROUNDING)


@pytest.mark.slow
@every_booster
@pytest.mark.parametrize("nu", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("domain", ["twonorm", "banana", "xd6"])
def test_nu_bounds_margin_errors_from_above_and_support_from_below(booster, domain, nu):
    X, y = getattr(datasets, f"make_{domain}")(150, seed=0)
    model = booster(nu=nu, tol=0.02, n_estimators=60).fit(X, y)
    assert (model.slack_ > ROUNDING).mean() <= nu + 1 / 150
    assert model.n_support_ / 150 >= nu - 1 / 150
    threshold = (model.margins(X, y) + model.slack_).min()
    # Where the optimum is zero, weights are not those of the linear program, and duals are.
    nearly = 1e-6 if model.objective_ > 0.02 else 0.1
    assert (model.margins(X, y)[model.support_] <= threshold + nearly).all()


@every_booster
def test_votes_do_not_cancel_out_where_the_optimum_is_zero(booster):
    # More labels are turned than nu forgives: no combination has a soft margin above zero.
    X, y = datasets.make_xd6(600, noise=0.2, seed=3)
    model = booster(nu=0.05).fit(X, y)
    assert model.stop_reason_ == "optimal"
    assert -0.01 <= model.objective_ <= 1e-9
    assert model.certificate_[-1] <= model.tol * 1.01
    clean_X, clean_y = datasets.make_xd6(2000, noise=0.0, seed=4)
    assert model.score(clean_X, clean_y) > 0.75


@every_booster
def test_a_run_that_ends_before_its_optimum_warns_of_the_gap(booster):
    X, y = smaller_problem()
    with pytest.warns(ConvergenceWarning, match=r"stopped after 3 rounds .* up to 0\.\d+") as told:
        model = booster(n_estimators=3).fit(X, y)
    assert f"{model.certificate_[-1]:.3g}" in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert booster(nu=0.5, n_estimators=3000).fit(X, y).stop_reason_ == "optimal"


@every_booster
@pytest.mark.parametrize(
    "learner",
    [
        Rule(),
        Tree(max_leaf_nodes=3),
        RBFNet(n_centers=3, n_steps=2),
        DecisionTreeClassifier(max_depth=1),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_every_learner_may_look_for_votes(booster, learner):
    X, y = smaller_problem()
    model = booster(learner, nu=0.4, tol=0.05, n_estimators=12, random_state=0).fit(X, y)
    assert model.n_iter_ > 0
    assert model.estimator_weights_.sum() == pytest.approx(1.0, abs=1e-12)
    margins = y * model.decision_function(X)
    own = max(rho - 2.5 * np.maximum(rho - margins, 0).mean() for rho in margins)
    assert model.objective_ == pytest.approx(own, abs=1e-9)
    again = reweight(model, X, y, method="lp-reg", C=2.5)
    assert model.objective_ == pytest.approx(again.objective_, abs=1e-6)
    assert model.objective_ <= model.edges_.min() + ROUNDING


# Sample weights


@every_booster
def test_sample_weights_make_the_program_theirs(booster):
    X, y = smaller_problem()
    weights = np.random.default_rng(2).random(len(y)) + 0.05
    model = booster(nu=0.3, tol=0.01, n_estimators=1000).fit(X, y, weights)
    u = weights / weights.sum()
    best = optimum("lp-reg", y[:, None] * all_stump_answers(X), u, 1 / 0.3)
    assert best - 0.01 - ROUNDING <= model.objective_ <= best + ROUNDING
    assert (model.duals_ <= u / 0.3 + ROUNDING).all()
    assert model.duals_.sum() == pytest.approx(1.0)


@every_booster
def test_weights_equal_repetition(booster):
    X, y = smaller_problem()
    counts = np.random.default_rng(3).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    weighted = booster(nu=0.4, tol=0.01, n_estimators=6).fit(X, y, counts)
    repeated = booster(nu=0.4, tol=0.01, n_estimators=6).fit(X[rows], y[rows])
    assert weighted.objective_ == pytest.approx(repeated.objective_, abs=1e-6)
    pair = weighted.certificate_, repeated.certificate_
    np.testing.assert_allclose(*pair, rtol=0, atol=1e-6)
    assert (weighted.duals_[counts == 0] == 0).all()
