"""Python values in cases, written as JSON.

In: what a case holds. Out: the value. What JSON has is itself, but for objects with one entry,
whose name says what they stand for, such as {"date": "2020-01-01"}.
"""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

import numpy as np


def decode(written: Any) -> Any:
    """Return the value that is written."""
    if isinstance(written, list):
        return [decode(entry) for entry in written]
    if not isinstance(written, dict):
        return written
    ((kind, content),) = written.items()
    return _KINDS[kind](content)


def _array(content: Any) -> Any:
    dtype, entries = content
    if dtype == "object":
        array = np.empty(len(entries), dtype=object)
        array[:] = decode(entries)
        return array
    return np.array(decode(entries), dtype=dtype)


def _learner(content: Any) -> Any:
    import weakforce

    name, parameters = content
    return getattr(weakforce, name)(**{key: decode(entry) for key, entry in parameters.items()})


def _classifier(content: Any) -> Any:
    from sklearn import dummy, linear_model, naive_bayes, tree

    name, parameters = content
    for module in (tree, naive_bayes, linear_model, dummy):
        if hasattr(module, name):
            return getattr(module, name)(**parameters)
    raise KeyError(name)


def _callback(content: Any) -> Any:
    return lambda info: info.round >= content


_KINDS = {
    "float": float,
    "tuple": lambda content: tuple(decode(content)),
    "dict": lambda content: {decode(key): decode(entry) for key, entry in content},
    "date": dt.date.fromisoformat,
    "datetime": dt.datetime.fromisoformat,
    "time": dt.time.fromisoformat,
    "seconds": lambda content: dt.timedelta(seconds=content),
    "decimal": Decimal,
    "uuid": uuid.UUID,
    "bytes": bytes.fromhex,
    "complex": lambda content: complex(*content),
    "scalar": lambda content: np.dtype(content[0]).type(decode(content[1])),
    "array": _array,
    "learner": _learner,
    "classifier": _classifier,
    "stop_after": _callback,
}
