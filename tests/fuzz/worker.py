"""The process that runs cases: one line of JSON in, one line out.

In: cases on the standard input. Out: outcomes on what was the standard output, which is a file from
then on, so that whatever the library prints is seen.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import tempfile
import time
import warnings
from typing import Any

from . import calls, damage
from .refusals import Finding, fault_of, place_of

_TARGETS = {"fit": calls.run_fit, "model": damage.run_model, "parquet": damage.run_parquet}


def main() -> None:
    """Run cases until there are none."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 1)
        # The supervisor reads this one when the process hangs or is gone.
        faulthandler.enable()
        faulthandler.register(signal.SIGUSR1)
        warnings.simplefilter("ignore")
        for line in sys.stdin:
            start = time.monotonic()
            outcome, finding = run(json.loads(line))
            size = os.fstat(printed.fileno()).st_size
            if size and finding is None:
                text = os.pread(printed.fileno(), 300, 0).decode(errors="replace")
                finding = Finding("printed", text[:40], text)
            os.ftruncate(printed.fileno(), 0)
            os.lseek(printed.fileno(), 0, os.SEEK_SET)
            seconds = time.monotonic() - start
            answers.write(json.dumps([outcome, finding, seconds]) + "\n")
            answers.flush()


def run(case: dict[str, Any]) -> tuple[str, Finding | None]:
    """Run a case; return its outcome and what was found."""
    try:
        return _TARGETS[case["target"]](case), None
    except calls.UnbuiltError:
        return "unbuilt", None
    except BaseException as error:  # panics are no Exceptions
        if isinstance(error, KeyboardInterrupt):
            raise
        # Calls that must not be refused raise what others may.
        kind = f"{type(error).__name__} after fit"
        return "finding", fault_of(error) or Finding(kind, place_of(error), str(error))


if __name__ == "__main__":
    main()
