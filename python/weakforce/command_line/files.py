"""Tables that the command line names: several files, patterns, standard input.

In: names as the user gives them. Out: tables to read.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .._files.formats import FORMATS, SUFFIXES, format_by_suffix, matching_files
from .._files.tables import Table
from .failures import UsageError


def tables_of(names: Sequence[str], arguments: argparse.Namespace) -> list[Table]:
    """Return the tables that names, patterns and - stand for; there is at least one."""
    if len(arguments.separator.encode()) != 1:
        raise UsageError(f"option --separator: got {arguments.separator!r}, expected one character")
    tables = []
    how = {"separator": arguments.separator, "nulls": tuple(arguments.null)}
    for name in names:
        if name == "-":
            if arguments.format is None:
                raise UsageError(
                    "standard input has no suffix: say --format " + " or ".join(FORMATS)
                )
            content = sys.stdin.buffer.read()
            tables.append(Table("standard input", arguments.format, content, **how))
            continue
        for file in matching_files(name):
            tables.append(Table(file, arguments.format or _format_of(file), **how))
    return tables


def output_format(name: str, given: str | None) -> str:
    """Return the format of a table to write: as given, by the suffix, or CSV to standard output."""
    if given is not None:
        return given
    return "csv" if name == "-" else _format_of(name, "--out-format")


def _format_of(name: str, option: str = "--format") -> str:
    format = format_by_suffix(name)
    if format is None:
        raise UsageError(f"cannot tell the format of {name!r}: use {SUFFIXES}, or say {option}")
    return format
