"""A model as a Polars expression.

In: a fitted model. Out: an expression for its score, or for a struct of scores. Step functions
are looked up in tables, rules and trees become when-then-otherwise, and long sums are sums of sums,
so that neither the depth of the expression nor the memory it takes grows with the rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from .._fitting.labels import Floats
from .._reading.literal_columns import column as literal_column
from .._reading.literals import entries, numbers
from .codes import Codes, Column
from .names import free_name
from .sums import Branch, Node, Sum, Term, added_up
from .terms import Terms, terms_of

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel


def polars_expression(model: FittedModel) -> pl.Expr:
    """Return the scores as an expression; see `BoostingClassifier.to_polars`."""
    terms = terms_of(model, "to_polars")
    sums = _Writer(terms).sums()
    taken = [column.name for column in terms.columns.values()]
    score, scores = free_name("score", taken), free_name("scores", taken)
    if terms.n_scores == 1:
        return _scores(sums, terms)[0].alias(score)
    labels = list(map(str, model.labels))
    if terms.decoding is None and terms.buckets is None:
        return _struct(sums, labels).alias(scores)
    # Fields of a struct are worked out once, however many scores are made of them.
    fields = [f"s{at}" for at in range(len(sums))]
    decoded = _struct(_scores(list(map(pl.field, fields)), terms), labels).alias(scores)
    return _struct(sums, fields).struct.with_fields(decoded).struct.field(scores)


def _struct(parts: Sequence[pl.Expr], names: Sequence[str]) -> pl.Expr:
    return pl.struct([part.alias(name) for part, name in zip(parts, names, strict=True)])


def _scores(sums: list[pl.Expr], terms: Terms) -> list[pl.Expr]:
    """Return the scores that are made of sums."""
    if terms.buckets is not None:
        bucket = sums[0].cast(pl.UInt32)
        return [_looked_up(table, bucket) for table in terms.buckets.T]
    if terms.tables is not None:
        found = zip(terms.tables, sums, strict=True)
        sums = [_looked_up(table, bucket.cast(pl.UInt32)) for table, bucket in found]
    if terms.decoding is None:
        return sums
    parts = ([sums[at] * float(row[at]) for at in np.flatnonzero(row)] for row in terms.decoding)
    # A class that takes part in no problem scores nothing.
    return [added_up([], each or [sums[0] * 0.0], _plus) for each in parts]


class _Writer:
    """Writes terms; equal tests are written once."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._values = {at: _values(column) for at, column in terms.columns.items()}
        self._codes = {at: _codes(self._values[at], column) for at, column in terms.columns.items()}
        self._tests: dict[tuple[int, bytes], pl.Expr] = {}

    def sums(self) -> list[pl.Expr]:
        """Return the sums."""
        return list(map(self._sum, self._terms.sums))

    def _sum(self, total: Sum) -> pl.Expr:
        steps = [_looked_up(table, self._codes[at]) for at, table in total.steps.items()]
        terms = [self._term(term) for term in total.terms]
        if not steps and not any(map(_looks_at_a_column, total.terms)):
            # One number for each row, which literals alone are not.
            terms = [pl.repeat(total.base, pl.len(), dtype=pl.Float64), *terms]
            return added_up([], terms, _plus)
        return added_up(steps, [*terms, pl.lit(total.base)] if total.base else terms, _plus)

    def _term(self, term: Term) -> pl.Expr:
        added = self._node(term.node)
        if not term.tests:
            return added
        tests = [self._test(test.column, test.codes) for test in term.tests]
        return pl.when(pl.all_horizontal(tests)).then(added).otherwise(0.0)

    def _node(self, node: Node) -> pl.Expr:
        if not isinstance(node, Branch):
            return pl.lit(node)
        test = self._test(node.test.column, node.test.codes)
        return pl.when(test).then(self._node(node.inside)).otherwise(self._node(node.outside))

    def _test(self, at: int, codes: Codes) -> pl.Expr:
        key = (at, codes.tobytes())
        if key not in self._tests:
            self._tests[key] = _passes(self._values[at], self._terms.columns[at], codes)
        return self._tests[key]


def _looks_at_a_column(term: Term) -> bool:
    return bool(term.tests) or isinstance(term.node, Branch)


def _values(column: Column) -> pl.Expr:
    """Return the values as strings or doubles; whatever is missing is null."""
    given = literal_column(column.name)
    if column.kind == "text":
        return given.cast(pl.String)
    return numbers(given, column.kind).fill_nan(None)


def _codes(values: pl.Expr, column: Column) -> pl.Expr:
    """Return the code of each value."""
    missing = column.missing
    if column.categories is None:
        below = pl.lit(pl.Series(column.cuts, dtype=pl.Float64)).search_sorted(values, side="left")
        return pl.when(values.is_null()).then(pl.lit(missing, pl.UInt32)).otherwise(below)
    names = [name for listed in column.categories for name in listed]
    codes = [code for code, listed in enumerate(column.categories) for _ in listed]
    known, places = entries(names, column.kind), pl.Series(codes, dtype=pl.UInt32)
    return values.replace_strict(known, places, default=missing, return_dtype=pl.UInt32)


def _passes(values: pl.Expr, column: Column, codes: Codes) -> pl.Expr:
    """Return whether the code of each value is among these; null counts as no."""
    present = np.flatnonzero(codes[:-1])
    if column.categories is not None:
        # Unknown categories are missing, and so they are on the side of missing values.
        listed = np.flatnonzero(~codes[:-1]) if codes[-1] else present
        names = [name for code in listed for name in column.categories[code]]
        known = values.is_in(entries(names, column.kind))
        return ~known.fill_null(False) if codes[-1] else known
    if len(present) == 0:
        return values.is_null()
    cuts = column.cuts or ()
    low, high = int(present[0]), int(present[-1])
    bounds = [values > cuts[low - 1]] if low > 0 else []
    bounds += [values <= cuts[high]] if high < len(cuts) else []
    inside = pl.all_horizontal(bounds) if bounds else values.is_not_null()
    return inside | values.is_null() if codes[-1] else inside


def _looked_up(table: Floats, places: pl.Expr) -> pl.Expr:
    return pl.lit(pl.Series(table)).gather(places)


def _plus(parts: Sequence[pl.Expr]) -> pl.Expr:
    """Add from the left; unlike `pl.sum_horizontal` this holds two numbers of a row at a time."""
    return reduce(add, parts)
