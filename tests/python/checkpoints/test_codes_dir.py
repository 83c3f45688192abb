"""Codes in a file make the model of codes in memory, and nothing is left of the file."""

import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import weakforce
from support.command_runs import people, run_here
from weakforce import (
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    RBFNet,
    Rule,
    Stump,
    Tree,
    WeakForceClassifier,
)


def files(folder, n_rows=900):
    """Write a frame in two files; return a pattern of them, and the frame."""
    generator = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "a": generator.normal(size=n_rows),
            "b": generator.integers(0, 5, n_rows),
            "c": generator.choice(["p", "q", "r"], n_rows),
        }
    )
    frame = frame.with_columns(label=(pl.col("a") + (pl.col("c") == "q")) > 0.5)
    folder.mkdir()
    for part in range(2):
        frame[part::2].write_parquet(folder / f"part-{part}.parquet")
    pattern = str(folder / "part-*.parquet")
    return pattern, pl.read_parquet(pattern)


@pytest.mark.parametrize("max_bins", [9, 255, 600])
@pytest.mark.parametrize(
    "learner", [Stump(), Rule(max_literals=2), Tree(max_leaf_nodes=9)], ids=str
)
def test_files_and_frames_make_the_same_model(learner, max_bins, tmp_path):
    pattern, frame = files(tmp_path / "data")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    model = DiscreteAdaBoostClassifier(learner, n_estimators=8, max_bins=max_bins, random_state=0)
    model.fit(frame, "label").save(tmp_path / "whole.json")
    seen = []
    for X in (pattern, frame):
        model.set_params(callbacks=lambda info: seen.extend(os.listdir(scratch)))
        model.fit(X, "label", codes_dir=scratch).set_params(callbacks=None)
        model.save(tmp_path / "model.json")
        assert (tmp_path / "model.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert not seen
    assert not os.listdir(scratch)


def test_the_default_and_checkpoints_go_with_it(tmp_path):
    pattern, frame = files(tmp_path / "data")
    whole = WeakForceClassifier(n_estimators=10, n_trees=10, random_state=0).fit(frame, "label")
    found = WeakForceClassifier(n_estimators=10, n_trees=10, random_state=0)
    found.fit(pattern, "label", codes_dir=tmp_path, checkpoint=tmp_path / "run.json")
    X = frame.drop("label")
    assert np.array_equal(found.decision_function(X), whole.decision_function(X))
    assert os.listdir(tmp_path) == ["data"]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (3, TypeError, "parameter 'codes_dir': got 3, expected None or a path"),
        ("no", OSError, "cannot keep codes in '.*no': No such file or directory"),
        ("file", OSError, "cannot keep codes in '.*file': it is not a folder"),
    ],
)
def test_wrong_folders_are_refused_by_name(given, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(error, match=message):
        LogitBoostClassifier().fit(np.eye(4), [0, 1, 0, 1], codes_dir=given)


def test_learners_that_read_no_codes_are_refused(tmp_path):
    model = DiscreteAdaBoostClassifier(RBFNet(), n_estimators=2)
    with pytest.raises(ValueError, match=r"parameter 'codes_dir': got '.*', expected None with a"):
        model.fit(np.eye(4), [0, 1, 0, 1], codes_dir=tmp_path)


def test_a_full_disk_is_named_before_anything_is_boosted(tmp_path):
    program = """
import resource, signal, sys
import numpy as np
import weakforce

resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
generator = np.random.default_rng(0)
X = generator.normal(size=(20_000, 20))

def boosted(info):
    print("a round was run")

try:
    weakforce.LogitBoostClassifier(callbacks=boosted).fit(X, X[:, 0] > 0, codes_dir=".")
except OSError as error:
    print(error)
"""
    pytest.importorskip("resource")
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True)
    out = run.stdout.decode()
    assert out.startswith("cannot keep codes in '"), (out, run.stderr.decode())
    assert out.endswith("': File too large\n")
    assert not os.listdir(tmp_path)


def mapped_bytes():
    """Return how many bytes of files of codes are mapped into this process."""
    with open("/proc/self/maps") as lines:
        ranges = [line.split()[0].split("-") for line in lines if ".weakforce-codes-" in line]
    return sum(int(end, 16) - int(start, 16) for start, end in ranges)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("max_bins", "bytes_each"), [(255, 1), (600, 2)])
def test_codes_are_in_the_file_as_long_as_the_fit_lasts(max_bins, bytes_each, tmp_path):
    X = np.random.default_rng(0).normal(size=(30_000, 8))
    seen = []
    model = DiscreteAdaBoostClassifier(
        n_estimators=3, max_bins=max_bins, callbacks=lambda info: seen.append(mapped_bytes())
    )
    model.fit(X, X[:, 0] > 0.3)
    assert set(seen) == {0}
    model.fit(X, X[:, 0] > 0.3, codes_dir=tmp_path)
    assert 0 <= max(seen) - bytes_each * X.size < 10_000
    assert mapped_bytes() == 0


def test_the_command_line_takes_it(tmp_path):
    people(300, 0).write_parquet(tmp_path / "data.parquet")
    fit = ("fit", "data.parquet", "--target", "pays", "--drop", "id", "--booster", "discrete")
    fit += ("--n-estimators", 4, "--random-state", 1, "--quiet", "--out")
    assert run_here(*fit, "whole.json", cwd=tmp_path) == 0
    assert run_here(*fit, "model.json", "--codes-dir", ".", cwd=tmp_path) == 0
    assert (tmp_path / "model.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert run_here(*fit, "model.json", "--codes-dir", "none", cwd=tmp_path) != 0
    assert sorted(os.listdir(tmp_path)) == ["data.parquet", "model.json", "whole.json"]
    assert weakforce.load(tmp_path / "model.json").n_iter_ == 4
