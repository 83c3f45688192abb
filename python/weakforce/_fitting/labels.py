"""From labels of any type to class codes, and from user weights to row weights.

In: y, `sample_weight` and `class_weight` as users give them. Out: the sorted classes, a code per
row, one array of weights or None, and a factor per class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

#: Polars types that NumPy's `classes_` cannot hold.
_NO_LABELS = (pl.Binary, pl.Object, pl.Int128, *([pl.UInt128] if hasattr(pl, "UInt128") else []))

#: The most labels that an error lists.
_MOST = 10

#: Numbers are taken for quantities, not for classes, if more than `_MANY` of them are different and
#: each has fewer than `_FEWEST_ROWS` rows on average, or if more than `_TOO_MANY` are different.
_MANY, _FEWEST_ROWS, _TOO_MANY = 100, 50, 1000

#: Up to so many integers are sorted by NumPy, which needs a tenth of the time that a query takes.
_FEW_ROWS = 10_000

Codes = NDArray[np.uint32]
Floats = NDArray[np.float64]


def encode_labels(y: Any, estimator: str) -> tuple[NDArray[Any], Codes]:
    """Return the classes in ascending order and the class code of every row.

    Numbers that look like quantities are refused: more than 100 different ones with fewer than 50
    rows each on average, or more than 1,000 different ones. Strings, categoricals and all other
    types never are.
    """
    series, dtype = _as_series(y, estimator)
    if getattr(getattr(y, "dtype", None), "name", None) != "category":  # as pandas has them
        _refuse_quantities(series)
    classes, codes = encode_series(series, dtype)
    if len(classes) == 0:
        raise ValueError("y: got 0 labels (0 sample(s)), expected at least 2")
    if len(classes) == 1:
        raise ValueError(f"y: got only one class, {classes[0]!r}, expected two classes or more")
    return classes, codes


def encode_known_labels(y: Any, classes: NDArray[Any], estimator: str, name: str = "y") -> Codes:
    """Return codes for labels that must all be among `classes`."""
    return encode_known_series(_as_series(y, estimator)[0], classes, name)


def encode_series(
    series: pl.Series, dtype: np.dtype[Any] | None = None
) -> tuple[NDArray[Any], Codes]:
    """Return the distinct values of a series, ascending, and the place of each entry in them."""
    if _are_few_integers(series):
        classes, codes = np.unique(series.to_numpy(), return_inverse=True)
        return classes if dtype is None else classes.astype(dtype), codes.astype(np.uint32)
    distinct = series.unique().sort()
    _refuse_missing(series, distinct, "y")
    classes = distinct.to_numpy()
    if dtype is not None:
        classes = classes.astype(dtype)
    if classes.dtype.kind == "f" and np.any(classes != np.floor(classes)):
        raise ValueError(
            "Unknown label type: continuous. y holds fractions such as "
            f"{classes[classes != np.floor(classes)][0]}, expected class labels"
        )
    return classes, _places(series, distinct, range(len(distinct)))


def encode_known_series(series: pl.Series, classes: NDArray[Any], name: str) -> Codes:
    """Return the place of each entry of a series in `classes`."""
    if _are_few_integers(series) and classes.dtype.kind in "biu":
        labels = series.to_numpy()
        places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        if np.array_equal(classes[places], labels):
            return places.astype(np.uint32)
    distinct = series.unique()
    _refuse_missing(series, distinct, name)
    known = label_series(classes).to_list()
    place_of = {label: place for place, label in enumerate(known)}
    found = []
    for label in distinct.to_list():
        if label not in place_of:
            raise ValueError(
                f"{name}: got the label {label!r}, expected one of {shortened(classes)}"
            )
        found.append(place_of[label])
    return _places(series, distinct, found)


def _are_few_integers(series: pl.Series) -> bool:
    is_whole = series.dtype.is_integer() or series.dtype == pl.Boolean
    return is_whole and len(series) <= _FEW_ROWS and not series.null_count()


def _places(series: pl.Series, distinct: pl.Series, places: Iterable[int]) -> Codes:
    """Look the entries of a series up; a place for each distinct one is given."""
    if series.len() == 0:
        return np.zeros(0, dtype=np.uint32)
    codes = series.replace_strict(distinct, pl.Series(list(places), dtype=pl.UInt32))
    return codes.to_numpy()


def label_list(classes: NDArray[Any]) -> list[Any]:
    """Return the labels as Python objects; NumPy's dates stay what they are."""
    return list(classes) if classes.dtype.kind in "mM" else list(classes.tolist())


def label_series(classes: NDArray[Any]) -> pl.Series:
    """Return the labels as a series of their own type."""
    return pl.Series(classes.tolist() if classes.dtype == object else classes)


def shortened(classes: NDArray[Any]) -> str:
    """Return the labels as a list for an error, cut short if there are many."""
    if len(classes) <= _MOST:
        return str(classes.tolist())
    shown = ", ".join(repr(label) for label in classes[:_MOST].tolist())
    return f"[{shown}, … {len(classes)} in all]"


def refuse_label_type(series: pl.Series) -> pl.Series:
    """Return labels as strings if they are categories; refuse what cannot be a label."""
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        series = series.cast(pl.String)
    if series.dtype.is_nested() or series.dtype in _NO_LABELS:
        raise TypeError(f"y has type {series.dtype}, expected strings, Booleans or integers")
    return series


def _as_series(y: Any, estimator: str) -> tuple[pl.Series, np.dtype[Any] | None]:
    """Return y as a Polars series and, if it was an array, its NumPy type."""
    if y is None:
        raise ValueError(f"{estimator} requires y to be passed, but the target y is None")
    if isinstance(y, pl.Series):
        return refuse_label_type(y), None
    if hasattr(y, "isna"):
        # In pandas' nullable types NA has no truth value, and scikit-learn makes floats of them.
        y = y.to_numpy(dtype=object, na_value=None) if np.any(y.isna()) else np.asarray(y)
    elif isinstance(y, (list, tuple)) and len({isinstance(label, str) for label in y}) > 1:
        # NumPy would write numbers beside strings as strings, "nan" included.
        y = np.array(y, dtype=object)
    array = column_or_1d(y, warn=True)
    if array.dtype == object:
        values = [None if _is_nan(label) else label for label in array.tolist()]
        kinds = {type(value) for value in values}
        if len(kinds - {type(None)}) > 1 and not kinds <= {int, float, bool, type(None)}:
            names = sorted(kind.__name__ for kind in kinds)
            raise TypeError(f"y mixes values of types {', '.join(names)}, expected one type")
        return pl.Series("y", values, strict=False), array.dtype
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: y is complex, expected class labels")
    if array.dtype.kind in "SV":
        raise TypeError(f"y has type {array.dtype}, expected strings, Booleans or integers")
    if array.dtype.kind == "T":
        return pl.Series("y", array.tolist()), None
    dtype = array.dtype.newbyteorder("=")
    return pl.Series("y", array.astype(dtype, copy=False)), dtype


def _refuse_quantities(series: pl.Series) -> None:
    """Refuse numbers that are too many to be classes, before anything is made for each of them."""
    if not series.dtype.is_numeric():
        return
    if series.dtype.is_float() and not (series.is_finite() & (series == series.floor())).all():
        return  # which is refused for another reason
    n_rows, count = len(series), series.n_unique()
    if count > _MANY and (count * _FEWEST_ROWS > n_rows or count > _TOO_MANY):
        kind = "whole numbers" if series.dtype.is_float() else "integers"
        raise ValueError(
            f"y: got {count} different {kind} in {n_rows} rows, expected classes: if they are "
            "classes, cast them to strings or a categorical; if they are quantities, this is not a "
            "regression library"
        )


def _is_nan(label: Any) -> bool:
    return isinstance(label, float) and label != label


def _refuse_missing(series: pl.Series, distinct: pl.Series, name: str) -> None:
    missing = distinct.is_null()
    if distinct.dtype.is_float():
        missing = missing | distinct.is_nan() | distinct.is_infinite()
    if missing.any():
        bad = series.is_null()
        if series.dtype.is_float():
            bad = bad | series.is_nan() | series.is_infinite()
        row = bad.fill_null(True).arg_true()[0]
        raise ValueError(
            f"{name}: the label of row {row} is {series[row]}, expected no null, NaN or infinity"
        )


def checked_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """Return the user's row weights as an array; their values are the core's to check."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"sample_weight: {error}, expected one number for each row") from None
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
        if not (number and np.isfinite(weight) and weight >= 0):
            raise ValueError(
                f"parameter 'class_weight': got {weight!r} for {label!r}, expected a number >= 0"
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
