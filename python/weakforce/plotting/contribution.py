"""What the columns of a model contribute to the scores of rows: a summary of Shapley values.

In: a fitted model of stumps, rules or trees, and rows. Out: a picture with a line for each column:
a dot for each row if there are two classes, otherwise bars of mean sizes by class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._estimator.checks import checked_booster
from .._fitting.labels import Floats
from .._reading.contributions import contributions
from .._reading.fitted_model import FittedModel
from .._reading.wording import label_text
from ..plotting import canvas
from .column_shapes import as_polars

if TYPE_CHECKING:
    from typing_extensions import Self

#: The most classes that bars are divided into; the others share the last part.
_MOST_CLASSES = len(canvas.COLOURS) - 1
#: Into how many places dots are sorted, to see how many of them lie above each other.
_PLACES = 80
#: The colour of values that have no order, or are missing.
_UNORDERED = "#8A8A8A"


class ContributionDisplay:
    """The Shapley values of the columns that contribute most, for some rows.

    Of two classes every row is a dot: right of zero its value speaks for the second class, left of
    it for the first. Dots of ordered columns go from blue, the lowest values, to orange, the
    highest; categories and missing values are grey. Of several classes, bars show the mean size of
    what a column contributes, divided by the class to whose score.

    Parameters:
        columns: the names of the columns, those that contribute most first.
        values: what they contribute, by column, row and score.
        ranks: where the values of the rows are among those of their column, from 0 to 1, by column
            and row; NaN for categories and missing values.
        labels: the names of the classes.
        left_out: the number of further columns that contribute something.
        name: a title, or None.

    Attributes:
        ax_: the axes; `figure_` their figure.

    Examples:
        >>> from weakforce import ContributionDisplay, RealAdaBoostClassifier, Tree, datasets
        >>> X, y = datasets.make_xd6(300, seed=1)
        >>> model = RealAdaBoostClassifier(Tree(), n_estimators=10).fit(X, y)
        >>> display = ContributionDisplay.from_estimator(model, X, max_columns=3)
        >>> len(display.columns), display.left_out
        (3, 7)
    """

    def __init__(
        self,
        columns: Sequence[str],
        values: Floats,
        ranks: Floats,
        labels: Sequence[str],
        *,
        left_out: int = 0,
        name: str | None = None,
    ) -> None:
        self.columns = list(columns)
        self.values = values
        self.ranks = ranks
        self.labels = list(labels)
        self.left_out = left_out
        self.name = name

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, *, max_columns: int = 12, max_rows: int = 500, ax: Any = None
    ) -> Self:
        """Draw what columns contribute to the scores of rows.

        Parameters:
            model: a fitted booster of stumps, rules or trees whose scores are sums.
            X: the rows.
            max_columns: the most columns that are shown.
            max_rows: the most rows that are looked at, at even distances.
            ax: axes to draw on; None makes new ones.

        Returns:
            The display.
        """
        for name, given in (("max_columns", max_columns), ("max_rows", max_rows)):
            if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
                raise ValueError(f"parameter {name!r}: got {given!r}, expected an integer >= 1")
        booster = checked_booster(model)
        most = (int(max_columns), int(max_rows))
        return cls(**contribution_contents(booster.fitted_model_, X, booster.n_jobs, most)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the columns.

        Parameters:
            ax: axes to draw on; None makes new ones.

        Returns:
            The display.
        """
        self.ax_ = canvas.own_axes(ax, (6.8, 1.3 + 0.32 * len(self.columns)))
        self.figure_ = self.ax_.figure
        canvas.clear_frame(self.ax_)
        self.ax_.axvline(0.0, color=canvas.QUIET, linewidth=1.0, zorder=1)
        places = np.arange(len(self.columns))[::-1]
        if self.values.shape[2] == 1:
            self._draw_dots(places)
        else:
            self._draw_bars(places)
        names = [canvas.shortened_text(name, 26) for name in self.columns]
        self.ax_.set_yticks(places, names, fontsize="small")
        self.ax_.set_ylim(-0.6, len(self.columns) - 0.4)
        self.ax_.grid(False, axis="y")
        if self.name is not None:
            self.ax_.set_title(self.name, loc="left", pad=22 if self.values.shape[2] > 1 else 6)
        return self

    def _draw_dots(self, places: NDArray[Any]) -> None:
        shades = canvas.matplotlib("colors").LinearSegmentedColormap.from_list(
            "low to high", [canvas.COLOURS[0], "#C8A0B4", canvas.COLOURS[1]]
        )
        for place, values, ranks in zip(places, self.values[..., 0], self.ranks, strict=True):
            colours = np.where(
                np.isnan(ranks)[:, None],
                canvas.matplotlib("colors").to_rgba(_UNORDERED),
                shades(np.nan_to_num(ranks)),
            )
            # Thousands of dots are an image, not thousands of shapes.
            self.ax_.scatter(
                values, place + _spread(values), s=9, c=colours, linewidth=0, rasterized=True
            )
        positive = canvas.shortened_text(self.labels[1], 24)
        self.ax_.set_xlabel(
            f"contribution to the score for {positive} (blue: low values, orange: high)"
        )

    def _draw_bars(self, places: NDArray[Any]) -> None:
        sizes = np.abs(self.values).mean(axis=1)
        order = np.argsort(-sizes.sum(axis=0), kind="stable")
        groups = [[int(at)] for at in order[:_MOST_CLASSES]]
        if len(order) > _MOST_CLASSES:
            groups.append([int(at) for at in order[_MOST_CLASSES:]])
        left = np.zeros(len(places))
        handles = []
        for group, look in zip(groups, canvas.line_looks(len(groups)), strict=True):
            widths = sizes[:, group].sum(axis=1)
            name = self.labels[group[0]] if len(group) == 1 else f"{len(group)} others"
            label = canvas.shortened_text(name, 16)
            colour = look["color"]
            handles.append(
                self.ax_.barh(places, widths, left=left, height=0.7, color=colour, label=label)
            )
            left = left + widths
        self.ax_.set_xlabel("mean size of the contribution to the scores of the classes")
        canvas.legend_above(self.ax_, handles)


def contribution_contents(
    model: FittedModel, X: Any, n_jobs: int | None, most: tuple[int, int]
) -> dict[str, Any]:
    """Return what a display of at most so many columns and rows holds."""
    names = model.column_names
    frame = as_polars(X, model.feature_names, names).select(names)
    if frame.is_empty():
        raise ValueError("X: got 0 rows, expected at least one")
    count = min(most[1], frame.height)
    frame = frame[np.linspace(0, frame.height - 1, count).round().astype(int).tolist()]
    asked = frame if model.feature_names is not None else frame.to_numpy()
    parts = contributions(model, asked, n_jobs).get_columns()[-len(names) - 1 : -1]
    values = np.array([part.to_numpy() for part in parts]).reshape(len(names), count, -1)
    sizes = np.abs(values).mean(axis=1).sum(axis=1)
    order = [int(at) for at in np.argsort(-sizes, kind="stable") if sizes[at] > 0]
    shown = order[: most[0]] or [0]
    return {
        "columns": [names[at] for at in shown],
        "values": values[shown],
        "ranks": np.array([_ranks(frame[names[at]], model.features[at]) for at in shown]),
        "labels": [label_text(label) for label in model.labels],
        "left_out": max(0, len(order) - len(shown)),
        "name": canvas.title_of(model),
    }


def _ranks(column: pl.Series, feature: Any) -> Floats:
    """Return where values are among those of their column, from 0 to 1; NaN for categories."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
    if feature.categories is not None or column.null_count() == len(column):
        return np.full(len(column), np.nan)
    found = column.rank("average").cast(pl.Float64).to_numpy().astype(np.float64)
    low, high = float(np.nanmin(found)), float(np.nanmax(found))
    return np.asarray((found - low) / (high - low) if high > low else found * 0.0 + 0.5)


def _spread(values: Floats) -> Floats:
    """Return how far dots are moved up or down so that they do not hide each other."""
    low, high = float(values.min()), float(values.max())
    places = np.zeros(len(values), dtype=np.intp)
    if high > low:
        places = ((values - low) / (high - low) * (_PLACES - 1)).astype(np.intp)
    counts = np.bincount(places)
    order = np.argsort(places, kind="stable")
    rank = np.empty(len(values))
    rank[order] = np.arange(len(values)) - (np.cumsum(counts) - counts)[places[order]]
    # To and fro from the middle: 0, 1, −1, 2, −2, …
    steps = np.where(rank % 2 == 1, (rank + 1) / 2, -rank / 2)
    return np.asarray(steps * 0.8 / max(8.0, float(counts.max())))
