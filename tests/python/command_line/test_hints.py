"""What the command line says to those who got something nearly right, and while they wait.

Files with other separators, misspelt boosters, files that are no models; kept columns as they were
written; for which class a score speaks; a line of progress on a terminal.
"""

import io
import os
import pickle
import subprocess
import time

import numpy as np
import polars as pl
import pytest

import weakforce
from support.command_runs import COMMAND, people, run_here
from weakforce.command_line.progress import Progress

FIT = ("--target", "pays", "--booster", "real", "--n-estimators", "3", "--quiet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table and a model of it."""
    folder = tmp_path_factory.mktemp("hints")
    rows = people(80, 1).drop("city", "since")
    rows.write_csv(folder / "rows.csv")
    for name, separator in (("semicolons", ";"), ("tabs", "\t"), ("bars", "|")):
        rows.write_csv(folder / f"{name}.csv", separator=separator)
    assert run_here("fit", "rows.csv", *FIT, "--drop", "id", "--out", "model.json", cwd=folder) == 0
    return folder


@pytest.mark.parametrize(("name", "mark"), [("semicolons", ";"), ("tabs", "\t"), ("bars", "|")])
def test_another_separator_is_pointed_out(name, mark, folder, capsys):
    data = f"{name}.csv"
    for command in (
        ("fit", data, *FIT, "--out", "new.json"),
        ("predict", "model.json", data),
        ("evaluate", "model.json", data, "--target", "pays"),
        ("explain", "model.json", data),
        ("suspects", data, "--target", "pays"),
    ):
        assert run_here(*command, cwd=folder) == 1
        assert f"say --separator {mark!r}" in capsys.readouterr().err
    asked = ("predict", "model.json", data, "--separator", mark, "--out", "out.csv")
    assert run_here(*asked, cwd=folder) == 0


@pytest.mark.parametrize(
    ("option", "given", "meant"),
    [
        ("--booster", "sfbost", "sfboost"),
        ("--booster", "RealAdaBoostClassifier", "real"),
        ("--booster", "realadaboost", "real"),
        ("--booster", "logit", "logitboost"),
        ("--learner", "trees", "tree"),
    ],
)
def test_a_misspelt_booster_or_learner_is_recognised(option, given, meant, folder, capsys):
    asked = ("fit", "rows.csv", "--target", "pays", "--out", "new.json", "--booster", "discrete")
    assert run_here(*asked, option, given, cwd=folder) == 2
    assert f"(did you mean {meant!r}?)" in capsys.readouterr().err


def test_files_that_are_no_models_are_told_from_damaged_ones(folder, capsys):
    (folder / "model.pkl").write_bytes(pickle.dumps(weakforce.load(folder / "model.json")))
    (folder / "empty.json").touch()
    for name in ("rows.csv", "model.pkl", "empty.json"):
        assert run_here("predict", name, "rows.csv", cwd=folder) == 1
        found = capsys.readouterr().err
        assert f"cannot read model '{name}': it is no model file" in found
        assert found.count("\n") == 1
    (folder / "half.json").write_bytes((folder / "model.json").read_bytes()[:99])
    assert run_here("explain", "half.json", cwd=folder) == 1
    assert "cannot read model 'half.json': model file: " in capsys.readouterr().err


def test_kept_columns_of_csv_files_are_as_they_were_written(folder):
    names = ["id", "age", "income", "member"]
    given = pl.read_csv(folder / "rows.csv", infer_schema=False)
    given = given.with_columns(age="00" + pl.col("age"), income=pl.col("income") + "e0")
    given.write_csv(folder / "written.csv")
    asked = ("predict", "model.json", "--keep", ",".join(names), "--scores", "--out", "out.csv")
    assert run_here(*asked, "written.csv", "rows.csv", cwd=folder) == 0
    found = pl.read_csv(folder / "out.csv", infer_schema=False)
    assert found[:80].select(names).equals(given.select(names))
    assert found["score"][:80].equals(found["score"][80:])
    assert run_here("predict", "model.json", "written.csv", "--out", "bare.csv", cwd=folder) == 0
    assert pl.read_csv(folder / "bare.csv")["prediction"].equals(found["prediction"][:80])
    kept = weakforce.predict_file(folder / "model.json", folder / "written.csv", keep=names)
    assert kept.select(names).equals(given.select(names))


def test_it_is_said_for_which_of_two_classes_a_score_speaks(folder, capsys):
    words = "the score is for yes: above 0 speaks for yes, below 0 for no"
    for more in ((), ("rows.csv",), ("rows.csv", "--row", "3")):
        assert run_here("explain", "model.json", *more, cwd=folder) == 0
        assert words in capsys.readouterr().out
    X = np.arange(20.0)[:, None]
    boosters = (weakforce.RealAdaBoostClassifier, weakforce.SFBoostClassifier)
    for booster in (*boosters, weakforce.MartiBoostClassifier):
        fitted = booster().fit(X, np.where(X[:, 0] > 5, "yes", "no"))
        assert words in fitted.summary()
        several = booster().fit(X, X[:, 0] // 7)
        assert "each of the 3 classes has a score" in several.summary()


def test_the_help_names_boosters_and_learners_first(folder, capsys):
    assert run_here("fit", "--help", cwd=folder) == 0
    first = capsys.readouterr().out.splitlines()[:12]
    text = " ".join(" ".join(first).split())
    for name in ("--booster weakforce, discrete, arc-gv", "sfboost", "--learner stump, rule, tree"):
        assert name in text
    assert max(map(len, first)) <= 100


def test_progress_is_one_line_that_goes_away():
    stream = io.StringIO()
    with Progress(stream, patience=0.01) as progress:
        time.sleep(0.1)
        progress.observe(weakforce.RoundInfo(7, 0.1, 0.2, 0.3, 0.9, None))
    shown = stream.getvalue()
    assert "\n" not in shown
    assert shown.startswith("\rfitting: 0 s")
    assert shown.endswith("\r")
    assert shown.rstrip("\r").endswith(" ")


def test_fits_that_are_soon_over_show_no_progress():
    stream = io.StringIO()
    with Progress(stream):
        pass
    assert stream.getvalue() == ""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
def test_a_long_fit_shows_progress_on_a_terminal(tmp_path):
    import pty

    generator = np.random.default_rng(0)
    rows = pl.DataFrame(generator.normal(size=(60_000, 20)))
    rows.with_columns(y=generator.integers(0, 2, 60_000)).write_parquet(tmp_path / "rows.parquet")
    ours, theirs = pty.openpty()
    endless = ("--booster", "discrete", "--n-estimators", "1000000")
    asked = ("fit", "rows.parquet", "--target", "y", *endless, "--out", "m.json")
    with subprocess.Popen(
        [*COMMAND, *asked], cwd=tmp_path, stderr=theirs, stdout=subprocess.DEVNULL
    ) as process:
        os.close(theirs)
        shown = b""
        while b" s" not in shown:
            shown += os.read(ours, 1000)
        process.terminate()
        process.wait()
    os.close(ours)
    assert b"\rfitting: " in shown
