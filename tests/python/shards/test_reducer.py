"""Rows of one fit in several shards, each with the reducer that `_core.fit` takes.

Shards are threads here, which meet to add up their sums; a cluster has processes. The core's own
tests go over all boosters, learners and kinds of rows.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pytest

import weakforce
from weakforce import (
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    Rule,
    SFBoostClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
    _core,
)

N_ROWS = 500
PIECES = ([(200, 150), (0, 40)], [], [(40, 160), (350, 150)])


class Meeting:
    """Where the threads of a fit meet."""

    def __init__(self, size: int) -> None:
        self.barrier = threading.Barrier(size, timeout=60)
        self.brought: list[Any] = [None] * size

    def bring(self, rank: int, what: Any) -> list[Any]:
        self.brought[rank] = what
        self.barrier.wait()
        brought = list(self.brought)
        self.barrier.wait()
        return brought


@dataclass
class Reducer:
    """The way of one thread to the others."""

    rank: int
    meeting: Meeting
    pieces: list[tuple[int, int]]
    validation_pieces: list[tuple[int, int]] = field(default_factory=list)
    fails_at: int | None = None
    n_sums: int = 0
    threads: set[int] = field(default_factory=set)

    @property
    def size(self) -> int:
        return len(self.meeting.brought)

    def sum(self, numbers: np.ndarray) -> np.ndarray:
        assert numbers.dtype == np.uint64
        self.threads.add(threading.get_ident())
        self.n_sums += 1
        if self.n_sums == self.fails_at:
            self.meeting.barrier.abort()
            raise ConnectionError("the cable is out")
        return np.sum(self.meeting.bring(self.rank, numbers), axis=0, dtype=np.uint64)

    def gather(self, data: bytes) -> list[bytes]:
        assert isinstance(data, bytes)
        return self.meeting.bring(self.rank, data)


def problem() -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(4)
    x = generator.normal(size=N_ROWS)
    gaps = generator.normal(size=N_ROWS)
    letters = generator.choice(list("pqr"), size=N_ROWS)
    frame = pl.DataFrame(
        {
            "x": x,
            "gaps": pl.Series(gaps).set(pl.Series(gaps > 1), None),
            "letter": letters,
        }
    )
    y = x + gaps * (letters == "q") + generator.normal(size=N_ROWS) > 0
    return frame, y.astype(int), generator.uniform(0.1, 3.0, size=N_ROWS)


@pytest.fixture
def calls(monkeypatch):
    """The arguments with which the core is asked to fit."""
    recorded = []
    fit = _core.fit

    def record(*arguments, **named):
        recorded.append(arguments)
        return fit(*arguments, **named)

    monkeypatch.setattr(_core, "fit", record)
    yield recorded
    monkeypatch.undo()


def shard_of(labelled: Any, pieces: list[tuple[int, int]]) -> tuple[Any, ...]:
    frame, codes, weights, costs, mistrust = labelled
    rows = np.concatenate([np.arange(first, first + n) for first, n in pieces] or [[]]).astype(int)
    of_rows = [None if part is None else part[rows] for part in (codes, weights, costs, mistrust)]
    return (pl.DataFrame(frame)[rows], *of_rows)


def fit_shards(call: tuple[Any, ...], reducers: list[Reducer]) -> list[Any]:
    """Fit in a thread for each reducer; return what `_core.fit` returns or raises."""
    settings, train = call[:2]
    outcomes: list[Any] = [None] * len(reducers)

    def run(reducer: Reducer) -> None:
        try:
            own = shard_of(train, reducer.pieces)
            outcomes[reducer.rank] = _core.fit(settings, own, reducer=reducer)
        except BaseException as error:
            reducer.meeting.barrier.abort()
            outcomes[reducer.rank] = error

    threads = [threading.Thread(target=run, args=(reducer,)) for reducer in reducers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    return outcomes


def reducers(**parameters: Any) -> list[Reducer]:
    meeting = Meeting(len(PIECES))
    return [Reducer(rank, meeting, pieces, **parameters) for rank, pieces in enumerate(PIECES)]


@pytest.mark.parametrize(
    "model",
    [
        DiscreteAdaBoostClassifier(Stump(), n_estimators=8),
        LogitBoostClassifier(Tree(max_leaf_nodes=6), n_estimators=5, early_stopping=True),
        SoftmaxBoostClassifier(Rule(max_literals=2), n_estimators=5, random_state=1),
        SFBoostClassifier(Stump(), n_estimators=6),
        DiscreteAdaBoostClassifier(Tree(max_leaf_nodes=5), n_estimators=6, subsample=0.5),
    ],
    ids=lambda model: f"{type(model).__name__}-{type(model.estimator).__name__}",
)
@pytest.mark.parametrize("weighted", [False, True])
def test_shards_make_the_model_of_all_rows_to_the_byte(model, weighted, calls):
    frame, y, weights = problem()
    model.fit(frame, y, sample_weight=weights if weighted else None)
    expected = model.fitted_model_.core.to_json("null")
    ways = reducers()
    outcomes = fit_shards(calls[0], ways)
    for reducer, outcome in zip(ways, outcomes, strict=True):
        assert not isinstance(outcome, BaseException), outcome
        core, row_weights, _, _ = outcome
        assert core.to_json("null") == expected
        rows = [row for first, n in reducer.pieces for row in range(first, first + n)]
        np.testing.assert_allclose(row_weights, model.row_weights_[rows], rtol=1e-12)


def test_reducers_are_called_on_the_thread_that_called_for_the_fit(calls):
    frame, y, _ = problem()
    DiscreteAdaBoostClassifier(Stump(), n_estimators=3, n_jobs=2).fit(frame, y)
    ways = reducers()
    idents: list[int] = []
    start = threading.Thread.run

    def run(thread: threading.Thread) -> None:
        idents.append(threading.get_ident())
        start(thread)

    threading.Thread.run = run  # type: ignore[method-assign]
    try:
        fit_shards(calls[0], ways)
    finally:
        threading.Thread.run = start  # type: ignore[method-assign]
    called_on = [reducer.threads for reducer in ways]
    assert all(len(threads) == 1 for threads in called_on)
    assert set.union(*called_on) <= set(idents)


def test_what_a_reducer_raises_ends_the_fit_with_that(calls):
    frame, y, _ = problem()
    DiscreteAdaBoostClassifier(Stump(), n_estimators=3).fit(frame, y)
    ways = reducers()
    ways[2].fails_at = 6
    outcomes = fit_shards(calls[0], ways)
    assert isinstance(outcomes[2], ConnectionError)
    assert all(isinstance(outcome, threading.BrokenBarrierError) for outcome in outcomes[:2])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sum": lambda self, numbers: numbers[:-1]}, "reducer.sum: got"),
        ({"gather": lambda self, data: [data]}, "got 1 byte strings, expected 3"),
    ],
)
def test_answers_of_another_length_are_refused(change, message, calls):
    frame, y, _ = problem()
    DiscreteAdaBoostClassifier(Stump(), n_estimators=3).fit(frame, y)
    broken = type("Broken", (Reducer,), change)
    ways = reducers()
    ways[1] = broken(1, ways[1].meeting, ways[1].pieces)
    outcomes = fit_shards(calls[0], ways)
    assert isinstance(outcomes[1], ValueError)
    assert message in str(outcomes[1])


def test_ranks_beyond_the_size_are_refused(calls):
    frame, y, _ = problem()
    DiscreteAdaBoostClassifier(Stump(), n_estimators=3).fit(frame, y)
    settings, train = calls[0][:2]
    with pytest.raises(ValueError, match=r"'reducer.rank': got 5, expected 0 to 3 - 1"):
        _core.fit(settings, tuple(train), reducer=Reducer(5, Meeting(3), [(0, N_ROWS)]))


def test_boosters_state_whether_they_may_be_split():
    may_not = {booster for booster in weakforce.boosters() if not booster.capabilities().may_shard}
    programs = {"LPBoostClassifier", "SoftBoostClassifier", "ERLPBoostClassifier"}
    assert {booster.__name__ for booster in may_not} >= programs
    for booster in may_not:
        assert booster.__name__ in programs or booster.capabilities().has_program
    assert not weakforce.WeakForceClassifier.capabilities().may_shard
