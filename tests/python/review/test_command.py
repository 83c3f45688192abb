"""`weakforce review` from the command line: what it refuses, what it applies, what it leaves."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from importlib.resources import files

import polars as pl
import pytest

from support.command_runs import COMMAND, run_here
from support.reviews import Client, noisy_people, opened
from weakforce.review.server import ReviewServer


@pytest.fixture
def data(tmp_path):
    noisy_people().write_parquet(tmp_path / "data.parquet")
    return tmp_path


def review(folder, *more, out="decisions.parquet", data="data.parquet", target="pays"):
    return run_here("review", data, "--target", target, "--out", out, *more, cwd=folder)


def decided(folder, monkeypatch, table=None, out="decisions.parquet"):
    """Make three decisions: the first row is changed, the second kept, the third skipped."""
    table = noisy_people() if table is None else table
    session, journal = opened(table, folder / out, monkeypatch=monkeypatch)
    rows = session.ranking.order[:3].tolist()
    for row, kind in zip(rows, ("change", "keep", "skip"), strict=True):
        session.decide(row, kind, 1 - int(session.ranking.given[row]), 0)
    journal.close()
    return rows


WRONG = [
    (["--out", "-"], "option --out: got '-'"),
    (["--out", "data.parquet"], "option --out: 'data.parquet' is the data itself"),
    (["--out", "decisions.txt"], "cannot tell the format of 'decisions.txt'"),
    (["--apply", "data.parquet"], "option --apply: 'data.parquet' is read by this command"),
    (["--apply", "decisions.parquet"], "option --apply: 'decisions.parquet'"),
    (["--port", "99999"], "option --port: got 99999"),
    (["--drop", "pays"], "option --drop: 'pays' is the target"),
    (["--target", "pay"], "--target: no column 'pay' in the data (did you mean 'pays'?)"),
    (["--model", "none.json"], "cannot read model 'none.json'"),
]


@pytest.mark.parametrize(("more", "said"), WRONG)
def test_wrong_usage_is_refused_by_name(more, said, data, capsys):
    assert review(data, *more) in (1, 2)
    assert said in capsys.readouterr().err
    assert os.listdir(data) == ["data.parquet"]


def test_apply_without_decisions_is_refused(data, capsys):
    assert review(data, "--apply", "clean.parquet") == 1
    assert "cannot read 'decisions.parquet.journal': No such file" in capsys.readouterr().err


def test_apply_writes_the_cleaned_table_and_the_decisions(data, monkeypatch, capsys):
    first, second, third = decided(data, monkeypatch)
    assert review(data, "--apply", "clean.parquet") == 0
    assert "1 label changed, 3 rows looked at, 60 in all" in capsys.readouterr().err
    table, clean = noisy_people(), pl.read_parquet(data / "clean.parquet")
    assert clean.drop("pays", "pays_review").equals(table.drop("pays"))
    assert [at for at in range(60) if clean["pays"][at] != table["pays"][at]] == [first]
    audit = {first: f"changed from {table['pays'][first]}", second: "kept", third: "skipped"}
    assert clean["pays_review"].to_list() == [audit.get(at) for at in range(60)]
    decisions = pl.read_parquet(data / "decisions.parquet")
    assert dict(zip(decisions["row"], decisions["decision"], strict=True)) == {
        first: "change",
        second: "keep",
        third: "skip",
    }


def test_csv_files_keep_what_they_are_written_like(tmp_path, monkeypatch):
    """Codes with leading zeros, whole numbers, and labels that look like numbers stay so."""
    table = pl.DataFrame(
        {"zip": ["01067", "10115", "09111", "00001"] * 10, "n": ["1", "2.50", "", "1e3"] * 10}
    ).with_columns(label=pl.Series(["01", "02"] * 20))
    table.write_csv(tmp_path / "data.csv")
    as_read = pl.read_csv(tmp_path / "data.csv", infer_schema=False)
    session, journal = opened(as_read, tmp_path / "d.csv", "label", monkeypatch)
    row = int(session.ranking.order[0])
    session.decide(row, "change", 1 - int(session.ranking.given[row]), 0)
    journal.close()
    more = ("--apply", "clean.csv")
    assert review(tmp_path, *more, data="data.csv", out="d.csv", target="label") == 0
    clean = pl.read_csv(tmp_path / "clean.csv", infer_schema=False)
    assert clean.drop("label", "label_review").equals(as_read.drop("label"))
    assert clean["label"][row] == {"01": "02", "02": "01"}[as_read["label"][row]]
    assert (clean["label"] != as_read["label"]).sum() == 1


def test_a_table_that_changed_is_refused_and_decisions_stay(data, monkeypatch, capsys):
    decided(data, monkeypatch)
    before = (data / "decisions.parquet.journal").read_bytes()
    noisy_people().with_columns(city=pl.lit("x")).write_parquet(data / "data.parquet")
    for more in ([], ["--apply", "clean.parquet"]):
        assert review(data, "--no-browser", *more) == 1
        assert "other values are in column 'city'" in capsys.readouterr().err
    assert (data / "decisions.parquet.journal").read_bytes() == before
    assert not (data / "clean.parquet").exists()


def test_a_table_of_texts_only_has_nothing_to_learn_from(tmp_path, capsys):
    pl.DataFrame({"path": ["a.png", "b.png"], "pays": ["x", "y"]}).write_parquet(
        tmp_path / "data.parquet"
    )
    assert review(tmp_path, "--no-browser") == 1
    assert "there is no column to learn from" in capsys.readouterr().err


def test_without_starlette_it_says_what_to_install(data):
    code = "import sys; sys.modules['starlette'] = None; from weakforce.__main__ import main; "
    code += "sys.exit(main(['review', 'data.parquet', '--target', 'pays', '--out', 'd.parquet']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=data, capture_output=True, text=True)
    assert done.returncode == 1
    assert "pip install 'weakforce[review]'" in done.stderr


def test_the_library_does_not_load_the_server():
    code = "import sys, weakforce, weakforce.review, weakforce.command_line.program; "
    code += "print([name for name in ('starlette', 'uvicorn', 'polars') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_files_of_the_page_are_in_the_package():
    names = {file.name for file in (files("weakforce.review") / "static").iterdir()}
    assert names == {"page.html", "review.css", "review.js", "row.css"}


def started(folder):
    """A running review and its address."""
    options = ["--target", "pays", "--out", "d.parquet", "--no-browser"]
    running = subprocess.Popen(
        [*COMMAND, "review", "data.parquet", *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs tests in the background would have it ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    line = running.stdout.readline()
    address = re.fullmatch(r"review at (http://127\.0\.0\.1:\d+/[\w-]{32}/)\n", line)
    assert address is not None, (line, running.communicate())
    return running, address[1]


def asked(address, path, body="{}"):
    with urllib.request.urlopen(address + path, body.encode(), timeout=30) as answer:
        return answer.read().decode()


@pytest.mark.slow
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143), (None, 0)])
def test_a_review_ends_with_its_decisions_written(how, code, data):
    running, address = started(data)
    row = int(re.search(r'"row":\{"row":(\d+)', asked(address, "api/next"))[1])
    asked(address, "api/decide", f'{{"row": {row}, "seen": 0, "decision": "keep"}}')
    if how is None:
        asked(address, "api/finish")
    else:
        running.send_signal(how)
    assert running.wait(20) == code
    assert pl.read_parquet(data / "d.parquet")["row"].to_list() == [row]
    # What was ranked once is not ranked again.
    running, again = started(data)
    assert again.split("/")[3] != address.split("/")[3]
    assert f'"row":{{"row":{row},' not in asked(again, "api/next")
    running.kill()
    assert (
        "the ranking is that of 'd.parquet.ranking'\ngoing on after 1 decision"
        in (running.communicate()[1])
    )


def test_the_address_of_another_machine_is_not_listened_at(data, monkeypatch):
    session, journal = opened(noisy_people(), data / "d.parquet", monkeypatch=monkeypatch)
    app = ReviewServer(session, "t", data, "title", lambda: None).app
    assert Client(app, "/t/").get("api/start", host="192.168.0.1:80")[0] == 403
    journal.close()
