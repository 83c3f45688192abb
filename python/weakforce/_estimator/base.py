"""What all boosters share behind scikit-learn's face; knows no algorithm.

In: parameters, frames and labels. Out: fitted estimators. A booster adds a class with its `_kind`
and its own parameters; everything else is here, in `predictions` and in the core.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, fields
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from .. import _core, _public_names
from .._fitting import external
from .._fitting.codes import Code
from .._fitting.costs import check_both
from .._fitting.frames import as_frame, categorical_places, column_names
from .._fitting.labels import label_list
from .._fitting.observers import observing
from .._fitting.rows import Rows
from .._fitting.settings import seed_of, to_json
from .._fitting.targets import OneLabel, Target, learn_target
from .._reading.hypotheses import hypothesis_from_core
from .._reading.model_file import describe
from .._reading.rule_lines import members_of
from ..learners import Stump, WeakLearner
from .predictions import Floats, Predictions
from .readings import Readings

if TYPE_CHECKING:
    from typing_extensions import Self

_BOOSTERS: list[type[BoostingClassifier]] = []


def boosters() -> list[type[BoostingClassifier]]:
    """Return the classes of all boosters."""
    own = [_public_names.find(name) for name in _public_names.BOOSTERS]
    return own + [booster for booster in _BOOSTERS if booster not in own]


class _Task(NamedTuple):
    """What the core is asked to do."""

    settings: dict[str, Any]
    given: Any
    held_back: Any
    frames: Any
    target: Target


@dataclass(eq=False, repr=False)
class BoostingClassifier(Predictions, Readings, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The parameters, methods and attributes that all boosters share.

    Parameters:
        estimator: the weak learner: `Stump()`, `Rule()`, `Tree()`, `RBFNet()`, or any scikit-learn
            classifier whose fit takes `sample_weight`, which is cloned for each round and gets its
            own seeds, the rows in the container they came in, and the labels as they are. None
            means the booster's default.
        n_estimators: the largest number of rounds.
        learning_rate: multiplies every weight α before the row weights are updated.
        max_bins: the most bins a column gets, 2 to 65,535. A column of numbers with no more
            distinct values is cut exactly between them, otherwise at quantiles (of a fixed sample
            of 131,072 rows on bigger data). Of more categories than that, the heaviest keep a bin
            of their own and the rare ones share one.
        categorical_features: "from_dtype" (strings, categoricals and enums are categories), or a
            list of names, positions or a Boolean mask of further columns to treat so.
        class_weight: None, "balanced", or a dict from labels to factors for the row weights.
        early_stopping: whether to stop when the validation score has not risen by more than `tol`
            for `n_iter_no_change` rounds. The rounds run stay in the model.
        validation_fraction: share of each class held back for that if fit gets no X_val.
        n_iter_no_change: see `early_stopping`.
        tol: see `early_stopping`.
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
        train_score_: share of training weight classified right after each round.
        validation_score_: the same on validation rows; empty without them.
        row_weights_: the distribution over the rows of X after the last round; zero for rows held
            back for validation. Not saved.
        feature_importances_: share of Σ|α| of the hypotheses that look at each column; for
            scikit-learn classifiers the mean of what they say themselves, absent if they do not.
        n_iter_: the number of rounds in the model.
        stop_reason_: "n_estimators", "no_edge", "perfect", "early_stopping" or "callback"; further
            ones are described with the boosters that have them.
        n_features_in_: the number of columns.
        feature_names_in_: their names; absent if X had none.
        fit_times_: seconds spent on "binning" and on "boosting". Not saved.
    """

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 100
    learning_rate: float = 1.0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"
    class_weight: Any = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    warm_start: bool = False
    callbacks: Any = None

    #: The booster's name, in the core's registry too unless `_core_kind` says otherwise.
    _kind: ClassVar[str]
    #: What it tells of a run, as attributes that are not saved.
    _told: ClassVar[tuple[str, ...]] = ()
    #: Whether rows may have several labels.
    _takes_sets: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if hasattr(cls, "_kind"):
            _BOOSTERS.append(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        tags.classifier_tags.multi_label = self._takes_sets
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = False
        external.inherit_tags(tags, self.estimator)
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Fit the booster.

        Parameters:
            X: a Polars DataFrame or LazyFrame, anything with `__arrow_c_stream__` (pandas, pyarrow,
                DuckDB), or a two-dimensional array. Null and NaN are missing values.
            y: the label of each row, of any type, or the name of the column of X that holds them.
            sample_weight: a weight ≥ 0 for each row; a row of weight zero is as good as absent.
            X_val: rows to score after each round, for early stopping or just for the record.
            y_val: their labels, or the name of the column of X_val that holds them.

        Returns:
            The estimator. If fit fails it stays as it was.
        """
        return self._fit(Rows(X, y, sample_weight), Rows(X_val, y_val, suffix="_val"))

    def _fit(self, train: Rows, validation: Rows) -> Self:
        earlier = self._model if self.warm_start and hasattr(self, "_model") else None
        task = self._task(train, validation, earlier)
        with observing(self.callbacks, self.verbose, self._n_rounds()) as observer:
            model, last_weights, accounts, seconds = _core.fit(
                to_json(task.settings), task.given, task.held_back, earlier, observer, task.frames
            )
        self._adopt(model, task.target)
        self._tell(accounts)
        self.row_weights_ = last_weights
        self.fit_times_ = dict(zip(("binning", "boosting"), seconds, strict=True))
        return self

    def _task(self, train: Rows, validation: Rows, earlier: _core.Model | None) -> _Task:
        """Return rows and parameters as the core takes them."""
        train, validation = train.split(), validation.split()
        estimator = type(self).__name__
        target: Target
        truth: Any
        if earlier is None:
            target, truth = learn_target(train.y, estimator, self._takes_sets)
        else:
            target, truth = self._target, self._target.read(train.y, estimator)
        classes, codes = target.classes, target.codes(truth)
        learner = self._learner(len(classes))
        outside = external.is_outside(learner)
        if outside:
            train, validation = train.in_own_container(), validation.in_own_container()
        frame = as_frame(train.X)
        weights = target.weights(truth, train.sample_weight, self.class_weight)
        costs = self._row_costs(train, target, truth)
        held_back = None
        if validation.X is not None:
            truth_val = target.read(validation.y, estimator, "y_val")
            costs_val = self._row_costs(validation, target, truth_val)
            check_both(costs, costs_val)
            held_back = (as_frame(validation.X), target.codes(truth_val), None, costs_val)
        seed = seed_of(self.random_state)
        code = self._code_for(classes, seed, None if earlier is None else self._code)
        settings = self._settings(learner, frame, seed)
        settings["n_classes"] = len(classes)
        settings["decomposition"] = None if code is None else code.settings()
        settings["booster"] = {self._core_kind(): self._booster_settings(train, target, costs)}
        settings["program"] = self._program()
        frames = None
        if outside:
            names = column_names(frame) if earlier is None else earlier.feature_names
            shown = (train.X, classes[codes], weights, validation.X, self._targeted(classes))
            frames = external.OutsideFrames(learner, seed, classes, names, *shown)
        return _Task(settings, (frame, codes, weights, costs), held_back, frames, target)

    def _n_rounds(self) -> Any:
        """Return the largest number of rounds as the user set it."""
        return self.n_estimators

    def _core_kind(self) -> str:
        """Return the name of the booster in the core's registry."""
        return self._kind

    def _program(self) -> dict[str, Any] | None:
        """Return the program whose solution replaces the weights; None if there is none."""
        return None

    def _learner(self, n_classes: int) -> Any:
        learner = self._default_learner(n_classes) if self.estimator is None else self.estimator
        external.check_learner(learner)
        return learner

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:  # noqa: ARG002
        return Stump()

    def _row_costs(self, rows: Rows, target: Target, truth: Any) -> Floats | None:  # noqa: ARG002
        """Return what every answer costs for every row; None if that follows from the labels."""
        return target.costs(truth)

    def _code_for(self, classes: NDArray[Any], seed: int, earlier: Code | None) -> Code | None:  # noqa: ARG002
        """Return how two-class problems make up the classes; None if the booster knows more."""
        return None

    def _booster_settings(
        self,
        rows: Rows,  # noqa: ARG002
        target: Target,  # noqa: ARG002
        costs: Floats | None,  # noqa: ARG002
    ) -> dict[str, Any]:
        """Return the booster's own parameters as the core names them."""
        parameters = self.get_params(deep=False)
        return {name: value for name, value in parameters.items() if name not in _SHARED}

    def _settings(self, learner: Any, frame: Any, seed: int) -> dict[str, Any]:
        """Return the shared parameters for the core, which checks their values."""
        parameters = self.get_params(deep=False)
        settings = {name: parameters[name] for name in _SHARED - _OURS if name in parameters}
        settings["estimator"] = external.learner_settings(learner)
        settings["categorical_features"] = categorical_places(self.categorical_features, frame)
        settings["random_state"] = seed
        settings["merge_rows"] = _MERGE_ROWS
        return settings

    def _code_in(self, model: _core.Model) -> Code | None:  # noqa: ARG002
        """Return the code by which a model was made; None if there is none."""
        return None

    def _adopt(self, model: _core.Model, target: Target) -> None:
        """Take over a fitted model and show its numbers as attributes."""
        self._model, self._target, self._code = model, target, self._code_in(model)
        self.classes_ = target.classes
        self.n_iter_ = model.n_rounds
        self.stop_reason_ = model.stop_reason
        self.estimator_weights_ = model.weights
        self.estimator_errors_ = model.errors
        self.edges_ = model.edges
        self.train_score_ = model.train_scores
        self.validation_score_ = model.validation_scores
        self.n_features_in_ = model.n_features
        for stale in ("feature_names_in_", "row_weights_", "fit_times_", *self._told):
            if hasattr(self, stale):
                delattr(self, stale)
        if model.feature_names is not None:
            self.feature_names_in_ = np.array(model.feature_names, dtype=object)

    def _tell(self, accounts: list[dict[str, Floats]]) -> None:
        """Show what the core tells of a run as attributes."""

    @property
    def estimators_(self) -> list[Any]:
        """The weak hypotheses by round; by round and class (or problem) if a round has several."""
        model = self._fitted()
        labels = label_list(self.classes_)
        members = [
            hypothesis_from_core(model.hypothesis(at), labels) for at in range(model.n_members)
        ]
        shared = any(getattr(member, "says", "number") == "scores" for member in members[:1])
        if self._code is None and (shared or not self._class_by_class):
            return members
        rounds: list[list[Any]] = [[None] * model.n_columns for _ in range(model.n_rounds)]
        for member, at, column in zip(
            members, model.member_rounds.tolist(), model.member_columns.tolist(), strict=True
        ):
            rounds[at][column] = member
        return rounds

    def _column_names(self) -> list[Any]:
        """Return what the hypotheses of a round are for, if there are several: labels, or texts."""
        labels = label_list(self.classes_)
        return labels if self._code is None else self._code.column_names(labels)

    @property
    def feature_importances_(self) -> Floats:
        """How much the model looks at each column; sums to 1."""
        model = self._fitted()
        if not model.is_external:
            return model.importances
        places: Any = model.member_rounds
        if model.weights.ndim == 2:
            places = (model.member_rounds, model.member_columns)
        return external.importances_of(model.externals, model.weights[places], model.n_features)

    def _each_member(self) -> Iterator[tuple[Any, int, int | None, float, float]]:
        """Yield every hypothesis with its round, its column (if there are several), α and error."""
        return members_of(self)

    def _rules_note(self) -> str | None:
        """Return what a summary says of rules that do not add to scores."""
        return None

    def _summary_tail(self) -> list[str]:
        """Return what else a summary says."""
        return []

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a JSON file, all of it or nothing; `weakforce.load` reads it.

        Parameters that have no JSON form (callbacks, generators) are stored as None. A model of
        scikit-learn classifiers is refused; use pickle.
        """
        model = self._fitted()
        if model.is_external:
            external.refuse_to_save(model.externals[0])
        try:
            model.save(path, describe(self))
        except OSError as error:
            raise type(error)(f"cannot write {str(path)!r}: {error}") from None

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            # The rest of the state is pickled, and so are classifiers that are not ours.
            state["_model"] = self._model.to_json("null")
            state["_externals"] = self._model.externals
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_model" in state:
            state = {"_target": OneLabel(state["classes_"]), "_code": None, **state}
            externals = state.pop("_externals", None)
            state["_model"], _ = _core.Model.from_json(state["_model"], externals)
        super().__setstate__(state)


#: Parameters that the core knows for every booster.
_SHARED = frozenset(field.name for field in fields(BoostingClassifier))

#: Those among them that never reach it.
_OURS = frozenset({"class_weight", "verbose", "warm_start", "callbacks"})

#: Whether identical rows may be treated as one, which changes nothing but the time; tests say no.
_MERGE_ROWS = True
