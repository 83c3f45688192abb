"""Random frames of random types: fit works or refuses politely, and what is fitted keeps its word.

Whatever hypothesis thinks of (huge, tiny, infinite, constant, missing, empty names, odd text), the
scores are finite, folded equals staged, and a saved model scores the same after loading.
"""

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weakforce
from support.random_frames import TYPES, columns, problems
from support.registry import (
    GENTLE,
    MIXED_LEARNERS,
    OWN_STEPS,
    UNSHRUNK,
    VOTING,
    every_booster,
    some_mixed_pairs,
    weak,
)
from weakforce._reading.model_file import from_bytes


@st.composite
def parameters(draw, booster):
    """Parameters of any booster, and answers that it can use."""
    answers = ["auto", "vote"]
    if booster._kind in OWN_STEPS:
        answers = ["auto"]
    elif booster._kind not in VOTING:
        bounded = booster._class_by_class or booster._kind in GENTLE
        answers += ["gentle"] if bounded else ["logistic", "gentle"]
    learner = draw(st.sampled_from(MIXED_LEARNERS))()
    options = {
        "criterion": ["error", "z", "gini"],
        "answer": answers,
        "smoothing": [None, 0.0, 0.1],
        "max_literals": [1, 2, 5],
        "min_gain": [0.0, 0.1],
        "max_leaf_nodes": [2, 3, 12, 1000],
        "max_depth": [None, 1, 3],
        "min_samples_leaf": [1, 2, 10],
        "min_weight_leaf": [0.0, 0.1],
    }
    for name in learner.get_params():
        if name in options:
            learner.set_params(**{name: draw(st.sampled_from(options[name]))})
    return {
        "estimator": draw(st.sampled_from([None, learner])),
        "n_estimators": draw(st.integers(1, 12)),
        "max_bins": draw(st.sampled_from([2, 3, 255, 300, 65535])),
        "learning_rate": draw(st.sampled_from([1.0] if booster._kind in UNSHRUNK else [1.0, 0.1])),
        "early_stopping": draw(st.booleans()),
        "class_weight": draw(st.sampled_from([None, "balanced"])),
        "random_state": 0,
    }


def check(model, X: pl.DataFrame) -> None:
    """What every fitted model promises on any rows."""
    scores = model.decision_function(X)
    assert np.isfinite(scores).all()
    stages = list(model.staged_decision_function(X))
    assert len(stages) == model.n_iter_
    last = stages[-1] if stages else scores[:1]  # the same for all rows
    assert np.abs(scores - last).max() <= 1e-9 * max(1.0, np.abs(scores).max())
    probabilities = model.predict_proba(X)
    assert np.isfinite(probabilities).all()
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).all()
    again = from_bytes(stored(model))
    assert again.decision_function(X).tobytes() == scores.tobytes()
    assert again.estimators_ == model.estimators_
    assert all(str(hypothesis) for hypothesis in model.estimators_)


def stored(model) -> bytes:
    """The bytes that `save` would write."""
    return model.fitted_model_.core.to_json(
        weakforce._reading.model_file.describe(model.fitted_model_, model.get_params(deep=False))
    )


@pytest.mark.slow
@every_booster
def test_random_frames_are_learned_or_refused(booster):
    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    @given(problem=problems(), chosen=parameters(booster), other=st.randoms())
    def run(problem, chosen, other):
        X, y, weights = problem
        model = booster(**chosen)
        try:
            model.fit(X, y, weights)
        except ValueError as error:
            # The frames are legal, only the labels may be hopeless.
            heavy = {label for i, label in enumerate(y) if weights is None or weights[i] > 0}
            if len(heavy) == 2:
                raise AssertionError("a legal problem was refused") from error
            return
        check(model, X)
        assert abs(model.row_weights_.sum() - 1) < 1e-9
        assert (model.row_weights_ >= 0).all()
        assert ((model.train_score_ >= 0) & (model.train_score_ <= 1 + 1e-9)).all()
        rows = [other.randrange(len(X)) for _ in range(7)]
        check(model, X[rows])
        gaps = X[rows].with_columns(pl.lit(None, X.dtypes[0]).alias(X.columns[0]))
        check(model, gaps)

    run()


@pytest.mark.slow
@some_mixed_pairs
def test_other_frames_with_the_same_columns_are_scored(booster, learner):
    @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def run(data):
        kinds = data.draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3))
        rows = data.draw(st.integers(2, 20))
        X = pl.DataFrame(
            data.draw(columns(rows, kind)).alias(f"{i}") for i, kind in enumerate(kinds)
        )
        model = booster(weak(booster, learner), n_estimators=6).fit(X, np.arange(rows) % 2)
        new = (data.draw(columns(5, kind)).alias(f"{i}") for i, kind in enumerate(kinds))
        check(model, pl.DataFrame(new))

    run()
