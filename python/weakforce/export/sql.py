"""A model as one SELECT.

In: a fitted model, the name of a table, a dialect. Out: the text of a query in steps: columns
are read as doubles or as codes of categories, scores are added up, and the label with the best
score is chosen. SFBoost has one step more, from the number of passed tests to scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._fitting.labels import Floats
from .answers import compared, least_positive
from .codes import Column, Test
from .dialects import DIALECTS, Dialect
from .names import check_names, columns_to_keep, free_name, table_parts
from .sums import Branch, Node, Sum, Term, added_up
from .terms import Terms, terms_of

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

#: The most categories of a column that are told apart by a CASE; more of them make a list to join.
_MOST_CASES = 50

#: The most lists; SQLite joins no more than 64 tables.
_MOST_LISTS = 60

#: The most ways of one CASE that is searched from the top.
_MOST_WAYS = 8


def sql_query(model: FittedModel, table: Any, dialect: Any, keep: Any) -> str:
    """Return the query; see `BoostingClassifier.to_sql`."""
    terms = terms_of(model, "to_sql")
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        expected = "'duckdb', 'postgres' or 'sqlite'"
        raise ValueError(f"parameter 'dialect': got {dialect!r}, expected {expected}")
    chosen = DIALECTS[dialect]
    parts = table_parts(table)
    source = ".".join(map(chosen.name, parts))
    kept = columns_to_keep(keep)
    check_names([column.name for column in terms.columns.values()], chosen)
    writer = _Writer(terms, chosen, parts)
    read, added, scored = (free_name(name, parts) for name in ("read", "added", "scored"))
    handed_on = [f"k{at}" for at in range(len(kept))]
    named = [f"given.{chosen.name(name)} AS k{at}" for at, name in enumerate(kept)]
    sums = [f"{writer.sum(total)} AS s{at}" for at, total in enumerate(terms.sums)]
    steps = [
        _Step(read, [*named, *writer.columns()], f"{source} AS given{writer.joins()}"),
        _Step(added, [*handed_on, *sums], read),
    ]
    scores = writer.scores()
    if scores:
        named = [f"{score} AS s{at}" for at, score in enumerate(scores)]
        steps.append(_Step(scored, [*handed_on, *named], added))
    results = dict(zip(kept, handed_on, strict=True))
    results |= _results(model, terms.n_scores, chosen, kept)
    chosen.check_count(len(results))
    last = [f"{value} AS {chosen.name(name)}" for name, value in results.items()]
    before = ",\n".join([*writer.lists(), *(step.named(chosen) for step in steps)])
    return f"WITH {before}\n{_Step('', last, steps[-1].name).select()}\n"


@dataclass(frozen=True)
class _Step:
    """A part of the query: a SELECT with a name."""

    name: str
    columns: Sequence[str]
    origin: str

    def select(self, indent: str = "") -> str:
        columns = f",\n{indent}    ".join(self.columns or ["NULL AS nothing"])
        return f"{indent}SELECT\n{indent}    {columns}\n{indent}FROM {self.origin}"

    def named(self, dialect: Dialect) -> str:
        query = f"{self.select('    ')} {dialect.fence}".rstrip()
        return f"{self.name} {dialect.worked_out} (\n{query}\n)"


def _results(
    model: FittedModel, n_scores: int, dialect: Dialect, kept: Sequence[str]
) -> dict[str, str]:
    """Return the columns of the query: scores and a label, or whether it has each label."""
    labels = model.labels
    results: dict[str, str] = {}

    def add(name: str, value: str) -> None:
        results[free_name(name.replace("\0", "�"), [*kept, *results])] = value

    literals = [dialect.label(label) for label in labels]
    if n_scores == 1:
        add("score", "s0")
        add("prediction", _of_two(least_positive(model), literals, dialect))
        return results
    scores = [f"s{at}" for at in range(n_scores)]
    for score, label in zip(scores, labels, strict=True):
        add(f"score_{label}", score)
    best = dialect.largest(scores)
    if model.has_label_sets:
        for score, label in zip(scores, labels, strict=True):
            # Half as probable as the most probable one.
            add(f"prediction_{label}", f"{score} >= {best} - {dialect.number(float(np.log(2)))}")
        return results
    moved = compared(model)
    if moved is not None:
        slope = dialect.number(moved[0])
        pairs = zip(scores, map(dialect.number, moved[1]), strict=True)
        scores = [f"({slope} * {score} + {more})" for score, more in pairs]
        best = dialect.largest(scores)
    pairs = zip(scores, literals, strict=True)
    ways = " ".join(f"WHEN {score} THEN {literal}" for score, literal in pairs)
    add("prediction", f"CASE {best} {ways} END")
    return results


def _of_two(least: float, literals: Sequence[str], dialect: Dialect) -> str:
    """Return the second label where the score is large enough, else the first."""
    if np.isinf(least):
        return literals[0] if least > 0 else literals[1]
    bound = "0" if least == 0.0 else dialect.exact(least)
    return f"CASE WHEN s0 >= {bound} THEN {literals[1]} ELSE {literals[0]} END"


class _Writer:
    """Writes terms in a dialect; column 3 is called c3."""

    def __init__(self, terms: Terms, dialect: Dialect, taken: Sequence[str]) -> None:
        self._terms = terms
        self._dialect = dialect
        named = terms.columns.items()
        self._names = {at: _categories(column, dialect) for at, column in named}
        long = [at for at, names in self._names.items() if len(names) > _MOST_CASES]
        self._lists = {at: free_name(f"list{at}", taken) for at in long[:_MOST_LISTS]}

    def columns(self) -> list[str]:
        """Return the columns as doubles, or as codes of categories."""
        return [f"{self._read(at, column)} AS c{at}" for at, column in self._terms.columns.items()]

    def lists(self) -> list[str]:
        """Return the lists of categories that are too long for a CASE, as named queries."""
        lists = []
        for at, name in self._lists.items():
            rows = [f"({category}, {code})" for category, code in self._names[at]]
            query = self._dialect.listed(rows, self._terms.columns[at].kind)
            lists.append(f"{name} (category, code) {self._dialect.worked_out} (\n    {query}\n)")
        return lists

    def joins(self) -> str:
        """Return what joins these lists to the table."""
        return "".join(
            f"\n    LEFT JOIN {name} ON {name}.category = {self._values(at)}"
            for at, name in self._lists.items()
        )

    def _read(self, at: int, column: Column) -> str:
        values = self._values(at)
        if column.categories is None:
            return values
        if at in self._lists:
            return f"{self._lists[at]}.code"
        ways = "".join(f" WHEN {name} THEN {code}" for name, code in self._names[at])
        return f"CASE {values}{ways} END" if ways else "CAST(NULL AS INTEGER)"

    def _values(self, at: int) -> str:
        """Return the values of a column as doubles or texts."""
        column, dialect = self._terms.columns[at], self._dialect
        given = f"given.{dialect.name(column.name)}"
        if column.kind == "text":
            return dialect.strings(given)
        return dialect.doubles(given, column.kind)

    def sum(self, total: Sum) -> str:
        """Return a sum."""
        steps = [self._steps(at, table) for at, table in total.steps.items()]
        terms = [self._term(term) for term in total.terms]
        terms += [self._dialect.number(total.base)] if total.base or not steps + terms else []
        return added_up(steps, terms, _plus)

    def scores(self) -> list[str]:
        """Return the scores if these are not the sums."""
        terms = self._terms
        if terms.buckets is not None:
            limits = list(map(str, range(len(terms.buckets) - 1)))
            return [self._look_up("s0", limits, table) for table in terms.buckets.T]
        if terms.decoding is None:
            return []
        number = self._dialect.number
        by_class = [
            [f"{number(row[at])} * {self._output(int(at))}" for at in np.flatnonzero(row)]
            for row in terms.decoding.tolist()
        ]
        # A class that takes part in no problem scores nothing.
        return [added_up([], each or [number(0.0)], _plus) for each in by_class]

    def _output(self, at: int) -> str:
        """Return a sum, or what is found for it in its table."""
        if self._terms.tables is None:
            return f"s{at}"
        table = self._terms.tables[at]
        return self._look_up(f"s{at}", list(map(str, range(len(table) - 1))), table)

    def _steps(self, at: int, steps: Floats) -> str:
        """Return what a column adds by itself."""
        missing = self._dialect.number(float(steps[-1]))
        column = self._terms.columns[at]
        if column.missing == 0:
            return missing
        if column.cuts is None:
            limits = list(map(str, range(column.missing - 1)))
        else:
            limits = list(map(self._dialect.exact, column.cuts))
        known = self._look_up(f"c{at}", limits, steps[:-1])
        return f"CASE WHEN c{at} IS NULL THEN {missing} ELSE {known} END"

    def _look_up(self, value: str, limits: list[str], table: Floats) -> str:
        """Return the entry of a table at the number of limits below a value."""
        differs = np.flatnonzero(np.diff(table)).tolist()
        entries = [self._dialect.number(float(table[at])) for at in [*differs, -1]]
        return _searched(value, [limits[at] for at in differs], entries)

    def _term(self, term: Term) -> str:
        added = self._node(term.node)
        if not term.tests:
            return added
        tests = " AND ".join(map(self._test, term.tests))
        return f"CASE WHEN {tests} THEN {added} ELSE {self._dialect.number(0.0)} END"

    def _node(self, node: Node) -> str:
        ways = []
        while isinstance(node, Branch):
            ways.append(f"WHEN {self._test(node.test)} THEN {self._node(node.inside)}")
            node = node.outside
        last = self._dialect.number(node)
        return f"CASE {' '.join(ways)} ELSE {last} END" if ways else last

    def _test(self, test: Test) -> str:
        """Return a condition that is true where the test is passed, otherwise false or null."""
        value, column, codes = f"c{test.column}", self._terms.columns[test.column], test.codes
        present = np.flatnonzero(codes[:-1])
        if len(present) == 0:
            return f"{value} IS NULL"
        if len(present) == column.missing:
            inside = f"{value} IS NOT NULL"
        elif column.cuts is None:
            inside = self._dialect.among(value, codes[:-1])
        else:
            exact = self._dialect.exact
            low, high = present[0], present[-1]
            bounds = [f"{value} > {exact(column.cuts[low - 1])}"] if low > 0 else []
            bounds += [f"{value} <= {exact(column.cuts[high])}"] if high < len(column.cuts) else []
            inside = " AND ".join(bounds)
        return f"({inside} OR {value} IS NULL)" if codes[-1] else inside


def _categories(column: Column, dialect: Dialect) -> list[tuple[str, int]]:
    """Return the categories of a column with their codes, without those that no table can hold."""
    found = []
    for code, names in enumerate(column.categories or ()):
        for name in names:
            text = dialect.text(name) if column.kind == "text" else dialect.exact(float(name))
            found += [] if text is None else [(text, code)]
    return found


def _plus(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else "(" + "\n        + ".join(parts) + ")"


def _searched(value: str, limits: list[str], entries: list[str]) -> str:
    """Return a CASE for the entry at the number of limits below a value; long ones are nested."""
    if not limits:
        return entries[0]
    width = 1
    while width * _MOST_WAYS < len(entries):
        width *= _MOST_WAYS
    ways = ""
    for start in range(0, len(entries), width):
        end = min(start + width, len(entries))
        entry = _searched(value, limits[start : end - 1], entries[start:end])
        if end < len(entries):
            ways += f"WHEN {value} <= {limits[end - 1]} THEN {entry} "
        else:
            ways += f"ELSE {entry}"
    return f"CASE {ways} END"
