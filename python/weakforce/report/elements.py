"""Parts of an HTML page, with everything that comes from data escaped.

In: texts and numbers. Out: HTML.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

#: The most characters of a value in a table.
_LONGEST = 60


@dataclass(frozen=True)
class Markup:
    """HTML that is not to be escaped any more."""

    html: str


Content = str | float | int | Markup | None


def paragraph(text: str) -> Markup:
    """Return a paragraph of text."""
    return Markup(f"<p>{escape(text)}</p>")


def table(titles: Sequence[str], rows: Sequence[Sequence[Content]], caption: str) -> Markup:
    """Return a table; numbers are flush right, columns of nothing are left out.

    Wide tables scroll by themselves.
    """
    kept = [at for at in range(len(titles)) if any(row[at] is not None for row in rows)]
    head = "".join(_title(titles[at], [row[at] for row in rows]) for at in kept)
    body = "\n".join(f"<tr>{''.join(_cell(row[at]) for at in kept)}</tr>" for row in rows)
    return Markup(
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def share_bar(share: float) -> Markup:
    """Return a share as a bar with its number."""
    width = 100 * min(max(share, 0.0), 1.0)
    return Markup(
        f'<span class="bar"><span style="width:{width:.1f}%"></span></span> {100 * share:.1f} %'
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


def value_text(value: Any) -> str:
    """Write a value of the data, cut short if it is long."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "missing"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = " ".join(str(value).removesuffix(" 00:00:00").split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _title(title: str, column: Sequence[Content]) -> str:
    flush = ' class="number"' if any(isinstance(value, (int, float)) for value in column) else ""
    return f'<th scope="col"{flush}>{escape(title)}</th>'


def _cell(value: Content) -> str:
    if isinstance(value, Markup):
        return f"<td>{value.html}</td>"
    if value is None:
        return '<td class="none">–</td>'
    if isinstance(value, (int, float)):
        return f'<td class="number">{number_text(value)}</td>'
    return f"<td>{escape(value)}</td>"
