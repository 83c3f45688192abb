"""Code matrices: how two-class problems make up one of several classes.

In: the parameter `multi_class`. Out: a matrix of −1, 0 and +1 with a row for each class and a
column for each two-class problem; classes with a 0 take no part in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._reading.wording import label_text
from .code_search import spread_rows
from .labels import Floats, shortened
from .settings import as_numbers

Matrix = NDArray[np.int8]

#: How many random codes are tried for "ecoc".
_TRIES = 100

#: The most labels that the name of a problem writes out.
_MOST = 4


class Code:
    """A code matrix."""

    #: Whether each class has a problem of its own, whose score is that of the class.
    one_vs_rest = False

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix

    @property
    def matrix(self) -> Matrix:
        """The code: a row for each class, a column for each problem."""
        return self._matrix

    def is_like(self, other: Code) -> bool:
        """Whether both codes could have been drawn as error-correcting codes for one problem."""
        dense = bool(self.matrix.all() and other.matrix.all())
        return dense and not other.one_vs_rest and self.matrix.shape == other.matrix.shape

    def settings(self) -> Any:
        """Return the code as the core's settings name it."""
        return {"code": self.matrix.tolist()}

    def spread(self, weights: Floats) -> float:
        """Return the largest difference that votes could make between two classes.

        `weights` are those of the hypotheses, by round and problem.
        """
        totals = np.abs(weights).sum(axis=0)
        decoding = self.matrix.astype(np.float64)
        return max(float((np.abs(decoding - row) @ totals).max()) for row in decoding)

    def largest_distance(self) -> float:
        """Return the largest Hamming distance between two rows, zeros being half a sign away."""
        return self.spread(np.full((1, self.matrix.shape[1]), 0.5))

    def output_names(self, labels: Sequence[Any]) -> list[Any]:
        """Return what each problem tells apart."""
        return [
            f"{_listed(labels, column > 0)} against {_listed(labels, column < 0)}"
            for column in self.matrix.T
        ]


class OneVsRest(Code):
    """The code that sets each class against all others.

    Its matrix is made only when somebody asks for it: for many classes it is large.
    """

    one_vs_rest = True

    def __init__(self, n_classes: int) -> None:
        self._n_classes = n_classes

    @property
    def matrix(self) -> Matrix:
        """The code: +1 on the diagonal, −1 elsewhere."""
        matrix = np.full((self._n_classes, self._n_classes), -1, dtype=np.int8)
        np.fill_diagonal(matrix, 1)
        return matrix

    def settings(self) -> Any:
        """Return the code as the core's settings name it."""
        return "one_vs_rest"

    def spread(self, weights: Floats) -> float:
        """Return the largest difference that votes could make between two classes."""
        totals = np.abs(weights).sum(axis=0)
        return float(np.partition(totals, -2)[-2:].sum())

    def largest_distance(self) -> float:
        """Return the Hamming distance between any two rows."""
        return 2.0

    def output_names(self, labels: Sequence[Any]) -> list[Any]:
        """Return the labels: each problem tells one of them apart."""
        return list(labels)


class OneVsOne(Code):
    """The code that sets each class against each other one.

    Its matrix is made only when somebody asks for it: next to all of it is zero, and it grows with
    the third power of the number of classes.
    """

    def __init__(self, n_classes: int) -> None:
        self._n_classes = n_classes

    @property
    def matrix(self) -> Matrix:
        """The code: +1 for the first class of each pair, −1 for the second."""
        firsts, seconds = self._pairs()
        shape = (self._n_classes, len(firsts))
        _core.check_memory("the code matrix of all pairs of classes", shape[0] * shape[1])
        matrix = np.zeros(shape, dtype=np.int8)
        columns = np.arange(len(firsts))
        matrix[firsts, columns], matrix[seconds, columns] = 1, -1
        return matrix

    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the first and the second class of each problem."""
        firsts, seconds = np.triu_indices(self._n_classes, 1)
        return firsts, seconds

    def is_like(self, other: Code) -> bool:  # noqa: ARG002
        """Return False: it is not drawn."""
        return False

    def settings(self) -> Any:
        """Return the code as the core's settings name it."""
        return "one_vs_one"

    def spread(self, weights: Floats) -> float:
        """Return the largest difference that votes could make between two classes."""
        totals = np.abs(weights).sum(axis=0)
        firsts, seconds = self._pairs()
        # What one of two classes has a part in changes their difference, their own problem twice.
        by_class = np.bincount(firsts, totals, self._n_classes)
        by_class += np.bincount(seconds, totals, self._n_classes)
        return float(np.partition(by_class, -2)[-2:].sum())

    def largest_distance(self) -> float:
        """Return the Hamming distance between any two rows, zeros being half a sign away."""
        return float(self._n_classes - 1)

    def output_names(self, labels: Sequence[Any]) -> list[Any]:
        """Return what each problem tells apart."""
        shown = [label_text(label) for label in labels]
        return [f"{shown[i]} against {shown[j]}" for i, j in zip(*self._pairs(), strict=True)]


def _listed(labels: Sequence[Any], chosen: NDArray[np.bool_]) -> str:
    places = np.flatnonzero(chosen).tolist()
    shown = [label_text(labels[place]) for place in places[:_MOST]]
    if len(places) > _MOST:
        shown.append(f"… {len(places)} in all")
    return ", ".join(shown)


def code_for(multi_class: Any, classes: NDArray[Any], seed: int) -> Code | None:
    """Return the code that `multi_class` asks for; None for two classes, which need none."""
    if isinstance(multi_class, str):
        if multi_class not in _NAMED:
            raise ValueError(f"parameter 'multi_class': got {multi_class!r}, expected {_EXPECTED}")
        return None if len(classes) == 2 else _NAMED[multi_class](len(classes), seed)
    code = Code(_checked(multi_class, classes))
    return None if len(classes) == 2 else code


def one_vs_rest(n_classes: int, _: int = 0) -> Code:
    """Return the code that sets each class against all others."""
    return OneVsRest(n_classes)


def one_vs_one(n_classes: int, _: int = 0) -> Code:
    """Return the code that sets each class against each other one."""
    return OneVsOne(n_classes)


def _error_correcting(n_classes: int, seed: int) -> Code:
    """Draw random codes and keep the one whose rows are farthest from each other."""
    n_columns = min(math.ceil(10 * math.log2(n_classes)), 2 ** (n_classes - 1) - 1)
    columns = _random_columns(n_classes, seed)
    drawn = (_draw(columns, n_columns) for _ in range(_TRIES))
    matrix = max(drawn, key=_smallest_distance)
    while _smallest_distance(matrix) == 0:
        matrix = _draw(columns, n_columns)
    return Code(matrix)


def _spread_code(n_classes: int, seed: int) -> Code:
    """Improve the random code of this seed by a search for rows far from each other."""
    draw = np.random.PCG64(seed).random_raw
    return Code(spread_rows(_error_correcting(n_classes, seed).matrix, draw))


def _random_columns(n_classes: int, seed: int) -> Iterator[Matrix]:
    """Yield random columns of −1 and +1 that are not constant.

    They are made of the generator's raw bits, which NumPy keeps the same on every machine and in
    every version.
    """
    generator = np.random.PCG64(seed)
    words = -(-n_classes // 64)
    while True:
        raw = generator.random_raw(words).astype("<u8")
        bits = np.unpackbits(raw.view(np.uint8), bitorder="little")[:n_classes].astype(np.int8)
        if 0 < bits.sum() < n_classes:
            yield 2 * bits - np.int8(1)


def _draw(columns: Iterator[Matrix], n_columns: int) -> Matrix:
    """Return columns of which no two ask for the same, be it with the sides exchanged."""
    chosen: dict[bytes, Matrix] = {}
    while len(chosen) < n_columns:
        column = next(columns)
        chosen.setdefault((column * column[0]).tobytes(), column)
    return np.column_stack(list(chosen.values()))


def _smallest_distance(matrix: Matrix) -> int:
    """Return the smallest Hamming distance between two rows."""
    signs = matrix.astype(np.float64)
    agreement = signs @ signs.T
    np.fill_diagonal(agreement, -np.inf)
    closest = float(agreement.max())
    return int(signs.shape[1] - closest) // 2


def _checked(given: Any, classes: NDArray[Any]) -> Matrix:
    """Return a code matrix of the user's; refuse one that leaves classes or columns undecided."""
    matrix = as_numbers(given, "multi_class", _EXPECTED, n_dimensions=2)
    problem = _problem_of(matrix, len(classes))
    if problem:
        raise ValueError(
            f"parameter 'multi_class': got a code matrix {problem}; the classes are "
            f"{shortened(classes)}"
        )
    return matrix.astype(np.int8)


def _problem_of(matrix: Floats, n_classes: int) -> str | None:
    wrong = np.argwhere(~np.isin(matrix, (-1, 0, 1)))
    if len(wrong):
        row, column = wrong[0].tolist()
        entry = f"{matrix[row, column]:g} in row {row}, column {column}"
        return f"with {entry}, expected -1, 0 or 1"
    if len(matrix) != n_classes or matrix.shape[1] == 0:
        return f"of shape {matrix.shape}, expected a row for each of {n_classes} classes"
    one_sided = np.flatnonzero((matrix.max(axis=0) < 1) | (matrix.min(axis=0) > -1))
    if len(one_sided):
        return f"without both -1 and 1 in column {one_sided[0]}, expected both in every column"
    for first, second in combinations(range(n_classes), 2):
        if np.array_equal(matrix[first], matrix[second]):
            return f"with equal rows {first} and {second}, expected a row of its own for each class"
    return None


_NAMED: dict[str, Callable[[int, int], Code]] = {
    "ovr": one_vs_rest,
    "ovo": one_vs_one,
    "ecoc": _error_correcting,
    "ecoc-max": _spread_code,
}

#: Those among them that are drawn.
DRAWN = ("ecoc", "ecoc-max")

_EXPECTED = (
    "'ovr', 'ovo', 'ecoc', 'ecoc-max' or a code matrix of -1, 0 and 1 with a row for each class "
    "and a column for each two-class problem"
)
