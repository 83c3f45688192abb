"""A review is opened: table, journal, ranking, and what is usual, put together.

In: a table with its target, how to rank it, and where decisions go. Out: a session. The journal is
opened first, so that a file that cannot be used is refused before anything takes time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from .._reading.literal_columns import cast, select, without
from ..suspects import suspect_labels
from .coded_columns import IMAGE, TEXT, CodedColumn, coded_column, kind_of
from .decisions import Decisions
from .fingerprints import TableFingerprint
from .journal import Journal, journal_path, read_journal
from .ranking import (
    Ranking,
    classes_as_written,
    keep_ranking,
    kept_ranking,
    rank_by_model,
    ranking_key,
    ranking_path,
)
from .reasons import reasons_by_model, reasons_by_values
from .row_view import RowViews
from .session import ReviewSession
from .usual_values import UsualValues

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier


@dataclass(frozen=True, eq=False)
class ReviewedTable:
    """A table whose labels are reviewed, and how its rows are ranked.

    Attributes:
        rows: all columns, also those that are only shown.
        source: the same as it is written back; columns of a CSV file are texts here.
        target: the column of labels.
        weight: the column of row weights, if there is one.
        dropped: columns that are shown but not learned from.
        categorical: columns that hold categories although they look like numbers.
        model: what judges the labels; None fits to the table itself.
        model_digest: what identifies the model.
        method: how the fit judges, as in `suspect_labels`.
        seed: the seed of the fit.
    """

    rows: pl.DataFrame
    source: pl.DataFrame
    target: str
    weight: str | None = None
    dropped: Sequence[str] = ()
    categorical: Sequence[str] = ()
    model: BoostingClassifier | None = None
    model_digest: str = ""
    method: str = "cross-fit"
    seed: int = 0
    fingerprint: TableFingerprint = field(init=False)

    def __post_init__(self) -> None:
        if self.rows.is_empty():
            raise ValueError("the table has no rows, expected labelled ones")
        if self.rows.schema[self.target].is_nested():
            raise ValueError(
                f"the target {self.target!r} holds several labels for a row, expected one: a "
                "review settles one label after the other"
            )
        fingerprint = TableFingerprint.of(self.source, self.target)
        object.__setattr__(self, "fingerprint", fingerprint)

    def shown_only(self) -> list[str]:
        """Return the columns that hold texts or paths of images, from which nothing is learned."""
        own = (self.target, self.weight, *self.dropped)
        return [
            series.name
            for series in self.rows.get_columns()
            if series.name not in own and kind_of(series) in (IMAGE, TEXT)
        ]

    def rank(self) -> pl.DataFrame:
        """Return how suspect the labels are, as `suspect_labels` returns it."""
        labels = self.rows.get_column(self.target).alias("y")
        if self.model is not None:
            names = self.model.fitted_model_.column_names
            return rank_by_model(self.model, select(self.rows, names), labels)
        weight = [] if self.weight is None else [self.weight]
        left_out = [self.target, *weight, *self.dropped, *self.shown_only()]
        X = without(self.rows, left_out)
        if X.width == 0:
            raise ValueError(
                "there is no column to learn from: texts, paths of images and dropped columns are "
                "only shown, expected at least one other column, or a model"
            )
        X = cast(X, {**X.schema, **dict.fromkeys(self.categorical, pl.String)})
        weights = None if self.weight is None else self.rows.get_column(self.weight)
        return suspect_labels(
            X, labels, sample_weight=weights, method=self.method, random_state=self.seed
        )

    def key(self) -> str:
        """Return what identifies the ranking of this table."""
        how: dict[str, Any] = {
            "weight": self.weight,
            "dropped": sorted(self.dropped),
            "categorical": sorted(self.categorical),
            "model": self.model_digest,
            "method": self.method,
            "seed": self.seed,
        }
        return ranking_key(self.fingerprint, how)


def open_session(
    table: ReviewedTable, out: str, report: Callable[[str], None]
) -> tuple[ReviewSession, Journal]:
    """Return a review of a table whose decisions go to `out`, and its journal, to be closed.

    `report` is told what is being done.
    """
    journal = Journal(journal_path(out), table.fingerprint)
    try:
        ranking = Ranking.of(_found(table, out, report), _judge_text(table))
        views = views_over(table, ranking)
        return ReviewSession(table.fingerprint, ranking, views, journal), journal
    except BaseException:
        journal.close()
        raise


def decisions_on(table: ReviewedTable, out: str) -> Decisions:
    """Return the decisions that were made on a table, without opening a review."""
    decisions = read_journal(journal_path(out), table.fingerprint)
    return Decisions(table.rows.height, decisions)


def views_over(table: ReviewedTable, ranking: Ranking) -> RowViews:
    """Return what shows the rows of a table."""
    columns = reviewed_columns(table)
    usual = UsualValues(columns, ranking.given, len(ranking.classes))
    compared = [column for column in columns if column.is_compared]
    usual.learn()
    by_values = reasons_by_values(usual, compared, ranking.classes)
    reasons = None
    if table.model is not None:
        X = select(table.rows, table.model.fitted_model_.column_names)
        known = classes_as_written(table.model, table.rows.get_column(table.target))
        reasons = reasons_by_model(table.model, known, X, ranking.classes)
    return RowViews.over(columns, ranking, usual, reasons or by_values)


def reviewed_columns(table: ReviewedTable) -> list[CodedColumn]:
    """Return all columns but target and weight."""
    categorical, dropped = set(table.categorical), set(table.dropped)
    return [
        coded_column(
            series.alias("values").cast(pl.String).alias(series.name)
            if series.name in categorical
            else series,
            is_learned=series.name not in dropped,
        )
        for series in table.rows.get_columns()
        if series.name not in (table.target, table.weight)
    ]


def digest_of(content: bytes) -> str:
    """Return what identifies the bytes of a model."""
    return hashlib.sha256(content).hexdigest()


def _found(table: ReviewedTable, out: str, report: Callable[[str], None]) -> pl.DataFrame:
    """Return the ranking that was kept, or a new one, which is kept."""
    path, key = ranking_path(out), table.key()
    found = kept_ranking(path, key)
    if found is not None:
        report(f"the ranking is that of {str(path)!r}")
        return found
    report(f"ranking {table.rows.height:,} rows: {_judge_text(table)}")
    found = table.rank()
    keep_ranking(path, key, found)
    return found


def _judge_text(table: ReviewedTable) -> str:
    if table.model is None:
        judges = {
            "cross-fit": "every row is judged by trees that have not seen its label",
            "one-fit": "every row is judged by its margins along one fit",
        }
        return judges[table.method]
    return f"judged by the {type(table.model).__name__} of --model"
