"""What model files hold of a calibration, of costs and of class weights.

In: a calibration, costs or a prior, or what a file has in their place. Out: JSON, or a calibration,
costs and a prior whose numbers are all checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .calibrations import Calibration, CleanLabels, Isotonic, Sigmoid, Temperature, VoteShares
from .scores import Floats
from .wording import shown_value


def refused(place: str, reason: str) -> ValueError:
    """Return the error for a place in a model file."""
    return ValueError(f"model file: at '{place}': {reason}")


def write_calibration(calibration: Calibration) -> dict[str, Any]:
    """Return a calibration as JSON holds it."""
    return {"kind": _KINDS[type(calibration)], **vars(calibration)}


def read_calibration(stored: Any, n_classes: int, kinds: Sequence[str]) -> Calibration:
    """Return the calibration of a file; `kinds` are those that its estimator can have."""
    if not isinstance(stored, dict) or stored.get("kind") not in kinds:
        expected = " or ".join(map(repr, kinds))
        raise refused(_PLACE, f"got {shown_value(stored)}, expected an object of kind {expected}")
    names, read = _READERS[stored["kind"]]
    if set(stored) != {"kind", *names}:
        raise refused(_PLACE, f"expected the entries kind, {', '.join(names)}")
    return read(stored, n_classes)


def read_costs(stored: Any, n_classes: int) -> Floats | None:
    """Return the costs of a file: a matrix of numbers ≥ 0, true × answered."""
    if stored is None:
        return None
    place = "estimator.costs"
    if not isinstance(stored, list) or len(stored) != n_classes:
        raise refused(place, f"expected {n_classes} lists of numbers")
    lines = [_numbers(line, f"{place}.{at}", n_classes) for at, line in enumerate(stored)]
    if any(number < 0 for line in lines for number in line):
        raise refused(place, "expected numbers >= 0")
    return np.array(lines)


def read_prior(stored: Any, n_classes: int) -> Floats | None:
    """Return what class weights add to the scores of a file: a number for each score."""
    if stored is None:
        return None
    return np.array(_numbers(stored, "estimator.prior", _n_scores(n_classes)))


_PLACE = "estimator.calibration"
_KINDS: dict[type[Calibration], str] = {
    Temperature: "temperature",
    VoteShares: "votes",
    Sigmoid: "sigmoid",
    Isotonic: "isotonic",
    CleanLabels: "clean",
}


def _read_temperature(stored: Any, n_classes: int) -> Temperature:  # noqa: ARG001
    factor = _number(stored["factor"], f"{_PLACE}.factor")
    if factor <= 0:
        raise refused(f"{_PLACE}.factor", f"got {factor}, expected a number > 0")
    return Temperature(factor)


def _read_votes(stored: Any, n_classes: int) -> VoteShares:
    total = _number(stored["total"], f"{_PLACE}.total")
    if total < 0.0:
        raise refused(f"{_PLACE}.total", f"got {total}, expected a number >= 0")
    place = f"{_PLACE}.factors"
    factors = _numbers(stored["factors"], place) if stored["factors"] else ()
    if len(factors) not in (0, n_classes) or any(factor < 0.0 for factor in factors):
        raise refused(place, f"expected {n_classes} numbers >= 0, or none")
    return VoteShares(total, tuple(factors))


def _read_sigmoid(stored: Any, n_classes: int) -> Sigmoid:
    slope = _number(stored["slope"], f"{_PLACE}.slope")
    if slope < 0:
        raise refused(f"{_PLACE}.slope", f"got {slope}, expected a number >= 0")
    place = f"{_PLACE}.intercepts"
    return Sigmoid(slope, _numbers(stored["intercepts"], place, _n_scores(n_classes)))


def _read_isotonic(stored: Any, n_classes: int) -> Isotonic:
    count = _n_scores(n_classes)
    for name in ("scores", "shares"):
        if not isinstance(stored[name], list) or len(stored[name]) != count:
            raise refused(f"{_PLACE}.{name}", f"expected {count} lists of numbers")
    scores, shares = [], []
    for at in range(count):
        place = f"{_PLACE}.scores.{at}"
        knots = _numbers(stored["scores"][at], place)
        if not knots or any(left >= right for left, right in pairwise(knots)):
            raise refused(place, "expected numbers that ascend")
        place = f"{_PLACE}.shares.{at}"
        heights = _numbers(stored["shares"][at], place, len(knots))
        if any(left > right for left, right in pairwise((0.0, *heights, 1.0))):
            raise refused(place, "expected numbers from 0 to 1 that never fall")
        scores.append(knots)
        shares.append(heights)
    return Isotonic(tuple(scores), tuple(shares))


def _read_clean(stored: Any, n_classes: int) -> CleanLabels:
    rate = _number(stored["rate"], f"{_PLACE}.rate")
    if not 0.0 <= rate < 1.0 - 1.0 / n_classes:
        expected = f"a number from 0 to below {1.0 - 1.0 / n_classes:.3g}"
        raise refused(f"{_PLACE}.rate", f"got {rate}, expected {expected}")
    return CleanLabels(rate)


_READERS: dict[str, tuple[tuple[str, ...], Callable[[Any, int], Calibration]]] = {
    "temperature": (("factor",), _read_temperature),
    "votes": (("total", "factors"), _read_votes),
    "sigmoid": (("slope", "intercepts"), _read_sigmoid),
    "isotonic": (("scores", "shares"), _read_isotonic),
    "clean": (("rate",), _read_clean),
}


def _n_scores(n_classes: int) -> int:
    """Return how many scores a row has."""
    return 1 if n_classes == 2 else n_classes


def _number(stored: Any, place: str) -> float:
    number = isinstance(stored, (int, float)) and not isinstance(stored, bool)
    try:
        if number and math.isfinite(float(stored)):
            return float(stored)
    except OverflowError:
        pass
    raise refused(place, f"got {shown_value(stored)}, expected a finite number")


def _numbers(stored: Any, place: str, count: int | None = None) -> tuple[float, ...]:
    if not isinstance(stored, list) or count not in (None, len(stored)):
        numbers = "numbers" if count is None else f"{count} numbers"
        raise refused(place, f"expected a list of {numbers}")
    return tuple(_number(number, place) for number in stored)
