"""The arguments of `weakforce explain`.

In: the subparsers of the command. Out: one more of them.
"""

from __future__ import annotations

from typing import Any

from ..._files.formats import FORMATS
from .shared import add_model, add_reading

_EPILOG = """\
examples:
  weakforce explain model.json
  weakforce explain model.json --top 5 --json
  weakforce explain model.json new.parquet                    columns by mean |contribution|
  weakforce explain model.json new.parquet --row 0 --row 17   two rows, column by column
  weakforce explain model.json new.parquet --out contributions.parquet

Contributions are Shapley values: what knowing a column changes in the score of a row. They and the
bias add up to the score, whose sign is the answer for two classes and whose largest is the answer
for more. Rows are counted from 0."""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "explain",
        help="show what a model has learned, or why it says what it says of rows",
        description="Show what a model has learned, or why it says what it says of rows.",
        epilog=_EPILOG,
    )
    add_model(parser)
    parser.add_argument("data", nargs="*", metavar="DATA", help="rows to explain")
    parser.add_argument(
        "--row", type=int, action="append", default=[], metavar="N",
        help="a row to explain, counted from 0; may be given repeatedly",
    )  # fmt: skip
    parser.add_argument(
        "--top", type=int, default=20, metavar="N", help="rules or columns to show (default: 20)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument(
        "--out", metavar="FILE", help="write the contributions to all rows into a table"
    )
    parser.add_argument("--out-format", choices=FORMATS, help="the format of that table")
    add_reading(parser)
