"""AdaBoost as an annealing process: row weights as a soft-max of margins that grows harder.

In: a fitted booster of votes and its training rows. Out: a frame with temperature, entropy of the
row weights and margins by round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import entr, logsumexp

from .._estimator.checks import checked_booster
from .._fitting.labels import Floats
from .._fitting.rows import Rows
from .bounds import VoteTheory
from .rows import MarginRows
from .votes import refuse_all_but_votes

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

_SCHEMA = {
    "round": pl.Int64,
    "b": pl.Float64,
    "temperature": pl.Float64,
    "entropy": pl.Float64,
    "effective_rows": pl.Float64,
    "smallest_margin": pl.Float64,
    "soft_minimum": pl.Float64,
}


def annealing_curve(model: Any, X: Any, y: Any, *, sample_weight: Any = None) -> pl.DataFrame:
    """Return how far AdaBoost has cooled down after each round (Rätsch, Onoda and Müller 2001).

    AdaBoost-type algorithms minimise G = Σ u exp(−½ |b| (ρ − (1 − 2φ))) with ρ the normalized
    margins of rows, u their start weights, |b| = 2 Σ|α| the size of the weights of the hypotheses,
    b = 2α in the paper's notation. The gradient of G with respect to ρ is −½ |b| times the terms of
    the sum, and its share in a row is the weight of the row in the next round (lemma 1):
    w ∝ u exp(−½ |b| ρ), in which φ cancels out.

    These are Boltzmann weights exp(−ρ/T) of an energy ρ, so the temperature is T = 2/|b| = 1/Σ|α|
    (equation 4). It starts at infinity, where all rows weigh u, and falls with every round. In the
    limit T → 0 only the rows with the smallest margin weigh anything. The lower the temperature
    after as many rounds, the faster the annealing: strong learners cool fast, and a smaller φ
    slows it down.

    Parameters:
        model: a fitted booster of votes for two classes that weighs rows by exp(−y H): discrete
            AdaBoost, ATA, arc-gv, SAMME or AdaBoost.M1, with or without a learning rate.
        X: the rows of fit, without those held back for validation.
        y: their labels, or the name of the column of X that holds them.
        sample_weight: the start weights u; None weighs all rows the same.

    Returns:
        A frame with a row for each round and the columns

        - round: from 1; all the rest is as it is after the round.
        - b: |b| = 2 Σ|α|.
        - temperature: 2/|b|.
        - entropy: −Σ w ln w of the row weights for the next round; ln n if n rows weigh the same.
        - effective_rows: exp(entropy), the number of rows of equal weight with the same entropy.
        - smallest_margin: that of the rows with a weight above 0.
        - soft_minimum: −T ln Σ u exp(−ρ/T), a mean of margins to which rows with small ones
          contribute most. It approaches the smallest margin as T → 0, and is above it by at most
          T ln(1/u) of the row that has it.

    Examples:
        >>> from weakforce import DiscreteAdaBoostClassifier, annealing_curve, datasets
        >>> X, y = datasets.make_xd6(500, noise=0.0, seed=1)
        >>> model = DiscreteAdaBoostClassifier(n_estimators=100).fit(X, y)
        >>> curve = annealing_curve(model, X, y)
        >>> falling = curve["temperature"].diff().drop_nulls()
        >>> bool((falling < 0).all()), bool(curve["entropy"][0] > curve["entropy"][-1])
        (True, True)
    """
    booster = checked_booster(model)
    fitted = booster.fitted_model_
    refuse_all_but_votes(fitted, booster.capabilities().needs)
    _refuse_other_weights(fitted)
    rows = MarginRows.read(fitted, Rows(X, y, sample_weight), booster.n_jobs)
    lines = [
        _line(fitted, rows, n_rounds, leads)
        for n_rounds, leads in rows.leads_after(fitted, range(1, fitted.n_rounds + 1))
    ]
    return pl.DataFrame(lines, schema=_SCHEMA, orient="row")


def _refuse_other_weights(model: FittedModel) -> None:
    """Refuse models whose rows were not weighed by exp(−y H)."""
    expected = "one that weighs rows by exp(−y H), such as DiscreteAdaBoostClassifier"
    if not isinstance(model.theory, VoteTheory):
        raise ValueError(f"parameter 'model': got {model.name}, expected {expected}")
    if model.is_reweighted:
        raise ValueError(
            f"parameter 'model': got {model.name} whose weights were replaced by those of a "
            f"program, expected {expected}"
        )


def _line(model: FittedModel, rows: MarginRows, n_rounds: int, leads: Floats) -> dict[str, Any]:
    present = rows.weights > 0
    start, leads = rows.weights[present], leads[present]
    total = 2.0 * float(np.abs(model.weights[:n_rounds]).sum())
    margins = model.margins(leads, "normalized", n_rounds)
    weights, log_sum = next_weights(margins, start, total)
    entropy = float(entr(weights).sum())
    temperature = 2.0 / total if total > 0 else float("inf")
    return {
        "round": n_rounds,
        "b": total,
        "temperature": temperature,
        "entropy": entropy,
        "effective_rows": float(np.exp(entropy)),
        "smallest_margin": float(margins.min()),
        "soft_minimum": -temperature * log_sum if total > 0 else float(start @ margins),
    }


def next_weights(margins: Floats, start: Floats, total: float) -> tuple[Floats, float]:
    """Return the weights of rows that sum to 1, and ln Σ u exp(−½ |b| ρ)."""
    terms = np.log(start) - 0.5 * total * margins
    log_sum = float(logsumexp(terms))
    return np.exp(terms - log_sum), log_sum
