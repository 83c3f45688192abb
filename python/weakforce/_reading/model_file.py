"""Model files: the core's model, with class, parameters and labels of the estimator around it.

In: a fitted model with its estimator's parameters, or a file. Out: a file, or an estimator. Loading
looks names up in fixed tables and runs no code from the file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils import get_tags

from .. import _core, learners
from .._files.failures import FileError, writing
from .._files.outputs import new_file
from .._fitting import external
from .._fitting.settings import to_json
from .._fitting.targets import LabelSets, OneLabel, Target
from .calibration_entry import (
    read_calibration,
    read_costs,
    read_prior,
    refused,
    write_calibration,
)
from .wording import shown_value

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier
    from .fitted_model import FittedModel

_PLAIN = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
_TEXT = re.compile(r"<U[0-9]{1,6}|object|datetime64\[[a-zA-Z]+\]|timedelta64\[[a-zA-Z]+\]")

_SCALARS = (bool, int, float, str)

#: The least and the largest integer that the core keeps to the last digit.
_LEAST, _MOST = -(2**63), 2**64 - 1


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
    from .._estimator.base import estimators, restored

    core, text = _core.Model.from_json(data)
    described = json.loads(text)
    needed = {"class", "parameters", "classes"}
    known = {*needed, "label_sets", "calibration", "costs", "prior"}
    if not isinstance(described, dict) or not needed <= set(described) <= known:
        raise refused("estimator", "expected the entries class, parameters and classes")
    classes = {booster.__name__: booster for booster in estimators()}
    if str(described["class"]) not in classes:
        raise refused("estimator.class", f"unknown estimator {described['class']!r}")
    booster = classes[described["class"]]
    unfitted = booster(**_read_parameters(described["parameters"], booster))
    labels = _read_labels(described["classes"], core.n_classes)
    target = _read_target(described.get("label_sets"), labels, get_tags(unfitted))
    return restored(unfitted, core, target, **_read_decisions(described, unfitted, target))


def write(path: str | PathLike[str], model: FittedModel, parameters: Mapping[str, Any]) -> None:
    """Write a model and its estimator's parameters to a file; refuse external classifiers."""
    data = to_bytes(model, parameters)
    name = os.fsdecode(path)
    try:
        # A file may be called "-", which is not standard output here.
        with new_file(f".{os.sep}-" if name == "-" else name) as made, writing(name):
            made.write_bytes(data)
    except FileError as error:
        kind = type(error.__cause__) if isinstance(error.__cause__, OSError) else OSError
        raise kind(str(error)) from None


def to_bytes(model: FittedModel, parameters: Mapping[str, Any]) -> bytes:
    """Return the content of a model file; refuse external classifiers."""
    if model.is_external:
        external.refuse_to_save(model.learner)
    return model.core.to_json(describe(model, parameters))


def describe(model: FittedModel, parameters: Mapping[str, Any]) -> str:
    """Write down class, parameters and labels of an estimator as JSON."""
    described: dict[str, Any] = {
        "class": model.name,
        "parameters": {name: _write_named(name, value) for name, value in parameters.items()},
        "classes": _write_labels(model.classes),
    }
    if isinstance(model.target, LabelSets):
        described["label_sets"] = "lists" if model.target.as_lists else "indicator"
    if model.calibration is not None:
        described["calibration"] = write_calibration(model.calibration)
    if model.costs is not None:
        described["costs"] = model.costs.tolist()
    if model.prior is not None:
        described["prior"] = model.prior.tolist()
    return json.dumps(described, allow_nan=False)


def _write_named(name: str, value: Any) -> Any:
    """Return JSON for a parameter; refuse what JSON has, but the core would not read."""
    written = _write_parameter(value)
    try:
        to_json({name: written})
    except ValueError:
        raise ValueError(
            f"parameter '{name}': got {shown_value(value)}, expected finite numbers and whole "
            "characters, which a model file can hold"
        ) from None
    return written


def _write_parameter(value: Any) -> Any:
    """Return JSON for a parameter.

    What has no JSON form (functions, generators, scikit-learn estimators) becomes null, and so does
    a list or dict of such things. Tuples that are keys come back as tuples, frames as lists.
    """
    if isinstance(value, learners.WeakLearner):
        return {"learner": type(value).__name__, **value.get_params(deep=False)}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, pl.DataFrame) or hasattr(value, "iloc"):
        value = np.asarray(value).tolist()
    if isinstance(value, Mapping):
        pairs = [[_write_key(key), _write_parameter(entry)] for key, entry in value.items()]
        kept = [*value, *value.values()]
        lost = any(entry is None for pair in pairs for entry in pair)
        return None if lost and all(entry is not None for entry in kept) else {"pairs": pairs}
    if isinstance(value, (list, tuple)):
        entries = [_write_parameter(entry) for entry in value]
        lost = any(entry is None for entry in entries)
        return None if lost and all(entry is not None for entry in value) else entries
    return value if value is None or isinstance(value, (bool, int, float, str)) else None


def _write_key(key: Any) -> Any:
    return {"tuple": _write_parameter(key)} if isinstance(key, tuple) else _write_parameter(key)


def _read_parameters(stored: Any, booster: type[BoostingClassifier]) -> dict[str, Any]:
    if not isinstance(stored, dict):
        raise refused("estimator.parameters", "expected an object")
    unknown = set(stored) - set(booster().get_params(deep=False))
    if unknown:
        raise refused("estimator.parameters", f"unknown parameter {min(unknown)!r}")
    return {name: _read_parameter(name, value) for name, value in stored.items()}


def _read_parameter(name: str, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if set(value) == {"pairs"}:
        try:
            return {_read_key(key): _read_parameter(name, entry) for key, entry in value["pairs"]}
        except (TypeError, ValueError):
            raise refused(f"estimator.parameters.{name}", "expected pairs") from None
    known = {learner.__name__: learner for learner in learners.weak_learners()}
    rest = {key: entry for key, entry in value.items() if key != "learner"}
    learner = known.get(str(value.get("learner")))
    if learner is None or not set(rest) <= set(learner().get_params()):
        raise refused(f"estimator.parameters.{name}", "unknown weak learner or parameter")
    return learner(**rest)


def _read_key(key: Any) -> Any:
    return tuple(key["tuple"]) if isinstance(key, dict) and set(key) == {"tuple"} else key


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
    for value in values:
        if isinstance(value, int) and not _LEAST <= value <= _MOST:
            raise TypeError(
                f"y has labels such as {shown_value(value)}; a model file holds integers of at "
                "most 64 bits, so fit with strings"
            )
    return {"dtype": dtype, "values": values}


def _read_target(stored: Any, labels: NDArray[Any], tags: Any) -> Target:
    """Return the target of a file; `tags` say whether the booster takes sets of labels."""
    if stored is None:
        return OneLabel(labels)
    if stored not in ("lists", "indicator") or not tags.classifier_tags.multi_label:
        raise refused("estimator.label_sets", f"got {stored!r}, expected 'lists' or 'indicator'")
    return LabelSets(labels, as_lists=stored == "lists")


def _read_decisions(
    described: Mapping[str, Any], unfitted: BoostingClassifier, target: Target
) -> dict[str, Any]:
    """Return what the scores of a file's model mean."""
    n_classes, one_label = len(target.classes), isinstance(target, OneLabel)
    for entry, has_it in (
        ("calibration", one_label),
        ("costs", one_label and unfitted.decides_by_cost),
        ("prior", one_label),
    ):
        if entry in described and not has_it:
            raise refused(f"estimator.{entry}", f"{described['class']} has none for this target")
    found: dict[str, Any] = {
        "costs": read_costs(described.get("costs"), n_classes),
        "prior": read_prior(described.get("prior"), n_classes),
    }
    if "calibration" in described:
        kinds = unfitted.calibration_kinds()
        calibration = read_calibration(described["calibration"], n_classes, kinds)
        return {"calibration": calibration, **found}
    try:
        return {"calibration": unfitted.calibration_without_entry(n_classes), **found}
    except (TypeError, ValueError) as error:
        raise refused("estimator.calibration", str(error)) from None


def _read_labels(stored: Any, n_classes: int) -> NDArray[Any]:
    if not isinstance(stored, dict) or set(stored) != {"dtype", "values"}:
        raise refused("estimator.classes", "expected the entries dtype and values")
    dtype, values = stored["dtype"], stored["values"]
    known = isinstance(dtype, str) and (_PLAIN.fullmatch(dtype) or _TEXT.fullmatch(dtype))
    if not known:
        raise refused("estimator.classes.dtype", f"unknown type {dtype!r}")
    if not isinstance(values, list) or not all(isinstance(value, _SCALARS) for value in values):
        raise refused("estimator.classes.values", "expected a list of labels")
    try:
        labels = np.array(values, dtype=dtype)
        ascend = len(values) == n_classes and bool((labels[:-1] < labels[1:]).all())
    except (TypeError, ValueError, OverflowError) as error:
        raise refused("estimator.classes", str(error)) from None
    got = f"got {shown_value(values)}"
    if not ascend:
        raise refused("estimator.classes.values", f"{got}, expected {n_classes} that ascend")
    if labels.dtype.kind not in "mM" and repr(labels.tolist()) != repr(values):
        raise refused("estimator.classes.values", f"{got}, which {dtype} cannot hold")
    return labels
