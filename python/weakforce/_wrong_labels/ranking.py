"""From judgements to the frame that users get.

In: what is said of every row. Out: suspicions, and a frame with the most suspect row first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._estimator.cross_fit import Judgement
from .._fitting.labels import Codes, Floats, label_series


def suspicion_unseen(judged: Judgement, truth: Codes) -> Floats:
    """Return the suspicion of each label by judges that have not seen it, and their influence."""
    own = np.minimum(judged.probabilities[np.arange(len(truth)), truth], 1.0)
    doubt = (1.0 - own) * (1.0 + np.nan_to_num(judged.influence, nan=1.0)) / 2.0
    return np.asarray(doubt / (doubt + own))


def suspicion_along(judged: Judgement) -> Floats:
    """Return the suspicion of each label by its mean margin along a run."""
    return np.asarray((1.0 - judged.margins) / 2.0)


def ranked(
    classes: NDArray[Any], truth: Codes, judged: Judgement, score: Floats
) -> tuple[pl.DataFrame, NDArray[np.intp]]:
    """Return what is said of all rows as a frame, the most suspect first, and the suggestions.

    Suggestions are class codes in the order of the frame.
    """
    labels = label_series(classes)
    # Sorted here and not by a query, which a forked process cannot ask.
    order = np.argsort(-score, kind="stable")
    suggested = judged.probabilities.argmax(axis=1)[order]
    columns = {
        "row": order,
        "given": labels.gather(truth[order]),
        "suggested": labels.gather(suggested),
        "margin": judged.margins[order],
        "influence": pl.Series(judged.influence[order], nan_to_null=True),
        "score": score[order],
    }
    return pl.DataFrame(columns), suggested
