"""What partitions may be, and what is wrong with those that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import weakforce
from support.clusters import sha, spread
from weakforce import (
    DiscreteAdaBoostClassifier,
    LPBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Tree,
    WeakForceClassifier,
)

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

pytestmark = pytest.mark.slow

HOLDERS = [(0, 200), (1, 250), (2, 0), (1, 150)]


def booster() -> DiscreteAdaBoostClassifier:
    return DiscreteAdaBoostClassifier(Tree(max_leaf_nodes=4), n_estimators=4, random_state=0)


def test_a_dask_dataframe_is_fitted_where_it_is(cluster, rows, tmp_path):
    columns = rows.drop("kind").to_pandas()
    columns["letter"] = columns["letter"].astype("category")
    frame = dd.from_pandas(columns, npartitions=5).persist()
    one, other, beside = booster(), booster(), booster()
    one.fit(columns, "label", "weight")
    weakforce.dask.fit(other, frame, "label", "weight")
    X = frame.drop(columns=["label", "weight"])
    weakforce.dask.fit(beside, X, frame["label"], frame["weight"])
    assert sha(other, tmp_path) == sha(beside, tmp_path) == sha(one, tmp_path)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, bool])
def test_a_dask_array_is_fitted_in_any_chunks(dtype, threads, rows, tmp_path):
    X = (rows.select("x", "z", "whole").fill_null(0).to_numpy() * 3).astype(dtype)
    y = rows["kind"].to_numpy()
    one = booster().fit(X, y, rows["weight"].to_numpy())
    arrays = da.from_array(X, chunks=(170, 2)), da.from_array(y, chunks=100)
    weights = da.from_array(rows["weight"].to_numpy(), chunks=170)
    other = weakforce.dask.fit(booster(), *arrays, weights, client=threads)
    assert sha(other, tmp_path) == sha(one, tmp_path)


def test_arrays_of_objects_have_columns_of_types_of_their_own(threads, rows, tmp_path):
    X = rows.select("x", "letter").to_numpy()
    assert X.dtype == object
    X[:200, 1] = None  # all that one worker has
    one = booster().fit(X, rows["label"].to_numpy())
    parts = spread(threads, X, HOLDERS)
    y = spread(threads, rows["label"].to_numpy(), HOLDERS)
    other = weakforce.dask.fit(booster(), parts, y, client=threads)
    assert sha(other, tmp_path) == sha(one, tmp_path)


def test_partitions_of_different_types_are_united(threads, rows, tmp_path):
    columns = rows.drop("kind", "weight")
    shuffled = columns.select(sorted(columns.columns))
    pieces = [
        columns[:100],
        columns[100:200].to_arrow(),
        shuffled[200:300].cast({"whole": pl.Float32, "letter": pl.Categorical}),
        columns[300:400].with_columns(letter=None, label=pl.lit("no")),
        columns[400:450].to_pandas(),
        columns[450:450],
        columns[450:].cast({"whole": pl.UInt8, "label": pl.Categorical}),
    ]
    whole = pl.concat(
        [
            columns[:300],
            pieces[3].cast({"letter": pl.String}).select(columns.columns),
            columns[400:],
        ]
    )
    one = booster().fit(whole, "label")
    workers = sorted(threads.nthreads())
    parts = [
        threads.scatter(piece, workers=[workers[place % 3]], hash=False)
        for place, piece in enumerate(pieces)
    ]
    other = weakforce.dask.fit(booster(), parts, "label", client=threads)
    assert sha(other, tmp_path) == sha(one, tmp_path)


def test_labels_of_all_partitions_are_the_classes(threads, rows, tmp_path):
    order = np.argsort(rows["kind"].to_numpy(), kind="stable")
    columns = rows.drop("label", "weight")[order]  # so that no partition has all of them
    one = RealAdaBoostClassifier(n_estimators=3).fit(columns, "kind")
    parts = spread(threads, columns, HOLDERS)
    other = RealAdaBoostClassifier(n_estimators=3)
    weakforce.dask.fit(other, parts, "kind", client=threads)
    assert other.classes_.tolist() == one.classes_.tolist() == [0, 10, 20]
    assert sha(other, tmp_path) == sha(one, tmp_path)


@pytest.fixture
def refused(threads, rows) -> Any:
    """A fit that must be refused in certain words and leaves the estimator as it was."""

    def check(kind: Any, message: str, change: Any = None, **arguments: Any) -> None:
        columns = rows.drop("kind", "weight")
        pieces = [columns[:200], columns[200:400], columns[400:]]
        if change is not None:
            pieces[1] = change(pieces[1])
        workers = sorted(threads.nthreads())
        parts = [
            threads.scatter(piece, workers=[worker], hash=False)
            for piece, worker in zip(pieces, workers, strict=False)
        ]
        given = {"model": booster(), "X": parts, "y": "label", "client": threads, **arguments}
        with pytest.raises(kind, match=message):
            weakforce.dask.fit(**given)
        assert not hasattr(given["model"], "classes_")

    return check


@pytest.mark.parametrize(
    ("kind", "message", "change"),
    [
        (
            ValueError,
            "column 'x' is in partition 0 but not in partition 1",
            lambda piece: piece.drop("x"),
        ),
        (
            ValueError,
            "column 'more' is in partition 1 but not in partition 0",
            lambda piece: piece.with_columns(more=1),
        ),
        (
            TypeError,
            "column 'x' holds strings .* in partition 1, but numbers .* in partition 0",
            lambda piece: piece.cast({"x": pl.String}),
        ),
        (
            ValueError,
            "partition 1: y names the column 'label', but X has only",
            lambda piece: piece.drop("label"),
        ),
        (
            ValueError,
            "partition 1: y: the label of row 3 is None",
            lambda piece: piece.with_columns(label=piece["label"].scatter(3, None)),
        ),
        (TypeError, "partition 1: y names a column .*X must be a frame; got int", lambda piece: 3),
    ],
)
def test_partitions_that_do_not_go_together_are_refused(kind, message, change, refused):
    refused(kind, message, change)


@pytest.mark.parametrize(
    ("kind", "message", "arguments"),
    [
        (ValueError, "got LPBoostClassifier, which needs", {"model": LPBoostClassifier()}),
        (ValueError, "got WeakForceClassifier, which", {"model": WeakForceClassifier()}),
        (
            ValueError,
            "parameter 'estimator': got RBFNet, which needs all rows in one",
            {"model": RealAdaBoostClassifier(RBFNet())},
        ),
        (
            ValueError,
            "parameter 'calibrate': got 'sigmoid'",
            {"model": DiscreteAdaBoostClassifier(calibrate="sigmoid")},
        ),
        (
            ValueError,
            "'resample'",
            {"model": DiscreteAdaBoostClassifier(n_estimators=2, resample=True)},
        ),
        (ValueError, "n_estimators", {"model": DiscreteAdaBoostClassifier(n_estimators=-1)}),
        (TypeError, "parameter 'model': got int", {"model": 3}),
        (TypeError, "X: got DataFrame, expected a Dask DataFrame", {"X": pl.DataFrame()}),
        (ValueError, "y is None", {"y": None}),
        (TypeError, "y: got list, expected a Dask collection beside X", {"y": [1, 2]}),
        (ValueError, "y names the column 'nix'", {"y": "nix"}),
        (ValueError, "sample_weight names the column 'nix'", {"sample_weight": "nix"}),
        (TypeError, "parameter 'client': got str", {"client": "tcp://"}),
    ],
)
def test_wrong_calls_are_refused(kind, message, arguments, refused):
    refused(kind, message, **arguments)


def test_labels_and_weights_lie_beside_their_rows(threads, rows, refused):
    few = spread(threads, rows["label"], [(0, 600)])
    refused(ValueError, "y: got 1 partitions, expected one for each of 3 of X", y=few)
    short = spread(threads, rows["label"][:599], [(0, 200), (1, 200), (2, 199)])
    refused(ValueError, "partition 2: y: got 199 labels, expected one for each of 200", y=short)
    weights = spread(threads, rows["weight"][:599], [(0, 200), (1, 200), (2, 199)])
    message = "partition 2: sample_weight: got 199 weights, expected one for each of 200"
    refused(ValueError, message, sample_weight=weights)


def test_a_cluster_without_workers_is_refused(rows):
    options = {"n_workers": 0, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        frame = dd.from_pandas(pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]}), npartitions=1)
        with pytest.raises(RuntimeError, match="cluster has no workers"):
            weakforce.dask.fit(booster(), frame, "y", client=client)


def test_workers_with_another_version_are_refused():
    from weakforce.dask.placing import refuse_other_versions

    refuse_other_versions({"tcp://a": "1.0", "tcp://b": "1.0"}, "1.0")
    with pytest.raises(RuntimeError, match=r"worker tcp://b has version 1.1 of weakforce, expect"):
        refuse_other_versions({"tcp://a": "1.0", "tcp://b": "1.1"}, "1.0")
