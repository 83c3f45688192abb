"""`reweight`: programs over the margins of a fitted model, against SciPy and by hand.

In: small noisy frames and models of every learner. Out: objectives, the conditions of Karush, Kuhn
and Tucker, and a model that is the one given but for its weights.
"""

import pickle
from functools import cache

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import weakforce
from reference_soft_margin import (
    Answer,
    caps,
    margins_of,
    objective_of,
    optimality_residuals,
    optimum,
)
from weakforce import (
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
    datasets,
    reweight,
)

PROGRAMS = [
    ("lp", None),
    ("lp-reg", 1.0),
    ("lp-reg", 3.0),
    ("lp-reg", 25.0),
    ("qp-reg", 0.1),
    ("qp-reg", 10.0),
    ("qp-reg", 500.0),
    ("l1", 1e-4),
    ("l1", 0.03),
    ("l1", 5.0),
]
every_program = pytest.mark.parametrize(("method", "C"), PROGRAMS)
#: One of each kind, for tests of what does not depend on C.
FEW = [("lp", None), ("lp-reg", 3.0), ("qp-reg", 10.0), ("l1", 0.1)]
some_programs = pytest.mark.parametrize(("method", "C"), FEW)

#: Margins (1, 1), (1, −1) and (−1, 1): each of two votes errs on one of three rows.
THREE_BY_TWO = np.array([[0, 1], [1, 1], [1, 0]]), np.array([0, 1, 0])


@cache
def noisy_problem(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    return X, np.where(X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=rows) > 0, 1, -1)


@cache
def boosted(rows=120, seed=0, n_estimators=30):
    model = DiscreteAdaBoostClassifier(n_estimators=n_estimators)
    return model.fit(*noisy_problem(rows, seed))


def uniform(y):
    return np.full(len(y), 1 / len(y))


def answer_in(model):
    return Answer(model.estimator_weights_, model.slack_, model.duals_, model.objective_)


def assert_optimal(model, method, C, M, u, tolerance=1e-6):
    """Every condition holds up to the tolerance, for numbers as large as those of the program."""
    answer, there = answer_in(model), u > 0
    answer = Answer(answer.weights, answer.slack[there], answer.duals[there], answer.objective)
    residuals = optimality_residuals(method, answer, M[there], u[there], C)
    scale = max(1.0, np.abs(answer.weights).max(), answer.duals.max())
    worst = max(residuals, key=residuals.get)
    assert residuals[worst] < tolerance * scale, worst


def fingerprint(model):
    return model._model.to_json("{}"), pickle.dumps(vars(model).get("train_score_"))


# Optimality


@pytest.mark.parametrize("seed", range(3))
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
    assert new.n_support_ < 300 or nu > 0.5


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


# Degenerate programs


@pytest.mark.parametrize(
    ("method", "C", "objective", "weight"),
    [
        ("lp", None, -1.0, 1.0),
        # A quarter of the margins is −1, so that ϱ = 1 costs 2 C/4.
        ("lp-reg", 2.0, 0.0, 1.0),
        ("lp-reg", 1.0, 0.5, 1.0),
        # b² + C (3(1 − b)₊ + 1 + b)/4 is least for b = C/4, up to 1.
        ("qp-reg", 1.0, 1 / 16 + (9 / 4 + 5 / 4) / 4, 0.25),
        ("qp-reg", 40.0, 1 + 40 / 2, 1.0),
        ("l1", 1.0, 1 + 2, 1.0),
    ],
)
def test_single_vote(method, C, objective, weight):
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 1, 1])
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y, [2, 1, 2, 2])
    assert margins_of(model, X, y).tolist() == [[1], [-1], [1], [1]]
    new = reweight(model, X, y, method=method, C=C)
    assert new.objective_ == pytest.approx(objective, abs=1e-7)
    np.testing.assert_allclose(new.estimator_weights_, [weight], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("method", "C", "objective", "weight"),
    [
        ("lp", None, 1.0, 1.0),
        ("lp-reg", 5.0, 1.0, 1.0),
        ("lp-reg", 1.0, 1.0, 1.0),
        ("qp-reg", 1.0, 0.25 + 0.5, 0.5),
        ("qp-reg", 10.0, 1.0, 1.0),
        ("l1", 10.0, 1.0, 1.0),
        ("l1", 0.01, 0.1, 0.0),
    ],
)
def test_all_margins_equal(method, C, objective, weight):
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
    model = DiscreteAdaBoostClassifier().fit(X, y)
    assert (margins_of(model, X, y) == 1).all()
    new = reweight(model, X, y, method=method, C=C)
    assert new.objective_ == pytest.approx(objective, abs=1e-7)
    np.testing.assert_allclose(new.estimator_weights_, [weight], rtol=0, atol=1e-6)
    np.testing.assert_allclose(new.slack_, 1.0 - weight, rtol=0, atol=1e-6)


@pytest.mark.parametrize("C", [None, 1.5, 20.0])
def test_vote_that_is_always_right_gets_all_the_weight(C):
    (X, _), model = noisy_problem(), boosted()
    stump = model.estimators_[4]
    right = np.where(X[:, stump.column] <= stump.threshold, stump.inside, stump.outside)
    new = reweight(model, X, right.astype(int), method="lp" if C is None else "lp-reg", C=C)
    assert new.objective_ == pytest.approx(1.0, abs=1e-7)
    like_it = (margins_of(model, X, right) == 1).all(axis=0)
    assert new.estimator_weights_[like_it].sum() == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(new.slack_, 0.0, rtol=0, atol=1e-6)


@every_program
def test_votes_that_are_always_wrong_are_weighed_too(method, C):
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
    model = DiscreteAdaBoostClassifier().fit(X, y)
    new = reweight(model, X, 1 - y, method=method, C=C)
    if method.startswith("lp"):
        assert new.objective_ == pytest.approx(-1.0, abs=1e-7)
        assert new.estimator_weights_.tolist() == [1.0]
    else:
        assert new.estimator_weights_.tolist() == [0.0]
        assert new.objective_ == pytest.approx(C * (10 if method == "l1" else 1), rel=1e-7)


@every_program
def test_equal_votes_share_or_stand_in_for_one_another(method, C):
    X, y = noisy_problem()
    X = (X > 0).astype(float)
    model = DiscreteAdaBoostClassifier(n_estimators=30).fit(X, y)
    M = margins_of(model, X, y)
    _, groups = np.unique(M, axis=1, return_inverse=True)
    assert len(set(groups)) < model.n_iter_
    new = reweight(model, X, y, method=method, C=C)
    assert new.objective_ == pytest.approx(optimum(method, M, None, C), rel=1e-6, abs=1e-7)
    assert_optimal(new, method, C, M, uniform(y))
    for group in set(groups):
        weights = new.estimator_weights_[groups == group]
        if method == "qp-reg":
            np.testing.assert_allclose(weights, weights[0], rtol=0, atol=1e-9)
        else:
            assert (weights[1:] == 0).all()


@some_programs
def test_one_row_of_each_class_is_enough(method, C):
    (X, y), model = noisy_problem(), boosted()
    rows = [int(np.argmax(y == -1)), int(np.argmax(y == 1))]
    M = margins_of(model, X[rows], y[rows])
    new = reweight(model, X[rows], y[rows], method=method, C=C)
    assert new.objective_ == pytest.approx(optimum(method, M, None, C), rel=1e-6, abs=1e-7)
    assert_optimal(new, method, C, M, np.array([0.5, 0.5]))


def test_rows_may_be_others_than_those_of_fit():
    model, (X, y) = boosted(), noisy_problem(seed=9)
    M = margins_of(model, X, y)
    new = reweight(model, X, y, method="lp-reg", C=2.0)
    assert new.objective_ == pytest.approx(optimum("lp-reg", M, None, 2.0), rel=1e-6)
    assert len(new.duals_) == len(y)


def test_model_without_votes_stays_empty():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    model = DiscreteAdaBoostClassifier().fit(X, y)
    assert model.n_iter_ == 0
    new = reweight(model, X, y, method="lp-reg", C=2.0)
    assert new.n_iter_ == 0
    assert np.isnan(new.objective_)
    assert new.n_support_ == 0
    assert (new.decision_function(X) == 0).all()


@pytest.mark.parametrize(
    ("method", "C"), [("lp-reg", 1e6), ("qp-reg", 1e-8), ("qp-reg", 1e7), ("l1", 1e5)]
)
def test_extreme_prices_are_solved_to_the_same_relative_accuracy(method, C):
    (X, y), model = noisy_problem(), boosted()
    M = margins_of(model, X, y)
    new = reweight(model, X, y, method=method, C=C)
    assert new.duality_gap_ <= 1e-6 * max(1.0, abs(new.objective_))
    own = objective_of(method, answer_in(new), M, uniform(y), C)
    assert new.objective_ == pytest.approx(own, rel=1e-7, abs=1e-9)
    # The bound that the duals prove, pulled into their range.
    d = np.clip(new.duals_, 0, caps(method, uniform(y), C))
    edges = M.T @ d
    bound = {
        "lp-reg": lambda: edges.max() / d.sum(),
        "qp-reg": lambda: d.sum() - np.maximum(edges, 0) @ np.maximum(edges, 0) / 4,
        "l1": lambda: d.sum() / max(1.0, edges.max()),
    }[method]()
    assert new.objective_ == pytest.approx(bound, rel=1e-5, abs=1e-6)


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


def test_class_weights_of_the_model_count():
    X, y = noisy_problem()
    model = DiscreteAdaBoostClassifier(n_estimators=20, class_weight={-1: 3.0, 1: 0.5}).fit(X, y)
    plain = DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y, np.where(y < 0, 3.0, 0.5))
    new = reweight(model, X, y, method="qp-reg", C=10.0)
    expected = reweight(
        plain, X, y, method="qp-reg", C=10.0, sample_weight=np.where(y < 0, 3.0, 0.5)
    )
    assert new.objective_ == pytest.approx(expected.objective_, rel=1e-7)


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


# The model that comes out


@some_programs
def test_given_model_stays_as_it_was(method, C):
    X, y = noisy_problem()
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y)
    before, state = fingerprint(model), dict(vars(model))
    new = reweight(model, X, y, method=method, C=C)
    assert fingerprint(model) == before
    assert vars(model).keys() == state.keys()
    assert all(vars(model)[name] is value for name, value in state.items())
    assert not hasattr(model, "objective_")
    assert type(new) is type(model)
    assert new.get_params() == model.get_params()
    assert (new.estimator_weights_ != model.estimator_weights_).any()


@some_programs
def test_hypotheses_are_those_of_the_given_model(method, C):
    (X, y), model = noisy_problem(), boosted()
    new = reweight(model, X, y, method=method, C=C)
    assert new.estimators_ == model.estimators_
    assert new.n_iter_ == model.n_iter_
    np.testing.assert_array_equal(new.classes_, model.classes_)
    np.testing.assert_array_equal(new.estimator_errors_, model.estimator_errors_)
    np.testing.assert_array_equal(new.edges_, model.edges_)
    assert (new.estimator_weights_ >= 0).all()
    if method.startswith("lp"):
        assert new.estimator_weights_.sum() == pytest.approx(1.0, abs=1e-12)


@every_program
def test_pruning_drops_votes_of_weight_zero_and_keeps_the_scores(method, C):
    (X, y), model = noisy_problem(), boosted()
    full = reweight(model, X, y, method=method, C=C)
    small = reweight(model, X, y, method=method, C=C, prune=True)
    kept = full.estimator_weights_ > 0
    assert small.n_iter_ == kept.sum()
    assert len(small.estimators_) == len(small.train_score_) == small.n_iter_
    np.testing.assert_array_equal(small.estimator_weights_, full.estimator_weights_[kept])
    np.testing.assert_array_equal(small.estimator_errors_, full.estimator_errors_[kept])
    assert small.estimators_ == [h for h, keep in zip(full.estimators_, kept, strict=True) if keep]
    later, _ = noisy_problem(seed=8)
    for rows in (X, later):
        pair = small.decision_function(rows), full.decision_function(rows)
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(small.duals_, full.duals_)
    if method == "lp-reg" and C > 1:
        assert small.n_iter_ < model.n_iter_


def test_pruning_everything_leaves_a_model_that_still_predicts():
    (X, y), model = noisy_problem(), boosted()
    small = reweight(model, X, y, method="l1", C=1e-6, prune=True)
    assert small.n_iter_ == 0
    assert (small.predict(X) == small.classes_[1]).all()


@some_programs
@pytest.mark.parametrize("prune", [False, True])
def test_weights_are_saved_and_the_proof_is_not(method, C, prune, tmp_path):
    (X, y), model = noisy_problem(), boosted()
    new = reweight(model, X, y, method=method, C=C, prune=prune)
    new.save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.estimator_weights_, new.estimator_weights_)
    assert again.estimators_ == new.estimators_
    np.testing.assert_array_equal(again.decision_function(X), new.decision_function(X))
    np.testing.assert_array_equal(again.train_score_, new.train_score_)
    for name in ("objective_", "duality_gap_", "duals_", "slack_", "support_", "nu_"):
        assert hasattr(new, name)
        assert not hasattr(again, name)
    copied = pickle.loads(pickle.dumps(new))
    np.testing.assert_array_equal(copied.decision_function(X), new.decision_function(X))


@some_programs
def test_train_score_is_that_of_the_first_votes_on_the_rows_given(method, C):
    model, (X, y) = boosted(), noisy_problem(seed=3)
    weights = np.random.default_rng(7).random(len(y)) + 0.2
    new = reweight(model, X, y, method=method, C=C, sample_weight=weights)
    staged = list(new.staged_score(X, y, weights))
    np.testing.assert_allclose(new.train_score_, staged, rtol=0, atol=1e-9)
    assert len(new.validation_score_) == 0


def test_reweighted_model_can_be_reweighted():
    (X, y), model = noisy_problem(), boosted()
    once = reweight(model, X, y, method="qp-reg", C=50.0)
    twice = reweight(once, X, y, method="lp-reg", C=3.0)
    direct = reweight(model, X, y, method="lp-reg", C=3.0)
    assert twice.objective_ == pytest.approx(direct.objective_, abs=1e-9)
    np.testing.assert_allclose(twice.estimator_weights_, direct.estimator_weights_, atol=1e-9)


@pytest.mark.parametrize("n_jobs", [2, 3])
@some_programs
def test_threads_do_not_change_a_bit(method, C, n_jobs):
    X, y = noisy_problem(3000)
    answers = []
    for jobs in (1, n_jobs):
        model = DiscreteAdaBoostClassifier(n_estimators=40, n_jobs=jobs).fit(X, y)
        new = reweight(model, X, y, method=method, C=C)
        answers.append((new.estimator_weights_.tobytes(), new.duals_.tobytes(), new.objective_))
    assert answers[0] == answers[1]


# Learners, frames and classes


@pytest.mark.parametrize(
    "learner",
    [
        Stump(),
        Rule(max_literals=2),
        Tree(max_leaf_nodes=4),
        RBFNet(n_centers=4, n_steps=3),
        DecisionTreeClassifier(max_depth=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("booster", [DiscreteAdaBoostClassifier, RealAdaBoostClassifier])
def test_hypotheses_of_every_learner_are_weighed(booster, learner):
    X, y = noisy_problem()
    model = booster(learner, n_estimators=10, random_state=0).fit(X, y)
    assert model.n_iter_ > 2
    M = margins_of(model, X, y)
    for method, C in (("lp-reg", 3.0), ("qp-reg", 10.0)):
        new = reweight(model, X, y, method=method, C=C)
        assert new.objective_ == pytest.approx(optimum(method, M, None, C), rel=1e-6, abs=1e-7)
        expected = y * (M @ new.estimator_weights_)
        np.testing.assert_allclose(new.decision_function(X), expected, rtol=0, atol=1e-8)


def test_frames_labels_and_columns_are_taken_as_in_fit():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"size": rng.normal(size=80), "town": rng.choice(["Oslo", "Rome"], 80)})
    signal = frame["size"].to_numpy() + 0.5 * (frame["town"] == "Rome").to_numpy()
    y = np.where(signal + 0.5 * rng.normal(size=80) > 0, "yes", "no")
    model = DiscreteAdaBoostClassifier(n_estimators=15).fit(frame, y)
    expected = reweight(model, frame, y, method="qp-reg", C=10.0)
    named = frame.with_columns(pl.Series("answer", y))
    for X, target in ((frame.lazy(), y), (named, "answer"), (frame.to_pandas(), pl.Series(y))):
        new = reweight(model, X, target, method="qp-reg", C=10.0)
        np.testing.assert_array_equal(new.estimator_weights_, expected.estimator_weights_)


@cache
def three_classes(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    return X, (X[:, :3] + 0.7 * rng.normal(size=(rows, 3))).argmax(axis=1)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@some_programs
def test_every_problem_of_a_decomposition_has_its_own_program(multi_class, method, C):
    X, y = three_classes()
    model = DiscreteAdaBoostClassifier(n_estimators=12, multi_class=multi_class).fit(X, y)
    new = reweight(model, X, y, method=method, C=C)
    assert new.slack_.shape == new.duals_.shape == (len(y), 3)
    for name in ("objective_", "duality_gap_", "solve_time_", "nu_", "n_support_"):
        assert getattr(new, name).shape == (3,)
    for column, code in enumerate(model.code_.T):
        there = code[y] != 0
        side = code[y][there].astype(float)
        alone = DiscreteAdaBoostClassifier(n_estimators=12).fit(X[there], side)
        expected = reweight(alone, X[there], side, method=method, C=C)
        assert new.objective_[column] == pytest.approx(expected.objective_, rel=1e-7, abs=1e-9)
        pair = new.estimator_weights_[:, column], expected.estimator_weights_
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-7)
        np.testing.assert_allclose(new.duals_[there, column], expected.duals_, rtol=0, atol=1e-7)
        assert (new.duals_[~there, column] == 0).all()
        assert new.support_[column].tolist() == np.flatnonzero(new.duals_[:, column]).tolist()
        assert new.n_support_[column] == len(new.support_[column])
    staged = list(new.staged_score(X, y))
    np.testing.assert_allclose(new.train_score_, staged, rtol=0, atol=1e-9)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "ecoc"])
def test_pruning_a_decomposition_keeps_the_scores(multi_class):
    X, y = three_classes()
    model = RealAdaBoostClassifier(n_estimators=20, multi_class=multi_class, random_state=0)
    model.fit(X, y)
    full = reweight(model, X, y, method="lp-reg", C=2.0)
    small = reweight(model, X, y, method="lp-reg", C=2.0, prune=True)
    np.testing.assert_allclose(small.decision_function(X), full.decision_function(X), atol=1e-12)
    kept = [h for round_ in small.estimators_ for h in round_ if h is not None]
    assert len(kept) == (full.estimator_weights_ > 0).sum()
    assert small.n_iter_ == (full.estimator_weights_ > 0).any(axis=1).sum()


# Refusals


@pytest.mark.parametrize(
    ("method", "C"),
    [
        ("lp", 2.0),
        ("lp-reg", None),
        ("lp-reg", 0.5),
        ("lp-reg", 1 - 1e-9),
        ("lp-reg", 0.0),
        ("lp-reg", float("nan")),
        ("lp-reg", float("inf")),
        ("qp-reg", None),
        ("qp-reg", 0.0),
        ("qp-reg", -1.0),
        ("qp-reg", float("inf")),
        ("l1", 0.0),
        ("l1", float("nan")),
    ],
)
def test_prices_that_make_no_program_are_refused(method, C):
    (X, y), model = noisy_problem(), boosted()
    with pytest.raises(ValueError, match=r"parameter 'C': got .*, expected"):
        reweight(model, X, y, method=method, C=C)


@pytest.mark.parametrize(
    ("parameters", "error", "match"),
    [
        ({"method": "newton"}, ValueError, "'method'.*newton"),
        ({"method": None}, (TypeError, ValueError), "'method'"),
        ({"C": "much"}, TypeError, "'C'"),
        ({"prune": "yes"}, TypeError, "'prune'"),
        ({"time_limit": 0.0}, ValueError, "'time_limit'"),
        ({"time_limit": -1.0}, ValueError, "'time_limit'"),
        ({"time_limit": float("nan")}, ValueError, "'time_limit'"),
        ({"time_limit": "soon"}, TypeError, "'time_limit'"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(parameters, error, match):
    (X, y), model = noisy_problem(), boosted()
    with pytest.raises(error, match=match):
        reweight(model, X, y, **{"method": "lp-reg", "C": 2.0, **parameters})


@pytest.mark.parametrize(
    "booster",
    [
        AdaBoostMHClassifier(n_estimators=3),
        AdaBoostMHClassifier(n_estimators=3, shared=True),
        AdaBoostM2Classifier(n_estimators=3),
        SoftmaxBoostClassifier(n_estimators=3),
        SAMMEClassifier(n_estimators=3),
        AdaBoostM1Classifier(n_estimators=3),
    ],
    ids=str,
)
def test_models_whose_hypotheses_speak_of_all_classes_are_refused(booster):
    X, y = three_classes()
    model = booster.fit(X, y)
    with pytest.raises(ValueError, match="parameter 'model'"):
        reweight(model, X, y, C=2.0)


@pytest.mark.parametrize("booster", [SAMMEClassifier, AdaBoostM1Classifier])
def test_boosters_for_many_classes_are_weighed_if_there_are_two(booster):
    X, y = noisy_problem()
    model = booster(n_estimators=8).fit(X, y)
    new = reweight(model, X, y, C=2.0)
    expected = optimum("lp-reg", margins_of(model, X, y), None, 2.0)
    assert new.objective_ == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_what_is_no_fitted_model_of_ours_is_refused():
    X, y = noisy_problem()
    with pytest.raises(TypeError, match="parameter 'model': got DecisionTreeClassifier"):
        reweight(DecisionTreeClassifier().fit(X, y), X, y, C=2.0)
    with pytest.raises(ValueError, match="not fitted"):
        reweight(DiscreteAdaBoostClassifier(), X, y, C=2.0)


def test_rows_and_labels_that_do_not_fit_are_refused():
    (X, y), model = noisy_problem(), boosted()
    with pytest.raises(ValueError, match=r"features|columns"):
        reweight(model, X[:, :2], y, C=2.0)
    with pytest.raises(ValueError, match="7"):
        reweight(model, X, np.where(y > 0, 7, -1), C=2.0)
    with pytest.raises(ValueError, match=str(len(y))):
        reweight(model, X, y[:-1], C=2.0)
    with pytest.raises(ValueError, match="sample_weight"):
        reweight(model, X, y, C=2.0, sample_weight=-np.ones(len(y)))


@some_programs
def test_time_that_runs_out_is_an_error_with_advice(method, C):
    X, y = noisy_problem(1500)
    model = boosted(1500, n_estimators=60)
    before = fingerprint(model)
    with pytest.raises(RuntimeError, match=r"time limit.*allow more time"):
        reweight(model, X, y, method=method, C=C, time_limit=1e-9)
    assert fingerprint(model) == before


def test_time_that_suffices_changes_nothing():
    (X, y), model = noisy_problem(), boosted()
    hurried, plain = (reweight(model, X, y, C=3.0, time_limit=limit) for limit in (1000.0, None))
    np.testing.assert_array_equal(hurried.estimator_weights_, plain.estimator_weights_)
    assert 0 < hurried.solve_time_ < 1000
