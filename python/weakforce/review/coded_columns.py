"""Columns as a review sees them: what kind each is, and its values as codes of eight bits.

In: a frame. Out: columns by kind (numbers, categories, texts, paths of images), with codes by which
classes are described and rows compared. Numbers have up to 254 codes in the order of their
quantiles; categories one for each of the 253 most frequent and one for all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

NUMBER, CATEGORY, TEXT, IMAGE = "number", "category", "text", "image"

Codes8 = NDArray[np.uint8]

#: The code of a missing value, and that of rare categories.
MISSING, RARE = 255, 254
_MOST_CODES = 254

#: What the paths of images end in.
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".avif", ".svg")

#: Texts are strings of this mean length that hardly repeat.
_LONG, _REPEATED = 50, 0.5

#: Quantiles are taken from so many rows at most.
_SAMPLE = 20_000


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column.

    Attributes:
        name: its name.
        kind: NUMBER, CATEGORY, TEXT or IMAGE.
        values: the column itself.
        codes: a code for each row; empty for texts and images.
        n_codes: how many codes there are, missing values left out.
        is_learned: whether it may count; columns that were dropped are only shown.
    """

    name: str
    kind: str
    values: pl.Series
    codes: Codes8
    n_codes: int
    is_learned: bool = True

    @property
    def is_compared(self) -> bool:
        """Whether rows are compared by this column."""
        return self.is_learned and self.kind in (NUMBER, CATEGORY) and self.n_codes > 1


def coded_column(series: pl.Series, *, is_learned: bool = True) -> CodedColumn:
    """Return a column with its kind and its codes."""
    name = series.name
    # A series looks its own name up, which may look like a pattern.
    series = series.alias("values")
    kind = kind_of(series)
    if kind in (TEXT, IMAGE):
        return CodedColumn(name, kind, series, np.empty(0, dtype=np.uint8), 0)
    coded = _code_numbers(series) if kind == NUMBER else _code_categories(series)
    return CodedColumn(name, kind, series, *coded, is_learned)


def kind_of(series: pl.Series) -> str:
    """Return the kind of a column."""
    series = series.alias("values")
    dtype = series.dtype
    if dtype.is_numeric() or dtype.is_temporal():
        return NUMBER
    if dtype != pl.String:
        return CATEGORY
    present = series.drop_nulls()
    if present.is_empty():
        return CATEGORY
    paths = present.str.to_lowercase().str.contains(_SUFFIX_PATTERN)
    if paths.all() and not present.str.contains("[\r\n]").any():
        return IMAGE
    lengths = present.str.len_chars()
    is_long = float(lengths.mean() or 0) >= _LONG  # type: ignore[arg-type]
    return TEXT if is_long and present.n_unique() > _REPEATED * len(present) else CATEGORY


_SUFFIX_PATTERN = "(" + "|".join(suffix.replace(".", r"\.") for suffix in IMAGE_SUFFIXES) + ")$"


def numbers_of(series: pl.Series) -> NDArray[np.float64]:
    """Return a column of numbers or times as doubles, NaN where a value is missing."""
    physical = series.to_physical() if series.dtype.is_temporal() else series
    return physical.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def texts_of(series: pl.Series) -> list[str | None]:
    """Return a column of categories as texts."""
    if series.dtype in (pl.String, pl.Categorical) or isinstance(series.dtype, pl.Enum):
        return series.cast(pl.String).to_list()
    return [None if value is None else str(value) for value in series.to_list()]


def _code_numbers(series: pl.Series) -> tuple[Codes8, int]:
    numbers = numbers_of(series)
    missing = np.isnan(numbers)
    present = numbers[~missing]
    step = max(1, len(present) // _SAMPLE)
    distinct = np.unique(present[::step])
    if len(distinct) > _MOST_CODES:
        shares = np.linspace(0.0, 1.0, _MOST_CODES + 1)[1:-1]
        distinct = np.unique(np.quantile(present[::step], shares, method="higher"))
        edges = distinct
    else:
        edges = distinct[1:]
    codes = np.searchsorted(edges, np.where(missing, 0.0, numbers), side="right").astype(np.uint8)
    codes[missing] = MISSING
    return codes, len(edges) + (len(present) > 0)


def _code_categories(series: pl.Series) -> tuple[Codes8, int]:
    texts = texts_of(series)
    counts = pl.Series("value", texts, dtype=pl.String).drop_nulls().value_counts()
    ordered = sorted(counts.iter_rows(), key=lambda entry: (-entry[1], entry[0]))
    known: dict[str | None, int] = {
        value: min(code, RARE) for code, (value, _) in enumerate(ordered)
    }
    known[None] = MISSING
    codes = np.fromiter((known[text] for text in texts), np.uint8, len(texts))
    return codes, min(len(ordered), RARE + 1)
