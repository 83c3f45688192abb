"""How runs begin, go on and end: resampling, stop reasons, early stopping, warm start, callbacks.

In: every booster of the registry on small frames. Out: the rounds and reasons that the parameters
promise, and an estimator left alone when a run fails.
"""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from reference.early_stopping import expected_rounds, watched_by
from support.drawn_problems import fingerprint, problem
from support.registry import (
    BY_COST,
    GREEDY,
    OWN_STEPS,
    every_booster,
    every_greedy_booster,
    every_greedy_pair,
    every_pair,
    in_rounds,
    lively,
    some_greedy_pairs,
    weak,
)
from weakforce import ArcGVClassifier, DiscreteAdaBoostClassifier, RoundInfo, Stump

PARITY = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3), np.array([0, 1, 1, 0] * 3)
#: Those that end with the first hypothesis that is always right; sm-boost has nothing against more,
#: and totally corrective boosters ask once more before they know that nothing is better.
every_zealous_booster = pytest.mark.parametrize(
    "booster", [booster for booster in GREEDY if booster._kind not in BY_COST]
)
SEPARABLE = np.arange(10.0)[:, None], np.repeat([0, 1], 5)


def public_state(model):
    names = ("n_iter_", "stop_reason_", "classes_", "estimator_weights_", "row_weights_")
    return {name: np.copy(getattr(model, name)).tolist() for name in names if hasattr(model, name)}


# Stop reasons


@every_booster
def test_run_ends_after_n_estimators(booster):
    model = booster(n_estimators=7).fit(*problem())
    assert (model.stop_reason_, model.n_iter_) == ("n_estimators", 7)
    arrays = ("estimator_weights_", "estimator_errors_", "edges_", "train_score_", "estimators_")
    assert [len(getattr(model, name)) for name in arrays] == [7] * 5
    assert len(model.validation_score_) == 0


@every_zealous_booster
def test_perfect_vote_is_kept_with_a_finite_weight_and_ends_the_run(booster):
    X, y = SEPARABLE
    model = booster(Stump(answer="vote"), n_estimators=50).fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("perfect", 1)
    assert 10 < model.estimator_weights_[0] < 100
    assert model.estimator_errors_[0] == 0
    assert (model.predict(X) == y).all()
    assert np.isfinite(model.predict_proba(X)).all()


@every_zealous_booster
def test_error_of_a_perfect_vote_is_not_minus_zero(booster):
    assert not np.signbit(booster(Stump(answer="vote")).fit(*SEPARABLE).estimator_errors_[0])


@every_booster
def test_run_without_any_edge_ends_with_no_rounds_and_still_predicts(booster):
    X, y = PARITY
    model = booster(weak(booster, Stump), n_estimators=5).fit(X, y)
    assert (model.stop_reason_, model.n_iter_) == ("no_edge", 0)
    assert (model.decision_function(X) == 0).all()
    assert (model.predict(X) == model.classes_[1]).all()
    assert list(model.staged_predict(X)) == []
    assert (model.margins(X, y) == 0).all()
    assert (model.feature_importances_ == 0).all()


def test_run_ends_when_no_vote_is_better_than_phi():
    X, y = problem()
    model = DiscreteAdaBoostClassifier(n_estimators=500, phi=0.35).fit(X, y)
    assert model.stop_reason_ == "no_edge"
    assert 0 < model.n_iter_ < 500
    assert (model.estimator_errors_ < 0.35).all()
    more = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y, model.row_weights_)
    assert more.estimator_errors_[0] >= 0.35 - 1e-9


# Resampling


def test_resampling_depends_on_the_seed_alone():
    X, y = problem()
    make = DiscreteAdaBoostClassifier(n_estimators=20, resample=True, random_state=3)
    first, again = clone(make).fit(X, y), clone(make).fit(X, y)
    assert fingerprint(first) == fingerprint(again)
    assert fingerprint(first) != fingerprint(clone(make).set_params(random_state=4).fit(X, y))
    assert fingerprint(first) != fingerprint(clone(make).set_params(resample=False).fit(X, y))
    drawn = [clone(make).set_params(random_state=np.random.RandomState(5)) for _ in range(2)]
    assert fingerprint(drawn[0].fit(X, y)) == fingerprint(drawn[1].fit(X, y))


def test_resampled_votes_are_judged_on_all_rows():
    X, y = problem()
    sign = np.where(y == "yes", 1, -1)
    model = DiscreteAdaBoostClassifier(n_estimators=1, resample=True, random_state=0).fit(X, y)
    stump = model.estimators_[0]
    wrong = np.where(X[:, stump.column] <= stump.threshold, stump.inside, stump.outside) != sign
    assert model.estimator_errors_[0] == pytest.approx(wrong.mean(), abs=1e-12)
    assert model.row_weights_[wrong].sum() == pytest.approx(0.5, abs=1e-12)


def test_samples_are_drawn_by_weight():
    # Heavy rows say x ≤ ½ is positive, as many light ones the opposite.
    X = np.tile([[0.0], [1.0]], (40, 1))
    y = np.concatenate([np.tile([1, 0], 20), np.tile([0, 1], 20)])
    weight = np.repeat([9.0, 1.0], 40)
    votes = []
    for seed in range(30):
        model = DiscreteAdaBoostClassifier(n_estimators=1, resample=True, random_state=seed)
        votes.append(model.fit(X, y, weight).estimators_[0].inside)
    assert votes == [1.0] * 30


def test_resampling_gives_up_where_no_vote_has_an_edge():
    model = DiscreteAdaBoostClassifier(n_estimators=5, resample=True, random_state=0).fit(*PARITY)
    assert (model.stop_reason_, model.n_iter_) == ("no_edge", 0)


# Early stopping


@every_greedy_pair
def test_early_stopping_on_a_held_back_fraction(booster, learner):
    X, y = problem(rows=300)
    rng = np.random.default_rng(1)
    weight = rng.random(300) + 0.5
    tol = 1e-3 if booster._kind in BY_COST else 1e-7  # costs go on falling by less and less
    model = booster(
        weak(booster, learner),
        n_estimators=500,
        early_stopping=True,
        validation_fraction=0.2,
        n_iter_no_change=8,
        scoring="loss" if booster._kind in BY_COST else "accuracy",
        tol=tol,
        random_state=0,
    ).fit(X, y, weight)
    assert model.stop_reason_ == "early_stopping"
    assert model.n_iter_ == len(model.validation_score_)
    held = model.row_weights_ == 0
    watched = watched_by(model, X[held], y[held], weight[held])
    assert model.n_iter_ == expected_rounds(watched, 8, tol)
    for label in ("no", "yes"):
        assert held[y == label].sum() == round(0.2 * (y == label).sum())
    staged = list(model.staged_score(X[held], y[held], weight[held]))
    np.testing.assert_allclose(model.validation_score_, staged, rtol=1e-12)
    staged = list(model.staged_score(X[~held], y[~held], weight[~held]))
    np.testing.assert_allclose(model.train_score_, staged, rtol=1e-12)
    other = clone(model).set_params(random_state=1).fit(X, y, weight)
    assert ((other.row_weights_ == 0) != held).any()


@pytest.mark.parametrize("scoring", ["loss", "accuracy"])
@every_greedy_pair
def test_early_stopping_on_given_rows(booster, learner, scoring):
    (X, y), (X_val, y_val) = problem(), problem(seed=1)
    options = {"early_stopping": True, "n_iter_no_change": 5, "tol": 0.01, "scoring": scoring}
    model = booster(weak(booster, learner), n_estimators=500, **options)
    model.fit(X, y, X_val=X_val, y_val=y_val)
    assert (model.row_weights_ > 0).all()
    staged = list(model.staged_score(X_val, y_val))
    np.testing.assert_allclose(model.validation_score_, staged, rtol=1e-12)
    expected = expected_rounds(watched_by(model, X_val, y_val), 5, 0.01)
    assert expected == (model.n_iter_ if model.stop_reason_ == "early_stopping" else None)
    assert expected is not None or not learner._takes_categories  # nets may run out of edge first


@pytest.mark.parametrize("scoring", ["loss", "accuracy"])
@every_greedy_booster
def test_patience_grows_with_the_rounds_unless_it_is_given(booster, scoring):
    (X, y), (X_val, y_val) = problem(), problem(seed=1)
    options = {"early_stopping": True, "scoring": scoring, "tol": 1e-3, **lively(booster)}
    model = booster(n_estimators=300, **options).fit(X, y, X_val=X_val, y_val=y_val)
    expected = expected_rounds(watched_by(model, X_val, y_val), None, model.tol)
    assert expected == (model.n_iter_ if model.stop_reason_ == "early_stopping" else None)


@every_booster
def test_early_stopping_with_a_row_per_class_has_nothing_to_hold_back(booster):
    X, y = [[0.0], [1.0]], [0, 1]
    model = booster(n_estimators=3, early_stopping=True, random_state=0).fit(X, y, [1.0, 2.0])
    assert model.n_iter_ > 0
    assert (model.row_weights_ > 0).all()
    assert np.isfinite(model.validation_score_).all()
    assert pickle.loads(pickle.dumps(model)).n_iter_ == model.n_iter_


def test_given_rows_are_scored_for_the_record_without_early_stopping():
    (X, y), (X_val, y_val) = problem(), problem(seed=1)
    plain = DiscreteAdaBoostClassifier(n_estimators=60).fit(X, y)
    model = DiscreteAdaBoostClassifier(n_estimators=60).fit(X, y, X_val=X_val, y_val=y_val)
    assert model.stop_reason_ == "n_estimators"
    np.testing.assert_array_equal(model.estimator_weights_, plain.estimator_weights_)
    staged = list(model.staged_score(X_val, y_val))
    np.testing.assert_allclose(model.validation_score_, staged, rtol=1e-12)


@pytest.mark.parametrize("given", ["X_val", "y_val"])
def test_half_a_validation_set_is_refused(given):
    X, y = problem()
    with pytest.raises(ValueError, match="expected both or neither"):
        DiscreteAdaBoostClassifier().fit(X, y, **{given: {"X_val": X, "y_val": y}[given]})


# Warm start


@every_pair
@pytest.mark.parametrize("noise", [0.0, 0.8])
def test_warm_start_equals_one_long_fit_bit_for_bit(booster, learner, noise):
    X, y = problem(rows=60, seed=2, noise=noise)
    long = booster(weak(booster, learner), n_estimators=20, random_state=0).fit(X, y)
    assert long.n_iter_ > 1 or noise == 0
    for stages in ((1, 2, 20), (11, 12, 13, 20)):
        model = booster(weak(booster, learner), warm_start=True, random_state=0)
        for rounds in stages:
            model.set_params(**in_rounds(model, rounds)).fit(X, y)
            assert model.n_iter_ == min(rounds, long.n_iter_)
        assert fingerprint(model) == fingerprint(long)


@pytest.mark.parametrize(
    "parameters",
    [
        {"resample": True, "random_state": 1},
        {"phi": 0.4, "learning_rate": 0.5},
        {"early_stopping": True, "n_iter_no_change": 30, "random_state": 1},
    ],
)
def test_warm_start_goes_on_with_the_same_draws(parameters):
    X, y = problem()
    long = DiscreteAdaBoostClassifier(n_estimators=30, **parameters).fit(X, y)
    model = DiscreteAdaBoostClassifier(n_estimators=10, warm_start=True, **parameters).fit(X, y)
    model.set_params(n_estimators=30).fit(X, y)
    assert long.n_iter_ > 10
    assert fingerprint(model) == fingerprint(long)


@every_booster
@pytest.mark.parametrize("data", [SEPARABLE, PARITY], ids=["perfect", "no_edge"])
def test_warm_start_adds_nothing_to_a_run_that_was_over(booster, data):
    answer = "auto" if booster._kind in OWN_STEPS else "vote"
    long = booster(Stump(answer=answer), n_estimators=20).fit(*data)
    model = booster(Stump(answer=answer), n_estimators=10, warm_start=True).fit(*data)
    model.set_params(**in_rounds(model, 20)).fit(*data)
    assert fingerprint(model) == fingerprint(long)


@every_booster
def test_warm_start_refuses_fewer_rounds_than_were_run(booster):
    X, y = problem()
    model = booster(n_estimators=10, warm_start=True).fit(X, y)
    before = fingerprint(model)
    with pytest.raises(ValueError, match=r"n_(estimators|layers).*5.*at least 10"):
        model.set_params(**in_rounds(model, 5)).fit(X, y)
    with pytest.raises(ValueError, match="maybe"):
        model.set_params(**in_rounds(model, 20)).fit(X, np.where(y == "yes", "maybe", "no"))
    assert fingerprint(model) == before


def test_without_warm_start_a_second_fit_starts_over():
    X, y = problem()
    model = ArcGVClassifier(n_estimators=20).fit(*problem(seed=5))
    assert fingerprint(model.fit(X, y)) == fingerprint(ArcGVClassifier(n_estimators=20).fit(X, y))


# Callbacks


@some_greedy_pairs
def test_callbacks_see_the_numbers_of_every_round(booster, learner):
    (X, y), seen = problem(noise=3.0), []
    model = booster(weak(booster, learner), n_estimators=9, callbacks=seen.append)
    model.fit(X, y, X_val=X[:50], y_val=y[:50])
    assert all(isinstance(info, RoundInfo) for info in seen)
    assert len(seen) > 1
    columns = [
        np.arange(1, model.n_iter_ + 1),
        model.edges_,
        model.estimator_errors_,
        model.estimator_weights_,
        model.train_score_,
        model.validation_score_,
    ]
    np.testing.assert_array_equal(np.array(seen), np.column_stack(columns))


def test_callbacks_of_a_warm_start_see_the_added_rounds_only():
    seen = []
    model = DiscreteAdaBoostClassifier(n_estimators=4, warm_start=True).fit(*problem())
    model.set_params(n_estimators=6, callbacks=[seen.append]).fit(*problem())
    assert [info.round for info in seen] == [5, 6]
    assert seen[0].validation_score is None


@every_booster
@pytest.mark.parametrize("true", [True, np.True_])
def test_callback_that_returns_true_ends_the_run(booster, true):
    def at_four(info):
        return true if info.round == 4 else "no reason to stop"

    seen = []
    model = booster(n_estimators=30, callbacks=[at_four, seen.append]).fit(*problem())
    assert (model.stop_reason_, model.n_iter_, len(seen)) == ("callback", 4, 4)
    model.set_params(**in_rounds(model, 4), callbacks=None)
    assert np.array_equal(clone(model).fit(*problem()).edges_, model.edges_)


class OwnError(Exception):
    """Raised by a callback."""


@every_booster
@pytest.mark.parametrize("error", [OwnError("mine"), KeyboardInterrupt(), StopIteration(3)])
def test_exception_in_a_callback_surfaces_and_leaves_the_estimator_as_it_was(booster, error):
    def fail(info):
        if info.round == 3:
            raise error

    X, y = problem()
    fresh = booster(weak(booster, Stump), callbacks=fail)
    with pytest.raises(type(error)) as caught:
        fresh.fit(X, y)
    assert caught.value is error
    with pytest.raises(NotFittedError):
        fresh.predict(X)
    fitted = booster(weak(booster, Stump), n_estimators=8).fit(X, y)
    before = public_state(fitted)
    with pytest.raises(type(error)):
        fitted.set_params(callbacks=[fail]).fit(X[:50], y[:50])
    assert public_state(fitted) == before


@pytest.mark.parametrize("callbacks", [3, ["print"], [print, None]])
def test_callbacks_that_cannot_be_called_are_refused(callbacks):
    with pytest.raises(TypeError, match="callbacks"):
        DiscreteAdaBoostClassifier(callbacks=callbacks).fit(*problem())


def test_progress_is_shown_only_if_asked_for(capfd):
    DiscreteAdaBoostClassifier(n_estimators=5).fit(*problem())
    assert capfd.readouterr() == ("", "")
    DiscreteAdaBoostClassifier(n_estimators=5, verbose=1).fit(*problem())
    out, err = capfd.readouterr()
    assert out == ""
    assert "5/5" in err
