"""What the rows of a page are: their columns and classes.

In: a fitted model, rows and their evaluation. Out: a section.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from .._fitting.labels import Floats
from .._reading.column_kinds import kind_name
from .._reading.fitted_model import FittedModel
from .._reading.shown_values import value_text
from .._reading.wording import label_text
from .elements import Markup, NumberText, section, share_bar, table

#: The most columns and classes that are listed.
_MOST = 100


def data_section(
    model: FittedModel, X: pl.DataFrame, measured: dict[str, Any], importances: Floats | None
) -> Markup:
    """Return the columns with their kinds and ranges, and the classes with their rows."""
    features = model.features
    order = sorted(
        range(len(features)), key=lambda at: 0 if importances is None else -importances[at]
    )
    lines = []
    for at in order[:_MOST]:
        name = features[at].name
        # Methods of a series take its name for a pattern.
        column = X.get_column(name).alias("values")
        missing = _n_missing(column)
        important = None if importances is None else share_bar(float(importances[at]))
        kind = kind_name(features[at].kind)
        lines.append(
            (value_text(name), kind, _values(column), _share(missing, X.height), important)
        )
    titles = ("column", "kind", "values", "missing", "importance")
    shown = f"{_MOST} of {len(features)} columns" if len(features) > _MOST else "Columns"
    classes = [
        (label_text(entry["label"]), entry["rows"], share_bar(entry["rows"] / max(X.height, 1)))
        for entry in measured["classes"][:_MOST]
    ]
    return section(
        "data",
        "Data",
        table(("class", "rows", "share"), classes, "Classes"),
        table(titles, lines, f"{shown}, the most important first"),
    )


def _share(part: int, whole: int) -> NumberText:
    return NumberText(f"{part:,} ({100 * part / whole:.1f} %)" if part else "0")


def _n_missing(column: pl.Series) -> int:
    missing = column.is_null()
    if column.dtype.is_float():
        missing = missing | column.is_nan().fill_null(False)
    return int(missing.sum())


def _values(column: pl.Series) -> str:
    """Return the range of numbers and times, or the most frequent categories."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
    known = column.drop_nulls()
    if known.is_empty():
        return "none"
    if known.dtype.is_numeric() or known.dtype.is_temporal():
        return f"{value_text(known.min())} to {value_text(known.max())}"
    counts = known.cast(pl.String).value_counts(sort=True)
    most = [value_text(value) for value in counts[:, 0].head(3)]
    more = f", … {counts.height} in all" if counts.height > len(most) else ""
    return ", ".join(most) + more
