"""Peak memory of one fit above its input, measured in a process of its own.

In (command line): rows, columns, rounds, threads. Out (standard output): megabytes (10⁶ bytes).
The peak is the kernel's VmHWM, reset once the frame and the labels are in place (Linux only).
"""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from pathlib import Path

from problem import draw

from weakforce import DiscreteAdaBoostClassifier


def measure_in_fresh_process(n_rows: int, n_columns: int, rounds: int, threads: int) -> float:
    numbers = map(str, (n_rows, n_columns, rounds, threads))
    command = [sys.executable, __file__, *numbers]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def measure(n_rows: int, n_columns: int, rounds: int, threads: int) -> float:
    model = DiscreteAdaBoostClassifier(n_estimators=rounds, n_jobs=threads)
    model.fit(*draw(5_000, n_columns))  # loads code and starts threads, which are not the fit's
    frame, labels = draw(n_rows, n_columns)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    model.fit(frame, labels)
    return (status("VmHWM") - before) / 1e6


def status(field: str) -> int:
    """Return an entry of /proc/self/status in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


if __name__ == "__main__":
    print(measure(*map(int, sys.argv[1:])))
