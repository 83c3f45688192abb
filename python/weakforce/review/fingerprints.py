"""Fingerprints of a table: one for each row, one for each column.

In: a frame. Out: 64-bit numbers that depend on names and values alone, not on the version of Polars
or the order of the columns, so that decisions on rows are never applied to other rows.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_MISSING = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class TableFingerprint:
    """What identifies a table.

    Attributes:
        target: the column of labels.
        columns: the fingerprint of each column, by name.
        rows: the fingerprint of each row.
    """

    target: str
    columns: dict[str, str]
    rows: Hashes

    @classmethod
    def of(cls, table: pl.DataFrame, target: str) -> TableFingerprint:
        """Return the fingerprint of a table."""
        rows: Hashes = np.zeros(table.height, dtype=np.uint64)
        columns = {}
        for series in table.get_columns():
            # A series looks its own name up, which may look like a pattern.
            cells = _mixed(_cells(series.alias("values")))
            columns[series.name] = hashlib.blake2b(cells.tobytes(), digest_size=8).hexdigest()
            rows += _mixed(cells ^ _of_text(series.name))
        return cls(target, columns, rows)

    def row(self, at: int) -> str:
        """Return the fingerprint of a row as text."""
        return f"{int(self.rows[at]):016x}"


def _cells(series: pl.Series) -> Hashes:
    """Return a number for each value, equal for equal values."""
    dtype = series.dtype
    if dtype.is_float():
        numbers = series.cast(pl.Float64).to_numpy() + 0.0  # without negative zeros
        found = np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)
    elif dtype == pl.UInt64:
        found = series.fill_null(0).to_numpy()
    elif dtype.is_integer() or dtype.is_temporal() or dtype == pl.Boolean:
        found = series.to_physical().cast(pl.Int64).fill_null(0).to_numpy().view(np.uint64)
    else:
        values = _texts(series)
        known = {value: _of_text(value) for value in set(values)}
        found = np.fromiter((known[value] for value in values), np.uint64, len(values))
    return np.where(series.is_null().to_numpy(), _MISSING, found)


def _texts(series: pl.Series) -> list[str]:
    """Return values of any kind as texts."""
    if series.dtype in (pl.String, pl.Categorical) or isinstance(series.dtype, pl.Enum):
        return [value or "" for value in series.cast(pl.String).to_list()]
    return [_text(value) for value in series.to_list()]


def _text(value: Any) -> str:
    return repr(value.to_list() if isinstance(value, pl.Series) else value)


def _of_text(text: str) -> np.uint64:
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def _mixed(numbers: Any) -> Hashes:
    """Return numbers in which every bit depends on every bit (the finaliser of splitmix64)."""
    mixed = np.asarray(numbers, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
