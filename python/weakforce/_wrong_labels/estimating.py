"""`label_noise`: how many labels are wrong.

In: rows with labels. Out: a `LabelNoiseEstimate`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from .._fitting.labels import Codes, Floats, label_list, label_series
from .._fitting.settings import seed_of
from .._reading.literal_columns import frame_of
from .judges import judge_unseen
from .noise import (
    LabelNoiseEstimate,
    count_wrong,
    given_by_true,
    interval,
    probability_wrong,
)
from .reading import read_labelled


def label_noise(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> LabelNoiseEstimate:
    """Estimate how many labels are wrong, and which are written for which.

    Every row is judged as `suspect_labels` does by default: by trees that have not seen its label.
    Where classes overlap, they are often contradicted by right labels too. So contradictions are
    counted on the rows that they are surest of: on the surest tenth, and on as many more tenths as
    are not contradicted more often.

    Parameters:
        X: the rows, as for `suspect_labels`.
        y: one label for each row, or the name of the column of X that holds them.
        sample_weight: a weight ≥ 0 for each row; rows of weight zero are not counted.
        random_state: seed of fits.
        n_jobs: number of threads; None means all cores. Results do not depend on it.

    Returns:
        A `LabelNoiseEstimate` with `rate`, the 95 % interval `low` to `high`, `matrix`, which is
        P(given | true), `p_wrong` by row, and `n_worth_checking(precision=0.8)`, the number of
        rows to look at so that about that share of them is wrong.

    The interval is that of counting. If classes overlap even where judges are surest, the estimate
    is too high: no data tell labels that are wrong from classes that are mixed. For the matrix the
    rows of each answer are counted by themselves; in classes of few rows it tends to the share
    overall, with any other class as likely.

    Examples:
        Every fifth label is wrong:

        >>> import numpy as np
        >>> from weakforce import datasets, label_noise
        >>> X, y = datasets.make_twonorm(600, seed=1)
        >>> labels = np.where(np.arange(600) % 5 == 0, 1 - y.to_numpy(), y.to_numpy())
        >>> noise = label_noise(X, labels)
        >>> bool(noise.low <= 0.2 <= noise.high)
        True
        >>> 80 < noise.n_worth_checking(precision=0.8) < 200
        True
    """
    labelled = read_labelled(X, y, sample_weight, "label_noise", sets=False)
    problem = labelled.problem()
    judged = judge_unseen(problem, seed_of(random_state), n_jobs)
    return estimate(judged.probabilities, problem.truth, problem.weights, problem.classes)


def estimate(shares: Floats, truth: Codes, weights: Floats, classes: Any) -> LabelNoiseEstimate:
    """Return what probabilities by judges that have not seen the labels tell of these."""
    rate, n_rows = count_wrong(shares, truth, weights)
    low, high = interval(rate, n_rows)
    matrix = given_by_true(shares, truth, weights, rate, n_rows)
    return LabelNoiseEstimate(
        rate,
        low,
        high,
        n_rows,
        _as_frame(matrix, classes),
        probability_wrong(shares, truth, matrix),
    )


def _as_frame(matrix: Floats, classes: Any) -> pl.DataFrame:
    names = [f"given_{label}" for label in label_list(np.asarray(classes))]
    columns = (pl.Series(name, line) for name, line in zip(names, matrix.T, strict=True))
    return frame_of([label_series(classes).alias("true"), *columns])
