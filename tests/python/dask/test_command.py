"""`weakforce fit --dask`: the model file is that of a fit in one process."""

from __future__ import annotations

import json

import pytest

from weakforce.__main__ import main

pytestmark = pytest.mark.slow


@pytest.fixture
def files(rows, tmp_path):
    for number in range(4):
        part = rows.drop("label")[150 * number : 150 * (number + 1)]
        part.write_parquet(tmp_path / f"part-{number}.parquet")
    return tmp_path


OPTIONS = ["--target", "kind", "--weight", "weight", "--drop", "z", "--categorical", "whole"]
MODEL = ["--booster", "logitboost", "--learner", "tree", "--n-estimators", "4"]


def test_a_cluster_writes_the_file_of_one_process(cluster, files, capsys):
    data, out = str(files / "part-*.parquet"), files / "model.json"
    common = ["fit", data, *OPTIONS, *MODEL, "--random-state", "0"]
    assert main([*common, "--out", str(out)]) == 0
    expected = json.loads(out.read_text())
    address = cluster.scheduler.address
    kept = ["--checkpoint", str(files / "run.json"), "--checkpoint-every", "1"]
    assert main([*common, "--dask", address, "--out", str(out), *kept]) == 0
    assert not (files / "run.json").exists()
    found = json.loads(out.read_text())
    # Which columns are categories is a parameter, which one process asks for only where they look
    # like numbers.
    assert found == expected
    text = capsys.readouterr().out
    assert "workers" in text
    assert "3: 0, 10, 20" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--dask", "local"], "the booster 'weakforce' needs all rows in one process"),
        (["--dask", "local", *MODEL, "--validation", "a.parquet"], "option --validation: it does"),
        (["--dask", "local", *MODEL, "--format", "csv"], "option --format: it does not go"),
    ],
)
def test_options_that_do_not_go_with_a_cluster_are_refused(change, message, files, capsys):
    data = str(files / "part-0.parquet")
    assert main(["fit", data, "--target", "kind", "--out", "x.json", *change]) == 2
    assert message in capsys.readouterr().err


def test_other_files_are_refused(capsys):
    arguments = ["--target", "y", "--out", "x.json", "--dask", "local", *MODEL]
    assert main(["fit", "a.csv", *arguments]) == 2
    assert "got 'a.csv', expected Parquet files" in capsys.readouterr().err
