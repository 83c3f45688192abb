"""What is usual for a class: the values that most rows of it have, column by column.

In: coded columns and the class of each row as given. Out: ranges and frequent values as text, and
whether a value is unusual: among the lowest or highest twentieth of the numbers of its class, or of
the rarest categories that together make up a twentieth of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._reading.shown_values import value_text
from .coded_columns import CATEGORY, MISSING, NUMBER, CodedColumn, numbers_of, texts_of

#: The share of a class whose values are unusual, at either end.
_RARE = 0.05
_SHARES = (_RARE, 0.25, 0.5, 0.75, 1.0 - _RARE)
#: How many frequent categories are listed.
_LISTED = 3
#: The most classes that are learned at once.
_MOST_AT_ONCE = 200
#: How many groups of codes are counted where classes are compared.
_GROUPS = 16


@dataclass(frozen=True)
class UsualNumbers:
    """The numbers of a class: quantiles at `_SHARES` (none if all are missing), and how many miss.

    Attributes:
        quantiles: low end, quarter, middle, three quarters, high end.
        missing: the share of missing values.
        text: the same in words.
    """

    quantiles: tuple[float, ...]
    missing: float
    text: str

    def is_unusual(self, number: float | None) -> bool:
        """Whether hardly a row of the class has such a value."""
        if number is None:
            return self.missing <= _RARE
        if not self.quantiles:
            return True
        return not self.quantiles[0] <= number <= self.quantiles[-1]


@dataclass(frozen=True)
class UsualCategories:
    """The categories of a class: the share of each, that of missing values under None."""

    shares: dict[str | None, float]
    text: str

    def is_unusual(self, value: str | None) -> bool:
        """Whether the value and all that are as rare make up hardly any rows of the class."""
        own = self.shares.get(value, 0.0)
        return sum(share for share in self.shares.values() if share <= own + 1e-12) <= _RARE


class UsualValues:
    """What is usual for every class, worked out when it is first asked for."""

    def __init__(self, columns: list[CodedColumn], codes: NDArray[np.intp], n_classes: int) -> None:
        self.columns = columns
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(n_classes + 1))
        self._rows = [order[bounds[at] : bounds[at + 1]] for at in range(n_classes)]
        self._numbers = {c.name: numbers_of(c.values) for c in columns if c.kind == NUMBER}
        self._texts = {
            c.name: np.array(texts_of(c.values), dtype=object)
            for c in columns
            if c.kind == CATEGORY
        }
        self.of = lru_cache(maxsize=None)(self._of)
        self._counts = lru_cache(maxsize=None)(self._count)

    def learn(self) -> None:
        """Work everything out at once, unless there are very many classes."""
        for label in range(min(len(self._rows), _MOST_AT_ONCE)):
            for column in self.columns:
                self.of(column, label)
                if column.is_compared:
                    self._counts(column, label)

    def number(self, column: CodedColumn, row: int) -> float | None:
        """Return the number that a row has in a column."""
        number = float(self._numbers[column.name][row])
        return None if np.isnan(number) else number

    def text(self, column: CodedColumn, row: int) -> str | None:
        """Return the category that a row has in a column."""
        found: str | None = self._texts[column.name][row]
        return found

    def is_unusual(self, column: CodedColumn, row: int, label: int) -> bool:
        """Whether the value of a row is unusual for a class."""
        usual = self.of(column, label)
        if isinstance(usual, UsualNumbers):
            return usual.is_unusual(self.number(column, row))
        return usual is not None and usual.is_unusual(self.text(column, row))

    def log_ratio(self, column: CodedColumn, row: int, label: int, other: int) -> float:
        """Return by which factor such values are more frequent in a class, as a logarithm."""
        place = self._group(column, np.array([column.codes[row]]))[0]
        return float(
            np.log(self._counts(column, label)[place] / self._counts(column, other)[place])
        )

    def _of(self, column: CodedColumn, label: int) -> UsualNumbers | UsualCategories | None:
        rows = self._rows[label]
        if column.kind not in (NUMBER, CATEGORY) or len(rows) == 0:
            return None
        if column.kind == NUMBER:
            return _usual_numbers(self._numbers[column.name][rows], column.values)
        values, counts = _counted(self._texts[column.name][rows])
        shares = dict(zip(values, (counts / len(rows)).tolist(), strict=True))
        return UsualCategories(shares, _categories_text(shares))

    def _group(self, column: CodedColumn, codes: Any) -> NDArray[np.intp]:
        """Return the group of each code; missing values are a group of their own."""
        groups: NDArray[np.intp] = np.asarray(codes, dtype=np.intp)
        if column.kind == NUMBER:
            spread = groups * _GROUPS // max(column.n_codes, _GROUPS)
            return np.asarray(np.where(groups == MISSING, _GROUPS, spread))
        return groups

    def _count(self, column: CodedColumn, label: int) -> NDArray[np.float64]:
        """Return the share of every group of codes in a class, none of them zero."""
        n_groups = _GROUPS + 1 if column.kind == NUMBER else MISSING + 1
        groups = self._group(column, column.codes[self._rows[label]])
        counts = np.bincount(groups, minlength=n_groups)
        return np.asarray((counts + 0.5) / (counts.sum() + 0.5 * n_groups))


def _usual_numbers(numbers: NDArray[np.float64], like: pl.Series) -> UsualNumbers:
    present = numbers[~np.isnan(numbers)]
    missing = 1.0 - len(present) / len(numbers)
    if len(present) == 0:
        return UsualNumbers((), 1.0, "always missing")
    method = "linear" if like.dtype.is_float() else "nearest"
    found = tuple(np.quantile(present, _SHARES, method=method).tolist())  # type: ignore[call-overload]
    low, middle, high = (number_as(found[at], like) for at in (0, 2, 4))
    text = f"{low} – {high}, middle {middle}" if low != high else low
    return UsualNumbers(found, missing, text + _missing_text(missing))


def number_as(number: float, like: pl.Series) -> str:
    """Write a number as a value of a column, which may be one of times."""
    if like.dtype.is_temporal():
        return value_text(
            pl.Series([round(number)]).cast(like.to_physical().dtype).cast(like.dtype)[0]
        )
    return f"{number:.0f}" if 1e3 <= abs(number) < 1e15 else f"{number:.4g}"


def _categories_text(shares: dict[str | None, float]) -> str:
    present = [(value, share) for value, share in shares.items() if value is not None]
    present.sort(key=lambda entry: (-entry[1], entry[0]))
    listed = [f"{value_text(value)} {_percent(share)}" for value, share in present[:_LISTED]]
    if len(present) > _LISTED:
        listed.append(f"{len(present) - _LISTED:,} more")
    return ", ".join(listed) + _missing_text(shares.get(None, 0.0)) if listed else "always missing"


def _missing_text(share: float) -> str:
    return f"; missing {_percent(share)}" if share >= 0.005 else ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "< 1 %"


def _counted(texts: NDArray[Any]) -> tuple[list[str | None], NDArray[np.int64]]:
    counts = pl.Series("value", texts.tolist(), dtype=pl.String).value_counts()
    return counts["value"].to_list(), counts["count"].to_numpy()
