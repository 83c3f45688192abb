"""The arguments of `weakforce evaluate`.

In: the subparsers of the command. Out: one more of them.
"""

from __future__ import annotations

from typing import Any

from .shared import add_model, add_reading, add_target, add_weight

_EPILOG = """\
examples:
  weakforce evaluate model.json test.parquet --target label
  weakforce evaluate model.json "test-*.csv" --target label --json > scores.json

Recall is the share of a class that the model finds, precision the share of its answers that are
right. With --weight all numbers but the counts are weighted. Margins say how clearly rows are
right: 1 is as clear as can be, below 0 is wrong."""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "evaluate",
        help="judge a model by labelled rows",
        description="Judge a model by labelled rows.",
        epilog=_EPILOG,
    )
    add_model(parser)
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help='files, patterns such as "part-*.parquet", or -'
    )
    add_target(parser)
    add_weight(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    add_reading(parser)
