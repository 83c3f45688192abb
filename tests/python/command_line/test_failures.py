"""What goes wrong ends with one line, the right exit code, and no file half written."""

import os
import signal
import subprocess
import time

import polars as pl
import pytest

import weakforce
from support.command_runs import COMMAND, people, run, run_here


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("failures")
    rows = people(300, 1)
    rows.write_parquet(folder / "data.parquet")
    rows.drop("income").write_csv(folder / "poor.csv")
    model = weakforce.DiscreteAdaBoostClassifier(n_estimators=5).fit(rows.drop("id"), "pays")
    model.save(folder / "model.json")
    (folder / "damaged.json").write_bytes((folder / "model.json").read_bytes()[:-40])
    (folder / "damaged.parquet").write_bytes((folder / "data.parquet").read_bytes()[:-40])
    content = bytearray((folder / "data.parquet").read_bytes())
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    content[4:footer] = b"\xff" * (footer - 4)
    (folder / "nonsense.parquet").write_bytes(content)
    (folder / "empty.csv").write_bytes(b"")
    return folder


FIT = ("--target", "pays", "--out", "new.json")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("fit", "absent.parquet", *FIT),
            1,
            "cannot read 'absent.parquet': No such file or directory",
        ),
        (("fit", "data.parquet", *FIT, "--frobnicate"), 2, "unrecognized arguments: --frobnicate"),
    ],
)
def test_mistakes_end_with_one_line_and_an_exit_code(folder, arguments, code, message):
    done = run(*arguments, cwd=folder)
    assert done.returncode == code
    assert done.stdout == b""
    first = done.stderr.decode().splitlines()[0]
    assert first.startswith(f"weakforce: {message}")
    assert not (folder / "new.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("fit", "data.parquet", "--target", "pay", "--out", "new.json"),
            1,
            "--target: no column 'pay' in the data (did you mean 'pays'?); the columns are id, age,"
            " city, income, since, member, pays",
        ),
        (
            ("predict", "model.json", "nonsense.parquet"),
            1,
            "cannot read 'nonsense.parquet': column '",
        ),
        (("explain", "damaged.json"), 1, "cannot read model 'damaged.json': model file: "),
        (("fit", "data.parquet", *FIT, "--nu", "0.2"), 2, "option --nu: the booster 'weakforce'"),
        (("fit", "part-*.parquet", *FIT), 1, "no file matches 'part-*.parquet'"),
        (("fit", "damaged.parquet", *FIT), 1, "cannot read 'damaged.parquet': parquet"),
        (("fit", "empty.csv", *FIT), 1, "cannot read 'empty.csv': empty"),
        (("fit", ".", *FIT, "--format", "csv"), 1, "cannot read '.': Is a directory"),
        (("fit", "model.json", *FIT), 2, "cannot tell the format of 'model.json': use .parquet"),
        (("fit", "-", *FIT), 2, "standard input has no suffix: say --format"),
        (("fit", "data.parquet", *FIT, "--n-estimators", "-1"), 2, "parameter 'n_estimators': got"),
        (("fit", "data.parquet", *FIT, "--n-estimators", "x"), 2, "argument --n-estimators: inval"),
        (("fit", "data.parquet", *FIT, "--drop", "idd"), 1, "--drop: no column 'idd' in the data"),
        (
            ("fit", "data.parquet", "--target", "pays", "--out", "absent/model.json"),
            1,
            "cannot write 'absent/model.json': No such file or directory",
        ),
        (
            ("fit", "data.parquet", "poor.csv", *FIT),
            1,
            "'poor.csv' and 'data.parquet' have different columns: 'poor.csv' has no 'income'",
        ),
        (
            ("predict", "model.json", "poor.csv"),
            1,
            "'poor.csv' has no column 'income', which the model needs",
        ),
        (("predict", "model.json", "data.parquet", "--out", "x.txt"), 2, "cannot tell the format"),
        (("explain", "model.json", "--row", "1"), 2, "options --row and --out need data"),
        (
            ("explain", "model.json", "data.parquet", "--row", "300"),
            1,
            "option --row: got 300, expected a row below 300",
        ),
        (("suspects", "data.parquet", "--target", "pays", "--n-estimators", "5"), 2, "option --n"),
        (("export", "model.json", "--table", "people"), 2, "the following arguments are required"),
        ((), 2, "the following arguments are required: SUBCOMMAND"),
    ],
)
def test_messages_name_what_is_wrong(folder, capsys, arguments, code, message):
    assert run_here(*arguments, cwd=folder) == code
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[0].startswith(f"weakforce: {message}")


@pytest.mark.slow
def test_a_broken_pipe_ends_the_command_quietly(folder):
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen(
        [*COMMAND, "explain", "model.json"], cwd=folder, stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    _, told = process.communicate(timeout=60)
    assert told == b""
    assert process.returncode == -signal.SIGPIPE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "suffix", "code"), [(signal.SIGINT, "parquet", 130), (signal.SIGTERM, "csv", 143)]
)
def test_an_interrupted_write_leaves_the_old_file_and_no_other(
    folder, tmp_path, number, suffix, code
):
    old = tmp_path / f"out.{suffix}"
    old.write_text("old")
    big = tmp_path / "big.parquet"
    pl.concat([people(300, 1)] * 1000).write_parquet(big)
    process = subprocess.Popen(
        [*COMMAND, "predict", str(folder / "model.json"), *[str(big)] * 500, "--out", str(old)],
        stderr=subprocess.PIPE,
    )
    while process.poll() is None and len(list(tmp_path.iterdir())) < 3:
        time.sleep(0.01)
    time.sleep(0.3)  # into the middle of it
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (code, b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.parquet", old.name]
    assert old.read_text() == "old"


def test_what_fails_in_the_middle_leaves_no_file(folder, tmp_path, capsys):
    rows = people(300, 1)
    rows.write_parquet(tmp_path / "good.parquet")
    rows.with_columns(age=pl.lit("old")).write_parquet(tmp_path / "bad.parquet")
    asked = ("good.parquet", "bad.parquet", "--out", "out.parquet")
    assert run_here("predict", folder / "model.json", *asked, cwd=tmp_path) == 1
    assert "column 'age'" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.parquet", "good.parquet"]


def test_a_written_file_replaces_an_old_one_and_keeps_its_rights(folder, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("old")
    out.chmod(0o640)
    asked = ("predict", "model.json", "data.parquet", "--out", out)
    assert run_here(*asked, cwd=folder) == 0
    assert out.read_text().startswith("prediction\n")
    assert out.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [out]
