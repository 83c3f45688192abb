"""What holds after every fit that succeeds.

In: a fitted model, and the rows it was fitted to. Out: nothing, or an error: numbers are finite,
what is saved, loaded, pickled or exported says the same, and contributions add up.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import weakforce

from .refusals import fault_of, must_hold

#: The most rows and hypotheses for which exports are run by other engines, which take long over
#: expressions of thousands of leaves.
_MOST_EXPORTED, _MOST_HYPOTHESES = 500, 100


def check(model: Any, X: Any, y: Any, frame: pl.DataFrame | None) -> None:
    """Check a model that was just fitted to X and y; `frame` is X as a Polars frame, if it can."""
    _check_numbers(model)
    scores = check_scores(model, X)
    _check_judgements(model, X, y)
    _check_files(model, X, scores)
    _check_pickle(model, X, scores)
    _check_reading(model)
    check_contributions(model, X, scores)
    if frame is not None:
        check_exports(model, frame)


def refused(call: Callable[[], Any]) -> Any:
    """Return what a call returns; None if it refuses in the library's own words."""
    try:
        return call()
    except Exception as error:
        if fault_of(error) is not None:
            raise
        return None


def check_scores(model: Any, X: Any) -> Any:
    """Check scores, probabilities and answers; return the scores."""
    scores = model.decision_function(X)
    must_hold(bool(np.isfinite(scores).all()), "scores are finite", scores)
    shares = model.predict_proba(X)
    must_hold(bool(np.isfinite(shares).all()), "probabilities are finite", shares)
    must_hold(bool(((shares >= 0) & (shares <= 1)).all()), "probabilities are in [0, 1]", shares)
    answers = model.predict(X)
    fitted = model.fitted_model_
    if not fitted.has_label_sets:
        sums = shares.sum(axis=1)
        must_hold(bool((np.abs(sums - 1) <= 1e-9).all()), "probabilities sum to 1", sums)
        if fitted.costs is None and len(scores):
            best = model.classes_[shares.argmax(axis=1)]
            must_hold(bool((best == answers).all()), "predict is the argmax of predict_proba")
    return scores


def _check_numbers(model: Any) -> None:
    for name in (
        *("estimator_weights_", "estimator_errors_", "edges_", "train_score_", "row_weights_"),
        "validation_score_",
    ):
        numbers = getattr(model, name)
        must_hold(bool(np.isfinite(numbers).all()), f"{name} is finite", numbers)
    scores = model.train_score_
    must_hold(bool(((scores >= 0) & (scores <= 1 + 1e-9)).all()), "train_score_ is a share", scores)
    weights = model.row_weights_
    must_hold(bool((weights >= 0).all()), "row_weights_ are not negative", weights)
    must_hold(abs(weights.sum() - 1) < 1e-9, "row_weights_ sum to 1", weights.sum())
    importances = getattr(model, "feature_importances_", None)
    if importances is not None:
        must_hold(bool(np.isfinite(importances).all()), "importances are finite", importances)
        total = importances.sum()
        must_hold(total == 0 or abs(total - 1) < 1e-9, "importances sum to 1", total)


def _check_judgements(model: Any, X: Any, y: Any) -> None:
    share = model.score(X, y)
    must_hold(0.0 <= share <= 1.0, "score is a share", share)
    margins = model.margins(X, y)
    known = margins[~np.isnan(margins)] if model.fitted_model_.has_label_sets else margins
    must_hold(bool(np.isfinite(known).all()), "margins are finite", margins)


def _check_files(model: Any, X: Any, scores: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder, "model.json"), Path(folder, "again.json")
        refused(lambda: model.save(path))
        if not path.exists():
            return
        loaded = weakforce.load(path)
        loaded.save(again)
        must_hold(path.read_bytes() == again.read_bytes(), "a loaded model saves the same bytes")
    same = loaded.decision_function(X).tobytes() == scores.tobytes()
    must_hold(same, "a loaded model has the same scores")
    must_hold(_same(loaded.predict(X), model.predict(X)), "a loaded model has the same answers")


def _check_pickle(model: Any, X: Any, scores: Any) -> None:
    if callable(model.callbacks if hasattr(model, "callbacks") else None) or isinstance(
        getattr(model, "callbacks", None), list
    ):
        return  # functions of this program cannot be pickled
    again = pickle.loads(pickle.dumps(model))
    same = again.decision_function(X).tobytes() == scores.tobytes()
    must_hold(same, "a pickled model has the same scores")
    must_hold(_same(again.predict(X), model.predict(X)), "a pickled model has the same answers")


def _same(first: Any, second: Any) -> bool:
    return repr(list(first)) == repr(list(second))


def _check_reading(model: Any) -> None:
    must_hold(isinstance(model.summary(5), str), "a summary is a text")
    refused(model.rules)
    refused(lambda: model.rules(merge=True))
    must_hold(all(str(found) for found in model.estimators_), "hypotheses can be printed")


def check_contributions(model: Any, X: Any, scores: Any) -> None:
    """Check that contributions add up to the scores, or are refused."""
    parts = refused(lambda: model.contributions(X))
    if parts is None:
        return
    width = model.n_features_in_ + 1
    sums = np.zeros(parts.height)
    for column in parts.get_columns()[-width:]:
        sums += column.to_numpy()
    _must_be_near(sums, scores, "contributions add up to the scores")


def check_exports(model: Any, frame: pl.DataFrame) -> None:
    """Check that Polars and DuckDB give the scores of the model, or that the export is refused."""
    if frame.height > _MOST_EXPORTED or model.fitted_model_.n_members > _MOST_HYPOTHESES:
        return
    # A container may have changed values, as pandas does with the shortest duration.
    scores = refused(lambda: model.decision_function(frame))
    if scores is None:
        return
    expression = refused(model.to_polars)
    if expression is not None:
        found = frame.select(expression).to_series()
        if found.dtype == pl.Struct:
            found = found.struct.unnest()
        _must_be_near(found.to_numpy(), scores, "to_polars gives the scores")
    query = refused(lambda: model.to_sql("rows", keep=["key of the fuzzer"]))
    # An interval of DuckDB has no nanoseconds.
    if query is not None and pl.Duration("ns") not in frame.dtypes:
        _check_query(query, frame, scores)
    refused(lambda: model.to_sql("rows", dialect="sqlite"))
    refused(lambda: model.to_sql("rows", dialect="postgres"))


def _check_query(query: str, frame: pl.DataFrame, scores: Any) -> None:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    try:
        connection.register("arrow", frame.with_row_index("key of the fuzzer").to_arrow())
        connection.execute('CREATE TABLE "rows" AS SELECT * FROM arrow')
    except Exception:  # DuckDB does not have all types, and its names ignore case
        return
    rows = sorted(connection.execute(query).fetchall(), key=lambda row: row[0])
    n_scores = 1 if scores.ndim == 1 else scores.shape[1]
    found = np.array([row[1 : 1 + n_scores] for row in rows], dtype=np.float64)
    _must_be_near(found, scores, "to_sql gives the scores")


def _must_be_near(found: Any, scores: Any, name: str) -> None:
    found = np.asarray(found, dtype=np.float64)
    must_hold(found.size == scores.size, name, f"{found.shape} numbers for {scores.shape}")
    gap = np.abs(found.reshape(scores.shape) - scores)
    limit = 1e-9 * max(1.0, float(np.abs(scores).max(initial=0.0)))
    must_hold(bool((gap <= limit).all()), name, f"they differ by {gap.max(initial=0.0)}")
