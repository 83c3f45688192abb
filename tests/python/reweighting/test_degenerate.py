"""`reweight` where programs degenerate: one vote, equal votes, perfect and hopeless ones, any C.

In: models and rows that leave little or no choice. Out: the weights and objectives that follow by
hand, or SciPy's.
"""

import numpy as np
import pytest

from reference.soft_margin import caps, margins_of, objective_of, optimum
from support.margin_programs import answer_in, assert_optimal, every_program, some_programs
from support.small_margin_problems import PARITY, SEPARABLE, boosted, noisy_problem, uniform
from weakforce import DiscreteAdaBoostClassifier, reweight


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
    X, y = SEPARABLE
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
    X, y = SEPARABLE
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
    X, y = PARITY
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
