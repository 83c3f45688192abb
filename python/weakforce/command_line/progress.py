"""How far a long fit is, on a terminal.

In: the rounds of a fit. Out: one line on standard error that is written over and over and removed
in the end. Nothing is shown of fits that are over soon.
"""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any, TextIO

#: Seconds without a line, and between two of them.
_PATIENCE, _INTERVAL = 2.0, 0.5


class Progress:
    """Shows the time that has passed, and the rounds run where they are known."""

    def __init__(self, stream: TextIO, patience: float = _PATIENCE) -> None:
        self._stream, self._patience = stream, patience
        self._rounds: str | None = None
        self._over = threading.Event()
        self._width = 0
        self._thread = threading.Thread(target=self._show, daemon=True)

    def observe(self, info: Any) -> None:
        """Take notice of a round; a callback of boosters."""
        self._rounds = f"round {info.round:,}, training score {info.train_score:.4f}"

    def __enter__(self) -> Progress:
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        if self._width:
            self._write("")

    def _show(self) -> None:
        wait = self._patience
        while not self._over.wait(wait):
            wait = min(wait, _INTERVAL)
            passed = f"fitting: {time.monotonic() - self._began:.0f} s"
            self._write(passed if self._rounds is None else f"{passed}, {self._rounds}")

    def _write(self, line: str) -> None:
        """Write a line over the one before."""
        self._width, width = len(line), self._width
        self._stream.write(f"\r{line.ljust(width)}" if line else f"\r{' ' * width}\r")
        self._stream.flush()


def is_terminal() -> bool:
    """Whether somebody watches standard error."""
    return sys.stderr is not None and sys.stderr.isatty()
