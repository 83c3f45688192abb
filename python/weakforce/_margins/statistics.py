"""Margins in a few numbers.

In: a fitted booster and rows. Out: a frame with a line for each statistic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .._estimator.checks import checked_booster
from .._fitting.labels import Floats
from .._fitting.rows import Rows
from .rows import MarginRows, checked_kind

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

_QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)

#: How far above the smallest margin a row may be and still count as one on the margin step.
_STEP = 0.01


def margin_statistics(
    model: Any, X: Any, y: Any, *, kind: str | None = None, sample_weight: Any = None
) -> pl.DataFrame:
    """Return the margins of rows in a few numbers.

    Parameters:
        model: a fitted booster.
        X: the rows.
        y: their labels, or the name of the column of X that holds them.
        kind: the kind of margin, as for `margin_curve`; None means the one for which the booster's
            paper proves something.
        sample_weight: a weight ≥ 0 for each row; None weighs all rows the same.

    Returns:
        A frame with the columns statistic and value (null where it does not apply):

        - rows: the number of rows with a margin and a weight above 0, to which all the rest refers.
        - smallest, mean, largest: of the margins.
        - quantile_0.05, … quantile_0.95: the smallest margin that at least such a share of the
          weight does not exceed.
        - share_of_errors: the share of the weight with a margin below 0.
        - smallest_edge: of all rounds. Whatever the weights of the hypotheses, the smallest
          normalized margin cannot exceed it, provided that the learner found the best hypothesis in
          that round. Only for normalized margins of two classes, and boosters whose scores are sums
          of answers in the same units as their edges.
        - share_below_smallest_edge: the share of the weight with margins below that. At the
          equilibrium of booster and learner no row is below, and those with a weight are on it.
        - margin_in_limit: what all margins are proved to reach in the end if no error of a round is
          larger than those up to now (corollary 4 of Rätsch et al. 2001, ATA with a learning rate
          of 1).
        - rows_on_step, share_on_step: support patterns by their margins, which are at most 0.01
          above the smallest one: their number and their share of the weight.
        - rows_with_dual, share_with_dual: support patterns of a program, whose duals are not zero
          in any of its problems; only for models with `duals_`, on the rows of fit.

    Examples:
        >>> from weakforce import QPAdaBoostClassifier, datasets, margin_statistics
        >>> X, y = datasets.make_xd6(500, noise=0.2, seed=1)
        >>> model = QPAdaBoostClassifier(n_estimators=100).fit(X, y)
        >>> value = dict(margin_statistics(model, X, y).rows())
        >>> bool(value["smallest"] < value["quantile_0.25"] < value["largest"])
        True
        >>> int(value["rows_with_dual"]) == model.n_support_
        True
    """
    booster = checked_booster(model)
    fitted = booster.fitted_model_
    kind = checked_kind(fitted.theory, kind)
    rows = MarginRows.read(fitted, Rows(X, y, sample_weight), booster.n_jobs)
    return statistics(fitted, rows, kind, getattr(booster, "duals_", None))


def statistics(
    model: FittedModel, rows: MarginRows, kind: str, duals: Floats | None = None
) -> pl.DataFrame:
    """Return the margins of rows in a few numbers; `duals` are those of a program, if there is one.

    See `margin_statistics`.
    """
    ((_, leads),) = rows.leads_after(model, [model.n_rounds])
    margins = model.margins(leads, kind)
    counted = np.isfinite(margins) & (rows.weights > 0)
    if not counted.any():
        raise ValueError("y: none of the rows that weigh anything has a margin, expected some")
    weights = rows.weights[counted] / rows.weights[counted].sum()
    found: dict[str, float | None] = {
        **_of_margins(margins[counted], weights),
        **_of_edges(model, kind, margins[counted], weights),
        **_of_support(duals, margins, counted, rows.weights),
    }
    table = {"statistic": list(found), "value": list(found.values())}
    return pl.DataFrame(table, schema={"statistic": pl.String, "value": pl.Float64})


def _of_margins(margins: Floats, weights: Floats) -> dict[str, float | None]:
    order = np.argsort(margins, kind="stable")
    shares = np.cumsum(weights[order])
    # A share that is missed by a rounding error only counts as reached.
    places = np.searchsorted(shares, np.array(_QUANTILES) - 1e-12).clip(max=len(order) - 1)
    quantiles = margins[order][places]
    return {
        "rows": len(margins),
        "smallest": float(margins.min()),
        "mean": float(weights @ margins),
        "largest": float(margins.max()),
        **{f"quantile_{at}": float(q) for at, q in zip(_QUANTILES, quantiles, strict=True)},
        "share_of_errors": float(weights[margins < 0].sum()),
    }


def _of_edges(
    model: FittedModel, kind: str, margins: Floats, weights: Floats
) -> dict[str, float | None]:
    theory = model.theory
    comparable = kind == "normalized" and theory.edges_bound_margins and model.n_classes == 2
    edge = float(model.edges.min()) if comparable and model.n_rounds else None
    below = None if edge is None else float(weights[margins < edge].sum())
    limit = theory.limit_margin(model) if kind == "normalized" else None
    return {
        "smallest_edge": edge,
        "share_below_smallest_edge": below,
        "margin_in_limit": limit,
    }


def _of_support(
    duals: Floats | None, margins: Floats, counted: Any, weights: Floats
) -> dict[str, float | None]:
    total = weights[counted].sum()
    on_step = counted & (margins <= margins[counted].min() + _STEP)
    found: dict[str, float | None] = {
        "rows_on_step": int(on_step.sum()),
        "share_on_step": float(weights[on_step].sum() / total),
        "rows_with_dual": None,
        "share_with_dual": None,
    }
    if duals is not None and len(duals) == len(margins):
        support = counted & (duals.reshape(len(margins), -1) != 0).any(axis=1)
        found["rows_with_dual"] = int(support.sum())
        found["share_with_dual"] = float(weights[support].sum() / total)
    return found
