"""Boosters with soft margins: how much the labels are believed is up to the user.

In: parameters. Out: estimators; the algorithms are in the core, `src/booster` and `src/solver`.
More classes become several two-class problems, see `_decomposed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._accounts import by_problem
from ._decomposed import DecomposedClassifier
from ._predictions import Floats


@dataclass(eq=False, repr=False, kw_only=True)
class RegularizedAdaBoostClassifier(DecomposedClassifier):
    """AdaBoost_Reg: AdaBoost that stops chasing rows it cannot get right (Rätsch et al. 2001).

    The influence μ of a row is the mean of its weights over the rounds: large for rows that stay
    hard, as those with wrong labels do. Each round minimises Σ exp(−½ Σb (ρ + C μᵖ)) over the
    weight b of the new vote, with ρ the margin of a row, and weighs rows by their terms: margins
    are forgiven to rows of high influence.

    Parameters:
        C: how much influence is forgiven, ≥ 0; 0 is AdaBoost. Weights of rows sum to 1, so their
            influence is about 1/m for m rows, and with p=2 a C of some m² / 100 begins to matter.
        p: the power of the influence, 1 or 2.

    Attributes:
        influence_: μ of each row of X; a column for each problem under `multi_class`. Zero for rows
            held back for validation. Not saved.

    The `stop_reason_` can also be "unbounded": the loss falls however much the vote weighs, because
    all rows that it gets wrong are forgiven. That is a C too large. More than two classes are
    decomposed by `multi_class`: "ovr", "ovo", "ecoc" or a code matrix. The parameters that all
    boosters share are described in `BoostingClassifier`.

    Examples:
        >>> from weakforce import RegularizedAdaBoostClassifier, datasets
        >>> X, y = datasets.make_xd6(500, noise=0.2, seed=1)
        >>> model = RegularizedAdaBoostClassifier(C=1000.0, n_estimators=50).fit(X, y)
        >>> hardest = model.influence_.argmax()
        >>> bool(model.margins(X, y)[hardest] < 0)
        True
    """

    C: float = 100.0
    p: int = 2

    _kind: ClassVar[str] = "regularized"
    _told: ClassVar[tuple[str, ...]] = ("influence_",)

    def _tell(self, accounts: list[dict[str, Floats]]) -> None:
        self.influence_ = by_problem(accounts, "influence")
