"""`weakforce predict`: the answers of a model to tables of any size.

In: a model file and tables, read in batches. Out: a table of predictions in the order of the rows.
"""

from __future__ import annotations

import argparse

from .. import _core
from .._files.columns import columns_of
from .._files.outputs import frames_writer
from .._files.predictions import Output, predictions
from .._files.scored import Scorer
from .._files.tables import Table
from .columns import names_in
from .failures import UsageError, parameters_as_options
from .files import output_format, tables_of
from .models import read_model


def run(arguments: argparse.Namespace) -> None:
    """Predict batch by batch."""
    format = output_format(arguments.out, arguments.out_format)
    if arguments.model == "-" and "-" in arguments.data:
        raise UsageError("model and data cannot both be standard input")
    model = read_model(arguments.model)
    tables = tables_of(arguments.data, arguments)
    _core.keep_freed_memory()
    kept = _kept(tables[0], arguments)
    output = Output(kept, arguments.proba, arguments.scores)
    with parameters_as_options():
        schema, frames = predictions(Scorer(model.fitted_model_, model.n_jobs), tables, output)
    with frames_writer(arguments.out, format, schema) as write:
        for frame in frames:
            write(frame)


def _kept(table: Table, arguments: argparse.Namespace) -> list[str]:
    """Return the columns to keep, none of which may have the name of one to come."""
    found = columns_of(table.scan({}), table.name)
    kept = found if arguments.keep_all else names_in(arguments.keep, found, "--keep")
    for name in kept:
        if name in ("prediction", "score"):
            raise UsageError(f"option --keep: the output has a column {name!r} of its own")
    return kept
