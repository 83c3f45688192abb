"""The journal of a review: every decision on disk before anybody goes on.

In: decisions. Out: a file to which lines are appended and brought to disk one by one. A line that a
killed program left unfinished was never confirmed and is cut off; whatever else is wrong with the
file is refused, and the file stays as it is. What does not fit on the disk is taken back, so that
the decision can be made again.
"""

from __future__ import annotations

import os
from pathlib import Path

from .._files.failures import reading, reason_of, writing
from .fingerprints import TableFingerprint
from .journal_lines import (
    ChangedTableError,
    DamagedJournalError,
    Decision,
    JournalError,
    decision_line,
    header_line,
    read_decision,
    read_header,
)

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: What the name of a journal has behind that of the table of decisions.
SUFFIX = ".journal"

#: The most columns that a message names.
_MOST = 5


def journal_path(out: str) -> Path:
    """Return where the decisions are kept whose table will be `out`."""
    return Path(f"{out}{SUFFIX}")


def read_journal(path: Path, table: TableFingerprint) -> list[Decision]:
    """Return the decisions of a journal; refuse those for another table."""
    with reading(str(path)):
        content = path.read_bytes()
    return _decisions(content, str(path), table)[0]


class Journal:
    """An open journal; nobody else can open it for writing.

    Attributes:
        path: the file.
        decisions: those that were in it when it was opened.
    """

    def __init__(self, path: Path, table: TableFingerprint) -> None:
        self.path = path
        name = str(path)
        with writing(name):
            is_new = not path.exists()
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            self._lock(name)
            with reading(name), open(self._handle, "rb", closefd=False) as file:
                content = file.read()
            self.decisions, self._length = _decisions(content, name, table)
            with writing(name):
                if self._length < len(content):
                    os.ftruncate(self._handle, self._length)
                if self._length == 0:
                    self._append(header_line(table))
                if is_new:
                    _sync_folder(path.parent)
        except BaseException:
            self.close()
            raise

    def append(self, decision: Decision) -> None:
        """Bring a decision to disk; if that fails, the file is as it was before."""
        try:
            self._append(decision_line(decision))
        except OSError as error:
            raise JournalError(
                f"cannot write {str(self.path)!r}: {reason_of(error)}; this decision was not "
                "taken, all earlier ones are on disk"
            ) from error

    def close(self) -> None:
        """Close the file and let others open it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _lock(self, name: str) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(
                f"cannot write {name!r}: another review has it open, expected one at a time"
            ) from None
        except OSError:  # a file system without locks
            return

    def _append(self, line: bytes) -> None:
        # What an earlier failure may have left behind the last whole line.
        if os.fstat(self._handle).st_size != self._length:
            os.ftruncate(self._handle, self._length)
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._handle, rest) :]
            os.fsync(self._handle)
        except BaseException:
            self._take_back()
            raise
        self._length += len(line)

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._handle, self._length)
        except OSError:  # the next one tries again
            return


def _decisions(content: bytes, name: str, table: TableFingerprint) -> tuple[list[Decision], int]:
    """Return the decisions of a journal, and how many bytes of it are whole lines."""
    *lines, rest = content.split(b"\n")
    if not lines:
        beginning = header_line(table)
        if rest.strip(b"\0") and not beginning.startswith(rest[:20]):
            raise DamagedJournalError(
                f"cannot read {name!r}: it is no journal of a review, expected what 'weakforce "
                "review' wrote, or no file"
            )
        return [], 0
    header = read_header(lines[0], name)
    decisions = [read_decision(line, name, at) for at, line in enumerate(lines[1:], start=2)]
    _check_table(header, decisions, name, table)
    return decisions, len(content) - len(rest)


def _check_table(
    header: dict[str, object], decisions: list[Decision], name: str, table: TableFingerprint
) -> None:
    """Refuse decisions that were made for another table, and say what is different."""
    columns = header["columns"]
    assert isinstance(columns, dict)
    known, n_rows = set(columns), len(table.rows)
    gone = [column for column in columns if column not in table.columns]
    new = [column for column in table.columns if column not in known]
    other = [column for column in columns if columns[column] != table.columns.get(column)]
    different = None
    if header["target"] != table.target:
        different = f"their target is {header['target']!r}, not {table.target!r}"
    elif header["rows"] != n_rows:
        different = f"their table has {header['rows']:,} rows, this one has {n_rows:,}"
    elif gone or new:
        parts = [f"it has no column {_listed(gone)}"] * bool(gone)
        parts += [f"it has a new column {_listed(new)}"] * bool(new)
        different = " and ".join(parts)
    elif other:
        different = f"other values are in column {_listed(other)}"
        first = next((d.row for d in decisions if not _same_row(d, table)), None)
        if first is not None:
            different += f", for example in row {first}, which was decided"
    elif any(not _same_row(decision, table) for decision in decisions):
        first = next(d.row for d in decisions if not _same_row(d, table))
        different = f"row {first} is another one"
    if different is not None:
        raise ChangedTableError(
            f"the decisions in {name!r} were made for another table: {different}; expected the "
            "table as it was (nothing was changed; say another --out to begin anew)"
        )


def _same_row(decision: Decision, table: TableFingerprint) -> bool:
    inside = 0 <= decision.row < len(table.rows)
    return inside and table.row(decision.row) == decision.fingerprint


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(map(repr, names[:_MOST])) + more


def _sync_folder(folder: Path) -> None:
    """Bring the name of a new file to disk, where a folder can be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:  # a file system that cannot
        return
    finally:
        os.close(handle)
