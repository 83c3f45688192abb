"""How many hypotheses a learner can choose from, by the columns of a fitted model.

In: a fitted model of stumps. Out: the logarithm of the number of stumps that vote.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel
    from .._reading.schema import Feature


def log_stumps(model: FittedModel) -> float:
    """Return ln|H| for the stumps over the columns of a model; refuse models of anything else."""
    others = {kind for kind in model.hypothesis_kinds() if kind != "stump"}
    if others:
        raise ValueError(
            f"parameter 'log_hypotheses': got None for a model of hypotheses of the kind "
            f"{min(others)!r}, expected a number, because only stumps are counted"
        )
    return math.log(count_stumps(model.features))


def count_stumps(features: list[Feature]) -> int:
    """Return the number of different stumps that vote: both ways for each test, and constants."""
    return 2 + 2 * sum(map(_count_tests, features))


def _count_tests(feature: Feature) -> int:
    """Return how many tests divide the values of a column into two parts.

    A threshold has missing values on either side, and they may be all that is outside. Categories
    are divided into two subsets, with "missing" as one more category.
    """
    if feature.categories is None:
        return 2 * len(feature.cuts) + 1
    return int(2 ** len(feature.categories)) - 1
