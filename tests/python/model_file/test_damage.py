"""Damaged, foreign and malicious model files: a ValueError that says where, never anything else.

Truncations, thousands of mutated bytes, every length and number out of place, deep nesting; a file
that loads nevertheless holds a model that predicts. Loading runs no code. The fields in which the
hypotheses are stored are in model_file/test_damage_runs.py.
"""

import sys

import numpy as np
import polars as pl
import pytest

import weakforce
from support.registry import every_learner
from support.small_model_files import (
    X,
    changed,
    file_of,
    frame_for,
    outcomes_of_mutations,
    refuse,
    small_model,
)
from weakforce import Stump
from weakforce._reading.model_file import from_bytes


@pytest.fixture(scope="module")
def whole() -> bytes:
    return file_of(small_model(Stump))


@every_learner
def test_the_undamaged_file_loads(learner):
    model = small_model(learner)
    again = from_bytes(file_of(model))
    frame = frame_for(learner)
    assert np.array_equal(again.decision_function(frame), model.decision_function(frame))


DAMAGES = [
    # place, what stands there instead, where the error points
    ("format", "lightgbm", "format"),
    ("format", None, "format"),
    ("version", 7, "version 7 is not supported"),
    ("version", 0, "version 0"),
    ("version", -1, "version"),
    ("version", "1", "version"),
    ("version", 1.0, "version"),
    ("version", None, "version"),
    ("library", 3, "library"),
    ("surprise", 1, "surprise"),
    ("named", 1, "named"),
    ("named", None, "named"),
    ("features", [], "features"),
    ("features", None, "features"),
    ("features", {}, "features"),
    ("features.0", 3, r"features\[0\]"),
    ("features.0.name", 3, r"features\[0\].name"),
    ("features.0.name", "t", "'t' occurs twice"),
    ("features.0.kind", "picture", r"features\[0\].kind"),
    ("features.0.kind", "text", r"features\[0\].kind"),
    ("features.1.kind", "number", r"features\[1\].kind"),
    ("features.0.kind", None, r"features\[0\]"),
    ("features.0.cuts", None, r"features\[0\]"),
    ("features.0.cuts", [5.5, 3.0], r"features\[0\].cuts.*ascend"),
    ("features.0.cuts", [3.0, 3.0], r"features\[0\].cuts.*ascend"),
    ("features.0.cuts", ["3"], r"features\[0\].cuts"),
    ("features.0.cuts", [None, 4.0], r"features\[0\].cuts"),
    ("features.0.cuts", list(range(65535)), r"features\[0\].cuts.*65,534"),
    ("features.0.categories", ["a"], r"features\[0\].kind"),
    ("features.0.rows", [3, 3], r"features\[0\].rows"),
    ("features.0.rows", [0, 0, 0, 0], r"features\[0\].rows.*above zero"),
    ("features.0.rows", [2**63, 2**63, 1, 1], r"features\[0\].rows.*above zero"),
    ("features.0.rows", [-1, 3, 1, 1], r"features\[0\].rows"),
    ("features.0.surprise", 1, r"features\[0\]"),
    ("features.1.categories", None, r"features\[1\]"),
    ("features.1.rare", None, r"features\[1\]"),
    ("features.1.categories", ["b", "b"], r"features\[1\].categories.*twice"),
    ("features.1.categories", ["b", "a"], r"features\[1\].categories.*twice"),
    ("features.1.rare", ["a", "a"], r"features\[1\].categories.*twice"),
    ("features.1.categories", [1, 2], r"features\[1\].categories"),
    ("features.1.categories", [str(i) for i in range(65535)], r"features\[1\].categories.*65,535"),
    ("weights", [1.0], "weights"),
    ("weights.0", None, r"weights\[0\]"),
    ("weights.0", [1.0], r"weights\[0\]"),
    ("edges", [], "edges"),
    ("errors", [0.1] * 6, "errors"),
    ("train_scores", [], "train_scores"),
    ("validation_scores", [0.5], "validation_scores"),
    ("stop_reason", "tired", "stop_reason"),
    ("estimator", None, "estimator"),
    ("estimator", [], "estimator"),
    ("estimator", {}, "estimator"),
    ("estimator.class", "os.system", "estimator.class"),
    ("estimator.class", "BoostingClassifier", "estimator.class"),
    ("estimator.class", ["DiscreteAdaBoostClassifier"], "estimator.class"),
    ("estimator.class", {}, "estimator.class"),
    ("estimator.class", 1, "estimator.class"),
    ("estimator.surprise", 1, "estimator"),
    ("estimator.parameters", [], "estimator.parameters"),
    ("estimator.parameters.__class__", "str", "estimator.parameters"),
    ("estimator.parameters.phi", 0.5, "estimator.parameters.*phi"),
    ("estimator.parameters.estimator.learner", "Popen", "estimator.parameters.estimator"),
    ("estimator.parameters.estimator.learner", ["Stump"], "estimator.parameters.estimator"),
    ("estimator.parameters.estimator.depth", 3, "estimator.parameters.estimator"),
    ("estimator.parameters.class_weight", {"pairs": 3}, "estimator.parameters.class_weight"),
    ("estimator.parameters.class_weight", {"pairs": [[[], 1]]}, "parameters.class_weight"),
    ("estimator.parameters.class_weight", {"pairs": [[1, 2, 3]]}, "parameters.class_weight"),
    ("estimator.classes", [0, 1], "estimator.classes"),
    ("estimator.classes.dtype", "complex128", "estimator.classes.dtype"),
    ("estimator.classes.dtype", "bool", "estimator.classes"),
    ("estimator.classes.dtype", "object; import os", "estimator.classes.dtype"),
    ("estimator.classes.dtype", ["int64"], "estimator.classes.dtype"),
    ("estimator.classes.dtype", "datetime64[eons]", "estimator.classes"),
    ("estimator.classes.values", [0, 0], "estimator.classes"),
    ("estimator.classes.values", [0], "estimator.classes"),
    ("estimator.classes.values", [0, 1, 2], "estimator.classes"),
    ("estimator.classes.values", [0, [1]], "estimator.classes"),
    ("estimator.classes.values", [1, 0], "estimator.classes"),
    ("estimator.classes.values", [0, 2**70], "estimator.classes"),
    ("estimator.classes.values", ["a", "b"], "estimator.classes"),
    ("estimator.classes", {"dtype": "int8", "values": [0, 256]}, "estimator.classes"),
    ("estimator.classes", {"dtype": "bool", "values": [1, 2]}, "estimator.classes"),
    ("estimator.classes", {"dtype": "<U1", "values": ["no", "nein"]}, "estimator.classes"),
]


@pytest.mark.parametrize(("place", "value", "where"), DAMAGES)
def test_what_does_not_fit_is_refused_with_its_place(whole, place, value, where):
    refuse(changed(whole, place, value), where)


@pytest.mark.parametrize(
    "token", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "nan", "null"]
)
@pytest.mark.parametrize(
    "field", ["weights", "edges", "errors", "train_scores", "validation_scores", "inside", "cuts"]
)
def test_numbers_that_are_not_finite_are_refused(whole, field, token):
    head, tail = whole.decode().split(f'"{field}":[', 1)
    refuse(f'{head}"{field}":[{token},{tail}'.encode(), "")


@pytest.mark.parametrize(
    "foreign",
    [
        b"",
        b" ",
        b"null",
        b"3",
        b"{}",
        b"[]",
        b'"weakforce-model"',
        b"tree\nversion=v4\n",
        b"\x80\x04\x95pickle",
        b'{"format":"weakforce-model","version":1}',
        b"\xff\xfe{\x00",
    ],
)
def test_foreign_files_are_refused(foreign):
    refuse(foreign, "")


@pytest.mark.parametrize("opening", [b"[", b'{"estimator":', b'{"a":[', b'[{"features":'])
def test_deep_nesting_is_refused(opening):
    refuse(opening * 100_000, "")
    refuse(b'{"format":"weakforce-model","version":1,"estimator":' + opening * 100_000, "")


def test_trailing_bytes_are_refused(whole):
    refuse(whole + b"{}", "after the end")
    refuse(whole + whole, "after the end")


def test_doubled_fields_are_refused(whole):
    refuse(whole[:-1] + b',"weights":[]}', "weights")


@every_learner
def test_every_truncation_is_refused(learner):
    whole = file_of(small_model(learner))
    for length in range(len(whole)):
        refuse(whole[:length], "")


def use(model) -> None:
    assert len(model.predict(model_input(model))) == 6
    assert len(list(model.staged_decision_function(model_input(model)))) == model.n_iter_
    assert all(str(hypothesis) for hypothesis in model.estimators_)


def model_input(model) -> pl.DataFrame:
    """The frame under the names the model asks for."""
    frame = X if model.n_features_in_ == 3 else X.select("n", "c")
    names = getattr(model, "feature_names_in_", frame.columns)
    return frame.rename(dict(zip(frame.columns, names, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@every_learner
def test_mutated_bytes_are_refused_or_harmless(learner, seed):
    whole = file_of(small_model(learner))
    seen = outcomes_of_mutations(whole, use, number=1500, seed=seed)
    assert set(seen) == {"refused", "loaded"}
    assert min(seen.values()) > 50


def test_loading_imports_nothing_and_calls_nothing_from_the_file(whole, tmp_path, monkeypatch):
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    places = ["class", "classes.dtype", "parameters.estimator.learner", "parameters.callbacks"]
    for name in ("evil", "evil.run", "evil:run", "__import__('evil')"):
        for place in places:
            data = changed(whole, f"estimator.{place}", name)
            if place == "parameters.callbacks":
                assert from_bytes(data).callbacks == name
            else:
                refuse(data, "estimator")
    assert "evil" not in sys.modules


def test_load_of_a_missing_file_names_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.json"):
        weakforce.load(tmp_path / "nowhere.json")
