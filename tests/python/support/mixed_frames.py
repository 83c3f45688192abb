"""Frames of numbers, words and codes with gaps, and noisy labels for them."""

import numpy as np
import polars as pl

WORDS = [f"word {i}" for i in range(30)]


def mixed_frame(rows: int, seed: int, words=WORDS) -> pl.DataFrame:
    """Numbers of coarse and fine grain, infinities, words, codes, and gaps in all of them."""
    generator = np.random.default_rng(seed)
    fine = generator.normal(size=rows)
    fine[generator.random(rows) < 0.02] = np.inf
    fine[generator.random(rows) < 0.02] = -np.inf
    frame = pl.DataFrame(
        {
            "fine": fine,
            "coarse": generator.integers(0, 12, rows),
            "flag": generator.random(rows) < 0.3,
            "word": generator.choice(words, rows),
            "code": generator.integers(0, 9, rows),
        }
    )
    gaps = pl.DataFrame({name: generator.random(rows) < 0.1 for name in frame.columns})
    return frame.with_columns(
        pl.when(~gaps[name]).then(pl.col(name)).alias(name) for name in frame.columns
    )


def noisy_labels(frame: pl.DataFrame, seed: int) -> np.ndarray:
    signal = frame.select(
        (pl.col("fine").fill_null(0.3) > 0.2)
        ^ (pl.col("word").fill_null("").str.ends_with("3"))
        ^ (pl.col("code").is_in([2, 5, 6]).fill_null(False))
    ).to_series()
    return signal.to_numpy() ^ (np.random.default_rng(seed).random(len(frame)) < 0.1)
