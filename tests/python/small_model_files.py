"""Model files in few bytes, and ways to damage them; for the tests of what `load` refuses."""

import copy
import json

import polars as pl
import pytest

from registry import SMALL
from weakforce import RealAdaBoostClassifier
from weakforce._model_file import describe, from_bytes

X = pl.DataFrame(
    {
        "n": [1.0, 2.0, None, 4.0, 5.0, 6.0],
        "t": ["a", "b", None, "c", "d", "a"],
        "c": [1, 2, 3, 1, 2, 3],
    }
)
Y = [0, 1, 0, 1, 1, 0]


def frame_for(learner) -> pl.DataFrame:
    return X if learner._takes_categories else X.select("n", "c")


def small_model(learner) -> RealAdaBoostClassifier:
    """Every part of a file in few bytes: cuts, categories, rare ones, subsets, validation."""
    model = RealAdaBoostClassifier(
        learner(**SMALL.get(learner._kind, {})),
        n_estimators=5,
        max_bins=3,
        class_weight={0: 1, 1: 2.5},
    )
    if learner._takes_categories:
        model.set_params(categorical_features=["c"], estimator__criterion="z")
        model.set_params(estimator__answer="gentle")
    else:
        model.set_params(learning_rate=0.1)  # or it would be perfect at once
    frame = frame_for(learner)
    return model.fit(frame, Y, X_val=frame, y_val=[0, 1, 0, 1, 1, 1])


def file_of(model) -> bytes:
    """The bytes that `save` writes."""
    return model._model.to_json(describe(model))


def changed(whole: bytes, place: str, value) -> bytes:
    """The file with something else at a place such as `features.0.cuts`; None takes it away."""
    document = json.loads(whole)
    *path, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    inner = document
    for step in path:
        inner = inner[step]
    if value is None and isinstance(inner, dict):
        del inner[last]
    else:
        inner[last] = copy.deepcopy(value)
    return json.dumps(document).encode()


def refuse(data: bytes, where: str) -> None:
    """Loading must fail with a ValueError that says where."""
    with pytest.raises(ValueError, match=f"model file.*{where}") as caught:
        from_bytes(data)
    assert "internal error" not in str(caught.value)
