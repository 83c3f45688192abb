"""A forked process fits and predicts although neither Polars nor the core has threads there.

What cannot do without the threads of Polars says so instead of waiting for ever.
"""

import os

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import weakforce
from support.forks import forked
from weakforce import RealAdaBoostClassifier, SoftmaxBoostClassifier, WeakForceClassifier

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")

#: Enough rows for several threads.
X = np.random.default_rng(3).normal(size=(20_000, 4))
Y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
FEW = X[:300], Y[:300]
FRAME = pl.DataFrame(FEW[0], schema=list("abcd"))


def booster(**parameters) -> RealAdaBoostClassifier:
    return RealAdaBoostClassifier(n_estimators=3, n_jobs=2, **parameters)


@pytest.fixture(scope="module")
def fitted():
    """A model whose fit has started threads of the core; those of Polars run as well."""
    pl.DataFrame({"a": X[:, 0]}).lazy().select(pl.col("a").sort(), b=pl.col("a") + 1).collect()
    return booster().fit(X, Y)


LABELS = {
    "strings": Y,
    "list": Y.tolist(),
    "integers": (Y == "yes").astype(int),
    "arrow": pa.array(Y),
    "polars": pl.Series(Y),
    "polars categories": pl.Series(Y).cast(pl.Categorical),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_are_learned_and_judged_in_a_forked_process(name, fitted):
    y = LABELS[name]
    expected = booster().fit(X, y)
    scores, accuracy = forked(
        lambda: ((model := booster().fit(X, y)).decision_function(X), model.score(X, y))
    )
    assert np.array_equal(scores, expected.decision_function(X))
    assert accuracy == expected.score(X, y)


CONTAINERS = {
    "array of objects": np.array([["a", 1.0], ["b", 2.0]], dtype=object)[np.arange(300) % 2],
    "frame": FRAME,
    "frame of several chunks": pl.concat([FRAME[:100], FRAME[100:]], rechunk=False),
    "frame with null columns": FRAME.with_columns(e=None, f=None),
    "arrow": FRAME.to_arrow(),
    "pandas": FRAME.to_pandas(),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_rows_are_read_in_a_forked_process(name, fitted):
    rows, y = CONTAINERS[name], FEW[1]
    expected = booster().fit(rows, y).decision_function(rows)
    found = forked(lambda: booster().fit(rows, y).decision_function(rows))
    assert np.array_equal(found, expected)


SETS = pl.Series([["a", "b"] if label == "yes" else ["a"] for label in FEW[1]])

CALLS = {
    "contributions": lambda model: model.contributions(FEW[0]),
    "rules": lambda model: model.rules(merge=True),
    "margin curve": lambda model: weakforce.margin_curve(model, *FEW),
    "suspects": lambda model: weakforce.suspect_labels(*FEW, booster()),
    "default": lambda model: default().fit(*FEW).capacity_,
    "summary of the default": lambda model: default().fit(*FEW).summary(),
    "suspects of the default": lambda model: default().fit(*FEW).suspects_,
    "sets": lambda model: SoftmaxBoostClassifier(n_estimators=2).fit(FEW[0], SETS).predict(FEW[0]),
    "target by name": lambda model: (
        booster().fit(FRAME.with_columns(y=pl.Series(FEW[1])), "y").decision_function(FRAME)
    ),
}


def test_margins_are_drawn_in_a_forked_process(fitted):
    assert forked(lambda: len(weakforce.MarginDisplay.from_estimator(fitted, *FEW).lines_)) == 1


def default() -> WeakForceClassifier:
    return WeakForceClassifier(n_estimators=2, n_trees=2, random_state=0)


@pytest.mark.parametrize("name", CALLS)
def test_what_models_say_is_the_same_in_a_forked_process(name, fitted):
    found, expected = forked(lambda: CALLS[name](fitted)), CALLS[name](fitted)
    if isinstance(expected, (pl.DataFrame, pl.Series)):
        assert found.equals(expected)
    else:
        assert np.array_equal(found, expected)


def test_what_needs_the_threads_of_polars_is_refused_in_a_forked_process(fitted, tmp_path):
    FRAME.write_parquet(tmp_path / "rows.parquet")
    model = booster().fit(FRAME, FEW[1])
    for call in (
        lambda: model.predict(FRAME.lazy()),
        lambda: booster().fit(FRAME.lazy(), FEW[1]),
        lambda: weakforce.predict_file(model, tmp_path / "rows.parquet"),
    ):
        with pytest.raises(RuntimeError, match=r"Polars.*forked.*forkserver"):
            forked(call)


def test_a_pool_of_forked_processes_fits(fitted):
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(_score, [5, 6]).get(timeout=60)
    assert found == [_score(5), _score(6)]


def _score(n_estimators: int) -> float:
    return RealAdaBoostClassifier(n_estimators=n_estimators, n_jobs=2).fit(X, Y).score(X, Y)
