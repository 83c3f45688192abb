"""Arguments that several subcommands share.

In: a parser. Out: the same parser with more arguments.
"""

from __future__ import annotations

import argparse

from ..._files.formats import FORMATS


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how tables are read."""
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--format",
        choices=FORMATS,
        help="the format of the data, whatever the suffix; needed for standard input (-)",
    )
    group.add_argument(
        "--separator", default=",", metavar="C", help="what separates CSV columns (default: comma)"
    )
    group.add_argument(
        "--null",
        action="append",
        default=[],
        metavar="TEXT",
        help="a text that means 'missing' in CSV, besides the empty one; may be given repeatedly",
    )


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the column of labels."""
    parser.add_argument("--target", required=True, metavar="COLUMN", help="the column of labels")


def add_weight(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the column of weights."""
    parser.add_argument("--weight", metavar="COLUMN", help="the column of row weights")


def add_choice_of_columns(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which columns are learned from, and how."""
    parser.add_argument(
        "--drop", action="append", default=[], metavar="COLUMNS",
        help="columns to leave out, with commas between them; may be given repeatedly",
    )  # fmt: skip
    parser.add_argument(
        "--categorical", action="append", default=[], metavar="COLUMNS",
        help="columns that hold categories although they look like numbers, such as zip codes",
    )  # fmt: skip


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a model."""
    parser.add_argument("model", metavar="MODEL", help="what 'weakforce fit' or save() wrote; or -")
