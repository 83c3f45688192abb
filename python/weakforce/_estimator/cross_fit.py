"""Cross-fitting: every row is judged by boosters that have not seen it.

In: a booster, rows with class codes and weights, numbers of folds and repeats. Out: for each row
the mean probabilities and margin it gets from fits without it, and its mean influence in those
with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._fitting.external import take_rows
from .._fitting.labels import Codes, Floats
from .base import BoostingClassifier

Places = NDArray[np.intp]


class Problem(NamedTuple):
    """Rows in a container whose rows can be picked, their classes by code, and start weights."""

    X: Any
    classes: NDArray[Any]
    truth: Codes
    weights: Floats


class Judgement(NamedTuple):
    """What boosters say of every row; probabilities by class, no influence (NaN) without weight."""

    probabilities: Floats
    margins: Floats
    influence: Floats


@dataclass(frozen=True)
class CrossFit:
    """Fits of a booster to all folds but one, for several divisions into folds."""

    booster: BoostingClassifier
    problem: Problem
    n_folds: int
    n_repeats: int

    def judge(self, seed: int) -> Judgement:
        """Fit them all, and return the means of what they say."""
        n_rows, n_classes = len(self.problem.truth), len(self.problem.classes)
        means = Judgement(np.zeros((n_rows, n_classes)), np.zeros(n_rows), np.zeros(n_rows))
        for repeat in range(self.n_repeats):
            folds = divide(self.problem, self.n_folds, (seed, repeat))
            for fold in range(self.n_folds):
                self._fit_without(folds == fold, (seed, repeat, fold), means)
        means.probabilities[:] /= self.n_repeats
        means.margins[:] /= self.n_repeats
        means.influence[:] /= self.n_repeats * (self.n_folds - 1)
        means.influence[self.problem.weights == 0] = np.nan
        return means

    def _fit_without(
        self, held_out: NDArray[np.bool_], key: tuple[int, ...], sums: Judgement
    ) -> None:
        """Fit a booster to the rows that are not held out, and add what it says of all rows."""
        X, classes, truth, weights = self.problem
        judged, used = np.flatnonzero(held_out), np.flatnonzero(~held_out & (weights > 0))
        known = np.unique(truth[used])
        if len(known) == 1:  # which leaves nothing to learn
            right = truth[judged] == known[0]
            sums.probabilities[judged, known[0]] += 1.0
            sums.margins[judged] += np.where(right, 1.0, -1.0)
            sums.influence[used] += 1.0
            return
        rows, start = self._with_all_classes(used, known)
        model = _fresh(self.booster, key)
        model.fit(take_rows(X, rows), classes[truth[rows]], start)
        rows_judged = take_rows(X, judged)
        sums.probabilities[judged] += model.predict_proba(rows_judged)
        sums.margins[judged] += model.margins(rows_judged, classes[truth[judged]], "logistic")
        sums.influence[used] += concentration(model, truth[rows], start)[start > 0]

    def _with_all_classes(self, used: Places, known: Codes) -> tuple[Places, Floats]:
        """Add a row of weight zero for each class that is missing; return rows and weights.

        So parameters that name classes or have a line for each fit every part of the rows.
        """
        first = np.unique(self.problem.truth, return_index=True)[1]
        rows = np.union1d(used, np.delete(first, known))
        return rows, np.where(np.isin(rows, used), self.problem.weights[rows], 0.0)


def divide(problem: Problem, n_folds: int, key: tuple[int, ...]) -> Places:
    """Return a fold for each row; all have their share of each class, of weight or without.

    Drawn from the generator's raw bits, which NumPy keeps the same on every machine and in every
    version.
    """
    n_rows = len(problem.truth)
    drawn = np.random.PCG64(np.random.SeedSequence(key)).random_raw(n_rows)
    order = np.lexsort((drawn, problem.weights == 0, problem.truth))
    folds = np.empty(n_rows, dtype=np.intp)
    folds[order] = np.arange(n_rows) % n_folds
    return folds


def concentration(model: BoostingClassifier, truth: Codes, start: Floats) -> Floats:
    """Return the weight that boosting gave each training row, relative to its start weight.

    That is the mean weight over the rounds where a booster reports it (AdaBoost_Reg; the mean over
    its problems if there are several), otherwise the weight after the last round.
    """
    weights = getattr(model, "influence_", model.row_weights_)
    weights = weights.mean(axis=1) if weights.ndim == 2 else weights
    target = model.fitted_model_.target
    start = np.asarray(target.weights(truth, start, model.class_weight))
    total = weights.sum() or 1.0
    relative: Floats = np.divide(weights, start, out=np.zeros(len(start)), where=start > 0)
    return relative * float(start.sum() / total)


def _fresh(booster: BoostingClassifier, key: tuple[int, ...]) -> BoostingClassifier:
    """Return a clone to fit, with a seed of its own unless the user chose one."""
    model: BoostingClassifier = clone(booster)
    if model.random_state is None:
        model.set_params(random_state=int(np.random.SeedSequence(key).generate_state(1)[0]))
    return model
