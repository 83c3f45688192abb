"""What a model has learned: its size, its rules or the shapes of its columns.

In: a fitted estimator and rows. Out: sections.
"""

from __future__ import annotations

import polars as pl

from .. import BoostingClassifier, SFBoostClassifier
from .elements import Markup, paragraph, section, table, value_text
from .pictures import bucket_picture, learning_picture, shape_pictures

#: The most rules that are listed.
_MOST = 25


def model_sections(model: BoostingClassifier, X: pl.DataFrame, y: pl.Series) -> list[Markup]:
    """Return the parameters, the rounds, and what can be read of the model."""
    sections = [section("model", "Model", _parameters(model))]
    if model.n_iter_:
        sections.append(section("learning", "Learning", learning_picture(model, X, y)))
    if isinstance(model, SFBoostClassifier) and model.n_iter_:
        sections.append(section("buckets", "Buckets", bucket_picture(model)))
    kinds = _kinds(model)
    if kinds == {"stump"} and model._model.buckets is None and model._model.node_masses is None:
        sections.append(section("shapes", "Shapes", shape_pictures(model, X)))
    if kinds and kinds <= {"stump", "rule"}:
        sections.append(_rules(model))
    return sections


def _kinds(model: BoostingClassifier) -> set[str]:
    """Return of what kinds of hypotheses a model is made."""
    core = model._model
    found = (core.hypothesis(at) for at in range(core.n_members))
    return {each["kind"] if isinstance(each, dict) else "classifier" for each in found}


def _parameters(model: BoostingClassifier) -> Markup:
    learner = model.estimator
    if learner is None:
        learner = model._default_learner(len(model.classes_))
    usual = type(model)().get_params(deep=False)
    changed = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name != "estimator" and repr(value) != repr(usual[name])
    }
    lines = [
        ("booster", type(model).__name__),
        ("weak learner", " ".join(repr(learner).split())),
        *((name, value_text(value)) for name, value in changed.items()),
        ("rounds", f"{model.n_iter_:,}"),
        ("stop reason", model.stop_reason_),
    ]
    for name, scores in (
        ("training score", model.train_score_),
        ("validation score during fit", model.validation_score_),
    ):
        if len(scores):
            lines.append((name, f"{scores[-1]:.4f}"))
    return table(("what", "value"), lines, "Parameters other than the defaults, and the run")


def _rules(model: BoostingClassifier) -> Markup:
    rules = model.rules(merge=True)
    several = "class" in rules.columns
    titles = ("rule", *(("for",) if several else ()), "weight", "rows", "error", "rounds")
    lines = [
        (
            rule["text"],
            *((str(rule["class"]),) if several else ()),
            rule["weight"],
            rule["rows_fired"],
            rule["error"],
            len(rule["rounds"]),
        )
        for rule in rules.head(_MOST).iter_rows(named=True)
    ]
    shown = "All rules" if len(rules) <= _MOST else f"{_MOST} of {len(rules)} rules"
    note = model._rules_note() or "Rules with the same condition are merged, the strongest first."
    return section("rules", "Rules", paragraph(note), table(titles, lines, shown))
