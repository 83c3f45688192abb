"""The arguments of `weakforce predict`.

In: the subparsers of the command. Out: one more of them.
"""

from __future__ import annotations

from typing import Any

from ..._files.formats import FORMATS
from .shared import add_model, add_reading

_EPILOG = """\
examples:
  weakforce predict model.json new.parquet --out predictions.parquet
  weakforce predict model.json "part-*.parquet" --proba --keep id --out predictions.csv
  cut -d, -f1-5 new.csv | weakforce predict model.json - --format csv | head

The output has the column prediction; with --proba a column probability_LABEL for each class; with
--scores the column score (of two classes; positive speaks for the second), or score_LABEL for each
class. Rows keep their order. Tables are read and written in batches, so they may be larger than
memory; only the columns that the model needs are read. A file that exists is replaced, all at once
in the end. CSV columns are read as what they were during fit, and kept columns of CSV files stay as
they are."""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "predict",
        help="write what a model says of new rows",
        description="Write what a model says of new rows.",
        epilog=_EPILOG,
    )
    add_model(parser)
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help='files, patterns such as "part-*.parquet", or -'
    )
    parser.add_argument(
        "--out", default="-", metavar="FILE", help="where to write (default: standard output)"
    )
    parser.add_argument(
        "--out-format", choices=FORMATS, help="default: by the suffix, or CSV to standard output"
    )
    parser.add_argument("--proba", action="store_true", help="add the probability of each class")
    parser.add_argument("--scores", action="store_true", help="add the scores")
    parser.add_argument(
        "--keep", action="append", default=[], metavar="COLUMNS",
        help="columns of the data to put before the predictions, with commas between them",
    )  # fmt: skip
    parser.add_argument("--keep-all", action="store_true", help="put all of them there")
    add_reading(parser)
