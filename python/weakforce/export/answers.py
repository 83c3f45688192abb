"""How an answer follows from scores, in terms that every engine knows.

In: a fitted model. Out: for two classes the score from which on the second one is the answer; for
more what is compared instead of the scores. What cannot be said like that is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._reading.calibrations import Isotonic, Sigmoid, VoteShares

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

#: Farther from zero than any score.
_FAR = 1e100


def least_positive(model: FittedModel) -> float:
    """Return the least score of a model of two classes whose answer is the second one.

    Minus infinity if that is always the answer, infinity if it never is. Probabilities never fall
    with the score, so it is found by halving.
    """
    if model.costs is None and not _moves_answers(model):
        return 0.0
    low, high = -_FAR, _FAR
    answers = model.answers(np.array([low, high])).tolist()
    if answers == [1, 0]:
        raise TypeError(
            f"to_sql() is for answers that become more probable with their score, but {model.name} "
            "has costs by which right answers are dearer than wrong ones; to_polars() gives scores"
        )
    if answers != [0, 1]:
        return np.inf if answers == [0, 0] else -np.inf
    while True:
        middle = low + (high - low) / 2.0
        if middle in (low, high):
            return high
        low, high = (low, middle) if model.answers(np.array([middle]))[0] else (middle, high)


def _moves_answers(model: FittedModel) -> bool:
    """Whether a calibration has another answer than the best score."""
    calibration = model.calibration
    weighed = isinstance(calibration, VoteShares) and bool(calibration.factors)
    return weighed or isinstance(calibration, (Sigmoid, Isotonic))


def compared(model: FittedModel) -> tuple[float, tuple[float, ...]] | None:
    """Return factor and summands of what is compared to find the best of several classes.

    None if these are the scores themselves.
    """
    how = {Isotonic: "by isotonic regressions", VoteShares: "by class weights of votes"}
    calibration = type(model.calibration)
    if model.costs is not None or (calibration in how and _moves_answers(model)):
        by = "by costs" if model.costs is not None else how[calibration]
        raise TypeError(
            f"to_sql() is for answers that are the class of the best score, but {model.name} "
            f"decides {by} between more than two classes; to_polars() gives its scores"
        )
    if isinstance(model.calibration, Sigmoid):
        return model.calibration.slope, model.calibration.intercepts
    return None
