"""The journal loses no decision that was confirmed, and refuses what it cannot use by name."""

import errno
import os
import signal
import subprocess
import sys
import textwrap

import polars as pl
import pytest

from support.reviews import noisy_people
from weakforce.review import journal as journals
from weakforce.review.fingerprints import TableFingerprint
from weakforce.review.journal import Journal, read_journal
from weakforce.review.journal_lines import (
    ChangedTableError,
    DamagedJournalError,
    Decision,
    JournalError,
)

TABLE = noisy_people()
FINGERPRINT = TableFingerprint.of(TABLE, "pays")
LABEL = 'a "quoted"\n label – ü'


def decision(row, kind="keep", label="yes"):
    return Decision(row, FINGERPRINT.row(row), kind, "yes", label, "2026-01-01T00:00:00+00:00")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "decisions.parquet.journal"


@pytest.fixture
def filled(path):
    """A journal of four decisions, closed."""
    journal = Journal(path, FINGERPRINT)
    for row, kind in enumerate(["keep", "change", "skip", "undo"]):
        journal.append(decision(row, kind, {"keep": "yes", "change": LABEL}.get(kind)))
    journal.close()
    return path


def test_decisions_come_back_as_they_were(path):
    made = [decision(3, "change", 'tab\t, "quotes", ü\n'), decision(5), decision(3, "undo", None)]
    journal = Journal(path, FINGERPRINT)
    assert journal.decisions == []
    for each in made:
        journal.append(each)
        assert read_journal(path, FINGERPRINT)[-1] == each
    journal.close()
    again = Journal(path, FINGERPRINT)
    assert again.decisions == made
    again.append(decision(7))
    again.close()
    assert read_journal(path, FINGERPRINT) == [*made, decision(7)]


def test_a_decision_is_on_disk_before_append_returns(path, monkeypatch):
    journal = Journal(path, FINGERPRINT)
    steps = []
    write, sync = os.write, os.fsync
    monkeypatch.setattr(os, "write", lambda *a: steps.append("write") or write(*a))
    monkeypatch.setattr(os, "fsync", lambda *a: steps.append("fsync") or sync(*a))
    journal.append(decision(1))
    assert steps == ["write", "fsync"]


@pytest.mark.parametrize("cut", [1, 5, 60])
def test_a_line_that_a_killed_program_left_unfinished_is_cut_off(cut, filled):
    whole = filled.read_bytes()
    decisions = read_journal(filled, FINGERPRINT)
    line = whole.splitlines(keepends=True)[-1]
    for rest in (line[:-cut], b"\0" * cut):
        filled.write_bytes(whole + rest)
        assert read_journal(filled, FINGERPRINT) == decisions
        journal = Journal(filled, FINGERPRINT)
        assert journal.decisions == decisions
        journal.append(decision(9))
        journal.close()
        assert read_journal(filled, FINGERPRINT) == [*decisions, decision(9)]
        assert filled.read_bytes().startswith(whole)


@pytest.mark.parametrize("cut", [0, 1, 30])
def test_a_header_that_was_never_finished_is_written_anew(cut, filled):
    header = filled.read_bytes().splitlines(keepends=True)[0]
    filled.write_bytes(header[:cut])
    journal = Journal(filled, FINGERPRINT)
    assert journal.decisions == []
    assert filled.read_bytes() == header


@pytest.mark.parametrize("line", range(5))
def test_every_damaged_byte_is_noticed_and_nothing_is_changed(line, filled):
    whole = filled.read_bytes()
    lines = whole.splitlines(keepends=True)
    start = sum(map(len, lines[:line]))
    for at in range(start, start + len(lines[line]) - 1, 3):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        filled.write_bytes(damaged)
        with pytest.raises(JournalError, match=r"line|journal"):
            Journal(filled, FINGERPRINT)
        assert filled.read_bytes() == damaged


def test_messages_name_the_line_and_the_rest_can_be_saved(filled):
    lines = filled.read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:2], lines[2].replace(b"change", b"chance"), *lines[3:]])
    filled.write_bytes(damaged)
    with pytest.raises(DamagedJournalError, match="line 3 is damaged: its checksum is that of"):
        Journal(filled, FINGERPRINT)
    filled.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    assert [each.row for each in read_journal(filled, FINGERPRINT)] == [0, 2, 3]


@pytest.mark.parametrize("content", [b"PAR1 something else", b"a,b\n1,2\n", b"{}\t00000000\n"])
def test_other_files_are_refused_and_left_alone(content, path):
    path.write_bytes(content)
    with pytest.raises(DamagedJournalError, match="cannot read"):
        Journal(path, FINGERPRINT)
    assert path.read_bytes() == content


CHANGED = [
    (TABLE.with_columns(age=pl.lit(1.0)), "other values are in column 'age', for example in row 0"),
    (TABLE.drop("city"), "it has no column 'city'"),
    (TABLE.with_columns(new=1), "it has a new column 'new'"),
    (TABLE.rename({"city": "town"}), "no column 'city' and it has a new column 'town'"),
    (TABLE.head(59), "their table has 60 rows, this one has 59"),
    (TABLE.reverse(), "other values are in column"),
]


@pytest.mark.parametrize(("table", "said"), CHANGED)
def test_a_table_that_changed_is_refused_by_name(table, said, filled):
    before = filled.read_bytes()
    for use in (Journal, read_journal):
        with pytest.raises(ChangedTableError, match=said):
            use(filled, TableFingerprint.of(table, "pays"))
    assert filled.read_bytes() == before


def test_another_target_is_refused(filled):
    with pytest.raises(ChangedTableError, match="their target is 'pays', not 'city'"):
        Journal(filled, TableFingerprint.of(TABLE, "city"))


def test_only_one_review_at_a_time(path):
    journal = Journal(path, FINGERPRINT)
    with pytest.raises(JournalError, match="another review has it open"):
        Journal(path, FINGERPRINT)
    journal.append(decision(1))
    journal.close()
    assert Journal(path, FINGERPRINT).decisions == [decision(1)]


@pytest.mark.parametrize("part", [0, 20])
@pytest.mark.parametrize("fails", ["write", "fsync"])
def test_what_does_not_fit_on_the_disk_is_taken_back(part, fails, path, monkeypatch):
    journal = Journal(path, FINGERPRINT)
    journal.append(decision(1))
    before = path.read_bytes()
    write = os.write

    def full(handle, data):
        if part:
            write(handle, bytes(data[:part]))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def broken(handle):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patched:
        patched.setattr(os, fails, full if fails == "write" else broken)
        with pytest.raises(JournalError, match="this decision was not taken, all earlier ones"):
            journal.append(decision(2))
        # Not even taking back may work.
        patched.setattr(os, "ftruncate", lambda *a: broken(a))
        with pytest.raises(JournalError, match="journal': "):
            journal.append(decision(2))
    journal.append(decision(3))
    assert path.read_bytes().startswith(before)
    assert read_journal(path, FINGERPRINT) == [decision(1), decision(3)]


PROGRAM = """
    import resource, signal, sys
    from support.reviews import noisy_people
    from weakforce.review.fingerprints import TableFingerprint
    from weakforce.review.journal import Journal
    from weakforce.review.journal_lines import Decision, JournalError
    table = TableFingerprint.of(noisy_people(), "pays")
    journal = Journal(__import__("pathlib").Path(sys.argv[1]), table)
    {limit}
    for row in range(10 ** 9):
        decision = Decision(row % 60, table.row(row % 60), "keep", "yes", "yes", str(row))
        try:
            journal.append(decision)
        except JournalError as error:
            print(error)
            break
        print(row, flush=True)
"""


def program(path, limit=""):
    code = textwrap.dedent(PROGRAM).replace("{limit}", limit)
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, *sys.path])}
    return subprocess.Popen(
        [sys.executable, "-c", code, path], stdout=subprocess.PIPE, text=True, env=environment
    )


@pytest.mark.slow
def test_a_disk_that_is_really_full_loses_nothing(path):
    limit = "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))"
    *done, said = program(path, limit).communicate()[0].splitlines()
    assert "File too large" in said
    kept = read_journal(path, FINGERPRINT)
    assert [each.at for each in kept] == done
    assert len(done) > 3


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_ten_thousand_decisions_and_a_kill_lose_none(path):
    running = program(path)
    done = []
    for line in running.stdout:
        done.append(line.strip())
        if len(done) == 10_000:
            running.kill()
    running.wait()
    kept = [each.at for each in read_journal(path, FINGERPRINT)]
    assert len(done) >= 10_000
    assert kept[: len(done)] == done
    # At most one was on disk without having been confirmed.
    assert len(kept) <= len(done) + 1


def test_the_folder_of_a_new_journal_is_brought_to_disk(path, monkeypatch):
    synced = []
    monkeypatch.setattr(journals, "_sync_folder", synced.append)
    Journal(path, FINGERPRINT).close()
    Journal(path, FINGERPRINT).close()
    assert synced == [path.parent]
