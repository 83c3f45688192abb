"""The shapes of a stump model: a step function of each column, over the data's density.

In: a fitted model of stumps, and rows. Out: a picture with a panel for each column; numbers as
step lines, categories as bars, missing values apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._estimator.checks import checked_booster
from .._reading.fitted_model import FittedModel
from .._reading.wording import label_text
from ..plotting import canvas
from .column_shapes import ColumnShape, column_shapes
from .shape_panels import draw_categories, draw_numbers, in_view

if TYPE_CHECKING:
    from typing_extensions import Self

#: The panels of a row.
_PER_ROW = 3


class ShapeDisplay:
    """What each column adds to the scores of a stump model.

    The scores of a stump model are sums of step functions of single columns, and these are shown
    whole: nothing is averaged away. A shape is drawn around its mean over the training rows, so
    that it says how much a value adds to the score of a row compared with the mean row, which is
    its Shapley value too.

    Parameters:
        shapes: the columns to show, each with what it adds (see `from_estimator`).
        labels: the names of the classes.
        left_out: the number of further columns that add something.
        name: a title, or None.

    Attributes:
        axes_: the panels, in the order of `shapes`.
        figure_: their figure.

    Examples:
        >>> from weakforce import RealAdaBoostClassifier, ShapeDisplay, datasets
        >>> X, y = datasets.make_banana(300, seed=1)
        >>> model = RealAdaBoostClassifier(n_estimators=30).fit(X, y)
        >>> display = ShapeDisplay.from_estimator(model, X)
        >>> sorted(shape.name for shape in display.shapes)
        ['x1', 'x2']
    """

    def __init__(
        self,
        shapes: Sequence[ColumnShape],
        labels: Sequence[str],
        *,
        left_out: int = 0,
        name: str | None = None,
    ) -> None:
        self.shapes = list(shapes)
        self.labels = list(labels)
        self.left_out = left_out
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        columns: Any = None,
        *,
        max_columns: int = 9,
        zoom: bool = False,
        ax: Any = None,
    ) -> Self:
        """Draw the columns of a model of stumps.

        Parameters:
            model: a fitted booster of `Stump()` whose scores are sums: all but SFBoost and
                MartiBoost.
            X: rows whose values show the range and the density of numbers, such as those of fit.
            columns: names or positions of the columns to show; None means those that add most, in
                the mean over the training rows.
            max_columns: the most columns that are shown then.
            zoom: whether every panel has a scale of its own and leaves out the outermost half per
                cent of the rows at either end; by default all panels share one scale, by which
                they can be compared.
            ax: a list of axes, one for each column; None makes new ones.

        Returns:
            The display. Numbers are step lines, one for each class if there are more than two, over
            a histogram of X; between whole numbers, steps are drawn half-way. Categories are bars,
            sorted by what they add, with the number of training rows. Missing values stand apart.
        """
        booster = checked_booster(model)
        shown = shape_contents(booster.fitted_model_, X, booster.n_jobs, columns, max_columns)
        return cls(**shown).plot(ax, zoom=zoom)

    def plot(self, ax: Any = None, *, zoom: bool = False) -> Self:
        """Draw the columns.

        Parameters:
            ax: a list of axes, one for each column; None makes new ones.
            zoom: whether every panel has a scale of its own, see `from_estimator`.

        Returns:
            The display.
        """
        panels = self._own_grid() if ax is None else canvas.checked_axes(ax, len(self.shapes))
        self.axes_ = np.array(panels, dtype=object)
        self.figure_ = panels[0].figure
        shared = None if zoom else _limits(self.shapes)
        several = len(self.labels) > 2
        meaning = "added to the class’s score" if several else self._meaning()
        looks = canvas.line_looks(len(self.labels) if several else 1)
        for panel, whole in zip(panels, self.shapes, strict=True):
            canvas.clear_frame(panel)
            shape = in_view(whole) if zoom else whole
            limits = shared or _limits([shape])
            if shape.kind == "category":
                draw_categories(panel, shape, looks, limits)
                panel.set_xlabel(meaning)
            else:
                draw_numbers(panel, shape, looks, limits)
                panel.set_ylabel(meaning)
            panel.set_title(canvas.shortened_text(shape.name, 32), loc="left", fontsize="medium")
        if ax is None:
            self._head(looks)
        return self

    def _own_grid(self) -> list[Any]:
        across = min(_PER_ROW, len(self.shapes))
        down = -(-len(self.shapes) // across)
        figure, panels = canvas.matplotlib("pyplot").subplots(
            down,
            across,
            figsize=(max(5.2, 3.5 * across), 0.7 + 2.7 * down),
            layout="constrained",
            squeeze=False,
        )
        for panel in panels.ravel()[len(self.shapes) :]:
            figure.delaxes(panel)
        return list(panels.ravel()[: len(self.shapes)])

    def _meaning(self) -> str:
        """Say for which of two classes the score is."""
        return f"added to the score for {canvas.shortened_text(self.labels[1], 16)}"

    def _head(self, looks: list[dict[str, Any]]) -> None:
        if len(self.labels) > 2:
            line = canvas.matplotlib("lines").Line2D
            handles = [
                line([], [], label=canvas.shortened_text(label, 24), **look)
                for label, look in zip(self.labels, looks, strict=True)
            ]
            self.figure_.legend(
                handles=handles,
                loc="outside lower left",
                ncols=min(5, len(handles)),
                frameon=False,
                fontsize="small",
            )
        words = [] if self.name is None else [self.name]
        if len(self.labels) == 2:
            negative, positive = (canvas.shortened_text(label, 24) for label in self.labels)
            words.append(f"above 0 speaks for {positive}, below for {negative}")
        if self.left_out:
            words.append(f"{self.left_out} more column{'s' if self.left_out > 1 else ''} not shown")
        if words:
            self.figure_.suptitle(" · ".join(words), x=0.01, ha="left", fontsize="medium")


def _limits(shapes: Sequence[ColumnShape]) -> tuple[float, float]:
    """Return a scale for what some columns add, with room at either end."""
    numbers = np.concatenate(
        [
            np.append(shape.contributions, [] if shape.missing is None else shape.missing)
            for shape in shapes
        ]
    )
    low, high = min(0.0, float(numbers.min())), max(0.0, float(numbers.max()))
    pad = 0.08 * ((high - low) or 1.0)
    return low - pad, high + pad


def shape_contents(
    model: FittedModel,
    X: Any,
    n_jobs: int | None,
    columns: Any = None,
    max_columns: int = 9,
) -> dict[str, Any]:
    """Return what a display of a stump model holds; see `ShapeDisplay.from_estimator`."""
    shapes = column_shapes(model, X, n_jobs)
    chosen = _chosen(shapes, columns, max_columns)
    adding = sum(shape.weight > 0 for shape in shapes)
    return {
        "shapes": chosen,
        "labels": [label_text(label) for label in model.labels],
        "left_out": max(0, adding - len(chosen)) if columns is None else 0,
        "name": canvas.title_of(model),
    }


def _chosen(shapes: list[ColumnShape], columns: Any, max_columns: int) -> list[ColumnShape]:
    """Return the columns to show."""
    if columns is None:
        if isinstance(max_columns, bool) or not isinstance(max_columns, int) or max_columns < 1:
            raise ValueError(
                f"parameter 'max_columns': got {max_columns!r}, expected an integer >= 1"
            )
        ranked = sorted(shapes, key=lambda shape: -shape.weight)
        return [shape for shape in ranked[:max_columns] if shape.weight > 0] or ranked[:1]
    entries = [columns] if isinstance(columns, (str, int, np.integer)) else list(columns)
    by_name = {shape.name: shape for shape in shapes}
    chosen = []
    for entry in entries:
        if isinstance(entry, str) and entry in by_name:
            chosen.append(by_name[entry])
        elif isinstance(entry, (int, np.integer)) and 0 <= entry < len(shapes):
            chosen.append(shapes[int(entry)])
        else:
            raise ValueError(
                f"parameter 'columns': got {entry!r}, expected names or positions below "
                f"{len(shapes)}"
            )
    if not chosen:
        raise ValueError("parameter 'columns': got none, expected names or positions")
    return chosen
