"""What `save`, pickle and copies give back of models of many classes: all of it, to the bit.

In: every variant of support/multiclass_variants.py, and costs in every form. Damaged files are in
model_file/test_multiclass_damage.py.
"""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import weakforce
from reference.learners import to_frame
from support.multiclass_variants import every_variant, fit, make
from support.small_multiclass_problems import class_problem
from weakforce import SoftmaxBoostClassifier, Tree

COLUMNS, Y, WEIGHTS, LATER = class_problem(4, 3, noise=1.5, rows=90)
X, X_LATER = to_frame(COLUMNS), to_frame(LATER)


def fingerprint(model):
    """Every number of a fitted model, and its row weights, as bytes."""
    return model.fitted_model_.core.to_json("{}"), model.row_weights_.tobytes()


def by_file(model, folder):
    model.save(folder / "model.json")
    return weakforce.load(folder / "model.json")


WAYS = {
    "file": by_file,
    "pickle": lambda model, folder: pickle.loads(pickle.dumps(model)),
    "copy": lambda model, folder: copy.deepcopy(model),
}
STORED = ["classes_", "n_iter_", "stop_reason_", "n_features_in_", "edges_", "estimators_"]
STORED += ["estimator_weights_", "estimator_errors_", "feature_importances_", "train_score_"]
STORED += ["validation_score_"]


@pytest.mark.parametrize("way", WAYS)
@every_variant
def test_a_model_comes_back_as_it_was(name, way, tmp_path):
    labels = np.array(["ash", "elm", "oak"])
    model = fit(name, X, labels[Y], WEIGHTS, X_val=X[:30], y_val=labels[Y[:30]])
    again = WAYS[way](model, tmp_path)
    assert type(again) is type(model)
    stored = list(STORED)
    stored += [
        name for name in ("code_", "expected_cost_", "validation_cost_") if name in dir(model)
    ]
    for attribute in stored:
        got, expected = getattr(again, attribute), getattr(model, attribute)
        same = got == expected if isinstance(expected, list) else np.array_equal(got, expected)
        assert same, attribute
    for frame in (X, X_LATER):
        assert again.decision_function(frame).tobytes() == model.decision_function(frame).tobytes()
        assert again.predict(frame).tolist() == model.predict(frame).tolist()
    assert (again.margins(X, labels[Y]) == model.margins(X, labels[Y])).all()
    if not isinstance(getattr(model, "multi_class", None), np.ndarray):
        assert repr(again) == repr(model)
    assert again.summary() == model.summary()
    refitted = [clone(each).fit(X, labels[Y]).decision_function(X) for each in (again, model)]
    assert refitted[0].tobytes() == refitted[1].tobytes()


@every_variant
def test_what_comes_back_can_be_fitted_further(name, tmp_path):
    model = make(name, n_estimators=3, warm_start=True, random_state=2).fit(X, Y)
    again = by_file(model, tmp_path)
    for more in (model, again):
        more.set_params(n_estimators=6).fit(X, Y)
    assert fingerprint(again) == fingerprint(model)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "cost",
    [{("elm", "oak"): 5.0}, {"elm": {"oak": 5.0}}, np.array([[0, 1, 1], [1, 0, 5], [1, 1, 0]])],
)
def test_costs_come_back(way, cost, tmp_path):
    labels = np.array(["ash", "elm", "oak"])[Y]
    model = SoftmaxBoostClassifier(Tree(max_leaf_nodes=3), cost=cost, n_estimators=3)
    model.set_params(random_state=0).fit(X, labels)
    again = WAYS[way](model, tmp_path)
    assert np.array_equal(again.expected_cost_, model.expected_cost_)
    refitted = clone(again).fit(X, labels)
    assert refitted.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert np.array_equal(refitted.expected_cost_, model.expected_cost_)
