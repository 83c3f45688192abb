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


def small_model(learner) -> RealAdaBoostClassifier:
    """Every part of a file in few bytes: cuts, categories, rare ones, subsets, validation."""
    options = {**SMALL.get(learner._kind, {}), "criterion": "z", "answer": "gentle"}
    known = learner().get_params()
    model = RealAdaBoostClassifier(
        learner(**{name: value for name, value in options.items() if name in known}),
        n_estimators=5,
        max_bins=3,
        categorical_features=["c"],
        class_weight={0: 1, 1: 2.5},
    )
    return model.fit(X, Y, X_val=X, y_val=[0, 1, 0, 1, 1, 1])


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
