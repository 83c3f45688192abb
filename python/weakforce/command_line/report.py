"""`weakforce report`: one page on a model and its data.

In: a model file, tables and a target. Out: a self-contained HTML file.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from .failures import FailureError, UsageError
from .files import add_reading
from .labelled import add_target, read_judging
from .models import read_model
from .outputs import new_file

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
    parser.set_defaults(run=run, weight=None)


def run(arguments: argparse.Namespace) -> None:
    """Write the page."""
    if arguments.suspects < 0:
        raise UsageError(f"option --suspects: got {arguments.suspects}, expected a number >= 0")
    os.environ.setdefault("MPLBACKEND", "agg")  # pictures go to the page, not to a screen
    from ..report import report_page

    model = read_model(arguments.model)
    rows = read_judging(model, arguments.data, arguments)
    if rows.X.is_empty():
        raise FailureError("there are no rows to report on")
    title = arguments.title or Path(arguments.model).stem
    page = report_page(model, rows.X, rows.y, title=title, n_suspects=arguments.suspects)
    with new_file(arguments.out) as path:
        path.write_text(page, encoding="utf-8")
    if not arguments.quiet and arguments.out != "-":
        print(f"wrote {arguments.out} ({len(page.encode()) / 1000:,.0f} kB)", file=sys.stderr)
