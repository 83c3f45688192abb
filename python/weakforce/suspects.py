"""Which labels look wrong, which ones are more likely, and why.

In: rows with labels, and a booster if not the default. Out: a frame of all rows, the most suspect
first. Judges have not seen the labels (out of bag, or fitted to other rows, see
`_estimator.cross_fit`), or have seen them in one fit that cannot learn them by heart
(`_wrong_labels.one_fit`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sklearn.base import clone

from ._estimator.base import BoostingClassifier
from ._estimator.cross_fit import CrossFit, Judgement, Problem
from ._fitting.labels import Floats, label_series
from ._fitting.settings import seed_of
from ._fitting.targets import LabelSets
from ._reading.literal_columns import stacked
from ._reading.wording import shown_value
from ._wrong_labels.judges import judge_unseen
from ._wrong_labels.one_fit import bounded_booster, judge_along
from ._wrong_labels.ranking import ranked, suspicion_along, suspicion_unseen
from ._wrong_labels.reading import Labelled, count, read_labelled
from ._wrong_labels.reasons import class_names, explaining_model, reasons

_METHODS = ("cross-fit", "one-fit")

#: How often rows are divided into folds, unless the user says.
_N_REPEATS = 3


def suspect_labels(
    X: Any,
    y: Any,
    estimator: BoostingClassifier | None = None,
    sample_weight: Any = None,
    *,
    method: str = "cross-fit",
    n_reasons: int = 3,
    n_folds: int = 5,
    n_repeats: int | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> pl.DataFrame:
    """Return all rows, sorted by how suspect their labels are, the most suspect first.

    By default one `WeakForceClassifier` is fitted, and each row is judged by those of its trees
    that have not seen it (out of bag). With an `estimator`, the rows are divided into folds, of
    which each is judged by a booster that was fitted to the others, and that is repeated with other
    divisions. Either way nobody judges a label that it has seen.

    `method="one-fit"` takes a fraction of that time: one booster of little capacity is fitted to
    all rows, and a row is judged by the mean of its margins after each round (the area under the
    margin), because a label that others contradict gains slowly and late.

    Parameters:
        X: the rows: a Polars DataFrame or LazyFrame, anything with `__arrow_c_stream__` (pandas,
            pyarrow, DuckDB), or a two-dimensional array. Null and NaN are missing values.
        y: the label of each row, of any type, or the name of the column of X that holds them. Rows
            may have any number of labels: a matrix of 0 and 1, or a Polars series of lists. Then
            every label is judged by itself, whether it is there or missing.
        estimator: the booster to fit, of weakforce's, with any learner. It is cloned and stays as
            it is; without a `random_state` of its own it gets another seed for each fit. None means
            one `WeakForceClassifier` for up to 5,000 rows; for more it means LogitBoost, fitted to
            all folds but one: 60 rounds of trees with 16 leaves, or for several classes 80 of
            trees with 31 leaves and random cuts. Under "one-fit" None means LogitBoost too: 80
            rounds of trees with 16 leaves and random cuts, on more than 5,000 rows 40 rounds of
            the trees above.
        sample_weight: a weight ≥ 0 for each row. Rows of weight zero are judged, but nothing is
            learned from them.
        method: "cross-fit" or "one-fit", as above.
        n_reasons: how many columns `reasons` names for the suggested label, and how many against
            it; 0 leaves that column out.
        n_folds: the number of folds, from 2 to the number of rows. Each has its share of every
            class. Without effect if one fit judges.
        n_repeats: the number of divisions into folds; what they say of a row is averaged. The cost
            is that of `n_folds` × `n_repeats` fits. None means 3 with an `estimator`, otherwise 1.
            Without effect likewise.
        random_state: seed of divisions and fits.
        n_jobs: number of threads; None means the estimator's own. Results do not depend on it.

    Returns:
        A frame with the columns

        - row: the position in X, from 0;
        - given: the label in y;
        - suggested: the class that the judges prefer, by the mean of their probabilities: the more
          likely label, the given one if it is not suspect;
        - margin: their mean margin under the given label, of the kind "logistic" (see
          `BoostingClassifier.margins`): from −1, surely wrong, to 1, surely right;
        - influence: how much boosters that did see the label concentrated on the row: its weight
          relative to its start weight, averaged over the fits that it took part in; 1 if they all
          left it as it was. For AdaBoost_Reg that is the mean over the rounds (`influence_`), for
          other boosters the weight after the last round (`row_weights_`), for the default one less
          the probability that the whole model, which has seen the label, gives it. Null for rows of
          weight zero, which take no part;
        - score: the suspicion, from 0 to 1. With p the mean probability of the given label (the
          soft-max of scores unless the estimator's `calibrate` says more), the odds (1 − p)/p that
          it is wrong are multiplied by (1 + influence)/2, so that what boosters had to do to learn
          the label counts beside what others make of the row. Where there is no influence the
          factor is 1. Under "one-fit" it is (1 − margin) / 2. Rows of equal score are in the order
          of X;
        - reasons: why another label is more likely, as text such as `for yes: age = 52 (+1.2);
          against: city = "Rome" (−0.4)`: the columns that add most to the log odds of the
          suggested label over the given one, and those that take most away, as Shapley values (see
          `BoostingClassifier.contributions`) of the booster that "one-fit" means by default. It is
          fitted to all rows, where every label counts as far as it is not suspect (1 − score);
          under "one-fit" without an `estimator` it is the judge itself. Null where the given label
          is the likely one. Columns of arrays are called x0, x1 and so on.

        With several labels for each row there is a line for each row and label: `given` says
        whether the row has the label, `suggested` whether it should, and the column label, before
        reasons, which one it is.

        A class that is found in one fold only, or in one row, is unknown to those that judge it, so
        these labels are suspect. A booster that is sure of everything, as one of many large trees,
        gives scores near 0 and 1 that hardly tell rows apart: few rounds, small trees and low
        learning rates judge better.

    For 1,000 rows and 20 columns that takes a few seconds, and a time that grows as rows × columns
    × classes; an `estimator` takes the time of its 15 fits, several labels that of each by itself.

    Examples:
        Every tenth label is wrong, and most of the 40 rows that come first have a wrong one:

        >>> import numpy as np
        >>> from weakforce import datasets, suspect_labels
        >>> X, y = datasets.make_xd6(400, noise=0.0, seed=1)
        >>> wrong = np.arange(400) % 10 == 0
        >>> labels = np.where(wrong, 1 - y.to_numpy(), y.to_numpy())
        >>> found = suspect_labels(X, labels)
        >>> bool(wrong[found["row"][:40]].mean() > 0.7)
        True
    """
    if method not in _METHODS:
        expected = " or ".join(map(repr, _METHODS))
        raise ValueError(f"parameter 'method': got {shown_value(method)}, expected {expected}")
    booster = None if estimator is None else _booster(estimator, n_jobs)
    rows = read_labelled(X, y, sample_weight, "suspect_labels")
    if n_repeats is None:
        n_repeats = 1 if booster is None else _N_REPEATS
    search = _Search(
        method,
        booster,
        count("n_folds", n_folds, 2, len(rows.truth)),
        count("n_repeats", n_repeats, 1),
        count("n_reasons", n_reasons, 0),
        seed_of(random_state),
        n_jobs,
    )
    if isinstance(rows.target, LabelSets):
        return _label_by_label(search, rows)
    return search.run(rows.problem())


class _Search(NamedTuple):
    """How to search: the parameters of `suspect_labels`, checked."""

    method: str
    booster: BoostingClassifier | None
    n_folds: int
    n_repeats: int
    n_reasons: int
    seed: int
    n_jobs: int | None

    def run(self, problem: Problem, labels: tuple[str, ...] | None = None) -> pl.DataFrame:
        """Return the frame; `labels` are the names of classes in reasons, if not their own."""
        judged, score, model = self._judge(problem)
        found, suggested = ranked(problem.classes, problem.truth, judged, score)
        if self.n_reasons == 0:
            return found
        if model is None:
            model = explaining_model(problem, score, self.seed, self.n_jobs)
        order = found["row"].to_numpy()
        names = labels or class_names(problem.classes)
        return found.hstack([reasons(model, problem, (order, suggested), names, self.n_reasons)])

    def _judge(self, problem: Problem) -> tuple[Judgement, Floats, BoostingClassifier | None]:
        """Return what is said of rows, suspicions, and a model that can explain them, if any."""
        if self.method == "one-fit":
            booster = self.booster or _booster(bounded_booster(problem), self.n_jobs)
            judged, model = judge_along(booster, problem, self.seed)
            return judged, suspicion_along(judged), model if self.booster is None else None
        folds = self.n_folds, self.n_repeats
        if self.booster is None:
            judged = judge_unseen(problem, self.seed, self.n_jobs, folds)
        else:
            judged = CrossFit(self.booster, problem, *folds).judge(self.seed)
        return judged, suspicion_unseen(judged, problem.truth), None


def _label_by_label(search: _Search, rows: Labelled) -> pl.DataFrame:
    """Judge every label by itself, whether rows have it; return all, the most suspect first."""
    classes = rows.target.classes
    labels = label_series(classes)
    parts = []
    for at, name in enumerate(class_names(classes)):
        has_it = rows.truth[:, at].astype(np.uint32)
        problem = Problem(rows.X, np.array([False, True]), has_it, rows.weights)
        found = search.run(problem, (f"not {name}", name))
        label = labels.gather(np.full(found.height, at)).alias("label")
        parts.append(found.insert_column(6, label))
    whole = stacked(parts)
    return whole[np.lexsort((whole["row"].to_numpy(), -whole["score"].to_numpy()))]


def _booster(estimator: Any, n_jobs: Any) -> BoostingClassifier:
    """Return a booster to clone, with its number of threads."""
    if not isinstance(estimator, BoostingClassifier):
        given = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise TypeError(
            f"parameter 'estimator': got {given}, expected None or a booster of weakforce such as "
            "RealAdaBoostClassifier()"
        )
    booster: BoostingClassifier = clone(estimator)
    return booster if n_jobs is None else booster.set_params(n_jobs=n_jobs)
