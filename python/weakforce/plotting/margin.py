"""Margin curves: which share of the rows has a margin of at most θ.

In: the frames of `margin_curve` and `bayes_margin_curve`. Out: a picture with a line for each
round, its bound dashed, and Bayes' rule in black.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .._estimator.checks import checked_booster
from .._fitting.rows import Rows
from .._margins.curves import Places, curve_of
from ..datasets.bayes_curve import bayes_margin_curve
from ..plotting import canvas

if TYPE_CHECKING:
    from typing_extensions import Self

_AXIS_NAMES = {
    "normalized": "margin θ (normalized: lead over the largest one of votes)",
    "logistic": "margin θ (logistic: tanh of a quarter of the lead)",
    "symmetric": "margin θ (symmetric: y H / |V|)",
}


#: The most rounds that a legend names.
_MOST_NAMED = 8


class MarginDisplay:
    """Margin curves by round, with the bounds that are proved of training rows.

    Parameters:
        curve: a frame of `margin_curve`.
        kind: the kind of its margins, which names the axis.
        bayes: a frame of `bayes_margin_curve`, or None.
        name: a title, or None.

    Attributes:
        ax_: the axes; `figure_` their figure.
        lines_: the curve of each round.
        bound_lines_: the bounds, for rounds that have one.
        bayes_line_: the curve of Bayes' rule, or None.

    Examples:
        >>> from weakforce import AdaBoostRClassifier, MarginDisplay, Rule, datasets
        >>> domain = datasets.make_xd6(300, noise=0.2, seed=1)
        >>> model = AdaBoostRClassifier(Rule(), n_estimators=50).fit(*domain)
        >>> display = MarginDisplay.from_estimator(model, *domain, rounds=[5, 50], bayes=domain)
        >>> [line.get_label() for line in display.lines_]
        ['after 5 rounds', 'after 50 rounds']
        >>> display.figure_.savefig("margins.png")  # doctest: +SKIP
    """

    def __init__(
        self,
        curve: pl.DataFrame,
        *,
        kind: str = "normalized",
        bayes: pl.DataFrame | None = None,
        name: str | None = None,
    ) -> None:
        self.curve = curve
        self.kind = kind
        self.bayes = bayes
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        kind: str | None = None,
        rounds: Any = None,
        theta: Any = None,
        sample_weight: Any = None,
        bayes: Any = None,
        bound: bool = True,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Compute margin curves and draw them.

        Parameters:
            model: a fitted booster.
            X: the rows.
            y: their labels, or the name of the column of X that holds them.
            kind: the kind of margin, as for `margin_curve`; None means "logistic" beside Bayes'
                rule, otherwise the kind for which the booster's paper proves a bound.
            rounds: the rounds to look at, from 1; None means the last one.
            theta: where to look, as for `margin_curve`.
            sample_weight: a weight ≥ 0 for each row.
            bayes: the simulated `Domain` that the rows are from, to see what Bayes' rule can do.
            bound: whether bounds are drawn where there are some.
            name: a title; None means that of the booster.
            ax: axes to draw on; None makes new ones.

        Returns:
            The display.
        """
        booster = checked_booster(model)
        fitted = booster.fitted_model_
        asked = "logistic" if kind is None and bayes is not None else kind
        places = Places.checked(fitted, asked, rounds, theta)
        shares = curve_of(booster, Rows(X, y, sample_weight), places)
        best = None if bayes is None else bayes_margin_curve(bayes, kind=places.kind)
        display = cls(shares, kind=places.kind, bayes=best, name=name or canvas.title_of(fitted))
        return display.plot(ax, bound=bound)

    def plot(self, ax: Any = None, *, bound: bool = True) -> Self:
        """Draw the curves.

        Parameters:
            ax: axes to draw on; None makes new ones.
            bound: whether bounds are drawn where there are some.

        Returns:
            The display.
        """
        self.ax_ = canvas.own_axes(ax, (6.4, 4.4))
        self.figure_ = self.ax_.figure
        self.lines_: list[Any] = []
        self.bound_lines_: list[Any] = []
        self.bayes_line_: Any = None
        canvas.clear_frame(self.ax_)
        self.ax_.axvline(0.0, color=canvas.QUIET, linewidth=1.0)
        # The lines of a round are one below the other: no query, which a forked process cannot ask.
        _, starts = np.unique(self.curve["round"].to_numpy(), return_index=True)
        starts = np.sort(starts).tolist()
        ends = [*starts[1:], self.curve.height]
        looks = canvas.ordered_looks(len(starts))
        for start, end, look in zip(starts, ends, looks, strict=True):
            self._draw_round(self.curve[start:end], look, bound)
        handles = [*_some_of(self.lines_), *self.bound_lines_[:1]]
        if self.bayes is not None:
            (self.bayes_line_,) = self.ax_.step(
                self.bayes["theta"],
                self.bayes["share"],
                where="post",
                color="black",
                linewidth=1.2,
                label="Bayes’ rule",
            )
            handles.append(self.bayes_line_)
        self._name_axes(handles)
        return self

    def _draw_round(self, part: pl.DataFrame, look: dict[str, Any], bound: bool) -> None:
        n_rounds = part["round"][0]
        label = f"after {n_rounds} round{'s' if n_rounds != 1 else ''}"
        (line,) = self.ax_.step(part["theta"], part["share"], where="post", label=label, **look)
        self.lines_.append(line)
        if bound and part["bound"].null_count() == 0:
            dashed = {**look, "linestyle": (0, (3, 2)), "linewidth": 1.1}
            named = "proved bound (training rows)"
            (line,) = self.ax_.plot(part["theta"], part["bound"], label=named, **dashed)
            self.bound_lines_.append(line)

    def _name_axes(self, handles: list[Any]) -> None:
        theta = self.curve["theta"]
        low, high = min(-1.0, *theta), max(1.0, *theta)
        self.ax_.set(
            xlabel=_AXIS_NAMES.get(self.kind, "margin θ"),
            ylabel="share of rows with margin ≤ θ",
            xlim=(low, high),
            ylim=(-0.02, 1.02),
        )
        canvas.in_percent(self.ax_.yaxis)
        canvas.legend_above(self.ax_, handles)
        if self.name is not None:
            self.ax_.set_title(self.name, loc="left", pad=8 + 14 * (1 + (len(handles) - 1) // 3))


def _some_of(lines: list[Any]) -> list[Any]:
    """Return the lines that a legend names: all, or some of many, in their order."""
    if len(lines) <= _MOST_NAMED:
        return lines
    return [lines[at] for at in np.linspace(0, len(lines) - 1, _MOST_NAMED).round().astype(int)]
