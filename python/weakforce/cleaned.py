"""CleanedClassifier: find wrong labels, act on them, fit any classifier to what is left.

In: a classifier with scikit-learn's interface, rows and labels. Out: the classifier, fitted to
cleaned labels, and a report of what was done to which row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ._fitting.external import pick_rows
from ._fitting.frames import column_names, n_columns
from ._fitting.labels import label_series
from ._fitting.settings import seed_of
from ._reading.wording import shown_value
from ._wrong_labels.cleaning import ACTIONS, Cleaning, clean
from ._wrong_labels.estimating import estimate
from ._wrong_labels.judges import judge_unseen
from ._wrong_labels.noise import LabelNoiseEstimate
from ._wrong_labels.reading import read_labelled
from .weak_force import WeakForceClassifier

if TYPE_CHECKING:
    from typing_extensions import Self


def _inner_has(name: str) -> Any:
    """Return a check of whether the estimator inside has a method."""

    def check(model: CleanedClassifier) -> bool:
        getattr(model.estimator_ if hasattr(model, "estimator_") else model._unfitted(), name)
        return True

    return check


class CleanedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is fitted to cleaned labels.

    Every label is judged by trees that have not seen it, as in `label_noise`, which gives the
    probability that it is wrong. Then something is done about those that probably are, and the
    classifier is fitted to the result. The same rows and seed give the same model.

    Parameters:
        estimator: the classifier to fit: of weakforce, scikit-learn, LightGBM or any library with
            that interface. It is cloned; where it has no `random_state` of its own it gets ours.
            None means `WeakForceClassifier()`.
        action: what is done about labels: "drop" leaves rows out whose label is wrong with a
            probability above `threshold`; "relabel" gives them their most probable class;
            "weight" multiplies the weight of every row by the probability that its label is right
            (the estimator must take `sample_weight`); "mistrust" hands the probability that it is
            wrong, divided by the parameter C, to an estimator whose fit takes `mistrust`, such as
            `RegularizedAdaBoostClassifier`.
        threshold: from which probability on labels are dropped or relabelled, from 0 to below 1.
        random_state: seed of the judges, and of the estimator if it has none.
        n_jobs: number of threads of the judges; None means all cores. Results do not depend on it.

    Attributes:
        estimator_: the fitted classifier.
        classes_: the labels, ascending. No class is dropped altogether: its row that is least
            likely to be wrong stays.
        label_noise_: the estimated share of wrong labels; see `LabelNoiseEstimate`.
        report_: a frame with a line for each row: row, given (its label), label (the one it was
            learned with), p_wrong (the probability that the given one is wrong), weight (that it
            was learned with; 0 if it was dropped) and action ("kept", "dropped", "relabelled",
            "weighted" or "mistrusted").
        n_changed_: the number of rows that were dropped or relabelled.
        n_features_in_: the number of columns.
        feature_names_in_: their names; absent if X had none.

    Rows go to the estimator in the container they came in. What it cannot read, such as missing
    values, it refuses itself.

    Examples:
        Every fifth label is wrong:

        >>> import numpy as np
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from weakforce import CleanedClassifier, datasets
        >>> X, y = datasets.make_twonorm(600, seed=1)
        >>> labels = np.where(np.arange(600) % 5 == 0, 1 - y.to_numpy(), y.to_numpy())
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> model = CleanedClassifier(tree).fit(X[:300], labels[:300])
        >>> plain = tree.fit(X[:300], labels[:300])
        >>> bool(model.score(X[300:], y[300:]) > plain.score(X[300:], y[300:]) + 0.05)
        True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        action: str = "drop",
        threshold: float = 0.4,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.action = action
        self.threshold = threshold
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._unfitted())
        for name in ("allow_nan", "sparse", "string", "categorical"):
            setattr(tags.input_tags, name, getattr(inner.input_tags, name))
        tags.input_tags.sparse = False
        tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find wrong labels, act on them, and fit the estimator.

        Parameters:
            X: the rows: a frame or an array that both the judges and the estimator can read.
            y: the label of each row, of any type, or the name of the column of X that holds them.
            sample_weight: a weight ≥ 0 for each row; only for estimators that take weights.

        Returns:
            The estimator. If fit fails it stays as it was.
        """
        model = self._unfitted()
        takes_weights = has_fit_parameter(model, "sample_weight")
        self._check(model, takes_weights, sample_weight)
        labelled = read_labelled(X, y, sample_weight, type(self).__name__, sets=False)
        problem = labelled.problem()
        seed = seed_of(self.random_state)
        judged = judge_unseen(problem, seed, self.n_jobs)
        noise = estimate(judged.probabilities, problem.truth, problem.weights, problem.classes)
        cleaned = clean(problem, judged.probabilities, noise.p_wrong, self.action, self.threshold)
        _seed(model, seed)
        rows = np.flatnonzero(cleaned.used)
        arguments: dict[str, Any] = {}
        if self.action == "mistrust":
            arguments["mistrust"] = noise.p_wrong[rows] / model.C
        if self.action == "weight" or sample_weight is not None:
            arguments["sample_weight"] = cleaned.weights[rows]
        labels = problem.classes[cleaned.labels[rows]]
        # The whole of X goes on as it came.
        learned = labelled.X if len(rows) == len(cleaned.used) else pick_rows(labelled.X, rows)
        model.fit(learned, labels, **arguments)
        self._adopt(model, noise, cleaned, labelled.X, problem.classes)
        return self

    def _adopt(
        self, model: Any, noise: LabelNoiseEstimate, cleaned: Cleaning, X: Any, classes: Any
    ) -> None:
        self.estimator_ = model
        self.classes_ = classes
        self.label_noise_ = noise
        self.report_ = self._report(noise, cleaned)
        self.n_changed_ = int(cleaned.changed.sum())
        self.n_features_in_ = n_columns(X)
        names = column_names(X)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _report(self, noise: LabelNoiseEstimate, cleaned: Cleaning) -> pl.DataFrame:
        labels = label_series(self.classes_)
        return pl.DataFrame(
            {
                "row": np.arange(len(cleaned.labels)),
                "given": labels.gather(cleaned.given),
                "label": labels.gather(cleaned.labels),
                "p_wrong": noise.p_wrong,
                "weight": cleaned.weights,
                "action": cleaned.actions,
            }
        )

    def _unfitted(self) -> Any:
        """Return the estimator to fit."""
        if self.estimator is None:
            return WeakForceClassifier()
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            name = self.estimator.__name__ if isinstance(self.estimator, type) else None
            raise TypeError(
                f"parameter 'estimator': got {name or shown_value(self.estimator)}, expected None "
                "or a classifier with fit and predict, such as DecisionTreeClassifier()"
            )
        return clone(self.estimator)

    def _check(self, model: Any, takes_weights: bool, sample_weight: Any) -> None:
        """Refuse parameters that make no sense, or not with this estimator."""
        if self.action not in ACTIONS:
            expected = ", ".join(map(repr, ACTIONS))
            raise ValueError(
                f"parameter 'action': got {shown_value(self.action)}, expected one of {expected}"
            )
        number = isinstance(self.threshold, (int, float, np.number))
        if not number or isinstance(self.threshold, bool) or not 0.0 <= self.threshold < 1.0:
            kind = ValueError if number else TypeError
            raise kind(
                f"parameter 'threshold': got {shown_value(self.threshold)}, expected a number from "
                "0 to below 1"
            )
        name = type(model).__name__
        if self.action == "weight" and not takes_weights:
            raise ValueError(
                f"parameter 'action': got 'weight', but the fit of {name} takes no sample_weight; "
                "expected 'drop' or 'relabel'"
            )
        if self.action == "mistrust" and not has_fit_parameter(model, "mistrust"):
            raise ValueError(
                f"parameter 'action': got 'mistrust', but the fit of {name} takes no mistrust; "
                "expected 'drop', 'relabel' or 'weight'"
            )
        if sample_weight is not None and not takes_weights:
            raise ValueError(
                f"sample_weight: got weights, but the fit of {name} takes none; expected None"
            )

    def predict(self, X: Any) -> Any:
        """Return the label of every row, as the fitted estimator predicts it."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class, as the fitted estimator estimates it."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(X)

    @available_if(_inner_has("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of `predict_proba`."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_log_proba(X)

    @available_if(_inner_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return the scores of the fitted estimator."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(X)


def _seed(model: Any, seed: int) -> None:
    """Give an estimator, and those that it holds, a seed where they have none."""
    given = model.get_params(deep=True) if hasattr(model, "get_params") else {}
    missing = {
        name: seed
        for name, value in given.items()
        if name.rpartition("__")[2] == "random_state" and value is None
    }
    if missing:
        model.set_params(**missing)
