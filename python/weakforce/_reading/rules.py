"""Models as tables and text for people: the rules with their weights, strongest first.

In: a fitted estimator. Out: a Polars frame, or a summary as one string.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from .._fitting.labels import label_list
from .hypotheses import RBFNetHypothesis, TreeHypothesis
from .rule_lines import READABLE, RuleLine, lines_of, merged
from .wording import answer_text, column_text, label_text

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier

_SCHEMA: dict[str, Any] = {
    "round": pl.Int64,
    "rule": pl.String,
    "text": pl.String,
    "weight": pl.Float64,
    "inside": pl.Float64,
    "outside": pl.Float64,
    "rows_fired": pl.Int64,
    "weight_fired": pl.Float64,
    "error": pl.Float64,
}

#: The types of the answers in a table, by what hypotheses say.
_ANSWER_TYPES = {"number": pl.Float64, "class": pl.String, "scores": pl.List(pl.Float64)}


def rule_table(estimator: BoostingClassifier, merge: bool) -> pl.DataFrame:
    """Return the rules of a model as a frame; see `BoostingClassifier.rules`."""
    lines = lines_of(estimator)
    lines = merged(lines) if merge else lines
    answers = _ANSWER_TYPES[lines[0].hypothesis.says if lines else "number"]
    schema = {**_SCHEMA, "inside": answers, "outside": answers}
    table = pl.DataFrame([line.entries() for line in lines], schema=schema, orient="row")
    if any(line.column is not None for line in lines):
        names = estimator._column_names()
        known = pl.Series("class", np.array(names) if isinstance(names[0], np.generic) else names)
        table.insert_column(1, known.gather([line.column or 0 for line in lines]))
    if merge:
        rounds = pl.Series("rounds", [line.rounds for line in lines], dtype=pl.List(pl.Int64))
        table.insert_column(1, rounds)
    return table


def summarise(estimator: BoostingClassifier, n: int) -> str:
    """Return a summary of a model; see `BoostingClassifier.summary`."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise ValueError(f"parameter 'n': got {n!r}, expected an integer >= 0")
    members = [member for member, *_ in estimator._each_member()]
    if members and all(isinstance(member, READABLE) for member in members):
        body = _rules_text(estimator, merged(lines_of(estimator)), n)
    else:
        body = [*_sizes_text(members), *_importances_text(estimator, n)]
    return "\n".join([*_header(estimator), *body, *estimator._summary_tail()])


def _header(estimator: BoostingClassifier) -> list[str]:
    learner = estimator.estimator
    if learner is None:
        learner = estimator._default_learner(len(estimator.classes_))
    rounds = estimator.n_iter_
    facts = [f"{rounds} round{'s' if rounds != 1 else ''} (stop reason: {estimator.stop_reason_})"]
    for name, numbers in (
        ("training score", estimator.train_score_),
        ("validation score", estimator.validation_score_),
        ("expected cost", getattr(estimator, "expected_cost_", np.empty(0))),
    ):
        if len(numbers):
            facts.append(f"{name} {numbers[-1]:.4f}")
    named = f"{type(estimator).__name__} with {' '.join(repr(learner).split())}"
    return [named, ", ".join(facts)]


def _rules_text(estimator: BoostingClassifier, lines: list[RuleLine], n: int) -> list[str]:
    titles = ("strength", "inside", "outside", "rows", "rounds", "class", "rule")
    grouped = any(line.column is not None for line in lines)
    names = [str(name) for name in estimator._column_names()] if grouped else []
    cells: list[tuple[str, ...]] = [titles]
    for line in lines[:n]:
        cells.append(
            (
                f"{line.strength:.4f}",
                *_sides_text(estimator, line),
                "–" if line.rows_fired is None else str(line.rows_fired),
                str(len(line.rounds)),
                "" if line.column is None else names[line.column],
                line.hypothesis.condition,
            )
        )
    left_out = {"rows"} if all(line.rows_fired is None for line in lines) else set()
    left_out |= set() if grouped else {"class"}
    kept = [at for at, title in enumerate(titles) if title not in left_out]
    cells = [tuple(row[at] for at in kept) for row in cells]
    note = estimator._rules_note()
    note = note or (_note(estimator) if grouped else _NOTES[lines[0].hypothesis.says])
    return [note, "", *aligned(cells), *_more(len(lines) - n, "rule")]


_NOTES = {
    "number": 'A rule adds "inside" to the score of rows on which it fires, "outside" to all '
    "others.",
    "class": 'A rule adds twice its strength to the score of a class: "inside" for rows on which '
    'it fires, "outside" for all others.',
    "scores": "A rule adds to the scores of all classes; this is the class that gains most: "
    '"inside" for rows on which it fires, "outside" for all others.',
}


def _note(estimator: BoostingClassifier) -> str:
    code = estimator._code
    scored = "class" if code is None or code.one_vs_rest else "two-class problem"
    return (
        f'A rule adds to the score of its {scored}: "inside" for rows on which it fires, "outside" '
        "for all others."
    )


def _sides_text(estimator: BoostingClassifier, line: RuleLine) -> tuple[str, str]:
    """Write what a rule adds to scores inside and outside."""
    rule = line.hypothesis
    inside, outside = (_side_text(estimator, line, side) for side in (rule.inside, rule.outside))
    return inside, outside


def _side_text(estimator: BoostingClassifier, line: RuleLine, answer: Any) -> str:
    if line.hypothesis.says == "class":
        return label_text(answer)
    if line.hypothesis.says == "number":
        return answer_text(line.weight * answer)
    added = line.weight * np.array(answer)
    most = int(added.argmax())
    return f"{label_text(label_list(estimator.classes_)[most])} {answer_text(added[most])}"


def _sizes_text(members: Sequence[Any]) -> list[str]:
    """Say what a model is made of, a line for each kind."""
    trees = [member for member in members if isinstance(member, TreeHypothesis)]
    nets = [member for member in members if isinstance(member, RBFNetHypothesis)]
    rest = Counter(
        type(member).__name__.removesuffix("Hypothesis")
        for member in members
        if not isinstance(member, (TreeHypothesis, RBFNetHypothesis))
    )
    lines = []
    if trees:
        leaves = [tree.n_leaves for tree in trees]
        low, high, depth = min(leaves), max(leaves), max(tree.depth for tree in trees)
        size = f"{low} to {high} leaves (mean {np.mean(leaves):.1f})"
        size = size if low < high else f"{low} leaves"
        lines.append(f"{_count(len(trees), 'tree')} of {size}, up to {depth} tests deep")
    if nets:
        centers = max(len(net.centers) for net in nets)
        lines.append(f"{_count(len(nets), 'RBF net')} of up to {_count(centers, 'centre')}")
    return lines + [f"{count} × {name}" for name, count in rest.items()]


def _importances_text(estimator: BoostingClassifier, n: int) -> list[str]:
    importances = getattr(estimator, "feature_importances_", None)
    if importances is None or not np.any(importances):
        return []
    names = getattr(estimator, "feature_names_in_", None)
    order = [at for at in np.argsort(-importances, kind="stable") if importances[at] > 0]
    cells = [("importance", "column")]
    for at in order[:n]:
        name = f"x{at}" if names is None else str(names[at])
        cells.append((f"{importances[at]:.4f}", column_text(name)))
    return ["", *aligned(cells), *_more(len(order) - n, "column")]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


def _more(number: int, noun: str) -> list[str]:
    return [f"and {_count(number, f'more {noun}')}"] if number > 0 else []


def aligned(cells: Sequence[tuple[str, ...]]) -> list[str]:
    """Set numbers flush right; the text at the end, whose width nobody knows, is left alone."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        numbers = [text.rjust(width) for text, width in zip(row[:-1], widths, strict=False)]
        lines.append("  ".join([*numbers, row[-1]]))
    return lines
