"""The order of scores along columns, as the core takes it.

In: `monotonic_cst` as users give it, and a frame. Out: a sign for each column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .frames import column_names, n_columns, place_of

_SIGNS = (-1, 0, 1)


def column_signs(given: Any, frame: Any) -> list[int]:
    """Return −1, 0 or 1 for each column; nothing if no column has an order.

    `given` is None, a mapping from names or positions to signs, or a sign for each column, as
    scikit-learn's histogram gradient boosting takes it.
    """
    if given is None:
        return []
    count = n_columns(frame)
    signs = [0] * count
    if isinstance(given, Mapping):
        names = column_names(frame)
        for entry, sign in given.items():
            signs[place_of(entry, names, count, "monotonic_cst")] = _checked(sign, entry)
    elif isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str):
        if len(given) != count:
            raise ValueError(
                f"parameter 'monotonic_cst': got {len(given)} entries, expected one for each of "
                f"{count} columns"
            )
        signs = [_checked(sign, place) for place, sign in enumerate(given)]
    else:
        raise TypeError(
            f"parameter 'monotonic_cst': got {given!r}, expected None, a dict from columns to -1, "
            "0 or 1, or a list of these, one for each column"
        )
    return signs if any(signs) else []


def _checked(sign: Any, column: Any) -> int:
    if isinstance(sign, (int, np.integer)) and not isinstance(sign, bool) and sign in _SIGNS:
        return int(sign)
    raise ValueError(
        f"parameter 'monotonic_cst': got {sign!r} for column {column!r}, expected -1, 0 or 1"
    )
