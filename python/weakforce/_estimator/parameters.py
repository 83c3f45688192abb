"""The parameters that all boosters share; `BoostingClassifier` describes them.

In: what users set. Out: a dataclass, whose fields are the parameters of an estimator.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from typing import Any

from sklearn.base import BaseEstimator


@dataclass(eq=False, repr=False)
class SharedParameters(BaseEstimator):  # type: ignore[misc]
    """The parameters of every booster."""

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 100
    learning_rate: float = 1.0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"
    class_weight: Any = None
    monotonic_cst: Any = None
    calibrate: str | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int | None = None
    scoring: str = "loss"
    tol: float = 1e-7
    subsample: float = 1.0
    replace: bool = False
    resample: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    warm_start: bool = False
    callbacks: Any = None


#: Their names.
SHARED = frozenset(field.name for field in fields(SharedParameters))

#: Those among them that the core takes.
FOR_CORE = SHARED - {"class_weight", "calibrate", "verbose", "warm_start", "callbacks"}
