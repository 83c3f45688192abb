"""What watches a fit: user callbacks and the progress bar.

In: the numbers of each round. Out: whether to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

Observer = Callable[..., bool]


class RoundInfo(NamedTuple):
    """What a callback sees after each round.

    Attributes:
        round: the number of rounds run, from 1.
        edge: the edge of the round's hypothesis; the mean if a round adds one to each of several
            two-class problems.
        error: its weighted error, likewise.
        weight: its weight in the model, likewise.
        train_score: share of training weight now classified right.
        validation_score: the same on validation rows, or None without them.
    """

    round: int
    edge: float
    error: float
    weight: float
    train_score: float
    validation_score: float | None


def as_callbacks(callbacks: Any) -> list[Callable[[RoundInfo], Any]]:
    """Return the user's callbacks as a list."""
    if callbacks is None:
        return []
    listed = list(callbacks) if isinstance(callbacks, Sequence) else [callbacks]
    for callback in listed:
        if not callable(callback):
            raise TypeError(
                f"parameter 'callbacks': got {callback!r}, expected functions of a RoundInfo"
            )
    return listed


@contextmanager
def observing(callbacks: Any, verbose: Any, n_estimators: int) -> Iterator[Observer | None]:
    """Yield the function the core calls after each round; None if there is nothing to call.

    A callback that returns True ends the fit.
    """
    listed = as_callbacks(callbacks)
    if not verbose and not listed:
        yield None
        return
    bar = _progress_bar(n_estimators) if verbose else None

    def observe(*numbers: Any) -> bool:
        info = RoundInfo(*numbers)
        if bar is not None:
            bar.update(info.round - bar.n)
            bar.set_postfix(error=f"{info.error:.4f}", train=f"{info.train_score:.4f}")
        stops = [_is_true(callback(info)) for callback in listed]
        return not any(stops)

    try:
        yield observe
    finally:
        if bar is not None:
            bar.close()


def _is_true(answer: Any) -> bool:
    """Whether an answer is True itself, Python's or NumPy's, not just something truthy."""
    return isinstance(answer, (bool, np.bool_)) and bool(answer)


def _progress_bar(total: Any) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError(
            "verbose=1 shows a progress bar and needs tqdm: pip install 'weakforce[progress]'"
        ) from error
    # The core refuses a bad total by its name, once the fit has begun.
    return tqdm(total=total if isinstance(total, Integral) else None, desc="boosting", unit="round")
