"""One panel of a shape picture: numbers over their density, or categories as bars.

In: axes, the shape of a column, and looks for the scores. Out: a panel that is drawn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .._fitting.labels import Floats
from ..plotting import canvas
from .column_shapes import ColumnShape

#: The most categories that are shown, half of them from either end.
_MOST_CATEGORIES = 14

#: The bars of a histogram, unless there are fewer whole numbers.
_BINS = 30

#: The share of the rows at either end that are out of view.
_OUTERMOST = 0.005

#: How much of a panel's height the histogram takes.
_HISTOGRAM_HEIGHT = 0.3

#: Microseconds of the units in which durations are shown.
_UNITS = (("days", 86_400e6), ("hours", 3600e6), ("minutes", 60e6), ("seconds", 1e6))


def in_view(shape: ColumnShape) -> ColumnShape:
    """Return the shape of a column of numbers without the outermost rows and the steps there."""
    if shape.kind == "category" or not len(shape.values):
        return shape
    ends = [_OUTERMOST, 1 - _OUTERMOST]
    low, high = np.quantile(shape.values, ends, method="closest_observation")
    first, last = np.searchsorted(shape.cuts, [low, high])
    return replace(
        shape,
        cuts=shape.cuts[first:last],
        contributions=shape.contributions[first : last + 1],
        rows=shape.rows[first : last + 1],
        values=shape.values[(shape.values >= low) & (shape.values <= high)],
    )


def draw_numbers(
    panel: Any, shape: ColumnShape, looks: list[dict[str, Any]], limits: tuple[float, float]
) -> None:
    """Draw a step function over a histogram."""
    unit, scale = _unit(shape)
    whole = _is_whole(shape)
    cuts = shape.cuts + (0.5 if whole else 0.0)
    low, high = _range(shape, cuts, whole)
    shown = [*np.clip(cuts, low, high), high]
    edges = _as_axis(np.concatenate([[low], shown]), shape.kind, scale)
    _draw_density(panel, shape, (low, high), scale)
    panel.axhline(0.0, color=canvas.QUIET, linewidth=1.0, zorder=1)
    for numbers, look in zip(shape.contributions.T, looks, strict=True):
        panel.plot(
            edges, np.append(numbers, numbers[-1]), drawstyle="steps-post", linewidth=1.8, **look
        )
    if shape.missing is not None:
        ends = _as_axis(np.array([low, high]), shape.kind, scale)
        _draw_missing(panel, shape.missing, looks, ends, limits)
    panel.set_ylim(*limits)
    if unit:
        panel.set_xlabel(unit)
    if whole:
        panel.xaxis.get_major_locator().set_params(integer=True)
    if shape.kind == "instant":
        canvas.as_dates(panel.xaxis)


def draw_categories(
    panel: Any, shape: ColumnShape, looks: list[dict[str, Any]], limits: tuple[float, float]
) -> None:
    """Draw what categories add: bars for one score, dots for several; missing values last."""
    numbers, names, rows = _category_lines(shape)
    places = np.arange(len(names))[::-1]
    panel.axvline(0.0, color=canvas.QUIET, linewidth=1.0, zorder=1)
    for added, look in zip(numbers.T, looks, strict=True):
        if len(looks) == 1:
            bars = panel.barh(places, added, color=look["color"], height=0.7)
            if names[-1] == "missing":
                bars[-1].set(facecolor="white", edgecolor=look["color"], hatch="////")
        else:
            panel.plot(added, places, "o", color=look["color"], markersize=5)
    labels = [
        f"{canvas.shortened_text(name, 22)} ({count:,})" if count >= 0 else name
        for name, count in zip(names, rows, strict=True)
    ]
    panel.set_yticks(places, labels, fontsize="small")
    panel.set_ylim(-0.6, len(names) - 0.4)
    panel.set_xlim(*limits)
    panel.grid(False, axis="y")


def _category_lines(shape: ColumnShape) -> tuple[Floats, list[str], list[int]]:
    """Return what is drawn from the top down: numbers, names and rows; −1 for none."""
    order = np.argsort(-shape.contributions[:, -1], kind="stable")
    if shape.contributions.shape[1] > 1:
        order = np.argsort(-np.ptp(shape.contributions, axis=1), kind="stable")
    gap = len(order) - _MOST_CATEGORIES
    half = _MOST_CATEGORIES // 2
    kept = order if gap <= 0 else np.concatenate([order[:half], order[-half:]])
    numbers = shape.contributions[kept]
    names = [shape.categories[at] for at in kept]
    rows = [int(shape.rows[at]) for at in kept]
    if gap > 0:
        numbers = np.insert(numbers, half, np.nan, axis=0)
        names.insert(half, f"… {gap} more between")
        rows.insert(half, -1)
    if shape.missing is not None:
        numbers = np.vstack([numbers, shape.missing])
        names.append("missing")
        rows.append(shape.missing_rows)
    return numbers, names, rows


def _draw_density(panel: Any, shape: ColumnShape, span: tuple[float, float], scale: float) -> None:
    """Draw a light histogram of the values at hand in the lower part of a panel."""
    if not len(shape.values):
        return
    bins = _BINS
    if _is_whole(shape) and span[1] - span[0] <= _BINS:
        bins = round(span[1] - span[0])
    counts, edges = np.histogram(shape.values, bins=bins, range=span)
    behind = panel.twinx()
    behind.stairs(
        counts,
        _as_axis(edges, shape.kind, scale),
        fill=True,
        color=canvas.QUIET,
        alpha=0.45,
        linewidth=0,
    )
    behind.set_ylim(0, (counts.max() or 1) / _HISTOGRAM_HEIGHT)
    behind.set_axis_off()
    panel.set_zorder(behind.get_zorder() + 1)
    panel.patch.set_visible(False)


def _draw_missing(
    panel: Any, missing: Floats, looks: list[dict[str, Any]], ends: Any, limits: tuple[float, float]
) -> None:
    """Draw what missing values add in a strip of their own, right of all numbers."""
    width = ends[1] - ends[0]
    left, right = ends[1] + 0.05 * width, ends[1] + 0.17 * width
    panel.axvspan(left, right, color="#F0F0F0", zorder=0, linewidth=0)
    for number, look in zip(missing, looks, strict=True):
        panel.plot([left, right], [number, number], linewidth=2.4, **look)
    panel.set_xlim(ends[0] - 0.02 * width, right)
    heights = (missing - limits[0]) / (limits[1] - limits[0])
    free = max((0.82, 0.5, 0.18), key=lambda place: float(np.abs(heights - place).min()))
    panel.text(
        left + 0.06 * width,
        free,
        "missing",
        rotation=90,
        va="center",
        ha="center",
        fontsize="x-small",
        color="#606060",
        transform=panel.get_xaxis_transform(),
    )


def _is_whole(shape: ColumnShape) -> bool:
    """Whether a column holds whole numbers, a few of them."""
    if shape.kind != "number" or not len(shape.values) or np.ptp(shape.values) > 10 * _BINS:
        return False
    return bool((shape.values == np.floor(shape.values)).all())


def _range(shape: ColumnShape, cuts: Floats, whole: bool) -> tuple[float, float]:
    """Return the range to show: that of the values, without tails that would fill most of it."""
    if not len(shape.values):
        ends = (cuts[0], cuts[-1]) if len(cuts) else (0.0, 0.0)
        pad = 0.1 * (ends[1] - ends[0]) or 1.0
        return float(ends[0] - pad), float(ends[1] + pad)
    low, high = float(shape.values.min()), float(shape.values.max())
    inner = np.quantile(shape.values, [0.005, 0.995])
    if high - low > 4 * (inner[1] - inner[0]) > 0:
        low, high = float(inner[0]), float(inner[1])
    pad = 0.5 if whole or low == high else 0.0
    return low - pad, high + pad


def _unit(shape: ColumnShape) -> tuple[str, float]:
    """Return the unit in which times are shown, and its microseconds."""
    if shape.kind == "time_of_day":
        return "hour of the day", 3600e6
    if shape.kind != "duration":
        return "", 1.0
    longest = np.abs(shape.values).max() if len(shape.values) else np.abs(shape.cuts).max()
    return next((unit for unit in _UNITS if longest >= 2 * unit[1]), _UNITS[-1])


def _as_axis(numbers: Floats, kind: str, scale: float) -> Any:
    """Return numbers as matplotlib shows them: points in time as such, the rest in units."""
    if kind == "instant":
        return numbers.round().astype(np.int64).astype("datetime64[us]")
    return numbers / scale
