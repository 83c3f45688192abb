"""Suspect labels on a cluster, compared with one fit in one process."""

from __future__ import annotations

import numpy as np
import pytest

import weakforce
from support.clusters import spread
from weakforce import DiscreteAdaBoostClassifier, Stump

dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("estimator", [None, DiscreteAdaBoostClassifier(Stump(), n_estimators=9)])
@pytest.mark.parametrize("label", ["label", "kind"])
def test_rows_are_judged_as_in_one_process(estimator, label, threads, rows):
    columns = rows.drop({"label": "kind", "kind": "label"}[label])
    X, y = columns.drop(label, "weight"), columns[label]
    expected = weakforce.suspect_labels(
        X, y, estimator, columns["weight"], method="one-fit", n_reasons=0
    ).sort("row")
    frame = dd.from_pandas(columns.to_pandas().set_index(np.arange(600) * 3), npartitions=4)
    found = weakforce.dask.suspect_labels(frame, label, estimator, "weight", client=threads)
    computed = found.compute()
    assert list(found.columns) == ["given", "suggested", "margin", "score"]
    assert computed.index.tolist() == list(range(0, 1800, 3))
    for name in found.columns:
        np.testing.assert_array_equal(computed[name].to_numpy(), expected[name].to_numpy())


def test_lists_of_frames_have_a_line_for_each_row(threads, rows):
    columns = rows.drop("kind", "weight")
    parts = spread(threads, columns, [(0, 250), (1, 0), (2, 350)])
    computed = weakforce.dask.suspect_labels(parts, "label", client=threads).compute()
    expected = weakforce.suspect_labels(
        columns.drop("label"), columns["label"], method="one-fit", n_reasons=0
    ).sort("row")
    np.testing.assert_array_equal(computed["score"].to_numpy(), expected["score"].to_numpy())


def test_files_are_refused(threads):
    with pytest.raises(TypeError, match="X: got files, expected a Dask collection"):
        weakforce.dask.suspect_labels("data/*.parquet", "label", client=threads)
