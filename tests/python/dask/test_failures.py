"""What happens when a worker or the client is lost, a task fails, or two fits meet.

Each time the cluster must be usable afterwards: the next fit ends as one in one process does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import weakforce
from support.clusters import sha, spread
from weakforce import DiscreteAdaBoostClassifier, Stump

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.slow

HOLDERS = [(0, 200), (1, 250), (0, 0), (1, 150)]


@pytest.fixture
def columns(rows):
    return rows.drop("kind", "weight")


def check_usable(client, columns, folder) -> None:
    """Fit once more, with all workers that are there."""
    one = DiscreteAdaBoostClassifier(Stump(), n_estimators=5, random_state=0)
    other = DiscreteAdaBoostClassifier(Stump(), n_estimators=5, random_state=0)
    weakforce.dask.fit(other, spread(client, columns, HOLDERS), "label", client=client)
    assert sha(other, folder) == sha(one.fit(columns, "label"), folder)
    deadline = time.monotonic() + 10
    while any(client.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(client.processing().values())


def long_fit(**parameters):
    """A booster that goes on for a minute or more."""
    return DiscreteAdaBoostClassifier(Stump(), n_estimators=1_000_000, **parameters)


@pytest.mark.parametrize("watched", [False, True])
def test_a_worker_that_is_killed_is_named_and_the_cluster_goes_on(watched, columns, tmp_path):
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        victim = sorted(client.nthreads())[1]
        pid = client.run(os.getpid)[victim]
        killed = []

        def kill():
            os.kill(pid, signal.SIGKILL)
            killed.append(time.monotonic())

        def kill_in_fit():
            while not any("weakforce-fit" in str(keys) for keys in client.processing().values()):
                time.sleep(0.1)
            time.sleep(0.5)
            kill()

        if watched:
            model = long_fit(callbacks=lambda info: kill() if info.round == 20 else None)
        else:
            model = long_fit()
            threading.Thread(target=kill_in_fit).start()
        with pytest.raises(weakforce.dask.WorkerLostError, match=f"{victim} was lost") as raised:
            weakforce.dask.fit(model, spread(client, columns, HOLDERS), "label", client=client)
        assert time.monotonic() - killed[0] < 30
        assert ("after round 20" in str(raised.value)) == watched
        assert not hasattr(model, "classes_")
        client.wait_for_workers(2, timeout=60)
        check_usable(client, columns, tmp_path)


def test_ctrl_c_ends_all_tasks(cluster, columns, tmp_path):
    main = threading.get_ident()
    threading.Timer(2.0, signal.pthread_kill, (main, signal.SIGINT)).start()
    parts = spread(cluster, columns, HOLDERS)
    with pytest.raises(KeyboardInterrupt):
        weakforce.dask.fit(long_fit(), parts, "label", client=cluster)
    check_usable(cluster, columns, tmp_path)


def test_what_a_callback_raises_ends_the_fit(cluster, columns, tmp_path):
    def fail(info):
        if info.round == 3:
            raise ZeroDivisionError("no more")

    parts = spread(cluster, columns, HOLDERS)
    with pytest.raises(ZeroDivisionError, match="no more"):
        weakforce.dask.fit(long_fit(callbacks=fail), parts, "label", client=cluster)
    check_usable(cluster, columns, tmp_path)


def test_a_client_that_goes_away_leaves_no_task_behind(cluster, columns, tmp_path):
    address = cluster.scheduler.address
    script = (
        "import sys, weakforce\n"
        "from distributed import Client, get_client\n"
        "import polars as pl\n"
        "client = Client(sys.argv[1])\n"
        "frame = pl.read_parquet(sys.argv[2])\n"
        "workers = sorted(client.nthreads())\n"
        "parts = [client.scatter(frame, workers=[worker], hash=False) for worker in workers[:2]]\n"
        "model = weakforce.DiscreteAdaBoostClassifier(n_estimators=1_000_000)\n"
        "weakforce.dask.fit(model, parts, 'label', client=client)\n"
    )
    path = tmp_path / "rows.parquet"
    columns.write_parquet(path)
    process = subprocess.Popen([sys.executable, "-c", script, address, str(path)])
    try:
        deadline = time.monotonic() + 30
        while not any("weakforce-fit" in str(k) for k in cluster.processing().values()):
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    check_usable(cluster, columns, tmp_path)


def test_two_fits_at_once_come_one_after_the_other(cluster, columns, tmp_path):
    address = cluster.scheduler.address
    models = [DiscreteAdaBoostClassifier(n_estimators=40, random_state=i) for i in range(3)]
    errors = []

    def fit(model):
        try:
            with distributed.Client(address, set_as_default=False) as client:
                parts = spread(client, columns, HOLDERS)
                weakforce.dask.fit(model, parts, "label", client=client)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=fit, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not errors
    for number, model in enumerate(models):
        one = DiscreteAdaBoostClassifier(n_estimators=40, random_state=number)
        assert sha(model, tmp_path) == sha(one.fit(columns, "label"), tmp_path)
