"""The arguments of `weakforce report`.

In: the subparsers of the command. Out: one more of them.
"""

from __future__ import annotations

from typing import Any

from .shared import add_reading, add_target

_EPILOG = """\
examples:
  weakforce report out.html --model model.json --data test.parquet --target label
  weakforce report out.html --model model.json --data "test-*.csv" --target label --suspects 0

The page shows the data, the model, its learning curves, margins, shapes or rules, who is taken for
whom, and the labels that look wrong. It opens without a network. Best give it rows that the model
has not seen. It needs matplotlib: pip install 'weakforce[plot]'."""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "report",
        help="write an HTML page on a model and its data",
        description="Write an HTML page on a model and its data.",
        epilog=_EPILOG,
    )
    parser.add_argument("out", metavar="OUT", help="the page to write; - is standard output")
    parser.add_argument(
        "--model", required=True, metavar="MODEL", help="what 'weakforce fit' or save() wrote"
    )
    parser.add_argument(
        "--data", required=True, nargs="+", metavar="DATA",
        help='labelled rows: files, patterns such as "part-*.parquet", or -',
    )  # fmt: skip
    add_target(parser)
    parser.add_argument("--title", help="the title of the page (default: the name of the model)")
    parser.add_argument(
        "--suspects", type=int, default=25, metavar="N",
        help="suspect labels to show (default: 25); 0 saves the time to find them",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
    add_reading(parser)
    parser.set_defaults(weight=None)  # `read_judging` asks for it
