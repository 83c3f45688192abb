"""Predictions for rows that are spread over a cluster.

In: a fitted estimator, and Dask collections or Parquet files. Out: Dask collections, in the
partitions of the rows; nothing is computed before they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
from dask.base import is_dask_collection
from dask.delayed import Delayed, delayed
from distributed import Future
from sklearn.utils.validation import check_is_fitted

from .._estimator.base import BoostingClassifier
from .._files.failures import reading
from .files import list_files, paths_in

#: What rows may be.
_EXPECTED = "a Dask DataFrame or Array, a list of delayed frames, or Parquet files"


def predict(model: BoostingClassifier, X: Any) -> Any:
    """Return the label of every row.

    Parameters:
        model: a fitted estimator of weakforce.
        X: a Dask DataFrame or Array, a list of delayed frames, or Parquet files as for `fit`.

    Returns:
        A Dask Series with the index of a Dask DataFrame; of other rows a Dask Array.
    """
    return _scored(model, X, "predict", None)


def predict_proba(model: BoostingClassifier, X: Any) -> Any:
    """Return the probability of each class for every row.

    Parameters:
        model: a fitted estimator of weakforce.
        X: a Dask DataFrame or Array, a list of delayed frames, or Parquet files as for `fit`.

    Returns:
        A Dask DataFrame with a column for each class if X is one; of other rows a Dask Array.
    """
    return _scored(model, X, "predict_proba", _labels(model))


def decision_function(model: BoostingClassifier, X: Any) -> Any:
    """Return the score of every row, of more than two classes one for each.

    Parameters:
        model: a fitted estimator of weakforce.
        X: a Dask DataFrame or Array, a list of delayed frames, or Parquet files as for `fit`.

    Returns:
        A Dask Series, or a Dask DataFrame with a column for each class, if X is a Dask DataFrame;
        of other rows a Dask Array.
    """
    labels = _labels(model)
    return _scored(model, X, "decision_function", labels if len(labels) > 2 else None)


def _labels(model: Any) -> list[Any]:
    """Return the classes, by which columns are named; refuse what was not fitted."""
    if not isinstance(model, BoostingClassifier):
        given = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(f"parameter 'model': got {given}, expected a fitted booster of weakforce")
    check_is_fitted(model)
    if model.fitted_model_.has_label_sets:
        raise ValueError(
            "parameter 'model': it predicts several labels for each row, expected one, because "
            "rows are spread over workers"
        )
    labels: list[Any] = model.fitted_model_.labels
    return labels


def _scored(model: BoostingClassifier, X: Any, method: str, columns: list[Any] | None) -> Any:
    """Return what a method says of each partition; `columns` are the names of several numbers."""
    classes = np.asarray(model.classes_) if _labels(model) else None
    dtype = classes.dtype if method == "predict" and classes is not None else np.dtype(np.float64)
    kept = delayed(model, pure=True)  # sent to each worker once
    score = _scorer(method, None if columns is None else len(columns), dtype)
    if isinstance(X, dask.array.Array):
        if X.ndim != 2:
            raise ValueError(f"X: got a Dask Array of {X.ndim} dimensions, expected two")
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        sizes = list(X.chunks[0])
        return _array(kept, list(X.to_delayed().flatten()), sizes, (score, columns, dtype))
    if is_dask_collection(X) and isinstance(X, dask.dataframe.DataFrame):
        meta = _meta(X._meta, columns, dtype)
        return X.map_partitions(
            _score_frame, kept, score, columns, meta=meta, enforce_metadata=False
        )
    if isinstance(X, (list, tuple)) and X and all(isinstance(one, (Delayed, Future)) for one in X):
        parts = [delayed(one) for one in X]
        return _array(kept, parts, [np.nan] * len(parts), (score, columns, dtype))
    paths = paths_in(X)
    if paths is not None:
        names = [name for name, _ in delayed(list_files)(paths).compute()]
        parts = [delayed(_read)(name, model.fitted_model_.feature_names) for name in names]
        return _array(kept, parts, [np.nan] * len(parts), (score, columns, dtype))
    raise TypeError(f"X: got {type(X).__name__}, expected {_EXPECTED}")


def _read(name: str, columns: list[str] | None) -> pl.DataFrame:
    """Return the columns of a file that a model needs."""
    with reading(name):
        return pl.read_parquet(name, columns=columns, glob=False)


def _scorer(method: str, n_columns: int | None, dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    def score(model: BoostingClassifier, rows: Any) -> Any:
        if len(rows) == 0:
            return np.empty((0,) if n_columns is None else (0, n_columns), dtype=dtype)
        return np.asarray(getattr(model, method)(rows))

    return score


def _array(kept: Any, parts: list[Any], sizes: list[Any], how: tuple[Any, Any, Any]) -> Any:
    score, columns, dtype = how
    job = delayed(score, pure=True)
    arrays = [
        dask.array.from_delayed(
            job(kept, part), (size,) if columns is None else (size, len(columns)), dtype=dtype
        )
        for part, size in zip(parts, sizes, strict=True)
    ]
    return dask.array.concatenate(arrays, allow_unknown_chunksizes=True)


def _meta(frame: pd.DataFrame, columns: list[Any] | None, dtype: np.dtype[Any]) -> Any:
    if columns is None:
        return pd.Series(np.empty(0, dtype=dtype), index=frame.index[:0])
    return pd.DataFrame(np.empty((0, len(columns))), columns=columns, index=frame.index[:0])


def _score_frame(
    frame: pd.DataFrame, model: Any, score: Callable[[Any, Any], Any], columns: list[Any] | None
) -> Any:
    values = score(model, frame)
    if columns is None:
        return pd.Series(values, index=frame.index)
    return pd.DataFrame(values, columns=columns, index=frame.index)
