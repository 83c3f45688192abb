"""Noise-robust, margin-aware, readable boosting for tabular data.

Estimators follow scikit-learn's conventions and take Polars frames, anything that speaks Arrow, or
NumPy arrays. `WeakForceClassifier` is the one to begin with; `guide()` says what the others are
for, `boosters()` lists them, `weak_learners()` what they can boost; `load` reads what `save` wrote.

A name is imported when it is first used, as SPEC 1 of Scientific Python describes it; with the
environment variable EAGER_IMPORT set, all of them are imported at once. `_public_names` says where
they are; the imports below tell type checkers the same.
"""

import os
from typing import TYPE_CHECKING, Any

from . import _public_names

if TYPE_CHECKING:
    from . import datasets as datasets
    from ._core import __version__ as __version__
    from ._estimator.base import BoostingClassifier as BoostingClassifier
    from ._estimator.base import boosters as boosters
    from ._fitting.observers import RoundInfo as RoundInfo
    from ._guide import guide as guide
    from ._margins.annealing import annealing_curve as annealing_curve
    from ._margins.curves import margin_curve as margin_curve
    from ._margins.decomposition import BiasVariance as BiasVariance
    from ._margins.decomposition import bias_variance as bias_variance
    from ._margins.generalization import margin_bounds as margin_bounds
    from ._margins.statistics import margin_statistics as margin_statistics
    from ._margins.training_error import rounds_to_zero_error as rounds_to_zero_error
    from ._reading.hypotheses import RBFNetHypothesis as RBFNetHypothesis
    from ._reading.hypotheses import RuleHypothesis as RuleHypothesis
    from ._reading.hypotheses import StumpHypothesis as StumpHypothesis
    from ._reading.hypotheses import TreeHypothesis as TreeHypothesis
    from ._reading.literals import Literal as Literal
    from ._reading.literals import Split as Split
    from ._reading.model_file import load as load
    from ._wrong_labels.estimating import label_noise as label_noise
    from ._wrong_labels.noise import LabelNoiseEstimate as LabelNoiseEstimate
    from .adaboost import AdaBoostRClassifier as AdaBoostRClassifier
    from .adaboost import ArcGVClassifier as ArcGVClassifier
    from .adaboost import DiscreteAdaBoostClassifier as DiscreteAdaBoostClassifier
    from .adaboost import GentleBoostClassifier as GentleBoostClassifier
    from .adaboost import RealAdaBoostClassifier as RealAdaBoostClassifier
    from .cleaned import CleanedClassifier as CleanedClassifier
    from .committees import ArcX4Classifier as ArcX4Classifier
    from .committees import BaggedClassifier as BaggedClassifier
    from .committees import MultiBoostClassifier as MultiBoostClassifier
    from .committees import WaggedClassifier as WaggedClassifier
    from .datasets.bayes_curve import bayes_margin_curve as bayes_margin_curve
    from .learners import RBFNet as RBFNet
    from .learners import Rule as Rule
    from .learners import Stump as Stump
    from .learners import Tree as Tree
    from .learners import WeakLearner as WeakLearner
    from .learners import weak_learners as weak_learners
    from .logitboost import LogitBoostClassifier as LogitBoostClassifier
    from .martingale import MartiBoostClassifier as MartiBoostClassifier
    from .multiclass import AdaBoostM1Classifier as AdaBoostM1Classifier
    from .multiclass import AdaBoostM2Classifier as AdaBoostM2Classifier
    from .multiclass import AdaBoostMHClassifier as AdaBoostMHClassifier
    from .multiclass import SAMMEClassifier as SAMMEClassifier
    from .plotting import BucketDisplay as BucketDisplay
    from .plotting import ContributionDisplay as ContributionDisplay
    from .plotting import LearningDisplay as LearningDisplay
    from .plotting import MarginDisplay as MarginDisplay
    from .plotting import ProbabilityDisplay as ProbabilityDisplay
    from .plotting import ShapeDisplay as ShapeDisplay
    from .prediction_files import predict_file as predict_file
    from .reweighting import LPAdaBoostClassifier as LPAdaBoostClassifier
    from .reweighting import QPAdaBoostClassifier as QPAdaBoostClassifier
    from .reweighting import reweight as reweight
    from .soft_margin import ERLPBoostClassifier as ERLPBoostClassifier
    from .soft_margin import LPBoostClassifier as LPBoostClassifier
    from .soft_margin import RegularizedAdaBoostClassifier as RegularizedAdaBoostClassifier
    from .soft_margin import SoftBoostClassifier as SoftBoostClassifier
    from .softmax import SoftmaxBoostClassifier as SoftmaxBoostClassifier
    from .suspects import suspect_labels as suspect_labels
    from .symmetric import SFBoostClassifier as SFBoostClassifier
    from .weak_force import WeakForceClassifier as WeakForceClassifier
else:
    # Hidden from type checkers, which would take every name for a public one.
    __all__ = _public_names.ALL

    def __getattr__(name: str) -> Any:
        found = globals()[name] = _public_names.find(name)
        return found

    if os.environ.get("EAGER_IMPORT"):
        for _name in _public_names.ALL:
            __getattr__(_name)


def __dir__() -> list[str]:
    special = [name for name in globals() if name.startswith("__")]
    return sorted({*special, *_public_names.ALL, *_public_names.MODULES})
