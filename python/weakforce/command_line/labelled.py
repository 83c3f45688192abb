"""Labelled rows: tables to learn from, or to judge a model by.

In: tables and the names of target, weight and mistrust columns. Out: columns, labels, weights and
mistrust.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import polars as pl

from .._estimator.base import BoostingClassifier
from .._files.columns import check_name, columns_of, scan_for
from .._files.tables import Table, Types, collect
from .._fitting.frames import split_column
from .._fitting.tiled_frames import TiledFrame
from .._reading.literal_columns import column, select, stacked, without
from .columns import names_in, scan_all, type_of_labels
from .failures import UsageError
from .files import tables_of

#: A frame in memory, or one that is read tile by tile.
Columns = TypeVar("Columns", bound=pl.DataFrame | TiledFrame)


@dataclass(frozen=True)
class Labelled(Generic[Columns]):
    """Rows with their labels.

    Attributes:
        X: the columns.
        y: the labels.
        weights: the weight of each row; None if all weigh the same.
        mistrust: how little each label is believed; None if nothing is said of it.
        categorical: the columns that hold categories although they do not look like it.
        types: the types by which further rows have to be read if a table has none.
    """

    X: Columns
    y: pl.Series
    weights: pl.Series | None
    mistrust: pl.Series | None = None
    categorical: Sequence[str] = ()
    types: Types | None = None


def read_training(
    names: Sequence[str], arguments: argparse.Namespace, *, in_tiles: bool = False
) -> Labelled[Any]:
    """Return rows to learn from; types are guessed where a table has none.

    Parameters:
        names: files, patterns or - for standard input.
        arguments: the options of the command line.
        in_tiles: whether columns that are files' are left there, to be read tile by tile.
    """
    tables = tables_of(names, arguments)
    known = columns_of(tables[0].scan({}), tables[0].name)
    check_name(arguments.target, known, "--target")
    if arguments.weight is not None:
        check_name(arguments.weight, known, "--weight")
    dropped = names_in(arguments.drop, known, "--drop")
    if arguments.mistrust is not None:
        check_name(arguments.mistrust, known, "--mistrust")
        if arguments.mistrust in {arguments.target, arguments.weight, *dropped}:
            raise UsageError(
                f"option --mistrust: the column {arguments.mistrust!r} is that of --target, "
                "--weight or --drop too, expected one of its own"
            )
    categorical = names_in(arguments.categorical, known, "--categorical")
    as_texts = dict.fromkeys(categorical, pl.String)
    frame = without(scan_all(tables, as_texts, guess=True), dropped)
    rows: Any
    if in_tiles and all(table.content is None for table in tables):
        schema = frame.collect_schema()
        scans = [(table.scan(as_texts, guess=True), table) for table in tables]
        rows = TiledFrame.of_frames([_in_types(*scan, schema) for scan in scans])
    else:
        rows = collect(frame, tables[0].name)
    types = {
        name: pl.Float64 if dtype.is_numeric() and name != arguments.target else dtype
        for name, dtype in rows.schema.items()
        if name != arguments.mistrust  # other rows need not have it
    }
    # What is read as text is a category already.
    numbered = [name for name in categorical if types[name] != pl.String]
    mistrust = None
    if arguments.mistrust is not None:
        rows, mistrust = split_column(rows, arguments.mistrust, "mistrust")
    return _split(rows, arguments, mistrust, numbered, types)


def _in_types(
    frame: pl.LazyFrame, table: Table, schema: pl.Schema
) -> tuple[pl.LazyFrame, Table, bool]:
    """Return the columns of a schema, with its types, and whether the table has them as such."""
    found = frame.collect_schema()
    is_plain = all(found[name] == dtype for name, dtype in schema.items())
    columns = (
        column(name) if found[name] == dtype else column(name).cast(dtype)
        for name, dtype in schema.items()
    )
    return frame.select(columns), table, is_plain


def read_more(
    names: Sequence[str], arguments: argparse.Namespace, like: Labelled[Any]
) -> Labelled[pl.DataFrame]:
    """Return further labelled rows, read like others."""
    tables = tables_of(names, arguments)
    frame = scan_all(tables, like.types or {})
    known = columns_of(frame, tables[0].name)
    for name in like.types or {}:
        check_name(name, known, "--validation")
    rows = collect(select(frame, like.types or {}), tables[0].name)
    return _split(rows, arguments)


def read_judging(
    model: BoostingClassifier, names: Sequence[str], arguments: argparse.Namespace
) -> Labelled[pl.DataFrame]:
    """Return rows to judge a model by: the columns it needs, labels and weights."""
    tables = tables_of(names, arguments)
    types = {arguments.target: type_of_labels(model)}
    types |= {} if arguments.weight is None else {arguments.weight: pl.Float64}
    frames = []
    for table in tables:
        known = columns_of(table.scan({}), table.name)
        check_name(arguments.target, known, "--target")
        if arguments.weight is not None:
            check_name(arguments.weight, known, "--weight")
        frames.append(collect(scan_for(model.fitted_model_, table, list(types), types), table.name))
    return _split(stacked(frames), arguments)


def _split(rows: Columns, arguments: argparse.Namespace, *others: Any) -> Labelled[Columns]:
    rows, labels = split_column(rows, arguments.target, "y")
    weights = None
    if arguments.weight is not None:
        if arguments.weight == arguments.target:
            weights = labels
        else:
            rows, weights = split_column(rows, arguments.weight, "sample_weight")
    # A series looks its name up, which may look like a pattern.
    return Labelled(rows, labels.alias("y"), weights, *others)
