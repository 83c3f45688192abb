"""A naive oracle: stumps by exhaustive search and the boosters of algorithms.md, A1–A4 and C1.

Written from the formulas, in plain loops over raw values; nothing here is binned, folded, blocked
or shared with the core. A column is a list of numbers or of strings, with None for missing values;
labels are −1 and +1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from math import exp, inf, log, sqrt, tanh
from typing import Any

import numpy as np
import polars as pl

CAP = 18.0  # the largest α |h|, and the largest |h|
TIE = 1e-12

Columns = list[list[Any]]


def gini(negative, positive):
    total = negative + positive
    return 2 * negative * positive / total if total > 0 else 0.0


CRITERIA: dict[str, Callable[[float, float], float]] = {
    "error": min,
    "z": lambda negative, positive: 2 * sqrt(negative * positive),
    "gini": gini,
}


def answer_of(rule, negative, positive, smooth):
    """What a side with these class weights says."""
    if rule == "vote":
        return 1.0 if positive >= negative - TIE else -1.0
    negative, positive = negative + smooth, positive + smooth
    if negative + positive == 0:
        return 0.0
    if rule == "gentle":
        return (positive - negative) / (positive + negative)
    if negative == 0 or positive == 0:
        return CAP if positive > 0 else -CAP
    return max(-CAP, min(CAP, 0.5 * log(positive / negative)))


@dataclass(frozen=True)
class Split:
    """A test: `x ≤ threshold` (None: x is present), or x in `categories` of the known ones."""

    column: int
    threshold: float | None
    categories: frozenset[str] | None
    known: frozenset[str]
    missing_inside: bool

    def takes(self, value):
        if value is None or (self.categories is not None and value not in self.known):
            return self.missing_inside
        if self.categories is not None:
            return value in self.categories
        return self.threshold is None or value <= self.threshold


@dataclass(frozen=True)
class Candidate:
    """A test with the class weights (−1, +1) of its sides and the criterion's value."""

    split: Split
    rows_inside: tuple[bool, ...]
    inside: tuple[float, float]
    outside: tuple[float, float]
    score: float


def is_categorical(column):
    return any(isinstance(value, str) for value in column)


def splits_of(place, column, w):
    """Yield every test on one column, lowest cut first; `missing_inside` of None is undecided."""
    present = [value for value, weight in zip(column, w, strict=True) if weight > 0]
    has_missing = any(value is None for value in present)
    values = sorted({value for value in present if value is not None})
    if is_categorical(column):
        known = frozenset(values)
        levels = [*values, None] if has_missing else values
        for size in range(1, len(levels)):
            for chosen in combinations(levels, size):
                missing_inside = None in chosen if has_missing else None
                categories = frozenset(chosen) - {None}
                yield Split(place, None, categories, known, missing_inside)
        return
    for low, high in pairwise(values):
        threshold = low / 2 + high / 2
        for missing_inside in (True, False) if has_missing else (None,):
            yield Split(place, threshold, None, frozenset(), missing_inside)
    if has_missing and values:
        yield Split(place, None, None, frozenset(), False)


def weigh(split, column, y, w, impurity):
    """Add up the class weights on both sides of a test."""
    inside, outside = [0.0, 0.0], [0.0, 0.0]
    rows = []
    for value, label, weight in zip(column, y, w, strict=True):
        rows.append(bool(split.takes(value)))
        (inside if rows[-1] else outside)[int(label > 0)] += weight
    if split.missing_inside is None:  # nothing was missing: the heavier side takes what will be
        heavier = sum(inside) >= sum(outside) - TIE
        split = Split(split.column, split.threshold, split.categories, split.known, heavier)
    score = impurity(*inside) + impurity(*outside)
    return Candidate(split, tuple(rows), tuple(inside), tuple(outside), score)


def all_candidates(columns: Columns, y, w, criterion) -> list[Candidate]:
    """Weigh every test of every column, or the one that holds for all rows if there is none."""
    found = [
        weigh(split, column, y, w, CRITERIA[criterion])
        for place, column in enumerate(columns)
        for split in splits_of(place, column, w)
    ]
    if not found:
        all_rows = Split(0, None, None, frozenset(), True)
        found = [weigh(all_rows, columns[0], y, w, CRITERIA[criterion])]
    return found


def best_candidates(candidates: list[Candidate], tolerance=TIE) -> list[Candidate]:
    """Return the candidates of the least score, in order."""
    least = min(candidate.score for candidate in candidates)
    return [candidate for candidate in candidates if candidate.score <= least + tolerance]


@dataclass(frozen=True)
class Stump:
    """A test and the answers of its sides."""

    split: Split
    inside: float
    outside: float

    def answers(self, columns: Columns) -> list[float]:
        column = columns[self.split.column]
        return [self.inside if self.split.takes(value) else self.outside for value in column]


def make_stump(candidate: Candidate, answer, smoothing) -> Stump:
    smooth = smoothing * (sum(candidate.inside) + sum(candidate.outside))
    return Stump(
        candidate.split,
        answer_of(answer, *candidate.inside, smooth),
        answer_of(answer, *candidate.outside, smooth),
    )


def fit_stump(columns: Columns, y, w, criterion="error", answer="vote", smoothing=0.0) -> Stump:
    """Find the best stump; ties go to the lowest column, then the lowest cut."""
    best = best_candidates(all_candidates(columns, y, w, criterion))[0]
    return make_stump(best, answer, smoothing)


@dataclass
class Run:
    """How a booster went."""

    stumps: list[Stump]
    alphas: list[float]
    errors: list[float]
    edges: list[float]
    row_weights: list[float]
    stop_reason: str

    def scores(self, columns: Columns) -> np.ndarray:
        total = np.zeros(len(columns[0]))
        for stump, alpha in zip(self.stumps, self.alphas, strict=True):
            total += alpha * np.array(stump.answers(columns))
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


RULES = {"discrete": discrete, "arc_gv": arc_gv, "real": real, "adaboost_r": adaboost_r}


def boost(kind, columns: Columns, y, weights=None, rounds=10, learner=None, **parameters) -> Run:
    """Run a booster; rows of weight zero are absent."""
    weights = [1.0] * len(y) if weights is None else [float(weight) for weight in weights]
    taken = [row for row, weight in enumerate(weights) if weight > 0]
    columns = [[column[row] for row in taken] for column in columns]
    y = [int(y[row]) for row in taken]
    w = [weights[row] / sum(weights) for row in taken]
    learner = {"smoothing": min(w), **(learner or {})}
    rule = partial(RULES[kind], **parameters)
    run = Run([], [], [], [], [], "n_estimators")
    scores, best_margin = np.zeros(len(y)), 0.0
    while len(run.stumps) < rounds and run.stop_reason == "n_estimators":
        stump = fit_stump(columns, y, w, **learner)
        if run.alphas:
            margins = np.array(y) * scores / np.abs(run.alphas).sum()
            best_margin = max(best_margin, margins.min())
        seen = Round(w, y, stump.answers(columns), best_margin)
        alpha, edge, new_w, verdict = rule(seen)
        if verdict == "drop":
            run.stop_reason = "no_edge"
            break
        run.stop_reason = "perfect" if verdict == "perfect" else run.stop_reason
        run.stumps.append(stump)
        run.alphas.append(alpha)
        run.errors.append(seen.error)
        run.edges.append(edge)
        scores += alpha * np.array(seen.h)
        w = new_w
    run.row_weights = [0.0] * len(weights)
    for row, weight in zip(taken, w, strict=True):
        run.row_weights[row] = weight
    return run


def to_frame(columns: Columns) -> pl.DataFrame:
    """The columns as users would bring them."""
    types = [pl.String if is_categorical(column) else pl.Float64 for column in columns]
    series = [
        pl.Series(f"c{place}", column, dtype=dtype)
        for place, (column, dtype) in enumerate(zip(columns, types, strict=True))
    ]
    return pl.DataFrame(series)
