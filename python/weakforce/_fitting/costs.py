"""What wrong answers cost, in the forms users give it.

In: the parameter `cost` of an estimator or of fit: nothing, a matrix, a dict over labels, or a row
of costs for each row of X. Out: a matrix of classes (true × answered), or of rows and classes.
Errors name 'cost', what came and what was expected.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._reading.wording import shown_value
from .frames import column_names
from .labels import shortened
from .settings import as_numbers

Floats = NDArray[np.float64]

_FORMS = (
    "None, a matrix of costs (true × answered, in the order of classes_), or a dict "
    "{true: {answered: cost}} or {(true, answered): cost}"
)


def class_costs(cost: Any, classes: NDArray[Any], or_rows: str = "") -> Floats | None:
    """Return the costs as a matrix, true × answered; None is the 0/1 loss.

    `or_rows` is what an error offers besides a matrix.
    """
    if cost is None:
        return None
    if isinstance(cost, Mapping):
        matrix = _matrix_of(cost, classes)
    else:
        matrix = _as_array(cost, _FORMS, classes)
        wanted = (len(classes), len(classes))
        if matrix.shape != wanted:
            raise ValueError(
                f"parameter 'cost': got a matrix of shape {matrix.shape}, expected {wanted} for "
                f"the classes {shortened(classes)}{or_rows}"
            )
    _refuse_values(matrix, lambda true, said: _pair(classes[true], classes[said]))
    diagonal = np.flatnonzero(matrix.diagonal())
    if len(diagonal):
        label = classes.tolist()[diagonal[0]]
        warnings.warn(
            f"parameter 'cost': got {matrix.diagonal()[diagonal[0]]:g} for answering {label!r} "
            "where it is right, expected 0; it is used as it stands",
            UserWarning,
            stacklevel=_level_of_caller(),
        )
    _refuse_indifference(matrix)
    return matrix


def _level_of_caller() -> int:
    """Return how many calls lie between the caller and code that is not of this library."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("weakforce."):
        frame, level = frame.f_back, level + 1
    return level


def row_costs(cost: Any, n_rows: int, classes: NDArray[Any], name: str = "cost") -> Floats:
    """Return the costs of every answer for every row."""
    costs = _as_array(cost, "a row of costs for each row of X", classes, name)
    wanted = (n_rows, len(classes))
    if costs.shape != wanted:
        raise ValueError(
            f"parameter '{name}': got an array of shape {costs.shape}, expected {wanted}: a row "
            f"for each row of X, a column for each of the classes {shortened(classes)}"
        )
    _refuse_values(costs, lambda row, said: f"{classes[said]!s} in row {row}", name)
    if name == "cost":
        _refuse_indifference(costs)
    return costs


def has_a_row_each(cost: Any, n_rows: int) -> bool:
    """Whether what fit got as costs has a row for each row of X."""
    if cost is None or isinstance(cost, Mapping):
        return False
    if hasattr(cost, "shape"):
        return len(cost.shape) == 2 and cost.shape[0] == n_rows
    return isinstance(cost, (list, tuple)) and len(cost) == n_rows


def check_both(costs: Floats | None, costs_val: Floats | None) -> None:
    """Refuse costs for each row of X without such costs for each row of X_val, and vice versa."""
    if costs is not None and costs_val is None:
        raise ValueError(
            "parameter 'cost_val': got None, expected a row of costs for each row of X_val, as "
            "cost has for X"
        )
    if costs is None and costs_val is not None:
        raise ValueError(
            "parameter 'cost_val': got costs for each row of X_val, expected None, as cost has "
            "none for each row of X"
        )


def _as_array(cost: Any, expected: str, classes: NDArray[Any], name: str = "cost") -> Floats:
    array = as_numbers(cost, name, expected)
    if array.ndim != 2:
        raise ValueError(
            f"parameter '{name}': got {shown_value(cost)} with {array.ndim} dimensions, expected "
            f"{expected}"
        )
    names, known = column_names(cost), [str(label) for label in classes.tolist()]
    if names is not None and names != known and sorted(names) == sorted(known):
        raise ValueError(
            f"parameter '{name}': got the columns {', '.join(names)}, expected them in the order "
            f"of the classes {shortened(classes)}"
        )
    return array


def _matrix_of(cost: Mapping[Any, Any], classes: NDArray[Any]) -> Floats:
    """Fill in what a dict says; pairs that it does not name cost 1."""
    place_of = {label: place for place, label in enumerate(classes.tolist())}
    matrix = 1.0 - np.eye(len(classes))

    def place(label: Any) -> int:
        if label not in place_of:
            raise ValueError(
                f"parameter 'cost': got the label {label!r}, expected one of {shortened(classes)}"
            )
        return place_of[label]

    for key, value in cost.items():
        if isinstance(value, Mapping):
            entries = [(key, said, each) for said, each in value.items()]
        elif isinstance(key, tuple) and len(key) == 2:
            entries = [(*key, value)]
        else:
            raise TypeError(
                f"parameter 'cost': got the entry {key!r}: {value!r}, expected {_FORMS}"
            )
        for true, said, each in entries:
            number = isinstance(each, (int, float, np.number)) and not isinstance(each, bool)
            if not number:
                raise TypeError(
                    f"parameter 'cost': got {each!r} for {_pair(true, said)}, expected a number"
                )
            # Not the number itself: NumPy refuses integers beyond all doubles in words of its own.
            matrix[place(true), place(said)] = np.inf if each > sys.float_info.max else each
    return matrix


def _pair(true: Any, said: Any) -> str:
    return f"answering {said!s} where {true!s} is right"


def _refuse_values(costs: Floats, name_entry: Any, name: str = "cost") -> None:
    wrong = ~(np.isfinite(costs) & (costs >= 0))
    if wrong.any():
        place = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"parameter '{name}': got {costs[tuple(place)]:g} for {name_entry(*place)}, expected "
            "finite numbers >= 0"
        )


def _refuse_indifference(costs: Floats) -> None:
    if not (costs.max(axis=1, initial=0.0) > costs.min(axis=1, initial=np.inf)).any():
        raise ValueError(
            "parameter 'cost': got the same cost for all answers, expected costs that differ"
        )
