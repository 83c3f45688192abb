"""A naive reader of printed conditions: text in, rows out; shares nothing with the library.

`parse` turns the text left of the arrow into literals, `fires` evaluates them in plain Python on
the values of a frame as the core compares them: doubles (times in microseconds), strings, None.
"""

import json
import re
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import polars as pl

STRING = r'"(?:[^"\\]|\\.)*"'
VALUES = {
    "string": STRING,
    "set": rf"\{{(?:{STRING}|[^{{}}\"])*\}}",
    "instant": r"-?\d+-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d+)?)?)?",
    "clock": r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?",
    "duration": r"-?(?:\d+(?:\.\d+)?(?:d|h|ms|us|m|s))+",
    "number": r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf)",
    "flag": r"true|false",
}
ANY_VALUE = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in VALUES.items())
NAME = r"(?P<name>`(?:[^`\\]|\\.)*`|[^\s`]+)"  # in quotes, or an identifier
CLAIM = rf"(?P<null>is null|is not null)|(?P<sign>≤|>|=|≠|in|not in) (?:{ANY_VALUE})"
LITERAL = re.compile(rf"{NAME} (?:{CLAIM})")
UNITS = {"d": 86_400_000_000, "h": 3_600_000_000, "m": 60_000_000, "s": 10**6, "ms": 1000, "us": 1}


@dataclass(frozen=True)
class Parsed:
    name: str
    sign: str
    value: Any = None


def unquote(text):
    body = text[1:-1]
    if text[0] == "`":
        body = body.replace("\\`", "`").replace('"', '\\"')
    return json.loads(f'"{body}"')


def microseconds(clock):
    hours, minutes, *seconds = clock.split(":")
    whole = (int(hours) * 60 + int(minutes)) * 60_000_000
    return whole + (Decimal(seconds[0]) * 10**6 if seconds else 0)


def read_value(kind, text):
    with localcontext() as context:
        context.prec = 1100
        return read_exactly(kind, text)


def read_exactly(kind, text):
    if kind == "string":
        return (unquote(text),)
    if kind == "set":
        return tuple(
            unquote(entry) if entry[0] == '"' else entry
            for entry in re.findall(rf"{STRING}|[^,\s{{}}]+", text)
        )
    if kind == "number":
        return float(text)
    if kind == "flag":
        return text == "true"
    if kind == "instant":
        date, _, clock = text.partition(" ")
        days = np.datetime64(date, "D").astype(int)
        return float(int(days) * UNITS["d"] + (microseconds(clock) if clock else 0))
    if kind == "clock":
        return float(microseconds(text))
    parts = re.findall(r"(\d+(?:\.\d+)?)(d|h|ms|us|m|s)", text)
    total = sum(Decimal(count) * UNITS[unit] for count, unit in parts)
    return float(-total if text.startswith("-") else total)


def parse(condition):
    """Return the literals of a condition; raises if a single character is left over."""
    if condition == "always":
        return []
    literals, at = [], 0
    while True:
        match = LITERAL.match(condition, at)
        assert match, condition[at:]
        name = match["name"]
        assert name[0] == "`" or name.isidentifier(), name
        name = unquote(name) if name[0] == "`" else name
        if match["null"]:
            literals.append(Parsed(name, match["null"]))
        else:
            kind = next(kind for kind in VALUES if match[kind] is not None)
            literals.append(Parsed(name, match["sign"], read_value(kind, match[kind])))
        at = match.end()
        if at == len(condition):
            return literals
        assert condition.startswith(" and ", at), condition[at:]
        at += len(" and ")


def as_compared(series):
    """The values of a column as the core compares them."""
    dtype = series.dtype
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return series.cast(pl.String).to_list()
    if dtype == pl.Date:
        return [None if day is None else day * 86_400e6 for day in series.to_physical()]
    if dtype == pl.Time or dtype.is_temporal():
        unit = "ns" if dtype == pl.Time else dtype.time_unit
        scale = {"ns": None, "us": 1, "ms": 1000}[unit]
        if scale is None:
            return [
                None if count is None else float(count // 1000) + (count % 1000) / 1e3
                for count in series.to_physical()
            ]
        return [None if count is None else float(count * scale) for count in series.to_physical()]
    numbers = [None if number is None else float(number) for number in series]
    return [None if number is None or np.isnan(number) else number for number in numbers]


def holds(literal, value):
    if literal.sign in ("is null", "is not null"):
        return (value is None) == (literal.sign == "is null")
    if value is None:
        return False
    wanted = literal.value
    if literal.sign == "≤":
        return value <= wanted
    if literal.sign == ">":
        return value > wanted
    if isinstance(wanted, bool):
        listed = (value > 0) == wanted
    elif isinstance(wanted, float):
        listed = value == wanted
    else:
        listed = value in wanted or (isinstance(value, float) and value in map(float, wanted))
    return listed == (literal.sign in ("=", "in"))


def fires(condition, frame):
    """Return for each row of a frame whether a printed condition holds."""
    literals = parse(condition)
    rows = np.ones(frame.height, dtype=bool)
    for literal in literals:
        values = as_compared(frame[literal.name])
        rows &= np.array([holds(literal, value) for value in values], dtype=bool)
    return rows
