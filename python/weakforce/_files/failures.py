"""What goes wrong with files, in messages that name the file and say why.

In: exceptions of Polars and of the system. Out: a `FileError`. Imports nothing heavy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class FileError(OSError, ValueError):
    """A file cannot be read or written, or does not hold what it should."""


class MissingFileError(FileError, FileNotFoundError):
    """A file does not exist."""


def reason_of(error: BaseException) -> str:
    """Return why something failed, on one line."""
    if isinstance(error, OSError) and not isinstance(error, FileError):
        if error.errno is not None:
            return os.strerror(error.errno)
        if isinstance(error, FileNotFoundError):  # Polars raises it without a number
            return "No such file or directory"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def polars_errors() -> tuple[type[BaseException], ...]:
    """Return the exceptions of Polars; none as long as nothing has imported it."""
    polars = sys.modules.get("polars")
    if polars is None:
        return ()
    return (polars.exceptions.PolarsError, polars.exceptions.PanicException)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn what goes wrong inside into "cannot read 'name': why"."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise _file_error("read", name, error) from error
    except polars_errors() as error:
        raise _file_error("read", name, error) from error


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Turn what goes wrong inside into "cannot write 'name': why"."""
    try:
        yield
    except (BrokenPipeError, FileError):
        raise
    except OSError as error:
        raise _file_error("write", name, error) from error
    except polars_errors() as error:
        raise _file_error("write", name, error) from error


def _file_error(deed: str, name: str, error: BaseException) -> FileError:
    kind = MissingFileError if isinstance(error, FileNotFoundError) else FileError
    return kind(f"cannot {deed} {name!r}: {reason_of(error)}")
