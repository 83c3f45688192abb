"""Why the label of a row is suspect, in a few lines.

In: a row. Out: sentences. If the ranking came with reasons, these; with a model, what the columns
contribute to its score; else the values that are so much more frequent in one class than in the
other, each column by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .._reading.shown_values import value_text
from .._reading.wording import column_text
from .coded_columns import CodedColumn
from .usual_values import UsualValues

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier

#: How many reasons for and against a class are given.
_FOR, _AGAINST = 4, 2
#: Values are worth a line if they are this many times as frequent in a class as in the other.
_LEAST_RATIO = 1.5

#: From a row, its given and its suggested class to lines.
Reasons = Callable[[int, int, int], list[str]]


def reasons_by_values(
    usual: UsualValues, columns: list[CodedColumn], classes: list[str]
) -> Reasons:
    """Return what gives reasons by the frequency of values."""

    def reasons(row: int, given: int, suggested: int) -> list[str]:
        ratios = sorted(
            ((usual.log_ratio(c, row, suggested, given), at) for at, c in enumerate(columns)),
            key=lambda entry: (-entry[0], entry[1]),
        )
        least = math.log(_LEAST_RATIO)
        chosen = [entry for entry in ratios if entry[0] >= least][:_FOR]
        chosen += [entry for entry in ratios[::-1] if entry[0] <= -least][:_AGAINST]
        lines = []
        for ratio, at in chosen:
            more, less = (suggested, given) if ratio > 0 else (given, suggested)
            lines.append(
                f"{_named(columns[at], row)}: {_times(math.exp(abs(ratio)))} as frequent in "
                f"{classes[more]} as in {classes[less]}"
            )
        return lines

    return reasons


def reasons_by_model(
    model: BoostingClassifier, known: list[str], X: pl.DataFrame, classes: list[str]
) -> Reasons | None:
    """Return what gives reasons by contributions; None for models that have none.

    `known` are the classes of the model as they are written in the table.
    """
    names = X.columns
    try:
        model.contributions(X[:1])
    except (TypeError, ValueError, RuntimeError):
        return None

    def reasons(row: int, given: int, suggested: int) -> list[str]:
        if classes[suggested] not in known:
            return []
        parts = model.contributions(X[row])
        numbers = np.array([parts[:, at].to_list() for at in range(parts.width - 1)][-len(names) :])
        added = _difference(numbers, known, classes[given], classes[suggested])
        order = np.argsort(-added, kind="stable")
        chosen = [at for at in order if added[at] > 0][:_FOR]
        chosen += [at for at in order[::-1] if added[at] < 0][:_AGAINST]
        scale = np.abs(added).sum()
        return [
            f"{column_text(names[at])} = {value_text(X[:, int(at)][row])}: speaks for "
            f"{classes[suggested if added[at] > 0 else given]} "
            f"({100 * abs(added[at]) / scale:.0f} % of all that is said)"
            for at in chosen
            if abs(added[at]) >= 0.01 * scale
        ]

    return reasons


def _difference(numbers: Any, known: list[str], given: str, suggested: str) -> Any:
    """Return by how much each column raises the score of one class above that of the other."""
    if numbers.shape[1] == 1:
        sign = 1.0 if known.index(suggested) == 1 else -1.0
        return sign * numbers[:, 0]
    own = numbers[:, known.index(given)] if given in known else 0.0
    return numbers[:, known.index(suggested)] - own


def _named(column: CodedColumn, row: int) -> str:
    return f"{column_text(column.name)} = {value_text(column.values[row])}"


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:.0f} times"
