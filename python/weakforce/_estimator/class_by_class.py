"""What boosters share that ask about every class by itself.

In: the number of classes. Out: the learner that suits each of these two-class problems.
"""

from __future__ import annotations

from typing import ClassVar

from ..learners import Tree, WeakLearner
from .base import BoostingClassifier


class ClassByClassClassifier(BoostingClassifier):
    """Boosters that ask about every class by itself, even if there are only two."""

    _class_by_class: ClassVar[bool] = True

    def _default_learner(self, n_classes: int = 2) -> WeakLearner:  # noqa: ARG002
        return Tree(max_leaf_nodes=12)
