"""Whether Polars has its threads in this process.

A process that is forked has none of the threads of its parent, but their pool, which takes work
that nobody will do. Polars starts its pool once and for all, so a query in such a process would
wait for ever; whatever needs one says so instead. The core has a pool for each process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

#: Where Linux lists the threads of a process.
_THREADS = Path("/proc/self/task")

#: What a forked process lacks, as far as the threads of its parents are known.
_lost = False
_had_threads = False


def require(what: str) -> None:
    """Refuse what would wait for ever in a forked process; `what` says what that is."""
    if _lost:
        raise RuntimeError(
            f"{what} needs the threads of Polars, which this process lost when it was forked from "
            "one that had started them: start processes by "
            "multiprocessing.get_context('forkserver') or 'spawn', or hand over NumPy arrays"
        )


def _before_fork() -> None:
    global _had_threads
    _had_threads = _has_threads()


def _in_child() -> None:
    global _lost
    _lost = _lost or _had_threads


def _has_threads() -> bool:
    """Whether Polars has started threads, which are known by their name; if in doubt, it has."""
    name = os.environ.get("POLARS_THREAD_NAME", "polars")[:15]
    try:
        return any(map(_called(name), _THREADS.iterdir()))
    except OSError:
        return True


def _called(name: str) -> Callable[[Path], bool]:
    def is_called(thread: Path) -> bool:
        try:
            return (thread / "comm").read_text().startswith(name)
        except OSError:  # it has ended
            return False

    return is_called


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
