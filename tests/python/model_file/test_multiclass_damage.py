"""Damaged files of models of many classes: a ValueError that says where, or a model that predicts.

In: a small file of every variant. Every number of classes, score column, round and answer out of
place is tried, and thousands of mutated bytes.
"""

import json

import numpy as np
import pytest

from support.earlier_model_files import as_version_5
from support.multiclass_variants import ONE_EACH, VARIANTS, every_variant, fit
from support.small_model_files import changed, file_of, outcomes_of_mutations, refuse
from support.small_multiclass_problems import blobs
from weakforce import SoftmaxBoostClassifier, Tree
from weakforce._reading.model_file import from_bytes

X, CODES = blobs(40, 3, columns=2)
Y = np.array(["ash", "elm", "oak"])[CODES]
FILES = {
    name: file_of(fit(name, X, Y, X_val=X, y_val=Y, parameters={"n_estimators": 2, "max_bins": 6}))
    for name in VARIANTS
}
SETS = SoftmaxBoostClassifier(Tree(max_leaf_nodes=3), n_estimators=2, random_state=0)
LABELS = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X[:, 0] < 1])
FILES["label sets"] = file_of(SETS.fit(X, LABELS))


def fields_of(name):
    return json.loads(FILES[name])


@pytest.mark.parametrize("name", FILES)
def test_the_undamaged_file_loads(name):
    model = from_bytes(FILES[name])
    assert model.decision_function(X).shape == (40, 3)
    assert len(model.estimators_) == model.n_iter_ == 2


OLD_OUTPUTS = [
    ("outputs.n_classes", 2),
    ("outputs.n_classes", 4),
    ("outputs.n_classes", 0),
    ("outputs.n_classes", -3),
    ("outputs.n_classes", 3.5),
    ("outputs.n_classes", "3"),
    ("outputs.n_classes", 2**40),
    ("outputs.n_classes", None),
    ("outputs.n_columns", 1),
    ("outputs.n_columns", 4),
    ("outputs.n_columns", 2**40),
    ("outputs.n_columns", None),
    ("outputs.surprise", 1),
    ("outputs", []),
]
COMBINERS = [
    *(("combiner", wrong) for wrong in ([], {}, None, "sum", "sign", "by_class", 3)),
    *(("combiner", {"by_class": {"n_classes": wrong}}) for wrong in (2, 4, 0, -3, 3.5, "3", None)),
    ("combiner", {"by_class": {"n_classes": 2**40}}),
    ("combiner", {"by_class": {"n_classes": 3, "surprise": 1}}),
    ("combiner", {"by_class": {"n_classes": 3}, "surprise": 1}),
    ("combiner", {"coded": {"code": [[1, -1], [-1, 1]]}}),
    ("combiner", {"coded": {"code": [[1], [-1], [0]]}}),
    ("outputs", [0.5]),
    ("weights", [1.0]),
    ("edges", []),
    ("errors", [0.5] * 50),
    ("estimator.classes.values", ["ash", "elm"]),
    ("estimator.classes.values", ["ash", "elm", "oak", "yew"]),
    ("estimator.classes.values", ["oak", "elm", "ash"]),
]


@pytest.mark.parametrize(("place", "value"), COMBINERS)
@pytest.mark.parametrize("name", ["SAMME-Rule", "MH-shared-Tree", "Softmax-Stump", "Real-ovo-Rule"])
def test_numbers_of_classes_that_do_not_fit_are_refused(name, place, value):
    refuse(changed(FILES[name], place, value), "")


@pytest.mark.parametrize(("place", "value"), OLD_OUTPUTS)
@pytest.mark.parametrize("name", ["SAMME-Rule", "MH-shared-Tree", "Softmax-Stump", "Real-ovo-Rule"])
def test_numbers_of_classes_that_do_not_fit_are_refused_in_version_5(name, place, value):
    old = json.dumps(as_version_5(fields_of(name))).encode()
    assert from_bytes(old).decision_function(X).shape == (40, 3)
    refuse(changed(old, place, value), "")


@pytest.mark.parametrize("name", [name for name in FILES if "outputs" in fields_of(name)])
def test_rounds_and_outputs_of_hypotheses_are_checked(name):
    document = fields_of(name)
    outputs, rounds = document["outputs"], document["rounds"]
    assert len(outputs) == len(rounds) >= 4
    width = as_version_5(document)["outputs"]["n_columns"]
    for wrong in ([], outputs[:-1], [*outputs, 0], [width, *outputs[1:]], [-1, *outputs[1:]]):
        refuse(changed(FILES[name], "outputs", wrong), "")
    nulls = [None] * len(rounds)
    for wrong in ([], rounds[:-1], [*rounds, 1], [2, *rounds[1:]], rounds[::-1], nulls):
        refuse(changed(FILES[name], "rounds", wrong), "")
    refuse(changed(FILES[name], "outputs", [outputs[1], outputs[1], *outputs[2:]]), "")
    for place in ("outputs", "rounds"):
        refuse(changed(FILES[name], place, None), "")


def test_votes_for_classes_that_do_not_exist_are_refused():
    for side in ("inside", "outside"):
        for wrong in (3.0, -1.0, 0.5, 1e300, "1"):
            refuse(changed(FILES["SAMME-Stump"], f"hypotheses.0.{side}.0", wrong), "hypotheses")
    refuse(changed(FILES["SAMME-Tree"], "hypotheses.0.answers.1", 7.0), "hypotheses")


def test_what_hypotheses_say_is_checked():
    for name in ("SAMME-Stump", "MH-shared-Tree", "MH-Stump", "M2-Rule"):
        for wrong in ("words", {"scores": 2}, {"scores": 0}, {"scores": -1}, 3, [], {}):
            refuse(changed(FILES[name], "hypotheses.0.says", wrong), "")
    refuse(changed(FILES["MH-shared-Tree"], "hypotheses.0.says", "class"), "")
    refuse(changed(FILES["MH-shared-Tree"], "hypotheses.0.answers", [1.0] * 4), "hypotheses")


def test_codes_are_checked():
    whole = FILES["ArcGV-code-Tree"]
    for wrong in (
        [[1, 1], [-1, 0]],
        [[1], [-1], [1]],
        [[1, 2], [-1, 0], [1, -1]],
        [[1, 1], [-1], [1, -1]],
        "code",
    ):
        refuse(changed(whole, "combiner.coded.code", wrong), "")
        old = json.dumps(as_version_5(json.loads(whole))).encode()
        refuse(changed(old, "outputs.code", wrong), "")


@pytest.mark.parametrize("name", ["Softmax-Stump", "label sets"])
def test_costs_are_checked(name):
    assert len(fields_of(name)["train_costs"]) == 2
    for wrong in ([0.5], [0.5] * 3, ["a", "b"], [None, 0.5]):
        refuse(changed(FILES[name], "train_costs", wrong), "")


def use(model) -> None:
    if model.n_features_in_ != 2 or hasattr(model, "feature_names_in_"):
        return
    assert model.predict_proba(X).shape == (40, len(model.classes_))
    assert len(model.predict(X)) == 40
    assert len(list(model.staged_decision_function(X))) == model.n_iter_ == len(model.estimators_)
    model.summary()


@pytest.mark.parametrize("name", [*ONE_EACH, "ArcGV-code-Tree", "label sets"])
def test_mutated_bytes_are_refused_or_harmless(name):
    seen = outcomes_of_mutations(FILES[name], use, number=400, seed=len(name))
    assert set(seen) == {"refused", "loaded"}
    assert min(seen.values()) > 10


@every_variant
def test_truncations_are_refused(name):
    whole = FILES[name]
    for length in range(0, len(whole), 97):
        refuse(whole[:length], "")
