"""The program: replays the corpus, then draws cases until the time is over.

In: options. Out: lines on the standard output, an exit code: 0 if nothing was found.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from . import corpus, damage, drawing
from .corpus import Entry
from .minimising import minimised
from .refusals import Finding
from .supervisor import Limits, Outcome, Supervisor

#: How cases are drawn, and which share of them.
_DRAWN: dict[str, tuple[Callable[[Random], dict[str, Any]], float]] = {
    "fit": (drawing.draw_case, 0.5),
    "model": (damage.draw_model, 0.3),
    "parquet": (damage.draw_parquet, 0.2),
}
#: The seconds for which a finding is made smaller.
_MINIMISING = 60.0


def main(arguments: list[str] | None = None) -> int:
    """Run the program."""
    options = _parser().parse_args(arguments)
    seed = SystemRandom().randrange(10**6) if options.seed is None else options.seed
    limits = Limits(options.cpu_seconds, 5 * options.cpu_seconds, options.memory << 20)
    print(f"seed {seed}", flush=True)
    with Supervisor(limits) as supervisor:
        run = Run(supervisor, seed, options.corpus)
        if options.case is not None:
            return run.show(options.case, options.target)
        if options.no_replay:
            run.pass_over()
        else:
            run.replay(options.mend)
        run.draw(options.seconds, options.target)
    return run.report()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long cases are drawn")
    parser.add_argument("--seed", type=int, help="the seed of all cases; drawn if absent")
    parser.add_argument("--case", type=int, help="run just the case of this number")
    parser.add_argument("--target", choices=sorted(_DRAWN), help="draw cases of one kind only")
    parser.add_argument("--corpus", type=Path, default=corpus.FOLDER, help="where findings are")
    parser.add_argument("--mend", action="store_true", help="take 'open' from what is mended")
    parser.add_argument("--no-replay", action="store_true", help="pass over the corpus")
    parser.add_argument("--cpu-seconds", type=float, default=30.0, help="the most for a case")
    parser.add_argument("--memory", type=int, default=4096, help="the most for a case, in MiB")
    return parser


def case_of(seed: int, number: int, target: str | None) -> dict[str, Any]:
    """Return the case of a number."""
    random = Random(f"{seed} {number}")
    names = list(_DRAWN)
    drawn = random.choices(names, [_DRAWN[name][1] for name in names])[0]
    return _DRAWN[target or drawn][0](random)


class Run:
    """What a run has seen."""

    def __init__(self, supervisor: Supervisor, seed: int, folder: Path) -> None:
        self._supervisor = supervisor
        self._seed = seed
        self._folder = folder
        self._outcomes: Counter[str] = Counter()
        self._known: set[str] = set()
        self._failures: list[str] = []

    def show(self, number: int, target: str | None) -> int:
        """Run one case and print it."""
        case = case_of(self._seed, number, target)
        print(json.dumps(case, indent=1))
        outcome = self._supervisor.run(case)
        print(outcome)
        return int(outcome.finding is not None)

    def replay(self, mend: bool) -> None:
        """Run all that was ever found; `mend` takes the marks of what does not fail any more."""
        for entry in corpus.entries(self._folder):
            outcome = self._supervisor.run(entry.case)
            if mend and entry.open is not None and outcome.finding is None:
                corpus.mend(entry)
                print(f"{entry.path.name} is mended", flush=True)
                continue
            problem = self._judged(entry, outcome)
            if problem is not None:
                self._fail(f"{entry.path.name} {problem}")
            elif entry.open is not None:
                print(f"{entry.path.name} is still open: {entry.open}", flush=True)

    def pass_over(self) -> None:
        """Know what is still open without running it."""
        entries = corpus.entries(self._folder)
        self._known.update(entry.signature for entry in entries if entry.open is not None)

    def _judged(self, entry: Entry, outcome: Outcome) -> str | None:
        """Return what is wrong with the outcome of an entry."""
        if entry.open is not None:
            self._known.add(entry.signature)
        if outcome.name == "unbuilt":
            return "cannot be built"
        if entry.open is not None:
            return None if outcome.finding else "does not fail any more: run with --mend"
        if outcome.finding is not None:
            return f"fails again: {outcome.finding.signature}\n{outcome.finding.message}"
        return None

    def draw(self, seconds: float, target: str | None) -> None:
        """Draw and run cases for some time."""
        deadline, number = time.monotonic() + seconds, 0
        while time.monotonic() < deadline:
            case = case_of(self._seed, number, target)
            outcome = self._supervisor.run(case)
            self._outcomes[f"{case['target']} {outcome.name}"] += 1
            if outcome.finding is not None and outcome.finding.signature not in self._known:
                self._known.add(outcome.finding.signature)
                self._take(case, outcome.finding, number)
            number += 1

    def _take(self, case: dict[str, Any], finding: Finding, number: int) -> None:
        """Make a finding small, and keep it."""

        def fails(smaller: dict[str, Any]) -> bool:
            found = self._supervisor.run(smaller).finding
            return found is not None and found.signature == finding.signature

        small = minimised(case, fails, _MINIMISING)
        origin = f"seed {self._seed}, case {number}"
        path = corpus.add(self._folder, small, finding, origin)
        self._fail(
            f"{origin}: {finding.signature}\n{finding.message[:1000]}\n"
            f"{json.dumps(small)[:2000]}\nkept as {path}"
        )

    def _fail(self, text: str) -> None:
        self._failures.append(text)
        print(f"FOUND {text}\n", flush=True)

    def report(self) -> int:
        """Print what a run has seen; return the exit code."""
        for name, count in sorted(self._outcomes.items()):
            print(f"{count:8,} {name}")
        print(f"{len(self._failures)} findings")
        return int(bool(self._failures))
