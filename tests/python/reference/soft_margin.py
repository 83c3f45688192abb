"""A naive oracle for soft margins: AdaBoost_Reg (A5) and the programs over margins (A6, A7).

Written from the formulas with NumPy and SciPy; nothing here is merged, cut down to some rows or
shared with the core. M holds margins y h(x), a row for each row and a column for each hypothesis;
u are start weights that sum to 1, and l is the number of rows. Programs are named as in `reweight`.
"""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from scipy.optimize import linprog, minimize, minimize_scalar
from scipy.sparse import eye_array, hstack
from scipy.special import logsumexp

from reference.boosting import Run
from reference.learners import CAP, TIE, Columns, fit_stump

#: Steps b that the line search of the oracle tries first, up to the largest one.
STEPS = np.concatenate([np.linspace(0, 4, 2001), np.linspace(4, 2 * CAP, 801)[1:]])


# AdaBoost_Reg


@dataclass
class Rounds:
    """What AdaBoost_Reg remembers of its rounds: b, margins y h and weights w of every row.

    `mistrust` is ζ, a number for each row or for all of them.
    """

    u: np.ndarray
    C: float
    p: float
    phi: float = 0.5
    mistrust: np.ndarray | float = 0.0
    b: list[float] = field(default_factory=list)
    margins: list[np.ndarray] = field(default_factory=list)
    weights: list[np.ndarray] = field(default_factory=list)

    def influence(self):
        """Return μ = Σ c w. A row of weight u counts as l u rows, and μ is that of one of them."""
        c = np.array(self.b) / sum(self.b)
        return c @ np.array(self.weights) / (len(self.u) * self.u)

    def soft_margins(self):
        """Return ρ̃ = ρ + C (μᵖ + ζ) of every row, straight from the definition."""
        c = np.array(self.b) / sum(self.b)
        forgiven = self.C * (self.influence() ** self.p + self.mistrust)
        return c @ np.array(self.margins) + forgiven

    def exponents(self):
        """Return −½ |b| ρ̃ of every row."""
        if sum(self.b) == 0:
            return np.zeros(len(self.u))
        return -0.5 * sum(self.b) * self.soft_margins()

    def loss(self):
        """Return ln Σ u exp(−|b| (½ ρ̃ + φ − ½))."""
        return logsumexp(self.exponents() - sum(self.b) * (self.phi - 0.5), b=self.u)

    def row_weights(self):
        w = self.u * np.exp(self.exponents() - self.exponents().max())
        return w / w.sum()

    def with_round(self, b, margins):
        """Return these rounds and one more, whose weights follow from those before."""
        return replace(
            self,
            b=[*self.b, b],
            margins=[*self.margins, margins],
            weights=[*self.weights, self.row_weights()],
        )

    def losses(self, margins, steps=STEPS):
        """Return the loss for each weight of one more vote, all of them at once."""
        steps = np.asarray(steps)[:, None]
        total, rows = sum(self.b) + steps, len(self.u)
        weighed = np.zeros(rows) if not self.b else np.array(self.b) @ np.array(self.weights)
        summed = np.zeros(rows) if not self.b else np.array(self.b) @ np.array(self.margins)
        w = self.row_weights()
        with np.errstate(invalid="ignore"):
            influence = (weighed + steps * w) / total / (rows * self.u)
            forgiven = self.C * total * (influence**self.p + self.mistrust)
            exponents = -0.5 * (summed + steps * margins + forgiven)
        exponents[total[:, 0] == 0] = 0.0
        return logsumexp(exponents, b=self.u, axis=1) + total[:, 0] * (0.5 - self.phi)

    def best_step(self, margins):
        """Return the step of the lowest loss by brute force."""
        at = int(self.losses(margins).argmin())
        if at in (0, len(STEPS) - 1):
            return STEPS[at]
        around = (STEPS[at - 1], STEPS[at + 1])
        options = {"xatol": 1e-12}
        loss = partial(self.loss_with, margins)
        return minimize_scalar(loss, bounds=around, method="bounded", options=options).x

    def loss_with(self, margins, b):
        return self.losses(margins, [b])[0]


def regularized(
    columns: Columns,
    y,
    weights=None,
    rounds=10,
    *,
    C=100.0,
    p=2,
    phi=0.5,
    learning_rate=1.0,
    mistrust=None,
):
    """Run AdaBoost_Reg over stumps that vote; return the run and the influence of every row."""
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    there = weights > 0
    columns = [
        [value for value, kept in zip(column, there, strict=True) if kept] for column in columns
    ]
    y, u = np.asarray(y)[there], weights[there] / weights.sum()
    mistrust = 0.0 if mistrust is None else np.asarray(mistrust)[there]
    state, run = Rounds(u, C, p, phi, mistrust), Run([], [], [], [], [], "n_estimators")
    while len(run.alphas) < rounds and run.stop_reason == "n_estimators":
        w = state.row_weights()
        stump = fit_stump(columns, y.tolist(), w.tolist())
        margins = y * np.array(stump.answers(columns))
        step = 2 * CAP if (margins > 0).all() else state.best_step(margins)
        if (margins > 0).all():
            run.stop_reason = "perfect"
        elif step == 0 or w @ margins <= 1 - 2 * phi + TIE:
            run.stop_reason = "no_edge"
            break
        elif step == 2 * CAP:
            run.stop_reason = "unbounded"
            if run.alphas:
                break
        state = state.with_round(learning_rate * step, margins)
        run.hypotheses.append(stump)
        run.alphas.append(learning_rate * step / 2)
        run.errors.append(w[margins < 0].sum())
        run.edges.append(w @ margins)
    run.row_weights, influence = np.zeros(len(weights)), np.zeros(len(weights))
    run.row_weights[there] = state.row_weights()
    if run.alphas:
        influence[there] = state.influence()
    return run, influence


# Programs over margins


def caps(method, u, C):
    """Return the price of a unit of slack in every row, which is the most its dual can be."""
    if method == "lp":
        return np.full(len(u), np.inf)
    return C * u * (len(u) if method == "l1" else 1)


def optimum(method, M, u=None, C=None):
    """Return the objective of a program over all rows, solved as it stands."""
    rows, n = M.shape
    u = np.full(rows, 1 / rows) if u is None else u
    if method == "qp-reg":
        return quadratic_optimum(M, caps(method, u, C))
    # Unknowns: weights, slack and, except for the one-norm, the margin ϱ.
    prices = np.zeros(rows) if method == "lp" else caps(method, u, C)
    most_slack = 0 if method == "lp" else None
    bounds = [(0, None)] * n + [(0, most_slack)] * rows
    A = hstack([-M, -eye_array(rows)])
    if method == "l1":
        cost = np.append(np.ones(n), prices)
        solved = linprog(cost, A.tocsr(), -np.ones(rows), bounds=bounds)
        assert solved.status == 0
        return solved.fun
    solved = linprog(
        np.concatenate([np.zeros(n), prices, [-1.0]]),
        hstack([A, np.ones((rows, 1))]).tocsr(),
        np.zeros(rows),
        np.concatenate([np.ones(n), np.zeros(rows + 1)])[None],
        [1.0],
        bounds=[*bounds, (None, None)],
    )
    assert solved.status == 0
    return -solved.fun


def quadratic_optimum(M, cap):
    """Return min ‖b‖² + Σ cap (1 − M b)₊ over b ≥ 0 by its dual, max Σ d − ¼ ‖(Mᵀd)₊‖² in a box.

    Weights b = ½ (Mᵀd)₊ must do as well as d proves, or the oracle itself would be off.
    """

    def minus_dual(d):
        edges = np.maximum(M.T @ d, 0)
        return edges @ edges / 4 - d.sum(), M @ edges / 2 - 1

    options = {"maxiter": 100_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-12, "maxcor": 50}
    bounds = [(0, most) for most in cap]
    solved = minimize(minus_dual, cap / 2, jac=True, bounds=bounds, options=options)
    b = np.maximum(M.T @ solved.x, 0) / 2
    reached = b @ b + cap @ np.maximum(1 - M @ b, 0)
    assert abs(reached + solved.fun) <= 1e-5 * max(1, reached)
    return -solved.fun


@dataclass(frozen=True)
class Answer:
    """What is claimed to solve a program: weights c or b, slack ξ, duals d, and the objective."""

    weights: np.ndarray
    slack: np.ndarray
    duals: np.ndarray
    objective: float


def objective_of(method, answer: Answer, M, u, C):
    """Return the objective of a program at these weights, with the best slack and ϱ for them."""
    margins = M @ answer.weights
    if method == "lp":
        return margins.min()
    if method == "lp-reg":
        # Concave and piecewise linear in ϱ, so that the best ϱ is one of the margins.
        return max(rho - C * u @ np.maximum(rho - margins, 0) for rho in margins)
    norm = answer.weights.sum() if method == "l1" else answer.weights @ answer.weights
    return norm + caps(method, u, C) @ np.maximum(1 - margins, 0)


def optimality_residuals(method, answer: Answer, M, u, C=None):
    """Return by how much each of the conditions of Karush, Kuhn and Tucker is violated.

    Rows of weight zero must have been left out. ϱ follows from the objective and the slack.
    """
    cap, margins, edges = caps(method, u, C), M @ answer.weights, M.T @ answer.duals
    paid = 0.0 if method == "lp" else cap @ answer.slack
    with_rho = method in ("lp", "lp-reg")
    threshold = answer.objective + paid if with_rho else 1.0
    # The gradient of what weights cost beyond the edges that the duals give them; never negative.
    cost = {"qp-reg": 2 * answer.weights, "l1": 1.0}.get(method, edges.max())
    reduced = cost - edges
    room = margins - threshold + answer.slack
    violations = {
        "weights are not negative": -answer.weights,
        "slack is not negative": -answer.slack,
        "duals are not negative": -answer.duals,
        "rows reach the margin but for their slack": -room,
        "no hypothesis has more edge than it costs": -reduced,
        "hypotheses of positive weight cost their edge": np.abs(answer.weights * reduced),
        "rows of positive dual are on the margin": np.abs(answer.duals * room),
    }
    if method == "lp":
        violations["there is no slack"] = answer.slack
    else:
        violations["duals are at most the price"] = answer.duals - cap
        violations["rows with slack have the price as dual"] = (cap - answer.duals) * answer.slack
    if with_rho:
        violations["weights sum to 1"] = np.abs(answer.weights.sum() - 1)
        violations["duals sum to 1"] = np.abs(answer.duals.sum() - 1)
    return {name: float(np.max(violation)) for name, violation in violations.items()}


def margins_of(model, X, y):
    """Return M of a model of two classes, from the scores that each of its rounds adds.

    Votes come out as whole numbers; no weight may be zero.
    """
    scores = np.array(list(model.staged_decision_function(X)))
    answers = np.diff(scores, axis=0, prepend=0.0) / model.estimator_weights_[:, None]
    votes = np.sign(answers)
    answers = votes if np.abs(answers - votes).max() < 1e-9 else answers
    return np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)[:, None] * answers.T


def all_stump_answers(X):
    """Return the answers of every stump on columns of numbers: all cuts, and the constant."""
    answers = [np.ones(len(X))]
    for x in X.T:
        values = np.unique(x)
        answers += [np.where(x <= cut, 1.0, -1.0) for cut in (values[1:] + values[:-1]) / 2]
    half = np.column_stack(answers)
    return np.hstack([half, -half])
