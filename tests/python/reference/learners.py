"""A naive oracle, part one: cuts, criteria, answers, and stumps by exhaustive search (C1).

Written from the formulas, in plain loops over raw values; nothing here is binned, blocked or shared
with the core. A column is a list of numbers or of strings, with None for missing values; labels are
−1 and +1; w is a weight per row, zero for rows that are absent.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from math import floor, log, sqrt
from typing import Any

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


def answer_of(answer, negative, positive, smooth):
    """What a part with these class weights says."""
    if answer == "vote":
        return 1.0 if positive >= negative - TIE else -1.0
    negative, positive = negative + smooth, positive + smooth
    if negative + positive == 0:
        return 0.0
    if answer == "gentle":
        return (positive - negative) / (positive + negative)
    if negative == 0 or positive == 0:
        return CAP if positive > 0 else -CAP
    return max(-CAP, min(CAP, 0.5 * log(positive / negative)))


# Cuts


@cache
def round_cut(low: float, high: float) -> float:
    """The roundest number near the middle between two neighbouring values, low ≤ cut < high.

    Rounded to as few significant digits as leave it in the middle half of the gap; whole numbers
    are parted by a whole number.
    """
    middle = low / 2 + high / 2
    quarter = (Fraction(high) - Fraction(low)) / 4
    cut = middle
    for digits in range(1, 18):
        rounded = float(format(middle, f".{digits - 1}e"))
        if Fraction(low) + quarter <= Fraction(rounded) <= Fraction(high) - quarter:
            cut = rounded
            break
    if float(low).is_integer() and float(high).is_integer() and not cut.is_integer():
        cut = float(floor(middle))
    return cut if low <= cut < high else low


def is_categorical(column):
    return any(isinstance(value, str) for value in column)


def values_of(column, w):
    """The distinct values of the rows that are there, ascending."""
    return sorted({value for value, weight in zip(column, w, strict=True) if weight > 0} - {None})


def cuts_of(column, w):
    return [round_cut(low, high) for low, high in pairwise(values_of(column, w))]


# Tests


@dataclass(frozen=True)
class Split:
    """A test: `x ≤ threshold` (None: x is present), or x in `categories` of the known ones."""

    column: int
    threshold: float | None
    categories: frozenset[str] | None
    known: frozenset[str]
    missing_inside: bool | None

    def takes(self, value):
        if value is None or (self.categories is not None and value not in self.known):
            return bool(self.missing_inside)
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


@dataclass(frozen=True)
class Search:
    """Where to look for a test: some rows of a problem, and how tests are scored."""

    columns: Columns
    y: list[int]
    w: list[float]
    criterion: str
    rows: tuple[int, ...]

    def splits(self, place, *, every_subset=True):
        """Yield every test on one column, lowest cut first; `missing_inside` may be undecided.

        Cuts lie between values of the whole column, categories are those of the rows. Subsets of
        categories come in the order of their share of class +1: its prefixes, then all others.
        """
        column = self.columns[place]
        here = {column[row] for row in self.rows if self.w[row] > 0}
        has_missing = None in here
        if is_categorical(column):
            known = frozenset(values_of(column, self.w))
            levels = sorted(here, key=lambda level: (self.share(column, level), level or "\uffff"))
            subsets = [levels[:size] for size in range(1, len(levels))]
            if every_subset:
                sizes = range(1, len(levels))
                subsets += [chosen for size in sizes for chosen in combinations(levels, size)]
            for chosen in subsets:
                missing_inside = None in chosen if has_missing else None
                yield Split(place, None, frozenset(chosen) - {None}, known, missing_inside)
            return
        for threshold in cuts_of(column, self.w):
            for missing_inside in (True, False) if has_missing else (None,):
                yield Split(place, threshold, None, frozenset(), missing_inside)
        if has_missing:
            yield Split(place, None, None, frozenset(), False)

    def share(self, column, level):
        """The share of class +1 in the weight of one category."""
        weights = [(self.w[row], self.y[row]) for row in self.rows if column[row] == level]
        return sum(w for w, y in weights if y > 0) / sum(w for w, _ in weights)

    def weigh(self, split) -> Candidate:
        """Add up the class weights on both sides of a test; settle what no row decides."""
        column = self.columns[split.column]
        inside, outside, rows = [0.0, 0.0], [0.0, 0.0], []
        for row in self.rows:
            rows.append(split.takes(column[row]))
            (inside if rows[-1] else outside)[int(self.y[row] > 0)] += self.w[row]
        heavier = sum(inside) >= sum(outside) - TIE
        if split.missing_inside is None:  # nothing was missing
            split = replace(split, missing_inside=heavier)
        if split.categories is not None and heavier:  # as good as never seen here
            here = {column[row] for row in self.rows if self.w[row] > 0}
            split = replace(split, categories=split.categories | (split.known - here))
        impurity = CRITERIA[self.criterion]
        score = impurity(*inside) + impurity(*outside)
        return Candidate(split, tuple(rows), tuple(inside), tuple(outside), score)

    def candidates(self, **options) -> list[Candidate]:
        """Weigh every test of every column that has weight on both sides."""
        places = range(len(self.columns))
        found = [self.weigh(split) for place in places for split in self.splits(place, **options)]
        return [c for c in found if sum(c.inside) > 0 and sum(c.outside) > 0]


def all_candidates(columns: Columns, y, w, criterion) -> list[Candidate]:
    """Weigh every test of every column, or the one that holds for all rows if there is none."""
    search = Search(columns, y, w, criterion, tuple(range(len(y))))
    all_rows = Split(0, None, None, frozenset(), True)
    return search.candidates() or [search.weigh(all_rows)]


def best_candidates(candidates: list[Candidate], tolerance=TIE) -> list[Candidate]:
    """Return the candidates of the least score, in order."""
    least = min(candidate.score for candidate in candidates)
    return [candidate for candidate in candidates if candidate.score <= least + tolerance]


# Stumps


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


def to_frame(columns: Columns) -> pl.DataFrame:
    """The columns as users would bring them."""
    types = [pl.String if is_categorical(column) else pl.Float64 for column in columns]
    series = [
        pl.Series(f"c{place}", column, dtype=dtype)
        for place, (column, dtype) in enumerate(zip(columns, types, strict=True))
    ]
    return pl.DataFrame(series)
