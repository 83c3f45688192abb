"""Boosters with soft margins: how much the labels are believed is up to the user.

In: parameters. Out: estimators; the algorithms are in the core, `src/booster` and `src/solver`.
More classes become several two-class problems, see `_estimator.decomposed`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._estimator.decomposed import DecomposedClassifier
from ._estimator.fitting import Task
from ._fitting.labels import Floats
from ._fitting.rows import Rows
from ._fitting.run_reports import PROGRAM_ATTRIBUTES, by_problem, program_attributes
from ._fitting.storage import Storage
from ._margins.soft import SoftMargins
from ._margins.theory import MarginTheory

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Self


@dataclass(eq=False, repr=False, kw_only=True)
class RegularizedAdaBoostClassifier(DecomposedClassifier):
    """AdaBoost_Reg: AdaBoost that stops chasing rows it cannot get right (Rätsch et al. 2001).

    The influence μ of a row is the mean of its weights over the rounds: large for rows that stay
    hard, as those with wrong labels do. The soft margin ρ̃ = ρ + C (μᵖ + ζ) of a row adds to its
    margin ρ what is forgiven: to rows of high influence, and to those that the user mistrusts, by
    ζ ≥ 0 (`mistrust` of `fit`). Each round minimises Σ exp(−Σb (½ρ̃ + φ − ½)) over the weight b of
    the new vote, and weighs rows by exp(−½ Σb ρ̃).

    Parameters:
        C: how much influence is forgiven, ≥ 0; 0 is AdaBoost. Weights of rows sum to 1, so their
            influence is about 1/m for m rows, and with p=2 a C of some m² / 100 begins to matter.
        p: the power of the influence, > 0. The larger, the more only the hardest rows are forgiven.
        phi: the error that counts as no edge, between 0 and 1. ½ is the paper's; a smaller value
            drives all soft margins towards 1 − 2φ and stops when no vote is that good. C=0 is
            `DiscreteAdaBoostClassifier` with the same φ.

    Attributes:
        influence_: μ of each row of X; a column for each problem under `multi_class`. Zero for rows
            held back for validation. Not saved.

    Margins have a third kind, "soft": ρ̃ of the rows of fit, for two classes; see `margins`. Of
    these there are margin curves too, after the last round.

    The `stop_reason_` can also be "unbounded": the loss falls however much the vote weighs, because
    all rows that it gets wrong are forgiven. That is a C too large. More than two classes are
    decomposed by `multi_class` ("ovr", "ovo", "ecoc", "ecoc-max" or a code matrix) and `decode`.
    The parameters that all boosters share are described in `BoostingClassifier`.

    Examples:
        >>> from weakforce import RegularizedAdaBoostClassifier, datasets
        >>> X, y = datasets.make_xd6(500, noise=0.2, seed=1)
        >>> model = RegularizedAdaBoostClassifier(C=1000.0, n_estimators=50).fit(X, y)
        >>> hardest = model.influence_.argmax()
        >>> bool(model.margins(X, y)[hardest] < 0)
        True

        Rows whose labels look wrong get no more weight than others; mistrust of 1/C forgives a
        margin of 1:

        >>> from weakforce import suspect_labels
        >>> score = suspect_labels(X, y).sort("row")["score"].to_numpy()
        >>> careful = RegularizedAdaBoostClassifier(C=1000.0, n_estimators=50)
        >>> careful = careful.fit(X, y, mistrust=score / 1000.0)
        >>> suspect = score > 0.5
        >>> bool(careful.influence_[suspect].sum() < model.influence_[suspect].sum())
        True
        >>> bool((careful.margins(X, y, "soft") >= careful.margins(X, y)).all())
        True
    """

    C: float = 100.0
    p: float = 2
    phi: float = 0.5

    _kind: ClassVar[str] = "regularized"
    _reported: ClassVar[tuple[str, ...]] = ("influence_", "_soft_margins")

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        mistrust: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: int = 50,
        codes_dir: str | PathLike[str] | None = None,
    ) -> Self:
        """Fit the booster; all parameters but `mistrust` are those of `BoostingClassifier.fit`.

        Parameters:
            X: rows.
            y: their labels, or the name of the column of X that holds them.
            sample_weight: a weight ≥ 0 for each row.
            X_val: rows to score after each round.
            y_val: their labels.
            mistrust: a number ζ ≥ 0 for each row, such as a share of the scores of
                `suspect_labels`: a margin of C ζ is forgiven to the row from the first round on,
                the same in all problems of `multi_class`. None mistrusts no row. It is not saved:
                with `warm_start` the rounds already run are gone through again under the mistrust
                that fit gets now.
            checkpoint: a file from which a fit that was ended goes on.
            checkpoint_every: the rounds after which it is written anew.
            codes_dir: a folder for codes that are more than memory holds.

        Returns:
            The estimator. If fit fails it stays as it was.
        """
        rows = Rows(X, y, sample_weight, mistrust=mistrust)
        storage = Storage.of(checkpoint, checkpoint_every, codes_dir)
        return self._fit(rows, Rows(X_val, y_val, suffix="_val"), storage)

    def margins(self, X: Any, y: Any, kind: str = "normalized") -> Floats:
        """Return the margin of every row: how right its label is according to the model.

        Parameters:
            X: the rows.
            y: their labels, or the name of the column of X that holds them.
            kind: "normalized" or "logistic" as for all boosters; or "soft" for ρ + C (μᵖ + ζ) with
                ρ the normalized margin. That is known of the rows of fit, in their order, until the
                model is saved, and of two classes; anything else is refused. Rows held back for
                validation, or of weight zero, have the influence 0.
        """
        if kind != "soft":
            return super().margins(X, y, kind)
        if self.fitted_model_.n_classes > 2:
            raise ValueError(
                "parameter 'kind': got 'soft', expected 'normalized' or 'logistic' for more than "
                "two classes, because a row has an influence in each of their problems"
            )
        known: SoftMargins | None = getattr(self, "_soft_margins", None)
        if known is None:
            raise ValueError(
                "parameter 'kind': got 'soft', expected 'normalized' or 'logistic' for a model "
                "without influence_, which is known after fit and not saved"
            )
        return known.of(super().margins(X, y))

    def _margin_kinds(self) -> tuple[str, ...]:
        return (*super()._margin_kinds(), "soft")

    def _margin_theory(self) -> MarginTheory:
        return MarginTheory(kinds_of_fit=("soft",), edges_bound_margins=True)

    def _report(self, reports: list[dict[str, Floats]], task: Task) -> None:
        self.influence_ = by_problem(reports, "influence")
        if len(reports) > 1:
            return
        mistrust = task.given.mistrust
        with np.errstate(over="ignore"):
            power = self.influence_**self.p
            forgiven = self.C * (power if mistrust is None else power + mistrust)
        self._soft_margins = SoftMargins(reports[0]["margins"], forgiven, self.influence_ > 0)


@dataclass(eq=False, repr=False, kw_only=True)
class _CorrectiveClassifier(DecomposedClassifier):
    """Boosters that solve for all weights anew in every round, up to a proved optimum."""

    nu: float = 0.2
    tol: float = 1e-2
    time_limit: float | None = None

    _reported: ClassVar[tuple[str, ...]] = ("certificate_", *PROGRAM_ATTRIBUTES)

    def _margin_theory(self) -> MarginTheory:
        return MarginTheory(edges_bound_margins=True)

    def _report(self, reports: list[dict[str, Floats]], task: Task) -> None:  # noqa: ARG002
        self._set_attributes(program_attributes(reports))
        certificates = [report["certificate"] for report in reports]
        self.certificate_: Any = certificates[0] if len(certificates) == 1 else certificates
        self._warn_of_gap(max((float(each[-1]) for each in certificates if len(each)), default=0.0))

    def _warn_of_gap(self, gap: float) -> None:
        """Say so if the run ended before the optimum was reached and nobody asked for that."""
        advice = {
            "n_estimators": "raise n_estimators or tol, or set early_stopping=True",
            "time_limit": "raise time_limit or tol, or set early_stopping=True",
            "solver_failed": "the solver failed on the program of all votes found; raise nu or tol",
        }.get(self.stop_reason_)
        if advice is None or gap <= self.tol:
            return
        warnings.warn(
            f"{type(self).__name__} stopped after {self.n_iter_} rounds before it converged: other "
            f"combinations of votes could raise the objective by up to {gap:.3g}, more than "
            f"tol={self.tol:g}; {advice}",
            ConvergenceWarning,
            stacklevel=5,
        )


@dataclass(eq=False, repr=False, kw_only=True)
class LPBoostClassifier(_CorrectiveClassifier):
    """LPBoost: the largest soft margin over all votes (Demiriz, Bennett, Shawe-Taylor 2002).

    Maximises ϱ − (1/ν) Σ u ξ over weights c ≥ 0, Σc = 1, of votes with margins of at least ϱ − ξ,
    u being the start weights of the rows. Each round adds the vote with the largest edge under
    the dual distribution and solves the linear program over all votes so far.

    Parameters:
        nu: ν, above 0 and at most 1: at most this share of the weight has slack ξ > 0, and at least
            this share is support. The smaller, the more the labels are believed.
        tol: how far the objective may be from that of the best combination of all votes. It is also
            what early stopping asks of the validation score. If no combination has a soft margin
            above it, the weights are those of the optimum with a small entropy term: without it,
            votes would cancel each other out.
        time_limit: seconds after which no more votes are looked for.
        n_estimators: the largest number of rounds.
        learning_rate: must stay 1.

    Attributes:
        certificate_: the lowest edge found so far less the objective, by round. It bounds what
            better combinations could gain, as long as the learner finds the best vote: `Stump()`
            does, while for `Rule`, `Tree` and others it says what the learner could find.
        objective_: ϱ − (1/ν) Σ u ξ.
        duality_gap_: how far the weights are at most from the best ones for the votes found.
        solve_time_: what all programs took, in seconds.
        nu_: ν.
        slack_: ξ of each row of X.
        duals_: the weight of each row in the dual program; they sum to 1.
        support_: the rows with a dual above zero.
        n_support_: their number.

    The `stop_reason_` is "optimal" once the certificate is at most `tol`, "time_limit",
    "solver_failed" if a program could not be solved (the best combination before it is kept), or as
    usual. The `estimator_weights_` sum to 1, so the score of a row is a margin between −1 and 1.
    `train_score_` and `validation_score_` are those of the first t votes under the final weights.
    None of the attributes above is saved; for several problems they are arrays with one entry or
    column for each, `support_` and `certificate_` lists. More than two classes are decomposed by
    `multi_class` ("ovr", "ovo", "ecoc", "ecoc-max" or a code matrix) and `decode`. The parameters
    that all boosters share are described in `BoostingClassifier`.

    Examples:
        >>> from weakforce import LPBoostClassifier, datasets
        >>> X, y = datasets.make_xd6(500, noise=0.2, seed=1)
        >>> model = LPBoostClassifier(nu=0.7, n_estimators=200).fit(X, y)
        >>> model.stop_reason_, bool(model.certificate_[-1] <= 1e-2)
        ('optimal', True)
    """

    _kind: ClassVar[str] = "lpboost"


@dataclass(eq=False, repr=False, kw_only=True)
class SoftBoostClassifier(_CorrectiveClassifier):
    """SoftBoost: the largest soft margin, with a bound on rounds (Warmuth, Glocer, Rätsch 2007).

    The problem, parameters and attributes are those of `LPBoostClassifier`. The distribution over
    rows is the one nearest to the start weights, in relative entropy, under which all edges are at
    least `tol` below the lowest found: it never jumps, and O(ln(1/ν)/tol²) rounds are enough.

    Examples:
        >>> from weakforce import SoftBoostClassifier, datasets
        >>> X, y = datasets.make_xd6(500, noise=0.2, seed=1)
        >>> SoftBoostClassifier(nu=0.7, n_estimators=500).fit(X, y).stop_reason_
        'optimal'
    """

    _kind: ClassVar[str] = "softboost"


@dataclass(eq=False, repr=False, kw_only=True)
class ERLPBoostClassifier(_CorrectiveClassifier):
    """ERLPBoost: LPBoost with an entropy term (Warmuth, Glocer, Vishwanathan 2008).

    The problem, parameters and attributes are those of `LPBoostClassifier`. The distribution over
    rows minimises its largest edge plus its relative entropy to the start weights over
    η = (2/tol) ln(1/ν): smoother than LPBoost's, and O(ln(1/ν)/tol²) rounds are enough.

    Examples:
        >>> from weakforce import ERLPBoostClassifier, datasets
        >>> X, y = datasets.make_xd6(500, noise=0.2, seed=1)
        >>> ERLPBoostClassifier(nu=0.7, n_estimators=500).fit(X, y).stop_reason_
        'optimal'
    """

    _kind: ClassVar[str] = "erlpboost"
