"""A row as HTML, with everything that comes from data escaped.

In: a `RowView`. Out: HTML without scripts and inline styles, for the page of a review and for
reports; `static/row.css` says how it looks.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from .row_view import NeighbourView, RowView, Strip, ValueView

#: From the place of a column and a path to the address of the image; None if there is none.
ImageSource = Callable[[int, str], str | None]

#: Columns beyond these are folded away.
_MOST_VALUES = 60
#: The size of a strip.
_WIDE, _HIGH = 120, 16


def row_markup(view: RowView, image_source: ImageSource | None = None, level: int = 2) -> str:
    """Return a row as HTML; `level` is that of its heading."""
    html = (
        f'<article class="row">{_head(view)}{_images(view, image_source)}{_texts(view)}'
        f'<div class="row-columns">{_reasons(view)}{_values(view)}{_neighbours(view)}</div>'
        "</article>"
    )
    if level == 2:
        return html
    # Headings are the only tags of these names, and what comes from data has no tags.
    for old in (3, 2):
        new = old - 2 + level
        html = html.replace(f"<h{old}", f"<h{new}").replace(f"</h{old}>", f"</h{new}>")
    return html


def _head(view: RowView) -> str:
    if view.suggested is None:
        suggested = '<span class="quiet">no other label is more likely</span>'
    else:
        word = "more likely" if view.disagrees else "less likely"
        suggested = (
            f'<span class="label suggested">{escape(view.suggested)}</span> '
            f'<span class="quiet">{word}</span>'
        )
    return (
        f'<header class="row-head"><h2 class="row-name">Row {view.row:,}</h2>'
        f'<p class="labels"><span class="quiet">given</span> '
        f'<span class="label given">{escape(view.given)}</span> '
        f'<span class="arrow" aria-hidden="true">→</span> {suggested}</p>'
        f'<p class="quiet facts">suspicion {view.score:.3f} · margin '
        f"{_signed(view.margin)} · place {view.rank:,}</p></header>"
    )


def _images(view: RowView, image_source: ImageSource | None) -> str:
    parts = []
    for at, name, path in view.images:
        source = None if path is None or image_source is None else image_source(at, path)
        shown = f'<p class="quiet">{escape(path or "missing")}</p>'
        if source is not None:
            shown = f'<img src="{escape(source)}" alt="{escape(path or "")}">{shown}'
        parts.append(f'<figure class="row-image"><figcaption>{escape(name)}</figcaption>{shown}')
    return "".join(f"{part}</figure>" for part in parts)


def _texts(view: RowView) -> str:
    return "".join(
        f'<section class="row-text"><h3 class="row-part">{escape(name)}</h3>'
        + ('<p class="quiet">missing</p>' if text is None else f"<p>{escape(text)}</p>")
        + "</section>"
        for name, text in view.texts
    )


def _part(name: str, title: str, content: str) -> str:
    return f'<section class="of-{name}"><h3 class="row-part">{title}</h3>{content}</section>'


def _reasons(view: RowView) -> str:
    if not view.reasons:
        return ""
    lines = "".join(f"<li>{escape(line)}</li>" for line in view.reasons)
    return _part("reasons", "Reasons", f'<ul class="reasons">{lines}</ul>')


def _values(view: RowView) -> str:
    if not view.values:
        return ""
    head = (
        '<th scope="col">column</th><th scope="col">value</th>'
        f'<th scope="col">usual for {escape(view.given)}</th>'
    )
    if view.suggested is not None:
        head += f'<th scope="col">usual for {escape(view.suggested)}</th>'
    first = _values_table(head, view, view.values[:_MOST_VALUES])
    rest = view.values[_MOST_VALUES:]
    if rest:
        more = _values_table(head, view, rest)
        first += f"<details><summary>{len(rest):,} more columns</summary>{more}</details>"
    return _part("values", "Values", first)


def _values_table(head: str, view: RowView, values: tuple[ValueView, ...]) -> str:
    lines = "".join(_value(value, view) for value in values)
    return f'<table class="values"><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>'


def _value(value: ValueView, view: RowView) -> str:
    strip = "" if value.strip is None else _strip(value.strip)
    cells = (
        f'<th scope="row">{escape(value.column)}</th>'
        f'<td class="value">{escape(value.text)}{strip}</td>'
        f"{_usual(value.usual_given, value.unusual_given, view.given)}"
    )
    if view.suggested is not None:
        cells += _usual(value.usual_suggested, value.unusual_suggested, view.suggested)
    kind = ' class="unusual"' if value.unusual_given and not value.unusual_suggested else ""
    return f"<tr{kind}>{cells}</tr>"


def _usual(text: str, is_unusual: bool, label: str) -> str:
    mark = ' <strong class="mark">unusual</strong>' if is_unusual else ""
    title = escape(f"usual for {label}")
    return f'<td data-title="{title}"><span>{escape(text)}{mark}</span></td>'


def _strip(strip: Strip) -> str:
    """Return the usual ranges as bars, the given class above, with a line at the value."""
    parts = []
    for kind, places, top in (("given", strip.given, 2), ("suggested", strip.suggested, 9)):
        if places is not None:
            low, quarter, three, high = (round(_WIDE * place, 1) for place in places)
            parts.append(
                f'<rect class="range {kind}" x="{low}" y="{top + 2}" '
                f'width="{max(high - low, 1):.1f}" height="1"/>'
                f'<rect class="range {kind}" x="{quarter}" y="{top}" '
                f'width="{max(three - quarter, 1):.1f}" height="5"/>'
            )
    if strip.value is not None:
        at = round(_WIDE * strip.value, 1)
        parts.append(f'<rect class="at" x="{at - 1:.1f}" y="0" width="2" height="{_HIGH}"/>')
    return (
        f'<svg class="strip" viewBox="-2 0 {_WIDE + 4} {_HIGH}" width="{_WIDE}" height="{_HIGH}" '
        f'aria-hidden="true">{"".join(parts)}</svg>'
    )


def _neighbours(view: RowView) -> str:
    if not view.neighbours:
        return ""
    head = "".join(
        f'<th scope="col">{escape(name)}</th>'
        for name in ("row", "label", "similar", *view.neighbour_columns)
    )
    lines = "".join(_neighbour(each, view) for each in view.neighbours)
    table = f"<thead><tr>{head}</tr></thead><tbody>{lines}</tbody>"
    return _part("neighbours", "Most similar rows", f'<table class="neighbours">{table}</table>')


def _neighbour(each: NeighbourView, view: RowView) -> str:
    kind = {view.given: "given", view.suggested: "suggested"}.get(each.label, "other")
    cells = "".join(
        f'<td data-title="{escape(name)}">{escape(text)}</td>'
        for name, text in zip(view.neighbour_columns, each.values, strict=True)
    )
    return (
        f'<tr><td data-title="row">{each.row:,}</td>'
        f'<td data-title="label"><span class="label {kind}">{escape(each.label)}</span></td>'
        f'<td data-title="similar">{100 * each.similarity:.0f} %</td>{cells}</tr>'
    )


def _signed(number: float) -> str:
    return f"{number:+.3f}".replace("-", "−")
