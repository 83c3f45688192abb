"""What `save` writes, `load` gives back: model, labels and parameters; pickle and copies too.

A save that fails, or a process that dies in the middle of one, leaves the old file whole. What
`load` refuses is in model_file/test_damage.py, files of older versions are in
model_file/test_versions.py.
"""

import copy
import datetime as dt
import io
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import weakforce
from support.registry import (
    MIXED_LEARNERS,
    OWN_STEPS,
    UNSHRUNK,
    every_booster,
    every_pair,
    in_rounds,
    some_mixed_pairs,
    weak,
)
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Rule, Stump, Tree

ROWS = 60
X = pl.DataFrame(
    {
        "number": [None if i % 11 == 0 else i / 3 for i in range(ROWS)],
        "text": [None if i % 7 == 0 else f"t{i % 5}" for i in range(ROWS)],
        "code": [i % 6 for i in range(ROWS)],
        "day": [dt.date(2024, 1, 1) + dt.timedelta(days=i % 17) for i in range(ROWS)],
    }
)
Y = np.random.default_rng(1).integers(0, 2, ROWS)
#: Attributes that fit sets and a model file holds.
STORED = ["classes_", "n_iter_", "stop_reason_", "n_features_in_", "feature_names_in_", "edges_"]
STORED += ["estimator_weights_", "estimator_errors_", "feature_importances_"]
STORED += ["train_score_", "validation_score_"]


def by_file(model, folder):
    model.save(folder / "model.json")
    return weakforce.load(folder / "model.json")


def by_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def by_old_pickle(model, folder):
    return pickle.loads(pickle.dumps(model, protocol=2))


def by_copy(model, folder):
    return copy.deepcopy(model)


def by_joblib(model, folder):
    joblib.dump(model, folder / "model.joblib", compress=3)
    return joblib.load(folder / "model.joblib")


WAYS = [by_file, by_pickle, by_old_pickle, by_copy, by_joblib]


def assert_same(again, model, frame):
    """Everything that a model holds and says is equal, to the bit."""
    assert type(again) is type(model)
    for name in STORED:
        assert np.array_equal(getattr(again, name), getattr(model, name)), name
    assert again.estimators_ == model.estimators_
    assert again.decision_function(frame).tobytes() == model.decision_function(frame).tobytes()
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
    assert again.get_params(deep=False).keys() == model.get_params(deep=False).keys()
    assert repr(again) == repr(model)


@every_pair
def test_a_model_comes_back_as_it_was(booster, learner, tmp_path):
    model = booster(weak(booster, learner), n_estimators=9, max_bins=7)
    frame = X
    if learner._takes_categories:
        model.set_params(categorical_features=["code"])
    else:
        frame = X.select("number", "code")
    model.fit(frame, Y, X_val=frame.reverse(), y_val=Y)
    assert model.n_iter_ > 0
    for way in WAYS:
        assert_same(way(model, tmp_path), model, frame)


@pytest.mark.parametrize("way", WAYS)
@some_mixed_pairs
def test_what_comes_back_can_be_fitted_further(booster, learner, way, tmp_path):
    model = booster(weak(booster, learner), n_estimators=4, warm_start=True).fit(X, Y)
    again = way(model, tmp_path)
    for more in (model, again):
        more.set_params(**in_rounds(more, 8)).fit(X, Y)
    assert again.estimators_ == model.estimators_
    assert len(again.estimators_) == 8


@pytest.mark.parametrize("way", WAYS)
def test_a_model_of_several_learners_comes_back(way, tmp_path):
    model = RealAdaBoostClassifier(n_estimators=0, warm_start=True)
    for learner in (*MIXED_LEARNERS, *reversed(MIXED_LEARNERS)):
        model.set_params(estimator=learner(), n_estimators=model.n_estimators + 2).fit(X, Y)
    kinds = [type(hypothesis) for hypothesis in model.estimators_]
    assert len(kinds) == 4 * len(MIXED_LEARNERS)
    assert len(set(kinds)) == len(MIXED_LEARNERS)
    again = way(model, tmp_path)
    assert_same(again, model, X)
    staged = list(again.staged_decision_function(X))[-1]
    np.testing.assert_allclose(staged, model.decision_function(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("way", WAYS[1:])
def test_an_unfitted_estimator_comes_back_unfitted(way, tmp_path):
    again = way(DiscreteAdaBoostClassifier(phi=0.3), tmp_path)
    assert again.phi == 0.3
    assert not hasattr(again, "classes_")


def test_a_model_without_rounds_and_one_without_names_come_back(tmp_path):
    constant = DiscreteAdaBoostClassifier().fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert constant.n_iter_ == 0
    again = by_file(constant, tmp_path)
    assert again.n_iter_ == 0
    assert not hasattr(again, "feature_names_in_")
    assert again.predict(np.ones((3, 2))).tolist() == [1, 1, 1]


LABELS = {
    **{
        dtype: np.array([1, 0], dtype) for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
    },
    "largest": np.array([2**64 - 1, 2**64 - 2], np.uint64),
    "big-endian": np.array([7, -7], ">i4"),
    "bool": np.array([True, False]),
    "floats": np.array([1.0, -1.0]),
    "half floats": np.array([1.0, -1.0], np.float16),
    "strings": np.array(["yes", "a much longer no ü"]),
    "objects": np.array(["yes", "no"], dtype=object),
    "object integers": np.array([3, 4], dtype=object),
    "days": np.array(["2024-01-01", "1969-12-31"], "datetime64[D]"),
    "instants": np.array(["2024-01-01T01:02:03.123456", "1969-12-31T00:00"], "datetime64[us]"),
    "lengths": np.array([5, -5], "timedelta64[ms]"),
    "polars strings": pl.Series(["yes", "no"]),
    "polars enum": pl.Series(["yes", "no"], dtype=pl.Enum(["yes", "no"])),
    "polars dates": pl.Series([dt.date(2024, 1, 1), dt.date(2023, 1, 1)]),
    "polars durations": pl.Series([dt.timedelta(1), dt.timedelta(2)]),
    "pandas strings": pd.Series(["yes", "no"]),
    "pandas Booleans": pd.Series([True, False], dtype="boolean"),
    "pandas integers": pd.Series([1, 2], dtype="Int64"),
    "pandas categories": pd.Series(["b", "a"], dtype="category"),
    "awkward strings": np.array(['"}\\', "\x00\n ."]),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_every_type_come_back(name, tmp_path):
    pair = LABELS[name]
    places = np.append([0, 1], Y)
    labels = pair.gather(places) if isinstance(pair, pl.Series) else pair[places]
    frame = pl.concat([X[:2], X])
    model = RealAdaBoostClassifier(n_estimators=9).fit(frame, labels)
    given = np.asarray(pair)
    assert set(model.classes_.tolist()) == set(given.tolist())
    for way in WAYS:
        again = way(model, tmp_path)
        assert again.classes_.dtype == model.classes_.dtype
        assert np.array_equal(again.classes_, model.classes_)
        assert np.array_equal(again.predict(frame), model.predict(frame))
        assert np.array_equal(again.margins(frame, labels), model.margins(frame, labels))
    assert set(model.predict(frame).tolist()) == set(given.tolist())


@pytest.mark.parametrize("pair", [(Decimal(1), Decimal(2)), (dt.time(1), dt.time(2))])
def test_labels_that_have_no_json_are_pickled_but_not_saved(pair, tmp_path):
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(X, [pair[i] for i in Y])
    assert by_pickle(model, tmp_path).predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(TypeError, match=type(pair[0]).__name__):
        model.save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


PARAMETERS = {
    "n_estimators": np.int64(3),
    "learning_rate": 0.1 + 0.2,
    "max_bins": 7,
    "categorical_features": ["code"],
    "class_weight": {0: 1, 1: 2.5},
    "random_state": 2**53 + 1,
    "n_jobs": 1,
    "tol": 5e-324,
}


LEARNERS = [
    Stump(criterion="gini", answer="vote", smoothing=0.25),
    Rule(max_literals=3, criterion="error", answer="vote", min_gain=0.001, smoothing=0.5),
    Tree(max_leaf_nodes=7, max_depth=3, min_samples_leaf=2, min_weight_leaf=0.01, answer="vote"),
]


@pytest.mark.parametrize("learner", LEARNERS)
@every_booster
def test_parameters_come_back(booster, learner, tmp_path):
    parameters = PARAMETERS
    if booster._kind in UNSHRUNK:
        # What is no round number is another parameter then; some aim at `tol`.
        parameters = {**PARAMETERS, "learning_rate": 1.0, "tol": PARAMETERS["learning_rate"]}
    if booster._kind in OWN_STEPS:
        learner = clone(learner).set_params(answer="auto")
    model = booster(learner, **parameters).fit(X, Y)
    for way in WAYS:
        again = way(model, tmp_path)
        for name, value in model.get_params(deep=True).items():
            if name != "estimator":
                assert getattr(again, name, again.get_params()[name]) == value, name
        assert type(again.estimator) is type(learner)
    refitted = clone(again).fit(X, Y)
    assert np.array_equal(refitted.decision_function(X), model.decision_function(X))


def test_parameters_without_a_json_form_are_none_in_the_file_and_kept_by_pickle(tmp_path):
    model = DiscreteAdaBoostClassifier(n_estimators=2, random_state=np.random.RandomState(3))
    for callbacks in (repr, [repr, str]):
        model.set_params(callbacks=callbacks).fit(X, Y)
        again = by_file(model, tmp_path)
        assert again.random_state is None
        assert again.callbacks is None
        assert again.fit(X, Y).n_iter_ == 2
        assert by_pickle(model, tmp_path).callbacks == callbacks


def small(n_estimators=3):
    return DiscreteAdaBoostClassifier(n_estimators=n_estimators).fit(X, Y)


def test_a_save_that_cannot_replace_its_target_leaves_nothing_behind(tmp_path):
    target = tmp_path / "taken"
    target.mkdir()
    (target / "something").touch()
    with pytest.raises(OSError, match="taken"):
        small().save(target)
    assert sorted(tmp_path.rglob("*")) == [target, target / "something"]


def test_a_save_into_a_missing_directory_names_the_path(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        small().save(tmp_path / "nowhere" / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_a_save_that_runs_out_of_room_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.json"
    small().save(path)
    before = path.read_bytes()
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="large"):
            small(n_estimators=40).save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


SAVE_FOREVER = """
import sys, itertools, numpy as np, weakforce
X = np.random.default_rng(0).normal(size=(500, 4))
models = [weakforce.DiscreteAdaBoostClassifier(n_estimators=n).fit(X, np.arange(500) % 2)
          for n in (300, 400)]
for model in itertools.cycle(models):
    model.save(sys.argv[1])
"""


@pytest.mark.slow
def test_readers_never_see_half_a_file_and_a_killed_writer_leaves_a_whole_one(tmp_path):
    path = tmp_path / "model.json"
    writer = subprocess.Popen([sys.executable, "-c", SAVE_FOREVER, path])
    try:
        while not path.exists():
            assert writer.poll() is None
            time.sleep(0.01)
        rounds = {weakforce.load(path).n_iter_ for _ in range(100)}
    finally:
        writer.kill()
        writer.wait()
    assert rounds == {300, 400}
    assert weakforce.load(path).n_iter_ in rounds


def test_many_threads_may_save_to_one_path(tmp_path):
    models = [small(n_estimators=20 + i) for i in range(8)]

    def save(model):
        for _ in range(25):
            model.save(tmp_path / "model.json")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, models))
    assert 20 <= weakforce.load(tmp_path / "model.json").n_iter_ <= 27
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_pickles_of_many_models_in_one_stream_stay_apart():
    models = [small(n_estimators=n) for n in (2, 5)]
    stream = io.BytesIO(pickle.dumps(models))
    assert [model.n_iter_ for model in pickle.load(stream)] == [2, 5]
