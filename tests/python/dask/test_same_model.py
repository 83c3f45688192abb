"""Fits on a cluster make the model of one process on all rows, to the byte.

Checked against `fit` of the same estimator on the whole frame.
"""

from __future__ import annotations

import pytest

import weakforce
from support.clusters import sha, spread
from weakforce import (
    DiscreteAdaBoostClassifier,
    Rule,
    Stump,
    Tree,
)

pytestmark = pytest.mark.slow

#: Who holds how many rows, by the number of workers: uneven, some partitions and workers empty.
HOLDERS = {
    1: [(0, 250), (0, 350)],
    2: [(0, 100), (1, 0), (0, 350), (1, 150)],
    3: [(0, 500), (1, 0), (2, 60), (0, 40)],
    4: [(3, 10), (0, 290), (1, 150), (2, 0), (1, 0), (0, 150)],
}


@pytest.mark.parametrize("n_workers", HOLDERS)
@pytest.mark.parametrize("estimator", [Stump(), Rule(max_literals=2), Tree(max_leaf_nodes=5)])
def test_models_do_not_depend_on_the_number_of_workers(
    n_workers, estimator, threads, rows, tmp_path
):
    X = rows.drop("weight", "kind")
    model = DiscreteAdaBoostClassifier(estimator, n_estimators=6, random_state=3)
    expected = sha(model.fit(X, "label"), tmp_path)
    other = DiscreteAdaBoostClassifier(estimator, n_estimators=6, random_state=3)
    parts = spread(threads, X, HOLDERS[n_workers])
    found = weakforce.dask.fit(other, parts, "label", client=threads)
    assert found is other
    assert len(other.fit_traffic_) == n_workers
    assert sha(other, tmp_path) == expected
    assert (other.predict(X.drop("label")) == model.predict(X.drop("label"))).all()
