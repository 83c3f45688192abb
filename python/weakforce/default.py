"""WeakForceClassifier: the estimator for whoever has a table and no time.

In: parameters. Out: an estimator; the pool of trees that it is made of is in the core, `src/pool`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ._estimator.base import BoostingClassifier
from .learners import Tree, WeakLearner


@dataclass(eq=False, repr=False, kw_only=True)
class WeakForceClassifier(BoostingClassifier):
    """Forests and boosted trees in one sum, whose capacity follows the noise of the labels."""

    n_estimators: int | str = "auto"
    learning_rate: float = 0.1
    n_trees: int | None = None
    max_features: Any = "sqrt"
    subsample: float = 1.0
    time_limit: float | None = None

    _kind: ClassVar[str] = "weakforce"

    @classmethod
    def _core_kind(cls) -> str:
        return "logitboost"

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:  # noqa: ARG002
        return Tree(max_leaf_nodes=31, min_samples_leaf=20)

    def _booster_settings(self, rows: Any, target: Any, costs: Any) -> dict[str, Any]:  # noqa: ARG002
        return {"l2_regularization": 1.0, "step": "unit"}

    def _settings(self, learner: Any, frame: Any, seed: int) -> dict[str, Any]:
        settings = super()._settings(learner, frame, seed)
        settings["n_estimators"] = 256 if self.n_estimators == "auto" else self.n_estimators
        settings["pool"] = {
            name: getattr(self, name)
            for name in ("n_trees", "max_features", "subsample", "time_limit")
        }
        return settings

    def _report(self, reports: Any) -> None:
        self._pool_reports = reports
