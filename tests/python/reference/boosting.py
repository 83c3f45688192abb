"""A naive oracle, last part: the boosters of algorithms.md, A1–A4, over any naive weak learner.

Written from the formulas, in plain loops over rows; nothing here is blocked or shared with the
core. Columns, labels and weights are as in reference/learners.py.
"""

from dataclasses import dataclass
from functools import partial
from math import exp, inf, log, tanh

import numpy as np

from reference.learners import CAP, TIE, Columns, Stump, fit_stump
from reference.rule import Rule, fit_rule
from reference.tree import Tree, fit_tree

LEARNERS = {"stump": fit_stump, "rule": fit_rule, "tree": fit_tree}
NEED_VOTES = ("discrete", "arc_gv")


@dataclass
class Run:
    """How a booster went."""

    hypotheses: list[Stump | Rule | Tree]
    alphas: list[float]
    errors: list[float]
    edges: list[float]
    row_weights: list[float]
    stop_reason: str

    def scores(self, columns: Columns) -> np.ndarray:
        total = np.zeros(len(columns[0]))
        for hypothesis, alpha in zip(self.hypotheses, self.alphas, strict=True):
            total += alpha * np.array(hypothesis.answers(columns))
        return total


@dataclass
class Round:
    """What a booster sees of a hypothesis: answers h to rows of labels y and weights w.

    `best_margin` is the largest smallest margin of the combinations so far, at least 0.
    """

    w: list[float]
    y: list[int]
    h: list[float]
    best_margin: float

    @property
    def edge(self):
        return sum(w * y * h for w, y, h in zip(self.w, self.y, self.h, strict=True))

    @property
    def error(self):
        return sum(w for w, y, h in zip(self.w, self.y, self.h, strict=True) if (h >= 0) != (y > 0))

    def exponential_update(self, alpha):
        new = [w * exp(-alpha * y * h) for w, y, h in zip(self.w, self.y, self.h, strict=True)]
        return [w / sum(new) for w in new]


def discrete(seen: Round, learning_rate=1.0, phi=0.5):
    """A1: ATA(φ). b = ln(φ(1−ε) / (ε(1−φ))), w ∝ w exp(−b I[h = y]), α = b/2."""
    error = seen.error
    if error >= phi - TIE:
        return 0.0, seen.edge, seen.w, "drop"
    b = min(2 * CAP, log(phi * (1 - error) / (error * (1 - phi))) if error > 0 else inf)
    b *= learning_rate
    rows = zip(seen.w, seen.y, seen.h, strict=True)
    new = [w * exp(-b) if h == y else w for w, y, h in rows]
    return b / 2, seen.edge, [w / sum(new) for w in new], "keep" if error > 0 else "perfect"


def arc_gv(seen: Round, learning_rate=1.0):
    """A2: α = artanh γ − artanh ϱ, ϱ the best smallest margin so far, at least 0."""
    edge, best = seen.edge, seen.best_margin
    if edge <= best + TIE:
        return 0.0, edge, seen.w, "drop"
    alpha = CAP
    if seen.error > 0:
        alpha = log((1 + edge) / (1 - edge)) / 2 - log((1 + best) / (1 - best)) / 2
    alpha = learning_rate * min(CAP, alpha)
    verdict = "keep" if seen.error > 0 else "perfect"
    return alpha, edge, seen.exponential_update(alpha), verdict


def real(seen: Round, learning_rate=1.0, step="line-search"):
    """A3: α minimises Σ w exp(−α y h), found by bisection of the slope, or is 1."""
    rows = [(w, y * h) for w, y, h in zip(seen.w, seen.y, seen.h, strict=True)]
    largest = max(abs(h) for h in seen.h)
    alpha = 1.0
    if step == "line-search" and largest > 0:
        low, high = -CAP / largest, CAP / largest
        for _ in range(200):
            alpha = (low + high) / 2
            if sum(-m * w * exp(-alpha * m) for w, m in rows) > 0:
                high = alpha
            else:
                low = alpha
    loss = sum(w * exp(-alpha * m) for w, m in rows)
    if step == "line-search" and (all(m > 0 for _, m in rows) or all(m < 0 for _, m in rows)):
        verdict = "perfect"
    else:
        verdict = "keep" if loss < 1 - TIE else "drop"
    alpha *= learning_rate
    return alpha, seen.edge, seen.exponential_update(alpha), verdict


def adaboost_r(seen: Round, learning_rate=1.0):
    """A4: w ← w (1 − μ y h/h*) / (1 − μ²), never normalised; α = artanh(μ) / h*."""
    largest = max(abs(h) for h in seen.h)
    mu = seen.edge / largest if largest > 0 else 0.0
    if abs(mu) <= TIE:
        return 0.0, mu, seen.w, "drop"
    margins = [y * h / largest for y, h in zip(seen.y, seen.h, strict=True)]
    if all(m == 1 for m in margins) or all(m == -1 for m in margins):
        return learning_rate * CAP / largest * np.sign(mu), mu, seen.w, "perfect"
    half = max(-CAP, min(CAP, log((1 + mu) / (1 - mu)) / 2)) * learning_rate
    shift = tanh(half)  # μ itself unless α was shrunk
    new = [w * (1 - shift * m) / (1 - shift * mu) for w, m in zip(seen.w, margins, strict=True)]
    return half / largest, mu, new, "keep"


def gentleboost(seen: Round, learning_rate=1.0):
    """H += h for an h that fits y by weighted least squares; w ∝ w exp(−y h)."""
    rows = list(zip(seen.w, seen.y, seen.h, strict=True))
    if sum(w * exp(-y * h) for w, y, h in rows) >= 1 - TIE:
        return 0.0, seen.edge, seen.w, "drop"
    new = [w * exp(-learning_rate * y * h) for w, y, h in rows]
    return learning_rate, seen.edge, [w / sum(new) for w in new], "keep"


RULES = {
    "discrete": discrete,
    "arc_gv": arc_gv,
    "real": real,
    "adaboost_r": adaboost_r,
    "gentleboost": gentleboost,
}


def settle(parameters, kind, lightest):
    """Fill in what a learner's parameters leave open."""
    settled = {name: value for name, value in parameters.items() if value is not None}
    settled = {"smoothing": lightest, "answer": "auto", **settled}
    if settled["answer"] == "auto":
        own = {"gentleboost": "gentle"}.get(kind, "logistic")
        settled["answer"] = "vote" if kind in NEED_VOTES else own
    return settled


def boost(kind, columns: Columns, y, weights=None, rounds=10, learner=None, **parameters) -> Run:
    """Run a booster over a learner, given as its name and parameters; rows of weight 0 are absent.

    `learner` is a dict of parameters, `{"kind": "rule", "max_literals": 3}`; stumps need no kind.
    """
    weights = [1.0] * len(y) if weights is None else [float(weight) for weight in weights]
    taken = [row for row, weight in enumerate(weights) if weight > 0]
    columns = [[column[row] for row in taken] for column in columns]
    y = [int(y[row]) for row in taken]
    w = [weights[row] / sum(weights) for row in taken]
    learner = settle(learner or {}, kind, min(w))
    fit = partial(LEARNERS[learner.pop("kind", "stump")], **learner)
    rule = partial(RULES[kind], **parameters)
    run = Run([], [], [], [], [], "n_estimators")
    scores, best_margin = np.zeros(len(y)), 0.0
    while len(run.hypotheses) < rounds and run.stop_reason == "n_estimators":
        hypothesis = fit(columns, y, w)
        if run.alphas:
            margins = np.array(y) * scores / np.abs(run.alphas).sum()
            best_margin = max(best_margin, margins.min())
        seen = Round(w, y, hypothesis.answers(columns), best_margin)
        alpha, edge, new_w, verdict = rule(seen)
        if verdict == "drop":
            run.stop_reason = "no_edge"
            break
        run.stop_reason = "perfect" if verdict == "perfect" else run.stop_reason
        run.hypotheses.append(hypothesis)
        run.alphas.append(alpha)
        run.errors.append(seen.error)
        run.edges.append(edge)
        scores += alpha * np.array(seen.h)
        w = new_w
    run.row_weights = [0.0] * len(weights)
    for row, weight in zip(taken, w, strict=True):
        run.row_weights[row] = weight
    return run
