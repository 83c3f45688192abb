"""A fit that was ended goes on from its checkpoint and makes the model of one that never was."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import weakforce
from support.command_runs import people, run_here
from support.registry import BOOSTERS, MIXED_LEARNERS, lively, weak
from weakforce import (
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    SFBoostClassifier,
    Stump,
    Tree,
    WeakForceClassifier,
)


class KilledError(Exception):
    """What a callback raises to end a fit."""


def rows(n_rows=240, n_classes=2, seed=3):
    generator = np.random.default_rng(seed)
    X = pl.DataFrame(
        {
            "a": generator.normal(size=n_rows),
            "b": np.where(generator.random(n_rows) < 0.2, np.nan, generator.normal(size=n_rows)),
            "c": generator.choice(["p", "q", "r"], n_rows),
        }
    )
    score = X["a"].to_numpy() + (X["c"].to_numpy() == "q") + 0.7 * generator.normal(size=n_rows)
    return X, np.digitize(score, np.linspace(-0.5, 1.0, n_classes - 1) if n_classes > 2 else [0.3])


def model_bytes(model, folder):
    model.save(folder / "model.json")
    return (folder / "model.json").read_bytes()


def ended_after(last):
    def callback(info):
        if info.round == last:
            raise KilledError

    return callback


@pytest.mark.parametrize("learner", MIXED_LEARNERS, ids=lambda learner: learner.__name__)
@pytest.mark.parametrize("booster", BOOSTERS, ids=lambda booster: booster.__name__)
def test_every_booster_goes_on_after_an_exception(booster, learner, tmp_path):
    def fit(**storage):
        parameters = {"n_estimators": 9, "random_state": 1, **lively(booster)}
        model = booster(estimator=weak(booster, learner), callbacks=callbacks, **parameters)
        return model.fit(*rows(n_classes=3), **storage)

    callbacks = None
    whole = model_bytes(fit().set_params(callbacks=None), tmp_path)
    (tmp_path / "model.json").unlink()
    path = tmp_path / "run.json"
    for last in (1, 4, 6):
        callbacks = ended_after(last)
        try:
            fit(checkpoint=path, checkpoint_every=2)
        except KilledError:
            assert path.exists() == (last > 1)
    callbacks = None
    resumed = fit(checkpoint=path, checkpoint_every=2)
    assert model_bytes(resumed, tmp_path) == whole
    assert os.listdir(tmp_path) == ["model.json"], "a fit that is done removes its checkpoint"


@pytest.mark.slow
@pytest.mark.parametrize(
    "made",
    [
        "DiscreteAdaBoostClassifier(n_estimators=400, random_state=0, callbacks=show)",
        "LogitBoostClassifier(estimator=Tree(max_leaf_nodes=7), n_estimators=300, subsample=0.5,"
        " random_state=0, callbacks=show)",
        "SoftBoostClassifier(n_estimators=60, random_state=0, tol=1e-6, callbacks=show)",
    ],
)
def test_a_killed_process_goes_on(made, tmp_path):
    program = textwrap.dedent(f"""
        import sys
        import numpy as np
        from weakforce import *

        def show(info):
            print(info.round, flush=True)

        generator = np.random.default_rng(1)
        X = generator.normal(size=(2000, 5))
        y = X[:, 0] * X[:, 1] + 0.3 * generator.normal(size=2000) > 0
        model = {made}
        storage = dict(checkpoint="run.json", checkpoint_every=5) if len(sys.argv) > 1 else dict()
        model.fit(X, y, **storage)
        model.set_params(callbacks=None).save("model.json")
    """)
    command = [sys.executable, "-c", program]
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    whole = (tmp_path / "model.json").read_bytes()
    (tmp_path / "model.json").unlink()
    for last in (7, 23, 41):
        process = subprocess.Popen([*command, "kept"], cwd=tmp_path, stdout=subprocess.PIPE)
        for line in process.stdout:
            if int(line) == last:
                process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert (tmp_path / "run.json").exists()
        process.stdout.close()
    subprocess.run([*command, "kept"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "model.json").read_bytes() == whole
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_drawn_seed_is_that_of_the_checkpoint(tmp_path):
    path = tmp_path / "run.json"
    options = {"estimator": Stump(), "n_estimators": 8, "subsample": 0.5}
    with pytest.raises(KilledError):
        RealAdaBoostClassifier(**options, callbacks=ended_after(5)).fit(
            *rows(), checkpoint=path, checkpoint_every=1
        )
    seed = json.loads(path.read_bytes())["identity"]["settings"]["random_state"]
    found = RealAdaBoostClassifier(**options).fit(*rows(), checkpoint=path, checkpoint_every=1)
    whole = RealAdaBoostClassifier(**options, random_state=seed).fit(*rows())
    assert np.array_equal(found.estimator_weights_, whole.estimator_weights_)
    assert np.array_equal(found.decision_function(rows()[0]), whole.decision_function(rows()[0]))


def test_what_is_beside_the_rounds_is_that_of_a_whole_fit(tmp_path):
    path = tmp_path / "run.json"
    options = {"n_estimators": 30, "random_state": 0, "early_stopping": True, "subsample": 0.7}
    whole = LogitBoostClassifier(**options, calibrate="sigmoid").fit(*rows())
    seen = []
    with pytest.raises(KilledError):
        LogitBoostClassifier(**options, callbacks=ended_after(6)).set_params(
            calibrate="sigmoid"
        ).fit(*rows(), checkpoint=path, checkpoint_every=3)
    found = LogitBoostClassifier(**options, calibrate="sigmoid", callbacks=seen.append)
    found.fit(*rows(), checkpoint=path, checkpoint_every=3)
    assert [info.round for info in seen] == list(range(1, whole.n_iter_ + 1))
    assert found.stop_reason_ == whole.stop_reason_
    for name in ("train_score_", "validation_score_", "row_weights_", "edges_"):
        assert np.array_equal(getattr(found, name), getattr(whole, name)), name
    assert np.array_equal(found.predict_proba(rows()[0]), whole.predict_proba(rows()[0]))


def test_warm_starts_go_on(tmp_path):
    path = tmp_path / "run.json"

    def started():
        return SAMMEClassifier(n_estimators=4, warm_start=True, random_state=0).fit(*rows())

    whole = started().set_params(n_estimators=12).fit(*rows())
    with pytest.raises(KilledError):
        started().set_params(n_estimators=12, callbacks=ended_after(9)).fit(
            *rows(), checkpoint=path, checkpoint_every=2
        )
    other = SAMMEClassifier(n_estimators=3, warm_start=True, random_state=0).fit(*rows())
    with pytest.raises(ValueError, match=r"the rounds already run \(warm_start=True\) differ"):
        other.set_params(n_estimators=12).fit(*rows(), checkpoint=path)
    found = started().set_params(n_estimators=12).fit(*rows(), checkpoint=path)
    assert model_bytes(found, tmp_path) == model_bytes(whole, tmp_path)


def test_files_go_on_with_rows_in_memory_and_the_other_way_round(tmp_path):
    X, y = rows(n_rows=500)
    for part in range(2):
        X[part::2].with_columns(label=y[part::2]).write_parquet(tmp_path / f"part-{part}.parquet")
    pattern, path = str(tmp_path / "part-*.parquet"), tmp_path / "run.json"
    options = {"estimator": Tree(max_leaf_nodes=5), "n_estimators": 9, "random_state": 0}
    whole = model_bytes(RealAdaBoostClassifier(**options).fit(pattern, "label"), tmp_path)
    in_memory = pl.read_parquet(pattern)
    for first, then in [(pattern, in_memory), (in_memory, pattern)]:
        with pytest.raises(KilledError):
            RealAdaBoostClassifier(**options, callbacks=ended_after(5)).fit(
                first, "label", checkpoint=path, checkpoint_every=2
            )
        found = RealAdaBoostClassifier(**options).fit(then, "label", checkpoint=path)
        assert model_bytes(found, tmp_path) == whole
    with pytest.raises(KilledError):
        RealAdaBoostClassifier(**options, callbacks=ended_after(5)).fit(
            pattern, "label", checkpoint=path, checkpoint_every=2
        )
    changed = in_memory[:250].with_columns(pl.col("c").replace("p", "q"))
    changed.write_parquet(tmp_path / "part-0.parquet")
    with pytest.raises(ValueError, match="a fit to other data: the values of column 'c' differ"):
        RealAdaBoostClassifier(**options).fit(pattern, "label", checkpoint=path)


def test_the_default_goes_on(tmp_path):
    X, y = rows(n_rows=600)
    path = tmp_path / "run.json"
    options = {"n_estimators": 20, "n_trees": 20, "random_state": 0}
    whole = model_bytes(WeakForceClassifier(**options).fit(X, y), tmp_path)
    WeakForceClassifier(**options)._fit(
        weakforce._fitting.rows.Rows(X, y),
        weakforce._fitting.rows.Rows(None, None, suffix="_val"),
        weakforce._fitting.storage.Storage(path, 7, outlasts=True),
    )
    assert path.exists()
    found = WeakForceClassifier(**options).fit(X, y, checkpoint=path)
    assert model_bytes(found, tmp_path) == whole
    assert not path.exists()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"checkpoint": 3}, TypeError, "parameter 'checkpoint': got 3, expected None or a path"),
        ({"checkpoint": ""}, TypeError, "parameter 'checkpoint': got '', expected None or a path"),
        (
            {"checkpoint": "x", "checkpoint_every": 0},
            ValueError,
            "parameter 'checkpoint_every': got 0, expected an integer >= 1",
        ),
        (
            {"checkpoint": "x", "checkpoint_every": 2.5},
            TypeError,
            "parameter 'checkpoint_every': got 2.5, expected an integer >= 1",
        ),
        ({"checkpoint": "no/x"}, OSError, "cannot write '.*no/x': No such file or directory"),
        ({"checkpoint": "."}, OSError, "cannot write '.*': it is a folder"),
    ],
)
def test_wrong_calls_are_refused_by_name(given, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        DiscreteAdaBoostClassifier().fit(*rows(), **given)
    assert not os.listdir(tmp_path)


def test_classifiers_of_other_libraries_are_refused(tmp_path):
    model = DiscreteAdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=2)
    X, y = rows()
    with pytest.raises(ValueError, match=r"parameter 'checkpoint': got '.*', expected None, becau"):
        model.fit(X[["a"]], y, checkpoint=tmp_path / "run.json")


def test_nets_go_on(tmp_path):
    X, y = rows()
    options = {"estimator": RBFNet(n_centers=3), "n_estimators": 6, "random_state": 2}
    whole = RealAdaBoostClassifier(**options).fit(X[["a", "b"]], y)
    path = tmp_path / "run.json"
    with pytest.raises(KilledError):
        RealAdaBoostClassifier(**options, callbacks=ended_after(3)).fit(
            X[["a", "b"]], y, checkpoint=path, checkpoint_every=1
        )
    with pytest.raises(ValueError, match="the values of column 'b' differ"):
        RealAdaBoostClassifier(**options).fit(
            X[["a", "b"]].with_columns(b=pl.lit(1.0)), y, checkpoint=path
        )
    found = RealAdaBoostClassifier(**options).fit(X[["a", "b"]], y, checkpoint=path)
    assert model_bytes(found, tmp_path) == model_bytes(whole, tmp_path)


def test_other_settings_are_refused_in_the_words_of_python(tmp_path):
    path = tmp_path / "run.json"
    with pytest.raises(KilledError):
        SFBoostClassifier(n_estimators=9, random_state=0, callbacks=ended_after(4)).fit(
            *rows(), checkpoint=path, checkpoint_every=2
        )
    before = path.read_bytes()
    for other, named in [
        ({"prune": False}, "prune=None, and this one has prune=False"),
        ({"smoothing": 0.1}, "smoothing=None, and this one has smoothing=0.1"),
        ({"random_state": 1}, "random_state=0, and this one has random_state=1"),
        ({"estimator": Tree()}, "estimator="),
    ]:
        model = SFBoostClassifier(**{"n_estimators": 9, "random_state": 0, **other})
        with pytest.raises(ValueError, match=f"checkpoint '.*run.json': it is of a fit .*{named}"):
            model.fit(*rows(), checkpoint=path)
        assert not hasattr(model, "classes_")
        assert path.read_bytes() == before


def test_a_full_disk_ends_a_fit_by_name_and_leaves_the_last_checkpoint(tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "run.json"
    model = DiscreteAdaBoostClassifier(n_estimators=400, random_state=0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, before[1]))
    try:
        with pytest.raises(OSError, match=r"cannot write '.*run.json': File too large"):
            model.fit(*rows(), checkpoint=path, checkpoint_every=10)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(tmp_path) == ["run.json"]
    assert path.stat().st_size <= 6_000
    found = model.fit(*rows(), checkpoint=path)
    whole = DiscreteAdaBoostClassifier(n_estimators=400, random_state=0).fit(*rows())
    assert model_bytes(found, tmp_path) == model_bytes(whole, tmp_path)


def test_the_command_line_goes_on_and_removes_the_checkpoint_after_the_model(tmp_path, monkeypatch):
    people(300, 0).write_parquet(tmp_path / "data.parquet")
    fit = ("fit", "data.parquet", "--target", "pays", "--drop", "id", "--booster", "discrete")
    fit += ("--n-estimators", 9, "--random-state", 1, "--quiet", "--out")
    assert run_here(*fit, "whole.json", cwd=tmp_path) == 0
    kept = ("--checkpoint", "run.json", "--checkpoint-every", 2)
    assert run_here(*fit, "no/model.json", *kept, cwd=tmp_path) != 0
    assert (tmp_path / "run.json").exists(), "the model could not be written"
    assert run_here(*fit, "model.json", *kept, cwd=tmp_path) == 0
    assert (tmp_path / "model.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert not (tmp_path / "run.json").exists()
    assert run_here(*fit, "model.json", "--checkpoint-every", 0, cwd=tmp_path) == 2
