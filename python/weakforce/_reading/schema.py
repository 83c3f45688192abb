"""The schema of a model: the columns of data that it was fitted to.

In: the core's descriptions of columns. Out: a `Feature` for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._fitting.labels import Floats


@dataclass(frozen=True, eq=False)
class Feature:
    """A column of data as fit saw it.

    Attributes:
        name: its name (`x3` for the fourth column of an array).
        kind: what its values mean; see `Literal`.
        cuts: where its bins end; none for categories.
        categories: those of each bin; None for numbers.
        rows: the training rows by bin, missing values last; None if no hypothesis tests it.
    """

    name: str
    kind: str
    cuts: Floats
    categories: list[list[str]] | None
    rows: Any

    @classmethod
    def from_core(cls, description: Mapping[str, Any]) -> Feature:
        """Read the core's description."""
        return cls(*(description[name] for name in ("name", "kind", "cuts", "categories", "rows")))
