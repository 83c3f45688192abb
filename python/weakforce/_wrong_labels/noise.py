"""How many labels are wrong, and which are written for which.

In: class probabilities of every row by judges that have not seen its label, and the given labels.
Out: the share of wrong labels with an interval, P(given | true), and how probable it is that each
label is wrong.

Classes may overlap, and where they do, judges err too. So labels are counted on the rows that
judges are surest of: at least on the surest tenth, and on as many more tenths as do not contradict
them more often. How far that goes depends on the data: over all rows
where classes are apart, which makes the interval short, and over few where they overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._fitting.labels import Codes, Floats
from .._out_of_bag.label_noise import wilson
from .._reading.wording import shown_value

#: The share of the rows that are counted first and that are added at a time, with least numbers.
_STEP, _FIRST_ROWS, _STEP_ROWS = 0.1, 50, 20

#: By how many standard errors more rows may contradict before they are left out.
_TOLERATED = 2.0

#: The weight of the overall share in what is counted for one class, in rows.
_PRIOR_ROWS = 20.0


@dataclass(frozen=True, eq=False)
class LabelNoiseEstimate:
    """How many labels are wrong, as `label_noise` estimates it.

    Attributes:
        rate: the estimated share of wrong labels.
        low: the lower end of its 95 % interval.
        high: the upper end.
        n_rows: the number of rows that labels were counted on, the surest ones.
        matrix: P(given | true): a line for each true class, with the column true and, in the order
            of the classes, given_<class> for each given one; the probabilities of a line add up
            to 1.
        p_wrong: by row of X, the estimated probability that its label is wrong.
    """

    rate: float
    low: float
    high: float
    n_rows: int
    matrix: pl.DataFrame
    p_wrong: Floats

    @property
    def n_wrong(self) -> int:
        """The estimated number of wrong labels."""
        return round(self.rate * len(self.p_wrong))

    def n_worth_checking(self, precision: float = 0.8) -> int:
        """Return how many rows to look at so that about a share `precision` of them is wrong.

        Those are the rows with the largest `p_wrong`, which are the first ones of `suspect_labels`
        but for a few: as many as still have that mean.
        """
        is_number = isinstance(precision, (int, float, np.number))
        if not is_number or isinstance(precision, bool) or not 0.0 < precision <= 1.0:
            kind = ValueError if is_number else TypeError
            raise kind(
                f"parameter 'precision': got {shown_value(precision)}, expected a share > 0 and "
                "<= 1"
            )
        falling = np.sort(self.p_wrong)[::-1]
        means = np.cumsum(falling) / np.arange(1, len(falling) + 1)
        return int(np.count_nonzero(means >= precision))

    def __str__(self) -> str:
        return (
            f"{self.rate:.1%} of labels are wrong ({self.low:.1%} to {self.high:.1%}), about "
            f"{self.n_wrong:,} of {len(self.p_wrong):,}; worth checking at 80 % precision: "
            f"{self.n_worth_checking():,}"
        )


def count_wrong(probabilities: Floats, truth: Codes, weights: Floats) -> tuple[float, int]:
    """Return the share of wrong labels, and the number of rows that it was counted on."""
    heard = np.flatnonzero(weights > 0)
    wrong, order = _by_sureness(probabilities[heard], truth[heard])
    return _trusted(wrong[order])


def _by_sureness(probabilities: Floats, truth: Codes) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return which labels judges contradict, and the rows by how sure judges are."""
    order = np.argsort(-probabilities.max(axis=1), kind="stable")
    return probabilities.argmax(axis=1) != truth, order


def _trusted(wrong: NDArray[np.bool_]) -> tuple[float, int]:
    """Return the share that is contradicted among the surest rows, which come first.

    Those are as many as there may be so that, wherever they are cut, the rows behind the cut are
    not contradicted more often than those before it (Lepski's rule).
    """
    n_rows = len(wrong)
    first = min(n_rows, max(_FIRST_ROWS, round(_STEP * n_rows)))
    ends = [*range(first, n_rows, max(_STEP_ROWS, round(_STEP * n_rows))), n_rows]
    counts = np.array(ends, dtype=float)
    totals = np.cumsum(wrong)[np.array(ends) - 1].astype(float)
    shares = (totals + 0.5) / (counts + 1.0)
    trusted = 0
    for at in range(1, len(ends)):
        more = counts[at] - counts[:at]
        beyond = (totals[at] - totals[:at]) / np.maximum(more, 1.0)
        errors = np.sqrt(
            shares[:at] * (1 - shares[:at]) * (1 / counts[:at] + 1 / np.maximum(more, 1))
        )
        if (beyond <= shares[:at] + _TOLERATED * errors).all():
            trusted = at
    return float(totals[trusted] / counts[trusted]), ends[trusted]


def given_by_true(
    probabilities: Floats, truth: Codes, weights: Floats, rate: float, n_trusted: int
) -> Floats:
    """Return P(given | true), by true and given class.

    Counted on the surest rows of each answer; the fewer these are, the more every class is thought
    to have the overall share of wrong labels, and any other class to be as likely.
    """
    heard = np.flatnonzero(weights > 0)
    shares, given = probabilities[heard], truth[heard]
    n_classes = shares.shape[1]
    plain = np.full((n_classes, n_classes), rate / (n_classes - 1))
    np.fill_diagonal(plain, 1.0 - rate)
    answers = shares.argmax(axis=1)
    counts = np.zeros((n_classes, n_classes))
    part = n_trusted / max(len(heard), 1)
    for known in range(n_classes):
        rows = np.flatnonzero(answers == known)
        surest = rows[np.argsort(-shares[rows, known], kind="stable")]
        surest = surest[: max(min(_STEP_ROWS, len(rows)), round(part * len(rows)))]
        counts[known] = np.bincount(given[surest], minlength=n_classes)
    matrix = counts + _PRIOR_ROWS * plain
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


def probability_wrong(probabilities: Floats, truth: Codes, matrix: Floats) -> Floats:
    """Return by row the probability that its label is wrong.

    Judges estimate probabilities q of labels as they are given. Under T = P(given | true) those of
    the true labels are p with q = pT, so that label g is right with the probability T_gg p_g / q_g.
    """
    clean = np.clip(probabilities @ np.linalg.pinv(matrix), 0.0, None)
    clean /= clean.sum(axis=1, keepdims=True)
    rows = np.arange(len(truth))
    given = np.maximum((clean @ matrix)[rows, truth], np.finfo(float).tiny)
    right = np.diag(matrix)[truth] * clean[rows, truth] / given
    return np.asarray(np.clip(1.0 - right, 0.0, 1.0))


def interval(rate: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share that was counted on some rows."""
    low, high = wilson(round(rate * count), count)
    return min(low, rate), max(high, rate)
