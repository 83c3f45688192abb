"""Folded and compiled models score exactly what their rounds add up to, from any thread.

The round-by-round sum is taken twice: by `staged_decision_function`, and outside of the core from
the hypotheses and weights that users see.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

import weakforce
from support.mixed_frames import WORDS, mixed_frame, noisy_labels
from support.registry import BOOSTERS, every_mixed_learner, some_mixed_pairs, weak
from weakforce import (
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    Rule,
    RuleHypothesis,
    Stump,
    StumpHypothesis,
    Tree,
)


def answer(stump, value) -> float:
    """What a hypothesis says of one value, read off its public fields."""
    if value is None or value != value:
        inside = stump.missing_inside
    elif stump.categories is not None:
        known = str(int(value)) if isinstance(value, (int, bool)) else value
        inside = known in stump.categories
    else:
        inside = stump.threshold is None or float(value) <= stump.threshold
    return stump.inside if inside else stump.outside


def said(hypothesis, frame: pl.DataFrame) -> np.ndarray:
    """What a hypothesis says of every row."""
    if isinstance(hypothesis, StumpHypothesis):
        column = frame.to_series(hypothesis.column).to_list()
        return np.array([answer(hypothesis, value) for value in column])
    if isinstance(hypothesis, RuleHypothesis):
        fires = frame.select(hypothesis.expression()).to_series().to_numpy()
        return np.where(fires, hypothesis.inside, hypothesis.outside)
    place = np.full(len(frame), 0 if hypothesis.column else -1)
    for node in range(len(hypothesis.column)):  # children have higher numbers
        inside = frame.select(hypothesis.split(node).expression()).to_series().to_numpy()
        child = np.where(inside, hypothesis.inside[node], hypothesis.outside[node])
        place = np.where(place == node, child, place)
    return np.array(hypothesis.values)[-1 - place]


def round_says(hypotheses, frame: pl.DataFrame) -> np.ndarray:
    """What a round says: of each of two classes it may have a hypothesis, or one of both."""
    if isinstance(hypotheses, list):
        negative, positive = (said(hypothesis, frame) for hypothesis in hypotheses)
        return (positive - negative) / 2
    answers = said(hypotheses, frame)
    return answers if answers.ndim == 1 else (answers[:, 1] - answers[:, 0]) / 2


def sum_of_rounds(model, frame: pl.DataFrame) -> np.ndarray:
    """H(x) = Σ α h(x)."""
    scores = np.zeros(len(frame))
    for hypotheses, weight in zip(model.estimators_, model.estimator_weights_, strict=True):
        scores += weight * round_says(hypotheses, frame)
    return scores


def settings():
    """Every booster with stumps, real answers and small bins too."""
    for booster in BOOSTERS:
        learner = weak(booster, Stump)
        yield pytest.param(booster(learner, n_estimators=40), id=booster.__name__)
    for booster in (RealAdaBoostClassifier, weakforce.AdaBoostRClassifier):
        for rule in ("gentle", "logistic"):
            stump = Stump(criterion="gini", answer=rule, smoothing=0.01)
            name = f"{booster.__name__} {rule}"
            yield pytest.param(booster(stump, n_estimators=40, max_bins=7), id=name)
    yield pytest.param(DiscreteAdaBoostClassifier(n_estimators=40, max_bins=2000), id="wide codes")
    for learner in (Rule(max_literals=3), Tree(), Tree(max_leaf_nodes=40, max_depth=9)):
        for max_bins in (7, 2000):
            booster = RealAdaBoostClassifier(learner, n_estimators=8, max_bins=max_bins)
            yield pytest.param(booster, id=f"{learner} {max_bins} bins")


@pytest.fixture(scope="module", params=settings())
def fitted(request):
    X = mixed_frame(1500, seed=1)
    model = request.param.set_params(categorical_features=["code"])
    model.fit(X, noisy_labels(X, seed=2))
    assert model.n_iter_ == model.n_estimators
    return model


def test_folded_scores_equal_the_sum_of_the_rounds_on_training_rows(fitted):
    X = mixed_frame(1500, seed=1)
    scores = fitted.decision_function(X)
    assert np.abs(scores - sum_of_rounds(fitted, X)).max() < 1e-9
    assert np.abs(scores - list(fitted.staged_decision_function(X))[-1]).max() < 1e-9


@pytest.mark.slow
def test_folded_scores_equal_the_sum_of_the_rounds_on_new_and_unseen_values(fitted):
    X = mixed_frame(303, seed=9, words=[*WORDS, "unseen", "", "wörd"])
    X = X.with_columns(pl.col("code") * 2 - 3, pl.col("coarse") * 1.5 - 4)
    unseen = X.with_columns(pl.when(pl.col("word").is_in(WORDS)).then("word").alias("word"))
    known = [str(code) for code in range(9)]
    unseen = unseen.with_columns(
        pl.when(pl.col("code").cast(pl.String).is_in(known)).then("code").alias("code")
    )
    scores = fitted.decision_function(X)
    assert np.abs(scores - sum_of_rounds(fitted, unseen)).max() < 1e-9
    assert np.abs(scores - list(fitted.staged_decision_function(X))[-1]).max() < 1e-9
    for column in X.columns:
        empty = X.with_columns(pl.lit(None, X.schema[column]).alias(column))
        scores = fitted.decision_function(empty)
        expected = unseen.with_columns(empty[column])
        assert np.abs(scores - sum_of_rounds(fitted, expected)).max() < 1e-9


def test_every_stage_equals_the_sum_of_its_rounds(fitted):
    X = mixed_frame(64, seed=4)
    running = np.zeros(64)
    stages = list(fitted.staged_decision_function(X))
    assert len(stages) == fitted.n_iter_
    for stage, hypothesis, weight in zip(
        stages, fitted.estimators_, fitted.estimator_weights_, strict=True
    ):
        running += weight * round_says(hypothesis, X)
        assert np.abs(stage - running).max() < 1e-9


@every_mixed_learner
def test_scores_do_not_depend_on_how_rows_fall_into_batches(learner):
    train = mixed_frame(800, seed=1)
    model = RealAdaBoostClassifier(weak(RealAdaBoostClassifier, learner), n_estimators=60)
    model.fit(train, noisy_labels(train, seed=2))
    X = mixed_frame(20_000, seed=3)
    together = model.decision_function(X)
    for rows in (0, 1, 15, 16, 17, 63, 64, 65, 2047, 2048, 2049, 16385):
        start = 20_000 - rows
        assert np.array_equal(model.decision_function(X[:rows]), together[:rows])
        assert np.array_equal(model.decision_function(X[start:]), together[start:])


@pytest.mark.slow
@some_mixed_pairs
def test_many_threads_score_at_once_and_get_the_same(booster, learner, tmp_path):
    X = mixed_frame(20_000, seed=1)
    model = booster(weak(booster, learner), n_estimators=10)
    model.fit(X, noisy_labels(X, seed=2)).save(tmp_path / "model.json")
    expected = weakforce.load(tmp_path / "model.json").decision_function(X)
    # A fresh model, so that the threads also race for the first fold.
    model = weakforce.load(tmp_path / "model.json")
    start = threading.Barrier(4)

    def score(_):
        start.wait()
        return [model.decision_function(X), list(model.staged_decision_function(X))[-1]]

    with ThreadPoolExecutor(4) as pool:
        for folded, staged in pool.map(score, range(4)):
            assert np.array_equal(folded, expected)
            assert np.abs(staged - expected).max() < 1e-9


def test_many_threads_fit_at_once_and_get_the_same():
    X = mixed_frame(3000, seed=1)
    y = noisy_labels(X, seed=2)
    expected = RealAdaBoostClassifier(n_estimators=40).fit(X, y).decision_function(X)

    def fit(_):
        return RealAdaBoostClassifier(n_estimators=40).fit(X, y).decision_function(X)

    with ThreadPoolExecutor(4) as pool:
        assert all(np.array_equal(scores, expected) for scores in pool.map(fit, range(8)))


class Bystander:
    """A Python thread that leaves its mark as soon as it gets the GIL after being called."""

    def __init__(self):
        self.called, self.marked = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.wait)
        self.thread.start()

    def wait(self):
        self.called.wait()
        self.marked.set()

    def during(self, job, *args, **named):
        """Run the job and return its result and whether the mark was left meanwhile."""
        self.called.set()
        result = job(*args, **named)
        marked = self.marked.is_set()
        self.thread.join()
        return result, marked


@pytest.fixture
def no_switching():
    """Threads switch only where the GIL is given up of free will."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(30)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("no_switching")
def test_python_threads_run_during_fit_and_predict(monkeypatch):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300_000, 8))
    seen = []
    fit = weakforce._core.fit

    def watched(*args, **storage):
        result, marked = Bystander().during(fit, *args, **storage)
        seen.append(marked)
        return result

    monkeypatch.setattr(weakforce._core, "fit", watched)
    model = DiscreteAdaBoostClassifier(n_estimators=50).fit(X, generator.integers(0, 2, len(X)))
    assert seen == [True]
    scores, marked = Bystander().during(model.fitted_model_.core.decision_function, X, None)
    assert marked
    stages, marked = Bystander().during(model.fitted_model_.core.staged, X, None)
    assert marked
    assert len(scores) == len(next(stages)) == len(X)


@pytest.mark.usefixtures("no_switching")
def test_a_job_that_keeps_the_gil_would_be_noticed():
    _, marked = Bystander().during(sum, range(3_000_000))
    assert not marked
