"""The formats of tables, told apart by the suffixes of files; patterns of file names.

In: names. Out: formats and names of files. Imports nothing heavy.
"""

from __future__ import annotations

import glob
from pathlib import Path

from .failures import MissingFileError

#: The formats, each with the suffixes of its files.
FORMATS = {
    "parquet": (".parquet", ".pq"),
    "csv": (".csv",),
    "tsv": (".tsv",),
    "ipc": (".arrow", ".feather", ".ipc"),
}

#: All suffixes, for messages.
SUFFIXES = ", ".join(suffix for suffixes in FORMATS.values() for suffix in suffixes)


def format_by_suffix(name: str) -> str | None:
    """Return the format that the suffix of a file stands for; None if it stands for none."""
    suffix = Path(name).suffix.lower()
    return next((format for format, suffixes in FORMATS.items() if suffix in suffixes), None)


def matching_files(name: str) -> list[str]:
    """Return the files that match a pattern, in order; a file that exists is no pattern."""
    if not glob.has_magic(name) or Path(name).exists():
        return [name]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise MissingFileError(f"no file matches {name!r}")
    return found
