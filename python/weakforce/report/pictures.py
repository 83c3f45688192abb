"""Pictures for a page: the displays as inline SVG, the same to the byte for the same model.

In: a fitted model and rows. Out: HTML figures. Letters are drawn as shapes, so that no font has
to be there, and the ground is transparent, so that the page can turn light and dark around.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

import numpy as np
import polars as pl

from .._fitting.rows import Rows
from .._margins.curves import Places, curve
from .._reading.fitted_model import FittedModel
from ..plotting import (
    BucketDisplay,
    ContributionDisplay,
    LearningDisplay,
    MarginDisplay,
    ProbabilityDisplay,
    ShapeDisplay,
    canvas,
)
from ..plotting.bucket import bucket_contents
from ..plotting.contribution import contribution_contents
from ..plotting.learning import learning_contents
from ..plotting.probability import probability_contents
from ..plotting.shape import shape_contents
from .elements import Markup

#: How matplotlib draws here; names of columns are texts, not formulas.
_STYLE = {
    "svg.hashsalt": "weakforce",
    "svg.fonttype": "path",
    "text.parse_math": False,
    "savefig.transparent": True,
}

_PANEL_SIZE = (4.6, 3.1)

#: How fine the parts are drawn that are no shapes: clouds of dots.
_DPI = 200

#: The most columns and rows of which contributions are shown.
_MOST_COLUMNS, _MOST_ROWS = 12, 300


@contextmanager
def drawing() -> Iterator[None]:
    """Draw the way that pictures of a page are drawn, and forget the figures in the end."""
    pyplot = canvas.matplotlib("pyplot")
    before = pyplot.get_fignums()
    with warnings.catch_warnings(), pyplot.rc_context(_STYLE):
        # A letter that the font does not have becomes a box; that is not worth a warning.
        warnings.filterwarnings("ignore", message="Glyph")
        try:
            yield
        finally:
            for figure in set(pyplot.get_fignums()) - set(before):
                pyplot.close(figure)


def learning_picture(model: FittedModel, rows: Rows, n_jobs: int | None) -> Markup:
    """Return the learning curves, with the rows of the page beside the training rows."""
    display = LearningDisplay(**learning_contents(model, rows.X, rows.y, n_jobs)).plot()
    return _figure(
        [display.figure_],
        "learning",
        "Error and edge by round. The validation rows are the rows of this report.",
    )


def margin_picture(model: FittedModel, rows: Rows, kind: str, n_jobs: int | None) -> Markup:
    """Return the margin curves of the rows of the page after a few rounds."""
    rounds = sorted({1, max(1, model.n_rounds // 10), model.n_rounds})
    shares = curve(model, rows, Places(kind, rounds, None), n_jobs)
    display = MarginDisplay(shares, kind=kind, name=canvas.title_of(model)).plot(bound=False)
    return _figure(
        [display.figure_],
        "margins",
        "Share of the rows of this report with a margin of at most θ. Rows left of 0 are wrong.",
    )


def probability_pictures(model: FittedModel, rows: Rows, n_jobs: int | None) -> Markup:
    """Return calibration, ROC and precision–recall curves, and a histogram of probabilities."""
    display = ProbabilityDisplay(**probability_contents(model, rows, n_jobs))
    display.plot(_new_panels(4))
    classes = [each.label for each in display.classes]
    if display.negative is None:
        left_out = f"; of {display.left_out} more there are fewer rows" * bool(display.left_out)
        whose = f"Every class against all others{left_out}."
    else:
        whose = f"The probability of {classes[0]}, on the rows of this report."
    return _figure(
        [panel.figure for panel in display.axes_],
        "probabilities",
        f"{whose} Calibration: on the diagonal probabilities are what they say, larger points "
        "stand for more rows. ROC: the area is the probability that a row of the class is ranked "
        "above another one. Precision and recall by threshold. The histogram counts rows.",
        _legend(classes) if display.negative is None else "",
    )


def confusion_picture(labels: Sequence[str], counts: Sequence[Sequence[int]]) -> Markup:
    """Return a map of the answers that rows of many classes get."""
    numbers = np.array(counts, dtype=np.float64)
    shares = numbers / np.maximum(numbers.sum(axis=1, keepdims=True), 1.0)
    pyplot = canvas.matplotlib("pyplot")
    size = 2.2 + 0.16 * len(labels)
    _, panel = pyplot.subplots(figsize=(size + 0.6, size), layout="constrained")
    picture = panel.pcolormesh(shares, cmap="Blues", vmin=0.0, vmax=1.0, rasterized=True)
    places, names = np.arange(len(labels)) + 0.5, [canvas.shortened_text(x, 18) for x in labels]
    panel.set_xticks(places, names, rotation=90, fontsize="x-small")
    panel.set_yticks(places, names, fontsize="x-small")
    panel.set(xlabel="answer", ylabel="class", aspect="equal")
    panel.invert_yaxis()
    bar = panel.figure.colorbar(picture, ax=panel, shrink=0.6)
    canvas.in_percent(bar.ax.yaxis)
    caption = "Rows of a class by the answer they get, as shares of the class."
    return _figure([panel.figure], "confusion", caption)


def bucket_picture(model: FittedModel) -> Markup:
    """Return the buckets of SFBoost."""
    display = BucketDisplay(**bucket_contents(model)).plot()
    return _figure([display.figure_], "buckets", "Training rows by bucket, and their scores.")


def shape_pictures(model: FittedModel, X: pl.DataFrame, n_jobs: int | None) -> Markup:
    """Return a picture for each column of a stump model, each on a scale of its own."""
    display = ShapeDisplay(**shape_contents(model, X, n_jobs))
    display.plot(_new_panels(len(display.shapes)), zoom=True)
    more = _more(display.left_out, "add", "adds")
    several = len(display.labels) > 2
    score = "scores of the classes" if several else f"score for {display.labels[1]}"
    return _figure(
        [panel.figure for panel in display.axes_],
        "shapes",
        f"What each column adds to the {score}, over the histogram of the rows. Every picture has "
        f"a scale of its own; half a per cent of the rows is left out at either end.{more}",
        _legend(display.labels) if several else "",
    )


def contribution_picture(model: FittedModel, X: pl.DataFrame, n_jobs: int | None) -> Markup:
    """Return the Shapley values of the columns that contribute most."""
    contents = contribution_contents(model, X, n_jobs, (_MOST_COLUMNS, _MOST_ROWS))
    display = ContributionDisplay(**contents).plot()
    more = _more(display.left_out, "contribute", "contributes")
    rows = f"{min(_MOST_ROWS, X.height):,} rows of this report"
    if len(display.labels) == 2:
        said = (
            f"What each value contributes to the score for {display.labels[1]}: Shapley values of "
            f"{rows}, a dot for each. Values from low to high are blue to orange, categories and "
            "missing values grey."
        )
    else:
        said = f"The mean size of what columns contribute, by class: Shapley values of {rows}."
    return _figure([display.figure_], "contributions", said + more)


def _more(count: int, several: str, one: str) -> str:
    """Say how many columns are left out."""
    if not count:
        return ""
    return (
        f" {count} more columns {several} less." if count > 1 else f" One more column {one} less."
    )


def _new_panels(count: int) -> list[Any]:
    """Return axes of a panel's size, each in a figure of its own."""
    pyplot = canvas.matplotlib("pyplot")
    return [pyplot.subplots(figsize=_PANEL_SIZE, layout="constrained")[1] for _ in range(count)]


def _legend(labels: Sequence[str]) -> str:
    """Return which line is which class."""
    entries = "".join(
        f'<span><i style="background:{look["color"]}"></i>{escape(label)}</span>'
        for label, look in zip(labels, canvas.line_looks(len(labels)), strict=True)
    )
    return f'<p class="legend">{entries}</p>'


def _figure(figures: Sequence[Any], name: str, caption: str, legend: str = "") -> Markup:
    drawn = [_svg(figure, f"{name}-{at}", caption) for at, figure in enumerate(figures)]
    several = " several" if len(drawn) > 1 else ""
    return Markup(
        f'<figure><div class="pictures{several}">{legend}\n{"".join(drawn)}</div>\n'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _svg(figure: Any, name: str, title: str) -> str:
    """Return a figure as an SVG element with names of its own, made to fit its place."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None}, dpi=_DPI)
    text = buffer.getvalue().decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = text.replace("xlink:href", "href")
    # Names are only unique within a picture.
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    text = text.replace("url(#", f"url(#{name}-")
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    width, height = size.groups() if size else ("460", "320")
    start = (
        f'<svg role="img" aria-label="{escape(title)}" viewBox="0 0 {width} {height}" '
        f'style="max-width:{float(width) * 4 / 3:.0f}px">'
    )
    return start + text[text.index(">") + 1 :].strip()
