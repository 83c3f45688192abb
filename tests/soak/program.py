"""The program: works until the time is over, and compares what the process held.

In: options. Out: a table on the standard output, an exit code: 1 if the process has grown.
"""

from __future__ import annotations

import argparse
import time
import warnings

from .measures import TOLERANCE, Measures, growth
from .work import cycle

#: The share of the time after which the process counts as warm.
_WARM = 0.25
#: The most lines of the table.
_LINES = 20


def main(arguments: list[str] | None = None) -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long to work")
    seconds = parser.parse_args(arguments).seconds
    warnings.simplefilter("ignore")
    print(f"{'seconds':>8} {'cycles':>7} {'MiB':>8} {'handles':>8} {'threads':>8} {'children':>8}")
    taken = _measured(seconds)
    warm = [each for each in taken if each.seconds >= _WARM * seconds]
    return _judge(warm)


def _measured(seconds: float) -> list[Measures]:
    """Work for some time; return what the process held meanwhile."""
    taken: list[Measures] = []
    start, number, printed = time.monotonic(), 0, -1
    while (now := time.monotonic() - start) < seconds:
        cycle(number)
        number += 1
        taken.append(Measures.take(now, number))
        line = int(now / seconds * _LINES)
        if line > printed:
            printed = line
            _print(taken[-1])
    if taken:
        _print(taken[-1])
    return taken


def _print(each: Measures) -> None:
    print(
        f"{each.seconds:8.0f} {each.cycles:7,} {each.memory / 2**20:8.1f} {each.handles:8,}"
        f" {each.threads:8,} {each.children:8,}",
        flush=True,
    )


def _judge(warm: list[Measures]) -> int:
    """Print by how much the process has grown since it was warm; return the exit code."""
    if len(warm) < 8:
        print(f"only {len(warm)} cycles since the process was warm: give it more seconds")
        return 1
    failed = False
    for name in ("memory", "handles", "threads", "children"):
        grown = growth(warm, name)
        failed |= grown > TOLERANCE
        verdict = "grows" if grown > TOLERANCE else "flat"
        print(f"{name:>8}: {verdict}, {100 * grown:+.2f} % since it was warm")
    return int(failed)
