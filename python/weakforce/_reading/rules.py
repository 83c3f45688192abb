"""The rules of a model as a table, with their weights and errors.

In: a fitted model. Out: a Polars frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._fitting.labels import label_series
from .rule_lines import lines_of, merged

if TYPE_CHECKING:
    from .fitted_model import FittedModel

_SCHEMA: dict[str, Any] = {
    "round": pl.Int64,
    "rule": pl.String,
    "text": pl.String,
    "weight": pl.Float64,
    "inside": pl.Float64,
    "outside": pl.Float64,
    "rows_fired": pl.Int64,
    "weight_fired": pl.Float64,
    "error": pl.Float64,
}

#: The types of the answers in a table, by what hypotheses say.
_ANSWER_TYPES = {"number": pl.Float64, "class": pl.String, "scores": pl.List(pl.Float64)}


def _array_of(names: Sequence[Any]) -> NDArray[Any]:
    """Return the names of outputs as an array; of any objects, as integers beyond 64 bits are."""
    if isinstance(names[0], np.generic):
        return np.array(names)
    objects = np.empty(len(names), dtype=object)
    objects[:] = names
    return objects


def rule_table(model: FittedModel, merge: bool) -> pl.DataFrame:
    """Return the rules of a model as a frame; see `BoostingClassifier.rules`."""
    lines = lines_of(model)
    lines = merged(lines) if merge else lines
    answers = _ANSWER_TYPES[lines[0].hypothesis.says if lines else "number"]
    schema = {**_SCHEMA, "inside": answers, "outside": answers}
    table = pl.DataFrame([line.entries() for line in lines], schema=schema, orient="row")
    if any(line.output is not None for line in lines):
        names = model.output_names
        known = label_series(_array_of(names)).alias("class")
        table.insert_column(1, known.gather([line.output or 0 for line in lines]))
    if merge:
        rounds = pl.Series("rounds", [line.rounds for line in lines], dtype=pl.List(pl.Int64))
        table.insert_column(1, rounds)
    return table
