"""SAMME, M1, M2 and MH: a factor on the scores, so that probabilities are not absurdly sure."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

import weakforce
from support.small_multiclass_problems import blobs
from weakforce import SAMMEClassifier, Stump, Tree, reweight
from weakforce._estimator import calibrated
from weakforce._reading.calibrations import Temperature
from weakforce._reading.scores import probabilities

TEMPERED = [booster for booster in weakforce.boosters() if booster._has_temperature]
every_tempered = pytest.mark.parametrize("booster", TEMPERED)
every_count = pytest.mark.parametrize("n_classes", [2, 4])


def test_the_boosters_that_have_one_are_these():
    assert {booster._kind for booster in TEMPERED} == {"samme", "m1", "m2", "mh"}


@every_count
@every_tempered
def test_probabilities_are_the_soft_max_of_scaled_scores(booster, n_classes):
    X, y = blobs(200, n_classes, spread=1.5)
    model = booster(n_estimators=20).fit(X[:150], y[:150])
    calibration = model.fitted_model_.calibration
    assert isinstance(calibration, Temperature)
    assert 0 < calibration.factor < 1
    scores = model.decision_function(X)
    shares = model.predict_proba(X)
    by_class = np.column_stack([-scores, scores]) if n_classes == 2 else scores
    terms = np.exp(calibration.factor * by_class)
    np.testing.assert_allclose(shares, terms / terms.sum(axis=1, keepdims=True), rtol=1e-9)
    plain = probabilities(scores)
    np.testing.assert_array_equal(shares.argmax(axis=1), plain.argmax(axis=1))
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))
    assert log_loss(y[150:], shares[150:]) < log_loss(y[150:], plain[150:])


@every_tempered
def test_a_model_without_rounds_has_none(booster):
    X = np.zeros((10, 1))
    model = booster().fit(X, np.arange(10) % 2)
    assert model.fitted_model_.calibration is None
    np.testing.assert_allclose(model.predict_proba(X), 0.5)


@every_tempered
def test_weights_count_relative_to_each_other(booster):
    X, y = blobs(100, 3, spread=2.0)
    weights = np.random.default_rng(0).random(100)
    weights[::7] = 0.0
    factors = [
        booster(n_estimators=5).fit(X, y, scale * weights).fitted_model_.calibration.factor
        for scale in (1.0, 2.0**900, 2.0**-900)
    ]
    assert factors[0] == pytest.approx(factors[1]) == pytest.approx(factors[2])
    some = weights > 0
    less = booster(n_estimators=5).fit(X[some], y[some], weights[some])
    assert less.fitted_model_.calibration.factor == pytest.approx(factors[0])


def test_of_many_rows_some_are_enough(monkeypatch):
    X, y = blobs(1200, 3, spread=2.0)
    model = SAMMEClassifier(Stump(), n_estimators=10)
    whole = model.fit(X, y).fitted_model_.calibration.factor
    monkeypatch.setattr(calibrated, "_MOST_ROWS", 400)
    scored = []
    score = weakforce._reading.fitted_model.FittedModel.decision_function

    def counted(self, rows, n_jobs):
        scored.append(len(rows))
        return score(self, rows, n_jobs)

    monkeypatch.setattr(weakforce._reading.fitted_model.FittedModel, "decision_function", counted)
    some = model.fit(X, y).fitted_model_.calibration.factor
    assert scored == [400]
    assert some == pytest.approx(whole, rel=0.2)


def test_new_weights_get_a_temperature_of_their_own():
    X, y = blobs(200, 2, spread=2.0)
    model = SAMMEClassifier(Stump(), n_estimators=20).fit(X, y)
    other = reweight(model, X, y, C=2.0)
    assert isinstance(other.fitted_model_.calibration, Temperature)
    assert other.fitted_model_.calibration != model.fitted_model_.calibration


def test_the_other_way_round_of_two_classes_turns_the_probabilities():
    X, y = blobs(150, 2, spread=2.0)
    for booster in TEMPERED:
        model = booster(Tree(max_leaf_nodes=4), n_estimators=8)
        shares = model.fit(X, y).predict_proba(X)
        turned = model.fit(X, 1 - y).predict_proba(X)
        np.testing.assert_allclose(turned[:, ::-1], shares, atol=1e-9)
