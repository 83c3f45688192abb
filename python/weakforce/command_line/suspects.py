"""`weakforce suspects`: which labels look wrong.

In: tables and a target; a booster if not the usual one. Out: the most suspect rows as a table.
"""

from __future__ import annotations

import argparse
from typing import Any

import polars as pl

from .. import suspect_labels
from .columns import names_in
from .failures import UsageError, parameters_as_options
from .files import FORMATS, add_reading
from .labelled import add_choice_of_columns, add_target, add_weight, read_training
from .options import add_estimator, booster_lines, optional_estimator_from
from .outputs import output_format, write_frame
from .tables import table

_EPILOG = """\
examples:
  weakforce suspects train.parquet --target label
  weakforce suspects train.csv --target label --top 100 --show age,city --out suspects.csv
  weakforce suspects train.csv --target label --booster sfboost --learner rule

Every row is judged by boosters that have not seen its label. Rows are counted from 0; margin is
between -1 (surely wrong) and 1 (surely right), influence how much boosters concentrated on the row,
and score is one less the probability of the given label. Without --booster, small trees under
AdaBoost.MH judge.

"""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "suspects",
        usage="weakforce suspects DATA [DATA ...] --target COLUMN [options]",
        help="find labels that look wrong",
        description="Find labels that look wrong, the most suspect first.",
        epilog=_EPILOG + booster_lines(),
    )
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help='files, patterns such as "part-*.parquet", or -'
    )
    add_target(parser)
    add_weight(parser)
    parser.add_argument(
        "--top", type=int, default=50, metavar="N", help="rows to show (default: 50)"
    )
    parser.add_argument(
        "--show", action="append", default=[], metavar="COLUMNS",
        help="columns of the data to show beside, with commas between them",
    )  # fmt: skip
    parser.add_argument(
        "--out", default="-", metavar="FILE", help="where to write (default: standard output)"
    )
    parser.add_argument(
        "--out-format", choices=FORMATS, help="default: by the suffix; text to standard output"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the folds (default: 0)"
    )
    add_choice_of_columns(parser)
    add_reading(parser)
    add_estimator(parser, None, "small trees under AdaBoost.MH that learn slowly")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Write the most suspect rows."""
    as_text = arguments.out == "-" and arguments.out_format is None
    format = output_format(arguments.out, arguments.out_format)
    if arguments.top < 0:
        raise UsageError(f"option --top: got {arguments.top}, expected a number >= 0")
    estimator = optional_estimator_from(arguments)
    rows = read_training(arguments.data, arguments)
    shown = names_in(arguments.show, rows.X.columns, "--show")
    X = rows.X.with_columns(pl.col(rows.categorical).cast(pl.String))
    with parameters_as_options():
        found = suspect_labels(X, rows.y, estimator, rows.weights, random_state=arguments.seed)
    found = found.head(arguments.top)
    found = found.hstack(rows.X[found["row"]].select(shown))
    if as_text:
        # Rows and values are names here, not sizes.
        texts = found.with_columns(pl.exclude("margin", "influence", "score").cast(pl.String))
        lines = texts.with_columns(pl.col(pl.String).fill_null("–")).rows()
        print(table(found.columns, lines, flush_right=1))
    else:
        write_frame(arguments.out, found, format)
