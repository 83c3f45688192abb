"""Everything that was ever found, as cases that are run first.

In: a folder of JSON files. Out: entries. An entry that still fails is marked by "open", which says
what is known of it; it is reported, and fails the run only once it does not fail any more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from .refusals import Finding

FOLDER = Path(__file__).parent / "corpus"


class Entry(NamedTuple):
    """A case that once failed.

    Attributes:
        path: its file.
        case: the case.
        signature: how it failed.
        open: why it still fails; None if it is mended.
    """

    path: Path
    case: dict[str, Any]
    signature: str
    open: str | None


def entries(folder: Path) -> Iterator[Entry]:
    """Yield the entries of a folder, by name."""
    for path in sorted(folder.glob("*.json")):
        stored = json.loads(path.read_text())
        yield Entry(path, stored["case"], stored["signature"], stored.get("open"))


def mend(entry: Entry) -> None:
    """Take the mark of an entry away that does not fail any more."""
    stored = json.loads(entry.path.read_text())
    del stored["open"]
    entry.path.write_text(json.dumps(stored, indent=1) + "\n")


def add(folder: Path, case: dict[str, Any], finding: Finding, origin: str) -> Path:
    """Write a finding to a folder."""
    name = f"{case['target']}-{sha256(finding.signature.encode()).hexdigest()[:8]}"
    path, number = folder / f"{name}.json", 2
    while path.exists():
        path, number = folder / f"{name}-{number}.json", number + 1
    folder.mkdir(parents=True, exist_ok=True)
    stored = {
        "signature": finding.signature,
        "message": finding.message[:500],
        "origin": origin,
        "case": case,
    }
    path.write_text(json.dumps(stored, indent=1) + "\n")
    return path
