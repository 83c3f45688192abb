"""`weakforce export`: a model as a query for a database.

In: a model file. Out: SQL.
"""

from __future__ import annotations

import argparse

from .._files.failures import writing
from .._files.outputs import new_file
from .failures import parameters_as_options
from .models import read_model


def run(arguments: argparse.Namespace) -> None:
    """Write the query."""
    model = read_model(arguments.model)
    keep = [name for entry in arguments.keep for name in entry.split(",")]
    with parameters_as_options():
        query = model.to_sql(arguments.table, dialect=arguments.dialect, keep=keep)
    if arguments.out == "-":
        print(query)
        return
    with new_file(arguments.out) as path, writing(arguments.out):
        path.write_text(query if query.endswith("\n") else f"{query}\n", encoding="utf-8")
