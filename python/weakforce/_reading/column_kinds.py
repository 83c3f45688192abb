"""Words for the kinds of columns that the core knows.

In: a kind, or the columns of a fitted model. Out: words.
"""

from __future__ import annotations

from collections.abc import Sequence

from .schema import Feature

#: One and several of each kind.
_NAMES = {
    "number": ("number", "numbers"),
    "text": ("category", "categories"),
    "numbered_category": ("numbered category", "numbered categories"),
    "boolean": ("Boolean", "Booleans"),
    "instant": ("time", "times"),
    "time_of_day": ("time of day", "times of day"),
    "duration": ("duration", "durations"),
}


def kind_name(kind: str, count: int = 1) -> str:
    """Return the word for one or several columns of a kind."""
    return _NAMES.get(kind, (kind, kind))[count != 1]


def kinds_text(features: Sequence[Feature]) -> str:
    """Return how many columns of each kind there are."""
    kinds = [feature.kind for feature in features]
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
    return ", ".join(f"{count:,} {kind_name(kind, count)}" for kind, count in counts.items())
