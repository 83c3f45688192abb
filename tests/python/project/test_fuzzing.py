"""The fuzzer draws cases by seed, tells findings from refusals and makes them small.

The soak test sees growth.
"""

import json
import sys
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests"))

from fuzz import corpus, drawing  # noqa: E402
from fuzz.minimising import minimised  # noqa: E402
from fuzz.program import case_of, main  # noqa: E402
from fuzz.refusals import BrokenPromiseError, fault_of  # noqa: E402
from fuzz.supervisor import Limits, Supervisor  # noqa: E402
from soak.measures import Measures, growth  # noqa: E402


def test_the_same_seed_draws_the_same_cases_and_they_are_json():
    for number in range(20):
        case = case_of(5, number, "fit")
        assert case == case_of(5, number, "fit")
        assert json.loads(json.dumps(case)) == case
    assert case_of(5, 0, "fit") != case_of(6, 0, "fit")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("parameter 'tol': got -1, expected a number >= 0"), None),
        (ValueError("sample_weight: could not convert string to float: 'x'"), None),
        (TypeError("column 'a' has type Binary, expected numbers"), None),
        (MemoryError("not enough memory: this fit would take about 8 GiB"), None),
        (ValueError("could not convert string to float: 'x'"), "ValueError in foreign words"),
        (RuntimeError("internal error, please report it: x"), "RuntimeError in foreign words"),
        (ValueError("no"), "ValueError that names nothing"),
        (OverflowError("int too large"), "OverflowError"),
        (KeyError("column"), "KeyError"),
        (UnicodeEncodeError("utf-8", "x", 0, 1, "y"), "UnicodeEncodeError"),
        (BrokenPromiseError("scores are finite: nan"), "broken promise"),
    ],
)
def test_errors_are_refusals_only_in_the_words_of_the_library(error, kind):
    try:
        raise error
    except Exception as raised:
        found = fault_of(raised)
    assert (None if found is None else found.kind) == kind


def test_findings_are_made_small():
    case = {
        "target": "fit",
        "booster": "RealAdaBoostClassifier",
        "learner": {"learner": ["Tree", {"max_depth": 1, "criterion": "z"}]},
        "parameters": {"tol": 0.0, "n_estimators": 30, "phi": 0.3},
        "columns": [{"name": name, "type": "Int64", "values": list(range(40))} for name in "abcd"],
        "container": "pandas",
        "labels": {"values": list(range(40)), "as": "arrow"},
        "weights": {"values": [1.0] * 40, "as": "numpy"},
        "validation": None,
        "other": None,
        "then": ["staged", "report"],
    }

    def fails(smaller):
        names = [column["name"] for column in smaller["columns"]]
        rows = smaller["columns"][0]["values"]
        return "c" in names and {7, 31} <= set(rows) and smaller["parameters"].get("phi") == 0.3

    small = minimised(case, fails, seconds=60)
    assert [column["name"] for column in small["columns"]] == ["c"]
    assert small["columns"][0]["values"] == small["labels"]["values"] == [7, 31]
    assert small["parameters"] == {"phi": 0.3}
    assert (small["learner"], small["weights"], small["then"]) == (None, None, [])
    assert small["container"] == "polars"
    edits = {"edits": [[at, 1, "00"] for at in range(16)]}
    needed = minimised(edits, lambda smaller: [9, 1, "00"] in smaller["edits"], seconds=60)
    assert needed == {"edits": [[9, 1, "00"]]}


def test_all_entries_of_the_corpus_say_where_they_are_from():
    entries = list(corpus.entries(corpus.FOLDER))
    assert entries
    for entry in entries:
        stored = json.loads(entry.path.read_text())
        assert stored["origin"].startswith("seed ")
        assert entry.case["target"] in entry.path.name
        assert entry.open is None or entry.open


@pytest.mark.slow
def test_crashes_hangs_and_memory_are_findings():
    sound = next(
        case
        for case in (case_of(1, at, "fit") for at in range(99))
        if case["container"] == "polars"
    )
    with Supervisor(Limits()) as supervisor:
        assert supervisor.run({**sound, "booster": "NoClassifier"}).finding.kind == "AttributeError"
        supervisor._limits = Limits(cpu_seconds=0.0)
        assert supervisor.run(sound).finding.kind == "hang"
        supervisor._limits = Limits(memory=1)
        assert supervisor.run(sound).finding.kind == "memory"
        supervisor._limits = Limits()
        assert supervisor.run(sound).finding is None


@pytest.mark.slow
def test_findings_are_kept_and_replayed(tmp_path, monkeypatch, capsys):
    bad = {**drawing.draw_case(Random(4)), "booster": "NoClassifier"}
    monkeypatch.setattr("fuzz.program.case_of", lambda *_: bad)
    asked = ["--seconds", "2", "--seed", "1", "--corpus", str(tmp_path)]
    assert main(asked) == 1
    (entry,) = corpus.entries(tmp_path)
    assert entry.signature.startswith("AttributeError")
    assert "FOUND seed 1, case 0" in capsys.readouterr().out
    assert main(["--seconds", "0", "--corpus", str(tmp_path)]) == 1
    assert "fails again" in capsys.readouterr().out
    stored = json.loads(entry.path.read_text())
    entry.path.write_text(json.dumps({**stored, "open": "no such class"}))
    assert main(["--seconds", "0", "--corpus", str(tmp_path)]) == 0
    assert "is still open: no such class" in capsys.readouterr().out


def test_growth_is_seen_by_medians_of_the_first_and_the_last_quarter():
    flat = [Measures(at, at, 100 + at % 2, 9, 5, 0) for at in range(40)]
    assert abs(growth(flat, "memory")) <= 0.02
    grown = [Measures(at, at, 1000 + 10 * at, 9 + at // 20, 5, 0) for at in range(40)]
    assert growth(grown, "memory") > 0.2
    assert growth(grown, "handles") > 0.1
    assert growth(grown, "threads") == 0.0
