"""Sums of row weights by class that do not depend on the order of the rows.

In: the class and the weight of each row. Out: sums that are exact, so that those of several parts
of the rows add up to those of all, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .label_codes import Codes

#: Rows whose halves of mantissas are added up at once, exactly, in doubles: 2²⁷ · 2²⁶ = 2⁵³.
_BLOCK = 1 << 26

#: Digits of a mantissa, and of its lower half.
_DIGITS, _LOWER = 53, 27


@dataclass(frozen=True)
class ExactTotals:
    """The sum of the weights of each class, as multiples of 2 to the power `exponent`."""

    counts: tuple[int, ...]
    exponent: int

    @classmethod
    def of(cls, codes: Codes, weights: NDArray[np.float64] | None, n_classes: int) -> ExactTotals:
        """Return the sums of weights; the numbers of rows where none or not all are numbers."""
        if weights is None or not np.isfinite(weights).all():
            return cls(tuple(np.bincount(codes, minlength=n_classes).tolist()), 0)
        mantissas, exponents = np.frexp(weights)
        lowest = int(exponents.min(initial=0))
        whole = np.ldexp(mantissas, _DIGITS).astype(np.int64)
        n_powers = int(exponents.max(initial=0)) - lowest + 1
        places = codes.astype(np.int64) * n_powers + (exponents - lowest)
        sums = [0] * n_classes
        halves = ((whole >> _LOWER, _LOWER), (whole & ((1 << _LOWER) - 1), 0))
        for first in range(0, len(weights), _BLOCK):
            block = slice(first, first + _BLOCK)
            for half, shift in halves:
                found = np.bincount(places[block], weights=half[block])
                for place in np.flatnonzero(found).tolist():
                    code, power = divmod(place, n_powers)
                    sums[code] += int(found[place]) << (shift + power)
        return cls(tuple(sums), lowest - _DIGITS)

    @classmethod
    def sum(cls, parts: Iterable[ExactTotals]) -> ExactTotals:
        """Return the sums of all parts of the rows."""
        listed = list(parts)
        exponent = min(part.exponent for part in listed)
        shifted = (
            [count << (part.exponent - exponent) for count in part.counts] for part in listed
        )
        return cls(tuple(map(sum, zip(*shifted, strict=True))), exponent)

    def over(self, largest: float) -> NDArray[np.float64]:
        """Return the sums over the largest weight, or as they are if that is none."""
        unit = Fraction(2) ** self.exponent
        if 0.0 < largest < np.inf:
            unit /= Fraction(largest)
        return np.array([float(count * unit) for count in self.counts])
