"""The public names of the library and the modules that hold them.

In: nothing; this module imports nothing heavy. Out: one table, which `weakforce.__getattr__`,
`boosters()` and the command line read. A new public name is one line here and one import for type
checkers in `__init__`; a test compares both with the modules.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: The boosters, in the order in which `boosters()` lists them.
BOOSTERS = {
    "DiscreteAdaBoostClassifier": "adaboost",
    "ArcGVClassifier": "adaboost",
    "RealAdaBoostClassifier": "adaboost",
    "AdaBoostRClassifier": "adaboost",
    "GentleBoostClassifier": "adaboost",
    "LogitBoostClassifier": "logitboost",
    "MartiBoostClassifier": "martingale",
    "SAMMEClassifier": "multiclass",
    "AdaBoostM1Classifier": "multiclass",
    "AdaBoostMHClassifier": "multiclass",
    "AdaBoostM2Classifier": "multiclass",
    "LPAdaBoostClassifier": "reweighting",
    "QPAdaBoostClassifier": "reweighting",
    "RegularizedAdaBoostClassifier": "soft_margin",
    "LPBoostClassifier": "soft_margin",
    "SoftBoostClassifier": "soft_margin",
    "ERLPBoostClassifier": "soft_margin",
    "SoftmaxBoostClassifier": "softmax",
    "SFBoostClassifier": "symmetric",
    "BaggedClassifier": "committees",
    "WaggedClassifier": "committees",
    "MultiBoostClassifier": "committees",
    "ArcX4Classifier": "committees",
}

#: All public names that are not modules.
PUBLIC_NAMES = {
    **BOOSTERS,
    "WeakForceClassifier": "weak_force",
    "BiasVariance": "_margins.decomposition",
    "BoostingClassifier": "_estimator.base",
    "BucketDisplay": "plotting",
    "CleanedClassifier": "cleaned",
    "ContributionDisplay": "plotting",
    "LabelNoiseEstimate": "_wrong_labels.noise",
    "LearningDisplay": "plotting",
    "Literal": "_reading.literals",
    "MarginDisplay": "plotting",
    "ProbabilityDisplay": "plotting",
    "RBFNet": "learners",
    "RBFNetHypothesis": "_reading.hypotheses",
    "RoundInfo": "_fitting.observers",
    "Rule": "learners",
    "RuleHypothesis": "_reading.hypotheses",
    "ShapeDisplay": "plotting",
    "Split": "_reading.literals",
    "Stump": "learners",
    "StumpHypothesis": "_reading.hypotheses",
    "Tree": "learners",
    "TreeHypothesis": "_reading.hypotheses",
    "WeakLearner": "learners",
    "__version__": "_core",
    "annealing_curve": "_margins.annealing",
    "bayes_margin_curve": "datasets.bayes_curve",
    "bias_variance": "_margins.decomposition",
    "boosters": "_estimator.base",
    "guide": "_guide",
    "label_noise": "_wrong_labels.estimating",
    "load": "_reading.model_file",
    "margin_bounds": "_margins.generalization",
    "margin_curve": "_margins.curves",
    "margin_statistics": "_margins.statistics",
    "predict_file": "prediction_files",
    "reweight": "reweighting",
    "rounds_to_zero_error": "_margins.training_error",
    "suspect_labels": "suspects",
    "weak_learners": "learners",
}

#: The modules that are attributes of the library without an import of their own.
MODULES = frozenset(path.partition(".")[0] for path in PUBLIC_NAMES.values()) | {"dask", "export"}

#: What `from weakforce import *` gives.
ALL = sorted([*PUBLIC_NAMES, "datasets"])


def find(name: str) -> Any:
    """Return what a public name or the name of a module stands for; imports its module.

    Raises AttributeError for other names.
    """
    if name in PUBLIC_NAMES:
        return getattr(import_module(f"weakforce.{PUBLIC_NAMES[name]}"), name)
    if name in MODULES:
        return import_module(f"weakforce.{name}")
    raise AttributeError(f"module 'weakforce' has no attribute {name!r}")
