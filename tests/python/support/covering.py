"""Which of a test's parameter combinations a quick run takes: enough that every value occurs.

A test over 30 types of columns and 17 boosters has 510 combinations; 46 of them see each type and
each booster. The others are marked as slow, in addition to what is marked so by hand. Of the
boosters a test takes every third or so, other ones than the next test.
"""

from functools import partial
from typing import Any
from zlib import crc32

import pytest
from sklearn.base import BaseEstimator

from support.deselection import name_of


def mark_surplus(items: list[pytest.Item]) -> None:
    """Mark combinations as slow in which no parameter has a value that is new to its test."""
    seen: dict[tuple[Any, str], set[tuple[str, str]]] = {}
    for item in items:
        if not hasattr(item, "callspec") or item.get_closest_marker("slow"):
            continue
        values = values_of(item.callspec.params) - _left_to_others(item)
        test = (item.path, name_of(item))
        if test in seen and values <= seen[test]:
            item.add_marker(pytest.mark.slow)
        seen.setdefault(test, set()).update(values)


def _left_to_others(item: pytest.Item) -> set[tuple[str, str]]:
    """The value that is a booster, if this test is one of the two in three that pass it over."""
    booster = item.callspec.params.get("booster")  # type: ignore[attr-defined]
    name = getattr(booster, "__name__", None)
    if name is None or crc32(f"{name_of(item)} {name}".encode()) % 3 == 0:
        return set()
    return values_of({"booster": booster})


def values_of(parameters: dict[str, Any]) -> set[tuple[str, str]]:
    """Names and values of parameters; a tuple of a booster and its learner has two values."""
    values = set()
    for name, value in parameters.items():
        parts = value if isinstance(value, tuple) else (value,)
        values |= {(f"{name} {place}", _as_text(part)) for place, part in enumerate(parts)}
    return values


def _as_text(value: Any) -> str:
    if isinstance(value, partial):  # checks of scikit-learn are made anew for every estimator
        return value.func.__name__
    # An estimator prints as a dictionary what it takes longer to print as itself.
    return repr((type(value), vars(value) if isinstance(value, BaseEstimator) else value))
