"""Calibrations and costs in model files and pickles: as they were, or refused with their place."""

import json
import pickle

import numpy as np
import pytest

import weakforce
from support.pool_problems import small
from support.small_model_files import changed, file_of, mutated, outcome, refuse
from support.small_multiclass_problems import blobs
from weakforce import LogitBoostClassifier, SAMMEClassifier, SoftmaxBoostClassifier
from weakforce._reading.model_file import from_bytes

KINDS = {
    "temperature": lambda: SAMMEClassifier(n_estimators=3),
    "sigmoid": lambda: LogitBoostClassifier(n_estimators=3, calibrate="sigmoid", random_state=0),
    "isotonic": lambda: SAMMEClassifier(n_estimators=3, calibrate="isotonic", random_state=0),
    "clean": lambda: small(calibrate="clean", noise_rate=0.1),
    "estimated": lambda: small(calibrate="clean"),
}


def fitted(kind, n_classes=2):
    X, y = blobs(60, n_classes, spread=1.0 if kind == "estimated" else 2.0)
    return KINDS[kind]().fit(X, y), X


def by_file(model, folder):
    model.save(folder / "model.json")
    return weakforce.load(folder / "model.json")


def by_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("way", [by_file, by_pickle])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_and_answers_come_back_to_the_bit(kind, n_classes, way, tmp_path):
    model, X = fitted(kind, n_classes)
    again = way(model, tmp_path)
    assert again.fitted_model_.calibration == model.fitted_model_.calibration
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert file_of(again) == file_of(model)


@pytest.mark.parametrize("way", [by_file, by_pickle])
def test_costs_come_back(way, tmp_path):
    X, y = blobs(60, 3, spread=2.0)
    dates = np.array(["2024-01-01", "2024-01-02", "2024-01-03"], dtype="datetime64[D]")
    cost = {dates[0]: {dates[1]: 9.0, dates[2]: 7.0}}
    by_date = {key.item(): {to.item(): 9.0 for to in value} for key, value in cost.items()}
    model = small(cost=by_date).fit(X, dates[y])
    plain = small().fit(X, dates[y])
    assert (model.predict(X) != plain.predict(X)).any()
    again = way(model, tmp_path)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.fitted_model_.costs, model.fitted_model_.costs)


def test_nothing_is_written_where_there_is_nothing_to_write():
    X, y = blobs(60, 2)
    document = json.loads(file_of(LogitBoostClassifier(n_estimators=2).fit(X, y)))
    assert set(document["estimator"]) == {"class", "parameters", "classes"}
    document = json.loads(file_of(small().fit(X, y)))
    assert set(document["estimator"]) == {"class", "parameters", "classes"}


def test_files_without_the_entry_load_as_before():
    model, X = fitted("temperature", 3)
    whole = changed(file_of(model), "estimator.calibration", None)
    older = from_bytes(changed(whole, "estimator.parameters.calibrate", None))
    assert older.fitted_model_.calibration is None
    scores = older.decision_function(X)
    terms = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = terms / terms.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(older.predict_proba(X), expected, atol=1e-12)
    np.testing.assert_array_equal(older.predict(X), model.predict(X))


def test_a_pickle_without_the_entry_loads_as_before():
    model, X = fitted("temperature", 3)
    state = model.__getstate__()
    del state["_decisions"]
    older = SAMMEClassifier.__new__(SAMMEClassifier)
    older.__setstate__(state)
    assert older.fitted_model_.calibration is None
    np.testing.assert_array_equal(older.predict(X), model.predict(X))


def test_a_rate_among_the_parameters_is_enough_and_none_is_refused():
    model, X = fitted("clean")
    bare = changed(file_of(model), "estimator.calibration", None)
    np.testing.assert_array_equal(from_bytes(bare).predict_proba(X), model.predict_proba(X))
    refuse(changed(bare, "estimator.parameters.noise_rate", 0.7), "estimator.calibration.*0.7")
    model, _ = fitted("estimated")
    refuse(changed(file_of(model), "estimator.calibration", None), "estimator.calibration")


LONG = [0.1] * 4
DAMAGES = [
    # kind, number of classes, place within the entry, what stands there instead
    *(("temperature", 2, "", value) for value in (3, [], "sigmoid", {}, {"kind": "temperature"})),
    *(("temperature", 2, "kind", value) for value in ("clean", "cold", 1, None, ["temperature"])),
    *(("temperature", 3, "factor", value) for value in (0, -1.0, "1", None, [1.0], True, 10**400)),
    ("temperature", 2, "surprise", 1),
    *(("sigmoid", 2, "slope", value) for value in (-1e-9, "1", None, [0.5], False)),
    *(("sigmoid", 2, "intercepts", value) for value in (0.5, [], [0.1, 0.2], ["0.1"], [[0.1]])),
    *(("sigmoid", 3, "intercepts", value) for value in ([0.1], LONG, None, [0.1, None, 0.2])),
    ("sigmoid", 2, "kind", "temperature"),
    *(("isotonic", 2, "scores", value) for value in ([], [[]], [[1.0, 0.0]], 3, LONG, None)),
    *(("isotonic", 2, "scores.0", value) for value in ([1.0, 1.0], ["1"], 3, [2.0, 1.0])),
    *(("isotonic", 2, "shares.0.0", value) for value in (-0.1, 1.1, None, "0", [0.5])),
    *(("isotonic", 3, "shares.2", value) for value in ([], [0.5], 1)),
    *(("isotonic", 3, "shares", value) for value in ([[0.5]], [], LONG)),
    *(("clean", 2, "rate", value) for value in (-0.1, 0.5, 1.0, "0.1", None)),
    ("clean", 3, "rate", 0.67),
    ("clean", 2, "kind", "sigmoid"),
]


@pytest.mark.parametrize(("kind", "n_classes", "place", "value"), DAMAGES)
def test_damaged_entries_are_refused_with_their_place(kind, n_classes, place, value):
    whole = file_of(fitted(kind, n_classes)[0])
    where = f"estimator.calibration.{place}".rstrip(".")
    refuse(changed(whole, where, value), "estimator.calibration")


def test_falling_isotonic_knots_are_refused():
    whole = file_of(fitted("isotonic")[0])
    shares = json.loads(whole)["estimator"]["calibration"]["shares"][0]
    assert len(shares) > 1
    refuse(changed(whole, "estimator.calibration.shares.0", shares[::-1]), "shares.0.*never fall")


@pytest.mark.parametrize("value", [None, 3, [], [[0, 1]], [[0, 1], [1]], [[0, -1], [1, 0]], "x"])
def test_damaged_costs_are_refused(value):
    X, y = blobs(60, 2)
    whole = file_of(small(cost=[[0, 2], [1, 0]]).fit(X, y))
    if value is None:
        value = [[0, None], [1, 0]]
    refuse(changed(whole, "estimator.costs", value), "estimator.costs")


def test_entries_that_an_estimator_cannot_have_are_refused():
    X, y = blobs(60, 3)
    plain = file_of(LogitBoostClassifier(n_estimators=2).fit(X, y))
    refuse(changed(plain, "estimator.costs", [[0, 1, 1]] * 3), "estimator.costs")
    factor = {"kind": "temperature", "factor": 0.5}
    refuse(changed(plain, "estimator.calibration", factor), "estimator.calibration")
    sets = SoftmaxBoostClassifier(n_estimators=2, random_state=0).fit(X, np.eye(3, dtype=int)[y])
    sigmoid = {"kind": "sigmoid", "slope": 1.0, "intercepts": [0.0, 0.0, 0.0]}
    refuse(changed(file_of(sets), "estimator.calibration", sigmoid), "estimator.calibration")


@pytest.mark.parametrize("kind", ["isotonic", "clean"])
def test_what_loads_after_mutations_predicts(kind):
    model, X = fitted(kind, 3)
    whole, generator = file_of(model), np.random.default_rng(0)
    start = whole.index(b'"estimator"')

    def use(loaded):
        assert np.isfinite(loaded.predict_proba(X)).all()
        loaded.predict(X)

    outcomes = {outcome(whole[:start] + mutated(whole[start:], generator), use) for _ in range(150)}
    assert outcomes <= {"refused", "loaded"}
    assert "refused" in outcomes
