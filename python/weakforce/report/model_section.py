"""What a model has learned: its size, its rules or the shapes of its columns.

In: a fitted model, its parameters and rows. Out: sections.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._fitting.rows import Rows
from .._reading.fitted_model import FittedModel
from .._reading.printed_rules import printed_rules
from .._reading.shown_values import value_text
from .._reading.summaries import score_meaning
from .elements import Markup, NumberText, paragraph, section, table
from .pictures import bucket_picture, contribution_picture, learning_picture, shape_pictures

_NUMBER = re.compile(r"[+−-]?\d[\d.e+−-]*|–")

#: The most rules that are listed.
_MOST = 25


class Described(NamedTuple):
    """What only the estimator says of a model.

    Attributes:
        changed: the parameters other than the defaults.
        is_pool: whether it is a pool of trees, whose order means nothing, and which knows itself
            out of bag.
    """

    changed: Mapping[str, Any]
    is_pool: bool


def model_sections(
    model: FittedModel, described: Described, rows: Rows, n_jobs: int | None
) -> list[Markup]:
    """Return the changed parameters, the rounds, and what can be read of the model."""
    sections = [section("model", "Model", _parameters(model, described))]
    if model.n_rounds and not described.is_pool:
        sections.append(section("learning", "Learning", learning_picture(model, rows, n_jobs)))
    if model.buckets is not None and model.n_rounds:
        sections.append(section("buckets", "Buckets", bucket_picture(model)))
    kinds = set(model.hypothesis_kinds())
    adds_up = model.decode == "score"
    if kinds == {"stump"} and adds_up and model.is_sum:
        sections.append(section("shapes", "Shapes", shape_pictures(model, rows.X, n_jobs)))
    elif kinds and kinds <= {"stump", "rule", "tree"} and adds_up:
        picture = contribution_picture(model, rows.X, n_jobs)
        sections.append(section("contributions", "Contributions", picture))
    if kinds and kinds <= {"stump", "rule"}:
        sections.append(_rules(model))
    return sections


def _parameters(model: FittedModel, described: Described) -> Markup:
    lines = [
        ("booster", model.name),
        ("weak learner", " ".join(repr(model.learner).split())),
        ("scores", score_meaning(model)),
        *((name, value_text(value)) for name, value in described.changed.items()),
        ("rounds", f"{model.n_rounds:,}"),
        ("stop reason", model.stop_reason),
    ]
    for name, scores in (
        ("out-of-bag score" if described.is_pool else "training score", model.train_scores),
        ("validation score during fit", model.validation_scores),
    ):
        if len(scores):
            lines.append((name, f"{scores[-1]:.4f}"))
    return table(("what", "value"), lines, "Parameters other than the defaults, and the run")


def _rules(model: FittedModel) -> Markup:
    rules = printed_rules(model, _MOST)
    shown = f"The {_MOST} strongest rules" if rules.left_out else "All rules"
    more = f"; {rules.left_out:,} more are weaker" if rules.left_out else ""
    rows = [tuple(map(_as_number, row)) for row in rules.rows]
    note = f"{score_meaning(model).capitalize()}. {rules.note} Equal rules are merged."
    caption = f"{shown}, the strongest first{more}"
    return section("rules", "Rules", paragraph(note), table(rules.titles, rows, caption))


def _as_number(text: str) -> str:
    """Return a text that is set flush right if it is a number."""
    return NumberText(text) if _NUMBER.fullmatch(text) else text
