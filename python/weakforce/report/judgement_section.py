"""How a model does on the rows of a page: confusions, margins, suspect labels.

In: a fitted model, rows, labels and the evaluation. Out: sections.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._fitting.labels import Floats
from .._fitting.rows import Rows
from .._reading.fitted_model import FittedModel
from .._reading.wording import label_text
from ..suspects import suspect_labels
from .elements import Markup, paragraph, section, table, value_text
from .pictures import margin_picture

#: The most columns that are shown of a suspect row.
_MOST_COLUMNS = 8
#: The most classes of a table of confusions.
_MOST_CLASSES = 30


def confusion_section(measured: dict[str, Any]) -> Markup:
    """Return recall and precision by class, and which class is taken for which."""
    labels = [label_text(entry["label"]) for entry in measured["classes"]]
    by_class = [
        (label, entry["rows"], entry["recall"], entry["precision"])
        for label, entry in zip(labels, measured["classes"], strict=True)
    ]
    parts = [table(("class", "rows", "recall", "precision"), by_class, "Classes")]
    if len(labels) <= _MOST_CLASSES:
        lines = [(label, *line) for label, line in zip(labels, measured["confusion"], strict=True)]
        titles = ("class ↓ answer →", *labels)
        parts.append(table(titles, lines, "Rows of a class by the answer they get"))
    return section("confusion", "Right and wrong", *parts)


def margins_section(
    model: FittedModel, rows: Rows, measured: dict[str, Any], n_jobs: int | None
) -> Markup:
    """Return the margin curves and the margins in a few numbers."""
    lines = [
        (name.replace("_", " "), int(value) if name.startswith("rows") else value)
        for name, value in measured["margins"].items()
        if value is not None
    ]
    parts = [table(("statistic", "value"), lines, "Margins in numbers")]
    if model.n_rounds:
        parts.insert(0, margin_picture(model, rows, n_jobs))
    return section("margins", "Margins", *parts)


def suspects_section(
    model: FittedModel, rows: Rows, n_suspects: int, importances: Floats | None
) -> Markup:
    """Return the most suspect labels with what their rows say in the most important columns."""
    found = suspect_labels(rows.X, rows.y).head(n_suspects)
    known = np.zeros(rows.X.width) if importances is None else importances
    order = np.argsort(-known, kind="stable")[:_MOST_COLUMNS]
    names = [model.column_names[int(at)] for at in order]
    values = rows.X.select(names)[found["row"]]
    lines = [
        (
            str(row),
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
    return section("suspects", "Suspect labels", paragraph(note), table(titles, lines, caption))
