"""What the core reports of a run besides the model, as attributes of estimators.

In: numbers by name, for each two-class problem. Out: the same in the form of attributes: a number
or array for two classes, one for each problem for more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .labels import Floats

#: Attributes that solved programs have in common.
PROGRAM_ATTRIBUTES = (
    "objective_",
    "duality_gap_",
    "solve_time_",
    "nu_",
    "slack_",
    "duals_",
    "support_",
    "n_support_",
)


def by_problem(reports: list[dict[str, Floats]], name: str) -> Floats:
    """Return numbers by row, with a column for each problem if there are several."""
    numbers = [report[name] for report in reports]
    return numbers[0] if len(numbers) == 1 else np.column_stack(numbers)


def program_attributes(reports: list[dict[str, Floats]]) -> dict[str, Any]:
    """Return the attributes that solved programs have in common."""
    attributes: dict[str, Any] = {}
    for name in ("objective", "duality_gap", "solve_time", "nu"):
        numbers = np.concatenate([report[name] for report in reports])
        attributes[f"{name}_"] = float(numbers[0]) if len(numbers) == 1 else numbers
    attributes["slack_"] = by_problem(reports, "slack")
    attributes["duals_"] = by_problem(reports, "duals")
    support = [np.flatnonzero(report["duals"]) for report in reports]
    counts = np.array([len(rows) for rows in support])
    attributes["support_"] = support[0] if len(support) == 1 else support
    attributes["n_support_"] = int(counts[0]) if len(support) == 1 else counts
    return attributes
