"""Random frames of random types: what is exported scores other frames with the same columns."""

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.exported_models import (
    EXPORTED,
    LEARNERS,
    DuckDBEngine,
    SQLiteEngine,
    agrees,
    polars_scores,
    scored,
)
from support.random_frames import TYPES, columns
from support.registry import UNSHRUNK, weak

#: Types that Polars does not hand over to DuckDB.
NOT_IN_ARROW = (pl.Null, pl.Int128)
KINDS = [kind for kind in TYPES if kind[0] not in NOT_IN_ARROW]


@st.composite
def scored_frames(draw, kinds):
    """A fitted model and a frame with the columns that it has seen."""
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    rows = draw(st.integers(2, 30))

    def frame(n_rows: int) -> pl.DataFrame:
        drawn = (draw(columns(n_rows, kind)).alias(f"{at}") for at, kind in enumerate(chosen))
        return pl.DataFrame(list(drawn))

    X, new = frame(rows), frame(6)
    booster, learner = draw(st.sampled_from(EXPORTED)), draw(st.sampled_from(LEARNERS))
    numbers = [f"{at}" for at, dtype in enumerate(X.dtypes) if dtype.is_integer()]
    model = booster(
        weak(booster, learner),
        n_estimators=5,
        max_bins=draw(st.sampled_from([2, 4, 255])),
        learning_rate=draw(st.sampled_from([1.0] if booster._kind in UNSHRUNK else [1.0, 0.1])),
        categorical_features=draw(st.sampled_from([[], numbers])),
        random_state=0,
    )
    return model.fit(X, np.arange(rows) % draw(st.integers(2, min(3, rows)))), pl.concat([X, new])


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=scored_frames(TYPES))
def test_expressions_score_random_frames(problem):
    model, X = problem
    assert agrees(polars_scores(model, X), model, X)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=scored_frames(KINDS))
def test_queries_score_random_frames(problem):
    model, X = problem
    for engine in (DuckDBEngine(X), SQLiteEngine(X)):
        assert agrees(scored(engine, model, X)[0], model, X), engine.dialect
