"""Columns of Polars frames by their names, whatever these look like.

To Polars `pl.col("^a.*$")` is a pattern and `pl.col("*")` stands for all columns; `select`, `drop`,
`cast` and `pl.concat` take names in the same way, and a series looks its own name up. In: names and
frames. Out: expressions and frames of just these columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import polars as pl
import polars.selectors as cs

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)


def looks_like_pattern(name: str) -> bool:
    """Whether Polars would take a name for something else than the column of that name."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def column(name: str) -> pl.Expr:
    """Return the column of this name as an expression."""
    return columns([name]).as_expr() if looks_like_pattern(name) else pl.col(name)


def columns(names: Iterable[str]) -> Any:
    """Return a selector of the columns of these names, in this order."""
    listed = list(names)
    patterns = [name for name in listed if looks_like_pattern(name)]
    if patterns and not _selects_by_name():
        raise ValueError(
            f"column name {patterns[0]!r} is a pattern to Polars {pl.__version__}, expected "
            "another name or a newer version of Polars"
        )
    return cs.by_name(*listed)


def frame_of(series: Iterable[pl.Series]) -> pl.DataFrame:
    """Return a frame of columns, which keep their names; in a list Polars would name one of ''."""
    return pl.DataFrame({one.name: one for one in series})


def select(frame: Frame, names: Iterable[str]) -> Frame:
    """Return the columns of these names, in this order."""
    listed = list(names)
    if isinstance(frame, pl.DataFrame):  # without a query, which a forked process cannot ask
        return frame_of(frame.get_column(name) for name in listed)
    return frame.select(columns(listed) if listed else [])


def without(frame: Frame, names: Iterable[str]) -> Frame:
    """Return a frame without the columns of these names, as far as it has them."""
    left_out = set(names)
    found = frame.collect_schema().names()
    return select(frame, [name for name in found if name not in left_out])


def cast(frame: pl.DataFrame, types: Mapping[str, Any]) -> pl.DataFrame:
    """Return a frame whose columns have these types."""
    return frame_of(one.cast(types[one.name]) for one in frame.get_columns())


def stacked(frames: Sequence[Frame]) -> Frame:
    """Return frames of the same columns one below the other, in types that hold all values."""
    if len(frames) == 1:
        return frames[0]
    names = frames[0].collect_schema().names()
    if not any(map(looks_like_pattern, names)):
        return pl.concat(frames, how="vertical_relaxed")
    numbered = [
        frame.select(column(name).alias(f"c{at}") for at, name in enumerate(names))
        for frame in frames
    ]
    together = pl.concat(numbered, how="vertical_relaxed")
    return together.select(pl.col(f"c{at}").alias(name) for at, name in enumerate(names))


@cache
def _selects_by_name() -> bool:
    """Whether selectors by name are literal, as they are since Polars 1.32 or so."""
    schema = pl.LazyFrame(schema={"ab": pl.Int8, "^a.*$": pl.Int8}).select(cs.by_name("^a.*$"))
    return schema.collect_schema().names() == ["^a.*$"]
