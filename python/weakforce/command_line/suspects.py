"""`weakforce suspects`: which labels look wrong, or how many.

In: tables and a target; a booster if not the usual one. Out: the most suspect rows as a table, or
an estimate of the share of wrong labels.
"""

from __future__ import annotations

import argparse

import polars as pl

from .._files.outputs import write_frame
from .._reading.literal_columns import columns, select
from .._wrong_labels.estimating import label_noise
from .._wrong_labels.noise import LabelNoiseEstimate
from ..suspects import suspect_labels
from .columns import names_in
from .failures import UsageError, parameters_as_options
from .files import output_format
from .labelled import read_training
from .options import optional_estimator_from
from .tables import table


def run(arguments: argparse.Namespace) -> None:
    """Write the most suspect rows."""
    as_text = arguments.out == "-" and arguments.out_format is None
    format = output_format(arguments.out, arguments.out_format)
    if arguments.top < 0:
        raise UsageError(f"option --top: got {arguments.top}, expected a number >= 0")
    if arguments.reasons < 0:
        raise UsageError(f"option --reasons: got {arguments.reasons}, expected a number >= 0")
    estimator = optional_estimator_from(arguments)
    rows = read_training(arguments.data, arguments)
    shown = names_in(arguments.show, rows.X.columns, "--show")
    X = rows.X.with_columns(columns(rows.categorical).cast(pl.String))
    if arguments.noise:
        with parameters_as_options():
            print(_noise_text(label_noise(X, rows.y, rows.weights, random_state=arguments.seed)))
        return
    with parameters_as_options():
        found = suspect_labels(
            X,
            rows.y,
            estimator,
            rows.weights,
            method=arguments.method,
            n_reasons=arguments.reasons,
            random_state=arguments.seed,
        )
    found = found.head(arguments.top)
    found = found.hstack(select(rows.X[found["row"]], shown))
    if as_text:
        # Rows and values are names here, not sizes.
        texts = found.with_columns(pl.exclude("margin", "influence", "score").cast(pl.String))
        lines = texts.with_columns(pl.col(pl.String).fill_null("–")).rows()
        print(table(found.columns, lines, flush_right=1))
    else:
        write_frame(arguments.out, found, format)


def _noise_text(found: LabelNoiseEstimate) -> str:
    """Return an estimate as text: the share, and how often each class is written for each."""
    lines = [
        [str(line[0]), *(f"{share:.1%}" for share in line[1:])] for line in found.matrix.rows()
    ]
    matrix = table(found.matrix.columns, lines, flush_right=0)
    return f"{found}\n\n{matrix}"
