"""Files that are being written, beside the place that they will take.

In: a folder and the name that a file will have. Out: an open, empty file under another name.
Whoever writes it holds a lock on it, which the system takes away from a process that was killed: so
the next file of that name can tell what was left behind from what somebody else is writing.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def make_partial(folder: Path, name: str) -> tuple[int | None, Path]:
    """Make a file that will be called `name`; also return the handle that holds its lock."""
    while True:
        path = folder / f"{_prefix(name)}{secrets.token_hex(4)}.partial"
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        if fcntl is None:  # where an open file could not take its place
            os.close(handle)
            return None, path
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:  # a file system without locks, where nothing is ever taken for left behind
            return handle, path
        # Between these lines somebody may have taken the file for one that was left behind.
        if os.fstat(handle).st_nlink:
            return handle, path
        os.close(handle)


def remove_left_behind(place: Path) -> None:
    """Remove what killed programs have left of files that were to take this place."""
    if fcntl is None:
        return
    prefix = _prefix(place.name)
    try:
        names = os.listdir(place.parent)
    except OSError:  # whoever makes the file will say what is wrong
        return
    for name in names:
        if name.startswith(prefix) and name.endswith(".partial"):
            _remove_unless_locked(place.parent / name)


def _remove_unless_locked(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:  # gone, or somebody else's
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    except OSError:  # it is being written
        pass
    finally:
        os.close(handle)


def _prefix(name: str) -> str:
    """Return how the names of such files begin, which are never too long."""
    return f".weakforce-{hashlib.sha256(name.encode(errors='surrogateescape')).hexdigest()[:12]}-"
