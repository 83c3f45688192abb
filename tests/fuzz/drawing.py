"""Random cases: frames, labels and weights full of what breaks programs.

In: a generator. Out: a case as JSON, see `calls`. Most cases are sound, or nothing would ever be
fitted; about one in three has something odd in it.
"""

from __future__ import annotations

import uuid
from random import Random
from typing import Any

from .drawn_parameters import draw_booster
from .frames import ARROW, COMPOSED, CONTAINERS, LEVELS, NAMED_CONTAINERS
from .labels import FORMS

#: Names that some engine might read as something else.
TRAPS = [
    *("^a.*$", "*", "", "score", "scores", "class", "row", "bias", "prediction", "label", "x0"),
    *('a"b', "a'b", "a;b", "日本", "a b", "x" * 300, "A", "a", "select", "key ", "s0", "c1"),
    *("a\nb", "a.b", "$x$", "^x$", "%s", "{}", "\\", "literal", "len", "\ud800", "a\0"),
]
TEXTS = ["", "a", "b", "A", "ä", "nan", "null", "0", "日本", "it's", "a\0", "x" * 50, "-1", "None"]
ODD_FLOATS = [
    *(0.0, -0.0, 1e-320, 5e-324, 1e308, -1.7e308, 1e-9, 0.1, 1e15),
    *({"float": "nan"}, {"float": "inf"}, {"float": "-inf"}),
]
WEIGHTS = [0.0, 1.0, 2.5, 1e-300, 5e-324, 1e300, 1e100, 0.1]
ODD_WEIGHTS = [-1.0, {"float": "nan"}, {"float": "inf"}, "x", None, 10**400, {"complex": [1, 1]}]

_PLAIN = ("Float64", "Float32", "Int64", "Boolean", "String", "Categorical", "Int8", "Date")
_OTHERS = (
    *("Int16", "Int32", "Int128", "UInt8", "UInt16", "UInt32", "UInt64", "Enum", "Time", "Null"),
    *("Datetime ms", "Datetime us", "Datetime ns UTC", "Datetime us Asia/Tokyo", "Duration us"),
    *("Duration ns", "Decimal"),
)
_REFUSED = ("Binary", "List", "Struct", "Object")
_NUMERIC = ("Float64", "Float32", "Int64", "Int8", "Boolean")


def draw_case(random: Random) -> dict[str, Any]:
    """Return a random call of fit with what is asked of the model afterwards."""
    n_rows = random.choices([0, 1, 2, 5, 20, 60, 400, 2000], [1, 2, 4, 20, 40, 24, 7, 2])[0]
    container = random.choices(CONTAINERS, [50, 4, 14, 10, 10, 6, 4])[0]
    kinds = [_draw_kind(random, container) for _ in range(random.choice([1, 1, 2, 3, 3, 5, 8]))]
    names = _draw_names(random, len(kinds))
    columns = _draw_columns(random, names, kinds, n_rows)
    labels = _draw_labels(random, columns, n_rows)
    booster = draw_booster(random, names, labels["values"], container == "numpy")
    return {
        "target": "fit",
        **booster,
        "columns": columns,
        "container": container,
        "labels": labels,
        "weights": _draw_weights(random, n_rows),
        "validation": _draw_validation(random, names, kinds, labels),
        "other": _draw_other(random, names, kinds),
        "then": _draw_calls(random),
    }


def _draw_kind(random: Random, container: str) -> str:
    if container in ("numpy", "lists"):
        return random.choice(_NUMERIC)
    if container == "arrow" and random.random() < 0.4:
        return random.choice((*ARROW, *COMPOSED))
    return random.choice(random.choices((_PLAIN, _OTHERS, _REFUSED), [72, 27, 1])[0])


def _draw_names(random: Random, count: int) -> list[str]:
    if random.random() < 0.75:
        return [f"{letter}" for letter in "abcdefgh"[:count]]
    if random.random() < 0.05:
        return [random.choice(TRAPS)] * count
    return random.sample(TRAPS[:-2] if random.random() < 0.9 else TRAPS, count)


def _draw_columns(
    random: Random, names: list[str], kinds: list[str], n_rows: int
) -> list[dict[str, Any]]:
    return [
        {"name": name, "type": kind, "values": _draw_values(random, kind, n_rows)}
        for name, kind in zip(names, kinds, strict=True)
    ]


def _draw_values(random: Random, kind: str, n_rows: int) -> list[Any]:
    """Return values of a type: any, few or one; with gaps or without."""
    few = random.choice([0, 0, 1, 2, 3, 4])
    pool = [_draw_value(random, kind) for _ in range(few)]
    gaps = random.choice([0.0, 0.0, 0.2, 0.95])
    return [
        None
        if random.random() < gaps
        else random.choice(pool)
        if pool
        else _draw_value(random, kind)
        for _ in range(n_rows)
    ]


def _draw_value(random: Random, kind: str) -> Any:
    if kind in ("Float32", "Float64", "arrow half"):
        odd = random.random() < 0.1
        return random.choice(ODD_FLOATS) if odd else round(random.gauss(0, 3), 3)
    if kind in _TEXTUAL:
        return random.choice(TEXTS)
    if kind == "Boolean":
        return random.random() < 0.5
    if kind == "Enum":
        return random.choice(LEVELS)
    if kind in ("Decimal", "arrow decimal256"):
        return f"{random.randint(-(10**12), 10**12)}.{random.randint(0, 999):03}"
    if kind in _SPECIAL:
        return _SPECIAL[kind](random)
    low, high = _RANGES.get(kind, (-(2**63), 2**63 - 1))
    if random.random() < 0.1:
        return random.choice((low, high))
    return random.randint(max(low, -20), min(high, 20))


_TEXTUAL = (
    *("String", "Categorical", "arrow large string", "arrow string view", "arrow dictionary"),
    "arrow union",
)
_SPECIAL = {
    "Null": lambda random: None,
    "Binary": lambda random: {"bytes": "00ff"},
    "List": lambda random: [1, 2],
    "Struct": lambda random: {"dict": [["a", 1]]},
    "Object": lambda random: {"complex": [1, 1]},
    "arrow interval": lambda random: {"tuple": [1, 2, 3]},
    "arrow fixed binary": lambda random: {"bytes": "00ff00ff"},
    "arrow map": lambda random: [{"tuple": ["a", 1]}],
    "Time": lambda random: random.randrange(86_400_000_000_000),
    "arrow time32": lambda random: random.randrange(86_400),
    "arrow date64": lambda random: random.randrange(-20, 20) * 86_400_000,
}
_RANGES = {
    **{f"Int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64, 128)},
    **{f"UInt{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    "Date": (-100_000, 100_000),
    "Datetime ns UTC": (-(10**15), 10**15),
    "Datetime us Asia/Tokyo": (-(10**15), 10**15),
    "Datetime us": (-(10**16), 10**16),
    "Datetime ms": (-(10**13), 10**13),
}

_LABELS = [
    *([0, 1], ["no", "yes"], [False, True], [-1.0, 1.0], [0, 1, 2], ["a", "b", "c", "d"]),
    *([5, 7, 9, 11, 13, 20], [{"date": "2020-01-01"}, {"date": "2021-01-01"}]),
]
_ODD_LABELS = [
    *([1], [None, 1, 2], [{"float": "nan"}, 1.0], [0.5, 1.5], [2**70, 1], ["a\0", "a"], [[1], [2]]),
    *([0, "a"], [True, 2], [{"decimal": "1.5"}, {"decimal": "2.5"}], [{"bytes": "00"}, "b"]),
    *([{"uuid": str(uuid.UUID(int=1))}, {"uuid": str(uuid.UUID(int=2))}], ["\ud800", "b"]),
    [{"datetime": "2020-01-01T00:00:00+00:00"}, {"datetime": "2021-01-01T00:00:00+00:00"}],
    [{"datetime": "2020-01-01T00:00:00"}, {"datetime": "2021-01-01T00:00:00"}],
    *([{"seconds": 1}, {"seconds": 2}], [{"time": "10:00:00"}, {"time": "11:00:00"}]),
    *([{"complex": [1, 1]}, 2], [2**63, 1], [-(2**63), 2**63 - 1], ["", "a"], [10**400, 1]),
    *(list(range(30)), [{"scalar": ["datetime64[s]", "2020-01-01"]}, 1], [[], [1], [1, 2]]),
]


def _draw_labels(random: Random, columns: list[dict[str, Any]], n_rows: int) -> dict[str, Any]:
    """Return labels that depend on the first column, most of the time."""
    odd = random.random() < 0.06
    classes = random.choice(_ODD_LABELS if odd else _LABELS)
    order = sorted(range(n_rows), key=lambda at: repr(columns[0]["values"][at]))
    rank = {at: place for place, at in enumerate(order)}
    noise = random.choice([0.0, 0.1, 1.0])
    values = []
    for at in range(n_rows):
        place = rank[at] * len(classes) // n_rows
        values.append(random.choice(classes) if random.random() < noise else classes[place])
    if random.random() < 0.03:
        values = values[:-1]
    form = random.choice(FORMS) if random.random() < 0.5 else "list"
    return {"values": values, "as": form}


def _draw_weights(random: Random, n_rows: int) -> dict[str, Any] | None:
    if random.random() < 0.6:
        return None
    pool = random.sample(WEIGHTS, 3)
    if random.random() < 0.1:
        pool = [random.choice(ODD_WEIGHTS), 1.0]
    count = n_rows if random.random() < 0.97 else n_rows + 1
    values = [random.choice(pool) for _ in range(count)]
    return {"values": values, "as": random.choice(["list", "numpy", "series", "objects"])}


def _draw_validation(
    random: Random, names: list[str], kinds: list[str], labels: dict[str, Any]
) -> dict[str, Any] | None:
    if random.random() < 0.9 or not labels["values"]:
        return None
    n_rows = random.choice([1, 5, 10])
    values = [random.choice(labels["values"]) for _ in range(n_rows)]
    return {
        "columns": _draw_columns(random, names, kinds, n_rows),
        "labels": {"values": values, "as": "list"},
    }


def _draw_other(random: Random, names: list[str], kinds: list[str]) -> list[dict[str, Any]] | None:
    """Return columns to score that fit has not seen; some lack one or have another type."""
    if random.random() < 0.5:
        return None
    n_rows = random.choice([0, 1, 7])
    columns = _draw_columns(random, names, kinds, n_rows)
    change = random.random()
    if change < 0.15:
        kind = random.choice((*_PLAIN, *_OTHERS))
        values = _draw_values(random, kind, n_rows)
        columns[0] = {"name": names[0], "type": kind, "values": values}
    elif change < 0.2:
        del columns[0]
    elif change < 0.3:
        columns.reverse()
    return columns


_CALLS = {
    "staged": 0.1,
    "margin_curve": 0.05,
    "margin_statistics": 0.05,
    "margin_bounds": 0.02,
    "reweight": 0.05,
    "warm_start": 0.1,
    "suspect_labels": 0.01,
    "clone": 0.02,
    "report": 0.002,
}


def _draw_calls(random: Random) -> list[str]:
    return [name for name, share in _CALLS.items() if random.random() < share]


__all__ = ["NAMED_CONTAINERS", "draw_case"]
