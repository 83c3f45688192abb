"""Peak memory of one fit above its input, measured in a process of its own.

In (command line): a job as JSON. Out (standard output): megabytes (10⁶ bytes).
The peak is the kernel's VmHWM, reset once the frame and the labels are in place (Linux only).
"""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from problem import draw, draw_classes

import weakforce

MEGABYTE = 1e6


@dataclass(frozen=True)
class Job:
    """What is fitted to what."""

    n_rows: int
    n_columns: int
    rounds: int
    threads: int
    n_classes: int = 2
    levels: int | None = None
    booster: str = "DiscreteAdaBoostClassifier"
    parameters: dict[str, Any] = field(default_factory=dict)

    def draw(self, n_rows: int) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Draw rows and labels."""
        if self.n_classes == 2:
            return draw(n_rows, self.n_columns)
        return draw_classes(n_rows, self.n_columns, self.n_classes, levels=self.levels)


def measure_in_fresh_process(job: Job) -> float:
    command = [sys.executable, __file__, json.dumps(asdict(job))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def measure(job: Job) -> float:
    booster = getattr(weakforce, job.booster)
    model = booster(n_estimators=job.rounds, n_jobs=job.threads, **job.parameters)
    model.fit(*job.draw(5_000))  # loads code and starts threads, which are not the fit's
    frame, labels = job.draw(job.n_rows)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    model.fit(frame, labels)
    return (status("VmHWM") - before) / MEGABYTE


def status(field: str) -> int:
    """Return an entry of /proc/self/status in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


if __name__ == "__main__":
    print(measure(Job(**json.loads(sys.argv[1]))))
