"""Which models can be taken apart into tests of columns, and what to say of the others.

In: a fitted model and the method that was asked for. Out: nothing, or a TypeError that names
the booster and says what works instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .fitted_model import FittedModel

_KINDS = ("stump", "rule", "tree")

#: How users call kinds of hypotheses that are refused.
_NAMES = {"rbf_net": "RBFNet()"}


def refuse_others(model: FittedModel, method: str, *, grids: bool = False) -> None:
    """Refuse models whose scores are no sums over stumps, rules or trees, nor looked up by a sum.

    `grids` says whether rows may also move through a grid, as those of MartiBoost do.
    """
    sums = f"{method}() is for scores that are sums of votes, but {model.name}"
    if model.has_grid and not grids:
        raise TypeError(
            f"{sums} sends rows through a grid; predict() and decision_function() score it, and "
            "summary() shows how it decides"
        )
    if model.decode != "score":
        raise TypeError(
            f"{sums} has decode={model.decode!r}, whose scores are none; predict() and "
            "decision_function() score it, and decode='score' adds votes up"
        )
    if not (model.is_sum or model.counts_hypotheses or model.has_grid):
        raise TypeError(
            f"{sums} combines votes in another way; predict() and decision_function() score it"
        )
    kind = next(model.hypothesis_kinds(), None)
    if kind is not None and (model.is_external or kind not in _KINDS):
        raise TypeError(
            f"{method}() is for models of Stump(), Rule() or Tree(), but this one is made of "
            f"{_NAMES.get(kind, kind)}; predict() and decision_function() work for all"
        )
