"""What a pool has chosen, as frames.

In: numbers by name, as the core reports them. Out: a line for each candidate, with its loss and its
share of the model; the loss of the boosted trees by the number of rounds.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from .._fitting.labels import Floats

#: The kinds of forests, in the order of the core's list.
_FORESTS = ("forest", "forest", "forest by trust")


def capacity_table(report: Mapping[str, Floats]) -> pl.DataFrame:
    """Return all candidates: forests by shrinkage, boosted trees by rounds.

    The loss of forests is the Brier score, that of boosted trees the log loss.
    `share` is how much of the model a candidate is; the shares of all add up to 1.
    """
    forest, boosted = np.asarray(report["factors"]) / max(sum(report["factors"]), 1e-300)
    kinds = [_FORESTS[int(kind)] for kind in report["candidate_forest"]]
    rounds = np.asarray(report["stage_rounds"], dtype=int)
    chosen = np.arange(len(rounds)) == int(np.argmin(report["stage_loss"]))
    forests = pl.DataFrame(
        {
            "member": pl.Series(kinds, dtype=pl.String),
            "leaf_rows": np.asarray(report["candidate_leaf_rows"], dtype=int),
            "shrinkage": np.asarray(report["candidate_lambda"]),
            "loss": np.asarray(report["candidate_loss"]),
            "share": forest * np.asarray(report["candidate_weight"]),
        }
    )
    stages = pl.DataFrame(
        {
            "member": ["boosted"] * len(rounds),
            "rounds": rounds,
            "loss": np.asarray(report["stage_loss"]),
            "share": boosted * chosen,
        }
    )
    columns = ["member", "leaf_rows", "shrinkage", "rounds", "loss", "share"]
    return pl.concat([forests, stages], how="diagonal").select(columns)


def learning_curve(report: Mapping[str, Floats]) -> pl.DataFrame:
    """Return the out-of-fold log loss of the boosted trees by the number of rounds."""
    rounds = np.asarray(report["stage_rounds"], dtype=int)
    return pl.DataFrame({"rounds": rounds, "log_loss": np.asarray(report["stage_loss"])})
