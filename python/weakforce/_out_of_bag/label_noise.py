"""How many labels are wrong.

In: judgements out of bag. Out: an estimated share with an interval.

The estimate looks at the rows that trees which have not seen them are surest of: there a label that
disagrees is almost always a wrong one, while elsewhere classes may overlap. If no row is sure, the
estimate is too high: it is that of noise and overlap together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._reading.wording import shown_value
from .scores import OutOfBag

#: The share of judged rows that count as sure, and how many at least.
_SURE_SHARE = 0.2
_FEWEST = 50


@dataclass(frozen=True)
class LabelNoise:
    """The estimated share of wrong labels.

    Attributes:
        rate: the estimate.
        low: the lower end of its 95 % interval.
        high: the upper end.
        n_rows: the number of rows that it was counted on.
    """

    rate: float
    low: float
    high: float
    n_rows: int

    def __str__(self) -> str:
        return f"{self.rate:.1%} ({self.low:.1%} to {self.high:.1%})"


def estimate_noise(judged: OutOfBag) -> LabelNoise:
    """Return the share of wrong labels among the rows that are surest out of bag."""
    rows = judged.judged()
    sureness = judged.probabilities().max(axis=1)
    count = min(len(rows), max(_FEWEST, round(_SURE_SHARE * len(rows))))
    surest = np.argsort(-sureness, kind="stable")[:count]
    wrong = int((judged.answers() != judged.codes[rows])[surest].sum())
    low, high = wilson(wrong, count)
    rate = wrong / count if count else 0.0
    return LabelNoise(rate, min(low, rate), max(high, rate), count)


def wilson(wrong: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return the score interval of Wilson (1927) for a share."""
    if count == 0:
        return 0.0, 1.0
    share, spread = wrong / count, z * z / count
    centre = (share + spread / 2) / (1 + spread)
    half = z * np.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return float(max(0.0, centre - half)), float(min(1.0, centre + half))


def check_rate(rate: Any, n_classes: int, name: str) -> float:
    """Return a share of wrong labels; refuse what is none, or leaves nothing to learn."""
    most = 1.0 - 1.0 / n_classes
    if isinstance(rate, (int, float, np.number)) and 0.0 <= rate < most:
        return float(rate)
    kind = ValueError if isinstance(rate, (int, float, np.number)) else TypeError
    raise kind(
        f"{name}: got {shown_value(rate)}, expected a number from 0 to below {most:.3g}: with "
        f"{n_classes} classes noisier labels tell nothing"
    )
