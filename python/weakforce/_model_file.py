"""What a model file says of the estimator around the model: class, parameters, labels.

In: an estimator, or a file. Out: a JSON text for the core to store, or an estimator. Loading looks
names up in fixed tables and runs no code from the file.
"""

from __future__ import annotations

import json
import re
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core, learners

if TYPE_CHECKING:
    from ._base import BoostingClassifier

_PLAIN = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
_TEXT = re.compile(r"<U[0-9]{1,6}|object|datetime64\[[a-zA-Z]+\]|timedelta64\[[a-zA-Z]+\]")

_SCALARS = (bool, int, float, str)


def load(path: str | PathLike[str]) -> BoostingClassifier:
    """Read a model that `save` wrote.

    The file is checked throughout; anything damaged, foreign or newer than this library is refused
    with a ValueError that says where. `row_weights_` and `fit_times_` are not part of the file.

    Examples:
        >>> import tempfile, pathlib, weakforce
        >>> X, y = weakforce.datasets.make_xd6(200, seed=1)
        >>> model = weakforce.ArcGVClassifier(n_estimators=5).fit(X, y)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
        >>> model.save(path)
        >>> bool((weakforce.load(path).predict(X) == model.predict(X)).all())
        True
    """
    return from_bytes(Path(path).read_bytes())


def from_bytes(data: bytes) -> BoostingClassifier:
    """Read a model from the bytes of a file."""
    from ._base import boosters

    model, text = _core.Model.from_json(data)
    described = json.loads(text)
    if not isinstance(described, dict) or set(described) != {"class", "parameters", "classes"}:
        raise _refused("estimator", "expected the entries class, parameters and classes")
    classes = {booster.__name__: booster for booster in boosters()}
    if str(described["class"]) not in classes:
        raise _refused("estimator.class", f"unknown estimator {described['class']!r}")
    estimator = classes[described["class"]](
        **_read_parameters(described["parameters"], classes[described["class"]])
    )
    estimator._adopt(model, _read_labels(described["classes"]))
    return estimator


def describe(estimator: BoostingClassifier) -> str:
    """Write down class, parameters and labels of an estimator as JSON."""
    parameters = estimator.get_params(deep=False)
    described = {
        "class": type(estimator).__name__,
        "parameters": {name: _write_parameter(value) for name, value in parameters.items()},
        "classes": _write_labels(estimator.classes_),
    }
    return json.dumps(described, allow_nan=False)


def _refused(place: str, reason: str) -> ValueError:
    return ValueError(f"model file: at '{place}': {reason}")


def _write_parameter(value: Any) -> Any:
    """Return JSON for a parameter.

    What has no JSON form (functions, generators, scikit-learn estimators) becomes null.
    """
    if isinstance(value, learners.WeakLearner):
        return {"learner": type(value).__name__, **value.get_params(deep=False)}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        return {"pairs": [[_write_parameter(k), _write_parameter(v)] for k, v in value.items()]}
    if isinstance(value, (list, tuple)):
        entries = [_write_parameter(entry) for entry in value]
        return None if None in entries and None not in value else entries
    return value if value is None or isinstance(value, (bool, int, float, str)) else None


def _read_parameters(stored: Any, booster: type[BoostingClassifier]) -> dict[str, Any]:
    if not isinstance(stored, dict):
        raise _refused("estimator.parameters", "expected an object")
    unknown = set(stored) - set(booster().get_params(deep=False))
    if unknown:
        raise _refused("estimator.parameters", f"unknown parameter {min(unknown)!r}")
    return {name: _read_parameter(name, value) for name, value in stored.items()}


def _read_parameter(name: str, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if set(value) == {"pairs"}:
        try:
            return dict(value["pairs"])
        except (TypeError, ValueError):
            raise _refused(f"estimator.parameters.{name}", "expected pairs") from None
    known = {learner.__name__: learner for learner in learners.weak_learners()}
    rest = {key: entry for key, entry in value.items() if key != "learner"}
    learner = known.get(str(value.get("learner")))
    if learner is None or not set(rest) <= set(learner().get_params()):
        raise _refused(f"estimator.parameters.{name}", "unknown weak learner or parameter")
    return learner(**rest)


def _write_labels(classes: NDArray[Any]) -> dict[str, Any]:
    dtype = str(classes.dtype)
    plain = _PLAIN.fullmatch(dtype) or classes.dtype == object
    if classes.dtype.kind in "mM":
        return {"dtype": dtype, "values": classes.astype(np.int64).tolist()}
    values = classes.tolist() if plain else classes.astype(str).tolist()
    if not all(isinstance(value, _SCALARS) for value in values):
        raise TypeError(
            f"y has labels of type {type(values[0]).__name__} such as {values[0]!r}; a model file "
            "holds strings, Booleans, numbers and NumPy dates, so fit with one of those"
        )
    return {"dtype": dtype, "values": values}


def _read_labels(stored: Any) -> NDArray[Any]:
    if not isinstance(stored, dict) or set(stored) != {"dtype", "values"}:
        raise _refused("estimator.classes", "expected the entries dtype and values")
    dtype, values = stored["dtype"], stored["values"]
    known = isinstance(dtype, str) and (_PLAIN.fullmatch(dtype) or _TEXT.fullmatch(dtype))
    if not known:
        raise _refused("estimator.classes.dtype", f"unknown type {dtype!r}")
    if not isinstance(values, list) or not all(isinstance(value, _SCALARS) for value in values):
        raise _refused("estimator.classes.values", "expected a list of labels")
    try:
        labels = np.array(values, dtype=dtype)
        ascend = len(values) == 2 and bool(labels[0] < labels[1])
    except (TypeError, ValueError, OverflowError) as error:
        raise _refused("estimator.classes", str(error)) from None
    if not ascend:
        raise _refused("estimator.classes.values", f"got {values!r}, expected two that ascend")
    if labels.dtype.kind not in "mM" and repr(labels.tolist()) != repr(values):
        raise _refused("estimator.classes.values", f"got {values!r}, which {dtype} cannot hold")
    return labels
