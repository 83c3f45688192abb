"""The rules of a model as people read them: what summaries and reports print.

In: a fitted model. Out: a table of texts, the strongest rules first, and what its columns mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .rule_lines import RuleLine, lines_of, merged
from .wording import answer_text, label_text

if TYPE_CHECKING:
    from .fitted_model import FittedModel


class PrintedRules(NamedTuple):
    """Rules as texts.

    Attributes:
        note: how rules make scores.
        titles: what the columns are; the last one holds the rules, the others numbers and classes.
        rows: the strongest rules, those with the same condition merged.
        left_out: the number of further rules.
    """

    note: str
    titles: tuple[str, ...]
    rows: list[tuple[str, ...]]
    left_out: int


def printed_rules(model: FittedModel, n: int) -> PrintedRules:
    """Return the `n` strongest rules of a model of stumps or rules with at least one of them."""
    lines = merged(lines_of(model))
    titles = ("strength", "inside", "outside", "rows", "rounds", "class", "rule")
    grouped = any(line.output is not None for line in lines)
    names = [str(name) for name in model.output_names] if grouped else []
    cells = [_cells(model, line, names) for line in lines[:n]]
    unknown = {"rows"} if all(line.rows_fired is None for line in lines) else set()
    unknown |= set() if grouped else {"class"}
    kept = [at for at, title in enumerate(titles) if title not in unknown]
    return PrintedRules(
        _note(model, grouped, lines[0].hypothesis.says),
        tuple(titles[at] for at in kept),
        [tuple(row[at] for at in kept) for row in cells],
        max(0, len(lines) - n),
    )


def _cells(model: FittedModel, line: RuleLine, names: list[str]) -> tuple[str, ...]:
    return (
        f"{line.strength:.4f}",
        *_sides_text(model, line),
        "–" if line.rows_fired is None else str(line.rows_fired),
        str(len(line.rounds)),
        "" if line.output is None else names[line.output],
        line.hypothesis.condition,
    )


_NOTES = {
    "number": 'A rule adds "inside" to the score of rows on which it fires, "outside" to all '
    "others.",
    "class": 'A rule adds twice its strength to the score of a class: "inside" for rows on which '
    'it fires, "outside" for all others.',
    "scores": "A rule adds to the scores of all classes; this is the class that gains most: "
    '"inside" for rows on which it fires, "outside" for all others.',
}


def _note(model: FittedModel, grouped: bool, says: str) -> str:
    """Return how rules make scores."""
    if model.has_grid:
        return (
            "The strength of a rule is the training weight that meets it, summed over its nodes; "
            '"inside" and "outside" are positive where it sends rows to the right.'
        )
    if model.counts_hypotheses:
        return (
            'A rule moves rows up by one bucket: those on which it fires if "inside" is +1, all '
            'others if "outside" is.'
        )
    if not grouped:
        return _NOTES[says]
    code = model.code
    scored = "class" if code is None or code.one_vs_rest else "two-class problem"
    return (
        f'A rule adds to the score of its {scored}: "inside" for rows on which it fires, "outside" '
        "for all others."
    )


def _sides_text(model: FittedModel, line: RuleLine) -> tuple[str, str]:
    """Write what a rule adds to scores inside and outside."""
    rule = line.hypothesis
    inside, outside = (_side_text(model, line, side) for side in (rule.inside, rule.outside))
    return inside, outside


def _side_text(model: FittedModel, line: RuleLine, answer: Any) -> str:
    if line.hypothesis.says == "class":
        return label_text(answer)
    if line.hypothesis.says == "number":
        return answer_text(line.weight * answer)
    added = line.weight * np.array(answer)
    most = int(added.argmax())
    return f"{label_text(model.labels[most])} {answer_text(added[most])}"
