"""From labels of any type to class codes, and from user weights to row weights.

In: y, `sample_weight` and `class_weight` as users give them. Out: the sorted classes, a code per
row, one array of weights or None, and a factor per class.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._reading.wording import shown_value
from .label_codes import Codes, known_codes, learn_codes, shortened
from .label_values import labels_of

__all__ = [
    "Codes",
    "Floats",
    "check_classes",
    "checked_weights",
    "class_factors",
    "class_prior",
    "encode_known_labels",
    "encode_labels",
    "factors_of",
    "is_category",
    "label_list",
    "label_series",
    "relative_weights",
    "row_weights",
    "shortened",
]

#: Numbers are taken for quantities, not for classes, if more than `_MANY` of them are different and
#: each has fewer than `_FEWEST_ROWS` rows on average, or if more than `_TOO_MANY` are different.
_MANY, _FEWEST_ROWS, _TOO_MANY = 100, 50, 1000

Floats = NDArray[np.float64]


def encode_labels(y: Any, estimator: str) -> tuple[NDArray[Any], Codes]:
    """Return the classes in ascending order and the class code of every row.

    Numbers that look like quantities are refused: more than 100 different ones with fewer than 50
    rows each on average, or more than 1,000 different ones. Strings, categoricals and all other
    types never are.
    """
    classes, codes = learn_codes(*labels_of(y, estimator))
    check_classes(classes, len(codes), is_category(y))
    return classes, codes


def is_category(y: Any) -> bool:
    """Whether labels are categories whatever they look like, as pandas has them."""
    return getattr(getattr(y, "dtype", None), "name", None) == "category"


def check_classes(classes: NDArray[Any], n_rows: int, are_categories: bool) -> None:
    """Refuse distinct labels of so many rows that are quantities, or fewer than two."""
    if not are_categories:
        _refuse_quantities(classes, n_rows)
    if len(classes) == 0:
        raise ValueError("y: got 0 labels (0 sample(s)), expected at least 2")
    if len(classes) == 1:
        raise ValueError(f"y: got only one class, {classes[0]!r}, expected two classes or more")


def encode_known_labels(y: Any, classes: NDArray[Any], estimator: str, name: str = "y") -> Codes:
    """Return codes for labels that must all be among `classes`."""
    return known_codes(*labels_of(y, estimator), classes, name)


def label_list(classes: NDArray[Any]) -> list[Any]:
    """Return the labels as Python objects; NumPy's dates stay what they are."""
    return list(classes) if classes.dtype.kind in "mM" else list(classes.tolist())


def label_series(classes: NDArray[Any]) -> pl.Series:
    """Return the labels as a series of their own type; as texts if Polars has no such type."""
    if classes.dtype.kind in "mM":
        return _series_of_times(classes)
    if classes.dtype != object:
        return pl.Series(classes)
    labels = classes.tolist()
    try:
        series = pl.Series(labels)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        series = pl.Series(labels, dtype=pl.Object)
    return pl.Series(list(map(str, labels))) if series.dtype == pl.Object else series


def _series_of_times(classes: NDArray[Any]) -> pl.Series:
    kind, unit = classes.dtype.kind, np.datetime_data(classes.dtype)[0]
    if unit in ("Y", "M", "W", "D"):
        other = "D" if kind == "M" else "ms"
    else:
        other = "ms" if unit in ("h", "m", "s") else unit
    times = classes.astype(f"{kind}8[{other}]")
    # Times of a finer unit reach less far.
    is_exact = np.array_equal(times.astype(classes.dtype), classes)
    return pl.Series(times if is_exact else list(map(str, classes)))


def _refuse_quantities(classes: NDArray[Any], n_rows: int) -> None:
    """Refuse numbers that are too many to be classes, before anything is made for each of them."""
    count = len(classes)
    if count <= _MANY or (count * _FEWEST_ROWS <= n_rows and count <= _TOO_MANY):
        return
    is_float = isinstance(classes[0], (float, np.floating))
    if is_float or isinstance(classes[0], (int, np.integer)):
        if not all(label == label // 1 for label in classes.tolist()):
            return
        kind = "whole numbers" if is_float else "integers"
        raise ValueError(
            f"y: got {count} different {kind} in {n_rows} rows, expected classes: if they are "
            "classes, cast them to strings or a categorical; if they are quantities, this is not a "
            "regression library"
        )


def checked_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """Return the user's row weights as an array; their values are the core's to check."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"sample_weight: {error}, expected one number for each row") from None
    if weights.ndim != 1:
        raise ValueError(
            f"sample_weight: got {weights.ndim} dimensions (Sample weights must be 1D array or "
            "scalar), expected one weight for each row"
        )
    if len(weights) != n_rows:
        raise ValueError(
            f"sample_weight: got {len(weights)} weights, expected one for each of {n_rows} rows"
        )
    return weights


def row_weights(sample_weight: Any, n_rows: int) -> Floats:
    """Return a weight for each row, 1 if the user has none; refuse those the core would refuse."""
    weights = checked_weights(sample_weight, n_rows)
    if weights is None:
        return np.ones(n_rows)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise ValueError(
            f"sample_weight: got {weights[wrong[0]]} for row {wrong[0]}, expected numbers >= 0"
        )
    if not weights.any():
        raise ValueError("sample_weight: got zero for all rows, expected a number > 0")
    return weights


def relative_weights(sample_weight: Any, n_rows: int) -> Floats:
    """Return row weights of at most 1, whose sums do not overflow."""
    weights = checked_weights(sample_weight, n_rows)
    if weights is None:
        return np.ones(n_rows)
    largest = weights.max(initial=0.0)
    return weights / largest if 0.0 < largest < np.inf else weights


def class_factors(classes: NDArray[Any], totals: Floats, class_weight: Any) -> Floats:
    """Return the factor of each class; `totals` are the weights of the classes without it."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(totals.sum() / (len(classes) * np.maximum(totals, 1e-300)))
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"parameter 'class_weight': got {class_weight!r}, expected None, 'balanced' or a dict "
            "from class labels to weights"
        )
    known = classes.tolist()
    for label, weight in class_weight.items():
        if label not in known:
            raise ValueError(
                f"parameter 'class_weight': got the label {label!r}, expected one of "
                f"{shortened(classes)}"
            )
        number = isinstance(weight, (int, float, np.number))
        if not (number and 0 <= weight <= sys.float_info.max):
            raise ValueError(
                f"parameter 'class_weight': got {shown_value(weight)} for {label!r}, expected a "
                "number >= 0"
            )
    factors = np.array([float(class_weight.get(label, 1.0)) for label in known])
    if not factors.any():
        raise ValueError(f"parameter 'class_weight': got {class_weight!r}, expected a number > 0")
    return factors


def class_prior(factors: Floats) -> Floats:
    """Return what class weights add to the scores of every row.

    They multiply the probabilities of the classes: ln c_k for each of several classes, and half the
    log of c_1 / c_0 for the one score of two. A class of weight 0 is never the answer.
    """
    logs = np.log(np.maximum(factors / factors.max(), 1e-300))
    if len(logs) == 2:
        return np.asarray((logs[1:] - logs[:1]) / 2.0)
    return np.asarray(logs - logs.mean())


def factors_of(prior: Floats | None) -> tuple[float, ...]:
    """Return the class weights behind a prior, the largest being 1; empty without one."""
    if prior is None:
        return ()
    logs = np.array([0.0, 2.0 * prior[0]]) if len(prior) == 1 else prior
    return tuple(np.exp(logs - logs.max()).tolist())
