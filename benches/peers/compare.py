"""Our times beside those of LightGBM, XGBoost and scikit-learn: `make compare`.

In: the workloads of `*_workloads.py` and sizes from the command line. Out: a table of times, ratios
and whether each bar holds, and all of it in `results.json`. Wants a machine that does nothing else:
with two threads on two busy cores, the peers' spinning barriers lose far more than we do.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from contest import Outcome, Verdict, Workload, hold
from learner_workloads import learner_workloads
from multiclass_workloads import multiclass_workloads
from reading_workloads import reading_workloads
from rivals import Sizes
from robust_workloads import robust_workloads
from soft_margin_workloads import soft_margin_workloads
from stump_workloads import stump_workloads

import weakforce

PROCESSOR_TIMES = Path("/proc/stat")
PEERS = (
    *("lightgbm", "xgboost", "catboost", "hessboost", "perpetual", "scikit-learn"),
    *("cvxpy", "clarabel", "polars", "numpy"),
)
ROWS, ROUNDS = 1_000_000, 100  # the size that the bars are about
BUSY = 0.1  # cores kept busy by others beyond which ratios are not to be trusted


def main() -> None:
    options = read_options()
    chosen = workloads(Sizes(options.rows, options.rounds, options.threads))
    report: dict[str, Any] = {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(),
        "options": {key: getattr(options, key) for key in ("rows", "rounds", "repeat", "threads")},
        "workloads": {},
    }
    print_heading(report)
    for key in options.only or chosen:
        print(f"\n{key}  {chosen[key].title}", flush=True)
        others = Bystanders()
        outcome = hold(chosen[key], options.repeat)
        cores = others.cores()
        for verdict in outcome.verdicts:
            print_verdict(verdict, chosen[key].unit)
        print_others(outcome, chosen[key].unit)
        if cores is not None and cores > BUSY:
            print(f"   NOTE: other programs kept {cores:.1f} cores busy; run it again in peace")
        report["workloads"][key] = describe(chosen[key], outcome) | {"cores_of_others": cores}
    options.output.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    print(f"\nwritten to {options.output}")


class Bystanders:
    """What other programs take of the machine from now on (Linux only)."""

    def __init__(self) -> None:
        self.start = time.perf_counter(), self._seconds()

    def cores(self) -> float | None:
        """Return how many cores they kept busy on average, None where nobody can tell."""
        (since, before), now = self.start, self._seconds()
        if before is None or now is None:
            return None
        return (now - before) / (time.perf_counter() - since)

    @staticmethod
    def _seconds() -> float | None:
        """Return the processor time of everybody less that of this process and its children."""
        if not PROCESSOR_TIMES.exists():
            return None
        ticks = [int(field) for field in PROCESSOR_TIMES.read_text().split("\n")[0].split()[1:9]]
        busy = sum(ticks) - sum(ticks[3:5])  # the fourth and fifth are idle and waiting for disks
        return busy / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


def workloads(sizes: Sizes) -> dict[str, Workload]:
    return (
        stump_workloads(sizes)
        | learner_workloads(sizes)
        | multiclass_workloads(sizes)
        | soft_margin_workloads(sizes)
        | robust_workloads(sizes)
        | reading_workloads(sizes)
    )


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the big frame")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help="rounds; (c), (d) and (j) run 10× more"
    )
    parser.add_argument(
        "--repeat", type=int, default=5, help="repetitions, of which the best counts"
    )
    parser.add_argument("--threads", type=int, default=2, help="threads for everybody")
    parser.add_argument(
        "--only", type=lambda text: text.split(","), default=[], help="workloads, such as a,c,f"
    )
    results = Path(__file__).with_name("results.json")
    parser.add_argument("--output", type=Path, default=results, help="file for the numbers")
    options = parser.parse_args()
    unknown = set(options.only) - set(workloads(Sizes(1, 1, 1)))
    if unknown:
        parser.error(f"--only: there is no workload {', '.join(sorted(unknown))}")
    if min(options.rows, options.rounds, options.repeat, options.threads) < 1:
        parser.error("--rows, --rounds, --repeat and --threads must be at least 1")
    return options


def machine() -> dict[str, Any]:
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
    }


def processor() -> str:
    """Return the processor's name; only Linux tells it in full."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    ours = {"python": platform.python_version(), "weakforce": weakforce.__version__}
    return ours | {name: version(name) for name in PEERS}


def describe(workload: Workload, outcome: Outcome) -> dict[str, Any]:
    """Return what `results.json` says of a workload."""
    bars = [
        {
            "peer": verdict.peer,
            "ratio" if verdict.peer else "value": verdict.value,
            "bar": str(verdict.bar),
            "holds": verdict.holds,
        }
        for verdict in outcome.verdicts
    ]
    return {
        "title": workload.title,
        "unit": workload.unit,
        "measured": outcome.measured,
        "counted": outcome.best,
        "bars": bars,
    }


def print_heading(report: dict[str, Any]) -> None:
    options = report["options"]
    print(", ".join(f"{name} {number}" for name, number in report["versions"].items()))
    print(f"{report['machine']['processor']}, {report['machine']['cores']} cores")
    print(f"{options['threads']} threads each, best of {options['repeat']} interleaved repetitions")
    if (options["rows"], options["rounds"]) != (ROWS, ROUNDS):
        print(f"NOTE: the bars are about {ROWS:,} rows and {ROUNDS} rounds")


def print_verdict(verdict: Verdict, unit: str) -> None:
    peer = "" if verdict.peers is None else f"{verdict.peer:<32}{verdict.peers:>8.3f} {unit}"
    sign = "" if verdict.peers is None else "×"
    print(
        f"   ours {verdict.ours:>8.3f} {unit}   {peer:<42}"
        f" {f'{verdict.value:.2f}{sign}':>9}   bar {f'{verdict.bar}{sign}':<8}"
        f" {'holds' if verdict.holds else 'MISSED'}",
        flush=True,
    )


def print_others(outcome: Outcome, unit: str) -> None:
    """Print those beside us whom no bar has set against us, such as the slower form of a peer."""
    (_, ours), *others = outcome.best.items()
    judged = {verdict.peer for verdict in outcome.verdicts}
    for label, theirs in others:
        if label not in judged:
            peer = f"{label:<32}{theirs:>8.3f} {unit}"
            print(
                f"   {'':>{14 + len(unit)}}   {peer:<42} {f'{theirs / ours:.2f}×':>9}", flush=True
            )


if __name__ == "__main__":
    main()
