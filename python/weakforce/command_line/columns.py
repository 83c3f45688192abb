"""Columns that the command line names, and the rows of several tables together.

In: names from the command line, tables, models. Out: names that exist, lazy frames, types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from .._files.columns import check_name, columns_of
from .._files.tables import Table, Types
from .._reading.literal_columns import select, stacked
from .failures import FailureError

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier


def names_in(text: Sequence[str], known: Sequence[str], option: str) -> list[str]:
    """Return the columns that an option names, each entry one column or several with commas."""
    names = []
    for entry in text:
        for name in [entry] if entry in known else entry.split(","):
            check_name(name, known, option)
            names.append(name)
    return list(dict.fromkeys(names))


def scan_all(tables: Sequence[Table], types: Types, *, guess: bool = False) -> pl.LazyFrame:
    """Return the rows of several tables one below the other."""
    frames = [table.scan(types, guess=guess) for table in tables]
    first = columns_of(frames[0], tables[0].name)
    for table, frame in zip(tables[1:], frames[1:], strict=True):
        found = columns_of(frame, table.name)
        different = sorted(set(first) ^ set(found))
        if different:
            lacking = table.name if different[0] in first else tables[0].name
            raise FailureError(
                f"{table.name!r} and {tables[0].name!r} have different columns: "
                f"{lacking!r} has no {different[0]!r}"
            )
    return stacked([select(frame, first) for frame in frames])


def type_of_labels(model: BoostingClassifier) -> Any:
    """Return the type of a model's labels, for tables that have none."""
    kinds = {"b": pl.Boolean, "f": pl.Float64, "i": pl.Int64, "u": pl.UInt64}
    return kinds.get(model.classes_.dtype.kind, pl.String)
