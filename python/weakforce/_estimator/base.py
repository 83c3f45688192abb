"""What all boosters share behind scikit-learn's face; knows no algorithm.

In: parameters, frames and labels. Out: fitted estimators. A booster adds a class with its `_kind`
and its own parameters; everything else is here, in the other modules of this package, and in the
core.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from .. import _core, _public_names
from .._fitting import external
from .._fitting.labels import Floats
from .._fitting.observers import observing
from .._fitting.rows import Rows
from .._fitting.run_reports import program_attributes
from .._fitting.settings import to_json
from .._fitting.storage import NOTHING, Storage
from .._fitting.targets import OneLabel, Target
from .._reading.calibrations import Isotonic, Sigmoid
from .._reading.fitted_model import FittedModel
from .._reading.model_file import write
from .calibrated import Calibrated
from .fitting import Task
from .predictions import Predictions
from .readings import Readings

if TYPE_CHECKING:
    from typing_extensions import Self

#: Attributes that fit leaves, and that are not saved.
_OF_FIT = ("row_weights_", "fit_times_", "fit_traffic_")

_BOOSTERS: list[type[BoostingClassifier]] = []


def boosters() -> list[type[BoostingClassifier]]:
    """Return the classes of all boosters."""
    own = [_public_names.find(name) for name in _public_names.BOOSTERS]
    return own + [booster for booster in _BOOSTERS if booster not in own]


def estimators() -> list[type[BoostingClassifier]]:
    """Return the classes of all estimators that fit a model: the boosters and the default."""
    return [_public_names.find("WeakForceClassifier"), *boosters()]


@dataclass(eq=False, repr=False)
class BoostingClassifier(Predictions, Readings, Calibrated, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The parameters, methods and attributes that all boosters share.

    Parameters:
        estimator: the weak learner: `Stump()`, `Rule()`, `Tree()`, `RBFNet()`, or any scikit-learn
            classifier whose fit takes `sample_weight`, or any at all with `resample`. It is cloned
            for each round and gets its own seeds, the rows in the container they came in, and the
            labels as they are. None means the booster's default.
        n_estimators: the largest number of rounds.
        learning_rate: multiplies every weight α before the row weights are updated.
        max_bins: the most bins a column gets, 2 to 65,535. A column of numbers with no more
            distinct values is cut exactly between them, otherwise at quantiles (of a fixed sample
            of 131,072 rows on bigger data). Of more categories than that, the heaviest keep a bin
            of their own and the rare ones share one.
        categorical_features: "from_dtype" (strings, categoricals and enums are categories), or a
            list of names, positions or a Boolean mask of further columns to treat so.
        class_weight: None, "balanced" (each class counts the same), or a dict from labels to
            weights c > 0. They multiply the probabilities of the classes, whatever the number of
            rounds: half the log of c₁/c₀ is added to the score H of two classes, ln c to that of
            each of several, which is what the minimiser of the weighted exponential loss has.
            Row weights, `train_score_` and margins are those without it. To let classes weigh more
            at the start only, as boosting then makes up for, give `sample_weight`. Where a booster
            minimises costs that are given, class weights are factors of them.
        monotonic_cst: columns along which the score of the second of two classes must not fall (1)
            or not rise (−1): a dict from names or positions, or a list with −1, 0 or 1 for each
            column. Kept exactly by `LogitBoostClassifier`, `RealAdaBoostClassifier`,
            `GentleBoostClassifier` and `WeakForceClassifier` with stumps and trees; refused by
            others, for more than two classes and for categories. Missing values have no order.
        calibrate: how scores become the probabilities of `predict_proba`: None for their soft-max;
            "sigmoid" for 1/(1 + exp(−(aH + b))) with a ≥ 0 (Platt 2000), of more classes the
            soft-max of a s_k + b_k; "isotonic" for scikit-learn's isotonic regression, one class
            against the rest. Either is learned from rows that the model has not seen: X_val if fit
            gets it, otherwise those of five folds, each scored by a fit to the other four, which
            takes five fits more. The model itself learns from all rows. `predict` is the most
            probable class, so it changes too; `decision_function` does not. SAMME, M1, M2 and MH
            have a temperature if it is None: a factor on their scores, from the training rows.
        early_stopping: whether to stop when what `scoring` names has not become better by more than
            `tol` on validation rows for `n_iter_no_change` rounds. The rounds run stay in the
            model.
        validation_fraction: share of each class held back for that if fit gets no X_val.
        n_iter_no_change: see `early_stopping`; None means a fifth of the rounds run so far, and at
            least 10.
        scoring: what early stopping watches: "loss", the log loss of the soft-max of the scores
            (the expected cost where answers have costs), or "accuracy".
        tol: see `early_stopping`.
        subsample: the share of the rows that the hypotheses of each round learn from, drawn anew
            by seed, round and row; weights are updated on all rows.
        replace: whether they are drawn with replacement; with subsample=1 that is a bootstrap
            sample.
        resample: whether learners see samples instead of weights: as many rows as there are, drawn
            by their weights with replacement. So classifiers whose fit takes no `sample_weight` can
            be boosted; they get rows as often as these were drawn. Hypotheses are judged and
            weights updated on all rows. A sample that leads to no edge is drawn again, up to ten
            times. Refused by `LogitBoostClassifier` and `SFBoostClassifier`, which have no such
            weights.
        random_state: seed for drawing samples, validation rows, and the seeds of learners.
        n_jobs: number of threads; None or −1 means all cores. Results do not depend on it.
        verbose: 1 shows a progress bar (needs tqdm).
        warm_start: whether fit keeps the rounds already run and adds to them.
        callbacks: a function or list of functions that get a `RoundInfo` after each round; one
            that returns True ends the fit.

    Attributes:
        classes_: the labels, ascending; of two the second one is the positive class.
        estimators_: the weak hypotheses by round; scikit-learn classifiers as they were fitted. If
            a round has one for each class or two-class problem, a list of them, with None where a
            round has none.
        estimator_weights_: their weights α, by round; by round and problem under `multi_class`.
        estimator_errors_: their weighted errors, likewise.
        edges_: their edges under the row weights of their round (μ for AdaBoost_R), likewise.
        train_score_: share of training weight classified right after each round, before any
            calibration.
        validation_score_: the same on validation rows; empty without them.
        row_weights_: the distribution over the rows of X after the last round; zero for rows held
            back for validation. Not saved.
        feature_importances_: share of Σ|α| of the hypotheses that look at each column, or of what
            is described with boosters that do not add votes; for scikit-learn classifiers the mean
            of what they say themselves, absent if they do not.
        n_iter_: the number of rounds in the model.
        stop_reason_: "n_estimators", "no_edge", "perfect" (a hypothesis is right on all rows),
            "early_stopping", "callback", or "out_of_range": row weights or scores would leave the
            range of numbers, or hypotheses would learn from what is left of weights that have all
            but gone, and a smaller `learning_rate` helps; further ones are described with the
            boosters that have them.
        n_features_in_: the number of columns.
        feature_names_in_: their names; absent if X had none.
        fit_times_: seconds spent on "binning" and on "boosting". Not saved.
        fitted_model_: the fitted model apart from the estimator, for code that reads models.
    """

    #: What it reports of a run, as attributes that are not saved.
    _reported: ClassVar[tuple[str, ...]] = ()

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Return the names of the parameters, which scikit-learn would read off anew each time."""
        names: list[str] = super()._get_param_names()
        return names

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if hasattr(cls, "_kind"):
            _BOOSTERS.append(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        tags.classifier_tags.multi_label = self.capabilities().label_sets
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = False
        external.inherit_tags(tags, self.estimator)
        return tags

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: int = 50,
        codes_dir: str | PathLike[str] | None = None,
    ) -> Self:
        """Fit the booster.

        Parameters:
            X: a Polars DataFrame or LazyFrame, anything with `__arrow_c_stream__` (pandas, pyarrow,
                DuckDB), or a two-dimensional array. Null and NaN are missing values. Each column of
                an array of objects or strings has the type of its values: numbers, Booleans, times,
                or strings, which are categories. Or files that may be larger than memory: a path,
                a pattern such as "data/*.parquet", or a list of these (Parquet, CSV, TSV, Arrow
                IPC). They are read twice, tile by tile, as is a LazyFrame that only reads, selects
                and renames, and their codes are kept: a byte for each value with up to 255 bins.
            y: the label of each row, of any type, or the name of the column of X that holds them.
            sample_weight: a weight ≥ 0 for each row, or the name of the column of X that holds
                them; a row of weight zero is as good as absent.
            X_val: rows to score after each round, for early stopping or just for the record.
            y_val: their labels, or the name of the column of X_val that holds them.
            checkpoint: a file in which rounds are kept: if this fit is ended, by a signal or an
                error, the same call goes on from there and makes the same model, to the byte.
                Callbacks are called for all rounds again. A file of other data, settings or another
                version is refused; the file is removed when the fit is done. Refused for
                scikit-learn classifiers as learners.
            checkpoint_every: the rounds after which it is written anew.
            codes_dir: a folder for a file of the codes, if these are more than memory holds;
                nothing is left of it when the fit ends, however it ends. None keeps them in memory.

        Returns:
            The estimator. If fit fails it stays as it was.
        """
        storage = Storage.of(checkpoint, checkpoint_every, codes_dir)
        return self._fit(Rows(X, y, sample_weight), Rows(X_val, y_val, suffix="_val"), storage)

    def _fit(self, train: Rows, validation: Rows, storage: Storage = NOTHING) -> Self:
        earlier = self.fitted_model_ if self.warm_start and self.__sklearn_is_fitted__() else None
        task = self._task(train, validation, earlier, storage)
        core = None if earlier is None else earlier.core
        with observing(self.callbacks, self.verbose, self._n_rounds()) as observer:
            core, last_weights, reports, seconds = _core.fit(
                to_json(task.settings),
                task.given,
                task.held_back,
                core,
                observer,
                task.frames,
                **storage.for_core(),
            )
        model = self._completed(self._model_of(core, task.target), task, reports)
        self._adopt(model)
        self._report(reports, task)
        self.row_weights_ = last_weights
        self.fit_times_ = dict(zip(("binning", "boosting"), seconds, strict=True))
        storage.done()
        return self

    def _reweight(self, model: FittedModel, rows: Rows, program: dict[str, Any]) -> Self:
        """Take over the hypotheses of a model, under the weights that solve a program."""
        if isinstance(model.calibration, (Sigmoid, Isotonic)):
            raise ValueError(
                f"parameter 'model': got one with calibrate={self.calibrate!r}, expected None, "
                "because new weights change the scores that a calibration was learned from"
            )
        task = self._task(rows, Rows(None, None, suffix="_val"), model)
        settings = {**task.settings, "program": program, "early_stopping": False}
        core, reports = _core.reweight(to_json(settings), task.given, model.core, task.frames)
        other = replace(model, core=core)
        self._adopt(self._with_meaning(other, task) if self.calibrate is None else other)
        self._set_attributes(program_attributes(reports))
        return self

    def _completed(
        self,
        model: FittedModel,
        task: Task,
        reports: list[dict[str, Floats]],  # noqa: ARG002
    ) -> FittedModel:
        """Return a model that was just fitted with what its scores mean."""
        return self._with_meaning(model, task)

    def _report(self, reports: list[dict[str, Floats]], task: Task) -> None:
        """Set the attributes that the core reports of a run."""

    def _set_attributes(self, attributes: dict[str, Any]) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)

    def _adopt(self, model: FittedModel) -> Self:
        """Take over what fit or a file leaves, and show its numbers as attributes."""
        self._fitted_model = model
        self.classes_ = model.classes
        self.n_iter_ = model.n_rounds
        self.stop_reason_ = model.stop_reason
        self.estimator_weights_ = model.weights
        self.estimator_errors_ = model.errors
        self.edges_ = model.edges
        self.train_score_ = model.train_scores
        self.validation_score_ = model.validation_scores
        self.n_features_in_ = model.n_features
        for stale in ("feature_names_in_", *_OF_FIT, *self._reported):
            if hasattr(self, stale):
                delattr(self, stale)
        if model.feature_names is not None:
            self.feature_names_in_ = np.array(model.feature_names, dtype=object)
        return self

    def _model_of(self, core: _core.Model, target: Target) -> FittedModel:
        """Return a core's model with what this booster knows of it."""
        return FittedModel(
            core=core,
            target=target,
            code=self._code_in(core),
            name=type(self).__name__,
            learner=self._chosen_learner(len(target.classes)),
            theory=self._margin_theory(),
            class_by_class=self._class_by_class,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a JSON file, all of it or nothing; `weakforce.load` reads it.

        Parameters that have no JSON form (callbacks, generators) are stored as None. A model of
        scikit-learn classifiers is refused; use pickle.
        """
        write(path, self.fitted_model_, self._saved_parameters())

    def _saved_parameters(self) -> dict[str, Any]:
        """Return the parameters that a model file holds; others have their defaults."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        return parameters

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        model = state.pop("_fitted_model", None)
        if model is not None:
            # The rest of the state is pickled, and so are external classifiers.
            state["_model"] = model.core.to_json("null")
            state["_externals"] = model.core.externals
            state["_target"] = model.target
            state["_decisions"] = (model.calibration, model.costs, model.prior)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = {name: value for name, value in state.items() if name != "_code"}
        if "_model" not in state:
            super().__setstate__(state)
            return
        target = state.pop("_target", None) or OneLabel(state["classes_"])
        calibration, costs, *prior = state.pop("_decisions", (None, None))
        core, _ = _core.Model.from_json(state.pop("_model"), state.pop("_externals", None))
        super().__setstate__(state)
        model = self._model_of(core, target)
        decisions = {
            "calibration": calibration,
            "costs": costs,
            "prior": prior[0] if prior else None,
        }
        self._fitted_model = replace(model, **decisions)


Booster = TypeVar("Booster", bound=BoostingClassifier)


def restored(unfitted: Booster, core: _core.Model, target: Target, **decisions: Any) -> Booster:
    """Return a booster that has taken over the model of a file; `decisions` are of `Decisions`."""
    return unfitted._adopt(replace(unfitted._model_of(core, target), **decisions))


def reweighted(model: Booster, rows: Rows, program: dict[str, Any]) -> Booster:
    """Return a copy of a fitted booster whose hypotheses have the weights that solve a program."""
    return copy(model)._reweight(model.fitted_model_, rows, program)
