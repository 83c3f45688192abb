"""WeakForceClassifier: the estimator for whoever has a table and no time.

In: parameters, rows, labels. Out: an estimator that has chosen its own capacity; the pool of trees
that it is made of is in the core, `src/pool`, and what it knows besides in `_out_of_bag`.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
from sklearn.utils.validation import check_is_fitted

from ._estimator.base import BoostingClassifier
from ._estimator.capabilities import Capabilities
from ._estimator.parameters import SharedParameters
from ._fitting.costs import class_costs
from ._fitting.labels import Floats
from ._fitting.rows import Rows
from ._fitting.storage import NOTHING, Storage
from ._fitting.targets import Target
from ._out_of_bag.capacity import capacity_table, learning_curve
from ._out_of_bag.label_noise import LabelNoise, check_rate, estimate_noise
from ._out_of_bag.lines import summary_lines
from ._out_of_bag.scores import OutOfBag
from ._reading.calibrations import CleanLabels
from .learners import Tree, WeakLearner

if TYPE_CHECKING:
    from ._estimator.fitting import Task
    from ._reading.fitted_model import FittedModel

#: The most boosted rounds; the number that is used is chosen by their loss.
_MOST_ROUNDS = 256

_CALIBRATIONS = ("noisy", "clean", None)


class WeakForceClassifier(BoostingClassifier):
    """The default classifier: as good as the best on clean labels, and not afraid of wrong ones.

    A pool of trees is grown once: forests of trees with random cuts, whose leaves are drawn towards
    the nodes above them (hierarchical shrinkage), one of which trusts rows less whose labels look
    improbable; and boosted trees (`LogitBoostClassifier`), cross-fitted. Every row is judged by
    trees that have not seen it. By these out-of-bag judgements the strength of the shrinkage, the
    number of boosted rounds and the part that each member has are chosen: the noisier the labels,
    the smoother the model. The result is one sum of tree answers under a soft-max, so everything
    that reads a model (`contributions`, `to_sql`, `to_polars`, reports, files) reads this one.

    Nothing has to be tuned. There is no early stopping and there are no validation rows, because
    the model judges itself out of bag.

    Parameters:
        n_estimators: the most boosted rounds; "auto" means 256, and 192 beyond 50,000 rows. The
            number that is used is chosen.
        time_limit: the seconds that a fit may take, about; None means as long as it takes. Models
            that ran into the limit depend on the speed of the machine.
        calibrate: what `predict_proba` estimates: "noisy" the probabilities of labels as they are
            given, wrong ones included; "clean" those of the true labels, if a share `noise_rate` of
            the given ones is wrong and any other class is as likely to be written down. "noisy" is
            the soft-max of the scores, because the factors that put the members of the pool
            together are fitted out of bag, by the log loss: scores are calibrated as they come.
            None is the soft-max of the scores too, so it gives the same numbers.
        noise_rate: the share of wrong labels for calibrate="clean"; None takes `label_noise_`.
        cost: what answers cost, as in `SoftmaxBoostClassifier`: None, a matrix (true × answered),
            or a dict over labels, but no costs for each row. `predict` is then the answer of least
            expected cost under `predict_proba` (the Bayes rule), not its argmax; neither the pool
            nor the probabilities depend on costs, and `score` stays the share of right answers.
        monotonic_cst: columns along which the score must not fall or rise, as in
            `BoostingClassifier`.
        learning_rate: the rate of the boosted trees.
        n_trees: the trees of each forest; None means up to 200, fewer on more rows.
        max_features: the columns that are tried at each node of a forest's tree: "sqrt", a number,
            a share, or None for all.
        subsample: the share of the rows that each boosted tree learns from, drawn anew.
        max_bins: as in `BoostingClassifier`.
        categorical_features: as in `BoostingClassifier`.
        class_weight: None, "balanced", or a dict from labels to factors for the row weights.
        random_state: seed of all draws; None draws a seed.
        n_jobs: number of threads; None or −1 means all cores. Results do not depend on it.

    Attributes:
        oob_score_: the share of rows whose given label is the prediction of trees that have not
            seen it.
        oob_log_loss_: their mean log loss.
        oob_decision_function_: their scores; NaN for rows of weight zero and, beyond 50,000 rows,
            for those that were not judged.
        label_noise_: the estimated share of wrong labels, with an interval; see `LabelNoise`.
        suspects_: all judged rows, the most suspect labels first, as `suspect_labels` returns them.
        capacity_: what was chosen: a frame with the loss and the share of every candidate.
        learning_curve_: the out-of-fold log loss of the boosted trees by the number of rounds.
        train_score_: `oob_score_` for every round; this model has no score on rows it has seen.

    The other attributes are those of `BoostingClassifier`; `estimators_` holds the trees of the
    forests and then the boosted ones. What is known out of bag is not saved in model files, but for
    the rate that calibrate="clean" has estimated.

    Examples:
        Every fifth label is wrong:

        >>> import numpy as np
        >>> from weakforce import WeakForceClassifier, datasets
        >>> X, y = datasets.make_twonorm(600, seed=1)
        >>> labels = np.where(np.arange(600) % 5 == 0, 1 - y.to_numpy(), y.to_numpy())
        >>> model = WeakForceClassifier(random_state=0).fit(X[:300], labels[:300])
        >>> bool(model.score(X[300:], y[300:]) > 0.93)
        True
        >>> bool(0.1 < model.label_noise_.rate < 0.3)
        True
    """

    decides_by_cost: ClassVar[bool] = True
    _reported = (
        "oob_score_",
        "oob_log_loss_",
        "oob_decision_function_",
        "label_noise_",
        "capacity_",
        "learning_curve_",
        "_out_of_bag",
    )

    def __init__(
        self,
        *,
        n_estimators: int | str = "auto",
        time_limit: float | None = None,
        calibrate: str | None = "noisy",
        noise_rate: float | None = None,
        cost: Any = None,
        monotonic_cst: Any = None,
        learning_rate: float = 0.1,
        n_trees: int | None = None,
        max_features: Any = "sqrt",
        subsample: float = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators  # type: ignore[assignment]
        self.time_limit = time_limit
        self.calibrate = calibrate
        self.noise_rate = noise_rate
        self.cost = cost
        self.monotonic_cst = monotonic_cst
        self.learning_rate = learning_rate
        self.n_trees = n_trees
        self.max_features = max_features
        self.subsample = subsample
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def capabilities(cls) -> Capabilities:
        """Return what the model can do; its forests need all rows in one process."""
        return replace(super().capabilities(), may_shard=False)

    @classmethod
    def _core_kind(cls) -> str:
        return "logitboost"  # what is boosted beside the forests

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:  # noqa: ARG002
        return Tree(max_leaf_nodes=31, min_samples_leaf=20)

    def _booster_settings(self, rows: Rows, target: Any, costs: Floats | None) -> dict[str, Any]:  # noqa: ARG002
        return {"l2_regularization": 1.0, "step": "unit"}

    def _settings(self, learner: Any, frame: Any, seed: int) -> dict[str, Any]:
        # What early stopping would need has no meaning here; the core wants to see it all the same.
        unused = ("early_stopping", "validation_fraction", "n_iter_no_change", "scoring", "tol")
        settings = {name: getattr(SharedParameters, name) for name in unused}
        settings |= super()._settings(learner, frame, seed)
        is_auto = isinstance(self.n_estimators, str) and self.n_estimators == "auto"
        if is_auto:
            settings["n_estimators"] = _MOST_ROUNDS
        chosen = ("n_trees", "max_features", "time_limit")
        settings["pool"] = {name: getattr(self, name) for name in chosen}
        settings["pool"]["auto_rounds"] = is_auto
        return settings

    def _class_weights_are_costs(self, rows: Rows, target: Target) -> bool:  # noqa: ARG002
        """Return True: probabilities are calibrated under the weights."""
        return True

    def _task(
        self,
        train: Rows,
        validation: Rows,
        earlier: FittedModel | None,
        storage: Storage = NOTHING,
    ) -> Task:
        if validation.X is not None:
            raise ValueError(
                "parameter 'X_val': got validation rows, expected None, because "
                "WeakForceClassifier judges itself on rows that its trees have not seen"
            )
        self._check_rounds()
        return super()._task(train, validation, earlier, storage)

    def _rereads(self) -> bool:
        return False

    @classmethod
    def calibration_kinds(cls) -> tuple[str, ...]:
        """Return the kinds of calibrations that models of this estimator can have."""
        return ("clean",)

    def _check_calibration(self, rows: Rows, target: Target) -> None:  # noqa: ARG002
        if self.calibrate not in _CALIBRATIONS:
            raise ValueError(
                f"parameter 'calibrate': got {self.calibrate!r}, expected 'noisy', 'clean' or None"
            )
        if self.noise_rate is not None:
            check_rate(self.noise_rate, len(target.classes), "parameter 'noise_rate'")
        class_costs(self.cost, target.classes)

    def calibration_without_entry(self, n_classes: int) -> CleanLabels | None:
        """Return how probabilities are made according to the parameters alone."""
        if self.calibrate != "clean":
            return None
        if self.noise_rate is None:
            raise ValueError(
                "calibrate is 'clean', but there is neither a noise_rate nor a calibration with "
                "the estimated one"
            )
        return CleanLabels(check_rate(self.noise_rate, n_classes, "parameter 'noise_rate'"))

    def _completed(
        self, model: FittedModel, task: Task, reports: list[dict[str, Floats]]
    ) -> FittedModel:
        calibration = None
        if self.calibrate == "clean":
            calibration = CleanLabels(self._rate(model.n_classes, _judged(reports, task)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is odd about them was said before the fit
            costs = class_costs(self.cost, model.classes)
        return replace(model, calibration=calibration, costs=costs)

    def _rate(self, n_classes: int, judged: OutOfBag) -> float:
        """Return the share of wrong labels: as given, or as estimated."""
        if self.noise_rate is not None:
            return float(self.noise_rate)
        estimated = estimate_noise(judged)
        most = 1.0 - 1.0 / n_classes
        if estimated.rate >= most:
            raise ValueError(
                f"parameter 'calibrate': got 'clean', but the estimated share of wrong labels is "
                f"{estimated}, expected below {most:.1%}; set noise_rate, or calibrate to 'noisy'"
            )
        return estimated.rate

    def _check_rounds(self) -> None:
        if isinstance(self.n_estimators, str) and self.n_estimators != "auto":
            raise ValueError(
                f"parameter 'n_estimators': got {self.n_estimators!r}, expected 'auto' or an "
                "integer >= 1"
            )

    def _report(self, reports: list[dict[str, Floats]], task: Task) -> None:
        judged = _judged(reports, task)
        self._out_of_bag = judged
        self.oob_decision_function_ = judged.decision_function()
        self.oob_score_ = judged.accuracy()
        self.oob_log_loss_ = judged.log_loss()
        self.label_noise_: LabelNoise = estimate_noise(judged)
        self.capacity_: pl.DataFrame = capacity_table(reports[0])
        self.learning_curve_: pl.DataFrame = learning_curve(reports[0])

    @property
    def suspects_(self) -> pl.DataFrame:
        """All judged rows, the most suspect labels first, in the columns of `suspect_labels`.

        Rows are judged by trees that have not seen them. `influence` is null.
        """
        return self._known("suspects_").suspects(self.classes_)

    def _known(self, name: str) -> OutOfBag:
        """Return what is known out of bag, which files do not hold."""
        check_is_fitted(self)
        judged: OutOfBag | None = getattr(self, "_out_of_bag", None)
        if judged is None:
            raise AttributeError(
                f"{name} is known only to the estimator that was fitted: it is not part of model "
                "files"
            )
        return judged

    @property
    def n_iter_no_change(self) -> int:  # type: ignore[override]
        """Not a parameter of this estimator, which stops nothing early."""
        raise AttributeError("WeakForceClassifier has no parameter 'n_iter_no_change'")

    def summary(self, n: int = 5) -> str:
        """Return in a few lines what was learned and how sure it is; names `n` columns."""
        judged: OutOfBag | None = getattr(self, "_out_of_bag", None)
        return "\n".join(summary_lines(self.fitted_model_, judged, self._capacity(), n))

    def _capacity(self) -> pl.DataFrame | None:
        return getattr(self, "capacity_", None)

    @property
    def feature_importances_(self) -> Floats:
        """How much of the variance of the scores the splits of each column explain; sums to 1."""
        return np.asarray(self.fitted_model_.core.explained())


def _judged(reports: list[dict[str, Floats]], task: Task) -> OutOfBag:
    """Return the judgements out of bag that the core reports."""
    scores = np.column_stack([report["oob_scores"] for report in reports])
    return OutOfBag.of(scores, task.given.codes, task.given.weights)
