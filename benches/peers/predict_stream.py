"""`weakforce predict` on a Parquet file larger than its memory, beside predict on rows in memory.

In (command line): a folder with room for the file, its size and the compression. Out (standard
output): for each layout of row groups and each model, the peak memory of the command and how its
throughput compares with `model.predict` on rows that are already in a frame, and with reading
frames and predict together. The exit code is 1 if a bar is missed: less than 1 GB, and at least
half the throughput of the first of these. With zstd it is missed for quick models, because to
decompress random numbers takes both cores longer than to score stumps on them. The file is made for
the run and deleted afterwards.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

import weakforce
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Rule, Tree

N_COLUMNS = 50
BLOCK = 100_000
PIECE = 1_000_000
ROW_BYTES = 8 * N_COLUMNS
LARGEST_PEAK = 1e9
SMALLEST_RATIO = 0.5


@dataclass(frozen=True)
class Measured:
    """What one run of the command took."""

    seconds: float
    peak: float


def models() -> dict[str, Any]:
    return {
        "1000 stumps": DiscreteAdaBoostClassifier(n_estimators=1000),
        "1000 rules": DiscreteAdaBoostClassifier(Rule(), n_estimators=1000),
        "100 trees of 12 leaves": RealAdaBoostClassifier(Tree(), n_estimators=100),
    }


def block(at: int, n_rows: int = BLOCK) -> pl.DataFrame:
    generator = np.random.default_rng(at)
    return pl.DataFrame({f"x{j}": generator.standard_normal(n_rows) for j in range(N_COLUMNS)})


def fitted(model: Any) -> Any:
    rows = block(0)
    telling = rows.select(pl.sum_horizontal("x0", "x1", "x2", "x3")).to_series()
    noise = np.random.default_rng(1).standard_normal(rows.height)
    return model.fit(rows, (telling + noise > 0).cast(pl.Int8))


def make(path: Path, n_rows: int, row_group: int, compression: Any) -> None:
    def blocks(*asked: Any) -> Iterator[pl.DataFrame]:
        for at in range(n_rows // BLOCK):
            made = block(at)
            yield made if asked[0] is None else made.select(asked[0])

    lazy = register_io_source(blocks, schema=block(0, 1).schema)
    lazy.sink_parquet(path, row_group_size=row_group, compression=compression)
    os.sync()  # or the disk would be busy with it later


def run_command(model: Path, data: Path, out: Path) -> Measured:
    command = [sys.executable, "-m", "weakforce", "predict", *map(str, (model, data, "--out", out))]
    began = time.perf_counter()
    process = subprocess.Popen(command)
    peak = 0.0
    while process.poll() is None:
        # The usage that the kernel hands over in the end would include this process before exec.
        peak = max(peak, _peak_of(process.pid))
        time.sleep(0.01)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return Measured(time.perf_counter() - began, peak)


def _peak_of(process: int) -> float:
    """Return the kernel's record of a process's largest resident memory (Linux only)."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except ProcessLookupError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return float(found[1]) * 1024 if found else 0.0


@dataclass(frozen=True)
class InMemory:
    """Seconds for all rows, in frames that fit into memory."""

    #: Of predict, the better of two.
    predict: float
    #: Of reading the frames.
    reading: float


def run_in_memory(model: Any, data: Path, n_rows: int) -> InMemory:
    rows = pl.scan_parquet(data)
    model.predict(rows.head(1000).collect())  # starts threads and folds the model
    predict = reading = 0.0
    for start in range(0, n_rows, PIECE):
        began = time.perf_counter()
        piece = rows.slice(start, PIECE).collect()
        reading += time.perf_counter() - began
        tries = []
        for _ in range(2):
            began = time.perf_counter()
            model.predict(piece)
            tries.append(time.perf_counter() - began)
        predict += min(tries)
    return InMemory(predict, reading)


def measure(name: str, files: dict[str, Path], n_rows: int) -> bool:
    """Print how the command does with one model, and return whether all bars hold.

    Runs take turns with those in memory. Throughput is that of the rows: what the command needs for
    a single row, most of it to load Python's modules, does not count.
    """
    model = weakforce.load(files[name])
    runs, in_memory, starts = [], [], []
    for _ in range(3):
        in_memory.append(run_in_memory(model, files["data"], n_rows))
        starts.append(run_command(files[name], files["one row"], files["out"]).seconds)
        runs.append(run_command(files[name], files["data"], files["out"]))
    start = min(starts)
    streaming = min(run.seconds for run in runs) - start
    peak = max(run.peak for run in runs)
    ratio = min(run.predict for run in in_memory) / streaming
    with_reading = min(run.reading + run.predict for run in in_memory) / streaming
    holds = peak < LARGEST_PEAK and ratio >= SMALLEST_RATIO
    print(
        f"  {name:24} peak {peak / 1e6:4.0f} MB; {n_rows / streaming / 1e6:5.2f} M rows/s after "
        f"{start:.1f} s to start; of predict in memory {ratio:.2f} "
        f"{'holds' if holds else 'MISSED'}, of reading and predict {with_reading:.2f}",
        flush=True,
    )
    return holds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path(tempfile.gettempdir()))
    parser.add_argument("--gigabytes", type=float, default=5.0)
    parser.add_argument("--compression", default="snappy", help="as pyarrow's")
    parser.add_argument(
        "--row-groups", type=int, nargs="+", default=[100_000, 1_000_000, 4_000_000]
    )
    asked = parser.parse_args()
    n_rows = int(asked.gigabytes * 1e9 / ROW_BYTES) // BLOCK * BLOCK
    held = True
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        files = {"data": Path(folder, "data.parquet"), "out": Path(folder, "out.parquet")}
        files["one row"] = Path(folder, "one_row.parquet")
        block(0, 1).write_parquet(files["one row"])
        for name, model in models().items():
            files[name] = Path(folder, f"{name}.json")
            fitted(model).save(files[name])
        for row_group in asked.row_groups:
            make(files["data"], n_rows, row_group, asked.compression)
            size = files["data"].stat().st_size / 1e9
            print(f"{size:.2f} GB ({asked.compression}), row groups of {row_group:,} rows")
            for name in models():
                held &= measure(name, files, n_rows)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
