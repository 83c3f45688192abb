"""`weakforce fit` leaves columns in their files and reads them tile by tile, where it can."""

import polars as pl
import pytest

import weakforce
from support.command_runs import people, run_here
from weakforce._fitting.tiled_frames import TiledFrame

FIT = (
    "fit",
    "part-*.parquet",
    "--target",
    "pays",
    "--drop",
    "id",
    "--out",
    "model.json",
    "--quiet",
)


@pytest.fixture
def folder(tmp_path):
    rows = people(300, 0).with_columns(visits=pl.col("id") % 4)
    rows[:120].write_parquet(tmp_path / "part-1.parquet")
    # Types that differ are united.
    rest = rows[120:].with_columns(pl.col("visits").cast(pl.Float32))
    rest.write_parquet(tmp_path / "part-2.parquet")
    return tmp_path


@pytest.fixture
def seen(monkeypatch):
    """The containers that `fit` was called with."""
    containers = []
    fit = weakforce.BoostingClassifier._fit

    def watched(self, train, *others):
        containers.append(train.X)
        return fit(self, train, *others)

    monkeypatch.setattr(weakforce.BoostingClassifier, "_fit", watched)
    return containers


@pytest.mark.parametrize(
    ("options", "is_tiled"),
    [
        (("--booster", "real", "--learner", "tree"), True),
        (("--booster", "discrete", "--weight", "visits"), True),
        (("--n-estimators", "3"), True),
        (("--booster", "discrete", "--learner", "rbf-net", "--drop", "city"), False),
        (("--booster", "discrete", "--calibrate", "sigmoid"), False),
    ],
)
def test_the_model_is_that_of_rows_in_memory(folder, seen, options, is_tiled, monkeypatch):
    more = () if "--n-estimators" in options else ("--n-estimators", "4")
    assert run_here(*FIT, "--random-state", 1, *options, *more, cwd=folder) == 0
    assert isinstance(seen.pop(), TiledFrame) == is_tiled
    found = (folder / "model.json").read_bytes()
    monkeypatch.setattr(weakforce.BoostingClassifier, "_reads_tiles", lambda self: False)
    assert run_here(*FIT, "--random-state", 1, *options, *more, cwd=folder) == 0
    assert isinstance(seen.pop(), pl.DataFrame)
    assert (folder / "model.json").read_bytes() == found


def test_a_csv_file_is_read_as_before(tmp_path, seen):
    people(200, 1).write_csv(tmp_path / "data.csv")
    fit = ("fit", "data.csv", "--target", "pays", "--out", "model.json", "--categorical", "city")
    assert run_here(*fit, "--n-estimators", 2, "--quiet", cwd=tmp_path) == 0
    assert isinstance(seen.pop(), TiledFrame)
    kinds = {
        one.name: one.kind for one in weakforce.load(tmp_path / "model.json").fitted_model_.features
    }
    assert kinds["city"] == "text"
    assert kinds["since"] == "instant"
