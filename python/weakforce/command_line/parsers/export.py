"""The arguments of `weakforce export`.

In: the subparsers of the command. Out: one more of them.
"""

from __future__ import annotations

from typing import Any

from .shared import add_model

_EPILOG = """\
examples:
  weakforce export model.json --sql --table people > model.sql
  weakforce export model.json --sql --table main.people --dialect postgres --keep id --out model.sql
  weakforce export model.json --sql --table people --keep id | duckdb people.db

The query has the columns to keep, the scores and the prediction. Stumps, rules and trees whose
scores are sums can be exported, and SFBoost."""


def add(subparsers: Any) -> None:
    """Add the subcommand to the parser."""
    parser = subparsers.add_parser(
        "export",
        help="write a model as SQL",
        description="Write a model as a query that scores the rows of a table in a database.",
        epilog=_EPILOG,
    )
    add_model(parser)
    parser.add_argument(
        "--sql", action="store_true", required=True, help="as SQL, the only form there is"
    )
    parser.add_argument("--table", required=True, metavar="NAME", help="the table with the rows")
    parser.add_argument(
        "--dialect", choices=("duckdb", "postgres", "sqlite"), default="duckdb",
        help="the database (default: duckdb)",
    )  # fmt: skip
    parser.add_argument(
        "--keep", action="append", default=[], metavar="COLUMNS",
        help="columns of the table that the query hands on, with commas between them",
    )  # fmt: skip
    parser.add_argument(
        "--out", default="-", metavar="FILE", help="where to write (default: standard output)"
    )
