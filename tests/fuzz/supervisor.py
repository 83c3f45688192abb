"""A worker under watch: limits on time and memory, a new process after each crash.

In: cases. Out: outcomes; a process that hangs, takes too much memory or dies is a finding.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from .refusals import Finding

_ROOT = Path(__file__).resolve().parents[2]
#: A worker is replaced after so many cases.
_MOST_CASES = 2000
_POLL = 0.02


class Limits(NamedTuple):
    """What a case may take: seconds of CPU, seconds on the clock, bytes."""

    cpu_seconds: float = 30.0
    seconds: float = 150.0
    memory: int = 4 << 30


class Outcome(NamedTuple):
    """What became of a case."""

    name: str
    finding: Finding | None
    seconds: float


class Supervisor:
    """Runs cases in a worker, one after the other."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None
        self._n_cases = 0

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def run(self, case: dict[str, Any]) -> Outcome:
        """Run a case."""
        if self._process is None or self._n_cases >= _MOST_CASES:
            self._stop()
            self._start()
        self._n_cases += 1
        start = time.monotonic()
        finding = self._exchange(json.dumps(case).encode() + b"\n")
        if isinstance(finding, bytes):
            name, found, seconds = json.loads(finding)
            return Outcome(name, None if found is None else Finding(*found), seconds)
        self._stop()
        return Outcome("finding", finding, time.monotonic() - start)

    def _start(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "2"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=_ROOT,
            env=environment,
        )
        self._n_cases = 0

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, self._errors):
            pipe.close()

    def _exchange(self, line: bytes) -> bytes | Finding:
        """Send a case; return the answer, or why there is none."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        clock, cpu = time.monotonic(), _cpu_seconds(process.pid)
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except BrokenPipeError:
            return self._death()
        while not select.select([process.stdout], [], [], _POLL)[0]:
            if process.poll() is not None:
                return self._death()
            if _memory(process.pid) > self._limits.memory:
                return self._interrupted("memory", f"more than {self._limits.memory:,} bytes")
            spent, waited = _cpu_seconds(process.pid) - cpu, time.monotonic() - clock
            if spent > self._limits.cpu_seconds or waited > self._limits.seconds:
                said = f"{spent:.0f} s of CPU, {waited:.0f} s in all"
                return self._interrupted("hang", said)
        return process.stdout.readline() or self._death()

    def _interrupted(self, kind: str, message: str) -> Finding:
        """Ask a process where it is."""
        assert self._process is not None
        self._process.send_signal(signal.SIGUSR1)
        time.sleep(0.5)
        trace = self._said()
        return Finding(kind, _first_own_line(trace), f"{message}\n{trace}")

    def _death(self) -> Finding:
        assert self._process is not None
        code = self._process.wait()
        name = signal.Signals(-code).name if code < 0 else f"exit {code}"
        trace = self._said()
        return Finding(f"crash ({name})", _first_own_line(trace), trace)

    def _said(self) -> str:
        """Return the end of what the process wrote to its standard error."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), 4000, max(0, size - 4000)).decode(errors="replace")


def _first_own_line(trace: str) -> str:
    """Return the innermost line of the library's in a stack as faulthandler prints it."""
    for line in trace.splitlines():
        if "/weakforce/" in line and " in " in line:
            return f"{line.split('/weakforce/')[1].split(chr(34))[0]}:{line.rsplit(' in ')[1]}"
    return "?"


def _memory(pid: int) -> int:
    """Return the bytes that a process holds, where the system says so (Linux)."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0
