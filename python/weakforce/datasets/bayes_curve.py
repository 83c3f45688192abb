"""The margin curve of Bayes' rule, which no model of a domain can do better than.

In: a simulated domain. Out: a frame with the share of labels whose margin is at most θ, exact for
finite domains.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from .._margins.shares import checked_theta, share_up_to, usual_grid, with_jumps
from .domain import Domain, Floats, check_choice

__all__ = ["bayes_margin_curve"]

#: Margins are rounded to these, so that a jump at 1 − 2·noise is there and not an atom beside it.
_DECIMALS = 12


def bayes_margin_curve(
    domain: Domain, *, kind: str = "logistic", theta: Any = None
) -> pl.DataFrame:
    """Return the margin curve of Bayes' rule, to look at beside that of a model on new rows.

    Bayes' rule knows P(y|x). With p the probability of the label and q that of the likeliest other
    class, the logistic margin is (p − q)/(p + q): what tanh(y H / 2) is for the log-odds H of two
    classes, y (2 P(+1|x) − 1) (Nock and Nielsen 2007, equation 23).

    Parameters:
        domain: a domain whose posterior is known: all but `make_madelon_like`.
        kind: "logistic", or "normalized" for p − q, the lead in a vote of these shares; for two
            classes both are the same.
        theta: where to look; None means the same places as for `margin_curve`.

    Returns:
        A frame with the columns theta and share. On LEDeven, XD6, Monks, parity and Long–Servedio
        that is the exact share in the whole domain, whatever rows were drawn. On the others it is
        the share to be expected of the labels of the rows at hand: draw many for a smooth curve.

    Examples:
        One label in five is wrong, and Bayes' rule is equally sure of all:

        >>> from weakforce import bayes_margin_curve, datasets
        >>> domain = datasets.make_xd6(100, noise=0.2, seed=1)
        >>> curve = bayes_margin_curve(domain, theta=[-0.7, -0.5, 0.5, 0.7])
        >>> [round(share, 6) for share in curve["share"]]
        [0.0, 0.2, 0.2, 1.0]
    """
    if not isinstance(domain, Domain):
        raise TypeError(f"parameter 'domain': got {type(domain).__name__}, expected a Domain")
    check_choice("kind", kind, ("logistic", "normalized"))
    masses, posterior = _known(domain)
    margins = np.stack([_margins_of_class(posterior, k, kind) for k in range(posterior.shape[1])])
    margins = margins.round(_DECIMALS)
    weights = masses * posterior.T
    flat = margins.ravel()
    places = with_jumps(usual_grid([flat]), flat) if theta is None else checked_theta(theta)
    shares = share_up_to(places, flat, weights.ravel())
    return pl.DataFrame({"theta": places, "share": shares})


def _known(domain: Domain) -> tuple[Floats, Floats]:
    """Return probabilities of observations, and P(class | x) for them."""
    if domain.population is not None:
        return domain.population.masses, domain.population.posterior
    if domain.bayes_probability is None:
        raise ValueError("parameter 'domain': got one whose posterior is not known, expected it")
    posterior = domain.bayes_probability
    if posterior.ndim == 1:
        posterior = np.column_stack([1.0 - posterior, posterior])
    return np.full(len(posterior), 1.0 / len(posterior)), posterior


def _margins_of_class(posterior: Floats, label: int, kind: str) -> Floats:
    """Return the margins of Bayes' rule on observations with this label."""
    own = posterior[:, label]
    other = np.delete(posterior, label, axis=1).max(axis=1)
    lead: Floats = own - other
    total = own + other
    if kind == "normalized":
        return lead
    logistic: Floats = np.divide(lead, total, out=np.zeros_like(lead), where=total > 0)
    return logistic
