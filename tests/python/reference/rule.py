"""A naive oracle, part two: rules (C2), grown literal by literal over every literal on raw values.

A literal is false for a missing value unless it asks for one; a category that was not there when
the rule was grown counts as missing.
"""

from dataclasses import dataclass

from reference.learners import (
    CRITERIA,
    TIE,
    Columns,
    answer_of,
    cuts_of,
    is_categorical,
    values_of,
)


@dataclass(frozen=True)
class Literal:
    """A test on one column: `at_most`, `above` (a threshold), `is`, `is_not` (a category),
    `missing` or `present`. `known` are the categories of a category column, else None.
    """

    column: int
    test: str
    than: float | str | None = None
    known: frozenset[str] | None = None

    def holds(self, value):
        if self.known is not None and value not in self.known:
            value = None
        if value is None:
            return self.test == "missing"
        match self.test:
            case "at_most":
                return value <= self.than
            case "above":
                return value > self.than
            case "is":
                return value == self.than
            case "is_not":
                return value != self.than
        return self.test == "present"

    def implies(self, other):
        """Whether a row for which this one holds always makes the other hold."""
        if self.column != other.column or self.test == "missing" or other.test == "missing":
            return self == other
        if other.test == "present":
            return True
        match self.test, other.test:
            case "at_most", "at_most":
                return self.than <= other.than
            case "above", "above":
                return self.than >= other.than
            case "is", "is_not":
                return self.than != other.than
        return self == other


def literals_of(place, column, w):
    """Every literal on one column, in the order in which ties are decided."""
    known, tests = None, []
    if is_categorical(column):
        known = frozenset(values_of(column, w))
        tests = [(test, level) for level in sorted(known) for test in ("is", "is_not")]
    else:
        tests = [(test, cut) for cut in cuts_of(column, w) for test in ("at_most", "above")]
    tests += [("missing", None), ("present", None)]
    return [Literal(place, test, than, known) for test, than in tests]


@dataclass(frozen=True)
class Rule:
    """A conjunction of literals and the answers where it fires and where it does not."""

    literals: tuple[Literal, ...]
    inside: float
    outside: float

    def fires(self, columns: Columns) -> list[bool]:
        rows = range(len(columns[0]))
        return [all(lit.holds(columns[lit.column][row]) for lit in self.literals) for row in rows]

    def answers(self, columns: Columns) -> list[float]:
        return [self.inside if fired else self.outside for fired in self.fires(columns)]


def class_weights(rows, y, w):
    negative = sum(w[row] for row in rows if y[row] < 0)
    return negative, sum(w[row] for row in rows if y[row] > 0)


def score_of(fired, y, w, criterion):
    """The criterion over {fired, not fired}."""
    rest = [row for row in range(len(y)) if row not in fired]
    impurity = CRITERIA[criterion]
    return impurity(*class_weights(fired, y, w)) + impurity(*class_weights(rest, y, w))


def next_literals(columns: Columns, y, w, criterion, fired):
    """Every literal that keeps some of the fired weight and not all: (score, literal, rows)."""
    found = []
    for place, column in enumerate(columns):
        for literal in literals_of(place, column, w):
            kept = frozenset(row for row in fired if literal.holds(column[row]))
            if any(w[row] > 0 for row in kept) and any(w[row] > 0 for row in fired - kept):
                found.append((score_of(kept, y, w, criterion), literal, kept))
    return found


def best_literal(columns: Columns, y, w, criterion, fired):
    """The first of the literals of the least score, as `next_literals` has it, or None."""
    found = next_literals(columns, y, w, criterion, fired)
    least = min((candidate[0] for candidate in found), default=None)
    return next((c for c in found if c[0] <= least + TIE * sum(w)), None)


def negated(literal):
    pairs = [("at_most", "above"), ("is", "is_not"), ("missing", "present")]
    other = dict(pairs) | {second: first for first, second in pairs}
    return Literal(literal.column, other[literal.test], literal.than, literal.known)


def grow(fired, score, best_literal, other_side, max_literals, *, gain, tie):
    """Add the best literal while it gains enough; the literals, and the rows on which they fire.

    Of a first literal and its negation, where they part the rows alike, the negation is taken if it
    leads to the better second literal. `best_literal` of some rows is (score, literal, rows kept)
    or None; `other_side` of a literal and the rows it keeps is those its negation keeps, or None if
    the two leave out a row.
    """
    literals: list[Literal] = []
    for step in range(max_literals):
        best = best_literal(fired)
        if best is None or score - best[0] <= max(gain, tie):
            break
        score, literal, fired = best
        rest = other_side(literal, fired) if step == 0 and max_literals > 1 else None
        if rest is not None:
            here, there = best_literal(fired), best_literal(rest)
            if there and (here is None or there[0] < here[0] - tie):
                literal, fired = negated(literal), rest
        literals = [earlier for earlier in literals if not literal.implies(earlier)] + [literal]
    return tuple(literals), fired


def fit_rule(
    columns: Columns,
    y,
    w,
    max_literals=2,
    criterion="z",
    answer="logistic",
    min_gain=0.0,
    smoothing=0.0,
) -> Rule:
    """Grow a rule; ties go to the first literal."""
    total = sum(w)
    everything = frozenset(range(len(y)))

    def other_side(literal, kept):
        negation, column = negated(literal), columns[literal.column]
        rest = everything - kept
        return rest if all(negation.holds(column[row]) for row in rest if w[row] > 0) else None

    literals, fired = grow(
        everything,
        score_of(everything, y, w, criterion),
        lambda rows: best_literal(columns, y, w, criterion, rows),
        other_side,
        max_literals,
        gain=min_gain * total,
        tie=TIE * total,
    )
    outside = [row for row in range(len(y)) if row not in fired]
    smooth = smoothing * total
    return Rule(
        literals,
        answer_of(answer, *class_weights(fired, y, w), smooth),
        answer_of(answer, *class_weights(outside, y, w), smooth),
    )
