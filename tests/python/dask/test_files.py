"""Fits to Parquet files that workers read by themselves."""

from __future__ import annotations

import polars as pl
import pytest

import weakforce
from support.clusters import sha
from weakforce import DiscreteAdaBoostClassifier, SAMMEClassifier, Stump, Tree

pytestmark = pytest.mark.slow

SIZES = [150, 0, 30, 220, 100, 100]


@pytest.fixture
def files(rows, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    first = 0
    for number, size in enumerate(SIZES):
        part = rows.drop("kind")[first : first + size]
        part.write_parquet(folder / f"part-{number}.parquet", row_group_size=64)
        first += size
    return folder


@pytest.mark.parametrize(
    "model",
    [
        DiscreteAdaBoostClassifier(Stump(), n_estimators=5),
        DiscreteAdaBoostClassifier(Tree(max_leaf_nodes=5), n_estimators=5, random_state=0),
        SAMMEClassifier(Tree(max_leaf_nodes=5), n_estimators=5),
    ],
    ids=lambda model: f"{type(model).__name__}-{type(model.estimator).__name__}",
)
def test_files_make_the_model_of_their_rows(model, cluster, files, rows, tmp_path):
    model.set_params(random_state=4).fit(rows.drop("kind"), "label", "weight")
    expected = sha(model, tmp_path)
    weakforce.dask.fit(model, files / "part-*.parquet", "label", "weight", client=cluster)
    assert len(model.fit_traffic_) == 3
    assert sha(model, tmp_path) == expected


def test_columns_without_a_value_in_some_files_have_the_type_of_others(
    threads, files, rows, tmp_path
):
    columns = rows.drop("kind", "weight")
    frames = [columns[:300].with_columns(letter=None), columns[300:]]
    names = []
    for number, frame in enumerate(frames):
        names.append(tmp_path / f"{number}.parquet")
        frame.select(sorted(frame.columns, reverse=bool(number))).write_parquet(names[-1])
    assert pl.read_parquet(names[0]).schema["letter"] == pl.Null
    together = pl.concat([frames[0].cast({"letter": pl.String}), frames[1]])
    model = DiscreteAdaBoostClassifier(Tree(max_leaf_nodes=4), n_estimators=4, random_state=0)
    model.fit(together.select(sorted(together.columns)), "label")
    expected = sha(model, tmp_path)
    weakforce.dask.fit(model, names, "label", client=threads)
    assert sha(model, tmp_path) == expected


def test_what_is_wrong_with_files_is_named(threads, files, rows, tmp_path):
    def refused(kind, message, X, y="label", sample_weight=None):
        model = DiscreteAdaBoostClassifier(n_estimators=2)
        with pytest.raises(kind, match=message):
            weakforce.dask.fit(model, X, y, sample_weight, client=threads)
        assert not hasattr(model, "classes_")

    refused(OSError, "no file matches .*none", files / "none-*.parquet")
    refused(OSError, "absent.parquet", files / "absent.parquet")
    refused(ValueError, "got 'a.csv', expected a Parquet file", ["a.csv"])
    refused(ValueError, "y names the column 'nix'", files / "part-*.parquet", "nix")
    refused(TypeError, "y: got Series beside files, expected the name", [files / "x.pq"], rows["x"])
    rows.drop("kind", "x").write_parquet(files / "part-9.parquet")
    refused(ValueError, "column 'x' is in .*, expected the same columns", files / "part-*.parquet")
    (files / "part-9.parquet").write_bytes(b"PAR1 and nothing else")
    refused(OSError, "part-9.parquet", files / "part-*.parquet")
