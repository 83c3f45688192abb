"""Noise-robust, margin-aware, readable boosting for tabular data.

Estimators follow scikit-learn's conventions and take Polars frames, anything that speaks Arrow, or
NumPy arrays. `boosters()` lists them all, `weak_learners()` what they can boost; `load` reads what
`save` wrote.
"""

from . import datasets
from ._core import __version__
from ._estimator.base import BoostingClassifier, boosters
from ._fitting.observers import RoundInfo
from ._margins.curves import margin_curve
from ._margins.statistics import margin_statistics
from ._reading.hypotheses import RBFNetHypothesis, RuleHypothesis, StumpHypothesis, TreeHypothesis
from ._reading.literals import Literal, Split
from ._reading.model_file import load
from .adaboost import (
    AdaBoostRClassifier,
    ArcGVClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
)
from .datasets.bayes_curve import bayes_margin_curve
from .learners import RBFNet, Rule, Stump, Tree, WeakLearner, weak_learners
from .martingale import MartiBoostClassifier
from .multiclass import (
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    SAMMEClassifier,
)
from .plotting import BucketDisplay, LearningDisplay, MarginDisplay, ShapeDisplay
from .reweighting import LPAdaBoostClassifier, QPAdaBoostClassifier, reweight
from .soft_margin import (
    ERLPBoostClassifier,
    LPBoostClassifier,
    RegularizedAdaBoostClassifier,
    SoftBoostClassifier,
)
from .softmax import SoftmaxBoostClassifier
from .suspects import suspect_labels
from .symmetric import SFBoostClassifier

__all__ = [
    "AdaBoostM1Classifier",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AdaBoostRClassifier",
    "ArcGVClassifier",
    "BoostingClassifier",
    "BucketDisplay",
    "DiscreteAdaBoostClassifier",
    "ERLPBoostClassifier",
    "LPAdaBoostClassifier",
    "LPBoostClassifier",
    "LearningDisplay",
    "Literal",
    "MarginDisplay",
    "MartiBoostClassifier",
    "QPAdaBoostClassifier",
    "RBFNet",
    "RBFNetHypothesis",
    "RealAdaBoostClassifier",
    "RegularizedAdaBoostClassifier",
    "RoundInfo",
    "Rule",
    "RuleHypothesis",
    "SAMMEClassifier",
    "SFBoostClassifier",
    "ShapeDisplay",
    "SoftBoostClassifier",
    "SoftmaxBoostClassifier",
    "Split",
    "Stump",
    "StumpHypothesis",
    "Tree",
    "TreeHypothesis",
    "WeakLearner",
    "__version__",
    "bayes_margin_curve",
    "boosters",
    "datasets",
    "load",
    "margin_curve",
    "margin_statistics",
    "reweight",
    "suspect_labels",
    "weak_learners",
]
