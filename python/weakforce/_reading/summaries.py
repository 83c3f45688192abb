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
from .printed_rules import printed_rules
from .rule_lines import READABLE
from .wording import column_text, label_text

if TYPE_CHECKING:
    from .buckets import Buckets
    from .fitted_model import FittedModel


def summary(model: FittedModel, n: int) -> str:
    """Return a summary of a model; see `BoostingClassifier.summary`."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise ValueError(f"parameter 'n': got {n!r}, expected an integer >= 0")
    members = [member.hypothesis for member in each_member(model)]
    if members and all(isinstance(member, READABLE) for member in members):
        body = _rules_text(model, n)
    else:
        body = [*_sizes_text(members), *_importances_text(model, n)]
    return "\n".join([*_header(model), *body, *_combiner_text(model)])


def score_meaning(model: FittedModel) -> str:
    """Say for which class the score is."""
    labels = [label_text(label) for label in model.labels]
    if model.has_label_sets or len(labels) != 2:
        return f"each of the {len(labels)} classes has a score"
    negative, positive = labels
    return f"the score is for {positive}: above 0 speaks for {positive}, below 0 for {negative}"


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
    return [named, ", ".join(facts), score_meaning(model), *_prior_text(model)]


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


def _rules_text(model: FittedModel, n: int) -> list[str]:
    rules = printed_rules(model, n)
    cells = _aligned([rules.titles, *rules.rows])
    return [rules.note, "", *cells, *_more(rules.left_out, "rule")]


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
