"""A model as a sum: what each column adds by itself, and what rules and trees add besides.

In: a fitted estimator. Out: terms, which every writer adds up. Whatever looks at one column only is
folded into a step function of that column, rules with the same condition become one, and trees that
are too deep for other engines are cut into pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from .._labels import Floats
from .._refusals import refuse_others
from .codes import Codes, Column, FittedColumn, Test, tests_of

if TYPE_CHECKING:
    from .._base import BoostingClassifier

#: The most tests on the way to a leaf. SQLite's parser gives up beyond a dozen nested CASEs.
_DEEPEST = 8

#: The most terms of a sum that is not a sum of sums. The expression for n terms is n deep, and
#: SQLite refuses those that are 1000 deep.
_MOST_TERMS = 100

#: What is added to each score; or a test, and what follows inside and outside.
Node: TypeAlias = "Floats | Branch"


@dataclass(frozen=True, eq=False)
class Branch:
    """A test, and what is added to the scores of rows inside and outside."""

    test: Test
    inside: Node
    outside: Node


@dataclass(frozen=True, eq=False)
class Term:
    """What is added to the scores of rows that pass all tests; the others get nothing."""

    tests: tuple[Test, ...]
    node: Node


@dataclass(frozen=True, eq=False)
class Terms:
    """A model as a sum.

    Attributes:
        columns: those that the model looks at, by position.
        base: what every row has, for each score.
        steps: by column what its codes add, for each score.
        terms: what else is added.
        buckets: for SFBoost the scores by bucket; the sum is then the number of the bucket.
    """

    columns: dict[int, Column]
    base: Floats
    steps: dict[int, Floats]
    terms: list[Term]
    buckets: Floats | None

    @property
    def n_scores(self) -> int:
        """The number of scores of a row."""
        return len(self.base) if self.buckets is None else self.buckets.shape[1]


def terms_of(estimator: BoostingClassifier, method: str) -> Terms:
    """Take a model apart; `method` is what refusals name."""
    model = estimator._fitted()
    refuse_others(estimator, method, buckets=True)
    fitted = [FittedColumn(description) for description in model.features]
    members = [model.hypothesis(at) for at in range(model.n_members)]
    tests = [tests_of(found, fitted) for found in members]
    columns, kept = _merge_codes(fitted, [test for each in tests for test in each])
    adder = _Adder(columns, np.zeros(len(_told(estimator, np.zeros(model.n_columns)))))
    for at, (found, asked) in enumerate(zip(members, tests, strict=True)):
        answers = [_added(estimator, at, answer, found) for answer in _answers(found)]
        adder.add(found, [Test(t.column, t.codes[kept[t.column]]) for t in asked], answers)
    rules = [Term(tests, worth) for tests, worth in adder.rules.values()]
    buckets = None
    if model.buckets is not None:
        scores = model.buckets["scores"]
        buckets = scores.reshape(len(scores), -1)
    # The core adds the columns of stumps in this order, so that the sums are the same to the bit.
    steps = dict(sorted(adder.steps.items()))
    return Terms(columns, adder.base, steps, [*rules, *adder.pieces], buckets)


Expression = TypeVar("Expression")


def added_up(
    parts: Sequence[Expression], plus: Callable[[list[Expression]], Expression]
) -> Expression:
    """Return one expression for a sum; `plus` adds up a few of them from the left."""
    while len(parts) > 1:
        groups = [parts[at : at + _MOST_TERMS] for at in range(0, len(parts), _MOST_TERMS)]
        parts = [plus(list(group)) for group in groups]
    return parts[0]


def _merge_codes(
    fitted: list[FittedColumn], tests: list[Test]
) -> tuple[dict[int, Column], dict[int, Any]]:
    """Return the columns that tests look at, and for each which of its codes remain."""
    asked: dict[int, dict[bytes, Codes]] = {}
    for test in tests:
        asked.setdefault(test.column, {})[test.codes.tobytes()] = test.codes
    columns, kept = {}, {}
    for at in sorted(asked):
        columns[at], kept[at] = fitted[at].merge(list(asked[at].values()))
    return columns, kept


def _answers(found: Mapping[str, Any]) -> list[Any]:
    """Return the answers inside and outside, or those of all leaves."""
    return found["values"] if found["kind"] == "tree" else [found["inside"], found["outside"]]


def _added(estimator: BoostingClassifier, at: int, answer: Any, found: Mapping[str, Any]) -> Floats:
    """Return what a member adds to each score with an answer."""
    model = estimator._model
    place, column = int(model.member_rounds[at]), int(model.member_columns[at])
    weight = float(model.weights[(place, column) if model.weights.ndim == 2 else place])
    told = np.zeros(model.n_columns)
    says = found.get("says", "number")
    if says == "number":
        told[column] = weight * answer
    elif says == "class":
        told[int(answer)] = weight
    else:
        told[:] = weight * np.array(answer)
    return _told(estimator, told)


def _told(estimator: BoostingClassifier, columns: Floats) -> Floats:
    """Return numbers for the core's columns as numbers for the scores that users see."""
    model = estimator._model
    told = columns if model.code is None else np.array(model.code, dtype=np.float64) @ columns
    return told if len(told) == 1 else estimator._target.shown(told.reshape(1, -1)).ravel()


@dataclass(eq=False)
class _Adder:
    """A sum that grows by one hypothesis after the other."""

    columns: dict[int, Column]
    base: Floats
    steps: dict[int, Floats] = field(default_factory=dict)
    #: By what tells conditions apart: the tests, and what is added where all of them hold.
    rules: dict[Any, tuple[tuple[Test, ...], Floats]] = field(default_factory=dict)
    pieces: list[Term] = field(default_factory=list)

    def add(self, found: Mapping[str, Any], tests: list[Test], answers: list[Floats]) -> None:
        """Add a hypothesis."""
        looked_at = {test.column for test in tests}
        if found["kind"] == "tree":
            tree = _Tree(tests, found["inside"], found["outside"], answers)
            if len(looked_at) > 1:
                self.pieces.extend(tree.pieces())
            else:
                self._fold(looked_at, tree)
            return
        if found["kind"] == "stump" or not tests:
            self._fold(looked_at, _Tree(tests, [-1], [-2], answers))
        else:
            self._add_rule(tests, *answers)

    def _add_rule(self, tests: list[Test], inside: Floats, outside: Floats) -> None:
        path: _Path | None = {}
        for test in tests:
            path = None if path is None else _narrowed(path, test)
        if path is None:
            self.base = self.base + outside
            return
        narrowed = [Test(column, codes) for column, codes in path.items()]
        if len(path) == 1:
            self._fold(set(path), _Tree(narrowed, [-1], [-2], [inside, outside]))
            return
        self.base = self.base + outside
        key = frozenset((test.column, test.codes.tobytes()) for test in narrowed)
        _, worth = self.rules.get(key, (None, 0.0))
        self.rules[key] = (tuple(narrowed), worth + (inside - outside))

    def _fold(self, looked_at: set[int], tree: _Tree) -> None:
        """Add a tree of a single column, or of none, to what that column adds by itself."""
        if not looked_at:
            self.base = self.base + tree.answers[0]
            return
        (at,) = looked_at
        n_codes = self.columns[at].missing + 1
        steps = self.steps.setdefault(at, np.zeros((len(self.base), n_codes)))
        for codes, answer in tree.leaves(np.ones(n_codes, dtype=np.bool_)):
            steps[:, codes] += answer[:, None]


@dataclass(frozen=True, eq=False)
class _Tree:
    """A tree as arrays: by test what follows, another test or leaf k as −1 − k."""

    tests: list[Test]
    inside: list[int]
    outside: list[int]
    answers: list[Floats]

    def leaves(self, codes: Codes) -> Iterator[tuple[Codes, Floats]]:
        """Yield the codes that come to each leaf, if all tests are of one column."""
        waiting = [(0, codes)]
        while waiting:
            place, codes = waiting.pop()
            if place < 0:
                yield codes, self.answers[-1 - place]
                continue
            passing = self.tests[place].codes
            waiting.append((self.outside[place], codes & ~passing))
            waiting.append((self.inside[place], codes & passing))

    def pieces(self) -> Iterator[Term]:
        """Yield pieces of bounded depth that add up to the tree."""
        waiting: list[tuple[_Path, int]] = [({}, 0)]
        while waiting:
            path, place = waiting.pop()
            tests = tuple(Test(column, codes) for column, codes in path.items())
            yield Term(tests, self._piece(path, place, _DEEPEST, waiting))

    def _piece(self, path: _Path, place: int, left: int, cut_off: list[tuple[_Path, int]]) -> Node:
        """Return what rows get that come this way; tests that they cannot but pass are left out."""
        if place < 0:
            return self.answers[-1 - place]
        test = self.tests[place]
        inside = _narrowed(path, test)
        outside = _narrowed(path, Test(test.column, ~test.codes))
        if inside is None or outside is None:
            after = self.outside if inside is None else self.inside
            return self._piece(path, after[place], left, cut_off)
        if left == 0:
            cut_off.append((path, place))
            return np.zeros_like(self.answers[0])
        return Branch(
            test,
            self._piece(inside, self.inside[place], left - 1, cut_off),
            self._piece(outside, self.outside[place], left - 1, cut_off),
        )


#: By column the codes of rows that come some way through a rule or a tree.
_Path: TypeAlias = dict[int, Codes]


def _narrowed(path: _Path, test: Test) -> _Path | None:
    """Return the path behind a test as well; None if no row comes that far."""
    codes = path[test.column] & test.codes if test.column in path else test.codes
    return {**path, test.column: codes} if codes.any() else None
