"""The arguments of `weakforce fit`.

In: the subparsers of the command. Out: one more of them.
"""

from __future__ import annotations

from typing import Any

from ..options import DEFAULT, add_estimator, booster_lines, kind_lines
from .shared import add_choice_of_columns, add_reading, add_target, add_weight

_EPILOG = """\
examples:
  weakforce fit train.parquet --target label --out model.json
  weakforce fit train.parquet --target label --time-limit 60 --calibrate clean --out model.json
  weakforce fit train.parquet --target label --booster sfboost --learner rule --max-literals 3 \\
      --n-estimators 50 --out model.json
  weakforce fit "2024-*.csv" --target churn --categorical zip,plan --drop id --weight w \\
      --booster logitboost --validation 2025.csv --early-stopping --out model.json
  weakforce fit "/data/part-*.parquet" --dask tcp://10.0.0.1:8786 --target label \\
      --booster logitboost --out model.json
  zcat train.csv.gz | weakforce fit - --format csv --target label --out model.json

Without --booster it fits WeakForceClassifier, which chooses its capacity itself, resists wrong
labels and estimates how many there are. A model file that exists is replaced, all at once in the
end. Options are the parameters of the estimators in Python; 'none' stands for None, and lists and
dicts are written as JSON.

"""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "fit",
        usage="weakforce fit DATA [DATA ...] --target COLUMN --out MODEL [options]",
        help="learn a model from a table",
        description="Learn a model from tables, write it to a file and print what was learned.\n\n"
        + kind_lines(),
        epilog=_EPILOG + booster_lines(),
    )
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help='files, patterns such as "part-*.parquet", or -'
    )
    add_target(parser)
    add_weight(parser)
    parser.add_argument(
        "--mistrust", metavar="COLUMN",
        help="the column of numbers >= 0 that say how little labels are believed, for boosters "
        "that take them (regularized)",
    )  # fmt: skip
    parser.add_argument("--out", required=True, metavar="MODEL", help="the model file to write")
    parser.add_argument(
        "--validation", action="append", default=[], metavar="DATA",
        help="rows to score after each round, for boosters other than weakforce; with "
        "--early-stopping they decide when to stop",
    )  # fmt: skip
    parser.add_argument(
        "--dask", metavar="ADDRESS",
        help="fit on a Dask cluster, whose workers read the files (Parquet): the address of its "
        "scheduler, such as tcp://10.0.0.1:8786, or 'local' for the processors of this machine",
    )  # fmt: skip
    add_choice_of_columns(parser)
    parser.add_argument(
        "--rules", type=int, default=10, metavar="N",
        help="rules, or columns that count, to print (default: 10)",
    )  # fmt: skip
    parser.add_argument(
        "--checkpoint", metavar="FILE",
        help="keep rounds in a file; a fit that was ended goes on from there, and the same command "
        "makes the same model. It is removed once the model is written",
    )  # fmt: skip
    parser.add_argument(
        "--checkpoint-every", type=int, default=50, metavar="N",
        help="rounds after which the checkpoint is written anew (default: 50)",
    )  # fmt: skip
    parser.add_argument(
        "--codes-dir", metavar="FOLDER",
        help="keep the codes of the rows in a file in this folder, if they are more than memory "
        "holds; nothing is left of it in the end",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
    add_reading(parser)
    add_estimator(parser, DEFAULT, DEFAULT)
