"""`weakforce review`: suspect labels are settled in a browser, or decisions applied.

In: tables and a target; a model if one judges. Out: a table of decisions, or the cleaned table.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from .._files.columns import check_name, columns_of, feature_names, types_of_features
from .._files.outputs import write_frame
from .._files.tables import collect
from ..review.decisions import Decisions
from ..review.opening import ReviewedTable, decisions_on, digest_of, open_session
from .columns import names_in, scan_all
from .failures import FailureError, UsageError
from .files import output_format, tables_of
from .models import read_model
from .tables import counted

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier


def run(arguments: argparse.Namespace) -> None:
    """Serve the page until it is finished, or apply the decisions."""
    _check(arguments)
    format = output_format(arguments.out, None)
    if arguments.apply is not None:
        _apply(_read(arguments), arguments, format)
        return
    # What is not installed is found out before anything takes time.
    from ..review.serving import serve

    def report(line: str) -> None:
        if not arguments.quiet:
            print(line, file=sys.stderr, flush=True)

    table = _read(arguments)
    if table.model is None and table.shown_only():
        report(f"not learned from, only shown: {', '.join(table.shown_only())}")
    session, journal = open_session(table, arguments.out, report)
    try:
        done = len(session.decisions.holding())
        if done:
            report(f"going on after {counted(done, 'decision')}")
        _write(session.decisions, table, arguments.out, format)
        try:
            serve(
                session,
                folder=Path(arguments.data[0]).resolve().parent,
                title=Path(arguments.data[0]).name,
                port=arguments.port,
                open_browser=not arguments.no_browser,
                report=lambda address: print(f"review at {address}", flush=True),
            )
        except KeyboardInterrupt:  # the usual end of a review
            report("")
        finally:
            _write(session.decisions, table, arguments.out, format)
        held = counted(len(session.decisions.holding()), "decision")
        report(f"{held} in {arguments.out}; the same command goes on, --apply applies them")
    finally:
        journal.close()


def _check(arguments: argparse.Namespace) -> None:
    for name in ("out", "apply"):
        if getattr(arguments, name) == "-":
            raise UsageError(f"option --{name}: got '-', expected the name of a file")
    if "-" in arguments.data:
        raise UsageError("the data of a review cannot be standard input, expected files")
    if not 0 <= arguments.port < 65_536:
        raise UsageError(f"option --port: got {arguments.port}, expected a number below 65536")
    files = [Path(arguments.out).resolve(), *(Path(name).resolve() for name in arguments.data)]
    if files[0] in files[1:]:
        raise UsageError(
            f"option --out: {arguments.out!r} is the data itself, expected another file"
        )
    if arguments.apply is not None and Path(arguments.apply).resolve() in files:
        raise UsageError(
            f"option --apply: {arguments.apply!r} is read by this command, expected another file"
        )


def _read(arguments: argparse.Namespace) -> ReviewedTable:
    """Return the table with all of its columns."""
    tables = tables_of(arguments.data, arguments)
    known = columns_of(tables[0].scan({}), tables[0].name)
    check_name(arguments.target, known, "--target")
    if arguments.weight is not None:
        check_name(arguments.weight, known, "--weight")
    dropped = names_in(arguments.drop, known, "--drop")
    categorical = names_in(arguments.categorical, known, "--categorical")
    for option, names in (("--drop", dropped), ("--categorical", categorical)):
        if arguments.target in names:
            raise UsageError(f"option {option}: {arguments.target!r} is the target")
    model, digest = None, ""
    types: dict[str, Any] = dict.fromkeys(categorical, pl.String)
    if arguments.model is not None:
        model, digest = read_model(arguments.model), digest_of(Path(arguments.model).read_bytes())
        types |= _types_of(model, known, arguments.data[0])
    is_text = all(table.is_text for table in tables)
    if is_text:
        types[arguments.target] = pl.String  # labels stay as they are written
    rows = source = collect(scan_all(tables, types, guess=True), tables[0].name)
    if is_text:
        source = collect(scan_all(tables, {}), tables[0].name)
    chosen = (arguments.target, arguments.weight, dropped, categorical)
    how = (model, digest, arguments.method, arguments.seed)
    return ReviewedTable(rows, source, *chosen, *how)


def _types_of(model: BoostingClassifier, known: list[str], name: str) -> dict[str, Any]:
    """Return the types of the columns of a model; refuse a table that lacks one."""
    for column in feature_names(model.fitted_model_):
        if column not in known:
            raise FailureError(f"{name!r} has no column {column!r}, which the model needs")
    texts = {f.name: pl.String for f in model.fitted_model_.features if f.kind == "text"}
    return {**types_of_features(model.fitted_model_), **texts}


def _apply(table: ReviewedTable, arguments: argparse.Namespace, format: str) -> None:
    decisions = decisions_on(table, arguments.out)
    _write(decisions, table, arguments.out, format)
    cleaned = decisions.cleaned(table.source, table.target)
    write_frame(arguments.apply, cleaned, output_format(arguments.apply, None))
    if not arguments.quiet:
        held = decisions.holding()
        changed = sum(decision.kind == "change" for decision in held)
        print(
            f"wrote {arguments.apply}: {counted(changed, 'label')} changed, "
            f"{counted(len(held), 'row')} looked at, {table.rows.height:,} in all",
            file=sys.stderr,
        )


def _write(decisions: Decisions, table: ReviewedTable, out: str, format: str) -> None:
    """Write the table of decisions."""
    write_frame(out, decisions.table(table.source.get_column(table.target)), format)
