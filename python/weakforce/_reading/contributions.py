"""What every column contributes to the score of each row.

In: a fitted model and rows. Out: a frame whose rows add up to the scores, with standard errors if
they are asked for. The Shapley values themselves come from the core, `src/model/contributions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .._fitting.labels import Floats, label_series
from .._fitting.settings import seed_of
from .literal_columns import frame_of
from .refusals import refuse_others
from .wording import shown_value

if TYPE_CHECKING:
    from .fitted_model import FittedModel


#: The fewest and the most orders of an estimate.
_FEWEST, _MOST = 16, 1_000_000
#: How users mark the column that holds standard errors.
_ERROR = "±"


def contributions(
    model: FittedModel,
    X: Any,
    n_jobs: int | None,
    *,
    n_orders: int = 256,
    random_state: Any = 0,
    errors: bool = False,
) -> pl.DataFrame:
    """Return the contributions of all columns; see `BoostingClassifier.contributions`."""
    refuse_others(model, "contributions", grids=True)
    orders = (_pairs(n_orders), seed_of(random_state))
    by_column, bias, of_these, n_rows = model.contributions(X, n_jobs, orders)
    outputs = _Outputs(model, bias.size)
    names = model.column_names
    taken = set(names)
    bias = outputs.shown(bias) if model.prior is None else outputs.shown(bias) + model.prior
    n_scores = bias.size
    series = outputs.series(names, by_column, n_rows * n_scores)
    series.append(pl.Series(_free("bias", taken), np.tile(bias, n_rows)))
    if errors:
        off, bias_off = of_these or ([None] * len(names), np.zeros(outputs.count))
        marked = [_free(f"{name} {_ERROR}", taken) for name in [*names, "bias"]]
        series += outputs.series(marked[:-1], off, n_rows * n_scores)
        series.append(pl.Series(marked[-1], np.tile(outputs.shown(bias_off), n_rows)))
    if n_scores > 1:
        labels = label_series(model.classes).alias(_free("class", taken))
        rows = np.arange(n_rows).repeat(n_scores)
        of_row = np.tile(np.arange(n_scores), n_rows)
        series = [pl.Series(_free("row", taken), rows), labels.gather(of_row), *series]
    return frame_of(series)


def _pairs(n_orders: Any) -> int:
    """Return how many pairs of opposite orders make so many."""
    expected = f"an integer from {_FEWEST} to {_MOST}"
    message = f"parameter 'n_orders': got {shown_value(n_orders)}, expected {expected}"
    if not isinstance(n_orders, Integral) or isinstance(n_orders, bool):
        raise TypeError(message)
    count = int(n_orders)
    if not _FEWEST <= count <= _MOST:
        raise ValueError(message)
    return (count + 1) // 2


class _Outputs:
    """The outputs of the core, which users see as scores."""

    def __init__(self, model: FittedModel, count: int) -> None:
        self._model = model
        self.count = count

    def shown(self, outputs: Floats) -> Floats:
        """Return numbers for the core's outputs as numbers for the scores that users see."""
        if self.count == 1:
            return outputs
        return self._model.target.shown(outputs.reshape(-1, self.count)).ravel()

    def series(
        self, names: Sequence[str], by_column: Sequence[Any | None], length: int
    ) -> list[pl.Series]:
        """Return numbers by column, of which those that are None are zeros."""
        found = []
        for name, numbers in zip(names, by_column, strict=True):
            if numbers is None:
                found.append(pl.Series(name, np.zeros(length)))
                continue
            column = pl.Series(numbers).alias(name)
            same = len(column) == length
            found.append(column if same else pl.Series(name, self.shown(column.to_numpy())))
        return found


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no column has, with underscores behind it if need be."""
    while name in taken:
        name += "_"
    return name
