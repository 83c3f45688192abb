"""What each column of a stump model adds to the scores, value by value.

In: a fitted model of stumps, and rows to see which values there are. Out: a `ColumnShape` for each
column. A stump model is a sum of step functions of single columns, so it is enough to ask for the
contributions of one row in each bin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._fitting.array_columns import ArrayColumns
from .._fitting.frames import as_container, polars_frame
from .._fitting.labels import Floats
from .._reading.contributions import contributions
from .._reading.fitted_model import FittedModel
from .._reading.literal_columns import column
from .._reading.literals import numbers
from .._reading.schema import Feature

#: Just below midnight, in microseconds: no time of day is later.
_DAY_END = 86_400_000_000 - 1


@dataclass(frozen=True, eq=False)
class ColumnShape:
    """What one column adds to the scores.

    Attributes:
        name: the column.
        kind: "number", "instant", "duration" or "time_of_day" (times in microseconds), or
            "category".
        cuts: where the steps are, values at a cut being left of it; none for categories.
        categories: the names of the categories; none for the other kinds.
        contributions: what is added, by bin or category and by score: one score for two classes,
            one for each class of more. The mean over the training rows is 0.
        rows: the training rows in each bin or category.
        missing: what a missing value adds to each score; None if no training row misses a value.
        missing_rows: the training rows with a missing value.
        values: the values of the rows at hand; none for categories.
    """

    name: str
    kind: str
    cuts: Floats
    categories: tuple[str, ...]
    contributions: Floats
    rows: NDArray[np.int64]
    missing: Floats | None
    missing_rows: int
    values: Floats

    @property
    def weight(self) -> float:
        """The mean size of what the column adds, over the training rows."""
        sizes = np.abs(self.contributions).max(axis=1)
        missing = 0.0 if self.missing is None else np.abs(self.missing).max() * self.missing_rows
        total = max(1, int(self.rows.sum()) + self.missing_rows)
        return float((sizes @ self.rows + missing) / total)


def column_shapes(model: FittedModel, X: Any, n_jobs: int | None) -> list[ColumnShape]:
    """Return the shape of every column of a stump model, in the order of fit."""
    _refuse_others(model)
    features, names = model.features, model.column_names
    frame = as_polars(X, model.feature_names, names)
    table = _contributions_by_bin(model, features, n_jobs)
    shapes = []
    for name, feature, parts in zip(names, features, table, strict=True):
        rows = _rows_by_bin(feature)
        categorical = feature.categories is not None or feature.kind == "boolean"
        shapes.append(
            ColumnShape(
                name=name,
                kind="category" if categorical else feature.kind,
                cuts=np.empty(0) if categorical else feature.cuts,
                categories=_category_names(feature) if categorical else (),
                contributions=parts[: len(rows) - 1],
                rows=rows[:-1],
                missing=parts[len(rows) - 1] if rows[-1] else None,
                missing_rows=int(rows[-1]),
                values=np.empty(0) if categorical else _values(frame, name, feature.kind),
            )
        )
    return shapes


def _refuse_others(model: FittedModel) -> None:
    if model.decode != "score":
        raise TypeError(
            f"ShapeDisplay is for scores that are sums of stumps, but {model.name} has "
            f"decode={model.decode!r}; use LearningDisplay, or decode='score'"
        )
    if not model.is_sum:
        instead = "BucketDisplay" if model.buckets is not None else "LearningDisplay"
        raise TypeError(
            f"ShapeDisplay is for scores that are sums of stumps, but those of {model.name} are "
            f"not; use {instead}, or summary()"
        )
    for kind in model.hypothesis_kinds():
        if kind != "stump":
            raise TypeError(
                f"ShapeDisplay is for models of Stump(), but this one is made of "
                f"{_CALLED.get(kind, kind)}; {_INSTEAD.get(kind, 'use MarginDisplay')}"
            )


#: How users call kinds of hypotheses that are refused, and what shows those.
_CALLED = {"rule": "Rule()", "tree": "Tree()", "rbf_net": "RBFNet()"}
_INSTEAD = {
    "rule": "use rules() or contributions()",
    "tree": "use contributions() or feature_importances_",
}


def _contributions_by_bin(
    model: FittedModel, features: list[Feature], n_jobs: int | None
) -> list[Floats]:
    """Return for each column what its bins add, missing values last, by bin and score."""
    length = max(len(_rows_by_bin(feature)) for feature in features)
    columns = [_representatives(feature, length) for feature in features]
    asked: Any = pl.DataFrame(columns)
    named = model.feature_names is not None
    parts = contributions(model, asked if named else ArrayColumns(asked), n_jobs)
    first = parts.width - len(features) - 1  # the last one is the bias
    return [
        parts.to_series(first + at).to_numpy().reshape(length, -1) for at in range(len(features))
    ]


def _rows_by_bin(feature: Feature) -> NDArray[np.int64]:
    """Return the training rows by bin, missing values last; none for columns without a stump."""
    if feature.rows is not None:
        counted: NDArray[np.int64] = feature.rows.astype(np.int64)
        return counted
    categories, cuts = feature.categories, feature.cuts
    n_bins = len(cuts) + 1 if categories is None else len(categories)
    return np.zeros(n_bins + 1, dtype=np.int64)


def _representatives(feature: Feature, length: int) -> pl.Series:
    """Return a value for each bin of a column, then nulls."""
    name, kind = feature.name, feature.kind
    if feature.categories is not None:
        values = [group[0] for group in feature.categories or ()]
        series = pl.Series(name, values, dtype=pl.String)
        series = series if kind == "text" else series.cast(pl.Float64)
    elif kind == "boolean":
        series = pl.Series(name, [False, True][: len(feature.cuts) + 1], dtype=pl.Boolean)
    else:
        series = _in_bins(name, kind, feature.cuts)
    return series.extend(pl.Series(name, [None] * (length - len(series)), dtype=series.dtype))


def _in_bins(name: str, kind: str, cuts: Floats) -> pl.Series:
    """Return the largest value of each bin, and one beyond the last cut."""
    if kind == "number":
        return pl.Series(name, np.append(cuts, np.inf), dtype=pl.Float64)
    last = cuts[-1] if len(cuts) else 0.0
    beyond = min(last + 1, _DAY_END) if kind == "time_of_day" else last + 1
    whole = pl.Series(name, np.floor(np.append(cuts, beyond)).astype(np.int64))
    if kind == "time_of_day":
        return (whole * 1000).cast(pl.Time)
    return whole.cast(pl.Datetime("us") if kind == "instant" else pl.Duration("us"))


def _category_names(feature: Feature) -> tuple[str, ...]:
    if feature.kind == "boolean":
        return ("false", "true")[: len(feature.cuts) + 1]
    return tuple(
        group[0] if len(group) == 1 else f"{len(group)} rare ones"
        for group in feature.categories or ()
    )


def as_polars(X: Any, known: list[str] | None, names: list[str]) -> pl.DataFrame:
    """Return rows as a Polars frame with the columns that fit saw."""
    frame = as_container(X)
    frame = frame.frame if isinstance(frame, ArrayColumns) else frame
    if not isinstance(frame, pl.DataFrame):
        array = isinstance(frame, np.ndarray)
        frame = pl.DataFrame(frame, schema=names) if array else polars_frame(frame)
    missing = [name for name in names if name not in frame.columns]
    if known is None and len(missing) and frame.width == len(names):
        return frame.rename(dict(zip(frame.columns, names, strict=True)))
    if missing:
        raise ValueError(f"X lacks the column {missing[0]!r}, which the model knows from fit")
    return frame


def _values(frame: pl.DataFrame, name: str, kind: str) -> Floats:
    """Return the values of a column that are there, as numbers."""
    values = frame.select(numbers(column(name), kind)).to_series().to_numpy()
    return np.asarray(values[np.isfinite(values)], dtype=np.float64)
