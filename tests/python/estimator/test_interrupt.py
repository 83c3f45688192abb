"""Ctrl-C ends a fit soon, wherever it is, and the estimator stays as it was.

The promise is half a second; the tests allow two, for machines that are busy with other things, and
report the true latency (`pytest -rP`, or the junit property `latency`).
"""

import signal
import threading
import time
from functools import cache

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from support.registry import endless, some_pairs, weak
from weakforce import AdaBoostMHClassifier, DiscreteAdaBoostClassifier, Stump, Tree

#: Seconds from the signal to the exception.
PATIENCE = 2.0


class Interrupt:
    """Sends the process a SIGINT, and measures how long it takes to hit the job that runs."""

    def __init__(self):
        self.armed, self.sent = False, None

    def handle(self, number, frame):
        """Do as Python does, but spare pytest the signals that come too late."""
        if self.armed:
            signal.default_int_handler(number, frame)

    def send(self):
        self.sent = time.perf_counter()
        signal.raise_signal(signal.SIGINT)

    def latency(self, job, *, after: float | None) -> float:
        """Run a job that is interrupted after so many seconds, or by itself if that is None."""
        timer = threading.Timer(after or 0.0, self.send)
        self.armed = True
        try:
            if after is not None:
                timer.start()
            with pytest.raises(KeyboardInterrupt):
                job()
            return time.perf_counter() - self.sent
        finally:
            self.armed = False
            timer.cancel()


@pytest.fixture
def interrupt(record_property):
    """An `Interrupt` whose latencies end up in the report."""
    interrupt = Interrupt()
    before = signal.signal(signal.SIGINT, interrupt.handle)

    def hits(job, *, after: float | None = None) -> bool:
        latency = interrupt.latency(job, after=after)
        record_property("latency", round(latency, 3))
        print(f"latency {latency:.3f} s")
        return latency < PATIENCE

    interrupt.hits = hits
    yield interrupt
    signal.signal(signal.SIGINT, before)


def unlearnable(rows: int, columns: int):
    generator = np.random.default_rng(0)
    return generator.normal(size=(rows, columns)), generator.integers(0, 2, rows)


def state(model) -> dict:
    return dict(vars(model))


@pytest.mark.slow
@some_pairs
def test_ctrl_c_ends_a_long_fit_and_leaves_the_fitted_estimator_as_it_was(
    booster, learner, interrupt
):
    X, y = unlearnable(60_000, 20)
    model = booster(weak(booster, learner), n_estimators=3).fit(X, y)
    scores = model.decision_function(X)
    # The learner as users have it, not a small one.
    whole = type(model.estimator)() if learner is not Stump else model.estimator
    model.set_params(estimator=whole, **endless(booster))
    before = state(model)
    assert interrupt.hits(lambda: model.fit(X, y), after=0.15)
    assert state(model).keys() == before.keys()
    assert all(state(model)[name] is value for name, value in before.items())
    assert np.array_equal(model.decision_function(X), scores)
    assert model.n_iter_ == 3


def test_ctrl_c_leaves_an_unfitted_estimator_unfitted_and_usable(interrupt):
    X, y = unlearnable(60_000, 20)
    model = DiscreteAdaBoostClassifier(n_estimators=10**6)
    assert interrupt.hits(lambda: model.fit(X, y), after=0.7)
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert model.set_params(n_estimators=2).fit(X, y).n_iter_ == 2


@pytest.mark.parametrize("n_jobs", [1, None])
def test_ctrl_c_is_heard_while_callbacks_are_served(interrupt, n_jobs):
    X, y = unlearnable(500, 2)

    def call(info):
        if info.round == 50:
            interrupt.send()

    model = DiscreteAdaBoostClassifier(n_estimators=10**7, callbacks=call, n_jobs=n_jobs)
    model.set_params(learning_rate=1e-6)
    assert interrupt.hits(lambda: model.fit(X, y))
    assert not hasattr(model, "classes_")


def test_ctrl_c_is_heard_while_warm_rounds_are_replayed_and_validated(interrupt):
    X, y = unlearnable(20_000, 4)
    model = DiscreteAdaBoostClassifier(n_estimators=50, warm_start=True).fit(X, y)
    model.set_params(n_estimators=10**6, learning_rate=1e-6)
    job = lambda: model.fit(X, y, X_val=X, y_val=y)  # noqa: E731
    assert interrupt.hits(job, after=0.5)
    assert model.n_iter_ == 50


def test_ctrl_c_is_heard_while_many_numbers_are_binned(interrupt):
    column, y = unlearnable(1_000_000, 1)
    X = np.broadcast_to(column, (len(column), 120))
    rounds = []
    model = DiscreteAdaBoostClassifier(n_estimators=10**6, n_jobs=1, callbacks=rounds.append)
    assert interrupt.hits(lambda: model.fit(X, y), after=0.3)
    assert rounds == []
    assert not hasattr(model, "classes_")


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.15, 0.45])
def test_ctrl_c_is_heard_while_millions_of_categories_are_binned(interrupt, part, binning_seconds):
    rounds = []
    model = DiscreteAdaBoostClassifier(n_estimators=10**6, callbacks=rounds.append)
    job = lambda: model.fit(*many_categories())  # noqa: E731
    assert interrupt.hits(job, after=part * binning_seconds)
    assert rounds == []


@cache
def many_categories():
    texts = pl.int_range(1_000_000, eager=True).shuffle(seed=1).cast(pl.String) + " in words"
    return texts.to_frame("text"), np.arange(len(texts)) % 2


@pytest.fixture(scope="module")
def binning_seconds() -> float:
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(*many_categories())
    return model.fit_times_["binning"]


def test_a_second_fit_after_an_interrupt_is_not_cancelled(interrupt):
    X, y = unlearnable(60_000, 20)
    model = DiscreteAdaBoostClassifier(n_estimators=10**6)
    assert interrupt.hits(lambda: model.fit(X, y), after=0.5)
    again = DiscreteAdaBoostClassifier(n_estimators=5).fit(X, y)
    fresh = DiscreteAdaBoostClassifier(n_estimators=5, n_jobs=1).fit(X, y)
    assert np.array_equal(again.decision_function(X), fresh.decision_function(X))


@pytest.mark.slow
def test_ctrl_c_is_heard_while_contributions_of_many_trees_are_added_up(interrupt):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(20_000, 10))
    y = np.digitize(X[:, 0] + generator.normal(size=len(X)), np.linspace(-2, 2, 9))
    tree = Tree(max_leaf_nodes=64)
    model = AdaBoostMHClassifier(tree, n_estimators=15).fit(X[:2_000], y[:2_000])
    assert interrupt.hits(lambda: model.contributions(X), after=0.5)
