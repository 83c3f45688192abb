"""A naive oracle: sm-boost (B4) with the full expectation, its risk and its gradient.

The risk R(ψ) = Σ u_i Σ_k g(k|x_i) c_i(k) with g = softmax(ψ), and the gradient of proposition 2 of
paper 001, are functions of scores alone, so that they can be compared with finite differences.
"""

from dataclasses import dataclass, field

import numpy as np

from reference.channel_learners import learn
from reference.channels import NUMBER
from reference.learners import TIE, Columns
from reference.multiclass import class_scores, prepare

Array = np.ndarray


def softmax(scores: Array) -> Array:
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def risk(scores: Array, costs: Array, u: Array) -> float:
    """Σ_i u_i Σ_k g(k|x_i) c_i(k)."""
    return float((u[:, None] * softmax(scores) * costs).sum())


def centred(scores: Array, costs: Array) -> Array:
    """Δc_i(k) = c_i(k) − Σ_z g(z|x_i) c_i(z)."""
    return costs - (softmax(scores) * costs).sum(axis=1, keepdims=True)


def gradient(scores: Array, costs: Array) -> Array:
    """Proposition 2: the functional gradient at every row, g(k|x_i) Δc_i(k)."""
    return softmax(scores) * centred(scores, costs)


def norm(functions: Array, u: Array) -> float:
    """The norm of L²(X, ℝ^K) under the row shares."""
    return float(np.sqrt((u[:, None] * functions**2).sum()))


def costs_of(cost: Array | None, y: Array, n_classes: int) -> Array:
    """The cost of every answer to every row, from a matrix of true × answered classes."""
    return (1 - np.eye(n_classes))[y] if cost is None else np.asarray(cost, dtype=float)[y]


@dataclass
class SoftmaxRun:
    """How sm-boost went."""

    n_classes: int
    hypotheses: list[list] = field(default_factory=list)
    alphas: list[float] = field(default_factory=list)
    edges: list[float] = field(default_factory=list)
    expected_costs: list[float] = field(default_factory=list)
    gradient_norms: list[float] = field(default_factory=list)
    stop_reason: str = "n_estimators"

    def scores(self, columns: Columns) -> Array:
        total = np.zeros((len(columns[0]), self.n_classes))
        for hypothesis, alpha in zip(self.hypotheses, self.alphas, strict=True):
            total += alpha * class_scores(hypothesis, columns, self.n_classes)
        return total


def sm_boost(
    columns: Columns,
    y,
    weights=None,
    rounds=10,
    learner=None,
    cost=None,
    row_costs=None,
    step="paper",
    learning_rate=1.0,
) -> SoftmaxRun:
    """Descend the risk of all pairs (i, k), each as likely as u_i g(k|x_i)."""
    n_classes = None if row_costs is None else np.asarray(row_costs).shape[1]
    problem = prepare(columns, y, weights, n_classes)
    if row_costs is None:
        costs = costs_of(cost, problem.y, problem.n_classes)
    else:
        costs = np.asarray(row_costs, dtype=float)[problem.places]
    spread = (costs.max(axis=1) - costs.min(axis=1)).max()
    scaled = costs / spread
    run = SoftmaxRun(problem.n_classes)
    scores = np.zeros(costs.shape)
    for _ in range(rounds):
        slope = -problem.u[:, None] * gradient(scores, scaled)  # what each pair gains from +1
        run.gradient_norms.append(norm(gradient(scores, scaled), problem.u))
        hypothesis = [class_hypothesis(problem, column, learner or {}) for column in slope.T]
        h = class_scores(hypothesis, problem.ground.columns, problem.n_classes)
        R = float((slope * h).sum())
        if np.abs(slope).sum() * TIE >= R:
            run.stop_reason = "no_edge"
            break
        alpha = R if step == "paper" else R / norm(h, problem.u) ** 2
        scores = scores + learning_rate * alpha * h
        run.hypotheses.append(hypothesis)
        run.alphas.append(learning_rate * alpha)
        run.edges.append(R / np.abs(slope).sum())
        run.expected_costs.append(risk(scores, costs, problem.u))
    return run


def class_hypothesis(problem, slope: Array, learner):
    """A binary hypothesis for one class: +1 where answering it costs less than the average."""
    V = np.column_stack([np.maximum(-slope, 0), np.maximum(slope, 0)])
    return learn(learner, problem.ground, V, NUMBER) if V.sum() > 0 else None
