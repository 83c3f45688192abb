"""Scikit-learn classifiers as weak learners: called back by the core, round by round.

In: a classifier to clone, and the caller's own rows. Out: fitted classifiers and their answers.
The core asks for a view of the rows that take part, lets it fit a clone under some weights, and
reads answers from it; all on the thread that called fit or predict. Errors surface as they are.
Classifiers learn the labels as they are, or, where several two-class problems make up one of
several classes, targets: 1 for the rows of one side, 0 for those of the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ..learners import WeakLearner
from .array_columns import ArrayColumns
from .frames import as_array, as_frame, collected, column_names, polars_frame
from .labels import shortened

Floats = NDArray[np.float64]

_EXPECTED = (
    "expected None, a weak learner of weakforce such as Stump(), or a scikit-learn classifier "
    "whose fit takes sample_weight"
)
_RESAMPLED = "; or any classifier with resample=True, which draws rows by their weights"


def is_external(estimator: Any) -> bool:
    """Whether an estimator is a classifier of another library, fit for boosting or not."""
    if isinstance(estimator, (type, WeakLearner)):
        return False
    needs = ("fit", "predict", "get_params", "set_params", "__sklearn_tags__")
    return all(hasattr(estimator, name) for name in needs) and bool(is_classifier(estimator))


def takes_weights(classifier: Any) -> bool:
    """Whether a classifier learns from weighted rows."""
    return bool(has_fit_parameter(classifier, "sample_weight"))


def check_learner(estimator: Any, resample: bool | None = None) -> None:
    """Refuse what is neither a weak learner nor a classifier that takes weights.

    `resample` says whether rows are drawn by their weights, which any classifier can learn from;
    None if the booster cannot do that.
    """
    if isinstance(estimator, WeakLearner):
        return
    if isinstance(estimator, type):
        name = estimator.__name__
        raise TypeError(
            f"parameter 'estimator': got the class {name}, expected an instance such as {name}()"
        )
    if not is_external(estimator):
        raise TypeError(f"parameter 'estimator': got {estimator!r}, {_EXPECTED}")
    if not resample and not takes_weights(estimator):
        raise TypeError(
            f"parameter 'estimator': got {estimator!r}, whose fit takes no sample_weight, "
            f"{_EXPECTED}{'' if resample is None else _RESAMPLED}"
        )


def learns_targets(n_classes: int, class_by_class: bool) -> bool:
    """Whether classifiers learn one side of a two-class problem instead of the labels."""
    return n_classes > 2 or class_by_class


def learner_settings(learner: Any) -> dict[str, Any]:
    """Return a learner as the core's settings name it."""
    if isinstance(learner, WeakLearner):
        return learner._settings()
    return {"external": {"answer": "auto"}}


def inherit_tags(tags: Any, learner: Any) -> None:
    """Let the tags of a booster say what its weak learner can do."""
    if isinstance(learner, WeakLearner):
        tags.input_tags.categorical = learner._takes_categories
    elif is_external(learner):
        inner = get_tags(learner)
        for name in ("allow_nan", "categorical", "positive_only"):
            setattr(tags.input_tags, name, getattr(inner.input_tags, name))
        tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        tags.non_deterministic = inner.non_deterministic


def own_container(X: Any) -> Any:
    """Return X as something whose rows can be picked and that may be read more than once."""
    if X is None:
        return None
    if isinstance(X, pl.LazyFrame):
        return collected(X)
    is_own = isinstance(X, (pl.DataFrame, ArrayColumns)) or type(X) is np.ndarray
    if is_own or hasattr(X, "iloc"):
        return X
    if hasattr(X, "__arrow_c_stream__") and not isinstance(X, pl.Series):
        return polars_frame(X)
    return as_array(X)


def lasting_container(X: Any) -> Any:
    """Return X as something that may be read more than once: a stream becomes a frame."""
    is_stream = hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__len__")
    return own_container(X) if is_stream or isinstance(X, pl.LazyFrame) else X


def take_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return the rows at ascending positions of a container that `own_container` returned."""
    if len(rows) == X.shape[0]:  # rows ascend, so these are all of them
        return X
    return pick_rows(X, rows)


def pick_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return rows of such a container in any order, and as often as they are named."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _take_columns(X: Any, names: list[str] | None) -> Any:
    """Return the columns that a model knows, in its order; by position if either has no names."""
    given = column_names(X)
    if names is None or given is None or given == names:
        return X
    for name in names:
        if name not in given:
            raise ValueError(f"column '{name}' was seen during fit but is missing now")
    places = [given.index(name) for name in names]
    return X.iloc[:, places] if hasattr(X, "iloc") else X[:, places]


@dataclass(frozen=True)
class ScoringView:
    """Rows that classifiers answer to; `targeted` if these tell targets apart, not labels."""

    X: Any
    names: list[str] | None
    classes: NDArray[Any]
    targeted: bool = field(default=False, kw_only=True)

    @cached_property
    def columns(self) -> Any:
        """The rows, with the columns of the model; looked up once the core has found them."""
        return _take_columns(self.X, self.names)

    def answers(self, classifier: Any, kind: str) -> Floats:
        """Return a number for each row.

        "vote": ±1; "real": 2p − 1 if there are probabilities p, otherwise ±1; "class": the number
        of a class.
        """
        X = self.columns
        if X.shape[0] == 0:
            return np.zeros(0)  # many classifiers refuse frames without rows
        positive = 1 if self.targeted else self.classes[1]
        if kind == "class":
            answers = self._class_numbers(classifier, np.asarray(classifier.predict(X)))
        elif kind == "real" and hasattr(classifier, "predict_proba"):
            known = np.asarray(getattr(classifier, "classes_", self._known))
            shares = np.asarray(classifier.predict_proba(X), dtype=np.float64)
            # Shares may be off by a rounding error.
            answers = np.clip(2.0 * shares[:, known == positive].sum(axis=1) - 1.0, -1, 1)
        else:
            answers = np.where(np.asarray(classifier.predict(X)) == positive, 1.0, -1.0)
        if answers.shape != (X.shape[0],) or not np.isfinite(answers).all():
            raise ValueError(
                f"{type(classifier).__name__} gave answers of shape {answers.shape} to "
                f"{X.shape[0]} rows, or NaN among them; expected one number for each row"
            )
        return answers

    @property
    def _known(self) -> NDArray[Any]:
        return np.array([0, 1]) if self.targeted else self.classes

    def _class_numbers(self, classifier: Any, labels: NDArray[Any]) -> Floats:
        places = np.searchsorted(self.classes, labels).clip(max=len(self.classes) - 1)
        unknown = np.flatnonzero(self.classes[places] != labels)
        if len(unknown):
            raise ValueError(
                f"{type(classifier).__name__} answered {labels[unknown[0]]!r}, expected one of "
                f"{shortened(self.classes)}"
            )
        return places.astype(np.float64)


@dataclass(frozen=True)
class TrainingView(ScoringView):
    """Rows that classifiers learn from."""

    y: NDArray[Any]
    estimator: Any
    seed: int
    mean_weight: float

    def fit(self, weights: Floats, round: int, targets: NDArray[np.int8] | None = None) -> Any:
        """Fit a clone under row weights of mean 1, brought to the scale of the user's own.

        So the first classifier sees just the weights that the user gave, and one that is
        regularised sees the same total whether rows are repeated or weighted. Targets are −1 and
        +1, and 0 for rows that take no part; if all are of one side, so is the answer, because
        many classifiers refuse to learn from one class. One that takes no weights gets a sample:
        weights are the numbers of times that rows were drawn, and rows come as often.
        """
        X, y = self.columns, self.y
        if targets is not None:
            rows = np.flatnonzero(targets)
            X, y, weights = take_rows(X, rows), (targets[rows] > 0).astype(np.int64), weights[rows]
        is_weighted = takes_weights(self.estimator)
        if not is_weighted:
            drawn = np.repeat(np.arange(len(y)), np.rint(weights).astype(np.int64))
            X, y = pick_rows(X, drawn), y[drawn]
        if (targets is not None or not is_weighted) and len(y) and (y == y[0]).all():
            return DummyClassifier().fit(X, y)
        classifier = clone(self.estimator)
        names = [
            name
            for name in sorted(classifier.get_params(deep=True))
            if name == "random_state" or name.endswith("__random_state")
        ]
        # 31 bits, which libraries with signed seeds take too.
        seeds = np.random.SeedSequence((self.seed, round)).generate_state(len(names)) >> 1
        classifier.set_params(**dict(zip(names, seeds.tolist(), strict=True)))
        if not is_weighted:
            return classifier.fit(X, y)
        return classifier.fit(X, y, sample_weight=weights * self.mean_weight)


@dataclass(frozen=True)
class ExternalFrames:
    """What the core asks for views: the caller's X and X_val, and the learner to clone.

    `names` are the columns of the model, in its order; None if X has no names. `targeted` says
    whether classifiers learn targets instead of the labels y.
    """

    estimator: Any
    seed: int
    classes: NDArray[Any]
    names: list[str] | None
    X: Any
    y: NDArray[Any]
    weights: Floats | None = None
    X_val: Any = None
    targeted: bool = False

    def view(self, rows: NDArray[np.int64], validation: bool) -> ScoringView:
        """Return the rows at these positions of X, or of X_val."""
        shared: dict[str, Any] = {
            "names": self.names,
            "classes": self.classes,
            "targeted": self.targeted,
        }
        if validation:
            return ScoringView(take_rows(self.X_val, rows), **shared)
        mean = 1.0 if self.weights is None else float(self.weights[rows].mean())
        return TrainingView(
            take_rows(self.X, rows),
            y=self.y[rows],
            estimator=self.estimator,
            seed=self.seed,
            mean_weight=mean,
            **shared,
        )


def score_view(
    X: Any, names: list[str] | None, classes: NDArray[Any], targeted: bool
) -> tuple[Any, ScoringView]:
    """Return X as the core reads it and as classifiers do."""
    X = own_container(X)
    return as_frame(X), ScoringView(X, names, classes, targeted=targeted)


def refuse_to_save(classifier: Any) -> None:
    """Say why a model cannot be written to a file."""
    raise TypeError(
        f"this model is made of {type(classifier).__name__}, which is not ours to serialise; use "
        "pickle or joblib instead of save"
    )


def importances_of(classifiers: list[Any], weights: Floats, n_features: int) -> Floats:
    """Return the mean importances that classifiers claim, weighted by |α|.

    They are its `feature_importances_` or the sizes of its `coef_`, scaled to the sum 1.
    """
    total = np.zeros(n_features)
    for classifier, weight in zip(classifiers, np.abs(weights), strict=True):
        if isinstance(classifier, DummyClassifier):
            continue  # it looks at nothing
        coefficients = getattr(classifier, "coef_", ())
        claimed: Any = getattr(classifier, "feature_importances_", coefficients)
        dense = claimed.toarray() if hasattr(claimed, "toarray") else claimed
        sizes = np.abs(np.asarray(dense, dtype=np.float64))
        sizes = sizes.sum(axis=0) if sizes.ndim == 2 else sizes  # a line for each class
        if sizes.shape != (n_features,):
            raise AttributeError(
                f"feature_importances_ is absent, because {type(classifier).__name__} has neither "
                "feature_importances_ nor coef_ with a number for each column"
            )
        total += weight * sizes / (sizes.sum() or 1.0)
    return total / (total.sum() or 1.0)
