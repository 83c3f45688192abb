"""Lines of a journal: what they hold, and how a damaged one is told.

In: decisions and the fingerprint of a table. Out: bytes, and back. Every line is JSON, a tab, and a
checksum of the JSON; the first line says which table the decisions are for. No line depends on
another one, so whoever deletes a damaged line with an editor loses that decision only.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from typing import Any

from .._files.failures import FileError
from .fingerprints import TableFingerprint

#: What a person can decide of a row, and taking back the last decision on it.
KEEP, CHANGE, SKIP, UNDO = "keep", "change", "skip", "undo"
KINDS = (KEEP, CHANGE, SKIP, UNDO)

_FORMAT = 1


class JournalError(FileError):
    """The file of decisions cannot be used; nothing in it was changed."""


class DamagedJournalError(JournalError):
    """The file of decisions does not hold what was written."""


class ChangedTableError(JournalError):
    """The decisions were made for other rows than these."""


@dataclass(frozen=True)
class Decision:
    """What a person said of a row.

    Attributes:
        row: its position in the table, from 0.
        fingerprint: that of the row.
        kind: one of `KINDS`.
        given: the label in the table, as text.
        label: the label that the row shall have, as text; None for skip and undo.
        at: when it was decided, in UTC.
    """

    row: int
    fingerprint: str
    kind: str
    given: str
    label: str | None
    at: str


def header_line(table: TableFingerprint) -> bytes:
    """Return the first line: the table that the decisions are for."""
    described = {"rows": len(table.rows), "target": table.target, "columns": table.columns}
    return _line({"weakforce_review": _FORMAT, **described})


def decision_line(decision: Decision) -> bytes:
    """Return the line of a decision."""
    return _line(asdict(decision))


def read_header(line: bytes, name: str) -> dict[str, Any]:
    """Return what the first line says."""
    header = _read(line, name, 1)
    fits = (
        isinstance(header.get("rows"), int)
        and isinstance(header.get("target"), str)
        and isinstance(header.get("columns"), dict)
    )
    if not fits or header.get("weakforce_review") != _FORMAT:
        raise DamagedJournalError(
            f"cannot read {name!r}: its first line is none of a review (format {_FORMAT}), "
            "expected what 'weakforce review' wrote"
        )
    return header


def read_decision(line: bytes, name: str, number: int) -> Decision:
    """Return the decision of a line."""
    entry = _read(line, name, number)
    try:
        decision = Decision(**entry)
    except TypeError:
        raise _damaged(name, number, "it holds no decision") from None
    label_fits = isinstance(decision.label, str) or decision.kind in (SKIP, UNDO)
    if not isinstance(decision.row, int) or decision.kind not in KINDS or not label_fits:
        raise _damaged(name, number, "it holds no decision")
    return decision


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, separators=(",", ":")).encode()
    return b"%s\t%08x\n" % (text, zlib.crc32(text))


def _read(line: bytes, name: str, number: int) -> dict[str, Any]:
    text, tab, checksum = line.rpartition(b"\t")
    if not tab:
        raise _damaged(name, number, "it has no checksum")
    if checksum != b"%08x" % zlib.crc32(text):
        raise _damaged(name, number, "its checksum is that of another line")
    try:
        entry = json.loads(text)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise _damaged(name, number, "it is no JSON object")
    return entry


def _damaged(name: str, number: int, why: str) -> DamagedJournalError:
    rest = (
        "without that line all other decisions can be read"
        if number > 1
        else "without it nobody knows which table the decisions are for"
    )
    return DamagedJournalError(f"cannot read {name!r}: line {number} is damaged: {why}; {rest}")
