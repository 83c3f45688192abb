"""The rules of a model one by one, and merged: what tables and summaries are made of.

In: a fitted model. Out: lines, each with a rule, its rounds, its weight and its errors. Rules
with the same condition can be merged into one that adds the same to every score.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .hypotheses import RuleHypothesis, StumpHypothesis
from .members import each_member
from .wording import label_text

if TYPE_CHECKING:
    from .fitted_model import FittedModel

#: Hypotheses that read as rules.
READABLE = (StumpHypothesis, RuleHypothesis)


@dataclass(frozen=True)
class RuleLine:
    """One rule of a model, or several with the same condition.

    `output` is the class or two-class problem it is for, if a round has a rule for each.
    """

    hypothesis: StumpHypothesis | RuleHypothesis
    rounds: tuple[int, ...]
    weight: float
    weight_fired: float | None
    error: float
    output: int | None = None

    @property
    def strength(self) -> float:
        """Half the difference that the rule makes to a score."""
        inside, outside = self.hypothesis.inside, self.hypothesis.outside
        if self.hypothesis.says == "class":
            return abs(self.weight) / 2 if inside != outside else 0.0
        return abs(self.weight) * float(np.max(np.abs(np.subtract(inside, outside)))) / 2

    @property
    def rows_fired(self) -> int | None:
        """The number of training rows on which it fires; None for stumps."""
        rule = self.hypothesis
        return rule.rows_inside if isinstance(rule, RuleHypothesis) else None

    @property
    def key(self) -> Hashable:
        """What lines that can be merged have in common; votes for classes have no mean."""
        rule = self.hypothesis
        same: Hashable
        same = frozenset(rule.literals) if isinstance(rule, RuleHypothesis) else rule.split
        answers = (rule.inside, rule.outside) if rule.says == "class" else None
        return self.output, same, answers

    def entries(self) -> tuple[Any, ...]:
        """Return the values in the order of the schema."""
        rule = self.hypothesis
        inside, outside = rule.inside, rule.outside
        if rule.says == "class":
            inside, outside = label_text(inside), label_text(outside)
        return (
            self.rounds[0],
            rule.condition,
            str(rule),
            self.weight,
            inside,
            outside,
            self.rows_fired,
            self.weight_fired,
            self.error,
        )


def lines_of(model: FittedModel) -> list[RuleLine]:
    """Return every rule of a model; refuse models of other things."""
    lines = []
    for hypothesis, at, output, weight, error in each_member(model):
        if not isinstance(hypothesis, READABLE):
            name = type(hypothesis).__name__.removesuffix("Hypothesis")
            raise TypeError(
                f"rules() is for models of Rule() or Stump(), but this one is made of {name}; "
                "summary() works for all"
            )
        fired = hypothesis.weight_inside if isinstance(hypothesis, RuleHypothesis) else None
        lines.append(RuleLine(hypothesis, (at,), weight, fired, error, output))
    return lines


def merged(lines: list[RuleLine]) -> list[RuleLine]:
    """Merge lines with the same condition; the strongest come first."""
    groups: dict[Hashable, list[RuleLine]] = {}
    for line in lines:
        groups.setdefault(line.key, []).append(line)
    return sorted(map(_merge, groups.values()), key=lambda line: -line.strength)


def _merge(lines: list[RuleLine]) -> RuleLine:
    first = lines[0]
    if len(lines) == 1:
        return first
    weights = np.array([line.weight for line in lines])
    weight = float(weights.sum())
    if abs(weight) <= 1e-9 * np.abs(weights).sum():
        weight = float(np.abs(weights).sum())  # weights that cancel leave no mean
    rule = first.hypothesis
    if rule.says != "class":
        inside, outside = (_mean(side, weights, weight) for side in _sides(lines))
        rule = replace(rule, inside=inside, outside=outside)
    fired = [line.weight_fired for line in lines if line.weight_fired is not None]
    return RuleLine(
        rule,
        tuple(at for line in lines for at in line.rounds),
        weight,
        float(np.mean(fired)) if fired else None,
        float(np.mean([line.error for line in lines])),
        first.output,
    )


def _sides(lines: list[RuleLine]) -> tuple[list[Any], list[Any]]:
    rules = [line.hypothesis for line in lines]
    return [rule.inside for rule in rules], [rule.outside for rule in rules]


def _mean(answers: list[Any], weights: Any, weight: float) -> Any:
    """Return the answer that, times `weight`, is the weighted sum of answers."""
    array = np.array(answers)
    mean = (weights @ array / weight if weight else array.mean(axis=0)).tolist()
    return tuple(mean) if isinstance(mean, list) else mean
