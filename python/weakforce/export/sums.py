"""Sums that hypotheses make: what each column adds by itself, and what rules and trees add besides.

In: the step functions of columns, as the core has added them up, and the other hypotheses, one by
one, as tests and what their answers add. Out: sums. Rules with the same condition become one,
and trees that are too deep for other engines are cut into pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from .._fitting.labels import Floats
from .codes import Codes, Test

#: The most tests on the way to a leaf. SQLite's parser gives up beyond a dozen nested CASEs.
_DEEPEST = 8

#: The most terms of a sum that is not a sum of sums. The expression for n terms is n deep: SQLite
#: refuses those that are 1000 deep, and DuckDB plans shallow ones much faster.
_MOST_TERMS = 8

#: The most columns of stumps that are added up in the order in which the core adds them, so that
#: sums are the same to the bit.
_MOST_COLUMNS = 100

#: What is added; or a test, and what follows inside and outside.
Node: TypeAlias = "float | Branch"

Expression = TypeVar("Expression")


@dataclass(frozen=True, eq=False)
class Branch:
    """A test, and what is added for rows inside and outside."""

    test: Test
    inside: Node
    outside: Node


@dataclass(frozen=True, eq=False)
class Term:
    """What is added for rows that pass all tests; the others get nothing."""

    tests: tuple[Test, ...]
    node: Node


@dataclass(frozen=True, eq=False)
class Sum:
    """A sum: what all rows have, what columns add by code, and further terms."""

    base: float
    steps: dict[int, Floats]
    terms: list[Term]


def added_up(
    steps: Sequence[Expression],
    terms: Sequence[Expression],
    plus: Callable[[Sequence[Expression]], Expression],
) -> Expression:
    """Return one expression for a sum; `plus` adds up some of them from the left."""
    parts = [*_sums(steps, _MOST_COLUMNS, plus), *_sums(terms, _MOST_TERMS, plus)]
    return plus(parts) if len(parts) > 1 else parts[0]


def _sums(
    parts: Sequence[Expression],
    most: int,
    plus: Callable[[Sequence[Expression]], Expression],
) -> Sequence[Expression]:
    """Return the sum of all parts, or nothing if there are none."""
    while len(parts) > 1:
        parts = [plus(parts[at : at + most]) for at in range(0, len(parts), most)]
    return parts


#: By column the codes of rows that come some way through a rule or a tree.
_Path: TypeAlias = dict[int, Codes]


def _narrowed(path: _Path, test: Test) -> _Path | None:
    """Return the path behind a test as well; None if no row comes that far."""
    codes = path[test.column] & test.codes if test.column in path else test.codes
    return {**path, test.column: codes} if codes.any() else None


def _tests(path: _Path) -> tuple[Test, ...]:
    return tuple(Test(column, codes) for column, codes in path.items() if not codes.all())


@dataclass(eq=False)
class Adder:
    """Sums that grow by one hypothesis after the other.

    `steps` are what columns add by themselves, by code, which the core has added up.
    """

    base: Floats
    steps: dict[int, Floats]
    #: By what tells conditions apart: the tests, and what is added where all of them hold.
    rules: dict[Any, tuple[tuple[Test, ...], Floats]] = field(default_factory=dict)
    trees: list[_Tree] = field(default_factory=list)

    def sum(self, at: int) -> Sum:
        """Return one of the sums."""
        # This is the order of the core.
        steps = {column: self.steps[column][at] for column in sorted(self.steps)}
        rules = [Term(tests, float(worth[at])) for tests, worth in self.rules.values()]
        terms = [*rules, *(piece for tree in self.trees for piece in tree.pieces(at))]
        return Sum(
            float(self.base[at]),
            {column: values for column, values in steps.items() if values.any()},
            [term for term in terms if term.node != 0.0],
        )

    def add(self, found: Mapping[str, Any], tests: list[Test], answers: list[Floats]) -> None:
        """Add a hypothesis."""
        if not tests:
            self.base = self.base + answers[0]
        elif found["kind"] == "rule":
            self._add_rule(tests, *answers)
        else:
            self.trees.append(_Tree(tests, found["inside"], found["outside"], answers))

    def _add_rule(self, tests: list[Test], inside: Floats, outside: Floats) -> None:
        path: _Path | None = {}
        for test in tests:
            path = None if path is None else _narrowed(path, test)
        self.base = self.base + outside
        if path is not None:
            narrowed = _tests(path)
            key = frozenset((test.column, test.codes.tobytes()) for test in narrowed)
            _, worth = self.rules.get(key, (None, 0.0))
            self.rules[key] = (narrowed, worth + (inside - outside))


@dataclass(frozen=True, eq=False)
class _Tree:
    """A tree as arrays: by test what follows, another test or leaf k as −1 − k."""

    tests: list[Test]
    inside: list[int]
    outside: list[int]
    answers: list[Floats]

    def pieces(self, at: int) -> Iterator[Term]:
        """Yield pieces of bounded depth that add up to what the tree adds to one of the sums."""
        waiting: list[tuple[_Path, int]] = [({}, 0)]
        answers = [float(answer[at]) for answer in self.answers]
        while waiting:
            path, place = waiting.pop()
            yield Term(_tests(path), self._piece(path, place, answers, (_DEEPEST, waiting)))

    def _piece(
        self,
        path: _Path,
        place: int,
        answers: list[float],
        limit: tuple[int, list[tuple[_Path, int]]],
    ) -> Node:
        """Return what rows get that come this way; tests that make no difference are left out.

        `limit` says how many tests may follow, and takes what comes after them.
        """
        if place < 0:
            return answers[-1 - place]
        test = self.tests[place]
        inside = _narrowed(path, test)
        outside = _narrowed(path, Test(test.column, ~test.codes))
        if inside is None or outside is None:
            after = self.outside if inside is None else self.inside
            return self._piece(path, after[place], answers, limit)
        left, cut_off = limit
        if left == 0:
            cut_off.append((path, place))
            return 0.0
        limit = (left - 1, cut_off)
        then = self._piece(inside, self.inside[place], answers, limit)
        otherwise = self._piece(outside, self.outside[place], answers, limit)
        return then if then == otherwise else Branch(test, then, otherwise)
