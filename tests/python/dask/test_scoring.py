"""Predictions as Dask collections, compared with those of one process."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import weakforce
from support.clusters import spread
from weakforce import DiscreteAdaBoostClassifier, SAMMEClassifier, Tree

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

pytestmark = pytest.mark.slow

METHODS = ["predict", "predict_proba", "decision_function"]


@pytest.fixture(params=["label", "kind"])
def fitted(request, rows):
    columns = rows.drop("label", "kind", "weight")
    model = SAMMEClassifier(Tree(max_leaf_nodes=4), n_estimators=5)
    return model.fit(columns, rows[request.param]), columns


@pytest.mark.parametrize("method", METHODS)
def test_dask_dataframes_get_columns_with_their_index(method, fitted, threads):
    model, columns = fitted
    frame = columns.to_pandas().set_index(np.arange(600) * 7)
    expected = getattr(model, method)(columns)
    found = getattr(weakforce.dask, method)(model, dd.from_pandas(frame, npartitions=4))
    computed = found.compute()
    np.testing.assert_array_equal(computed.to_numpy(), expected)
    assert computed.index.equals(frame.index)
    if expected.ndim == 2:
        assert list(found.columns) == list(computed.columns) == model.classes_.tolist()
    else:
        assert isinstance(computed, pd.Series)


@pytest.mark.parametrize("method", METHODS)
def test_other_rows_get_dask_arrays(method, fitted, threads):
    model, columns = fitted
    expected = getattr(model, method)(columns)
    parts = spread(threads, columns, [(0, 200), (2, 0), (1, 400)])
    found = getattr(weakforce.dask, method)(model, parts)
    assert isinstance(found, da.Array)
    np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("method", METHODS)
def test_dask_arrays_keep_their_chunks(method, threads, rows):
    X = rows.select("x", "z", "whole").to_numpy()
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(X, rows["label"].to_numpy())
    found = getattr(weakforce.dask, method)(model, da.from_array(X, chunks=(170, 2)))
    expected = getattr(model, method)(X)
    assert found.shape == expected.shape
    assert found.chunks[0] == (170, 170, 170, 90)
    np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("method", METHODS)
def test_files_are_read_by_the_workers(method, fitted, threads, tmp_path):
    model, columns = fitted
    columns[:250].write_parquet(tmp_path / "a.parquet")
    columns[250:].write_parquet(tmp_path / "b.parquet")
    found = getattr(weakforce.dask, method)(model, tmp_path / "*.parquet")
    np.testing.assert_array_equal(found.compute(), getattr(model, method)(columns))


def test_what_cannot_be_scored_is_refused(fitted, rows):
    model, columns = fitted
    with pytest.raises(TypeError, match="X: got DataFrame, expected a Dask DataFrame"):
        weakforce.dask.predict(model, columns)
    with pytest.raises(NotFittedError):
        weakforce.dask.predict(SAMMEClassifier(), da.zeros((2, 2)))
    with pytest.raises(TypeError, match="parameter 'model': got int"):
        weakforce.dask.predict(3, da.zeros((2, 2)))
    with pytest.raises(ValueError, match="Dask Array of 1 dimensions"):
        weakforce.dask.predict(model, da.zeros(2))
