"""What all boosters share behind scikit-learn's face; knows no algorithm.

In: parameters, frames and labels. Out: fitted estimators. A booster adds a class with its `_kind`
and its own parameters; everything else is here and in the core.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from typing import Any, ClassVar, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from . import _core, _outside
from ._frames import as_frame, categorical_places, column_names, split_target
from ._hypotheses import hypothesis_from_core
from ._labels import encode_known_labels, encode_labels, row_weights
from ._model_file import describe
from ._observers import observing
from ._rules import rule_table, summarise
from ._settings import seed_of, to_json
from .learners import Stump, WeakLearner

Floats = NDArray[np.float64]

_BOOSTERS: list[type[BoostingClassifier]] = []


def boosters() -> list[type[BoostingClassifier]]:
    """Return the classes of all boosters."""
    return list(_BOOSTERS)


@dataclass(eq=False, repr=False)
class BoostingClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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
        classes_: the two labels, ascending; the second one is the positive class.
        estimators_: the weak hypotheses by round; scikit-learn classifiers as they were fitted.
        estimator_weights_: their weights α.
        estimator_errors_: their weighted errors.
        edges_: their edges under the row weights of their round (μ for AdaBoost_R).
        train_score_: share of training weight classified right after each round.
        validation_score_: the same on validation rows; empty without them.
        row_weights_: the distribution over the rows of X after the last round; zero for rows held
            back for validation. Not saved.
        feature_importances_: share of Σ|α| of the hypotheses that look at each column; for
            scikit-learn classifiers the mean of what they say themselves, absent if they do not.
        n_iter_: the number of rounds in the model.
        stop_reason_: "n_estimators", "no_edge", "perfect", "early_stopping" or "callback".
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

    #: The booster's name in the core's registry.
    _kind: ClassVar[str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _BOOSTERS.append(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = False
        _outside.inherit_tags(tags, self.estimator)
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
    ) -> BoostingClassifier:
        """Fit the booster.

        Parameters:
            X: a Polars DataFrame or LazyFrame, anything with `__arrow_c_stream__` (pandas, pyarrow,
                DuckDB), or a two-dimensional array. Null and NaN are missing values.
            y: labels of two classes, or the name of the column of X that holds them.
            sample_weight: a weight ≥ 0 for each row; a row of weight zero is as good as absent.
            X_val: rows to score after each round, for early stopping or just for the record.
            y_val: their labels, or the name of the column of X_val that holds them.

        Returns:
            The estimator. If fit fails it stays as it was.
        """
        learner = self._learner()
        X, y = split_target(X, y)
        X_val, y_val = self._split_validation(X_val, y_val)
        earlier = self._model if self.warm_start and hasattr(self, "_model") else None
        outside = _outside.is_outside(learner)
        if outside:
            X, X_val = _outside.own_container(X), _outside.own_container(X_val)
        frame = as_frame(X)
        if earlier is None:
            classes, codes = encode_labels(y, type(self).__name__)
        else:
            classes, codes = (
                self.classes_,
                encode_known_labels(y, self.classes_, type(self).__name__),
            )
        weights = row_weights(codes, classes, sample_weight, self.class_weight)
        validation = None
        if X_val is not None:
            codes_val = encode_known_labels(y_val, classes, type(self).__name__, "y_val")
            validation = (as_frame(X_val), codes_val, None)
        seed = seed_of(self.random_state)
        settings = self._settings(learner, frame, seed)
        frames = None
        if outside:
            names = column_names(frame) if earlier is None else earlier.feature_names
            frames = _outside.OutsideFrames(
                learner, seed, classes, names, X, classes[codes], weights, X_val
            )
        with observing(self.callbacks, self.verbose, self.n_estimators) as observer:
            model, last_weights, seconds = _core.fit(
                settings, (frame, codes, weights), validation, earlier, observer, frames
            )
        self._adopt(model, classes)
        self.row_weights_ = last_weights
        self.fit_times_ = dict(zip(("binning", "boosting"), seconds, strict=True))
        return self

    def _split_validation(self, X_val: Any, y_val: Any) -> tuple[Any, Any]:
        if X_val is None and y_val is None:
            return None, None
        if X_val is None or y_val is None:
            missing, given = ("X_val", "y_val") if X_val is None else ("y_val", "X_val")
            raise ValueError(f"{missing} is None but {given} is given, expected both or neither")
        return split_target(X_val, y_val)

    def _learner(self) -> Any:
        learner = self._default_learner() if self.estimator is None else self.estimator
        _outside.check_learner(learner)
        return learner

    def _default_learner(self) -> WeakLearner:
        return Stump()

    def _settings(self, learner: Any, frame: Any, seed: int) -> str:
        """Write all parameters down for the core, which checks their values."""
        parameters = self.get_params(deep=False)
        for name in ("class_weight", "verbose", "warm_start", "callbacks"):
            del parameters[name]
        shared = {name: parameters.pop(name) for name in _SHARED if name in parameters}
        shared["estimator"] = _outside.learner_settings(learner)
        shared["categorical_features"] = categorical_places(self.categorical_features, frame)
        shared["random_state"] = seed
        shared["merge_rows"] = _MERGE_ROWS
        return to_json({**shared, "booster": {self._kind: parameters}})

    def _adopt(self, model: _core.Model, classes: NDArray[Any]) -> None:
        """Take over a fitted model and show its numbers as attributes."""
        self._model = model
        self.classes_ = classes
        self.n_iter_ = model.n_rounds
        self.stop_reason_ = model.stop_reason
        self.estimator_weights_ = model.weights
        self.estimator_errors_ = model.errors
        self.edges_ = model.edges
        self.train_score_ = model.train_scores
        self.validation_score_ = model.validation_scores
        self.n_features_in_ = model.n_features
        for stale in ("feature_names_in_", "row_weights_", "fit_times_"):
            if hasattr(self, stale):
                delattr(self, stale)
        if model.feature_names is not None:
            self.feature_names_in_ = np.array(model.feature_names, dtype=object)

    @property
    def estimators_(self) -> list[Any]:
        """The weak hypotheses by round."""
        model = self._fitted()
        return [hypothesis_from_core(model.hypothesis(t)) for t in range(model.n_rounds)]

    @property
    def feature_importances_(self) -> Floats:
        """How much the model looks at each column; sums to 1."""
        model = self._fitted()
        if not model.is_external:
            return model.importances
        return _outside.importances_of(self.estimators_, model.weights, model.n_features)

    def rules(self, *, merge: bool = False) -> pl.DataFrame:
        """Return the rules of a model of `Rule()` or `Stump()` as a table.

        Parameters:
            merge: whether rules with the same condition become one line, strongest first. Its
                weight is their sum and its answers are weighted means, so that it adds the same
                to every score; "rounds" lists where it came from; weight_fired and error are means
                over these rounds. Should the weights cancel, the weight is the sum of their sizes.

        Returns:
            A frame with the columns round (from 1), rule (the condition), text (with the answers),
            weight (α), inside and outside (the answers to rows on which the rule fires, and to all
            others), rows_fired (training rows) and weight_fired (share of the row weights of its
            round), both null for stumps, and error (weighted error in its round).
        """
        return rule_table(self, merge)

    def summary(self, n: int = 20) -> str:
        """Return what the model is, as text to print.

        The `n` strongest rules, where equal ones are merged, or for learners that are not rules
        their sizes and the `n` most important columns. The strength of a rule is half of what it
        makes of a difference to the score: |α| |inside − outside| / 2.
        """
        return summarise(self, n)

    def _fitted(self) -> _core.Model:
        check_is_fitted(self)
        return self._model

    def decision_function(self, X: Any) -> Floats:
        """Return the score H(x) = Σ α h(x) of every row; its sign is the prediction."""
        model = self._fitted()
        frame, view = self._view(model, X)
        return model.decision_function(frame, self.n_jobs, view)

    def _view(self, model: _core.Model, X: Any) -> tuple[Any, _outside.ScoringView | None]:
        if model.is_external:
            return _outside.score_view(X, model.feature_names, self.classes_)
        return as_frame(X), None

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of every row; a score of 0 counts as positive."""
        return self._labels(self.decision_function(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x) for both classes: 1/(1 + exp(−2H)) for the positive one."""
        return _probabilities(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return cast(Floats, np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy; y holds labels of any type or is the name of a column of X."""
        X, y = split_target(X, y)
        codes = encode_known_labels(y, self._classes(), type(self).__name__)
        scores = self.decision_function(X)
        _check_length(codes, scores)
        return float(np.average((scores >= 0) == (codes == 1), weights=sample_weight))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the score of every row after each round."""
        model = self._fitted()
        frame, view = self._view(model, X)
        yield from model.staged(frame, self.n_jobs, view)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the label of every row after each round."""
        return (self._labels(scores) for scores in self.staged_decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the class probabilities of every row after each round."""
        return (_probabilities(scores) for scores in self.staged_decision_function(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy after each round."""
        X, y = split_target(X, y)
        codes = encode_known_labels(y, self._classes(), type(self).__name__)
        for scores in self.staged_decision_function(X):
            _check_length(codes, scores)
            yield float(np.average((scores >= 0) == (codes == 1), weights=sample_weight))

    def margins(self, X: Any, y: Any, kind: str = "normalized") -> Floats:
        """Return the margin of every row: how right its label is according to the model.

        Parameters:
            X: the rows.
            y: their labels, or the name of the column of X that holds them.
            kind: "normalized" for y H / Σ|α| (in [−1, 1] for votes) or "logistic" for
                tanh(y H / 2), which is always in [−1, 1].
        """
        if kind not in ("normalized", "logistic"):
            raise ValueError(f"parameter 'kind': got {kind!r}, expected 'normalized' or 'logistic'")
        X, y = split_target(X, y)
        codes = encode_known_labels(y, self._classes(), type(self).__name__)
        scores = self.decision_function(X)
        _check_length(codes, scores)
        signed = np.where(codes == 1, scores, -scores)
        if kind == "logistic":
            return np.tanh(signed / 2)
        total = np.abs(self.estimator_weights_).sum()
        return signed / total if total > 0 else signed

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a JSON file, all of it or nothing; `weakforce.load` reads it.

        Parameters that have no JSON form (callbacks, generators) are stored as None. A model of
        scikit-learn classifiers is refused; use pickle.
        """
        model = self._fitted()
        if model.is_external:
            _outside.refuse_to_save(model.externals[0])
        try:
            model.save(path, describe(self))
        except OSError as error:
            raise type(error)(f"cannot write {str(path)!r}: {error}") from None

    def _classes(self) -> NDArray[Any]:
        check_is_fitted(self)
        return self.classes_

    def _labels(self, scores: Floats) -> NDArray[Any]:
        return self.classes_[(scores >= 0).astype(np.intp)]

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
            externals = state.pop("_externals", None)
            state["_model"], _ = _core.Model.from_json(state["_model"], externals)
        super().__setstate__(state)


#: Parameters that the core knows for every booster.
_SHARED = frozenset(BoostingClassifier.__dataclass_fields__)

#: Whether identical rows may be treated as one, which changes nothing but the time; tests say no.
_MERGE_ROWS = True


def _check_length(codes: NDArray[Any], scores: Floats) -> None:
    if len(codes) != len(scores):
        raise ValueError(
            f"y: got {len(codes)} labels, expected one for each of {len(scores)} rows of X"
        )


def _probabilities(scores: Floats) -> Floats:
    with np.errstate(over="ignore"):
        positive = 1.0 / (1.0 + np.exp(-2.0 * scores))
    # Where rounding makes both classes equal, the one that predict names stays ahead.
    positive[(scores >= 0) & (positive <= 0.5)] = np.nextafter(0.5, 1.0)
    return np.column_stack([1.0 - positive, positive])
