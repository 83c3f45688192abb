"""Fits on a cluster make the model of one process on all rows, to the byte.

Checked against `fit` of the same estimator on the whole frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import weakforce
from support.clusters import sha, spread
from weakforce import (
    AdaBoostM1Classifier,
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    MultiBoostClassifier,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    SFBoostClassifier,
    SoftmaxBoostClassifier,
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

LEARNERS = [Stump(), Rule(max_literals=2), Tree(max_leaf_nodes=5)]

SPLIT = [booster for booster in weakforce.boosters() if booster.capabilities().may_shard]

#: Labels of two and of three classes.
LABELS = ("label", "kind")


def check(
    model: Any,
    rows: pl.DataFrame,
    workers: tuple[Any, list[tuple[int, int]]],
    folder: Any,
    weights: str | None = None,
) -> Any:
    """Fit to rows in one process and to the same on a cluster; compare the model files."""
    client, holders = workers
    one, other = clone(model), clone(model)
    label = rows.columns[-1]
    one.fit(rows, label, weights)
    weakforce.dask.fit(other, spread(client, rows, holders), label, weights, client=client)
    assert other.fit_traffic_.keys() == {sorted(client.nthreads())[worker] for worker, _ in holders}
    assert sha(other, folder) == sha(one, folder)
    return other


@pytest.mark.parametrize("n_workers", HOLDERS)
@pytest.mark.parametrize("estimator", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_models_do_not_depend_on_the_number_of_workers(
    n_workers, estimator, threads, rows, tmp_path
):
    model = DiscreteAdaBoostClassifier(estimator, n_estimators=6, random_state=3)
    columns = rows.drop("weight", "kind")
    fitted = check(model, columns, (threads, HOLDERS[n_workers]), tmp_path)
    X = columns.drop("label")
    assert (fitted.predict(X) == clone(model).fit(columns, "label").predict(X)).all()


@pytest.mark.parametrize("booster", SPLIT, ids=lambda booster: booster.__name__)
@pytest.mark.parametrize("estimator", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_every_booster_that_may_be_split_makes_the_same_model(
    booster, estimator, threads, rows, tmp_path
):
    label = LABELS[len(booster.__name__) % 2]
    rounds = booster.capabilities().rounds
    model = booster(estimator, **{rounds: 3}, random_state=5)
    columns = rows.drop(*(other for other in LABELS if other != label))
    check(model, columns, (threads, HOLDERS[4]), tmp_path, "weight")


@pytest.mark.parametrize("n_workers", [2, 3])
@pytest.mark.parametrize(
    ("model", "label"),
    [
        (RealAdaBoostClassifier(Tree(max_leaf_nodes=4), n_estimators=5), "label"),
        (LogitBoostClassifier(Tree(max_leaf_nodes=4), n_estimators=3), "kind"),
        (SAMMEClassifier(Tree(max_leaf_nodes=4), n_estimators=5), "kind"),
        (SFBoostClassifier(Stump(), n_estimators=5), "label"),
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_worker_processes_make_the_same_model(n_workers, model, label, cluster, rows, tmp_path):
    columns = rows.drop(*(other for other in LABELS if other != label))
    model = clone(model).set_params(random_state=2)
    check(model, columns, (cluster, HOLDERS[n_workers]), tmp_path, "weight")


@pytest.mark.parametrize(
    "model",
    [
        DiscreteAdaBoostClassifier(n_estimators=30, early_stopping=True, n_iter_no_change=3),
        DiscreteAdaBoostClassifier(Tree(max_leaf_nodes=5), n_estimators=5, subsample=0.5),
        LogitBoostClassifier(n_estimators=4, class_weight="balanced"),
        SAMMEClassifier(n_estimators=4, class_weight={"no": 3.0}),
        AdaBoostM1Classifier(Tree(max_leaf_nodes=8), n_estimators=5, class_weight="balanced"),
        MultiBoostClassifier(n_estimators=6),
        SoftmaxBoostClassifier(n_estimators=4, cost={"yes": {"no": 5.0}}),
        DiscreteAdaBoostClassifier(n_estimators=4, categorical_features=["whole"], max_bins=6),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("weights", [None, "weight"])
def test_parameters_that_look_at_all_rows_do_so(model, weights, threads, rows, tmp_path):
    model = clone(model).set_params(random_state=8)
    columns = rows.drop("kind") if weights else rows.drop("kind", "weight")
    check(model, columns, (threads, HOLDERS[3]), tmp_path, weights)


@pytest.mark.parametrize("n_workers", [1, 3])
def test_a_temperature_is_learned_from_the_same_rows(n_workers, threads, tmp_path):
    generator = np.random.default_rng(0)
    n_rows = 21_500  # more than a temperature is learned from
    X = generator.normal(size=(n_rows, 2))
    weights = np.where(generator.random(n_rows) < 0.04, 0.0, generator.uniform(0.5, 2, n_rows))
    y = (X[:, 0] + generator.normal(size=n_rows) > 0).astype(int) + (X[:, 1] > 1)
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "w": weights, "y": y})
    holders = {1: [(0, n_rows)], 3: [(1, 7001), (0, 0), (0, 9000), (2, 1000), (1, n_rows - 17_001)]}
    model = SAMMEClassifier(Stump(), n_estimators=3)
    fitted = check(model, frame, (threads, holders[n_workers]), tmp_path, "w")
    assert fitted.fitted_model_.calibration is not None


def test_a_fit_goes_on_where_an_earlier_one_ended(threads, rows, tmp_path):
    columns = rows.drop("weight", "kind")
    one = DiscreteAdaBoostClassifier(n_estimators=4, random_state=0, warm_start=True)
    other = clone(one)
    parts = spread(threads, columns, HOLDERS[2])
    for n_rounds in (4, 9):
        one.set_params(n_estimators=n_rounds).fit(columns, "label")
        other.set_params(n_estimators=n_rounds)
        weakforce.dask.fit(other, parts, "label", client=threads)
        assert other.n_iter_ == n_rounds
        assert sha(other, tmp_path) == sha(one, tmp_path)
