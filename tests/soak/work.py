"""The work of a cycle: every booster in turn, by all the ways in which models are used.

In: the number of a cycle. Out: nothing; whatever fails is raised.
"""

from __future__ import annotations

import multiprocessing
import pickle
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import weakforce
from weakforce._estimator.base import estimators

#: Forks and spawned processes take long, so they are not part of every cycle.
_FORK_EVERY, _SPAWN_EVERY = 5, 25
#: Seconds after which a process counts as hanging.
_PATIENCE = 120.0

_LEARNERS = {"Stump": {}, "Rule": {}, "Tree": {"max_leaf_nodes": 5}, "RBFNet": {"n_centers": 3}}


@cache
def _rows() -> tuple[pl.DataFrame, np.ndarray[Any, Any]]:
    random = np.random.default_rng(1)
    numbers = random.normal(size=(600, 4))
    frame = pl.DataFrame(numbers, schema=list("abcd")).with_columns(
        word=pl.Series(random.choice(["x", "y", "z"], 600))
    )
    return frame, (numbers[:, 0] + random.normal(size=600) / 2 > 0).astype(np.int64)


def cycle(number: int) -> None:
    """Do everything once, with the booster and the learner whose turn it is."""
    model = _fitted(number)
    frame, labels = _rows()
    scores = model.decision_function(frame[model.feature_names_in_.tolist()])
    for use in (_predicted, _filed, _pickled, _read, _in_threads):
        use(model, frame.select(model.feature_names_in_.tolist()), labels, scores)
    if number % _FORK_EVERY == 0:
        _in_processes("fork", number)
    if number % _SPAWN_EVERY == 0:
        _in_processes("spawn", number)


def _fitted(number: int) -> Any:
    """Return a small model of the booster whose turn it is."""
    boosters = estimators()
    booster = boosters[number % len(boosters)]
    names = list(_LEARNERS)
    name = names[number // len(boosters) % len(names)]
    known = booster().get_params(deep=False)
    chosen: dict[str, Any] = {"random_state": 0, "n_jobs": 2}
    chosen["n_layers" if "n_layers" in known else "n_estimators"] = 6
    if "n_trees" in known:
        chosen["n_trees"] = 3
    frame, labels = _rows()
    if "estimator" in known:
        chosen["estimator"] = getattr(weakforce, name)(**_LEARNERS[name])
    columns = frame.select(list("abcd")) if name == "RBFNet" else frame
    try:
        return booster(**chosen).fit(columns, labels)
    except (ValueError, TypeError):  # a learner that the booster cannot use
        return booster(**{**chosen, "estimator": None}).fit(frame, labels)


def _predicted(model: Any, X: pl.DataFrame, labels: Any, scores: Any) -> None:
    assert model.predict_proba(X).shape == (600, 2)
    assert model.score(X, labels) > 0.5
    list(model.staged_predict(X))
    model.margins(X, labels)


def _filed(model: Any, X: pl.DataFrame, labels: Any, scores: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, rows = Path(folder, "model.json"), Path(folder, "rows.parquet")
        model.save(path)
        X.write_parquet(rows)
        assert (weakforce.load(path).decision_function(X) == scores).all()
        weakforce.predict_file(path, rows, Path(folder, "out.csv"), scores=True)


def _pickled(model: Any, X: pl.DataFrame, labels: Any, scores: Any) -> None:
    assert (pickle.loads(pickle.dumps(model)).decision_function(X) == scores).all()


def _read(model: Any, X: pl.DataFrame, labels: Any, scores: Any) -> None:
    model.summary()
    list(map(str, model.estimators_))
    for call in (model.rules, model.to_polars, lambda: model.contributions(X)):
        _or_refused(call)


def _or_refused(call: Callable[[], Any]) -> None:
    try:
        call()
    except (TypeError, ValueError):
        return


def _in_threads(model: Any, X: pl.DataFrame, labels: Any, scores: Any) -> None:
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: model.decision_function(X), range(8)):
            assert (found == scores).all()


def _in_processes(method: str, number: int) -> None:
    """Fit and score in two processes that are forked off or spawned."""
    with multiprocessing.get_context(method).Pool(2) as processes:
        found = processes.map_async(_scores_of, [number, number + 1]).get(_PATIENCE)
    for at, scores in enumerate(found):
        assert (scores == _scores_of(number + at)).all()


def _scores_of(number: int) -> Any:
    """Return the scores of a small model of arrays: Polars' threads do not survive a fork."""
    random = np.random.default_rng(number)
    X = random.normal(size=(300, 3))
    model = weakforce.RealAdaBoostClassifier(n_estimators=5, n_jobs=2).fit(X, X[:, 0] > X[:, 1])
    return model.decision_function(X)
