"""Columns of a table: looked up by name, cut to what a model needs, given the types it knows.

In: names and models. Out: names that exist, types for tables that have none, and lazy frames of the
columns that are wanted.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from .._reading.literal_columns import column, select
from .failures import FileError, reading
from .tables import Table, Types

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

#: The most columns that a message lists.
_MOST = 20

#: What separates columns of CSV files where it is no comma.
_SEPARATORS = (";", "\t", "|", ",")

#: The types by which a CSV file is read, by kind of column. Times are parsed from texts.
_TYPES = {"number": pl.Float64, "numbered_category": pl.Float64, "boolean": pl.Boolean}


def check_name(name: str, known: Sequence[str], where: str) -> None:
    """Refuse the name of a column that does not exist, with one that it could be.

    `where` says where the name comes from: an option or a parameter.
    """
    if name in known:
        return
    close = difflib.get_close_matches(name, known, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    listed = ", ".join(known[:_MOST])
    more = f", … {len(known)} in all" if len(known) > _MOST else ""
    raise ValueError(
        f"{where}: no column {name!r} in the data{meant}; the columns are {listed}{more}"
        f"{_separator_hint(known)}"
    )


def _separator_hint(known: Sequence[str]) -> str:
    """Return what to do about a CSV file whose columns something else than a comma separates."""
    if len(known) != 1:
        return ""
    counts = {mark: known[0].count(mark) for mark in _SEPARATORS}
    mark = max(_SEPARATORS, key=lambda mark: counts[mark])
    if not counts[mark]:
        return ""
    return f" (is {mark!r} what separates them? on the command line say --separator {mark!r})"


def columns_of(frame: pl.LazyFrame, name: str) -> list[str]:
    """Return the names of the columns of a table."""
    with reading(name):
        return frame.collect_schema().names()


def types_of_features(model: FittedModel) -> dict[str, Any]:
    """Return the types of a model's columns, for tables that have none."""
    return {
        feature.name: _TYPES[feature.kind] for feature in model.features if feature.kind in _TYPES
    }


def scan_for(model: FittedModel, table: Table, others: Sequence[str], types: Types) -> pl.LazyFrame:
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
            hint = _separator_hint(found)
            raise FileError(
                f"{table.name!r} has no column {name!r}, which the model needs{meant}{hint}"
            )
    wanted = set(needed).union(others)
    frame = select(frame, [name for name in found if name in wanted])
    return frame.with_columns(_parsed_times(model)) if table.is_text else frame


def feature_names(model: FittedModel) -> list[str]:
    """Return the columns that a model was fitted to."""
    names = model.feature_names
    if names is None:
        raise ValueError("the model was fitted to an array without column names; use Python")
    return names


def _parsed_times(model: FittedModel) -> list[pl.Expr]:
    """Return expressions that make times of texts; a text that is no time is refused later."""
    parsed = []
    for feature in model.features:
        if feature.kind == "instant":
            parsed.append(column(feature.name).str.to_datetime(time_unit="us"))
        elif feature.kind == "time_of_day":
            parsed.append(column(feature.name).str.to_time())
    return parsed
