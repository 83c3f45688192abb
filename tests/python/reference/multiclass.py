"""A naive oracle: SAMME, M1, MH and M2 of algorithms.md (B1–B3) and decompositions (B5).

Written from the formulas over arrays of rows × classes. M2 is Freund and Schapire's (1997): answers
in [0, 1], pseudo-loss ε, β = ε/(1−ε). Columns are as in reference/learners.py, labels are 0..K−1.
"""

from dataclasses import dataclass, field
from functools import partial
from math import inf, log
from typing import Any

import numpy as np

from reference.boosting import RULES, Round
from reference.channel_learners import learn
from reference.channels import CLASS, NUMBER, SHARED, Ground
from reference.learners import CAP, TIE, Columns

Array = np.ndarray


@dataclass
class Run:
    """How a booster went: one hypothesis, or one per class, for each round."""

    hypotheses: list[Any] = field(default_factory=list)
    alphas: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    edges: list[float] = field(default_factory=list)
    stop_reason: str = "n_estimators"
    n_classes: int = 0
    #: The last distribution, by row or by row and class; zero for rows of weight zero.
    weights: Array = field(default_factory=lambda: np.zeros(0))

    def add(self, hypothesis, alpha, error, edge) -> None:
        self.hypotheses.append(hypothesis)
        self.alphas.append(alpha)
        self.errors.append(error)
        self.edges.append(edge)

    def scores(self, columns: Columns) -> Array:
        total = np.zeros((len(columns[0]), self.n_classes))
        for hypothesis, alpha in zip(self.hypotheses, self.alphas, strict=True):
            total += alpha * class_scores(hypothesis, columns, self.n_classes)
        return total


def class_scores(hypothesis, columns: Columns, n_classes: int) -> Array:
    """A hypothesis as an array of rows × classes; class votes become ones in a row of zeros."""
    if isinstance(hypothesis, list):
        silent = np.zeros(len(columns[0]))
        return np.column_stack([silent if h is None else h.answers(columns) for h in hypothesis])
    answers = hypothesis.answers(columns)
    return np.eye(n_classes)[answers] if answers.ndim == 1 else answers


@dataclass
class Problem:
    """Rows with weight only, their shares u, and where they came from."""

    ground: Ground
    y: Array
    u: Array
    n_classes: int
    places: Array
    n_rows: int

    def one_hot(self) -> Array:
        return np.eye(self.n_classes)[self.y]

    def spread(self, values: Array) -> Array:
        """Values of the rows that take part, among zeros for all others."""
        all_rows = np.zeros((self.n_rows, *values.shape[1:]))
        all_rows[self.places] = values
        return all_rows


def prepare(columns: Columns, y, weights=None, n_classes=None) -> Problem:
    y = np.asarray(y)
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    places = np.flatnonzero(weights > 0)
    taken = [[column[row] for row in places] for column in columns]
    u = weights[places] / weights.sum()
    n_classes = int(y.max()) + 1 if n_classes is None else n_classes
    return Problem(Ground(taken), y[places], u, n_classes, places, len(y))


# B1: votes for one class


def boost_votes(problem: Problem, rounds, learner, prior, bar, learning_rate=1.0) -> Run:
    """w ← w exp(α I[h ≠ y]) with α = ln((1−ε)/ε) + prior, unless ε reaches the bar."""
    run = Run(n_classes=problem.n_classes)
    w = problem.u
    for _ in range(rounds):
        hypothesis = learn(learner, problem.ground, w[:, None] * problem.one_hot(), CLASS)
        wrong = hypothesis.answers(problem.ground.columns) != problem.y
        error = float(w[wrong].sum())
        if error >= bar - TIE:
            run.stop_reason = "no_edge"
            break
        alpha = min(2 * CAP, log((1 - error) / error) + prior if wrong.any() else inf)
        run.add(hypothesis, learning_rate * alpha, error, 1 - 2 * error)
        w = w * np.exp(learning_rate * alpha * wrong)
        w = w / w.sum()
        if not wrong.any():
            run.stop_reason = "perfect"
            break
    run.weights = problem.spread(w)
    return run


def samme(columns, y, weights=None, rounds=10, learner=None, **parameters) -> Run:
    problem = prepare(columns, y, weights)
    k = problem.n_classes
    return boost_votes(problem, rounds, learner or {}, log(k - 1), 1 - 1 / k, **parameters)


def m1(columns, y, weights=None, rounds=10, learner=None, **parameters) -> Run:
    return boost_votes(prepare(columns, y, weights), rounds, learner or {}, 0.0, 0.5, **parameters)


# B2 and B3: an answer for every pair of row and class


def pair_hypothesis(problem: Problem, W: Array, target: Array, learner, shared):
    """Fit all classes at once, or each on its own, to the pairs' weights W and targets ±1."""
    negative, positive = np.where(target < 0, W, 0.0), np.where(target > 0, W, 0.0)
    V = np.stack([negative, positive], axis=-1)  # rows × classes × signs
    if shared:
        return learn(learner, problem.ground, V.reshape(len(V), -1), SHARED)
    return [
        learn(learner, problem.ground, V[:, k], NUMBER) if V[:, k].sum() > 0 else None
        for k in range(problem.n_classes)
    ]


def wrong_signs(W: Array, target: Array, h: Array) -> float:
    """The weight of pairs that get the wrong sign; (1 − γ)/2 for votes."""
    return float(W[(h >= 0) != (target > 0)].sum())


def mh(columns, y, weights=None, rounds=10, learner=None, shared=False, learning_rate=1.0) -> Run:
    """Schapire and Singer's AdaBoost.MH with α = ½ ln((1+γ)/(1−γ))."""
    problem = prepare(columns, y, weights)
    run = Run(n_classes=problem.n_classes)
    target = 2 * problem.one_hot() - 1
    W = np.repeat(problem.u[:, None], problem.n_classes, axis=1) / problem.n_classes
    for _ in range(rounds):
        hypothesis = pair_hypothesis(problem, W, target, learner or {}, shared)
        h = class_scores(hypothesis, problem.ground.columns, problem.n_classes)
        gamma = float((W * target * h).sum())
        if gamma <= TIE:
            run.stop_reason = "no_edge"
            break
        perfect = bool((target * h >= 1).all())
        alpha = CAP if perfect else min(CAP, 0.5 * log((1 + gamma) / (1 - gamma)))
        run.add(hypothesis, learning_rate * alpha, wrong_signs(W, target, h), gamma)
        W = W * np.exp(-learning_rate * alpha * target * h)
        W = W / W.sum()
        if perfect:
            run.stop_reason = "perfect"
            break
    run.weights = problem.spread(W)
    return run


def m2(columns, y, weights=None, rounds=10, learner=None, shared=True, learning_rate=1.0) -> Run:
    """Freund and Schapire's AdaBoost.M2, with plausibilities p = (1 + h)/2 in [0, 1].

    The scores are Σ ln(1/β) p(x, k), and `Run.alphas` holds ½ ln(1/β), so that `Run.scores` differ
    from these by the same number for all classes.
    """
    problem = prepare(columns, y, weights)
    rows = np.arange(len(problem.y))
    run = Run(n_classes=problem.n_classes)
    wrong_label = problem.one_hot() == 0
    D = np.where(wrong_label, problem.u[:, None] / (problem.n_classes - 1), 0.0)
    for _ in range(rounds):
        # Half of a mislabel's weight asks for a small p(x, k), the other half for a large p(x, y).
        W = D / 2
        W[rows, problem.y] = D.sum(axis=1) / 2
        target = np.where(wrong_label, -1, 1)
        hypothesis = pair_hypothesis(problem, W, target, learner or {}, shared)
        p = (1 + class_scores(hypothesis, problem.ground.columns, problem.n_classes)) / 2
        p_true = p[rows, problem.y][:, None]
        loss = float((D * (1 - p_true + p)).sum() / 2)
        if loss >= (1 - TIE) / 2:
            run.stop_reason = "no_edge"
            break
        perfect = bool((p[wrong_label] <= 0).all() and (p_true >= 1).all())
        beta = np.exp(-2 * CAP) if perfect else max(np.exp(-2 * CAP), loss / (1 - loss))
        beta = beta**learning_rate
        run.add(hypothesis, log(1 / beta) / 2, wrong_signs(W, target, 2 * p - 1), 1 - 2 * loss)
        D = D * beta ** ((1 + p_true - p) / 2)
        D = D / D.sum()
        if perfect:
            run.stop_reason = "perfect"
            break
    run.weights = problem.spread(D)
    return run


BOOSTERS = {"samme": samme, "m1": m1, "mh": mh, "m2": m2}


# B5: decompositions


def one_vs_rest(n_classes: int) -> Array:
    return 2 * np.eye(n_classes, dtype=int) - 1


def one_vs_one(n_classes: int) -> Array:
    """A column for each pair of classes, the first of them positive."""
    pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    code = np.zeros((n_classes, len(pairs)), dtype=int)
    for place, (a, b) in enumerate(pairs):
        code[a, place], code[b, place] = 1, -1
    return code


def boost_column(kind, problem: Problem, signs: Array, rounds, learner, parameters) -> Run:
    """One binary booster on the rows whose sign is not 0, with the cuts of all rows."""
    rows = np.flatnonzero(signs)
    columns = [[column[row] for row in rows] for column in problem.ground.columns]
    w = (problem.u[rows] / problem.u[rows].sum()).tolist()
    labels = signs[rows].tolist()
    run, scores, best_margin = Run(), np.zeros(len(rows)), 0.0
    while len(run.alphas) < rounds and run.stop_reason == "n_estimators":
        V = np.zeros((len(signs), 2))
        V[rows, (signs[rows] > 0).astype(int)] = w
        hypothesis = learn(learner, problem.ground, V, NUMBER)
        if run.alphas:
            margins = np.array(labels) * scores / np.abs(run.alphas).sum()
            best_margin = max(best_margin, margins.min())
        seen = Round(w, labels, hypothesis.answers(columns).tolist(), best_margin)
        alpha, edge, new, verdict = partial(RULES[kind], **parameters)(seen)
        if verdict == "drop":
            run.stop_reason = "no_edge"
            break
        run.stop_reason = "perfect" if verdict == "perfect" else run.stop_reason
        run.add(hypothesis, alpha, seen.error, edge)
        scores += alpha * np.array(seen.h)
        w = new
    return run


@dataclass
class Decomposed:
    """One binary run for each column of a code, and how their scores become those of classes."""

    runs: list[Run]
    decoding: Array

    def scores(self, columns: Columns) -> Array:
        columns_scores = np.zeros((len(columns[0]), len(self.runs)))
        for place, run in enumerate(self.runs):
            for hypothesis, alpha in zip(run.hypotheses, run.alphas, strict=True):
                columns_scores[:, place] += alpha * hypothesis.answers(columns)
        return columns_scores @ self.decoding.T

    def table(self, name: str, filler: float) -> Array:
        """A number per round and column of the code; the filler where a column was finished."""
        lists = [getattr(run, name) for run in self.runs]
        table = np.full((max(map(len, lists)), len(lists)), filler)
        for place, entries in enumerate(lists):
            table[: len(entries), place] = entries
        return table


def decompose(kind, code, columns, y, weights=None, rounds=10, learner=None, **parameters):
    """Run a binary booster of reference/boosting.py on every column of a code matrix.

    `code` is "ovr", "ovo" or a matrix. The scores of one-vs-rest are those of the columns, as
    they are; under any other code class k gets Σ code[k, l] H_l.
    """
    problem = prepare(columns, y, weights)
    n_classes = problem.n_classes
    decoding = np.eye(n_classes)
    if isinstance(code, str) and code == "ovr":
        code = one_vs_rest(n_classes)
    else:
        code = one_vs_one(n_classes) if isinstance(code, str) else np.asarray(code)
        decoding = code
    runs = [
        boost_column(kind, problem, signs[problem.y], rounds, learner or {}, parameters)
        for signs in code.T
    ]
    return Decomposed(runs, decoding)
