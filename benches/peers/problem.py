"""The simulated problem that all workloads share.

In: a size and a seed. Out: a polars frame of standard normal float32 columns and 0/1 labels, the
sign of the sum of five columns plus noise. Columns are drawn one at a time, so that next to nothing
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
