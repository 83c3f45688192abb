"""A model as sums, and how its scores are made of them.

In: a fitted model. Out: columns and sums, which every writer writes down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._fitting.labels import Floats
from .._reading.refusals import refuse_others
from .codes import Codes, Column, FittedColumn, Test, tests_of
from .sums import Adder, Sum

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel


@dataclass(frozen=True, eq=False)
class Terms:
    """A model as sums.

    Attributes:
        columns: those that the model looks at, by position.
        sums: one for each score, unless one of the following is there.
        decoding: how scores are made of sums that are not scores: by score, how much of each sum.
        buckets: for SFBoost the scores by bucket; the only sum is the number of the bucket.
        tables: for SFBoost of several problems the same for each sum; what is found there is
            decoded.
    """

    columns: dict[int, Column]
    sums: list[Sum]
    decoding: Floats | None
    buckets: Floats | None
    tables: list[Floats] | None = None

    @property
    def n_scores(self) -> int:
        """The number of scores of a row."""
        if self.buckets is not None:
            return int(self.buckets.shape[1])
        return len(self.sums if self.decoding is None else self.decoding)


def terms_of(model: FittedModel, method: str) -> Terms:
    """Take a model apart; `method` is what refusals name."""
    refuse_others(model, method)
    fitted = [FittedColumn(feature) for feature in model.features]
    members = list(model.descriptions())
    tests = [tests_of(found, fitted) for found in members]
    columns, kept = _merge_codes(fitted, [test for each in tests for test in each])
    by_column, others = model.step_functions()
    steps = {at: sums[:, kept[at]] for at, sums in by_column.items()}
    adder = Adder(np.zeros(model.n_outputs), steps)
    places = _places(model)
    for at in others:
        found, asked, place = members[at], tests[at], places[at]
        answers = [place.added(answer, found["says"]) for answer in _answers(found)]
        adder.add(found, [Test(t.column, t.codes[kept[t.column]]) for t in asked], answers)
    sums = [adder.sum(at) for at in range(model.n_outputs)]
    buckets = model.buckets
    if buckets is None:
        tables = [table.scores for table in model.tables] or None
        decoding = _decoding(model)
        if tables is not None and decoding is None:
            decoding = np.eye(model.n_outputs)
        return _with_prior(Terms(columns, sums, decoding, None, tables), model.prior)
    scores = buckets.scores.reshape(len(buckets.scores), -1)
    return Terms(columns, sums, None, scores if model.prior is None else scores + model.prior)


def _with_prior(terms: Terms, prior: Floats | None) -> Terms:
    """Return the same sums with what class weights add to each score."""
    if prior is None:
        return terms
    if terms.decoding is None:
        shifted = zip(terms.sums, prior.tolist(), strict=True)
        return replace(terms, sums=[replace(sum_, base=sum_.base + by) for sum_, by in shifted])
    # A sum that is always 1, of which every score takes its part.
    decoding = np.column_stack([terms.decoding, prior])
    if terms.tables is not None:
        tables = [*terms.tables, np.ones(1)]
        return replace(
            terms, sums=[*terms.sums, Sum(0.0, {}, [])], decoding=decoding, tables=tables
        )
    return replace(terms, sums=[*terms.sums, Sum(1.0, {}, [])], decoding=decoding)


def _decoding(model: FittedModel) -> Floats | None:
    """Return how much of each sum is in each score; None if the sums are the scores."""
    each = np.eye(model.n_outputs)
    scores = each if model.decoding is None else each @ model.decoding
    shown = scores if scores.shape[1] == 1 else model.target.shown(scores)
    decoding = shown.reshape(model.n_outputs, -1).T
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


class _Place(NamedTuple):
    """Where a hypothesis adds: to one of several outputs, with its weight."""

    weight: float
    output: int
    n_outputs: int

    def added(self, answer: Any, says: str) -> Floats:
        """Return what the hypothesis adds to each sum with an answer."""
        added = np.zeros(self.n_outputs)
        if says == "number":
            added[self.output] = self.weight * answer
        elif says == "class":
            added[int(answer)] = self.weight
        else:
            added[:] = self.weight * np.array(answer)
        return added


def _places(model: FittedModel) -> list[_Place]:
    """Return the place of each hypothesis."""
    weights = model.weights
    return [
        _Place(float(weights[(at, output) if weights.ndim == 2 else at]), output, model.n_outputs)
        for at, output in model.member_places()
    ]
