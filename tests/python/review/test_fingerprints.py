"""Fingerprints depend on names and values, and on nothing else."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from weakforce.review.fingerprints import TableFingerprint

TABLE = pl.DataFrame(
    {
        "number": [1.5, None, float("nan"), -0.0],
        "count": pl.Series([1, 2, None, 2**62], dtype=pl.Int64),
        "large": pl.Series([2**64 - 1, 0, None, 3], dtype=pl.UInt64),
        "flag": [True, False, None, True],
        "text": ["a", "", None, "ü"],
        "kind": pl.Series(["x", "y", None, "x"], dtype=pl.Enum(["x", "y"])),
        "day": [date(2020, 1, 1), None, date(1960, 5, 5), date(2020, 1, 2)],
        "long": [timedelta(1), None, timedelta(0), timedelta(2)],
        "list": [[1], [], None, [1, 2]],
        "y": ["a", "b", "a", "b"],
    }
)


def prints(table):
    found = TableFingerprint.of(table, "y")
    return found.columns, [found.row(at) for at in range(table.height)]


def test_they_are_those_of_every_version():
    columns, rows = prints(TABLE)
    assert columns["text"] == PINNED["text"]
    assert columns["number"] == PINNED["number"]
    assert rows == PINNED["rows"]


def test_the_order_of_columns_does_not_matter_but_that_of_rows_does():
    columns, rows = prints(TABLE)
    turned = prints(TABLE.select(TABLE.columns[::-1]))
    assert turned == (columns, rows)
    backwards = prints(TABLE.reverse())
    assert backwards[1] == rows[::-1]
    assert all(backwards[0][name] != columns[name] for name in columns)


@pytest.mark.parametrize("name", TABLE.columns)
def test_a_changed_value_changes_its_row_and_its_column(name):
    columns, rows = prints(TABLE)
    # The values of rows 0 and 1 are different in all columns; row 0 gets that of row 1.
    changed = TABLE.with_columns(TABLE[name].gather([1, 1, 2, 3]).alias(name))
    new_columns, new_rows = prints(changed)
    assert [at for at in range(4) if rows[at] != new_rows[at]] == [0]
    assert [each for each in columns if columns[each] != new_columns[each]] == [name]


def test_a_value_in_another_column_is_another_row():
    one = pl.DataFrame({"a": [1, 2], "b": [2, 1], "y": ["u", "u"]})
    _, rows = prints(one)
    assert rows[0] != rows[1]


def test_missing_values_are_no_other_values():
    table = pl.DataFrame({"a": ["", None], "b": [0, None], "y": ["u", "u"]})
    for name in ("a", "b"):
        _, rows = prints(table.select(name, "y"))
        assert rows[0] != rows[1]


def test_rows_of_a_large_table_are_told_apart():
    generator = np.random.default_rng(1)
    table = pl.DataFrame({"a": np.arange(50_000), "b": generator.integers(0, 3, 50_000), "y": "u"})
    assert len(set(TableFingerprint.of(table, "y").rows.tolist())) == 50_000


PINNED = {
    "text": "9b1ee2f8ab9d3905",
    "number": "9ec04b8a89695661",
    "rows": ["3206e09c4c6b563e", "71c527942429b286", "defe606aa3bc57c3", "404de1767677401a"],
}
