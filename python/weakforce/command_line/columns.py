"""Columns of a table: looked up by name, cut to what a model needs, given the types it knows.

In: names from the command line, and models. Out: names that exist, types for tables that have none,
and lazy frames of the columns that are wanted.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from .failures import FailureError, reading
from .files import Table, Types

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier

#: The most columns that a message lists.
_MOST = 20

#: The types by which a CSV file is read, by kind of column. Times are parsed from texts.
_TYPES = {"number": pl.Float64, "numberedcategory": pl.Float64, "boolean": pl.Boolean}


def names_in(text: Sequence[str], known: Sequence[str], option: str) -> list[str]:
    """Return the columns that an option names, each entry one column or several with commas."""
    names = []
    for entry in text:
        for name in [entry] if entry in known else entry.split(","):
            check_name(name, known, option)
            names.append(name)
    return list(dict.fromkeys(names))


def check_name(name: str, known: Sequence[str], option: str) -> None:
    """Refuse the name of a column that does not exist, with one that it could be."""
    if name in known:
        return
    close = difflib.get_close_matches(name, known, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    listed = ", ".join(known[:_MOST])
    more = f", … {len(known)} in all" if len(known) > _MOST else ""
    raise FailureError(
        f"{option}: no column {name!r} in the data{meant}; the columns are {listed}{more}"
    )


def columns_of(frame: pl.LazyFrame, name: str) -> list[str]:
    """Return the names of the columns of a table."""
    with reading(name):
        return frame.collect_schema().names()


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
    frames = [frame.select(first) for frame in frames]
    return frames[0] if len(frames) == 1 else pl.concat(frames, how="vertical_relaxed")


def types_of_features(model: BoostingClassifier) -> dict[str, Any]:
    """Return the types of a model's columns, for tables that have none."""
    return {
        feature.name: _TYPES[feature.kind]
        for feature in model.fitted_model_.features
        if feature.kind in _TYPES
    }


def type_of_labels(model: BoostingClassifier) -> Any:
    """Return the type of a model's labels, for tables that have none."""
    kinds = {"b": pl.Boolean, "f": pl.Float64, "i": pl.Int64, "u": pl.UInt64}
    return kinds.get(model.classes_.dtype.kind, pl.String)


def scan_for(
    model: BoostingClassifier, table: Table, others: Sequence[str], types: Types
) -> pl.LazyFrame:
    """Return the columns that a model needs, and others.

    Columns of a table without types get those that the model knows; `types` are those of others.
    """
    frame = table.scan({**types_of_features(model), **types})
    found = columns_of(frame, table.name)
    needed = feature_names(model)
    for name in needed:
        if name not in found:
            close = difflib.get_close_matches(name, found, n=1)
            meant = f" (is {close[0]!r} meant?)" if close else ""
            raise FailureError(
                f"{table.name!r} has no column {name!r}, which the model needs{meant}"
            )
    wanted = set(needed).union(others)
    frame = frame.select([name for name in found if name in wanted])
    return frame.with_columns(_parsed_times(model)) if table.is_text else frame


def feature_names(model: BoostingClassifier) -> list[str]:
    """Return the columns that a model was fitted to."""
    names = model.fitted_model_.feature_names
    if names is None:
        raise FailureError("the model was fitted to an array without column names; use Python")
    return names


def _parsed_times(model: BoostingClassifier) -> list[pl.Expr]:
    """Return expressions that make times of texts; a text that is no time is refused later."""
    parsed = []
    for feature in model.fitted_model_.features:
        if feature.kind == "instant":
            parsed.append(pl.col(feature.name).str.to_datetime(time_unit="us"))
        elif feature.kind == "timeofday":
            parsed.append(pl.col(feature.name).str.to_time())
    return parsed
