"""How databases write names, numbers and text, and read the values of columns.

In: Python values, and what is known of a column. Out: pieces of SQL. Numbers are doubles
everywhere, times are in microseconds as the core counts them, and NaN is NULL.
"""

from __future__ import annotations

import datetime as dt
import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from .codes import Codes

#: The most arguments of a function; SQLite takes 127.
_MOST_ARGUMENTS = 100

#: What is between rows that are written out.
_LINES = ",\n    "

#: The most codes that are compared one by one.
_MOST_EQUAL = 3


class Dialect(ABC):
    """What databases have in common."""

    #: How users call it.
    title: ClassVar[str]
    #: The most columns that a query may return; None without a limit.
    most_columns: ClassVar[int | None] = None
    #: Whether names that differ only in capital letters are the same.
    folds_names: ClassVar[bool] = True
    #: Whether a column may have an empty name.
    empty_names: ClassVar[bool] = False
    #: What makes a name for a query whose columns are worked out once, not wherever they are used.
    worked_out: ClassVar[str] = "AS"
    #: What ends such a query.
    fence: ClassVar[str] = ""
    #: The function for the largest of several numbers.
    greatest: ClassVar[str] = "greatest"
    #: What makes a character of its number; None if texts cannot hold the character 0.
    character: ClassVar[str | None] = "chr"

    def name(self, name: str) -> str:
        """Write a name."""
        return '"' + name.replace('"', '""') + '"'

    def text(self, text: str) -> str | None:
        """Write a text; None if the database can hold no such text."""
        pieces = ["'" + piece.replace("'", "''") + "'" for piece in text.split("\0")]
        if len(pieces) == 1:
            return pieces[0]
        return None if self.character is None else f" || {self.character}(0) || ".join(pieces)

    @abstractmethod
    def number(self, number: float) -> str:
        """Write a double that is added to others, and may be off by a rounding error."""

    def exact(self, number: float) -> str:
        """Write a double that values are compared with, to the last digit."""
        return self.number(number)

    @abstractmethod
    def strings(self, column: str) -> str:
        """Write the values of a column as texts that are compared byte by byte."""

    @abstractmethod
    def doubles(self, column: str, kind: str) -> str:
        """Write the values of a column as doubles; times are in microseconds, NaN is NULL."""

    def among(self, value: str, codes: Codes) -> str:
        """Write whether a code is among some; null stays null."""
        inside, outside = np.flatnonzero(codes), np.flatnonzero(~codes)
        sign, listed = ("", inside) if len(inside) <= len(outside) else ("NOT ", outside)
        return f"{value} {sign}IN ({', '.join(map(str, listed))})"

    def listed(self, rows: list[str], kind: str) -> str:  # noqa: ARG002
        """Write a query that returns rows of a category and its code."""
        return f"VALUES\n    {_LINES.join(rows)}"

    def label(self, label: Any) -> str:
        """Write a class label."""
        if isinstance(label, (bool, np.bool_)):
            return "TRUE" if label else "FALSE"
        if isinstance(label, (dt.timedelta, np.timedelta64)):
            return self.duration(_microseconds(label))
        if isinstance(label, (int, np.integer)):
            return str(int(label))
        if isinstance(label, (float, np.floating)):
            return self.number(float(label))
        if isinstance(label, (dt.date, np.datetime64)):
            moment = str(_in_common_unit(label)).replace("T", " ")
            return self.moment("DATE" if len(moment) == len("2024-05-17") else "TIMESTAMP", moment)
        text = self.text(str(label))
        if text is None:
            raise ValueError(
                f"the label {label!r} holds a null character, which no text in {self.title} can"
            )
        return text

    def moment(self, kind: str, text: str) -> str:
        """Write a date or a timestamp."""
        return f"{kind} '{text}'"

    def duration(self, microseconds: int) -> str:
        """Write a length of time."""
        return f"INTERVAL '{microseconds} microseconds'"

    def largest(self, numbers: list[str]) -> str:
        """Write the largest of several numbers."""
        most = _MOST_ARGUMENTS
        while len(numbers) > 1:
            groups = [numbers[at : at + most] for at in range(0, len(numbers), most)]
            numbers = [f"{self.greatest}({', '.join(g)})" if len(g) > 1 else g[0] for g in groups]
        return numbers[0]

    def check_count(self, n_columns: int) -> None:
        """Refuse queries that return more columns than the database allows."""
        if self.most_columns is not None and n_columns > self.most_columns:
            raise ValueError(
                f"the query would return {n_columns} columns, but {self.title} allows "
                f"{self.most_columns}"
            )


class DuckDB(Dialect):
    """DuckDB 1.1 or later."""

    title = "DuckDB"

    def number(self, number: float) -> str:
        """Write a double; without an exponent it would be a decimal number."""
        if math.isinf(number):
            return f"CAST('{number}' AS DOUBLE)"
        text = repr(number + 0.0)
        return text if "e" in text else f"{text}e0"

    def strings(self, column: str) -> str:
        """Write the values of a column as texts, whatever its collation is."""
        return f'CAST({column} AS VARCHAR) COLLATE "binary"'

    def doubles(self, column: str, kind: str) -> str:
        """Write the values of a column as doubles."""
        if kind == "instant":
            # Nanoseconds, rounded down, tell exactly. What is too far from 1970 to have any has
            # microseconds, but no function counts those of a TIMESTAMPTZ_NS, and a cast from a
            # moment with a zone to one without it would shift others by the zone of the session.
            whole = (
                f"CASE WHEN typeof({column}) LIKE 'TIMESTAMP%Z%' "
                f"THEN epoch_us(CAST({column} AS TIMESTAMPTZ)) "
                f"ELSE epoch_us(CAST({column} AS TIMESTAMP)) END"
            )
            # What is written several times is worked out once, for all rows: it must not fail.
            is_near = f"TRY_CAST({column} AS TIMESTAMP_NS) IS NOT NULL"
            count = f"epoch_ns(CASE WHEN {is_near} THEN {column} END)"
            fine = f"({count} % 1000 + 1000) % 1000"
            return (
                f"CASE WHEN {is_near} "
                f"THEN CAST(({count} - {fine}) // 1000 AS DOUBLE) + {fine} / 1e3 "
                f"ELSE CAST({whole} AS DOUBLE) END"
            )
        if kind == "time_of_day":
            return f"CAST(epoch_us({column}) AS DOUBLE) + nanosecond({column}) % 1000 / 1e3"
        if kind == "duration":
            return f"CAST(epoch_us({column}) AS DOUBLE)"
        return f"nullif(CAST({column} AS DOUBLE), CAST('NaN' AS DOUBLE))"

    def among(self, value: str, codes: Codes) -> str:
        """Write whether a code is among some; for every IN, DuckDB would plan a join."""
        listed = np.flatnonzero(codes)
        if len(listed) > _MOST_EQUAL:
            marks = "".join("01"[int(mark)] for mark in codes)
            return f"get_bit(CAST('{marks}' AS BIT), {value}) = 1"
        equal = " OR ".join(f"{value} = {code}" for code in listed)
        return equal if len(listed) == 1 else f"({equal})"


class Postgres(Dialect):
    """PostgreSQL 14 or later: `extract` has to count microseconds without rounding."""

    title = "PostgreSQL"
    most_columns = 1664
    folds_names = False
    fence = "OFFSET 0"
    character = None

    def number(self, number: float) -> str:
        """Write a double; without its type it would be a decimal number."""
        text = repr(number + 0.0) if math.isfinite(number) else f"'{number}'"
        return f"{text}::float8"

    def strings(self, column: str) -> str:
        """Write the values of a column as texts, without rules of a language."""
        return f'CAST({column} AS text) COLLATE "C"'

    def doubles(self, column: str, kind: str) -> str:
        """Write the values of a column as doubles."""
        if kind in ("instant", "time_of_day", "duration"):
            return f"CAST(extract(epoch FROM {column}) * 1000000 AS float8)"
        if kind == "boolean":
            return f"CAST(CAST({column} AS integer) AS float8)"
        return f"nullif(CAST({column} AS float8), 'NaN'::float8)"


class SQLite(Dialect):
    """SQLite 3.35 or later, which has neither dates nor Booleans nor NaN."""

    title = "SQLite"
    most_columns = 2000
    empty_names = True
    worked_out = "AS MATERIALIZED"
    greatest = "max"
    character = "char"

    def number(self, number: float) -> str:
        """Write a double."""
        if math.isinf(number):
            return "9e999" if number > 0 else "-9e999"
        return repr(number + 0.0)

    def exact(self, number: float) -> str:
        """Write a double as whole numbers and powers of two, because SQLite rounds decimals."""
        if math.isinf(number) or _is_short(number):
            return self.number(number)
        whole, power = number.as_integer_ratio()
        text, sign = "", "/"
        if power == 1:
            power = whole & -whole
            whole, sign = whole // power, "*"
        while power > 1:
            step = min(power, 1 << 62)
            text += f" {sign} {step}"
            power //= step
        return f"({whole}.0{text} /* {number!r} */)"

    def strings(self, column: str) -> str:
        """Write the values of a column as texts, whatever its collation is."""
        return f"CAST({column} AS TEXT) COLLATE BINARY"

    def doubles(self, column: str, kind: str) -> str:
        """Write the values of a column as doubles; moments are ISO texts or microseconds."""
        number = f"CAST({column} AS REAL)"
        if kind not in ("instant", "time_of_day"):
            return number
        # Seconds end with place 19 or 8; a fraction may follow, and then a time zone.
        last, day = (19, "") if kind == "instant" else (8, "'1970-01-01 ' || ")
        zone = f"ltrim(substr({column}, {last + 1}), '.0123456789')"
        seconds = f"CAST(strftime('%s', {day}substr({column}, 1, {last}) || {zone}) AS INTEGER)"
        fraction = f"substr({column}, {last + 2}, length({column}) - {last + 1} - length({zone}))"
        nanoseconds = f"CAST(substr({fraction} || '000000000', 1, 9) AS INTEGER)"
        whole = f"CAST({seconds} * 1000000 + {nanoseconds} / 1000 AS REAL)"
        moment = f"{whole} + {nanoseconds} % 1000 / 1e3"
        return f"CASE typeof({column}) WHEN 'text' THEN {moment} ELSE {number} END"

    def listed(self, rows: list[str], kind: str) -> str:
        """Write such a query with types, without which SQLite would not make an index."""
        known = "TEXT" if kind == "text" else "REAL"
        values = super().listed(rows, kind)
        return f"SELECT CAST(column1 AS {known}), column2 FROM (\n    {values})"

    def duration(self, microseconds: int) -> str:
        """Write a length of time as a number, as columns of SQLite have it."""
        return str(microseconds)

    def moment(self, kind: str, text: str) -> str:  # noqa: ARG002
        """Write a date or a timestamp as text."""
        return f"'{text}'"


def _microseconds(label: dt.timedelta | np.timedelta64) -> int:
    """Return a length of time in microseconds; refuse one that is no whole number of them."""
    if isinstance(label, dt.timedelta):
        return label // dt.timedelta(microseconds=1)
    unit = np.datetime_data(label.dtype)[0]
    if unit not in ("Y", "M") and label == (exact := label.astype("m8[us]")):
        return int(exact.astype(np.int64))
    raise ValueError(
        f"the label {label!r} is no whole number of microseconds, as lengths of time in databases "
        "are"
    )


def _in_common_unit(label: dt.date | np.datetime64) -> dt.date | np.datetime64:
    """Return an instant in a unit that databases write in full: days, or seconds and finer."""
    if not isinstance(label, np.datetime64):
        return label
    unit = np.datetime_data(label.dtype)[0]
    common = {"Y": "D", "M": "D", "W": "D", "h": "s", "m": "s"}.get(unit, unit)
    found: np.datetime64 = label.astype(f"M8[{common}]")
    return found


def _is_short(number: float) -> bool:
    """Whether the decimal form is the double itself, in so few digits that all readers agree."""
    return len(repr(number)) <= 17 and Fraction(repr(number)) == Fraction(number)


DIALECTS: dict[str, Dialect] = {"duckdb": DuckDB(), "postgres": Postgres(), "sqlite": SQLite()}
