"""Parts of an HTML page, with everything that comes from data escaped.

In: texts and numbers. Out: HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Markup:
    """HTML that is not to be escaped any more."""

    html: str


class NumberText(str):
    """A number that is written already, to be set flush right like one."""

    __slots__ = ()


Content = str | float | int | Markup | None


def paragraph(text: str) -> Markup:
    """Return a paragraph of text."""
    return Markup(f"<p>{escape(text)}</p>")


#: Tables of more columns become a list of rows where they would be too narrow, and columns of even
#: wider tables may be narrow.
_NARROW, _WIDE = 4, 7


def table(titles: Sequence[str], rows: Sequence[Sequence[Content]], caption: str) -> Markup:
    """Return a table; numbers are flush right, columns of nothing are left out.

    Long texts wrap, so that nothing has to be scrolled sideways; on a narrow page every row of a
    table with many columns becomes a list, in which each value has the title of its column.
    """
    kept = [at for at in range(len(titles)) if any(row[at] is not None for row in rows)]
    head = "".join(_title(titles[at], [row[at] for row in rows]) for at in kept)
    stacked = len(kept) > _NARROW
    kind = ("stacked " if stacked else "") + ("many" if len(kept) > _WIDE else "few")
    body = "\n".join(
        f"<tr>{''.join(_cell(row[at], titles[at] if stacked else None) for at in kept)}</tr>"
        for row in rows
    )
    return Markup(
        f'<table class="{kind}"><caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    )


def matrix(labels: Sequence[str], counts: Sequence[Sequence[int]], caption: str) -> Markup:
    """Return rows of a class by the answer they get, shaded by their share in the class."""
    head = "".join(f'<th scope="col" class="number">{escape(label)}</th>' for label in labels)
    lines = []
    for at, (label, line) in enumerate(zip(labels, counts, strict=True)):
        total = max(1, sum(line))
        cells = "".join(_shaded(count, count / total, at == to) for to, count in enumerate(line))
        lines.append(f'<tr><th scope="row">{escape(label)}</th>{cells}</tr>')
    body = "\n".join(lines)
    return Markup(
        f'<table class="matrix"><caption>{escape(caption)}</caption>\n'
        f'<thead><tr><th scope="col">class ↓ answer →</th>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table>"
    )


def share_bar(share: float) -> Markup:
    """Return a share as a bar with its number."""
    width = 100 * min(max(share, 0.0), 1.0)
    return Markup(
        f'<span class="share"><span class="bar"><span style="width:{width:.1f}%"></span></span> '
        f"{100 * share:.1f} %</span>"
    )


def cards(entries: dict[str, str]) -> Markup:
    """Return a few numbers that stand out."""
    each = (
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in entries.items()
    )
    return Markup(f'<dl class="cards">{"".join(each)}</dl>')


def section(name: str, title: str, *parts: Markup) -> Markup:
    """Return a section under a heading that can be linked to."""
    inside = "\n".join(part.html for part in parts)
    return Markup(f'<section id="{name}">\n<h2>{escape(title)}</h2>\n{inside}\n</section>')


def number_text(value: float | int) -> str:
    """Write a number: whole ones in full, others with four digits."""
    if isinstance(value, int):
        return f"{value:,}"
    if 0 < abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{value:.4f}" if abs(value) < 100 else f"{value:,.6g}"


def _title(title: str, column: Sequence[Content]) -> str:
    flush = (
        ' class="number"'
        if any(isinstance(value, (int, float, NumberText)) for value in column)
        else ""
    )
    return f'<th scope="col"{flush}>{escape(title)}</th>'


def _cell(value: Content, title: str | None) -> str:
    named = "" if title is None else f' data-title="{escape(title)}"'
    if isinstance(value, Markup):
        return f"<td{named}>{value.html}</td>"
    if value is None:
        return f'<td class="none"{named}>–</td>'
    if isinstance(value, (int, float, NumberText)):
        text = escape(value) if isinstance(value, NumberText) else number_text(value)
        return f'<td class="number"{named}>{text}</td>'
    return f"<td{named}>{escape(value)}</td>"


def _shaded(count: int, share: float, is_right: bool) -> str:
    """Return a number on a ground that is the stronger the larger its share: blue if right."""
    ground = f"rgb({_RIGHT if is_right else _WRONG} / {0.6 * share:.2f})" if count else "none"
    return f'<td class="number" style="background:{ground}">{count:,}</td>'


#: The grounds of right and wrong answers.
_RIGHT, _WRONG = "0 114 178", "213 94 0"
