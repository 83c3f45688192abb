"""Values of data as people read them.

In: a value. Out: a text on one line, cut short if it is long.
"""

from __future__ import annotations

import math
from typing import Any

#: The most characters of a value in a table.
_LONGEST = 60


def value_text(value: Any) -> str:
    """Write a value of the data, cut short if it is long."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "missing"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = " ".join(str(value).removesuffix(" 00:00:00").split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
