"""Runs of the command line for tests: as a process of its own, or here.

A process costs more than a second to start, so what does not depend on being one runs here.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from weakforce.__main__ import main

COMMAND = [sys.executable, "-m", "weakforce"]


def run(
    *arguments: Any, cwd: Path, stdin: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, input=stdin, capture_output=True, check=False
    )


def run_here(*arguments: Any, cwd: Path) -> int:
    """Run the command in this process and return its exit code."""
    before = Path.cwd()
    os.chdir(cwd)
    try:
        return main([str(argument) for argument in arguments])
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        os.chdir(before)


def people(n_rows: int, seed: int) -> pl.DataFrame:
    """Rows with numbers, categories that look like numbers, dates, nulls and a label."""
    generator = np.random.default_rng(seed)
    age = generator.integers(18, 90, n_rows)
    city = generator.choice(["01067", "10115", "20095"], n_rows)
    income = np.round(generator.lognormal(10, 0.5, n_rows), 2)
    pays = ((age > 50) & (city != "10115")) | (income > 40_000)
    pays ^= generator.random(n_rows) < 0.05
    frame = pl.DataFrame(
        {
            "id": np.arange(n_rows),
            "age": pl.Series(age, dtype=pl.Float64),
            "city": city,
            "income": income,
            "since": pl.Series(18_000 + 10 * age, dtype=pl.Int32).cast(pl.Date),
            "member": generator.random(n_rows) < 0.5,
            "pays": np.where(pays, "yes", "no"),
        }
    )
    missing = pl.Series(generator.random(n_rows) < 0.1)
    return frame.with_columns(age=pl.when(missing).then(None).otherwise(pl.col("age")))
