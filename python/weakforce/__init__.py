"""Noise-robust, margin-aware, readable boosting for tabular data.

Estimators follow scikit-learn's conventions and take Polars frames, anything that speaks Arrow, or
NumPy arrays. `boosters()` lists them all; `load` reads what `save` wrote.
"""

from . import datasets
from ._base import BoostingClassifier, boosters
from ._core import __version__
from ._hypotheses import StumpHypothesis
from ._model_file import load
from ._observers import RoundInfo
from .adaboost import (
    AdaBoostRClassifier,
    ArcGVClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
)
from .learners import Stump, WeakLearner

__all__ = [
    "AdaBoostRClassifier",
    "ArcGVClassifier",
    "BoostingClassifier",
    "DiscreteAdaBoostClassifier",
    "RealAdaBoostClassifier",
    "RoundInfo",
    "Stump",
    "StumpHypothesis",
    "WeakLearner",
    "__version__",
    "boosters",
    "datasets",
    "load",
]
