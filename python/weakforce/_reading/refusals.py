"""Which models can be taken apart into tests of columns, and what to say of the others.

In: a fitted estimator and the method that was asked for. Out: nothing, or a TypeError that names
the estimator and says what works instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier

_KINDS = ("stump", "rule", "tree")

#: How users call kinds of hypotheses that are refused.
_NAMES = {"rbf_net": "RBFNet()"}


def refuse_others(estimator: BoostingClassifier, method: str, *, buckets: bool) -> None:
    """Refuse models whose scores are no sums over stumps, rules or trees.

    `buckets` says whether scores may be looked up by such a sum, as those of SFBoost are.
    """
    model = estimator._model
    name = type(estimator).__name__
    sums = f"{method}() is for scores that are sums of votes, but {name}"
    if model.node_masses is not None:
        raise TypeError(
            f"{sums} sends rows through a grid; predict() and decision_function() score it, and "
            "summary() shows how it decides"
        )
    if model.buckets is not None and not buckets:
        raise TypeError(
            f"{sums} looks at how many votes a row gets; to_polars(), rules() or summary() show "
            "how it decides"
        )
    found = model.hypothesis(0) if model.n_members else None
    if found is not None and not (isinstance(found, dict) and found["kind"] in _KINDS):
        kind = found["kind"] if isinstance(found, dict) else type(found).__name__
        raise TypeError(
            f"{method}() is for models of Stump(), Rule() or Tree(), but this one is made of "
            f"{_NAMES.get(kind, kind)}; predict() and decision_function() work for all"
        )
