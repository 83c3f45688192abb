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

_SCHEMA = {
    "member": pl.String,
    "leaf_rows": pl.Int64,
    "shrinkage": pl.Float64,
    "rounds": pl.Int64,
    "loss": pl.Float64,
    "share": pl.Float64,
}


def capacity_table(report: Mapping[str, Floats]) -> pl.DataFrame:
    """Return all candidates: forests by shrinkage, boosted trees by rounds.

    The loss of forests is the Brier score, that of boosted trees the log loss.
    `share` is how much of the model a candidate is; the shares of all add up to 1.
    """
    forest, boosted = np.asarray(report["factors"]) / max(sum(report["factors"]), 1e-300)
    kinds = [_FORESTS[int(kind)] for kind in report["candidate_forest"]]
    rounds = np.asarray(report["stage_rounds"], dtype=int)
    chosen = np.arange(len(rounds)) == int(np.argmin(report["stage_loss"]))
    no_rounds, no_forest = [None] * len(kinds), [None] * len(rounds)
    return pl.DataFrame(
        {
            "member": [*kinds, *["boosted"] * len(rounds)],
            "leaf_rows": [*map(int, report["candidate_leaf_rows"]), *no_forest],
            "shrinkage": [*map(float, report["candidate_lambda"]), *no_forest],
            "rounds": [*no_rounds, *rounds.tolist()],
            "loss": np.concatenate([report["candidate_loss"], report["stage_loss"]]),
            "share": np.concatenate(
                [forest * np.asarray(report["candidate_weight"]), boosted * chosen]
            ),
        },
        schema=_SCHEMA,
    )


def learning_curve(report: Mapping[str, Floats]) -> pl.DataFrame:
    """Return the out-of-fold log loss of the boosted trees by the number of rounds."""
    rounds = np.asarray(report["stage_rounds"], dtype=int)
    return pl.DataFrame({"rounds": rounds, "log_loss": np.asarray(report["stage_loss"])})
