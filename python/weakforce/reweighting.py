"""The best weights for hypotheses that are there already: linear and quadratic programs.

In: a fitted model, or parameters. Out: the same hypotheses under weights that are proved to solve
the program; the core, `src/solver`, does that.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ._estimator.base import Booster, BoostingClassifier, reweighted
from ._estimator.capabilities import Capabilities
from ._estimator.decomposed import DecomposedClassifier
from ._estimator.fitting import Task
from ._fitting.labels import Floats
from ._fitting.rows import Rows
from ._fitting.run_reports import PROGRAM_ATTRIBUTES, program_attributes
from ._fitting.targets import Target
from ._margins.theory import MarginTheory

#: A smallest margin up to this is none.
_NO_MARGIN = 1e-9

#: The part of the objective, and what beyond it, that a gap may be without a warning.
_LARGE_GAP = 1e-3
_ROUNDING = 1e-6


def reweight(
    model: Booster,
    X: Any,
    y: Any = None,
    *,
    method: str = "lp-reg",
    C: float | None = None,
    sample_weight: Any = None,
    prune: bool = False,
    time_limit: float | None = None,
) -> Booster:
    """Return a copy of a fitted model whose hypotheses have the best weights for these rows.

    With M the margins y h(x) of all hypotheses on l rows, C says how much rows count that are below
    the margin:

    - "lp": max ϱ with Mc ≥ ϱ, c ≥ 0, Σc = 1: the largest smallest margin.
    - "lp-reg": max ϱ − C/l Σξ with Mc ≥ ϱ − ξ. At most a share ν = 1/C of the rows has slack ξ > 0,
      and at least that share is support.
    - "qp-reg": min ‖b‖² + C/l Σξ with Mb ≥ 1 − ξ, b ≥ 0.
    - "l1": min ‖b‖₁ + C Σξ with the same constraints.

    Parameters:
        model: a fitted model of two classes with one score, or one made of such by `multi_class`,
            which is one program for each problem. It stays as it is. One with `calibrate` is
            refused, because its probabilities belong to its scores.
        X: rows to weigh the hypotheses by, as in fit; those of fit or others.
        y: their labels, or the name of the column of X that holds them.
        method: "lp", "lp-reg", "qp-reg" or "l1".
        C: the price of slack; None for "lp", at least 1 for "lp-reg", above 0 for the others.
        sample_weight: a weight ≥ 0 for each row, which multiplies its slack. Weights have mean 1.
        prune: whether hypotheses of weight zero are dropped: the way to a small ensemble.
        time_limit: seconds after which the solver gives up with a RuntimeError.

    Returns:
        A fitted estimator of the same class. A `ConvergenceWarning` says if the solver left a gap
        of more than a thousandth of the objective, as for C of many powers of ten. Beyond the
        usual it has, none of it saved: `objective_` and `duality_gap_`, how far that is at most
        from the optimum; `solve_time_` in seconds; `nu_`, the mean share of the duals in the most
        that they may be; by row of X `slack_`, `duals_`, and the rows with a dual above zero,
        `support_` and `n_support_`. Of several problems each has its own: arrays, columns, or a
        list. `train_score_` is that of the first t hypotheses on these rows.

    Examples:
        >>> from weakforce import DiscreteAdaBoostClassifier, datasets, reweight
        >>> X, y = datasets.make_xd6(500, noise=0.2, seed=1)
        >>> model = DiscreteAdaBoostClassifier(n_estimators=100).fit(X, y)
        >>> small = reweight(model, X, y, method="lp-reg", C=2.0, prune=True)
        >>> small.n_iter_ < model.n_iter_, round(small.nu_, 6), small.duality_gap_ < 1e-6
        (True, 0.5, True)
    """
    if not isinstance(model, BoostingClassifier):
        raise TypeError(
            f"parameter 'model': got {type(model).__name__}, expected a fitted booster of weakforce"
        )
    program = _program(method, C, prune, time_limit)
    found = reweighted(model, Rows(X, y, sample_weight), program)
    _warn_of_gap("reweight", found)
    return found


def _warn_of_gap(name: str, found: Any) -> None:
    """Warn if weights may be far from those that solve the program."""
    gaps, objectives = np.atleast_1d(found.duality_gap_), np.atleast_1d(found.objective_)
    unsolved = gaps > _LARGE_GAP * np.abs(objectives) + _ROUNDING
    if unsolved.any():
        worst = np.argmax(np.where(unsolved, gaps, -np.inf))
        of = "" if len(gaps) == 1 else f" in {unsolved.sum()} of the problems"
        warnings.warn(
            f"{name}: the program was not solved{of}: the objective is {objectives[worst]:.6g}, "
            f"and the best one may differ by duality_gap_={gaps[worst]:.3g}; a smaller C may help",
            ConvergenceWarning,
            stacklevel=3,
        )


def _program(method: str, C: float | None, prune: bool, time_limit: float | None) -> dict[str, Any]:
    return {"method": method, "C": C, "prune": prune, "time_limit": time_limit}


def warn_of_overlap(name: str, margins: Floats) -> None:
    """Warn if no weights of the votes classify all rows right."""
    if margins.min() <= _NO_MARGIN:
        of = "" if len(margins) == 1 else f" in {(margins <= _NO_MARGIN).sum()} of the problems"
        warnings.warn(
            f"{name}: no weights of the votes classify all training rows right{of} (the largest "
            f"smallest margin is {margins.min():.3g}), so AdaBoost's weights are kept; give C for "
            "soft margins, or more votes",
            stacklevel=2,
        )


@dataclass(eq=False, repr=False, kw_only=True)
class _ReweightedClassifier(DecomposedClassifier):
    """Discrete AdaBoost whose weights a program replaces when the run is over."""

    C: float | None = None
    prune: bool = False
    time_limit: float | None = None

    _reported: ClassVar[tuple[str, ...]] = PROGRAM_ATTRIBUTES
    _method: ClassVar[str]

    def _margin_theory(self) -> MarginTheory:
        return MarginTheory(edges_bound_margins=True)

    def _booster_settings(self, rows: Rows, target: Target, costs: Floats | None) -> dict[str, Any]:  # noqa: ARG002
        return {"phi": 0.5}

    @classmethod
    def _core_kind(cls) -> str:
        return "discrete"

    @classmethod
    def capabilities(cls) -> Capabilities:
        """Return what the booster can do, whatever its parameters are."""
        return replace(super().capabilities(), has_program=True, may_shard=False)

    def _program(self) -> dict[str, Any]:
        method = "lp" if self._is_hard() else self._method
        program = _program(method, self.C, self.prune, self.time_limit)
        return {**program, "keep_inseparable": self._is_hard()}

    def _is_hard(self) -> bool:
        """Whether the smallest margin is maximised, without slack."""
        return self._method == "lp-reg" and self.C is None

    def _report(self, reports: list[dict[str, Floats]], task: Task) -> None:  # noqa: ARG002
        self._set_attributes(program_attributes(reports))
        _warn_of_gap(type(self).__name__, self)
        if self._is_hard():
            warn_of_overlap(type(self).__name__, np.atleast_1d(self.objective_))


@dataclass(eq=False, repr=False, kw_only=True)
class LPAdaBoostClassifier(_ReweightedClassifier):
    """AdaBoost, then the weights of the largest margin, hard or soft (Rätsch et al. 2001).

    Runs discrete AdaBoost and solves a linear program over its votes: LP-AdaBoost maximises the
    smallest margin, LP_Reg lets rows stay below it at a price. The same as `reweight`, where the
    program is described.

    Parameters:
        C: None maximises the smallest margin ϱ, with all labels believed. If that is not above
            zero, because no weights classify all rows right, the weights stay those of AdaBoost,
            scaled to sum to 1, with a warning. A number ≥ 1 maximises ϱ − C/l Σξ over l rows. At
            most a share ν = 1/C of them then has slack ξ > 0.
        prune: whether votes of weight zero are dropped.
        time_limit: seconds after which the solver gives up with a RuntimeError.

    Attributes:
        objective_: the objective of the program.
        duality_gap_: how far that is at most from the optimum.
        solve_time_: what the program took, in seconds.
        nu_: 1/C, or 0 without C.
        slack_: ξ of each row of X.
        duals_: the weight of each row in the dual program; they sum to 1.
        support_: the rows with a dual above zero.
        n_support_: their number.

    The `estimator_weights_` sum to 1, so the score of a row is a margin between −1 and 1.
    `train_score_` is that of the first t votes under these weights. None of the attributes above is
    saved; for several problems they are arrays with one entry or column for each, `support_` a
    list. More than two classes are decomposed by `multi_class` ("ovr", "ovo", "ecoc", "ecoc-max" or
    a code matrix) and `decode`. The parameters that all boosters share are described in
    `BoostingClassifier`.

    Examples:
        >>> from weakforce import LPAdaBoostClassifier, datasets
        >>> X, y = datasets.make_xd6(500, noise=0.2, seed=1)
        >>> model = LPAdaBoostClassifier(C=2.0, n_estimators=100).fit(X, y)
        >>> bool((model.slack_ > 1e-9).mean() <= 0.5 <= model.n_support_ / 500)
        True
    """

    _kind: ClassVar[str] = "lp_adaboost"
    _method: ClassVar[str] = "lp-reg"


@dataclass(eq=False, repr=False, kw_only=True)
class QPAdaBoostClassifier(_ReweightedClassifier):
    """AdaBoost, then the weights of a support vector machine over its votes (Rätsch et al. 2001).

    Runs discrete AdaBoost and then solves QP_Reg: min ‖b‖² + C/l Σξ with margins of at least 1 − ξ
    and weights b ≥ 0. The same as `reweight`, where the program is described.

    Parameters:
        C: the price of slack, above 0: the larger, the more the labels are believed.

    Attributes:
        nu_: the mean share of the duals in the most that they may be, C/l.

    The other parameters and attributes are those of `LPAdaBoostClassifier`, but neither the duals
    nor the `estimator_weights_` sum to 1.
    """

    C: float | None = 100.0

    _kind: ClassVar[str] = "qp_adaboost"
    _method: ClassVar[str] = "qp-reg"
