"""What the core tells of a run besides the model, as attributes of estimators.

In: numbers by name, for each two-class problem. Out: the same as users look for them: a number or
array for two classes, one for each problem for more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._estimator.predictions import Floats

#: Attributes that solved programs have in common.
OF_PROGRAMS = (
    "objective_",
    "duality_gap_",
    "solve_time_",
    "nu_",
    "slack_",
    "duals_",
    "support_",
    "n_support_",
)


def by_problem(accounts: list[dict[str, Floats]], name: str) -> Floats:
    """Return numbers by row, with a column for each problem if there are several."""
    told = [account[name] for account in accounts]
    return told[0] if len(told) == 1 else np.column_stack(told)


def show_programs(estimator: Any, accounts: list[dict[str, Floats]]) -> None:
    """Set the attributes that solved programs have in common."""
    for name in ("objective", "duality_gap", "solve_time", "nu"):
        told = np.concatenate([account[name] for account in accounts])
        setattr(estimator, f"{name}_", float(told[0]) if len(told) == 1 else told)
    estimator.slack_ = by_problem(accounts, "slack")
    estimator.duals_ = by_problem(accounts, "duals")
    support = [np.flatnonzero(account["duals"]) for account in accounts]
    counts = np.array([len(rows) for rows in support])
    estimator.support_ = support[0] if len(support) == 1 else support
    estimator.n_support_ = int(counts[0]) if len(support) == 1 else counts
