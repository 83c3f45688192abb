"""Why another label is more likely, in words.

In: a model of trees, rows, and for each the given and the suggested class. Out: a line of text for
each row: the columns that speak most for the suggested class, and those that speak most against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._estimator.base import BoostingClassifier
from .._estimator.cross_fit import Places, Problem
from .._fitting.array_columns import ArrayColumns
from .._fitting.external import pick_rows
from .._fitting.frames import as_container, polars_frame
from .._fitting.labels import Floats, label_list
from .._reading.wording import answer_text, column_text, label_text, quoted_value
from .one_fit import bounded_booster, fit_once, readable

#: The most contributions that are in memory at a time.
_AT_ONCE = 4_000_000

#: Contributions below this share of the largest one are not worth a word.
_LEAST = 0.01


def explaining_model(
    problem: Problem, suspicion: Floats, seed: int, n_jobs: int | None
) -> BoostingClassifier | None:
    """Fit a small model that believes each label as far as it is not suspect."""
    believed = problem._replace(weights=problem.weights * np.maximum(1.0 - suspicion, 1e-3))
    fitted = fit_once(bounded_booster(problem).set_params(n_jobs=n_jobs), believed, seed)
    return None if fitted is None else fitted[0]


def class_names(classes: NDArray[Any]) -> tuple[str, ...]:
    """Return the classes as text."""
    return tuple(label_text(label) for label in label_list(classes))


def reasons(
    model: BoostingClassifier | None,
    problem: Problem,
    ranking: tuple[Places, Places],
    names: tuple[str, ...],
    most: int,
) -> pl.Series:
    """Return the reasons for rows by rank; null where the given label is the likely one.

    A ranking is rows, and the class that is suggested for each; `names` are those of the classes,
    and `most` is how many columns are named for the suggested class, and how many against it.
    """
    order, suggested = ranking
    texts: list[str | None] = [None] * len(order)
    if model is not None:
        places = np.flatnonzero(suggested != problem.truth[order])
        n_columns = len(model.fitted_model_.column_names)
        n_scores = len(problem.classes) if len(problem.classes) > 2 else 1
        at_once = max(1, _AT_ONCE // ((n_columns + 1) * n_scores))
        for start in range(0, len(places), at_once):
            part = places[start : start + at_once]
            lines = _lines(model, problem, (order[part], suggested[part]), names, most)
            for place, line in zip(part.tolist(), lines, strict=True):
                texts[place] = line
    return pl.Series("reasons", texts, dtype=pl.String)


def _lines(
    model: BoostingClassifier,
    problem: Problem,
    ranking: tuple[Places, Places],
    labels: tuple[str, ...],
    most: int,
) -> Iterator[str]:
    rows, suggested = ranking
    picked = pick_rows(readable(problem.X, model), rows)
    parts = _log_odds(model, picked, problem.truth[rows].astype(np.intp), suggested)
    values = _columns_of(picked)
    names = [column_text(name) for name in model.fitted_model_.column_names]
    count = min(most, parts.shape[1])
    ascending = np.argsort(parts, axis=1, kind="stable")
    against, support = ascending[:, :count].tolist(), ascending[:, ::-1][:, :count].tolist()
    least = _LEAST * np.abs(parts).max(axis=1, initial=0.0)
    for row, (fors, others) in enumerate(zip(support, against, strict=True)):
        own = parts[row]
        told = [
            (f"for {labels[suggested[row]]}", [at for at in fors if own[at] > least[row]]),
            ("against", [at for at in others if own[at] < -least[row]]),
        ]
        yield "; ".join(
            f"{title}: "
            + ", ".join(
                f"{names[at]} = {quoted_value(values[at][row])} ({answer_text(own[at])})"
                for at in chosen
            )
            for title, chosen in told
            if chosen
        )


def _log_odds(model: BoostingClassifier, rows: Any, given: Places, suggested: Places) -> Floats:
    """Return by row what each column adds to the log odds of the suggested class over the given."""
    n_columns, n_rows = len(model.fitted_model_.column_names), len(given)
    # By place, as columns of the data may have any name; the last one is the bias.
    columns = model.contributions(rows).get_columns()[-n_columns - 1 : -1]
    parts = np.column_stack([column.to_numpy() for column in columns])
    if len(parts) == n_rows:  # two classes, whose score is half of the log odds
        return np.asarray(2.0 * np.where(suggested == 1, 1.0, -1.0)[:, None] * parts)
    by_class = parts.reshape(n_rows, -1, n_columns)
    at = np.arange(n_rows)
    return np.asarray(by_class[at, suggested] - by_class[at, given])


def _columns_of(rows: Any) -> list[Any]:
    """Return the values of rows by column."""
    if isinstance(rows, np.ndarray):
        return [column.tolist() for column in rows.T]
    frame = rows.frame if isinstance(rows, ArrayColumns) else rows
    if not isinstance(frame, pl.DataFrame):
        frame = polars_frame(as_container(frame))
    return [column.to_list() for column in frame.get_columns()]
