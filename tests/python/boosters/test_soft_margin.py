"""LPAdaBoost and QPAdaBoost: AdaBoost whose weights a program replaces when the run is over.

In: small noisy frames. Out: the same as `reweight` of a fitted AdaBoost, whose programs have tests
of their own, and runs that begin, go on and end like AdaBoost's.
"""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import weakforce
from reference.soft_margin import margins_of, optimum
from support.small_margin_problems import PARITY, SEPARABLE, three_classes
from weakforce import (
    DiscreteAdaBoostClassifier,
    LPAdaBoostClassifier,
    QPAdaBoostClassifier,
    RBFNet,
    Rule,
    Stump,
    Tree,
    reweight,
)

#: A booster and its C, with the program that it stands for.
BOOSTERS = [
    (LPAdaBoostClassifier, None, "lp"),
    (LPAdaBoostClassifier, 1.0, "lp-reg"),
    (LPAdaBoostClassifier, 4.0, "lp-reg"),
    (QPAdaBoostClassifier, 0.5, "qp-reg"),
    (QPAdaBoostClassifier, 100.0, "qp-reg"),
]
every_booster = pytest.mark.parametrize(("booster", "C", "method"), BOOSTERS)
ATTRIBUTES = ("objective_", "duality_gap_", "nu_", "n_support_", "support_", "slack_", "duals_")


def noisy_problem(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    return X, np.where(X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=rows) > 0, "yes", "no")


def assert_same(model, expected, X):
    """Both have the same hypotheses, weights and proof, to the bit."""
    assert model.estimators_ == expected.estimators_
    assert model.n_iter_ == expected.n_iter_
    for name in ("estimator_weights_", "estimator_errors_", "edges_", "train_score_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(expected, name), err_msg=name)
    for name in ATTRIBUTES:
        ours, theirs = getattr(model, name), getattr(expected, name)
        if isinstance(ours, list):
            assert [each.tolist() for each in ours] == [each.tolist() for each in theirs]
        else:
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))


@every_booster
@pytest.mark.parametrize("prune", [False, True])
def test_booster_is_adaboost_reweighted(booster, C, method, prune):
    X, y = noisy_problem()
    if C is None:  # three votes are right on all rows, so there is a margin to maximise
        y = (X[:, :3] > 0).sum(axis=1) > 1
    weights = np.random.default_rng(1).random(len(y)) + 0.1
    for sample_weight in (None, weights):
        plain = DiscreteAdaBoostClassifier(n_estimators=30).fit(X, y, sample_weight)
        parameters = {"method": method, "C": C, "prune": prune}
        expected = reweight(plain, X, y, sample_weight=sample_weight, **parameters)
        model = booster(C=C, prune=prune, n_estimators=30).fit(X, y, sample_weight)
        assert_same(model, expected, X)
        np.testing.assert_array_equal(model.row_weights_, plain.row_weights_)


@every_booster
def test_weights_solve_the_program_over_the_votes_of_adaboost(booster, C, method):
    X, y = noisy_problem()
    model = booster(C=C, n_estimators=25).fit(X, y)
    plain = DiscreteAdaBoostClassifier(n_estimators=25).fit(X, y)
    expected = optimum(method, margins_of(plain, X, y), None, C)
    assert model.objective_ == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert model.duality_gap_ <= 1e-6 * max(1.0, model.objective_)
    if method != "qp-reg":
        assert model.estimator_weights_.sum() == pytest.approx(1.0, abs=1e-12)
        assert model.nu_ == pytest.approx(0.0 if C is None else 1 / C)


def test_default_prices():
    assert LPAdaBoostClassifier().C is None
    assert QPAdaBoostClassifier().C == 100.0
    X, y = noisy_problem()
    assert LPAdaBoostClassifier(n_estimators=20).fit(X, y).nu_ == 0.0


@pytest.mark.parametrize(
    "learner",
    [
        Stump(),
        Rule(),
        Tree(max_leaf_nodes=4),
        RBFNet(n_centers=4, n_steps=3),
        DecisionTreeClassifier(max_depth=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize(
    ("booster", "C"), [(LPAdaBoostClassifier, 4.0), (QPAdaBoostClassifier, 10.0)]
)
def test_every_learner_is_boosted_and_weighed(booster, C, learner):
    X, y = noisy_problem()
    model = booster(learner, C=C, n_estimators=10, random_state=0).fit(X, y)
    plain = DiscreteAdaBoostClassifier(learner, n_estimators=10, random_state=0).fit(X, y)
    assert model.n_iter_ == plain.n_iter_ > 1
    method = "lp-reg" if booster is LPAdaBoostClassifier else "qp-reg"
    expected = optimum(method, margins_of(plain, X, y), None, C)
    assert model.objective_ == pytest.approx(expected, rel=1e-6, abs=1e-7)


@every_booster
@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "ecoc"])
def test_every_problem_of_several_classes_is_weighed(booster, C, method, multi_class):
    X, y = three_classes()
    shared = {"n_estimators": 12, "multi_class": multi_class, "random_state": 0}
    if C is None:
        shared["estimator"] = Tree(max_leaf_nodes=20)
    plain = DiscreteAdaBoostClassifier(**shared).fit(X, y)
    model = booster(C=C, **shared).fit(X, y)
    assert_same(model, reweight(plain, X, y, method=method, C=C), X)
    np.testing.assert_array_equal(model.code_, plain.code_)
    scores = np.sort(model.decision_function(X), axis=1)
    is_tied = scores[:, -1] - scores[:, -2] < 1e-12  # rounding decides, and sums differ in order
    assert model.score(X, y) == pytest.approx(model.train_score_[-1], abs=is_tied.mean() + 1e-9)


# Runs


@every_booster
def test_warm_start_equals_one_long_fit(booster, C, method):
    X, y = noisy_problem()
    long = booster(C=C, n_estimators=20).fit(X, y)
    model = booster(C=C, n_estimators=6, warm_start=True).fit(X, y)
    for rounds in (6, 13, 20):
        model.set_params(n_estimators=rounds).fit(X, y)
        assert model.n_iter_ == rounds
    assert_same(model, long, X)


@every_booster
def test_early_stopping_watches_adaboost_and_weighs_the_rows_that_are_left(booster, C, method):
    X, y = noisy_problem(300)
    shared = {"n_estimators": 200, "early_stopping": True, "n_iter_no_change": 5, "random_state": 0}
    plain = DiscreteAdaBoostClassifier(**shared).fit(X, y)
    model = booster(C=C, **shared).fit(X, y)
    assert model.stop_reason_ == plain.stop_reason_ == "early_stopping"
    assert model.n_iter_ == plain.n_iter_
    held = plain.row_weights_ == 0
    assert held.any()
    assert (model.duals_[held] == 0).all()
    expected = reweight(plain, X[~held], y[~held], method=method, C=C)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-7, abs=1e-9)
    np.testing.assert_allclose(model.duals_[~held], expected.duals_, rtol=0, atol=1e-7)
    staged = list(model.staged_score(X[held], y[held]))
    np.testing.assert_allclose(model.validation_score_, staged, rtol=0, atol=1e-12)


@every_booster
def test_callbacks_see_the_rounds_of_adaboost_and_may_end_them(booster, C, method):
    X, y = noisy_problem()
    seen, expected = [], []
    DiscreteAdaBoostClassifier(n_estimators=8, callbacks=expected.append).fit(X, y)

    def stop(info):
        seen.append(info)
        return info.round == 5

    model = booster(C=C, n_estimators=8, callbacks=stop).fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("callback", 5)
    assert seen == expected[:5]


@pytest.mark.parametrize("n_jobs", [2, 3])
@every_booster
def test_threads_do_not_change_a_bit(booster, C, method, n_jobs):
    X, y = noisy_problem(2000)
    alone, model = (booster(C=C, n_estimators=30, n_jobs=jobs).fit(X, y) for jobs in (1, n_jobs))
    assert model.estimator_weights_.tobytes() == alone.estimator_weights_.tobytes()
    assert model.duals_.tobytes() == alone.duals_.tobytes()


@every_booster
@pytest.mark.parametrize("prune", [False, True])
def test_saved_model_scores_the_same_without_the_proof(booster, C, method, prune, tmp_path):
    X, y = noisy_problem()
    model = booster(C=C, prune=prune, n_estimators=20).fit(X, y)
    model.save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    assert type(again) is booster
    assert (again.C, again.prune) == (C, prune)
    np.testing.assert_array_equal(again.estimator_weights_, model.estimator_weights_)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert not any(hasattr(again, name) for name in ATTRIBUTES)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.decision_function(X), model.decision_function(X))


def test_perfect_vote_ends_the_run_with_a_margin_of_one():
    X, y = SEPARABLE
    for C in (None, 5.0):
        model = LPAdaBoostClassifier(C=C).fit(X, y)
        assert (model.stop_reason_, model.n_iter_) == ("perfect", 1)
        assert model.estimator_weights_.tolist() == [1.0]
        assert model.objective_ == pytest.approx(1.0)
        np.testing.assert_allclose(model.margins(X, y), 1.0)


def test_one_row_of_each_class_is_enough():
    for booster in (LPAdaBoostClassifier, QPAdaBoostClassifier):
        model = booster().fit([[0.0], [1.0]], [0, 1])
        assert model.predict([[0.0], [1.0]]).tolist() == [0, 1]
        assert model.n_support_ == 2


def test_run_without_an_edge_has_no_program():
    X, y = PARITY
    for booster in (LPAdaBoostClassifier, QPAdaBoostClassifier):
        model = booster().fit(X, y)
        assert (model.stop_reason_, model.n_iter_) == ("no_edge", 0)
        assert np.isnan(model.objective_)
        assert (model.decision_function(X) == 0).all()


def test_labels_that_are_believed_less_leave_more_rows_below_the_margin():
    X, y = noisy_problem(300)
    models = [LPAdaBoostClassifier(C=C, n_estimators=60).fit(X, y) for C in (50.0, 5.0, 2.0, 1.2)]
    below = [(model.slack_ > 1e-7).sum() for model in models]
    assert below == sorted(below)
    assert below[0] < below[-1]


def test_normalised_margins_are_the_scores_of_linear_programs():
    X, y = noisy_problem()
    model = LPAdaBoostClassifier(C=3.0, n_estimators=25).fit(X, y)
    signed = np.where(y == "yes", 1, -1) * model.decision_function(X)
    np.testing.assert_allclose(model.margins(X, y), signed, rtol=0, atol=1e-12)


# Refusals


@pytest.mark.parametrize(
    ("booster", "name", "value", "error"),
    [
        (LPAdaBoostClassifier, "C", 0.5, ValueError),
        (LPAdaBoostClassifier, "C", 0.0, ValueError),
        (LPAdaBoostClassifier, "C", float("nan"), ValueError),
        (LPAdaBoostClassifier, "C", "much", TypeError),
        (QPAdaBoostClassifier, "C", 0.0, ValueError),
        (QPAdaBoostClassifier, "C", -1.0, ValueError),
        (QPAdaBoostClassifier, "C", float("inf"), ValueError),
        (QPAdaBoostClassifier, "C", None, ValueError),
        (QPAdaBoostClassifier, "C", [1.0], TypeError),
        (LPAdaBoostClassifier, "prune", "yes", TypeError),
        (QPAdaBoostClassifier, "time_limit", 0.0, ValueError),
        (LPAdaBoostClassifier, "time_limit", "soon", TypeError),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(booster, name, value, error):
    X, y = noisy_problem()
    model = booster(n_estimators=5).fit(X, y)
    before = model.estimator_weights_.copy()
    with pytest.raises(error, match=f"parameter '{name}'"):
        model.set_params(**{name: value}).fit(X, y)
    np.testing.assert_array_equal(model.estimator_weights_, before)


@pytest.mark.parametrize("booster", [LPAdaBoostClassifier, QPAdaBoostClassifier])
def test_time_that_runs_out_is_an_error_with_advice(booster):
    X, y = noisy_problem(1500)
    model = booster(n_estimators=60, time_limit=1e-9)
    with pytest.raises(RuntimeError, match=r"time limit.*allow more time"):
        model.fit(X, y)
    assert not hasattr(model, "estimator_weights_")


@pytest.mark.parametrize("booster", [LPAdaBoostClassifier, QPAdaBoostClassifier])
def test_parameters_survive_cloning_and_fitting(booster):
    model = booster(C=7.0, prune=True, time_limit=9.0, n_estimators=5)
    before = model.get_params()
    assert clone(model).get_params() == before
    assert model.fit(*noisy_problem()).get_params() == before


@pytest.mark.parametrize("booster", [LPAdaBoostClassifier, QPAdaBoostClassifier])
def test_confidences_are_refused(booster):
    with pytest.raises(ValueError, match=r"estimator.*vote"):
        booster(Stump(answer="logistic")).fit(*noisy_problem())
