"""MartiBoost: rows walk through a grid of hypotheses.

In: parameters. Out: an estimator; the algorithm is in the core, `src/booster/martingale`. More
classes become several two-class problems, see `_estimator.decomposed`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ._estimator.decomposed import DecomposedClassifier
from ._fitting.labels import Floats
from ._margins.theory import MarginTheory
from ._reading.fitted_model import FittedModel

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class _GridTheory(MarginTheory):
    """Margins of a grid: the mass on the side of the label less that on the other."""

    def normalized(self, model: FittedModel, leads: Floats, kind: str, n_rounds: int) -> Floats:  # noqa: ARG002
        return np.tanh(leads / 2)


@dataclass(eq=False, repr=False, kw_only=True)
class MartiBoostClassifier(DecomposedClassifier):
    """MartiBoost: a walk to the right or to the left (Long and Servedio 2005; Geist 2015).

    The hypotheses form a grid: layer l has a node for each number k = 0 … l of moves to the right.
    A row starts at the only node of the first layer and goes right where the hypothesis of its node
    answers +1, left where it answers −1. After all layers a row that went right in more than half
    of them is of the second class; half of them counts half. A node learns from the rows that reach
    it, weighed so that both classes weigh the same there, and just half of that weight goes right:
    of q = P[h = +1] > ½ only the share ½/q, of 1 − q > ½ only ½/(1 − q) goes left. Rows with wrong
    labels never gain weight; they walk with the rows that look like them.

    Nothing is drawn: every row is a distribution over the nodes of a layer, so that fits and
    predictions are exact and `predict_proba` is the mass that ends on the right.

    Parameters:
        n_layers: the number of layers L, 1 to 10,000; there are at most L(L+1)/2 hypotheses, and
            they are fitted in parallel, layer by layer. It takes the place of `n_estimators`.
        randomized: whether each training row walks by chance, as in the paper, and takes part in
            one node of each layer only. Predictions are the exact mass even then.
        learning_rate: must stay 1.

    Attributes:
        estimators_: the hypotheses by layer and node, None where a node has none; under
            `multi_class` by layer, problem and node.
        estimator_weights_: q by layer and node (by layer, problem and node), 0 where there is none.
        estimator_errors_: errors under the balanced weights of the node, likewise, ½ for none.
        node_mass_: the share of the training weight that reaches each node, likewise. The nodes of
            a layer share all of it.
        n_layers_: the number of layers in the model, which is `n_iter_`.

    Since every node weighs both classes the same, start weights of classes (`sample_weight`) change
    nothing for two classes but the `train_score_`, the `row_weights_` and which nodes are too light
    for a hypothesis; `class_weight` shifts the score.

    A node that only one class reaches passes its rows to that side. So does, to the side of the
    heavier class, a node in layer l = 0, 1, … whose mass is below 1e-6/((l+1)²(l+2)). All of these
    together hold at most a millionth of the training weight: whatever hypotheses they had, the
    probabilities of the training rows would differ by no more than that on average. A node that no
    training row reaches passes to the right iff 2k ≥ l.

    The score H is half the log-odds of the mass r on the right, at most ±18. "normalized" margins
    are tanh(lead/2), which for two classes is the mass on the side of the label less that on the
    other, y (2r − 1). The `row_weights_` are what the nodes of the next layer would attend to, by
    their masses; `feature_importances_` are the shares of the mass that meets hypotheses which look
    at a column. In `rules()` the weight of a rule is the mass of its node. The `stop_reason_` is
    "n_estimators" when all layers are there. With `warm_start` and more layers the grid grows; how
    nodes without a hypothesis pass rows on is learned anew. More than two classes are decomposed by
    `multi_class` ("ovr", "ovo", "ecoc", "ecoc-max" or a code matrix) and `decode`, and every
    problem has a grid. The parameters that all boosters share are described in
    `BoostingClassifier`.

    Examples:
        >>> from weakforce import MartiBoostClassifier, datasets
        >>> X, y = datasets.make_long_servedio(1000, noise=0.2, seed=1)
        >>> clean_X, clean_y = datasets.make_long_servedio(1000, seed=2)
        >>> model = MartiBoostClassifier(n_layers=40).fit(X, y)
        >>> model.score(clean_X, clean_y) > 0.8
        True
        >>> [len(layer) for layer in model.estimators_[:3]]
        [1, 2, 3]
    """

    n_layers: int = 100
    randomized: bool = False
    n_estimators: int = field(init=False, default=0)

    _kind: ClassVar[str] = "martiboost"

    def _margin_theory(self) -> MarginTheory:
        return _GridTheory()

    def _adopt(self, model: FittedModel) -> Self:
        super()._adopt(model)
        self.n_layers_ = self.n_iter_
        self.node_mass_ = self.fitted_model_.node_masses
        return self

    @property
    def estimators_(self) -> list[Any]:
        """The weak hypotheses by layer and node; by layer, problem and node under `multi_class`."""
        return super().estimators_
