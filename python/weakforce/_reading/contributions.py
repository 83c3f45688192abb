"""What every column contributes to the score of each row.

In: a fitted model and rows. Out: a frame whose rows add up to the scores. The Shapley values
themselves come from the core, `src/model/contributions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .._fitting.labels import Floats, label_series
from .literal_columns import frame_of
from .refusals import refuse_others

if TYPE_CHECKING:
    from .fitted_model import FittedModel


def contributions(model: FittedModel, X: Any, n_jobs: int | None) -> pl.DataFrame:
    """Return the contributions of all columns; see `BoostingClassifier.contributions`."""
    refuse_others(model, "contributions", buckets=False)
    by_column, bias, n_rows = model.contributions(X, n_jobs)
    n_outputs = bias.size

    def shown(outputs: Floats) -> Floats:
        """Return numbers for the core's outputs as numbers for the scores that users see."""
        return (
            outputs
            if n_outputs == 1
            else model.target.shown(outputs.reshape(-1, n_outputs)).ravel()
        )

    names = model.column_names
    taken = set(names)
    bias = shown(bias) if model.prior is None else shown(bias) + model.prior
    n_scores = bias.size
    series = []
    for name, numbers in zip(names, by_column, strict=True):
        if numbers is None:
            series.append(pl.Series(name, np.zeros(n_rows * n_scores)))
            continue
        column = pl.Series(numbers).alias(name)
        series.append(
            column if n_outputs == n_scores else pl.Series(name, shown(column.to_numpy()))
        )
    series.append(pl.Series(_free("bias", taken), np.tile(bias, n_rows)))
    if n_scores > 1:
        labels = label_series(model.classes).alias(_free("class", taken))
        rows = np.arange(n_rows).repeat(n_scores)
        of_row = np.tile(np.arange(n_scores), n_rows)
        series = [pl.Series(_free("row", taken), rows), labels.gather(of_row), *series]
    return frame_of(series)


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no column has, with underscores behind it if need be."""
    while name in taken:
        name += "_"
    return name
