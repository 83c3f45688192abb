"""What the tests of the simulated domains share: comparing samples and counting within chance."""

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weakforce import datasets


def same(left: datasets.Domain, right: datasets.Domain) -> bool:
    return left.X.equals(right.X) and left.y.equals(right.y) and left.clean_y.equals(right.clean_y)


def probability(domain: datasets.Domain) -> NDArray[np.float64]:
    assert domain.bayes_probability is not None
    return domain.bayes_probability


def within_four_sigma(successes: Any, trials: int, chance: float) -> bool:
    deviation = sqrt(max(trials * chance * (1.0 - chance), 1e-12))
    return bool(abs(successes - trials * chance) <= 4.0 * deviation)
