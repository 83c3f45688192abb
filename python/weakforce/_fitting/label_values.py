"""From labels as users hold them to a NumPy array.

In: series, arrays and lists of any type. Out: an array of numbers, Booleans, NumPy times, texts or
Python objects, in which None, NaN and NaT are missing. Nothing here needs the threads of Polars,
which a forked process does not have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from .label_codes import learn_codes

#: Polars types that are no labels: they have no counterpart among NumPy's and Python's that sort.
_NO_LABELS = (pl.Binary, pl.Object, pl.Int128, *([pl.UInt128] if hasattr(pl, "UInt128") else []))


#: The place of each label among others; None if labels are these themselves.
Places = NDArray[np.uint32] | None


def labels_of(y: Any, estimator: str) -> tuple[NDArray[Any], Places]:
    """Return labels, or fewer of them and the place of each; refuse what cannot hold labels."""
    if y is None:
        raise ValueError(f"{estimator} requires y to be passed, but the target y is None")
    return labels_of_series(y) if isinstance(y, pl.Series) else (_array_of(y), None)


def labels_of_series(series: pl.Series, name: str = "y") -> tuple[NDArray[Any], Places]:
    """Return the labels of a Polars series; refuse what cannot be labels, and nulls."""
    # The methods of a series look its name up, which may look like a pattern.
    series = series.alias("y")
    if series.dtype.is_nested() or series.dtype in _NO_LABELS:
        raise TypeError(f"y has type {series.dtype}, expected strings, Booleans or integers")
    if series.null_count():
        row = int(np.argmax(series.is_null().to_numpy()))
        raise ValueError(
            f"{name}: the label of row {row} is None, expected no null, NaN or infinity"
        )
    if series.dtype == pl.String:
        series = series.cast(pl.Categorical)
    if not isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        return series.to_numpy(), None
    # Texts are looked at once, however many rows have them.
    known, places = learn_codes(series.to_physical().to_numpy())
    rows = np.zeros(len(known), dtype=np.int64)
    rows[places] = np.arange(len(places))
    return series[rows].cast(pl.String).to_numpy(), places


def _array_of(y: Any) -> NDArray[Any]:
    if hasattr(y, "isna"):
        # In pandas' nullable types NA has no truth value, and scikit-learn makes floats of them.
        y = y.to_numpy(dtype=object, na_value=None) if np.any(y.isna()) else np.asarray(y)
    elif isinstance(y, (list, tuple)):
        y = _of_list(y)
    if getattr(getattr(y, "type", None), "id", None) is not None:  # an Arrow array
        y = _of_arrow(y)
    try:
        array: NDArray[Any] = column_or_1d(y, warn=True)
    except ValueError as error:
        if str(error).startswith("Complex"):  # and with all the numbers
            raise ValueError(
                "Complex data not supported: y is complex, expected class labels"
            ) from None
        raise
    if array.dtype.kind in "SV":
        raise TypeError(f"y has type {array.dtype}, expected strings, Booleans or integers")
    if array.dtype.kind == "T":
        return array.astype(object)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _of_arrow(y: Any) -> NDArray[Any]:
    """Return an array of pyarrow's; of some types NumPy has no array."""
    try:
        return np.asarray(y)
    except (NotImplementedError, ValueError, TypeError):
        raise TypeError(f"y has type {y.type}, expected strings, Booleans or integers") from None


def _of_list(labels: list[Any] | tuple[Any, ...]) -> Any:
    """Return an array of objects where NumPy's own type would change the labels."""
    kinds = {type(label) for label in labels}
    nested = [kind.__name__ for kind in kinds if issubclass(kind, (list, tuple, set, dict))]
    if nested and (len(kinds) > 1 or len({len(label) for label in labels}) > 1):
        raise ValueError(f"y: got entries of type {min(nested)}, expected one label for each row")
    are_texts = [issubclass(kind, str) for kind in kinds]
    # Beside strings NumPy would write numbers as strings, "nan" included, and it takes null
    # characters at the end of a string for padding.
    changed = any(are_texts) and (
        not all(are_texts) or any(label.endswith("\0") for label in set(labels))
    )
    if changed or (kinds == {int} and np.asarray(labels).dtype.kind == "f"):
        return np.fromiter(labels, dtype=object, count=len(labels))
    return labels
