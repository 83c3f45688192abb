"""How much users mistrust each row.

In: the argument `mistrust` of fit as it comes. Out: an array of numbers ≥ 0, one for each row, or
None. Errors name 'mistrust', what came and what was expected.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .labels import Floats
from .settings import as_numbers


def checked_mistrust(mistrust: Any, n_rows: int) -> Floats | None:
    """Return a number for each row; None if no row is mistrusted."""
    if mistrust is None:
        return None
    expected = f"None or a finite number >= 0 for each of {n_rows} rows"
    numbers = as_numbers(mistrust, "mistrust", expected)
    if numbers.ndim != 1:
        got = f"an array of shape {numbers.shape}"
    elif len(numbers) != n_rows:
        got = f"{len(numbers)} numbers"
    else:
        wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
        if len(wrong) == 0:
            return numbers if numbers.any() else None
        got = f"{numbers[wrong[0]]:g} for row {wrong[0]}"
    raise ValueError(f"parameter 'mistrust': got {got}, expected {expected}")
