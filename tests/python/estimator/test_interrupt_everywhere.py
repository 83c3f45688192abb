"""Ctrl-C ends every public call that can take long, in a process of its own as users have it.

In: calls on rows that keep them busy for a while. Out: the seconds from the signal to their end.
The promise is half a second; the tests allow two, for machines that are busy with other
things, and report the true latency (`pytest -rP`, or the junit property `latency`).
"""

import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import weakforce
from weakforce import Rule, Tree

#: Seconds from the signal to the end of the call.
PATIENCE = 2.0
#: When the signal comes, as parts of the seconds that the call takes if nobody interrupts it, and
#: the most of these that are waited for.
PARTS, LONGEST = (0.1, 0.4, 0.8), 8.0


def problem(rows=60_000, columns=20, classes=2, seed=0):
    """Rows that no booster is done with soon."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=rows)
    limits = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    return X, np.digitize(score, limits)


def small_model(booster, *, rows=4_000, classes=2, **parameters):
    """A model of few rows, to be asked about many."""
    return booster(**parameters).fit(*problem(rows, classes=classes))


def fit(booster, *, rows=60_000, columns=20, classes=2, **parameters):
    """A fit that takes a while."""
    X, y = problem(rows, columns, classes)
    return lambda: booster(**parameters).fit(X, y)


def about_many(booster, method, *, rows=200_000, classes=2, **parameters):
    """A method of a fitted model on many rows."""
    model = small_model(booster, classes=classes, **parameters)
    X = problem(rows, classes=classes)[0]
    return lambda: getattr(model, method)(X)


def reweight(method, C=None):
    """The best weights of many votes."""
    X, y = problem(100_000)
    model = weakforce.DiscreteAdaBoostClassifier(n_estimators=150).fit(X, y)
    return lambda: weakforce.reweight(model, X, y, method=method, C=C)


def judged(function):
    """What looks at the margins of all rounds."""
    X, y = problem(300_000)
    model = small_model(weakforce.DiscreteAdaBoostClassifier, n_estimators=300)
    return lambda: function(model, X, y)


def from_file(call, rows=400_000):
    """A call that reads a Parquet file, which is written first."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "rows.parquet")
    X, y = problem(rows)
    pl.DataFrame(X, schema=[f"c{at}" for at in range(X.shape[1])]).with_columns(
        label=pl.Series(y)
    ).write_parquet(path)
    return lambda folder=folder: call(path)


def fit_file(path):
    weakforce.LogitBoostClassifier(Tree(), n_estimators=100).fit(path, "label")


def predict_file():
    X, y = problem(4_000)
    frame = pl.DataFrame(X, schema=[f"c{at}" for at in range(X.shape[1])])
    model = weakforce.LogitBoostClassifier(Tree(), n_estimators=400).fit(frame, y)
    return from_file(lambda path: weakforce.predict_file(model, path, keep=["label"]))


def staged():
    """All stages of the scores of many rows."""
    booster = weakforce.DiscreteAdaBoostClassifier
    stages = about_many(booster, "staged_decision_function", n_estimators=400)
    return lambda: sum(scores[0] for scores in stages())


def suspects():
    """Labels that may be wrong, of many rows."""
    X, y = problem(20_000)
    return lambda: weakforce.suspect_labels(X, y)


#: By name: what makes a call ready.
CALLS = {
    "fit default": lambda: fit(weakforce.WeakForceClassifier),
    "fit trees": lambda: fit(weakforce.LogitBoostClassifier, estimator=Tree(), n_estimators=300),
    "fit rules": lambda: fit(weakforce.RealAdaBoostClassifier, estimator=Rule(), n_estimators=60),
    "fit one-vs-one": lambda: fit(
        weakforce.DiscreteAdaBoostClassifier, classes=60, multi_class="ovo", n_estimators=20
    ),
    "fit LPAdaBoost": lambda: fit(weakforce.LPAdaBoostClassifier, n_estimators=150, C=5.0),
    "fit LPBoost": lambda: fit(weakforce.LPBoostClassifier, rows=20_000),
    "fit SoftBoost": lambda: fit(weakforce.SoftBoostClassifier, rows=20_000),
    "fit MartiBoost": lambda: fit(weakforce.MartiBoostClassifier, n_layers=60),
    "fit file": lambda: from_file(fit_file),
    "reweight lp-reg": lambda: reweight("lp-reg", 5.0),
    "reweight qp-reg": lambda: reweight("qp-reg", 5.0),
    "reweight l1": lambda: reweight("l1", 5.0),
    "predict": lambda: about_many(
        weakforce.LogitBoostClassifier, "predict", estimator=Tree(), n_estimators=500
    ),
    "staged": staged,
    "predict_file": predict_file,
    "contributions": lambda: about_many(
        weakforce.LogitBoostClassifier, "contributions", estimator=Tree(), n_estimators=60
    ),
    "contributions of counts": lambda: about_many(
        weakforce.SFBoostClassifier, "contributions", rows=50_000, prune=False
    ),
    "contributions of grids": lambda: about_many(
        weakforce.MartiBoostClassifier, "contributions", rows=50_000, n_layers=20
    ),
    "margin_curve": lambda: judged(weakforce.margin_curve),
    "suspect_labels": suspects,
}


def serve():
    """Run the call that is named in the arguments as often as a line comes; answer each time."""
    is_armed = False

    def handle(number, frame):
        # A signal that comes too late must not end the process.
        if is_armed:
            signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, handle)
    call = CALLS[sys.argv[1]]()
    print("ready", flush=True)
    for _ in sys.stdin:
        try:
            is_armed = True
            call()
            is_armed = False
            print("done", flush=True)
        except KeyboardInterrupt:
            is_armed = False
            print("interrupted", flush=True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_every_call(name, record_property):
    program = [sys.executable, "-W", "ignore", __file__, name]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    latencies = []
    with subprocess.Popen(program, **pipes) as process:
        try:
            assert process.stdout.readline() == "ready\n"

            def ask():
                process.stdin.write("\n")
                process.stdin.flush()

            begun = time.perf_counter()
            ask()
            longest = waited(process, begun)
            for part in PARTS:
                ask()
                time.sleep(part * longest)
                sent = time.perf_counter()
                process.send_signal(signal.SIGINT)
                answer = process.stdout.readline()
                if answer == "interrupted\n":
                    latencies.append(time.perf_counter() - sent)
        finally:
            process.kill()
    record_property("latency", round(max(latencies, default=0.0), 3))
    print(f"{name}: {longest:.2f} s; latencies {[round(found, 3) for found in latencies]}")
    assert latencies, "the call was done before any signal came"
    assert max(latencies) < PATIENCE


def waited(process, begun):
    """The seconds that a call takes, which is interrupted if these are too many."""
    ready, _, _ = select.select([process.stdout], [], [], LONGEST)
    if not ready:
        process.send_signal(signal.SIGINT)
    assert process.stdout.readline() in ("done\n", "interrupted\n")
    return min(time.perf_counter() - begun, LONGEST)


if __name__ == "__main__":
    serve()
