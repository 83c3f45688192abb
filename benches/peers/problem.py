"""The simulated problems that the workloads share.

In: a size and a seed. Out: a polars frame of standard normal float32 columns, and labels that five
of them and noise decide: 0/1 by the sign of their sum, or one of K classes by the largest of K
mixtures. Narrow columns are whole numbers. Columns are drawn one at a time, so that next to nothing
but the frame itself stays in memory.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

TELLING_COLUMNS = 5


def draw(n_rows: int, n_columns: int, seed: int = 0) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    signal = generator.standard_normal(n_rows, dtype=np.float32)
    columns = []
    for j in range(n_columns):
        column = generator.standard_normal(n_rows, dtype=np.float32)
        columns.append(pl.Series(f"x{j}", column))
        if j < TELLING_COLUMNS:
            signal += column
    return pl.DataFrame(columns), (signal > 0).astype(np.int64)


def draw_narrow(
    n_rows: int, n_columns: int, levels: range, seed: int = 0
) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Draw columns of a few whole numbers each, like answers to questions; all of them matter."""
    generator = np.random.default_rng(seed)
    signal = generator.standard_normal(n_rows, dtype=np.float32)
    columns = []
    for j in range(n_columns):
        n_levels = levels[j % len(levels)]
        column = generator.integers(0, n_levels, n_rows, dtype=np.uint8)
        columns.append(pl.Series(f"x{j}", column))
        signal += (column - (n_levels - 1) / 2) / (n_levels * (1 + j))
    return pl.DataFrame(columns), (signal > 0).astype(np.int64)


def draw_classes(
    n_rows: int, n_columns: int, n_classes: int, seed: int = 0, levels: int | None = None
) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Draw K classes; with `levels` every column has that many whole numbers as values."""
    generator = np.random.default_rng(seed)
    mixtures = generator.standard_normal((TELLING_COLUMNS, n_classes), dtype=np.float32)
    signals = generator.standard_normal((n_rows, n_classes), dtype=np.float32)
    columns = []
    for j in range(n_columns):
        column = generator.standard_normal(n_rows, dtype=np.float32)
        columns.append(pl.Series(f"x{j}", column if levels is None else in_levels(column, levels)))
        if j < TELLING_COLUMNS:
            signals += np.outer(column, mixtures[j])
    return pl.DataFrame(columns), signals.argmax(axis=1)


def in_levels(column: NDArray[np.float32], levels: int) -> NDArray[np.uint8]:
    """Cut three standard deviations to either side of the mean into equal pieces."""
    return np.clip((column + 3) / 6 * levels, 0, levels - 1).astype(np.uint8)
