"""Fits on a cluster go on from their checkpoint, with other workers too."""

from __future__ import annotations

import os
import signal

import pytest

import weakforce
from support.clusters import sha, spread
from weakforce import RealAdaBoostClassifier, SAMMEClassifier, Tree

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.slow


class EndedError(Exception):
    """What a callback raises to end a fit."""


def ended_after(last):
    def callback(info):
        if info.round == last:
            raise EndedError

    return callback


@pytest.mark.parametrize("booster", [RealAdaBoostClassifier, SAMMEClassifier])
def test_a_fit_goes_on_with_other_workers(booster, threads, rows, tmp_path):
    X = rows.drop("weight", "kind")
    path = tmp_path / "run.json"

    def made(**options):
        estimator = Tree(max_leaf_nodes=5)
        return booster(estimator=estimator, n_estimators=9, subsample=0.7, **options)

    expected = sha(made(random_state=3).fit(X, "label"), tmp_path)
    three = spread(threads, X, [(0, 250), (1, 50), (2, 300)])
    with pytest.raises(EndedError):
        weakforce.dask.fit(
            made(random_state=3, callbacks=ended_after(5)),
            three,
            "label",
            client=threads,
            checkpoint=path,
            checkpoint_every=2,
        )
    assert path.exists()
    with pytest.raises(ValueError, match="random_state=3, and this one has random_state=4"):
        weakforce.dask.fit(made(random_state=4), three, "label", client=threads, checkpoint=path)
    two = spread(threads, X, [(3, 400), (1, 200)])
    found = weakforce.dask.fit(made(random_state=3), two, "label", client=threads, checkpoint=path)
    assert sha(found, tmp_path) == expected
    assert not path.exists()


def test_a_fit_goes_on_after_a_worker_was_killed(rows, tmp_path):
    X = rows.drop("weight", "kind")
    path = tmp_path / "run.json"
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        victim = sorted(client.nthreads())[1]
        pid = client.run(os.getpid)[victim]

        def kill(info):
            if info.round == 7:
                os.kill(pid, signal.SIGKILL)

        def fit(**parameters):
            model = RealAdaBoostClassifier(Tree(max_leaf_nodes=5), n_estimators=12, **parameters)
            parts = spread(client, X, [(0, 250), (1, 350)])
            storage = {"checkpoint": path, "checkpoint_every": 3}
            return weakforce.dask.fit(model, parts, "label", client=client, **storage)

        with pytest.raises(weakforce.dask.WorkerLostError, match=f"{victim} was lost"):
            fit(callbacks=kill)
        assert path.exists()
        client.wait_for_workers(2)
        found = fit()
    whole = RealAdaBoostClassifier(Tree(max_leaf_nodes=5), n_estimators=12)
    assert sha(found, tmp_path) == sha(whole.fit(X, "label"), tmp_path)
    assert not path.exists()
