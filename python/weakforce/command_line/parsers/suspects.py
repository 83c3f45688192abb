"""The arguments of `weakforce suspects`.

In: the subparsers of the command. Out: one more of them.
"""

from __future__ import annotations

from typing import Any

from ..._files.formats import FORMATS
from ..options import add_estimator, booster_lines
from .shared import add_choice_of_columns, add_reading, add_target, add_weight

_EPILOG = """\
examples:
  weakforce suspects train.parquet --target label
  weakforce suspects train.csv --target label --top 100 --show age,city --out suspects.csv
  weakforce suspects train.parquet --target label --method one-fit --reasons 3
  weakforce suspects train.parquet --target label --noise
  weakforce suspects train.csv --target label --booster sfboost --learner rule

Every row is judged by trees that have not seen its label: those of one WeakForceClassifier, out of
bag, of five LogitBoost fits for more than 5,000 rows, or with --booster those of 15 fits to other
rows. --method one-fit takes a fraction of that
time: one small booster sees all labels, and the margins along its run are compared. Rows are
counted from 0; margin is between -1 (surely wrong) and 1 (surely right), influence how much
boosting concentrated on the row, and score is the suspicion, from 0 to 1. --reasons adds which
columns speak most for the suggested label and against it, in log odds.

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
    parser.set_defaults(mistrust=None)  # `read_training` asks for it
    parser.add_argument(
        "--top", type=int, default=50, metavar="N", help="rows to show (default: 50)"
    )
    parser.add_argument(
        "--method", choices=("cross-fit", "one-fit"), default="cross-fit",
        help="judge labels unseen, or by the margins along one fit (default: cross-fit)",
    )  # fmt: skip
    parser.add_argument(
        "--reasons", type=int, default=0, metavar="N",
        help="columns to name for the suggested label, and against it (default: 0, none)",
    )  # fmt: skip
    parser.add_argument(
        "--noise", action="store_true",
        help="print how many labels are wrong by estimate, and which for which, instead of rows",
    )  # fmt: skip
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
        "--seed", type=int, default=0, metavar="N", help="seed of fits and folds (default: 0)"
    )
    add_choice_of_columns(parser)
    add_reading(parser)
    add_estimator(parser, None, "one fit of weakforce, out of bag")
