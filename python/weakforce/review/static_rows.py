"""The most suspect rows as they are shown in a review, without a review: for reports.

In: rows, labels, and a ranking of them. Out: HTML for each row, and the style sheet of rows.
"""

from __future__ import annotations

from importlib.resources import files

import polars as pl

from .coded_columns import coded_column
from .ranking import Ranking
from .reasons import reasons_by_values
from .row_markup import row_markup
from .row_view import RowViews
from .usual_values import UsualValues


def static_rows(X: pl.DataFrame, found: pl.DataFrame, count: int) -> dict[int, str]:
    """Return the most suspect rows as HTML, by their position.

    Parameters:
        X: all rows without their labels.
        found: what `suspect_labels` says of all of them.
        count: how many are shown.
    """
    ranking = Ranking.of(found, "")
    columns = [coded_column(series) for series in X.get_columns()]
    usual = UsualValues(columns, ranking.given, len(ranking.classes))
    compared = [column for column in columns if column.is_compared]
    reasons = reasons_by_values(usual, compared, ranking.classes)
    views = RowViews.over(columns, ranking, usual, reasons)
    return {row: row_markup(views.of(row), level=3) for row in ranking.order[:count].tolist()}


def row_style() -> str:
    """Return the style sheet of rows."""
    return (files(__package__) / "static" / "row.css").read_text(encoding="utf-8")
