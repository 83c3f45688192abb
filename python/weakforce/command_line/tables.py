"""Text for people: facts in two columns, tables with aligned numbers, numbers that read well.

In: names and values. Out: lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._reading.wording import label_text

#: The most classes that are listed with their counts.
_MOST = 10


def facts(entries: Mapping[str, str]) -> str:
    """Return a line for each entry, its name before its value."""
    width = max(map(len, entries))
    return "\n".join(f"{name.ljust(width)}  {value}" for name, value in entries.items())


def table(titles: Sequence[str], rows: Sequence[Sequence[Any]], flush_right: int = 0) -> str:
    """Return rows under titles.

    A column of numbers is flush right, and so are as many of the first ones as `flush_right` says;
    other texts are flush left.
    """
    columns = list(zip(*rows, strict=True)) if rows else [() for _ in titles]
    aligned = []
    for at, (title, column) in enumerate(zip(titles, columns, strict=True)):
        texts = [title, *(value if isinstance(value, str) else number(value) for value in column)]
        width = max(map(len, texts))
        is_text = at >= flush_right and any(isinstance(value, str) for value in column)
        aligned.append([text.ljust(width) if is_text else text.rjust(width) for text in texts])
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*aligned, strict=True))


def number(value: Any) -> str:
    """Write a number: whole ones in full, others with four decimals or four digits."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, float):
        return (
            f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
        )
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:.4f}"
    return f"{value:.4g}"


def counted(count: int, noun: str) -> str:
    """Write a number of things."""
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


def classes_text(labels: Sequence[Any], counts: Sequence[int]) -> str:
    """Write the classes with their numbers of rows."""
    shown = [
        f"{label_text(label)} ({count:,})" for label, count in zip(labels, counts, strict=True)
    ]
    more = [f"… {len(shown)} in all"] if len(shown) > _MOST else []
    return ", ".join(shown[:_MOST] + more)
