"""What people call the kinds of columns that the core knows.

In: the kinds of a fitted model. Out: words.
"""

from __future__ import annotations

from .._estimator.base import BoostingClassifier

#: One and several of each kind.
_NAMES = {
    "number": ("number", "numbers"),
    "text": ("category", "categories"),
    "numberedcategory": ("numbered category", "numbered categories"),
    "boolean": ("Boolean", "Booleans"),
    "instant": ("time", "times"),
    "timeofday": ("time of day", "times of day"),
    "duration": ("duration", "durations"),
}


def kind_name(kind: str, count: int = 1) -> str:
    """Return how people call a kind of column."""
    return _NAMES.get(kind, (kind, kind))[count != 1]


def kinds_text(model: BoostingClassifier) -> str:
    """Return how many columns of each kind a model knows."""
    kinds = [feature["kind"] for feature in model._model.features]
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
    return ", ".join(f"{count:,} {kind_name(kind, count)}" for kind, count in counts.items())
