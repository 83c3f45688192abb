"""A pool in a few lines of text.

In: a fitted model, its judgements out of bag, and what was chosen. Out: lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from .._reading.summaries import score_meaning
from .label_noise import estimate_noise
from .scores import OutOfBag

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel


def summary_lines(
    model: FittedModel, judged: OutOfBag | None, capacity: pl.DataFrame | None, n: int
) -> list[str]:
    """Return what the model is, how good it is, how noisy labels are, what was chosen, and why."""
    n_trees = sum(1 for _ in model.member_places())
    lines = [
        f"{model.name}: {n_trees} trees, {len(model.classes)} classes",
        score_meaning(model),
    ]
    if judged is not None:
        lines.append(
            f"out of bag: accuracy {judged.accuracy():.4f}, log loss {judged.log_loss():.4f} "
            f"({len(judged.judged())} rows)"
        )
        lines.append(f"wrong labels: about {estimate_noise(judged)}")
    if capacity is not None:
        lines.append(_chosen(capacity))
    importances = np.asarray(model.core.explained())
    names = model.column_names
    best = [at for at in np.argsort(-importances, kind="stable")[:n] if importances[at] > 0]
    shown = ", ".join(f"{names[at]} ({importances[at]:.0%})" for at in best)
    lines.append(f"columns that count: {shown or 'none'}")
    return lines


def _chosen(capacity: pl.DataFrame) -> str:
    shares: dict[str, float] = {}
    for member, share in zip(capacity["member"], capacity["share"], strict=True):
        shares[member] = shares.get(member, 0.0) + share
    parts = [f"{member} {share:.0%}" for member, share in shares.items()]
    columns = ("shrinkage", "rounds", "share")
    shrinkage, rounds, weights = (capacity[name].to_numpy() for name in columns)
    is_forest = capacity["member"].to_numpy() != "boosted"
    if weights[is_forest].sum() > 0:
        mean = float(np.average(shrinkage[is_forest], weights=weights[is_forest]))
        parts.append(f"mean shrinkage of forests {mean:.0f} rows")
    chosen = rounds[~is_forest & (weights > 0)]
    if len(chosen):
        parts.append(f"{int(chosen[0])} boosted rounds")
    return "chosen: " + ", ".join(parts)
