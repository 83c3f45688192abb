"""How names, thresholds and answers are written, so that a reader or a program gets them back.

In: values from the core. Out: text. A column name is bare if it is a plain identifier, otherwise
in backticks (`` `blood pressure` ``); a category is in double quotes; a class label is bare if it
is a plain identifier or no string, otherwise in double quotes. All escape as JSON does. A number is
the shortest text of the same double; a date or time is as short as it is exact.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any

import numpy as np

#: Words with a meaning of their own in the text of a condition.
_WORDS = ("always", "and", "else", "false", "if", "in", "is", "not", "null", "or", "true")

#: The most categories that are written out.
_MOST = 20

#: The most characters of a value that an error shows.
_LONGEST = 80

#: The most characters of a value of a row.
_LONGEST_VALUE = 30

#: Enough digits to take a whole number from any double without rounding.
_EXACT = Context(prec=1100)

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_UNITS = (("d", _DAY), ("h", 3600 * _SECOND), ("m", 60 * _SECOND), ("s", _SECOND), ("ms", 1000))


def column_text(name: str) -> str:
    """Write the name of a column."""
    return name if name.isidentifier() and name not in _WORDS else _quoted(name, "`")


def categories_text(categories: Sequence[str], kind: str) -> str:
    """Write one category, or a set of them; numbers that serve as categories have no quotes."""
    bare = kind == "numbered_category"
    shown = [name if bare else _quoted(name, '"') for name in categories[:_MOST]]
    if len(categories) == 1:
        return shown[0]
    if len(categories) > _MOST:
        shown.append(f"… {len(categories)} in all")
    return f"{{{', '.join(shown)}}}"


def threshold_text(threshold: float, kind: str) -> str:
    """Write a threshold of a column of some kind; times come in microseconds."""
    if kind == "instant":
        return _instant_text(threshold)
    if kind == "time_of_day":
        return _clock_text(*_split_microsecond(threshold))
    if kind == "duration":
        return _duration_text(threshold)
    if abs(threshold) < 1e16 and threshold == int(threshold):
        return str(int(threshold))
    return repr(float(threshold))


def answer_text(number: float) -> str:
    """Write an answer with its sign and three digits."""
    return f"{number:+.3g}".replace("-", "−")


def label_text(label: Any) -> str:
    """Write a class label."""
    if not isinstance(label, str):
        return str(label)
    return str(label) if label.isidentifier() and label not in _WORDS else _quoted(label, '"')


def quoted_value(value: Any) -> str:
    """Write a value of a row, cut short: texts in quotes, numbers with six digits."""
    if value is None or value != value:  # NaN
        return "missing"
    if isinstance(value, str):
        cut = value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"
        return _quoted(cut, '"')
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def said_text(answer: Any, says: str) -> str:
    """Write what a hypothesis answers: a number, the label of a class, or a score per class."""
    if says == "class":
        return label_text(answer)
    if says == "number":
        return answer_text(answer)
    shown = [answer_text(score) for score in answer[:_MOST]]
    if len(answer) > _MOST:
        shown.append(f"… {len(answer)} in all")
    return f"({', '.join(shown)})"


def shown_value(value: Any) -> str:
    """Write a value that is refused, on one line and cut short."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no integers of thousands of digits
        text = f"a value of type {type(value).__name__} that is too long to write"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _quoted(text: str, mark: str) -> str:
    def escaped(character: str) -> str:
        if character in (mark, "\\"):
            return f"\\{character}"
        return character if character.isprintable() else json.dumps(character)[1:-1]

    return f"{mark}{''.join(map(escaped, text))}{mark}"


def _split_microsecond(time: float) -> tuple[int, Decimal]:
    """Return whole microseconds and the rest, by the decimal digits that stand for the double."""
    digits = Decimal(repr(float(time)))
    whole = math.floor(digits)
    return whole, _EXACT.subtract(digits, whole)


def _instant_text(time: float) -> str:
    whole, rest = _split_microsecond(time)
    day, within = divmod(whole, _DAY)
    date = str(np.datetime64(day, "D"))
    return f"{date} {_clock_text(within, rest)}" if within or rest else date


def _clock_text(whole: int, rest: Decimal) -> str:
    seconds, microseconds = divmod(whole, _SECOND)
    minutes, second = divmod(seconds, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}"
    fraction = f"{microseconds:06}{_decimals(rest)}".rstrip("0")
    if second or fraction:
        text += f":{second:02}"
    return f"{text}.{fraction}" if fraction else text


def _duration_text(time: float) -> str:
    """Write a duration as Polars does, as in `1d12h` or `-1ms500us`."""
    whole, rest = _split_microsecond(abs(time))
    parts = []
    for unit, size in _UNITS:
        count, whole = divmod(whole, size)
        parts += [f"{count}{unit}"] if count else []
    if whole or rest:
        decimals = _decimals(rest)
        parts.append(f"{whole}.{decimals}us" if decimals else f"{whole}us")
    return ("-" if time < 0 else "") + ("".join(parts) or "0s")


def _decimals(rest: Decimal) -> str:
    return f"{rest:f}"[2:].rstrip("0")
