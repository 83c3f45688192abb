"""`calibrate`: probabilities learned from rows that a model has not seen, for every booster."""

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import weakforce
from support.registry import BOOSTERS, COUNTING, OWN_STEPS, in_rounds
from support.small_multiclass_problems import blobs
from weakforce import (
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
    reweight,
)
from weakforce._estimator.cross_fit import Problem, divide
from weakforce._fitting.calibrating import CALIBRATORS, ScoredRows

METHODS = ["sigmoid", "isotonic"]
every_method = pytest.mark.parametrize("method", METHODS)


def small(booster, **parameters):
    return booster(**{**in_rounds(booster, 4), "random_state": 0, "n_jobs": 1, **parameters})


def cases():
    """Every booster with two and with three classes, either with one of the methods."""
    for place, booster in enumerate(BOOSTERS):
        for n_classes in (2, 3):
            method = METHODS[(place + n_classes) % 2]
            yield pytest.param(booster, n_classes, method, id=f"{booster.__name__}-{n_classes}")


@pytest.mark.parametrize(("booster", "n_classes", "method"), list(cases()))
def test_predictions_are_the_most_probable_classes_and_scores_stay(booster, n_classes, method):
    X, y = blobs(90, n_classes, spread=2.0)
    model = small(booster, calibrate=method).fit(X, y)
    plain = small(booster).fit(X, y)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    assert abs(shares - plain.predict_proba(X)).max() > 1e-6
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))
    assert model.score(X, y) == (model.predict(X) == y).mean()
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.predict(X))
    *_, last = model.staged_score(X, y)
    assert last == model.score(X, y)
    assert model.get_params()["calibrate"] == method


def unseen_scores(model, X, y, weights, seed):
    """Scores of every row by a fit to the other four folds, in a loop."""
    problem = Problem(X, model.classes_, y.astype(np.uint32), weights)
    folds = divide(problem, 5, (seed, 0))
    scores = np.empty(model.decision_function(X).shape)
    for fold in range(5):
        inside = folds == fold
        other = clone(model).set_params(calibrate=None)
        other.fit(X[~inside], y[~inside], weights[~inside])
        scores[inside] = other.decision_function(X[inside])
    return scores


@every_method
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("booster", [LogitBoostClassifier, DiscreteAdaBoostClassifier])
def test_calibrations_are_learned_from_cross_fitted_scores(booster, n_classes, method):
    X, y = blobs(100, n_classes, spread=2.0)
    weights = np.random.default_rng(1).random(100) + 0.5
    weights[::9] = 0.0
    model = small(booster, calibrate=method, random_state=7).fit(X, y, weights)
    scores = unseen_scores(model, X, y, weights, 7)
    rows = ScoredRows.of(scores, y.astype(np.uint32), weights, n_classes)
    expected = CALIBRATORS[method](rows).probabilities(model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)


@every_method
def test_validation_rows_are_used_instead_with_one_fit_only(method, monkeypatch):
    X, y = blobs(120, 3, spread=2.0)
    fits = []
    fit = weakforce._core.fit

    def counted(*arguments, **storage):
        fits.append(1)
        return fit(*arguments, **storage)

    monkeypatch.setattr("weakforce._core.fit", counted)
    model = small(RealAdaBoostClassifier, calibrate=method)
    model.fit(X[:60], y[:60], X_val=X[60:], y_val=y[60:])
    assert len(fits) == 1
    scores = model.decision_function(X[60:])
    rows = ScoredRows.of(scores, y[60:].astype(np.uint32), None, 3)
    expected = CALIBRATORS[method](rows).probabilities(scores)
    np.testing.assert_allclose(model.predict_proba(X[60:]), expected, atol=1e-12)
    small(RealAdaBoostClassifier, calibrate=method).fit(X, y)
    assert len(fits) == 7


@every_method
def test_seeds_settle_the_folds_and_fits_without_a_seed_differ(method):
    X, y = blobs(80, 2, spread=2.0)
    shares = [
        small(LogitBoostClassifier, calibrate=method, random_state=seed).fit(X, y).predict_proba(X)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(shares[0], shares[1])
    assert abs(shares[0] - shares[2]).max() > 0


@every_method
def test_class_weights_are_in_force_here_too(method):
    X, y = blobs(400, 2, spread=2.0)
    plain = small(LogitBoostClassifier, calibrate=method, random_state=0).fit(X, y)
    model = clone(plain).set_params(class_weight={0: 1.0, 1: 4.0}).fit(X, y)
    odds = plain.predict_proba(X)[:, 1] / plain.predict_proba(X)[:, 0]
    expected = 4.0 * odds / (1.0 + 4.0 * odds)
    assert abs(model.predict_proba(X)[:, 1] - expected).mean() < 0.05
    assert model.predict(X).sum() > plain.predict(X).sum()


@pytest.mark.parametrize(
    "booster", [each for each in BOOSTERS if each._kind not in (*COUNTING, *OWN_STEPS)]
)
def test_classifiers_of_other_libraries_are_cross_fitted_too(booster):
    X, y = blobs(60, 2, spread=2.0)
    names = pl.DataFrame(X, schema=["a", "b", "c"])
    more = {"shared": False} if booster._kind == "m2" else {}
    model = small(booster, calibrate="sigmoid", estimator=DecisionTreeClassifier(max_depth=1))
    model.set_params(**more).fit(names, y)
    shares = model.predict_proba(names)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(names))


def test_a_warm_start_calibrates_again():
    X, y = blobs(90, 3, spread=2.0)
    model = small(LogitBoostClassifier, calibrate="sigmoid", warm_start=True).fit(X, y)
    first = model.fitted_model_.calibration
    model.set_params(n_estimators=12).fit(X, y)
    whole = small(LogitBoostClassifier, calibrate="sigmoid", n_estimators=12).fit(X, y)
    assert model.fitted_model_.calibration != first
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), atol=1e-9)
    model.set_params(calibrate=None, n_estimators=13).fit(X, y)
    assert model.fitted_model_.calibration is None


def test_folds_run_as_many_rounds_as_a_run_that_was_stopped():
    X, y = blobs(90, 2, spread=2.0)
    seen = []

    def stop(info):
        seen.append(info)
        return len(seen) == 3

    stopped = small(LogitBoostClassifier, n_estimators=50, callbacks=stop, calibrate="sigmoid")
    stopped.fit(X, y)
    assert (len(seen), stopped.n_iter_) == (3, 3)
    three = small(LogitBoostClassifier, n_estimators=3, calibrate="sigmoid").fit(X, y)
    np.testing.assert_array_equal(stopped.predict_proba(X), three.predict_proba(X))


def test_streams_and_lazy_frames_are_read_once_and_calibrated():
    X, y = blobs(60, 2, spread=2.0)
    frame = pl.DataFrame(X, schema=["a", "b", "c"])
    expected = small(SAMMEClassifier, calibrate="sigmoid").fit(frame, y).predict_proba(frame)
    pa = pytest.importorskip("pyarrow")
    table = frame.to_arrow()
    for given in (
        frame.lazy(),
        table,
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches()),
    ):
        model = small(SAMMEClassifier, calibrate="sigmoid").fit(given, y)
        np.testing.assert_array_equal(model.predict_proba(frame), expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_of_a_booster_that_is_too_sure_become_better(n_classes):
    X, y = blobs(600, n_classes, spread=2.5)
    losses = {}
    for method in (None, *METHODS):
        model = DiscreteAdaBoostClassifier(Tree(), n_estimators=40, calibrate=method)
        shares = model.set_params(random_state=0).fit(X[:300], y[:300]).predict_proba(X[300:])
        own = shares[np.arange(300), y[300:]]
        losses[method] = -np.log(np.maximum(own, 1e-3)).mean()
    assert max(losses[method] for method in METHODS) < losses[None] - 0.2


@pytest.mark.parametrize("value", ["noisy", "Sigmoid", 1, True, ["sigmoid"], {"sigmoid": 1}])
def test_other_values_are_refused_with_what_is_expected(value):
    X, y = blobs(30, 2)
    with pytest.raises(
        ValueError, match=r"parameter 'calibrate': got .*, expected None, 'sigmoid'"
    ):
        small(LogitBoostClassifier, calibrate=value).fit(X, y)


def test_sets_of_labels_and_costs_are_refused_by_name():
    X, y = blobs(30, 3)
    sets = np.eye(3, dtype=int)[y]
    model = SoftmaxBoostClassifier(calibrate="sigmoid", n_estimators=3)
    with pytest.raises(ValueError, match="'calibrate': got 'sigmoid', expected None for a y with"):
        model.fit(X, sets)
    with pytest.raises(ValueError, match="'calibrate': got 'sigmoid' beside costs"):
        model.fit(X, y, cost=np.ones((30, 3)) - sets)
    with pytest.raises(ValueError, match="'calibrate': got 'sigmoid' beside costs"):
        model.set_params(cost={0: {1: 5}}).fit(X, y)
    assert not hasattr(model, "classes_")


def test_rows_of_one_class_are_too_little_to_learn_from():
    X, y = blobs(30, 2)
    model = small(LogitBoostClassifier).fit(X, y)
    before = model.fitted_model_
    model.set_params(calibrate="isotonic")
    with pytest.raises(ValueError, match=r"'calibrate': got 'isotonic'.*only those of class 1"):
        model.fit(X, y, X_val=X[y == 1], y_val=y[y == 1])
    with pytest.raises(ValueError, match=r"'calibrate': got 'isotonic'.*none"):
        model.fit(X[:2], y[:2])
    assert model.fitted_model_ is before


def test_new_weights_are_refused_for_calibrated_models():
    X, y = blobs(60, 2, spread=2.0)
    model = small(DiscreteAdaBoostClassifier, calibrate="sigmoid").fit(X, y)
    with pytest.raises(ValueError, match="'model': got one with calibrate='sigmoid'"):
        reweight(model, X, y, C=2.0)


def test_a_class_that_validation_rows_lack_stays_possible():
    X, y = blobs(90, 3, spread=2.0)
    some = y < 2
    model = small(SAMMEClassifier, calibrate="sigmoid", estimator=Stump())
    model.fit(X, y, X_val=X[some], y_val=y[some])
    shares = model.predict_proba(X)
    assert np.isfinite(shares).all()
    assert (shares[:, 2] > 0).all()
