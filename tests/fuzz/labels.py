"""Labels and weights of cases in the containers that fit takes.

In: {"values", "as"}. Out: what fit gets as y or sample_weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from .values import decode

#: How labels may come.
FORMS = ("list", "numpy", "objects", "series", "categorical", "pandas", "arrow", "tuple")


def build(written: dict[str, Any] | None) -> Any:
    """Return labels or weights in their container."""
    if written is None:
        return None
    values = decode(written["values"])
    return _FORMS[written["as"]](values)


def _objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _pandas(values: list[Any]) -> Any:
    import pandas as pd

    return pd.Series(values)


_FORMS = {
    "list": list,
    "numpy": np.array,
    "objects": _objects,
    "series": lambda values: pl.Series("label", values),
    "categorical": lambda values: pl.Series(
        "label", [None if value is None else str(value) for value in values], dtype=pl.Categorical
    ),
    "pandas": _pandas,
    "arrow": pa.array,
    "tuple": tuple,
}
