"""Shares of margins that are at most θ, and the places θ at which to look.

In: margins with their weights. Out: shares by place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .._fitting.labels import Floats

#: The most distinct margins of which each has a place of its own beside the grid.
_MOST_JUMPS = 200

#: The points of the grid: steps of 0.01 from −1 to 1.
_GRID_POINTS = 201


def share_up_to(theta: Floats, margins: Floats, weights: Floats) -> Floats:
    """Return the share of the weight whose margins are at most each θ."""
    order = np.argsort(margins, kind="stable")
    shares = np.concatenate([[0.0], np.cumsum(weights[order])])
    # What is added up in another order than the total may miss it by a rounding error.
    shares = np.minimum(shares / shares[-1], 1.0)
    found: Floats = shares[np.searchsorted(margins[order], theta, side="right")]
    return found


def usual_grid(margins: Sequence[Floats]) -> Floats:
    """Return places at even distances that all curves of these margins share."""
    low = min(-1.0, *(float(part.min()) for part in margins))
    high = max(1.0, *(float(part.max()) for part in margins))
    return np.linspace(low, high, _GRID_POINTS)


def with_jumps(grid: Floats, margins: Floats) -> Floats:
    """Add the places where a curve of these margins jumps, unless they are many."""
    jumps = np.unique(margins)
    return np.union1d(grid, jumps) if len(jumps) <= _MOST_JUMPS else grid


def checked_theta(theta: Any) -> Floats:
    try:
        places = np.atleast_1d(np.asarray(theta, dtype=np.float64))
    except (TypeError, ValueError):
        raise TypeError(f"parameter 'theta': got {theta!r}, expected numbers") from None
    if places.ndim != 1 or not len(places) or np.isnan(places).any():
        raise ValueError(f"parameter 'theta': got {theta!r}, expected a list of numbers")
    return places
