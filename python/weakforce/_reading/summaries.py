"""What a model is, as text to print: its size, its rules or its most important columns.

In: a fitted model. Out: a string of lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .hypotheses import RBFNetHypothesis, TreeHypothesis
from .members import each_member
from .rule_lines import READABLE, RuleLine, lines_of, merged
from .wording import answer_text, column_text, label_text

if TYPE_CHECKING:
    from .buckets import Buckets
    from .fitted_model import FittedModel


def summary(model: FittedModel, n: int) -> str:
    """Return a summary of a model; see `BoostingClassifier.summary`."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise ValueError(f"parameter 'n': got {n!r}, expected an integer >= 0")
    members = [member.hypothesis for member in each_member(model)]
    if members and all(isinstance(member, READABLE) for member in members):
        body = _rules_text(model, merged(lines_of(model)), n)
    else:
        body = [*_sizes_text(members), *_importances_text(model, n)]
    return "\n".join([*_header(model), *body, *_combiner_text(model)])


def rules_note(model: FittedModel) -> str | None:
    """Return what rules mean if they do not add to scores; None if they do."""
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
    return None


def _header(model: FittedModel) -> list[str]:
    rounds = model.n_rounds
    facts = [f"{rounds} round{'s' if rounds != 1 else ''} (stop reason: {model.stop_reason})"]
    for name, numbers in (
        ("training score", model.train_scores),
        ("validation score", model.validation_scores),
        ("expected cost", model.expected_costs),
    ):
        if len(numbers):
            facts.append(f"{name} {numbers[-1]:.4f}")
    named = f"{model.name} with {' '.join(repr(model.learner).split())}"
    return [named, ", ".join(facts), *_prior_text(model), *direction_text(model)]


def direction_text(model: FittedModel) -> list[str]:
    """Write for which of two classes a high score speaks, unless that is the larger number."""
    is_plain = len(model.labels) != 2 or isinstance(model.labels[1], (int, float))
    if is_plain or model.has_label_sets:
        return []
    return [f"the higher the score, the more it speaks for {label_text(model.labels[1])}"]


def _prior_text(model: FittedModel) -> list[str]:
    """Write what class weights add to the scores."""
    if model.prior is None:
        return []
    added = [f"{number:+.4f}" for number in model.prior.tolist()]
    if len(added) == 1:
        return [f"class weights add {added[0]} to the score"]
    labels = (label_text(label) for label in model.labels)
    by_class = ", ".join(f"{label} {number}" for label, number in zip(labels, added, strict=True))
    return [f"class weights add to the scores: {by_class}"]


def _rules_text(model: FittedModel, lines: list[RuleLine], n: int) -> list[str]:
    titles = ("strength", "inside", "outside", "rows", "rounds", "class", "rule")
    grouped = any(line.output is not None for line in lines)
    names = [str(name) for name in model.output_names] if grouped else []
    cells: list[tuple[str, ...]] = [titles]
    for line in lines[:n]:
        cells.append(
            (
                f"{line.strength:.4f}",
                *_sides_text(model, line),
                "–" if line.rows_fired is None else str(line.rows_fired),
                str(len(line.rounds)),
                "" if line.output is None else names[line.output],
                line.hypothesis.condition,
            )
        )
    left_out = {"rows"} if all(line.rows_fired is None for line in lines) else set()
    left_out |= set() if grouped else {"class"}
    kept = [at for at, title in enumerate(titles) if title not in left_out]
    cells = [tuple(row[at] for at in kept) for row in cells]
    note = rules_note(model)
    note = note or (_note(model) if grouped else _NOTES[lines[0].hypothesis.says])
    return [note, "", *_aligned(cells), *_more(len(lines) - n, "rule")]


_NOTES = {
    "number": 'A rule adds "inside" to the score of rows on which it fires, "outside" to all '
    "others.",
    "class": 'A rule adds twice its strength to the score of a class: "inside" for rows on which '
    'it fires, "outside" for all others.',
    "scores": "A rule adds to the scores of all classes; this is the class that gains most: "
    '"inside" for rows on which it fires, "outside" for all others.',
}


def _note(model: FittedModel) -> str:
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


def _importances_text(model: FittedModel, n: int) -> list[str]:
    importances = getattr(model, "importances", None)
    if importances is None or not np.any(importances):
        return []
    names = model.column_names
    order = [at for at in np.argsort(-importances, kind="stable") if importances[at] > 0]
    cells = [("importance", "column")]
    for at in order[:n]:
        cells.append((f"{importances[at]:.4f}", column_text(names[at])))
    return ["", *_aligned(cells), *_more(len(order) - n, "column")]


def _combiner_text(model: FittedModel) -> list[str]:
    """Return what else decides on scores: the table of buckets, or the nodes of a grid."""
    if model.has_grid:
        n_nodes = model.n_problems * model.n_rounds * (model.n_rounds + 1) // 2
        return [
            "",
            f"{model.n_members} of {n_nodes} nodes have hypotheses, the others pass rows on",
        ]
    if model.buckets is not None:
        labels = [label_text(label) for label in model.labels]
        return [
            "",
            "The score of a row is that of its bucket.",
            *_buckets_text(model.buckets, labels),
        ]
    lines = []
    for name, table in zip(model.output_names, model.tables, strict=False):
        lines += [
            "",
            f"The score of a row in the problem {label_text(name)} is that of its bucket.",
        ]
        lines += _buckets_text(table, ["the negative side", "the positive side"])
    return lines


def _buckets_text(buckets: Buckets, labels: list[str]) -> list[str]:
    scores = buckets.scores.reshape(len(buckets.counts), -1)
    named = ["score"] if scores.shape[1] == 1 else [f"score of {label}" for label in labels]
    cells: list[tuple[Any, ...]] = [("bucket", *(f"rows of {x}" for x in labels), *named)]
    for bucket, (counts, own) in enumerate(zip(buckets.counts, scores, strict=True)):
        cells.append((str(bucket), *map(str, counts), *(f"{score:+.4f}" for score in own)))
    return ["", *_aligned(cells)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


def _more(number: int, noun: str) -> list[str]:
    return [f"and {_count(number, f'more {noun}')}"] if number > 0 else []


def _aligned(cells: Sequence[tuple[str, ...]]) -> list[str]:
    """Set numbers flush right; the text at the end is left alone."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        numbers = [text.rjust(width) for text, width in zip(row[:-1], widths, strict=False)]
        lines.append("  ".join([*numbers, row[-1]]))
    return lines
