"""Cross-fitting: every row is judged by boosters that have not seen it.

In: a booster, rows with class codes and weights, numbers of folds and repeats. Out: for each row
the mean scores, probabilities and margin it gets from fits without it, and its mean influence in
those with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._fitting.array_columns import typed_columns
from .._fitting.external import is_external, take_rows
from .._fitting.labels import Codes, Floats
from .._reading.scores import probabilities

if TYPE_CHECKING:
    from .base import BoostingClassifier

Places = NDArray[np.intp]


class Problem(NamedTuple):
    """Rows in a container whose rows can be picked, their classes by code, and start weights.

    Mistrust is for boosters whose fit takes it.
    """

    X: Any
    classes: NDArray[Any]
    truth: Codes
    weights: Floats
    mistrust: Floats | None = None


class Judgement(NamedTuple):
    """What boosters say of every row; probabilities by class, no influence (NaN) without weight."""

    probabilities: Floats
    margins: Floats
    influence: Floats


class Fold(NamedTuple):
    """What was fitted without some rows.

    Attributes:
        judged: the rows that were held out.
        used: the others, as far as they have a weight.
        rows: those that the model was fitted to: `used`, and some of weight zero.
        start: the weights of these.
        model: the model; None if all used rows have the same class.
    """

    judged: Places
    used: Places
    rows: Places
    start: Floats
    model: BoostingClassifier | None


@dataclass(frozen=True)
class CrossFit:
    """Fits of a booster to all folds but one, for several divisions into folds."""

    booster: BoostingClassifier
    problem: Problem
    n_folds: int
    n_repeats: int

    @cached_property
    def _rows(self) -> Any:
        """The rows; of an array of objects columns with types, which no part of them may change."""
        X = self.problem.X
        return X if is_external(getattr(self.booster, "estimator", None)) else typed_columns(X)

    def judge(self, seed: int) -> Judgement:
        """Fit them all, and return the means of what they say."""
        _, classes, truth, weights, _ = self.problem
        n_rows = len(truth)
        means = Judgement(np.zeros((n_rows, len(classes))), np.zeros(n_rows), np.zeros(n_rows))
        for fold in self._folds(seed):
            judged, used = fold.judged, fold.used
            if fold.model is None:
                known = truth[used[0]]
                means.probabilities[judged, known] += 1.0
                means.margins[judged] += np.where(truth[judged] == known, 1.0, -1.0)
                means.influence[used] += 1.0
                continue
            rows = take_rows(self._rows, judged)
            means.probabilities[judged] += _shares(fold.model, rows)
            means.margins[judged] += fold.model.margins(rows, classes[truth[judged]], "logistic")
            reached = concentration(fold.model, truth[fold.rows], fold.start)
            means.influence[used] += reached[fold.start > 0]
        means.probabilities[:] /= self.n_repeats
        means.margins[:] /= self.n_repeats
        means.influence[:] /= self.n_repeats * (self.n_folds - 1)
        means.influence[weights == 0] = np.nan
        return means

    def scores(self, seed: int) -> Floats:
        """Fit them all, and return the mean scores of each row by boosters that have not seen it.

        NaN for rows that nobody can judge, because all rows of other folds have the same class.
        """
        _, classes, truth, *_ = self.problem
        n_scores = 1 if len(classes) == 2 else len(classes)
        sums: Floats = np.zeros((len(truth), n_scores))
        for fold in self._folds(seed):
            if fold.model is None:
                sums[fold.judged] = np.nan
                continue
            scores = fold.model.decision_function(take_rows(self._rows, fold.judged))
            sums[fold.judged] += scores.reshape(len(scores), -1)
        means = sums / self.n_repeats
        return means[:, 0] if n_scores == 1 else means

    def _folds(self, seed: int) -> Iterator[Fold]:
        """Yield what is fitted without each of the folds."""
        for repeat in range(self.n_repeats):
            folds = divide(self.problem, self.n_folds, (seed, repeat))
            for fold in range(self.n_folds):
                yield self._fit_without(folds == fold, (seed, repeat, fold))

    def _fit_without(self, held_out: NDArray[np.bool_], key: tuple[int, ...]) -> Fold:
        """Fit a booster to the rows that are not held out."""
        _, classes, truth, weights, mistrust = self.problem
        judged, used = np.flatnonzero(held_out), np.flatnonzero(~held_out & (weights > 0))
        known = np.unique(truth[used])
        if len(known) == 1:  # which leaves nothing to learn
            return Fold(judged, used, used, weights[used], None)
        rows, start = with_all_classes(self.problem, used, known)
        model = _fresh(self.booster, key)
        more: dict[str, Any] = {} if mistrust is None else {"mistrust": mistrust[rows]}
        model.fit(take_rows(self._rows, rows), classes[truth[rows]], start, **more)
        return Fold(judged, used, rows, start, model)


def with_all_classes(problem: Problem, used: Places, known: Codes) -> tuple[Places, Floats]:
    """Add a row of weight zero for each class that is missing; return rows and weights.

    So parameters that name classes or have a line for each fit every part of the rows.
    """
    first = np.unique(problem.truth, return_index=True)[1]
    rows = np.union1d(used, np.delete(first, known))
    return rows, np.where(np.isin(rows, used), problem.weights[rows], 0.0)


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
    fitted = model.fitted_model_
    if fitted.prior is None:
        start = np.asarray(fitted.target.weights(truth, start, model.class_weight))
    total = weights.sum() or 1.0
    relative: Floats = np.divide(weights, start, out=np.zeros(len(start)), where=start > 0)
    return relative * float(start.sum() / total)


def _shares(model: BoostingClassifier, rows: Any) -> Floats:
    """Return probabilities: calibrated if the user wants that, otherwise the soft-max.

    A temperature makes rows more alike, and was found to rank wrong labels slightly worse.
    """
    scores = model.decision_function(rows)
    if model.calibrate is None:
        return probabilities(scores)
    return model.fitted_model_.probabilities(scores)


def _fresh(booster: BoostingClassifier, key: tuple[int, ...]) -> BoostingClassifier:
    """Return a clone to fit, with a seed of its own unless the user chose one."""
    model: BoostingClassifier = clone(booster)
    if model.random_state is None:
        model.set_params(random_state=int(np.random.SeedSequence(key).generate_state(1)[0]))
    return model
