"""The columns that a model looks at, and what it tells apart in them.

In: the core's descriptions of columns and of tests. Out: for every column codes of its values, as
few as the tests need, and for every test the codes that pass it. The last code is that of missing
values; an unseen category is missing as well. Numbers have the code of their place between cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._reading.schema import Feature

#: By code: whether it is one of them.
Codes = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Test:
    """A question about one column, answered with yes for some codes."""

    column: int
    codes: Codes


@dataclass(frozen=True)
class Column:
    """A column and its codes.

    Attributes:
        name: its name (`x3` for the fourth column of an array).
        kind: what its values mean; see `Literal`.
        cuts: code c is for numbers above `cuts[c − 1]` and at most `cuts[c]`; None for categories.
        categories: those of each code; None for numbers. Categories that are treated as if they
            were missing are left out.
    """

    name: str
    kind: str
    cuts: tuple[float, ...] | None
    categories: tuple[tuple[str, ...], ...] | None

    @property
    def missing(self) -> int:
        """The code of missing values, which is the last one."""
        return len(self.categories) if self.categories is not None else len(self.cuts or ()) + 1


class FittedColumn:
    """A column as fit has left it, with more codes than the model may need."""

    def __init__(self, feature: Feature) -> None:
        self.name = feature.name
        self.kind = feature.kind
        self.cuts = feature.cuts
        self.categories = feature.categories
        self.missing = len(self.cuts) + 1 if self.categories is None else len(self.categories)
        named = enumerate(self.categories or ())
        self._code_of = {name: code for code, names in named for name in names}

    def at_most(self, threshold: float | None) -> Codes:
        """Return the codes of numbers up to a threshold, or of all numbers."""
        last = self.missing if threshold is None else np.searchsorted(self.cuts, threshold) + 1
        return np.arange(self.missing + 1) < last

    def one_of(self, categories: Iterable[str]) -> Codes:
        """Return the codes of categories."""
        codes = np.zeros(self.missing + 1, dtype=np.bool_)
        codes[[self._code_of[name] for name in categories]] = True
        return codes

    def inside(
        self,
        threshold: float | None,
        categories: Sequence[str] | None,
        missing_inside: bool,
    ) -> Codes:
        """Return the codes inside a split."""
        codes = self.at_most(threshold) if categories is None else self.one_of(categories)
        codes[self.missing] = missing_inside
        return codes

    def literal(self, test: str, threshold: float | None, names: Sequence[str] | None) -> Codes:
        """Return the codes for which a literal holds."""
        present = self.at_most(None) if self.categories is None else self.one_of(self._code_of)
        if threshold is not None:
            below = self.at_most(threshold)
            return below if test == "at_most" else present & ~below
        if names is not None:
            listed = self.one_of(names)
            return listed if test == "is" else present & ~listed
        return present if test == "present" else ~present

    def merge(self, asked: Sequence[Codes]) -> tuple[Column, NDArray[np.intp]]:
        """Return the column with one code for all codes that no test tells apart.

        Also for each code that remains one of those that it stands for.
        """
        # Which tests each code passes, and the first code that passes the same.
        passed = np.packbits(np.stack(asked, axis=1), axis=1)
        _, first, alike = np.unique(passed, axis=0, return_index=True, return_inverse=True)
        first_alike = first[alike.ravel()]
        if self.categories is None:
            # Numbers ask only for what is below a cut, so that codes alike are neighbours; missing
            # values stay by themselves.
            kept = np.flatnonzero(np.diff(first_alike[:-1]) != 0)
            column = Column(self.name, self.kind, tuple(self.cuts[kept].tolist()), None)
            return column, np.concatenate([kept, [self.missing - 1, self.missing]])
        gathered: dict[int, list[str]] = {}
        for code, names in enumerate(self.categories):
            if first_alike[code] != first_alike[self.missing]:
                gathered.setdefault(int(first_alike[code]), []).extend(names)
        column = Column(self.name, self.kind, None, tuple(map(tuple, gathered.values())))
        return column, np.array([*gathered, self.missing], dtype=np.intp)


def tests_of(found: Mapping[str, Any], columns: Sequence[FittedColumn]) -> list[Test]:
    """Return the tests of a hypothesis: one for a stump, all literals, or one for each split."""
    if found["kind"] == "rule":
        return [
            Test(at, columns[at].literal(one["test"], one["threshold"], one["categories"]))
            for one in found["literals"]
            for at in (one["column"],)
        ]
    fields = [found[name] for name in ("column", "threshold", "categories", "missing_inside")]
    splits = [tuple(fields)] if found["kind"] == "stump" else zip(*fields, strict=True)
    return [Test(at, columns[at].inside(*asked)) for at, *asked in splits]
