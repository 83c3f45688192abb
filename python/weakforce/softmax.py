"""Soft-max boosting: the booster that minimises the costs users state.

In: parameters, and costs of wrong answers. Out: an estimator; the algorithm is in the core,
`src/booster`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ._estimator.class_by_class import ClassByClassClassifier
from ._fitting.costs import class_costs, has_a_row_each, row_costs
from ._fitting.labels import Floats
from ._fitting.rows import Rows
from ._fitting.storage import Storage
from ._fitting.targets import LabelSets, Target
from ._reading.fitted_model import FittedModel

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Self


@dataclass(eq=False, repr=False, kw_only=True)
class SoftmaxBoostClassifier(ClassByClassClassifier):
    """Soft-max boosting: minimises the expected cost, and shrugs off wrong labels (Geist 2015).

    The model answers x with class k with probability g(k|x), the soft-max of its scores. Each round
    draws pairs of a row i and an answer k from that distribution and finds a hypothesis f_k for
    every class, which says where answering k is cheaper than what the model answers on average; it
    is added to the score of k, with the mean gain of the drawn pairs as its weight. That is
    stochastic gradient descent on Σ u_i Σ_k g(k|x_i) c_i(k), the expected cost, in function space.

    Training drives the model to the cheapest answer, so `predict` is the argmax of `predict_proba`:
    costs are not applied a second time.

    Parameters:
        cost: what answers cost, ≥ 0: None (0 if right, otherwise 1), a matrix of K × K numbers
            (true × answered, in the order of `classes_`), or a dict {true: {answered: cost}} or
            {(true, answered): cost}, where pairs that are not named cost 1 and right answers
            nothing. Costs times a constant lead to the same model.
        n_draws: the number of pairs drawn in each round; "auto" means as many as rows, and for two
            classes an eighth of that, but 500 if there are as many rows. Chance helps the descent
            out of places where it would get stuck, such as those that wrong labels lead to; fewer
            draws mean more of it. None uses all pairs, weighted by their probability: no chance is
            involved.
        step: "paper" gives a hypothesis the mean gain of the drawn pairs as weight, "theory" the
            step under which the expected cost provably never rises if `n_draws` is None.

    Answers must be votes (`answer="auto"` or "vote") or shares ("gentle"). The default learner is
    `Tree(max_leaf_nodes=12)`. The parameters that all boosters share are described in
    `BoostingClassifier`. `early_stopping` watches the expected cost of the validation
    rows.

    Attributes:
        expected_cost_: Σ u_i Σ_k g(k|x_i) c_i(k) over the training rows after each round, in the
            units of `cost`.
        validation_cost_: the same for validation rows; empty without them.
        train_score_: share of training weight whose argmax is the right answer; if rows have costs
            or several labels of their own, a cheapest one.
        multilabel_: whether y had several labels per row.

    Examples:
        Taking class 0 for another one costs ten times as much as any other mistake:

        >>> from weakforce import SoftmaxBoostClassifier, datasets
        >>> X, y = datasets.make_waveform(300, n_classes=3, seed=1)
        >>> options = {"n_estimators": 20, "random_state": 0}
        >>> plain = SoftmaxBoostClassifier(**options).fit(X, y)
        >>> careful = SoftmaxBoostClassifier(cost={0: {1: 10, 2: 10}}, **options).fit(X, y)
        >>> bool((careful.predict(X) == 0).sum() > (plain.predict(X) == 0).sum())
        True
        >>> bool(careful.expected_cost_[-1] < careful.expected_cost_[0])
        True
    """

    cost: Any = None
    n_draws: Any = "auto"
    step: str = "paper"

    _kind: ClassVar[str] = "softmax"

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        cost: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        cost_val: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: int = 50,
        codes_dir: str | PathLike[str] | None = None,
    ) -> Self:
        """Fit the booster.

        Parameters:
            X: a Polars DataFrame or LazyFrame, anything with `__arrow_c_stream__` (pandas, pyarrow,
                DuckDB), or a two-dimensional array. Null and NaN are missing values.
            y: the label of each row, of any type, or the name of the column of X that holds them.
                Rows with several labels: a matrix of 0 and 1 with a column for each label, whose
                numbers are then the `classes_`, or a Polars series or column of lists of labels;
                an answer costs 0 if it is among the labels, otherwise 1.
            sample_weight: a weight ≥ 0 for each row; a row of weight zero is as good as absent.
            cost: takes the place of the parameter `cost` for this fit: a row of costs for each row
                of X, with a column for each of `classes_`, or anything that the parameter takes.
            X_val: rows to score after each round, for early stopping or just for the record.
            y_val: their labels, or the name of the column of X_val that holds them.
            cost_val: a row of costs for each row of X_val, if `cost` has one for each row of X.
            checkpoint: a file from which a fit that was ended goes on, as for all boosters.
            checkpoint_every: the rounds after which it is written anew.
            codes_dir: a folder for codes that are more than memory holds.

        Returns:
            The estimator. If fit fails it stays as it was.
        """
        watched = Rows(X_val, y_val, cost=cost_val, suffix="_val")
        storage = Storage.of(checkpoint, checkpoint_every, codes_dir)
        return self._fit(Rows(X, y, sample_weight, cost), watched, storage)

    @property
    def multilabel_(self) -> bool:
        """Whether y had several labels per row."""
        return self.fitted_model_.has_label_sets

    def _row_costs(self, rows: Rows, target: Target, truth: Any) -> Floats | None:
        if isinstance(target, LabelSets):
            if rows.cost is not None or self.cost is not None:
                raise ValueError(
                    f"parameter 'cost{rows.suffix}': got costs beside a y with several labels per "
                    "row, from which they follow; expected None"
                )
            return target.costs(truth)
        if (rows.suffix and rows.cost is not None) or has_a_row_each(rows.cost, len(truth)):
            return row_costs(rows.cost, len(truth), target.classes, f"cost{rows.suffix}")
        return None

    def _class_weights_are_costs(self, rows: Rows, target: Target) -> bool:
        """Whether class weights multiply costs that are given."""
        given = self.cost is not None or rows.cost is not None
        return given or super()._class_weights_are_costs(rows, target)

    def _check_calibration(self, rows: Rows, target: Target) -> None:
        super()._check_calibration(rows, target)
        if self.calibrate is not None and (self.cost is not None or rows.cost is not None):
            raise ValueError(
                f"parameter 'calibrate': got {self.calibrate!r} beside costs, expected None: the "
                "cheapest answer would no longer be the most probable class"
            )

    def _booster_settings(self, rows: Rows, target: Target, costs: Floats | None) -> dict[str, Any]:
        settings = super()._booster_settings(rows, target, costs)
        if costs is None and rows.cost is None:
            matrix = class_costs(self.cost, target.classes)
        elif costs is None:
            matrix = class_costs(rows.cost, target.classes, ", or a row for each row of X")
        else:
            matrix = None
        settings["cost"] = None if matrix is None else matrix.tolist()
        settings["n_draws"] = _draws(self.n_draws)
        return settings

    def _adopt(self, model: FittedModel) -> Self:
        super()._adopt(model)
        self.expected_cost_ = self.fitted_model_.expected_costs
        self.validation_cost_ = self.fitted_model_.validation_costs
        return self


def _draws(n_draws: Any) -> int | None:
    """Return the number of draws as the core's settings name it: 0 for as many as rows."""
    if n_draws is None:
        return None
    if isinstance(n_draws, str) and n_draws == "auto":
        return 0
    whole = isinstance(n_draws, (int, np.integer)) and not isinstance(n_draws, bool)
    if whole and 1 <= n_draws < 2**63:
        return int(n_draws)
    kind = ValueError if whole or isinstance(n_draws, str) else TypeError
    raise kind(f"parameter 'n_draws': got {n_draws!r}, expected 'auto', an integer >= 1 or None")
