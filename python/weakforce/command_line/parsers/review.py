"""The arguments of `weakforce review`.

In: the subparsers of the command. Out: one more of them.
"""

from __future__ import annotations

from typing import Any

from .shared import add_choice_of_columns, add_reading, add_target, add_weight

_EPILOG = """\
examples:
  weakforce review train.parquet --target label --out decisions.parquet
  weakforce review train.parquet --target label --out decisions.parquet --apply cleaned.parquet
  weakforce review new.csv --target label --model model.json --out decisions.csv --drop id

It opens a page in the browser, the most suspect row first, and every decision is on disk before the
next row shows. Ctrl-C or the button "Finish" ends it; the same command goes on where it was, also
after the machine was switched off.

Decisions are appended to OUT.journal, of which OUT is made as a table when a review begins and
ends; OUT.ranking keeps the ranking. --apply shows no page: it writes the table with the changed
labels, and a column more (TARGET_review) that says what was done: "kept", "changed from ...",
"skipped", or nothing.

Without --model every row is judged by trees that have not seen its label, or with --method one-fit,
which is faster, along one fit that cannot learn labels by heart. With --model the model judges: it
should not have seen these labels, because it believes what it has learned. Columns of texts, and
of paths of images, are shown and not learned from. The page is for this machine only and loads
nothing from the network. It needs two packages: pip install 'weakforce[review]'."""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "review",
        usage="weakforce review DATA [DATA ...] --target COLUMN --out FILE [options]",
        help="settle suspect labels in a browser",
        description="Settle suspect labels in a browser, the most suspect first.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help='files, or patterns such as "part-*.parquet"'
    )
    add_target(parser)
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the table of decisions to write"
    )
    parser.add_argument(
        "--apply", metavar="FILE", help="write the cleaned table here, and show no page"
    )
    parser.add_argument(
        "--model", metavar="MODEL", help="what judges the labels (default: a fit to the table)"
    )
    add_weight(parser)
    parser.add_argument(
        "--method", choices=("cross-fit", "one-fit"), default="cross-fit",
        help="judge labels unseen, or by the margins along one fit (default: cross-fit)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the fit (default: 0)"
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="the port (default: a free one)"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address and open nothing"
    )
    parser.add_argument("--quiet", action="store_true", help="print the address and errors only")
    add_choice_of_columns(parser)
    add_reading(parser)
