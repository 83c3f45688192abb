"""How a model does on the rows of a page: confusions, probabilities, margins, suspect labels.

In: a fitted model, rows, labels and the evaluation. Out: sections.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._fitting.labels import Floats
from .._fitting.rows import Rows
from .._margins.rows import MarginRows
from .._margins.statistics import statistics
from .._margins.votes import has_confidences
from .._reading.fitted_model import FittedModel
from .._reading.literal_columns import select
from .._reading.shown_values import value_text
from .._reading.wording import label_text
from ..review.static_rows import static_rows
from ..suspects import suspect_labels
from .elements import Markup, matrix, paragraph, section, table
from .pictures import confusion_picture, margin_picture, probability_pictures

#: The most columns that are shown of a suspect row.
_MOST_COLUMNS = 6
#: The most classes of a table of confusions, and of a picture of them.
_MOST_IN_MATRIX, _MOST_IN_PICTURE = 8, 60
#: The most classes and mistakes that are listed.
_MOST_LISTED, _MOST_MISTAKES = 100, 12


def confusion_section(measured: dict[str, Any]) -> Markup:
    """Return recall and precision by class, and which class is taken for which."""
    labels = [label_text(entry["label"]) for entry in measured["classes"]]
    by_class = [
        (label, entry["rows"], entry["recall"], entry["precision"])
        for label, entry in zip(labels, measured["classes"], strict=True)
    ]
    counts = measured["confusion"]
    parts = [table(("class", "rows", "recall", "precision"), by_class[:_MOST_LISTED], "Classes")]
    if len(labels) <= _MOST_IN_MATRIX:
        caption = "Rows of a class by the answer they get, shaded by their share in the class"
        parts.append(matrix(labels, counts, caption))
    elif len(labels) <= _MOST_IN_PICTURE:
        parts.append(confusion_picture(labels, counts))
    if len(labels) > _MOST_IN_MATRIX:
        parts.append(_mistakes(labels, counts))
    return section("confusion", "Right and wrong", *parts)


def _mistakes(labels: list[str], counts: list[list[int]]) -> Markup:
    """Return which class is taken for which most often."""
    numbers = np.array(counts)
    np.fill_diagonal(numbers, 0)
    order = np.argsort(-numbers, axis=None, kind="stable")[:_MOST_MISTAKES]
    lines = [
        (labels[true], labels[answer], int(numbers[true, answer]))
        for true, answer in zip(*np.unravel_index(order, numbers.shape), strict=True)
        if numbers[true, answer]
    ]
    return table(("class", "answer", "rows"), lines, "The most frequent mistakes")


def probabilities_section(model: FittedModel, rows: Rows, n_jobs: int | None) -> Markup:
    """Return how far probabilities can be taken at their word."""
    return section("probabilities", "Probabilities", probability_pictures(model, rows, n_jobs))


def margins_section(
    model: FittedModel, rows: Rows, duals: Floats | None, n_jobs: int | None
) -> Markup:
    """Return the margin curves and the margins in a few numbers.

    Margins of answers with confidences are squashed; shares of the largest lead say little there.
    """
    kind = "logistic" if has_confidences(model) else "normalized"
    found = statistics(model, MarginRows.read(model, rows, n_jobs), kind, duals)
    lines = [
        (name.replace("_", " "), int(value) if name.startswith("rows") else value)
        for name, value in found.iter_rows()
        if value is not None
    ]
    parts = [table(("statistic", "value"), lines, f"{kind.capitalize()} margins in numbers")]
    if model.n_rounds:
        parts.insert(0, margin_picture(model, rows, kind, n_jobs))
    return section("margins", "Margins", *parts)


def suspects_section(
    model: FittedModel, rows: Rows, n_suspects: int, importances: Floats | None
) -> Markup:
    """Return the most suspect labels with what their rows say in the most important columns."""
    ranked = suspect_labels(rows.X, rows.y)
    details = static_rows(rows.X, ranked, n_suspects)
    found = ranked.drop("reasons").head(n_suspects)
    known = np.zeros(rows.X.width) if importances is None else importances
    order = np.argsort(-known, kind="stable")[:_MOST_COLUMNS]
    names = [model.column_names[int(at)] for at in order]
    values = select(rows.X, names)[found["row"]]
    lines = [
        (
            Markup(f'<a href="#suspect-{row}">{row}</a>'),
            label_text(given),
            label_text(suggested),
            margin,
            influence,
            score,
            *map(value_text, own),
        )
        for (row, given, suggested, margin, influence, score), own in zip(
            found.rows(), values.iter_rows(), strict=True
        )
    ]
    titles = ("row", "given", "suggested", "margin", "influence", "score", *names)
    note = (
        "Every row was judged by trees that had not seen its label. The score is the suspicion, "
        "from 0 to 1; rows are counted from 0."
    )
    caption = f"The {len(lines)} most suspect labels, with the columns that matter most"
    folded = "\n".join(
        f'<details><summary>Row {row}</summary><div id="suspect-{row}">{html}</div></details>'
        for row, html in details.items()
    )
    parts = (paragraph(note), table(titles, lines, caption), Markup(folded))
    return section("suspects", "Suspect labels", *parts)
