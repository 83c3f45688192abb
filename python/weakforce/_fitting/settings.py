"""Parameters on their way to the core: a seed, arrays, and JSON that names what it cannot hold.

In: parameters as users give them. Out: numbers, and text that the core reads and checks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._reading.wording import shown_value


def seed_of(random_state: Any) -> int:
    """Return the seed of a run; without one, or from a generator, it is drawn."""
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < 2**64:
        return int(random_state)
    try:
        generator = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            f"parameter 'random_state': got {shown_value(random_state)}, expected None, an integer "
            "from 0 to 2**64 - 1 or a RandomState"
        ) from None
    return int(generator.randint(np.iinfo(np.int32).max))


def as_numbers(
    given: Any, name: str, expected: str, n_dimensions: int | None = None
) -> NDArray[np.float64]:
    """Return a parameter as an array of numbers, of so many dimensions if that matters."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "biufO" or n_dimensions not in (None, array.ndim):
            raise TypeError
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"parameter '{name}': got {shown_value(given)}, expected {expected}"
        ) from None
    except OverflowError:
        raise ValueError(
            f"parameter '{name}': got {shown_value(given)} with integers beyond all floats, "
            f"expected {expected}"
        ) from None


def _holds_huge(value: Any) -> bool:
    """Whether there is an integer beyond all floats."""
    if isinstance(value, dict):
        return any(map(_holds_huge, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_huge, value))
    return isinstance(value, int) and abs(value) > sys.float_info.max


def to_json(settings: dict[str, Any]) -> str:
    """Write settings down; an error names the parameter that has no JSON form."""

    def plain(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        raise TypeError(f"got {value!r}")

    write: Callable[[Any], str] = json.JSONEncoder(
        default=plain, allow_nan=False, ensure_ascii=False
    ).encode

    def encoder(value: Any) -> str:
        if _holds_huge(value):
            raise ValueError
        text = write(value)
        text.encode()  # refuses halves of surrogate pairs
        return text

    def find_culprit(group: dict[str, Any], prefix: str = "") -> None:
        for name, value in group.items():
            try:
                encoder(value)
            except (TypeError, ValueError):
                if isinstance(value, dict):
                    find_culprit(value, "estimator__" if name == "estimator" else prefix)
                raise ValueError(
                    f"parameter '{prefix}{name}': got {shown_value(value)}, expected a finite "
                    "number, a string or None"
                ) from None

    find_culprit(settings)
    return encoder(settings)
