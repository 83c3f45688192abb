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

import polars as pl

from .._fitting.rows import Rows
from .._margins.curves import Places, curve
from .._reading.fitted_model import FittedModel
from .._reading.wording import label_text
from ..plotting import BucketDisplay, LearningDisplay, MarginDisplay, ShapeDisplay, canvas
from ..plotting.bucket import bucket_contents
from ..plotting.learning import learning_contents
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


def margin_picture(model: FittedModel, rows: Rows, n_jobs: int | None) -> Markup:
    """Return the margin curves of the rows of the page after a few rounds."""
    rounds = sorted({1, max(1, model.n_rounds // 10), model.n_rounds})
    shares = curve(model, rows, Places("normalized", rounds, None), n_jobs)
    display = MarginDisplay(shares, name=canvas.title_of(model)).plot(bound=False)
    return _figure(
        [display.figure_],
        "margins",
        "Share of the rows of this report with a margin of at most θ. Rows left of 0 are wrong.",
    )


def bucket_picture(model: FittedModel) -> Markup:
    """Return the buckets of SFBoost."""
    display = BucketDisplay(**bucket_contents(model)).plot()
    return _figure([display.figure_], "buckets", "Training rows by bucket, and their scores.")


def shape_pictures(model: FittedModel, X: pl.DataFrame, n_jobs: int | None) -> Markup:
    """Return a picture for each column of a stump model, all on one scale."""
    display = ShapeDisplay(**shape_contents(model, X, n_jobs))
    pyplot = canvas.matplotlib("pyplot")
    panels = [pyplot.subplots(figsize=_PANEL_SIZE, layout="constrained")[1] for _ in display.shapes]
    display.plot(panels)
    more = f" {display.left_out} more columns add less." if display.left_out else ""
    return _figure(
        [panel.figure for panel in panels],
        "shapes",
        f"What each column adds to the score, over the histogram of the rows.{more}",
        _class_legend(model),
    )


def _class_legend(model: FittedModel) -> str:
    """Return which line is which class, if there are lines for classes."""
    labels = model.labels
    if len(labels) == 2:
        return ""
    looks = canvas.line_looks(len(labels))
    entries = "".join(
        f'<span><i style="background:{look["color"]}"></i>{escape(label_text(label))}</span>'
        for label, look in zip(labels, looks, strict=True)
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
    figure.savefig(buffer, format="svg", metadata={"Date": None})
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
