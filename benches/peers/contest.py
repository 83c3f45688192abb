"""How a workload is measured and judged, whatever it is that runs.

In: contenders, each with a function that runs once and returns seconds (or megabytes), and bars.
Out: all measurements, the best of each contender, and for every bar the ratio and whether it holds.
Contenders take turns, so that a slow spell of the machine falls on all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Contender:
    """A library in one of the forms it can take its data in."""

    name: str
    form: str
    run: Callable[[], float]

    @classmethod
    def timed(cls, name: str, form: str, job: Callable[[], object]) -> Contender:
        """Make a contender whose whole job counts."""
        return cls(name, form, lambda: seconds(job))

    @property
    def label(self) -> str:
        """The name, with the form in brackets."""
        return f"{self.name} ({self.form})" if self.form else self.name


@dataclass(frozen=True)
class Bar:
    """A promise: how much slower a peer is, or how large our ratio or number may be."""

    peer: str | None
    at_least: float | None = None
    at_most: float | None = None

    def value(self, ours: float, peers: float | None) -> float:
        """Return peer / ours if that must be large, ours / peer if it must be small."""
        if peers is None:
            return ours
        return peers / ours if self.at_most is None else ours / peers

    def holds(self, value: float) -> bool:
        """Whether the promise is kept."""
        return value >= self.at_least if self.at_most is None else value <= self.at_most

    def __str__(self) -> str:
        sign, limit = ("≥", self.at_least) if self.at_most is None else ("≤", self.at_most)
        return f"{sign} {limit:g}"


@dataclass(frozen=True)
class Workload:
    """A title, its bars, and a function that sets the contenders up, ours first."""

    title: str
    bars: tuple[Bar, ...]
    set_up: Callable[[], list[Contender]]
    unit: str = "s"
    #: Of several repetitions, the fastest counts; of memory, the largest.
    pick: Callable[[list[float]], float] = min


@dataclass(frozen=True)
class Verdict:
    """One bar with what was found."""

    bar: Bar
    peer: str | None
    ours: float
    peers: float | None

    @property
    def value(self) -> float:
        """The number that the bar looks at."""
        return self.bar.value(self.ours, self.peers)

    @property
    def holds(self) -> bool:
        """Whether the bar holds."""
        return self.bar.holds(self.value)


@dataclass(frozen=True)
class Outcome:
    """All measurements of a workload by contender, and the verdicts."""

    measured: dict[str, list[float]]
    best: dict[str, float]
    verdicts: list[Verdict]


def seconds(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def hold(workload: Workload, repeat: int) -> Outcome:
    contenders = workload.set_up()
    measured: dict[str, list[float]] = {contender.label: [] for contender in contenders}
    for _ in range(repeat):
        for contender in contenders:
            measured[contender.label].append(contender.run())
    best = {label: workload.pick(values) for label, values in measured.items()}
    ours = best[contenders[0].label]
    return Outcome(measured, best, [judge(bar, ours, contenders, best) for bar in workload.bars])


def judge(bar: Bar, ours: float, contenders: list[Contender], best: dict[str, float]) -> Verdict:
    """Set ours against the best form of the peer that the bar names."""
    if bar.peer is None:
        return Verdict(bar, None, ours, None)
    labels = [contender.label for contender in contenders[1:] if contender.name == bar.peer]
    quickest = min(labels, key=best.__getitem__)
    return Verdict(bar, quickest, ours, best[quickest])
