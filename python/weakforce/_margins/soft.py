"""Soft margins of the rows of a fit: what is forgiven to a row is added to its margin.

In: what AdaBoost_Reg knows of its rows when a run is over, and margins of rows. Out: soft margins,
or an error if these are other rows, of which no influence is known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._fitting.labels import Floats

#: How far margins may be from those of fit: far more than rounding.
_ROUNDING = 1e-6


class SoftMargins(NamedTuple):
    """The rows of a fit.

    Attributes:
        margins: their normalized margins.
        forgiven: what is added to them, C (μᵖ + ζ).
        took_part: whether a row was learned from; the margins of others are not known.
    """

    margins: Floats
    forgiven: Floats
    took_part: NDArray[np.bool_]

    def of(self, margins: Floats) -> Floats:
        """Return the soft margins of the rows of fit, whose normalized margins are given."""
        if len(margins) != len(self.forgiven):
            raise ValueError(
                f"X: got {len(margins)} rows, expected the {len(self.forgiven)} rows of fit: with "
                "kind='soft' margins need the influence of rows, which others do not have"
            )
        off = np.abs(margins - self.margins) > _ROUNDING
        other = np.flatnonzero(off & self.took_part)
        if len(other):
            row = other[0]
            raise ValueError(
                f"X, y: got rows of which row {row} has the margin {margins[row]:g}, expected "
                f"{self.margins[row]:g} as in fit: with kind='soft' margins need the influence of "
                "rows, which others than those of fit do not have"
            )
        return margins + self.forgiven
