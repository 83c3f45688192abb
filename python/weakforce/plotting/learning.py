"""What happened round by round: error, edge and, where one is minimised, expected cost.

In: the numbers of a fitted model. Out: a picture with one panel for each of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._estimator.checks import checked_booster
from .._fitting.labels import Floats
from .._reading.fitted_model import FittedModel
from ..plotting import canvas

if TYPE_CHECKING:
    from typing_extensions import Self

_TRAINING, _VALIDATION = canvas.COLOURS[0], canvas.COLOURS[1]


class LearningDisplay:
    """Error, edge and expected cost by round, for training and validation rows.

    Parameters:
        train_error: the share of training weight that is classified wrong, by round.
        edge: the edges by round, or by round and problem.
        validation_error: the same as `train_error` for validation rows, or None.
        bound: what is proved that `train_error` does not exceed, or None.
        cost: the expected cost of the training rows, or None.
        validation_cost: that of validation rows, or None.
        name: a title, or None.

    Attributes:
        axes_: the panels: error, edge, and cost if there is one.
        figure_: their figure.
        lines_: the lines by name: "train_error", "validation_error", "bound", "edge", "cost",
            "validation_cost".

    Examples:
        >>> from weakforce import DiscreteAdaBoostClassifier, LearningDisplay, datasets
        >>> model = DiscreteAdaBoostClassifier(n_estimators=30)
        >>> model = model.fit(*datasets.make_xd6(300, seed=1))
        >>> X_val, y_val = datasets.make_xd6(300, seed=2)
        >>> display = LearningDisplay.from_estimator(model, X_val, y_val)
        >>> sorted(display.lines_)
        ['bound', 'edge', 'train_error', 'validation_error']
    """

    def __init__(
        self,
        train_error: Floats,
        edge: Floats,
        *,
        validation_error: Floats | None = None,
        bound: Floats | None = None,
        cost: Floats | None = None,
        validation_cost: Floats | None = None,
        name: str | None = None,
    ) -> None:
        self.train_error = train_error
        self.edge = edge
        self.validation_error = validation_error
        self.bound = bound
        self.cost = cost
        self.validation_cost = validation_cost
        self.name = name

    @classmethod
    def from_estimator(
        cls, model: Any, X_val: Any = None, y_val: Any = None, *, ax: Any = None
    ) -> Self:
        """Draw what a model tells of its rounds.

        Parameters:
            model: a fitted booster.
            X_val: rows that the model has not seen, to show their error; None shows that of the
                validation rows of fit, if there were some.
            y_val: their labels, or the name of the column of X_val that holds them.
            ax: a list of axes, two, or three for boosters with an expected cost; None makes new
                ones.

        Returns:
            The display. The bound on the training error is Π 2√(ε(1−ε)) for discrete AdaBoost,
            Π √(1−μ²) for AdaBoost_R, Π Z for SFBoost; `margin_curve` says for whom it is proved.
            Of a grid, the edge of a layer is the mean over its nodes by their mass.
        """
        booster = checked_booster(model)
        shown = learning_contents(booster.fitted_model_, X_val, y_val, booster.n_jobs)
        return cls(**shown).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the panels.

        Parameters:
            ax: a list of axes, one for each panel; None makes new ones.

        Returns:
            The display.
        """
        count = 2 if self.cost is None else 3
        panels = canvas.own_panels(ax, count, (6.4, 1.2 + 2.1 * count))
        self.axes_ = np.array(panels, dtype=object)
        self.figure_ = panels[0].figure
        self.lines_: dict[str, Any] = {}
        for panel in panels:
            canvas.clear_frame(panel)
        self._draw_errors(panels[0])
        self._draw_edges(panels[1])
        if self.cost is not None:
            self._draw(panels[2], "cost", "training", color=_TRAINING)
            self._draw(panels[2], "validation_cost", "validation", color=_VALIDATION)
            panels[2].set_ylabel("expected cost")
        panels[-1].set_xlabel("round")
        beyond = 0.015 * (len(self.train_error) - 1) or 0.5  # so that marks at the ends are whole
        panels[-1].set_xlim(1 - beyond, len(self.train_error) + beyond)
        panels[-1].xaxis.get_major_locator().set_params(integer=True)
        return self

    def _draw(self, panel: Any, name: str, label: str, **look: Any) -> None:
        numbers = getattr(self, name)
        if numbers is None:
            return
        rounds = np.arange(1, len(numbers) + 1)
        look = {"linewidth": 1.6, **canvas.round_marker(len(numbers)), **look}
        (self.lines_[name],) = panel.plot(rounds, numbers, label=label, **look)

    def _draw_errors(self, panel: Any) -> None:
        self._draw(panel, "train_error", "training error", color=_TRAINING)
        self._draw(panel, "validation_error", "validation error", color=_VALIDATION)
        bounded = {"linestyle": (0, (3, 2)), "linewidth": 1.1, "marker": ""}
        self._draw(panel, "bound", "proved bound on training error", color=_TRAINING, **bounded)
        panel.set_ylabel("share of wrong answers")
        panel.set_ylim(bottom=0.0)
        canvas.in_percent(panel.yaxis)
        canvas.legend_above(panel, list(self.lines_.values()))
        if self.name is not None:
            panel.set_title(self.name, loc="left", pad=22)

    def _draw_edges(self, panel: Any) -> None:
        """Draw the edges; of several problems their mean, with the range behind it."""
        by_problem = self.edge.reshape(len(self.edge), -1)
        rounds, color = np.arange(1, len(by_problem) + 1), canvas.COLOURS[2]
        look = {"color": color, "linewidth": 1.4, **canvas.round_marker(len(rounds))}
        n_problems = by_problem.shape[1]
        if n_problems > 1:
            low, high = by_problem.min(axis=1), by_problem.max(axis=1)
            panel.fill_between(rounds, low, high, color=color, alpha=0.2, linewidth=0)
        (self.lines_["edge"],) = panel.plot(rounds, by_problem.mean(axis=1), **look)
        panel.set_ylabel(
            "edge" if n_problems == 1 else f"edge: mean and range\nof {n_problems} problems"
        )
        panel.axhline(0.0, color=canvas.QUIET, linewidth=1.0, zorder=1)


def learning_contents(
    model: FittedModel, X_val: Any, y_val: Any, n_jobs: int | None
) -> dict[str, Any]:
    """Return what a display of rounds holds; see `LearningDisplay.from_estimator`."""
    if model.n_rounds == 0:
        raise ValueError("parameter 'model': got one without rounds, expected at least one")
    if (X_val is None) != (y_val is None):
        missing, given = ("y_val", "X_val") if y_val is None else ("X_val", "y_val")
        raise ValueError(f"{missing} is None but {given} is given, expected both or neither")
    proved = model.loss_bounds()
    scores = model.validation_scores
    if X_val is not None:
        X, truth = model.read(X_val, y_val)
        stages = model.staged_decision_function(X, n_jobs)
        # Errors by round are those of the scores, as in training: calibrations are for the end.
        plain = replace(model, calibration=None, costs=None)
        scores = np.array([plain.accuracy(stage, truth) for stage in stages])
    return {
        "train_error": 1.0 - model.train_scores,
        "edge": _edges_by_round(model),
        "validation_error": _some(1.0 - scores),
        "bound": None if proved is None else np.minimum(proved[1:], 1.0),
        "cost": _some(model.expected_costs),
        "validation_cost": _some(model.validation_costs),
        "name": canvas.title_of(model),
    }


def _edges_by_round(model: FittedModel) -> Floats:
    """Return the edges by round, or by round and problem."""
    if not model.has_grid:
        return model.edges
    masses = model.node_masses
    return np.asarray((masses * model.edges).sum(axis=-1) / masses.sum(axis=-1))


def _some(numbers: Floats) -> Floats | None:
    """Return numbers if there are any."""
    return numbers if len(numbers) else None
