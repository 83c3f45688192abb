"""Fitted weak hypotheses as readable objects.

In: the core's description of one hypothesis. Out: a small frozen object that prints as a sentence;
a scikit-learn classifier stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .literals import Literal, Split
from .wording import said_text

Floats = NDArray[np.float64]


def hypothesis_from_core(description: Any, labels: Sequence[Any] = ()) -> Any:
    """Return the readable form of what the core says of a hypothesis.

    `labels` are those of the classes, for hypotheses that answer with class numbers.
    """
    if not isinstance(description, dict):
        return description  # an external classifier
    read = {"says": "number", **description}
    for name in ("inside", "outside") if read["kind"] in ("stump", "rule") else ():
        read[name] = _answer(read[name], read["says"], labels)
    if "values" in read:
        read["values"] = [_answer(value, read["says"], labels) for value in read["values"]]
    return _BY_KIND[read["kind"]].from_core(read)


def _answer(said: Any, says: str, labels: Sequence[Any]) -> Any:
    if says == "class":
        return labels[int(said)]
    return tuple(said) if says == "scores" else said


def _sentence(rule: StumpHypothesis | RuleHypothesis) -> str:
    inside, outside = (said_text(side, rule.says) for side in (rule.inside, rule.outside))
    return f"{rule.condition} → {inside}, else {outside}"


@dataclass(frozen=True)
class StumpHypothesis:
    """One test on one column.

    What it answers depends on the booster: a number, the label of a class, or a tuple with a score
    for each class; `says` tells which.

    Attributes:
        column: position of the column.
        name: its name (`x3` for the fourth column of an array).
        threshold: rows with a value of at most this are inside; None for a test of categories, or
            if every value is inside and only missing ones are not.
        categories: the categories that are inside; None for a threshold.
        missing_inside: whether missing values are inside.
        inside: the answer to rows inside.
        outside: the answer to all others.
        column_kind: what the values mean; see `Literal`.
        says: what the answers are: "number", "class" or "scores".
    """

    column: int
    name: str
    threshold: float | None
    categories: tuple[str, ...] | None
    missing_inside: bool
    inside: Any
    outside: Any
    column_kind: str = "number"
    says: str = "number"

    @classmethod
    def from_core(cls, description: Mapping[str, Any]) -> StumpHypothesis:
        """Read the core's description."""
        categories = description.get("categories")
        return cls(
            column=description["column"],
            name=description["name"],
            threshold=description.get("threshold"),
            categories=None if categories is None else tuple(categories),
            missing_inside=description["missing_inside"],
            inside=description["inside"],
            outside=description["outside"],
            column_kind=description["column_kind"],
            says=description["says"],
        )

    @property
    def split(self) -> Split:
        """The test without its answers."""
        return Split(*(getattr(self, field.name) for field in fields(Split)))

    @property
    def condition(self) -> str:
        """The test as text, such as `age ≤ 37 or null`."""
        return self.split.condition

    def expression(self) -> pl.Expr:
        """Return the Polars expression that is true inside; see `Split.expression`."""
        return self.split.expression()

    def __str__(self) -> str:
        return _sentence(self)


@dataclass(frozen=True)
class RuleHypothesis:
    """A conjunction of literals with an answer for rows on which it fires and one for the rest.

    Attributes:
        literals: the conditions that all must hold, in order of growth; none means always.
        inside: the answer to rows on which the rule fires.
        outside: the answer to all others.
        rows_inside: the number of training rows on which it fires.
        weight_inside: their share of the row weights in the rule's round.
        says: what the answers are; see `StumpHypothesis`.

    Examples:
        >>> from weakforce import Literal, RuleHypothesis
        >>> old, nurse = (
        ...     Literal(0, "age", "number", "above", 37.0),
        ...     Literal(1, "job", "text", "is", categories=("nurse",)),
        ... )
        >>> rule = RuleHypothesis((old, nurse), 0.83, -0.12, 120, 0.3)
        >>> print(rule)
        age > 37 and job = "nurse" → +0.83, else −0.12
        >>> people = pl.DataFrame({"age": [35, 52, None], "job": ["nurse", "nurse", "nurse"]})
        >>> people.filter(rule.expression()).rows()
        [(52, 'nurse')]
    """

    literals: tuple[Literal, ...]
    inside: Any
    outside: Any
    rows_inside: int
    weight_inside: float
    says: str = "number"

    @classmethod
    def from_core(cls, description: Mapping[str, Any]) -> RuleHypothesis:
        """Read the core's description."""
        return cls(
            literals=tuple(map(Literal.from_core, description["literals"])),
            inside=description["inside"],
            outside=description["outside"],
            rows_inside=description["rows_inside"],
            weight_inside=description["weight_inside"],
            says=description["says"],
        )

    @property
    def condition(self) -> str:
        """The text left of the arrow, such as `age > 37 and job = "nurse"`; or `always`."""
        return " and ".join(map(str, self.literals)) or "always"

    def expression(self) -> pl.Expr:
        """Return the Polars expression that is true where the rule fires, and never null.

        The columns of an array are called `x0`, `x1` and so on. Categories that were not seen
        during fit count as missing for the model, but the expression does not know them: `is
        null` is false for them, `is not null` and `≠` are true.
        """
        if not self.literals:
            return pl.repeat(True, pl.len(), dtype=pl.Boolean)
        return pl.all_horizontal([literal.expression() for literal in self.literals])

    def __str__(self) -> str:
        return _sentence(self)


@dataclass(frozen=True)
class TreeHypothesis:
    """A decision tree as arrays: one entry per inner node (0 is the root), or per leaf.

    Attributes:
        column: position of the column that an inner node tests.
        name: its name.
        column_kind: what its values mean; see `Literal`.
        threshold: rows with a value of at most this go inside; None as for `StumpHypothesis`.
        categories: the categories that go inside; None for a threshold.
        missing_inside: whether missing values go inside.
        inside: where rows inside go next: inner node n, or leaf k as −1 − k.
        outside: where all other rows go, in the same way.
        values: the answer of each leaf.
        weights: the leaf's share of the row weights in the tree's round.
        rows: the number of training rows in the leaf.
        says: what the answers are; see `StumpHypothesis`.
    """

    column: tuple[int, ...]
    name: tuple[str, ...]
    column_kind: tuple[str, ...]
    threshold: tuple[float | None, ...]
    categories: tuple[tuple[str, ...] | None, ...]
    missing_inside: tuple[bool, ...]
    inside: tuple[int, ...]
    outside: tuple[int, ...]
    values: tuple[Any, ...]
    weights: tuple[float, ...]
    rows: tuple[int, ...]
    says: str = "number"

    @classmethod
    def from_core(cls, description: Mapping[str, Any]) -> TreeHypothesis:
        """Read the core's description."""
        names = [field.name for field in fields(cls) if field.name != "says"]
        entries = {name: tuple(description[name]) for name in names}
        subsets = (None if names is None else tuple(names) for names in entries["categories"])
        return cls(**{**entries, "categories": tuple(subsets)}, says=description["says"])

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return len(self.values)

    @property
    def depth(self) -> int:
        """The most tests on the way to a leaf."""
        return max(depth for depth, _, _ in self._walk())

    def split(self, node: int) -> Split:
        """Return the test of an inner node."""
        return Split(*(getattr(self, field.name)[node] for field in fields(Split)))

    def _walk(self) -> Iterator[tuple[int, int, int | None]]:
        """Yield depth, place and, for rows inside, the node before it; inside before outside."""
        waiting: list[tuple[int, int, int | None]] = [(0, 0 if self.column else -1, None)]
        while waiting:
            depth, place, before = waiting.pop()
            yield depth, place, before
            if place >= 0:
                waiting.append((depth + 1, self.outside[place], None))
                waiting.append((depth + 1, self.inside[place], place))

    def __str__(self) -> str:
        lines = []
        for depth, place, before in self._walk():
            ending = ":" if place >= 0 else f" → {said_text(self.values[-1 - place], self.says)}"
            if depth == 0:
                lines += [] if place >= 0 else [f"always{ending}"]
                continue
            words = "else" if before is None else f"if {self.split(before).condition}"
            lines.append(f"{'    ' * (depth - 1)}{words}{ending}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class RBFNetHypothesis:
    """A network of radial basis functions.

    Attributes:
        centers: one row per centre, in the units of the columns.
        widths: one per centre, in units of the columns' standard deviations.
        outputs: the output weight of each centre.
        answer: "vote" (the sign of the output) or "clipped" (the output, kept in [−1, 1]).
    """

    centers: Floats
    widths: Floats
    outputs: Floats
    answer: str

    @classmethod
    def from_core(cls, description: Mapping[str, Any]) -> RBFNetHypothesis:
        """Read the core's description."""
        arrays = {name: np.array(description[name]) for name in ("centers", "widths", "outputs")}
        for array in arrays.values():
            array.flags.writeable = False
        return cls(**arrays, answer=description["answer"])

    def _key(self) -> tuple[object, ...]:
        arrays = (self.centers, self.widths, self.outputs)
        return (self.answer, *((array.shape, array.tobytes()) for array in arrays))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RBFNetHypothesis) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        count, columns = self.centers.shape
        return f"RBF net of {count} centres over {columns} columns, answers {self.answer}"


_BY_KIND: dict[str, Any] = {
    "stump": StumpHypothesis,
    "rule": RuleHypothesis,
    "tree": TreeHypothesis,
    "rbf_net": RBFNetHypothesis,
}
