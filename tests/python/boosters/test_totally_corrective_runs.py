"""How runs of LPBoost, SoftBoost and ERLPBoost begin, go on and end.

In: small noisy frames. Out: limits of rounds and time, warm starts, early stopping, callbacks,
threads, files, several classes, and parameters that are refused.
"""

import pickle
import time

import numpy as np
import pytest

import weakforce
from reference.soft_margin import all_stump_answers, optimum
from support.small_margin_problems import PARITY, SEPARABLE, smaller_problem
from support.totally_corrective import ROUNDING, every_booster, fit, votes_of
from weakforce import DiscreteAdaBoostClassifier, Stump

ATTRIBUTES = ("certificate_", "objective_", "duality_gap_", "nu_", "slack_", "duals_", "support_")


@every_booster
def test_round_limit_is_honoured(booster):
    for rounds in (1, 3):
        model = fit(booster, nu=0.1, n_estimators=rounds)
        assert (model.stop_reason_, model.n_iter_) == ("n_estimators", rounds)
        assert model.estimator_weights_.sum() == pytest.approx(1.0, abs=1e-12)


@every_booster
def test_time_limit_ends_the_run_with_a_model(booster):
    X, y = smaller_problem()
    model = fit(booster, nu=0.1, time_limit=1e-9)
    assert model.stop_reason_ == "time_limit"
    assert 0 < model.n_iter_ < 5
    assert model.estimator_weights_.sum() == pytest.approx(1.0, abs=1e-12)
    M = votes_of(model, X, y)
    assert model.objective_ == pytest.approx(optimum("lp-reg", M, None, 10.0), abs=1e-6)
    assert model.certificate_[-1] > 0.01
    assert model.score(X, y) == pytest.approx(model.train_score_[-1])


@every_booster
def test_a_time_limit_longer_than_any_run_is_none(booster):
    limited, free = (fit(booster, nu=0.5, time_limit=limit) for limit in (1e300, None))
    assert np.array_equal(limited.estimator_weights_, free.estimator_weights_)


@pytest.mark.slow
@every_booster
def test_time_limit_counts_the_time_of_callbacks(booster):
    model = fit(booster, nu=0.1, time_limit=0.3, callbacks=lambda info: time.sleep(0.31))
    assert (model.stop_reason_, model.n_iter_) == ("time_limit", 1)


@every_booster
def test_time_that_suffices_changes_nothing(booster):
    plain, hurried = fit(booster, n_estimators=8), fit(booster, n_estimators=8, time_limit=1000.0)
    np.testing.assert_array_equal(hurried.estimator_weights_, plain.estimator_weights_)
    assert hurried.stop_reason_ == plain.stop_reason_


@every_booster
@pytest.mark.parametrize("stages", [(1, 2, 9), (5, 9)])
def test_warm_start_equals_one_long_fit(booster, stages):
    X, y = smaller_problem()
    long = fit(booster, nu=0.15, n_estimators=9)
    model = booster(nu=0.15, tol=0.01, warm_start=True)
    for rounds in stages:
        model.set_params(n_estimators=rounds).fit(X, y)
        assert model.n_iter_ == rounds
    assert model.estimators_ == long.estimators_
    for name in ("estimator_weights_", "certificate_", "objective_", "duals_", "edges_"):
        pair = getattr(model, name), getattr(long, name)
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-9, err_msg=name)


@every_booster
def test_warm_start_adds_nothing_to_an_optimum(booster):
    X, y = smaller_problem()
    model = fit(booster, nu=0.5, warm_start=True)
    assert model.stop_reason_ == "optimal"
    rounds, objective = model.n_iter_, model.objective_
    model.set_params(n_estimators=2000).fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("optimal", rounds)
    assert model.objective_ == pytest.approx(objective, abs=1e-9)
    assert model.certificate_[-1] <= 0.01


@every_booster
def test_early_stopping_leaves_rows_out_of_the_program(booster):
    X, y = smaller_problem(rows=200)
    shared = {"early_stopping": True, "n_iter_no_change": 3, "random_state": 0}
    held = DiscreteAdaBoostClassifier(n_estimators=3, **shared).fit(X, y).row_weights_ == 0
    model = booster(nu=0.2, tol=0.01, n_estimators=300, **shared).fit(X, y)
    assert model.stop_reason_ == "early_stopping"
    assert model.n_iter_ == len(model.validation_score_) == len(model.certificate_)
    assert held.sum() == 20
    assert (model.duals_[held] == 0).all()
    staged = list(model.staged_score(X[held], y[held]))
    np.testing.assert_allclose(model.validation_score_, staged, rtol=0, atol=1e-12)
    M = votes_of(model, X, y)[~held]
    assert model.objective_ == pytest.approx(optimum("lp-reg", M, None, 5.0), abs=0.01)


@every_booster
def test_callbacks_see_every_round_and_may_end_the_run(booster):
    seen = []

    def stop(info):
        seen.append((info.round, info.edge))
        return info.round == 3

    model = fit(booster, nu=0.1, callbacks=stop)
    assert (model.stop_reason_, model.n_iter_) == ("callback", 3)
    assert [number for number, _ in seen] == [1, 2, 3]
    assert [edge for _, edge in seen] == model.edges_.tolist()
    shorter = fit(booster, nu=0.1, n_estimators=3)
    np.testing.assert_array_equal(model.estimator_weights_, shorter.estimator_weights_)


@every_booster
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_do_not_change_a_bit(booster, n_jobs):
    alone = fit(booster, rows=3000, n_estimators=6, n_jobs=1)
    model = fit(booster, rows=3000, n_estimators=6, n_jobs=n_jobs)
    assert model.estimator_weights_.tobytes() == alone.estimator_weights_.tobytes()
    assert model.certificate_.tobytes() == alone.certificate_.tobytes()
    assert model.duals_.tobytes() == alone.duals_.tobytes()


@every_booster
def test_vote_that_is_always_right_is_the_optimum(booster):
    X, y = SEPARABLE
    model = booster(nu=0.2).fit(X, y)
    assert model.n_iter_ == 1
    assert model.stop_reason_ in ("optimal", "perfect")
    assert model.estimator_weights_.tolist() == [1.0]
    assert model.objective_ == pytest.approx(1.0)
    assert model.certificate_[-1] == pytest.approx(0.0, abs=ROUNDING)


@every_booster
def test_run_without_an_edge_has_no_votes(booster):
    X, y = PARITY
    model = booster(nu=0.2).fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("no_edge", 0)
    assert len(model.certificate_) == 0
    assert (model.decision_function(X) == 0).all()


@every_booster
def test_one_row_of_each_class_is_enough(booster):
    model = booster(nu=0.5).fit([[0.0], [1.0]], [0, 1])
    assert model.predict([[0.0], [1.0]]).tolist() == [0, 1]
    assert model.objective_ == pytest.approx(1.0)


@every_booster
def test_saved_model_scores_the_same_without_the_proof(booster, tmp_path):
    X, _ = smaller_problem()
    model = fit(booster)
    model.save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    assert type(again) is booster
    assert (again.nu, again.stop_reason_) == (0.3, "optimal")
    np.testing.assert_array_equal(again.estimator_weights_, model.estimator_weights_)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert not any(hasattr(again, name) for name in ATTRIBUTES)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.certificate_, model.certificate_)


# Several classes


@every_booster
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_every_problem_of_several_classes_has_its_own_optimum(booster, multi_class):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X + 0.7 * rng.normal(size=(60, 3))).argmax(axis=1)
    model = booster(nu=0.4, tol=0.02, n_estimators=500, multi_class=multi_class).fit(X, y)
    assert model.stop_reason_ == "optimal"
    assert len(model.certificate_) == 3
    assert model.objective_.shape == model.nu_.shape == (3,)
    assert model.duals_.shape == model.slack_.shape == (60, 3)
    for column, code in enumerate(model.code_.T):
        there, side = code[y] != 0, code[y][code[y] != 0].astype(float)
        M = side[:, None] * all_stump_answers(X[there])
        best = optimum("lp-reg", M, None, 2.5)
        assert best - 0.02 - ROUNDING <= model.objective_[column] <= best + ROUNDING
        assert model.certificate_[column][-1] <= 0.02
        assert (model.duals_[~there, column] == 0).all()
        assert model.estimator_weights_[:, column].sum() == pytest.approx(1.0, abs=1e-12)
    assert model.score(X, y) == pytest.approx(model.train_score_[-1])


# Refusals


@every_booster
@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("nu", 0.0, ValueError),
        ("nu", -0.1, ValueError),
        ("nu", 1.0001, ValueError),
        ("nu", float("nan"), ValueError),
        ("nu", "some", TypeError),
        ("nu", None, TypeError),
        ("tol", 0.0, ValueError),
        ("tol", -1e-3, ValueError),
        ("learning_rate", 0.5, ValueError),
        ("time_limit", 0.0, ValueError),
        ("time_limit", float("inf"), ValueError),
        ("time_limit", "soon", TypeError),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(booster, name, value, error):
    X, y = smaller_problem()
    with pytest.raises(error, match=f"parameter '{name}'"):
        booster(**{name: value}).fit(X, y)


@every_booster
def test_confidences_are_refused(booster):
    with pytest.raises(ValueError, match=r"estimator.*vote"):
        booster(Stump(answer="logistic")).fit(*smaller_problem())
