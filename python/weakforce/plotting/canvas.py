"""Colours, axes and legends that all displays share.

In: axes of the user's, or none. Out: axes to draw on. Matplotlib is imported here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import cycle, islice, product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .._reading.fitted_model import FittedModel

#: The palette of Okabe and Ito, which all kinds of colour vision tell apart; its yellow is left
#: out, because lines of it vanish on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

#: What stands behind the data: histograms, zero lines.
QUIET = "#B8B8B8"

_LINE_STYLES: tuple[Any, ...] = ("-", (0, (5, 1)), (0, (1, 1)), (0, (4, 1, 1, 1)))

#: Runs of at most this many rounds have a mark for each of them.
_FEW_ROUNDS = 20


def matplotlib(module: str) -> Any:
    """Return a module of matplotlib, or say how to get it."""
    try:
        return import_module(f"matplotlib.{module}")
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib, which is not installed: pip install weakforce[plot]"
        ) from error


def line_looks(count: int) -> list[dict[str, Any]]:
    """Return looks for lines that can be told apart: colours first, then styles of lines."""
    looks = ({"linestyle": style, "color": color} for style, color in _style_first())
    return list(islice(cycle(looks), count))


def _style_first() -> Iterator[tuple[Any, str]]:
    return product(_LINE_STYLES, COLOURS)


def ordered_looks(count: int) -> list[dict[str, Any]]:
    """Return looks for lines in an order: from dark to light if they are many."""
    if count <= len(COLOURS):
        return line_looks(count)
    shades = matplotlib("pyplot").get_cmap("cividis")(np.linspace(0.0, 0.95, count))
    return [{"linestyle": "-", "color": shade} for shade in shades]


def round_marker(n_rounds: int) -> dict[str, Any]:
    """Return marks for lines over few rounds, which would hardly be lines without them."""
    return {"marker": "o", "markersize": 3.5} if n_rounds <= _FEW_ROUNDS else {}


def own_axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes to draw on: the user's, or new ones."""
    if ax is not None:
        return ax
    _, new = matplotlib("pyplot").subplots(figsize=size, layout="constrained")
    return new


def own_panels(ax: Any, count: int, size: tuple[float, float]) -> list[Any]:
    """Return several axes that stand below each other and share x: the user's, or new ones."""
    if ax is None:
        _, new = matplotlib("pyplot").subplots(
            count, 1, figsize=size, sharex=True, layout="constrained", squeeze=False
        )
        return list(new.ravel())
    return checked_axes(ax, count)


def checked_axes(ax: Any, count: int) -> list[Any]:
    """Return the user's axes if there are enough of them."""
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) != count:
        raise ValueError(f"parameter 'ax': got {len(given)} axes, expected {count}")
    return given


def clear_frame(ax: Any) -> None:
    """Take away the lines around the data that say nothing, and set a light grid behind it."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color="#E6E6E6", linewidth=0.6)
    ax.set_axisbelow(True)


def legend_above(ax: Any, handles: Sequence[Any], columns: int = 3) -> Any:
    """Set the legend above the axes, where it covers nothing."""
    return ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=min(columns, len(handles)),
        frameon=False,
        fontsize="small",
        borderaxespad=0.2,
        handlelength=2.2,
    )


def in_percent(axis: Any) -> None:
    """Label shares as percentages."""
    axis.set_major_formatter(matplotlib("ticker").PercentFormatter(1.0))


def as_dates(axis: Any) -> None:
    """Label few points in time, each as briefly as possible."""
    dates = matplotlib("dates")
    locator = dates.AutoDateLocator(minticks=2, maxticks=5)
    axis.set_major_locator(locator)
    axis.set_major_formatter(dates.ConciseDateFormatter(locator))


def shortened_text(text: str, most: int) -> str:
    """Return a text that is cut short if it is long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def title_of(model: FittedModel) -> str:
    """Return the title of a picture of a model."""
    return model.name.removesuffix("Classifier")
