"""A Parquet file whose footer disagrees with itself on the number of its rows is refused by name.

Whoever believed such a footer would lose rows without a word.
"""

import re

import numpy as np
import polars as pl
import pytest

import weakforce
from support.command_runs import run_here
from weakforce import RealAdaBoostClassifier

ROWS, GROUP = 1000, 400
FRAME = pl.DataFrame({"a": np.arange(float(ROWS)), "b": np.arange(ROWS) % 7})
LABELS = np.arange(ROWS) % 2


def coded(number: int) -> bytes:
    """A number as the footer holds it: the field of 64 bits after another one, zigzag, varint."""
    number, code = 2 * number, b"\x16"
    while number > 127:
        code, number = code + bytes([number & 127 | 128]), number >> 7
    return code + bytes([number])


def with_footer(file: bytes, change) -> bytes:
    """The file with another footer."""
    length = int.from_bytes(file[-8:-4], "little")
    footer = change(file[-8 - length : -8])
    return file[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def changed_at(place: int, old: int, new: int):
    """Change a number where it stands for the so-manieth time in the footer."""

    def change(footer: bytes) -> bytes:
        found = [match.start() for match in re.finditer(re.escape(coded(old)), footer)]
        at = found[place]
        return footer[:at] + coded(new) + footer[at + len(coded(old)) :]

    return change


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("footers")
    rows = FRAME.with_columns(y=pl.Series(LABELS))
    rows.write_parquet(
        folder / "rows.parquet", row_group_size=GROUP, statistics=False, compression="uncompressed"
    )
    RealAdaBoostClassifier(n_estimators=2).fit(FRAME, LABELS).save(folder / "model.json")
    return folder


#: Three columns, each with the numbers of its values, stand before the rows of their group.
DAMAGE = {
    "fewer rows than row groups hold": (0, ROWS, 600, "states 600 rows.*hold 1000"),
    "more rows": (0, ROWS, 2000, "states 2000 rows.*hold 1000"),
    "a row group without its last rows": (3, GROUP, 300, "states 1000 rows.*hold 900"),
    "a column without its last values": (1, GROUP, 300, "row group 0 has 400 rows.*'b' 300"),
}


@pytest.mark.parametrize("kept", [(), ("--keep", "a")])
@pytest.mark.parametrize("name", DAMAGE)
def test_no_row_is_lost_without_a_word(name, kept, folder, capfd):
    place, old, new, reason = DAMAGE[name]
    file = with_footer((folder / "rows.parquet").read_bytes(), changed_at(place, old, new))
    (folder / "bad.parquet").write_bytes(file)
    for command in (
        ("predict", "model.json", "bad.parquet", "--out", "out.csv", *kept),
        ("evaluate", "model.json", "bad.parquet", "--target", "y"),
        ("fit", "bad.parquet", "--target", "y", "--out", "other.json"),
    ):
        assert run_here(*command, cwd=folder) == 1
        message = capfd.readouterr().err
        assert re.search(f"'bad.parquet': its footer is damaged: .*{reason}", message), message
        assert message.count("\n") == 1
    assert not (folder / "out.csv").exists()
    with pytest.raises(OSError, match=reason):
        weakforce.predict_file(folder / "model.json", folder / "bad.parquet", keep=kept[1:])


def test_a_group_and_the_file_may_be_damaged_alike(folder):
    def change(footer: bytes) -> bytes:
        return changed_at(3, GROUP, 300)(changed_at(0, ROWS, 900)(footer))

    file = with_footer((folder / "rows.parquet").read_bytes(), change)
    (folder / "bad.parquet").write_bytes(file)
    with pytest.raises(OSError, match=r"row group 0 has 300 rows.* 400 values"):
        weakforce.predict_file(folder / "model.json", folder / "bad.parquet")


def test_nested_columns_have_as_many_values_as_they_like(folder):
    rows = FRAME.with_columns(c=pl.Series([[1] * (row % 3) for row in range(ROWS)]))
    rows.write_parquet(folder / "nested.parquet")
    found = weakforce.predict_file(folder / "model.json", folder / "nested.parquet")
    assert found.height == ROWS
