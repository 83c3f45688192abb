"""How good the probabilities of a model are: calibration, ROC, precision–recall, and a histogram.

In: a fitted booster and labelled rows. Out: a picture of four panels, with a line for each class of
several, against all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._estimator.checks import checked_booster
from .._fitting.rows import Rows
from .._reading.fitted_model import FittedModel
from .._reading.wording import label_text
from ..plotting import canvas
from .class_probabilities import ClassProbabilities, Curve, class_probabilities, most_frequent

if TYPE_CHECKING:
    from typing_extensions import Self

#: The most classes that have lines.
_MOST_CLASSES = len(canvas.COLOURS)
#: The bars of a histogram.
_BINS = 20
#: The most characters of a class in a legend.
_LONGEST = 16

PANELS = ("calibration", "roc", "precision_recall", "histogram")


class ProbabilityDisplay:
    """Calibration, ROC and precision–recall curves, and a histogram of probabilities.

    Of two classes the curves are those of the second one, the positive class; of several each class
    has a line of its own, against all others.

    Parameters:
        classes: the probabilities of the classes to show (see `from_estimator`).
        negative: the name of the other class if there are two, otherwise None.
        left_out: the number of further classes.
        name: a title, or None.

    Attributes:
        axes_: the panels: calibration, ROC, precision–recall, histogram.
        figure_: their figure.
        lines_: by the name of a panel ("calibration", "roc", "precision_recall") its lines.

    A point of the calibration curve is the share of the class among the rows of a tenth of the
    scale; its size grows with their number, and on the diagonal probabilities are what they say.

    Examples:
        >>> from weakforce import ProbabilityDisplay, RealAdaBoostClassifier, datasets
        >>> model = RealAdaBoostClassifier(n_estimators=30).fit(*datasets.make_xd6(300, seed=1))
        >>> display = ProbabilityDisplay.from_estimator(model, *datasets.make_xd6(300, seed=2))
        >>> display.lines_["roc"][0].get_label()
        '1: area 0.77'
    """

    def __init__(
        self,
        classes: Sequence[ClassProbabilities],
        *,
        negative: str | None = None,
        left_out: int = 0,
        name: str | None = None,
    ) -> None:
        self.classes = list(classes)
        self.negative = negative
        self.left_out = left_out
        self.name = name

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, sample_weight: Any = None, ax: Any = None
    ) -> Self:
        """Draw how good the probabilities of a model are for some rows.

        Parameters:
            model: a fitted booster that gives one label to a row.
            X: the rows, best those that the model has not seen.
            y: their labels, or the name of the column of X that holds them.
            sample_weight: a weight ≥ 0 for each row.
            ax: a list of four axes; None makes new ones.

        Returns:
            The display. Of more than seven classes those with most rows are shown.
        """
        booster = checked_booster(model)
        rows = Rows(X, y, sample_weight)
        return cls(**probability_contents(booster.fitted_model_, rows, booster.n_jobs)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the panels.

        Parameters:
            ax: a list of four axes; None makes new ones.

        Returns:
            The display.
        """
        panels = _own_grid() if ax is None else canvas.checked_axes(ax, len(PANELS))
        self.axes_ = np.array(panels, dtype=object)
        self.figure_ = panels[0].figure
        self.lines_: dict[str, list[Any]] = {name: [] for name in PANELS[:3]}
        looks = canvas.line_looks(len(self.classes))
        for panel in panels:
            canvas.clear_frame(panel)
        self._draw_calibration(panels[0], looks)
        self._draw_roc(panels[1], looks)
        self._draw_precision(panels[2], looks)
        self._draw_histogram(panels[3], looks)
        if ax is None:
            self._head()
        return self

    @property
    def _called(self) -> str:
        """What the class of a line is called on the axes."""
        if self.negative is None:
            return "the class"
        return canvas.shortened_text(self.classes[0].label, _LONGEST)

    def _draw_calibration(self, panel: Any, looks: list[dict[str, Any]]) -> None:
        panel.plot([0, 1], [0, 1], color=canvas.QUIET, linewidth=1.0, zorder=1)
        for each, look in zip(self.classes, looks, strict=True):
            curve, shares = each.calibration()
            label = f"{_short(each)}: off by {curve.value:.3f}"
            (line,) = panel.plot(curve.x, curve.y, linewidth=1.4, label=label, **look)
            panel.scatter(curve.x, curve.y, s=6 + 90 * shares, color=look["color"], linewidth=0)
            self.lines_["calibration"].append(line)
        panel.set(
            xlabel=f"probability of {self._called}", ylabel=f"share of {self._called} in the rows"
        )
        _legend(panel, self.lines_["calibration"], "upper left")

    def _draw_roc(self, panel: Any, looks: list[dict[str, Any]]) -> None:
        panel.plot([0, 1], [0, 1], color=canvas.QUIET, linewidth=1.0, zorder=1)
        for each, look in zip(self.classes, looks, strict=True):
            if each.has_both:
                self._draw_curve(panel, "roc", each.roc(), f"{_short(each)}: area", look)
        panel.set(
            xlabel="share of other rows taken for it", ylabel=f"share of {self._called} found"
        )
        _legend(panel, self.lines_["roc"], "lower right")

    def _draw_precision(self, panel: Any, looks: list[dict[str, Any]]) -> None:
        for each, look in zip(self.classes, looks, strict=True):
            if each.has_both:
                curve, label = each.precision_recall(), f"{_short(each)}: mean"
                self._draw_curve(panel, "precision_recall", curve, label, look)
        if self.negative is not None:
            base = self.classes[0].base_rate()
            panel.axhline(base, color=canvas.QUIET, linewidth=1.0, zorder=1)
        panel.set(
            xlabel=f"recall: share of {self._called} found", ylabel="precision", ylim=(-0.03, 1.03)
        )
        _legend(panel, self.lines_["precision_recall"], "lower left")

    def _draw_curve(
        self, panel: Any, name: str, curve: Curve, label: str, look: dict[str, Any]
    ) -> None:
        text = f"{label} {curve.value:.2f}"
        how = "steps-post" if name == "precision_recall" else "default"
        (line,) = panel.plot(curve.x, curve.y, linewidth=1.4, label=text, drawstyle=how, **look)
        self.lines_[name].append(line)

    def _draw_histogram(self, panel: Any, looks: list[dict[str, Any]]) -> None:
        edges = np.linspace(0.0, 1.0, _BINS + 1)
        if self.negative is not None:
            (own,) = self.classes
            for name, chosen, look in zip(
                (self.negative, own.label),
                (~own.is_own, own.is_own),
                canvas.line_looks(2),
                strict=True,
            ):
                counts, _ = np.histogram(own.shares[chosen], edges, weights=own.weights[chosen])
                label = f"rows of {canvas.shortened_text(name, _LONGEST)}"
                panel.stairs(counts, edges, fill=True, alpha=0.45, color=look["color"], label=label)
            panel.legend(loc="upper center", frameon=False, fontsize="small")
        else:
            for each, look in zip(self.classes, looks, strict=True):
                counts, _ = np.histogram(each.shares, edges, weights=each.weights)
                panel.stairs(counts, edges, linewidth=1.4, **look)
            panel.set_yscale("symlog", linthresh=1)
        panel.set(xlabel=f"probability of {self._called}", ylabel="rows")

    def _head(self) -> None:
        words = [] if self.name is None else [self.name]
        if self.left_out:
            words.append(f"{self.left_out} more class{'es' if self.left_out > 1 else ''} not shown")
        if words:
            self.figure_.suptitle(" · ".join(words), x=0.01, ha="left", fontsize="medium")


def probability_contents(model: FittedModel, rows: Rows, n_jobs: int | None) -> dict[str, Any]:
    """Return what a display of probabilities holds; see `ProbabilityDisplay.from_estimator`."""
    classes = class_probabilities(model, rows, n_jobs)
    shown = most_frequent(classes, _MOST_CLASSES)
    return {
        "classes": shown,
        "negative": label_text(model.labels[0]) if model.n_classes == 2 else None,
        "left_out": len(classes) - len(shown),
        "name": canvas.title_of(model),
    }


def _own_grid() -> list[Any]:
    _, panels = canvas.matplotlib("pyplot").subplots(
        2, 2, figsize=(8.4, 6.6), layout="constrained", squeeze=False
    )
    return list(panels.ravel())


def _short(each: ClassProbabilities) -> str:
    return canvas.shortened_text(each.label, _LONGEST)


def _legend(panel: Any, lines: list[Any], place: str) -> None:
    if lines:
        panel.legend(handles=lines, loc=place, frameon=False, fontsize="small", handlelength=1.4)
