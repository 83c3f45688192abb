"""What ends a command: its message and its exit code.

In: exceptions. Out: one line for a user, never a traceback.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def parameters_as_options() -> Iterator[None]:
    """Turn what the library says of a parameter inside into wrong usage of an option."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if str(error).startswith("parameter '"):
            raise UsageError(str(error)) from error
        raise
