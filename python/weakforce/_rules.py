"""Models as tables and text for people: the rules with their weights, strongest first.

In: a fitted estimator. Out: a Polars frame, or a summary as one string. Rules with the same
condition can be merged into one that adds the same to every score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ._hypotheses import RBFNetHypothesis, RuleHypothesis, StumpHypothesis, TreeHypothesis
from ._wording import answer_text, column_text

if TYPE_CHECKING:
    from ._base import BoostingClassifier

_SCHEMA = {
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


@dataclass(frozen=True)
class _Line:
    """One rule of a model, or several with the same condition."""

    hypothesis: StumpHypothesis | RuleHypothesis
    rounds: tuple[int, ...]
    weight: float
    weight_fired: float | None
    error: float

    @property
    def strength(self) -> float:
        """Half the difference that the rule makes to a score."""
        return abs(self.weight) * abs(self.hypothesis.inside - self.hypothesis.outside) / 2

    def entries(self) -> tuple[Any, ...]:
        """Return the values in the order of the schema."""
        rule = self.hypothesis
        return (
            self.rounds[0],
            rule.condition,
            str(rule),
            self.weight,
            rule.inside,
            rule.outside,
            _rows_inside(rule),
            self.weight_fired,
            self.error,
        )


def rule_table(estimator: BoostingClassifier, merge: bool) -> pl.DataFrame:
    """Return the rules of a model as a frame; see `BoostingClassifier.rules`."""
    lines = _lines(estimator)
    if not merge:
        return pl.DataFrame([line.entries() for line in lines], schema=_SCHEMA, orient="row")
    lines = _merged(lines)
    table = pl.DataFrame([line.entries() for line in lines], schema=_SCHEMA, orient="row")
    rounds = pl.Series("rounds", [line.rounds for line in lines], dtype=pl.List(pl.Int64))
    return table.insert_column(1, rounds)


def summarise(estimator: BoostingClassifier, n: int) -> str:
    """Return a summary of a model; see `BoostingClassifier.summary`."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise ValueError(f"parameter 'n': got {n!r}, expected an integer >= 0")
    members = estimator.estimators_
    if members and all(isinstance(member, _READABLE) for member in members):
        body = _rules_text(_merged(_lines(estimator)), n)
    else:
        body = [*_sizes_text(members), *_importances_text(estimator, n)]
    return "\n".join([*_header(estimator), *body])


_READABLE = (StumpHypothesis, RuleHypothesis)


def _rows_inside(rule: StumpHypothesis | RuleHypothesis) -> int | None:
    return rule.rows_inside if isinstance(rule, RuleHypothesis) else None


def _lines(estimator: BoostingClassifier) -> list[_Line]:
    lines = []
    members = zip(
        estimator.estimators_,
        estimator.estimator_weights_.tolist(),
        estimator.estimator_errors_.tolist(),
        strict=True,
    )
    for at, (member, weight, error) in enumerate(members, 1):
        if not isinstance(member, _READABLE):
            name = type(member).__name__.removesuffix("Hypothesis")
            raise TypeError(
                f"rules() is for models of Rule() or Stump(), but this one is made of {name}; "
                "summary() works for all"
            )
        fired = member.weight_inside if isinstance(member, RuleHypothesis) else None
        lines.append(_Line(member, (at,), weight, fired, error))
    return lines


def _merged(lines: list[_Line]) -> list[_Line]:
    """Merge lines with the same condition; the strongest come first."""
    groups: dict[Hashable, list[_Line]] = {}
    for line in lines:
        rule = line.hypothesis
        same = frozenset(rule.literals) if isinstance(rule, RuleHypothesis) else rule.split
        groups.setdefault(same, []).append(line)
    return sorted(map(_merge, groups.values()), key=lambda line: -line.strength)


def _merge(lines: list[_Line]) -> _Line:
    first = lines[0]
    if len(lines) == 1:
        return first
    weights = np.array([line.weight for line in lines])
    answers = np.array([[line.hypothesis.inside, line.hypothesis.outside] for line in lines])
    weight = float(weights.sum())
    if abs(weight) <= 1e-9 * np.abs(weights).sum():
        weight = float(np.abs(weights).sum())  # weights that cancel leave no mean
    inside, outside = (weights @ answers / weight if weight else answers.mean(axis=0)).tolist()
    fired = [line.weight_fired for line in lines if line.weight_fired is not None]
    return _Line(
        replace(first.hypothesis, inside=inside, outside=outside),
        tuple(at for line in lines for at in line.rounds),
        weight,
        float(np.mean(fired)) if fired else None,
        float(np.mean([line.error for line in lines])),
    )


def _header(estimator: BoostingClassifier) -> list[str]:
    learner = estimator._default_learner() if estimator.estimator is None else estimator.estimator
    rounds = estimator.n_iter_
    facts = [f"{rounds} round{'s' if rounds != 1 else ''} (stop reason: {estimator.stop_reason_})"]
    for name, scores in (
        ("training", estimator.train_score_),
        ("validation", estimator.validation_score_),
    ):
        if len(scores):
            facts.append(f"{name} score {scores[-1]:.4f}")
    named = f"{type(estimator).__name__} with {' '.join(repr(learner).split())}"
    return [named, ", ".join(facts)]


def _rules_text(lines: list[_Line], n: int) -> list[str]:
    cells: list[tuple[str, ...]] = [("strength", "inside", "outside", "rows", "rounds", "rule")]
    for line in lines[:n]:
        rule, rows = line.hypothesis, _rows_inside(line.hypothesis)
        cells.append(
            (
                f"{line.strength:.4f}",
                answer_text(line.weight * rule.inside),
                answer_text(line.weight * rule.outside),
                "–" if rows is None else str(rows),
                str(len(line.rounds)),
                rule.condition,
            )
        )
    if all(_rows_inside(line.hypothesis) is None for line in lines):
        cells = [(*row[:3], *row[4:]) for row in cells]
    note = 'A rule adds "inside" to the score of rows on which it fires, "outside" to all others.'
    return [note, "", *_aligned(cells), *_more(len(lines) - n, "rule")]


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
    return ["", *_aligned(cells), *_more(len(order) - n, "column")]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


def _more(number: int, noun: str) -> list[str]:
    return [f"and {_count(number, f'more {noun}')}"] if number > 0 else []


def _aligned(cells: Sequence[tuple[str, ...]]) -> list[str]:
    """Set numbers flush right; the text at the end, whose width nobody knows, is left alone."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        numbers = [text.rjust(width) for text, width in zip(row[:-1], widths, strict=False)]
        lines.append("  ".join([*numbers, row[-1]]))
    return lines
