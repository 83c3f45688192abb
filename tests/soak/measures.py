"""What a process holds: memory, file handles, threads, children.

In: nothing. Out: numbers, read from /proc (Linux).
"""

from __future__ import annotations

import ctypes
import gc
import os
from pathlib import Path
from statistics import median
from typing import NamedTuple

#: By how much the process may grow.
TOLERANCE = 0.02


class Measures(NamedTuple):
    """What the process holds at a time.

    Attributes:
        seconds: since the start.
        cycles: how often everything was done.
        memory: resident bytes, without those that were freed.
        handles: open files, pipes and sockets.
        threads: running threads.
        children: processes that were started and are not gone.
    """

    seconds: float
    cycles: int
    memory: int
    handles: int
    threads: int
    children: int

    @classmethod
    def take(cls, seconds: float, cycles: int) -> Measures:
        """Measure this process."""
        gc.collect()
        _give_back()
        status = dict(
            line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines()
        )
        return cls(
            seconds,
            cycles,
            int(status["VmRSS"].split()[0]) * 1024,
            len(os.listdir("/proc/self/fd")) - 1,  # less the one that reads the folder
            int(status["Threads"]),
            _children(),
        )


def growth(taken: list[Measures], name: str) -> float:
    """Return by which share a number has grown: the last quarter against the first."""
    numbers = [getattr(each, name) for each in taken]
    quarter = max(1, len(numbers) // 4)
    first, last = median(numbers[:quarter]), median(numbers[-quarter:])
    if first == last:
        return 0.0
    return float("inf") if first == 0 else last / first - 1.0


def _give_back() -> None:
    """Hand memory that was freed back to the system, so that only what is held is counted."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _children() -> int:
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return len(path.read_text().split()) if path.exists() else 0
