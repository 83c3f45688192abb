"""A model as sums, and how its scores are made of them.

In: a fitted estimator. Out: columns and sums, which every writer writes down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._fitting.labels import Floats
from .._reading.refusals import refuse_others
from .codes import Codes, Column, FittedColumn, Test, tests_of
from .sums import Adder, Sum

if TYPE_CHECKING:
    from .. import _core
    from .._estimator.base import BoostingClassifier


@dataclass(frozen=True, eq=False)
class Terms:
    """A model as sums.

    Attributes:
        columns: those that the model looks at, by position.
        sums: one for each score, unless one of the following is there.
        decoding: how scores are made of sums that are not scores: by score, how much of each sum.
        buckets: for SFBoost the scores by bucket; the only sum is the number of the bucket.
    """

    columns: dict[int, Column]
    sums: list[Sum]
    decoding: Floats | None
    buckets: Floats | None

    @property
    def n_scores(self) -> int:
        """The number of scores of a row."""
        if self.buckets is not None:
            return int(self.buckets.shape[1])
        return len(self.sums if self.decoding is None else self.decoding)


def terms_of(estimator: BoostingClassifier, method: str) -> Terms:
    """Take a model apart; `method` is what refusals name."""
    model = estimator._fitted()
    refuse_others(estimator, method, buckets=True)
    fitted = [FittedColumn(description) for description in model.features]
    members = [model.hypothesis(at) for at in range(model.n_members)]
    tests = [tests_of(found, fitted) for found in members]
    columns, kept = _merge_codes(fitted, [test for each in tests for test in each])
    adder = Adder(columns, np.zeros(model.n_columns))
    for at, (found, asked) in enumerate(zip(members, tests, strict=True)):
        answers = [_added(model, at, answer, found["says"]) for answer in _answers(found)]
        adder.add(found, [Test(t.column, t.codes[kept[t.column]]) for t in asked], answers)
    sums = [adder.sum(at) for at in range(model.n_columns)]
    if model.buckets is None:
        return Terms(columns, sums, _decoding(estimator), None)
    scores = model.buckets["scores"]
    return Terms(columns, sums, None, scores.reshape(len(scores), -1))


def _decoding(estimator: BoostingClassifier) -> Floats | None:
    """Return how much of each sum is in each score; None if the sums are the scores."""
    model = estimator._model
    each = np.eye(model.n_columns)
    told = each if model.code is None else each @ np.array(model.code, dtype=np.float64).T
    shown = told if told.shape[1] == 1 else estimator._target.shown(told)
    decoding = shown.reshape(model.n_columns, -1).T
    return None if np.array_equal(decoding, each) else decoding


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


def _added(model: _core.Model, at: int, answer: Any, says: str) -> Floats:
    """Return what a member adds to each sum with an answer."""
    place, column = int(model.member_rounds[at]), int(model.member_columns[at])
    weight = float(model.weights[(place, column) if model.weights.ndim == 2 else place])
    added = np.zeros(model.n_columns)
    if says == "number":
        added[column] = weight * answer
    elif says == "class":
        added[int(answer)] = weight
    else:
        added[:] = weight * np.array(answer)
    return added
