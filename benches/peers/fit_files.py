"""Fits to Parquet files larger than memory, beside the same fit on rows in memory.

In (command line): a folder with room for the files, how large they are and how they are written.
Out (standard output, and JSON with `--output`): for stumps and trees the peak memory of the fit
beside its bar, 1.25 × (codes + 40 bytes a row) + 300 MB, and its time beside twice that of reading
the files once with Polars' streaming engine and boosting the same codes in memory (left out with
`--skip-memory`, where the frame does not fit). Every measurement has a process of its own. The
files are made for the run and deleted afterwards.

    python benches/peers/fit_files.py FOLDER --gigabytes 10 --compression zstd --row-group 100000
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from problem import TELLING_COLUMNS

from weakforce import DiscreteAdaBoostClassifier, Stump, Tree

FILE_ROWS = 1_000_000
BYTES_PER_ROW = 40
SLACK, BASE = 1.25, 300e6
SLOWEST = 2.0
LEARNERS = {"stumps": Stump(), "trees": Tree(max_leaf_nodes=12)}


def main() -> None:
    options = read_options()
    if options.job:
        print(json.dumps(JOBS[options.job](options)))
        return
    n_rows = int(options.gigabytes * 1e9 / 4 / options.columns)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        size = write_files(Path(folder), n_rows, options)
        print(f"{n_rows:,} × {options.columns} float32, {size / 1e9:.1f} GB, ", end="")
        print(f"{options.compression}, row groups of {options.row_group:,}", flush=True)
        reading = run("reading", folder, options)["seconds"]
        print(f"reading once, streaming: {reading:.1f} s", flush=True)
        found = {name: compare(name, folder, reading, options) for name in options.learners}
    if options.output:
        report = {"rows": n_rows, "reading": reading, "options": vars(options), "found": found}
        Path(options.output).write_text(json.dumps(report, indent=2) + "\n")


def compare(name: str, folder: str, reading: float, options: argparse.Namespace) -> dict[str, Any]:
    """Fit to files and to rows in memory; print both with their bars."""
    files = run("files", folder, options, name)
    codes = files["rows"] * options.columns
    bar = SLACK * (codes + BYTES_PER_ROW * files["rows"]) + BASE
    print(
        f"{options.rounds} {name}: peak {files['peak'] / 1e6:,.0f} MB (bar {bar / 1e6:,.0f}), "
        f"{files['seconds']:.1f} s, of which {files['boosting']:.1f} s boosting",
        flush=True,
    )
    found = {"files": files, "peak bar": bar}
    if not options.skip_memory:
        memory = run("memory", folder, options, name)
        ratio = files["seconds"] / (reading + memory["boosting"])
        print(
            f"   in memory: {memory['boosting']:.1f} s boosting, ratio {ratio:.2f} "
            f"(bar {SLOWEST}), same model: {memory['model'] == files['model']}",
            flush=True,
        )
        found |= {"memory": memory, "ratio": ratio}
    return found


def write_files(folder: Path, n_rows: int, options: argparse.Namespace) -> int:
    """Write the problem of `problem.draw`, a file at a time; return the bytes."""
    for at, first in enumerate(range(0, n_rows, FILE_ROWS)):
        generator = np.random.default_rng(at)
        length = min(FILE_ROWS, n_rows - first)
        signal = generator.standard_normal(length, dtype=np.float32)
        columns = []
        for j in range(options.columns):
            column = generator.standard_normal(length, dtype=np.float32)
            columns.append(pl.Series(f"x{j}", column))
            if j < TELLING_COLUMNS:
                signal += column
        frame = pl.DataFrame([*columns, pl.Series("label", signal > 0)])
        frame.write_parquet(
            folder / f"part-{at:04}.parquet",
            compression=options.compression,
            row_group_size=options.row_group,
        )
    return sum(path.stat().st_size for path in folder.iterdir())


def run(job: str, folder: str, options: argparse.Namespace, learner: str = "") -> dict[str, Any]:
    given = {"rounds": options.rounds, "threads": options.threads, "columns": options.columns}
    numbers = [text for key, value in given.items() for text in (f"--{key}", str(value))]
    command = [sys.executable, __file__, folder, "--job", job, *numbers]
    command += ["--learners", learner] if learner else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def reading(options: argparse.Namespace) -> dict[str, Any]:
    """Decode all values once and add them up."""
    start = time.perf_counter()
    scan = pl.scan_parquet(f"{options.folder}/*.parquet")
    scan.select(pl.all().sum()).collect(engine="streaming")
    return {"seconds": time.perf_counter() - start}


def fit(X: Any, options: argparse.Namespace) -> dict[str, Any]:
    model = DiscreteAdaBoostClassifier(
        LEARNERS[options.learners[0]], n_estimators=options.rounds, n_jobs=options.threads
    )
    start = time.perf_counter()
    model.fit(X, "label")
    seconds = time.perf_counter() - start
    return {
        "rows": len(model.row_weights_),
        "seconds": seconds,
        **model.fit_times_,
        "peak": peak(),
        "model": [float(weight) for weight in model.estimator_weights_],
    }


def files(options: argparse.Namespace) -> dict[str, Any]:
    return fit(f"{options.folder}/*.parquet", options)


def memory(options: argparse.Namespace) -> dict[str, Any]:
    return fit(pl.read_parquet(f"{options.folder}/*.parquet"), options)


def peak() -> int:
    """Return the largest resident memory of this process so far, in bytes (Linux only)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


JOBS = {"reading": reading, "files": files, "memory": memory}


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--gigabytes", type=float, default=10, help="of values before compression")
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--compression", default="snappy", choices=["snappy", "zstd"])
    parser.add_argument("--row-group", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--skip-memory", action="store_true")
    parser.add_argument("--output")
    parser.add_argument("--job", choices=list(JOBS), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
