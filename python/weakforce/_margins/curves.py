"""The margin curve of a model: which share of the rows has a margin of at most θ.

In: a fitted booster and rows. Out: a frame with the share by round and θ, beside the upper bound
that is proved of training rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from .._estimator.checks import checked_booster
from .._fitting.labels import Floats
from .._fitting.rows import Rows
from .bounds import bound_on_shares, leads_at
from .rows import MarginRows, checked_kind
from .shares import checked_theta, share_up_to, usual_grid, with_jumps

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

_SCHEMA = {"round": pl.Int64, "theta": pl.Float64, "share": pl.Float64, "bound": pl.Float64}


def margin_curve(
    model: Any,
    X: Any,
    y: Any,
    *,
    kind: str | None = None,
    rounds: Any = None,
    theta: Any = None,
    sample_weight: Any = None,
) -> pl.DataFrame:
    """Return which share of the rows has a margin of at most θ, after one or several rounds.

    Margins say how right the labels are according to the model, see `BoostingClassifier.margins`;
    those of round t look at the first t rounds only, and are normalised by their weights. At θ = 0
    the curve passes the share of errors; the farther right it rises, the surer the model is.

    Parameters:
        model: a fitted booster.
        X: the rows.
        y: their labels, or the name of the column of X that holds them.
        kind: the kind of margin: "normalized", "logistic", "symmetric" for SFBoost, or "soft" for
            AdaBoost_Reg, of which only the rows of fit have margins, after the last round. None
            means the kind for which the booster's paper proves a bound: "logistic" for AdaBoost_R,
            "symmetric" for SFBoost, otherwise "normalized".
        rounds: the rounds to look at, from 1; None means the last one. The curves of boosters that
            give earlier hypotheses new weights are those of the first t under the final weights.
        theta: where to look; None means 201 places at even distances from −1 (or the smallest
            margin) to 1 (or the largest one), and all places where a curve jumps, if these are no
            more than 200.
        sample_weight: a weight ≥ 0 for each row; None weighs all rows the same.

    Returns:
        A frame with the columns round, theta, share (Σ u I[margin ≤ θ] with weights u that sum to
        1) and bound: what share is proved to be at most, null where nothing is. Bounds are proved
        of the rows and weights of fit (`class_weight` is none of these), for two classes under
        discrete AdaBoost and ATA, arc-gv, SAMME, M1, AdaBoost_R and SFBoost, for any number of
        classes under MH and M2. They stand on the exponential loss, which is checked: rows with a
        larger loss than the theorem allows are not those of fit, and have no bound.

    Examples:
        >>> from weakforce import DiscreteAdaBoostClassifier, datasets, margin_curve
        >>> X, y = datasets.make_xd6(500, noise=0.0, seed=1)
        >>> model = DiscreteAdaBoostClassifier(n_estimators=100).fit(X, y)
        >>> curve = margin_curve(model, X, y, rounds=[10, 100], theta=[-0.5, 0.0, 0.5])
        >>> curve.columns, curve["round"].to_list()
        (['round', 'theta', 'share', 'bound'], [10, 10, 10, 100, 100, 100])
        >>> bool((curve["share"] <= curve["bound"]).all())
        True
    """
    booster = checked_booster(model)
    places = Places.checked(booster.fitted_model_, kind, rounds, theta)
    return curve_of(booster, Rows(X, y, sample_weight), places)


class Places(NamedTuple):
    """Where to look at margins: of which kind, after which rounds and at which θ."""

    kind: str
    rounds: list[int]
    theta: Floats | None

    @classmethod
    def checked(cls, model: FittedModel, kind: str | None, rounds: Any, theta: Any) -> Places:
        """Return what a user asks for; see `margin_curve`."""
        numbers = _checked_rounds(rounds, model.n_rounds)
        if kind is not None and kind in model.theory.kinds_of_fit:
            chosen = kind
            if numbers != [model.n_rounds]:
                raise ValueError(
                    f"parameter 'rounds': got {rounds!r}, expected None or {model.n_rounds}: "
                    f"margins of kind {kind!r} are known after the last round"
                )
        else:
            chosen = checked_kind(model.theory, kind)
        return cls(chosen, numbers, None if theta is None else checked_theta(theta))


def curve_of(booster: Any, rows: Rows, places: Places) -> pl.DataFrame:
    """Return which share of the rows has a margin of at most θ; see `margin_curve`."""
    model: FittedModel = booster.fitted_model_
    if places.kind not in model.theory.kinds_of_fit:
        return curve(model, rows, places, booster.n_jobs)
    margins = booster.margins(rows.X, rows.y, places.kind)
    read = MarginRows.read(model, rows, booster.n_jobs)
    stage = _Stage(model.n_rounds, *read.with_margins(margins), loss=np.nan)
    return _frame([stage], places.theta, lambda *_: None)


def curve(model: FittedModel, rows: Rows, places: Places, n_jobs: int | None) -> pl.DataFrame:
    """Return the same of a model alone, which knows nothing of the rows of fit."""
    read = MarginRows.read(model, rows, n_jobs)
    stages = [
        _Stage.of(model, read, places.kind, n_rounds, leads)
        for n_rounds, leads in read.leads_after(model, places.rounds)
    ]
    proved = model.loss_bounds()

    def bound(stage: _Stage, theta: Floats) -> Floats | None:
        return None if proved is None else stage.bound(model, places.kind, theta, proved)

    return _frame(stages, places.theta, bound)


def _frame(
    stages: list[_Stage],
    given: Floats | None,
    bound: Callable[[_Stage, Floats], Floats | None],
) -> pl.DataFrame:
    """Return the curves after some rounds, at the given places or the usual ones."""
    grid = usual_grid([stage.margins for stage in stages])
    parts = []
    for stage in stages:
        theta = with_jumps(grid, stage.margins) if given is None else given
        share = share_up_to(theta, stage.margins, stage.weights)
        parts.append((np.full(len(theta), stage.n_rounds), theta, share, bound(stage, theta)))
    rounds, thetas, shares, bounds = zip(*parts, strict=True)
    n_lines = sum(map(len, thetas))
    columns = {
        "round": np.concatenate(rounds),
        "theta": np.concatenate(thetas),
        "share": np.concatenate(shares),
        "bound": [None] * n_lines if bounds[0] is None else np.concatenate(bounds),
    }
    return pl.DataFrame(columns, schema=_SCHEMA)


class _Stage(NamedTuple):
    """Rows after some rounds: their margins, weights and exponential loss."""

    n_rounds: int
    margins: Floats
    weights: Floats
    loss: float

    @classmethod
    def of(
        cls, model: FittedModel, rows: MarginRows, kind: str, n_rounds: int, leads: Floats
    ) -> _Stage:
        margins, weights = rows.with_margins(model.margins(leads, kind, n_rounds))
        return cls(n_rounds, margins, weights, _exponential_loss(*rows.with_margins(leads)))

    def bound(self, model: FittedModel, kind: str, theta: Floats, proved: Floats) -> Floats | None:
        reached = leads_at(model, kind, self.n_rounds, theta)
        return bound_on_shares(reached, float(proved[self.n_rounds]), self.loss)


def _exponential_loss(leads: Floats, weights: Floats) -> float:
    with np.errstate(over="ignore"):
        return float(weights @ np.exp(-leads / 2))


def _checked_rounds(rounds: Any, n_rounds: int) -> list[int]:
    if rounds is None:
        return [n_rounds]
    entries = [rounds] if isinstance(rounds, (int, np.integer)) else list(rounds)
    expected = f"numbers of rounds from 1 to {n_rounds}, of which there are {n_rounds}"
    for entry in entries:
        if isinstance(entry, bool) or not isinstance(entry, (int, np.integer)):
            raise TypeError(f"parameter 'rounds': got {entry!r}, expected {expected}")
        if not 1 <= entry <= n_rounds:
            raise ValueError(f"parameter 'rounds': got {entry!r}, expected {expected}")
    if not entries:
        raise ValueError(f"parameter 'rounds': got none, expected {expected}")
    return sorted({int(entry) for entry in entries})
