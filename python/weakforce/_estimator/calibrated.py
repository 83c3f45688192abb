"""How boosters calibrate their probabilities.

In: a model that was just fitted, and its rows. Out: a calibration. Scores of rows that a model has
not seen come from validation rows, or from fits to four fifths of the training rows each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from sklearn.base import clone

from .._fitting.calibrating import CALIBRATORS, ScoredRows, check_name, fit_temperature
from .._fitting.labels import Floats, row_weights
from .._fitting.rows import Rows
from .._fitting.targets import LabelSets, Target
from .._reading.calibrations import Calibration, Temperature, VoteShares
from .._reading.fitted_model import FittedModel
from .cross_fit import CrossFit, Problem
from .fitting import Fitting, Task

#: The folds of cross-fitting.
_N_FOLDS = 5

#: The most training rows that a temperature is learned from; fewer where they have more scores
#: than that, but not fewer than a thousand.
_MOST_ROWS = 20_000
_MOST_SCORES = 250_000
_FEWEST_ROWS = 1_000


class Calibrated(Fitting):
    """What a booster makes of its scores, so that they become probabilities."""

    #: Whether probabilities get a factor from the training rows if `calibrate` is None: scores grow
    #: with the number of rounds, and their plain soft-max would be sure of everything.
    _has_temperature: ClassVar[bool] = False

    #: Whether the answer can be that of least expected cost instead of the most probable class.
    decides_by_cost: ClassVar[bool] = False

    @classmethod
    def calibration_kinds(cls) -> tuple[str, ...]:
        """Return the kinds of calibrations that models of this estimator can have."""
        return (*CALIBRATORS, "temperature") if cls._has_temperature else tuple(CALIBRATORS)

    def calibration_without_entry(self, n_classes: int) -> Calibration | None:  # noqa: ARG002
        """Return the calibration of a model whose file holds none."""
        return None

    def _rereads(self) -> bool:
        return self.calibrate is not None or self._has_temperature

    def _check_calibration(self, rows: Rows, target: Target) -> None:  # noqa: ARG002
        check_name(self.calibrate)
        if self.calibrate is not None and isinstance(target, LabelSets):
            raise ValueError(
                f"parameter 'calibrate': got {self.calibrate!r}, expected None for a y with "
                "several labels per row"
            )

    def _with_meaning(self, model: FittedModel, task: Task) -> FittedModel:
        """Return a model with how its scores become probabilities, class weights included."""
        shifted = replace(model, prior=task.prior)
        if self.calibrate is not None:
            calibration = CALIBRATORS[self.calibrate](self._unseen(shifted, task))
            return replace(shifted, calibration=calibration)
        plain = self._plain_calibration(replace(model, prior=None), task)
        if plain is None or task.prior is None:
            return replace(shifted, calibration=plain)
        return replace(model, calibration=plain, prior=plain.shift_for(task.prior))

    def _plain_calibration(self, model: FittedModel, task: Task) -> Temperature | VoteShares | None:
        """Return what makes probabilities of scores if `calibrate` is None."""
        return self._temperature(model, task) if self._has_temperature else None

    def _temperature(self, model: FittedModel, task: Task) -> Temperature | None:
        codes, weights = task.given.codes, task.given.weights
        most = min(_MOST_ROWS, max(_MOST_SCORES // model.n_classes, _FEWEST_ROWS))
        sample = task.train.sample(weights, len(codes), most)
        places = sample.places
        if len(places):
            scores = model.decision_function(task.train.picked(places), self.n_jobs)
        else:  # which one of several shards may hold
            scores = np.empty((0, model.n_classes)[: 1 if model.n_classes == 2 else 2])
        start = np.ones(len(places)) if weights is None else weights[places]
        scores, codes, start = sample.of_all(scores, codes[places], start)
        rows = ScoredRows.of(scores, codes, start, model.n_classes)
        return fit_temperature(rows, sample.n_rows)

    def _unseen(self, model: FittedModel, task: Task) -> ScoredRows:
        """Return rows with scores of models that have not seen them."""
        if task.held_back is not None:
            codes = task.held_back.codes
            scores = model.decision_function(task.validation.X, self.n_jobs)
            weights = task.target.weights(codes, None, self.class_weight)
        else:
            codes = task.given.codes
            weights = row_weights(task.given.weights, len(codes))
            X = task.train.in_own_container().X
            problem = Problem(X, model.classes, codes, weights, task.given.mistrust)
            n_folds = min(_N_FOLDS, len(codes))
            seed = task.settings["random_state"]
            scores = CrossFit(self._like(model, seed), problem, n_folds, 1).scores(seed)
            scores = scores if model.prior is None else scores + model.prior
            weights = row_weights(self._weights_in_force(task), len(codes))
        rows = ScoredRows.of(scores, codes, weights, model.n_classes)
        known = np.unique(rows.codes)
        if len(known) < 2:
            found = f"only those of class {model.labels[known[0]]!r}" if len(known) else "none"
            raise ValueError(
                f"parameter 'calibrate': got {self.calibrate!r}, which learns from rows of several "
                f"classes that a model has not seen, but there are {found}; expected None"
            )
        return rows

    def _weights_in_force(self, task: Task) -> Floats | None:
        """Return the weights under which probabilities are judged, with those of the classes."""
        if task.prior is None:
            return task.given.weights
        return task.target.weights(task.given.codes, task.train.sample_weight, self.class_weight)

    def _like(self, model: FittedModel, seed: int) -> Calibrated:
        """Return an estimator to fit to other rows: as many rounds, nothing to watch."""
        other: Calibrated = clone(self)
        other.set_params(
            calibrate=None,
            callbacks=None,
            class_weight=None,  # which the row weights or the prior hold
            early_stopping=False,
            random_state=seed,
            verbose=0,
            warm_start=False,
        )
        if model.stop_reason in ("early_stopping", "callback"):
            other.set_params(**{self.capabilities().rounds: max(model.n_rounds, 1)})
        return other
