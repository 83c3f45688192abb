"""What ends a command: its message and its exit code.

In: exceptions of ours, of Polars and of the system. Out: one line for a user, never a traceback.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

#: Something went wrong while the command ran: bad data, a missing file, a damaged model.
FAILED = 1
#: The command was not called as it should be.
MISUSED = 2
#: A signal of this number more than that ended the command.
SIGNALLED = 128


class FailureError(Exception):
    """What the user has to know; the command ends with exit code 1."""

    exit_code = FAILED


class UsageError(FailureError):
    """The command cannot be called like this; it ends with exit code 2."""

    exit_code = MISUSED


class StoppedError(BaseException):
    """A signal asks the process to end; like KeyboardInterrupt nobody takes it for an error."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.exit_code = SIGNALLED + signal_number


def reason_of(error: BaseException) -> str:
    """Return why something failed, on one line."""
    if isinstance(error, OSError):
        if error.errno is not None:
            return os.strerror(error.errno)
        if isinstance(error, FileNotFoundError):  # Polars raises it without a number
            return "No such file or directory"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn what goes wrong inside into "cannot read 'name': why"."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise FailureError(f"cannot read {name!r}: {reason_of(error)}") from error


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Turn what goes wrong inside into "cannot write 'name': why"."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise FailureError(f"cannot write {name!r}: {reason_of(error)}") from error


@contextmanager
def parameters_as_options() -> Iterator[None]:
    """Turn what the library says of a parameter inside into wrong usage of an option."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if str(error).startswith("parameter '"):
            raise UsageError(str(error)) from error
        raise
