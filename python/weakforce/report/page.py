"""The page as a whole: what stands on it, and how it looks.

In: a fitted booster, rows and labels. Out: HTML that needs no network, no script and no font,
in light and dark, on a desk and on a phone.
"""

from __future__ import annotations

from html import escape
from typing import Any

import polars as pl

from .._core import __version__
from .._estimator.base import BoostingClassifier
from .._fitting.rows import Rows
from .._reading.column_kinds import kinds_text
from .._reading.evaluation import evaluation
from .._reading.fitted_model import FittedModel
from .._reading.literal_columns import select
from ..review.static_rows import row_style
from ..weak_force import WeakForceClassifier
from .data_section import data_section
from .elements import Markup, cards, number_text
from .judgement_section import (
    confusion_section,
    margins_section,
    probabilities_section,
    suspects_section,
)
from .model_section import Described, model_sections
from .pictures import drawing
from .style import STYLE

_NAMES = {
    "data": "Data",
    "model": "Model",
    "learning": "Learning",
    "buckets": "Buckets",
    "shapes": "Shapes",
    "contributions": "Contributions",
    "rules": "Rules",
    "confusion": "Right and wrong",
    "probabilities": "Probabilities",
    "margins": "Margins",
    "suspects": "Suspect labels",
}


def report_page(
    model: BoostingClassifier,
    X: pl.DataFrame,
    y: pl.Series,
    *,
    title: str = "Report",
    n_suspects: int = 25,
) -> str:
    """Return a page on a model and labelled rows: data, curves, margins, rules, suspect labels.

    Parameters:
        model: a fitted booster that gives one label to a row.
        X: rows with the columns that the model was fitted to, such as those that it has not seen.
        y: their labels.
        title: the title of the page.
        n_suspects: the number of suspect labels to show. Finding them takes a fit of
            `WeakForceClassifier`; 0 leaves them out.

    Returns:
        HTML that loads nothing else. It is the same for the same arguments.

    Examples:
        >>> import polars as pl
        >>> from weakforce import DiscreteAdaBoostClassifier, datasets
        >>> from weakforce.report import report_page
        >>> X, y = datasets.make_xd6(200, seed=1)
        >>> model = DiscreteAdaBoostClassifier(n_estimators=10).fit(X, y)
        >>> page = report_page(model, X, y, title="XD6", n_suspects=0)  # doctest: +SKIP
    """
    fitted, n_jobs = model.fitted_model_, model.n_jobs
    if fitted.has_label_sets:
        raise TypeError("parameter 'model': gives several labels to a row, expected one")
    rows = Rows(select(X, fitted.column_names), y)
    duals = getattr(model, "duals_", None)
    measured = evaluation(fitted, rows, n_jobs, duals)
    importances = getattr(model, "feature_importances_", None)
    described = Described(_changed_parameters(model), isinstance(model, WeakForceClassifier))
    with drawing():
        sections = [
            data_section(fitted, rows.X, measured, importances),
            *model_sections(fitted, described, rows, n_jobs),
            confusion_section(measured),
            probabilities_section(fitted, rows, n_jobs),
            margins_section(fitted, rows, duals, n_jobs),
        ]
        if n_suspects:
            sections.append(suspects_section(fitted, rows, n_suspects, importances))
    return _page(title, _cards(fitted, rows.X, measured), sections, fitted)


def _changed_parameters(model: BoostingClassifier) -> dict[str, Any]:
    """Return the parameters other than the defaults."""
    usual = type(model)().get_params(deep=False)
    return {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name != "estimator" and repr(value) != repr(usual[name])
    }


def _cards(model: FittedModel, X: pl.DataFrame, measured: dict[str, Any]) -> Markup:
    entries = {
        "rows": f"{X.height:,}",
        "columns": f"{X.width:,}",
        "classes": f"{model.n_classes:,}",
        "rounds": f"{model.n_rounds:,}",
        "accuracy": f"{100 * measured['accuracy']:.2f} %",
        "log loss": number_text(measured["log_loss"]),
    }
    if "auc" in measured:
        entries["AUC"] = number_text(measured["auc"])
    return cards(entries)


def _page(title: str, facts: Markup, sections: list[Markup], model: FittedModel) -> str:
    names = [section.html.split('"', 2)[1] for section in sections]
    links = "\n".join(f'<li><a href="#{name}">{_NAMES[name]}</a></li>' for name in names)
    body = "\n".join(section.html for section in sections)
    described = f"{model.name} on columns of {kinds_text(model.features)}"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)} – weakforce</title>
<link rel="icon" href="data:,">
<style>
{STYLE}{row_style()}</style>
</head>
<body>
<header>
<h1>{escape(title)}</h1>
<p>{escape(described)}</p>
{facts.html}
<nav aria-label="Sections"><ul>
{links}
</ul></nav>
</header>
<main>
{body}
</main>
<footer><p>weakforce {escape(__version__)}</p></footer>
</body>
</html>
"""
