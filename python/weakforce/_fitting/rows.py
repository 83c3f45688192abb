"""Rows with their target as users hand them to fit.

In: X, y, weights, costs and mistrust as they come. Out: the same with the target taken out of X.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import external
from .frames import as_frame, split_column
from .labels import Floats
from .row_samples import RowSample
from .tiled_frames import TiledFrame, tiled

if TYPE_CHECKING:
    from .targets import Target


class Rows(NamedTuple):
    """Rows to learn from, or to watch.

    Attributes:
        X, y, sample_weight, cost, mistrust: as fit got them.
        suffix: what fit appends to the names of those to watch.
        target: what there is to predict, if that is known from more rows than these.
    """

    X: Any
    y: Any
    sample_weight: Any = None
    cost: Any = None
    mistrust: Any = None
    suffix: str = ""
    target: Target | None = None

    def split(self) -> Rows:
        """Take target and weights out of X if they name columns of it; refuse X without y.

        That there is nothing to learn from is found out later, by those who say it best.
        """
        given = {"X": self.X, "y": self.y}
        if self.cost is not None:
            given["cost"] = self.cost
        missing = [name for name, value in given.items() if value is None]
        if self.suffix and missing and len(missing) < len(given):
            present = next(name for name, value in given.items() if value is not None)
            raise ValueError(
                f"{missing[0]}{self.suffix} is None but {present}{self.suffix} is given, expected "
                "both or neither"
            )
        X, y = split_column(tiled(self.X), self.y, f"y{self.suffix}")
        X, weights = split_column(X, self.sample_weight, f"sample_weight{self.suffix}")
        return self._replace(X=X, y=y, sample_weight=weights)

    def as_frame(self) -> Any:
        """Return X as the core reads it."""
        return as_frame(self.X)

    def in_own_container(self) -> Rows:
        """Return rows that can be picked and may be read more than once."""
        self._refuse_tiles()
        return self._replace(X=external.own_container(self.X))

    def lasting(self) -> Rows:
        """Return rows that may be read more than once, in their own container if that allows it."""
        if isinstance(self.X, TiledFrame):
            return self
        return self._replace(X=external.lasting_container(self.X))

    def picked(self, places: NDArray[np.int64]) -> Any:
        """Return the columns of the rows at ascending places."""
        if isinstance(self.X, TiledFrame):
            return self.X.picked(places)
        return external.take_rows(self.in_own_container().X, places)

    def sample(self, weights: Floats | None, n_rows: int, most: int) -> RowSample:
        """Return some of the rows, so many at most, given the weights of all."""
        return RowSample.of(weights, n_rows, most)

    def _refuse_tiles(self) -> None:
        if isinstance(self.X, TiledFrame):
            raise TypeError(
                f"X{self.suffix} is read from files tile by tile, expected rows in memory, such as "
                "pl.read_parquet(...), because rows are picked: so do scikit-learn classifiers as "
                "learners, calibrate= and suspect_labels"
            )
