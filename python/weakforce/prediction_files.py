"""Predictions for files: what `weakforce predict` does, for Python.

In: a model and the names of files. Out: a file of predictions, or a frame. Files are read and
written in batches, so they may be larger than memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias, overload

import polars as pl
from sklearn.utils.validation import check_is_fitted

from ._estimator.base import BoostingClassifier
from ._files.columns import check_name, columns_of
from ._files.formats import SUFFIXES, format_by_suffix, matching_files
from ._files.outputs import frames_writer
from ._files.predictions import Output, predictions
from ._files.scored import Scorer
from ._files.tables import Table
from ._reading.model_file import load

__all__ = ["predict_file"]

#: The name of a file.
FilePath: TypeAlias = str | os.PathLike[str]


@overload
def predict_file(
    model: BoostingClassifier | FilePath,
    paths: FilePath | Iterable[FilePath],
    out: None = None,
    *,
    keep: str | Iterable[str] = ...,
    keep_all: bool = ...,
    proba: bool = ...,
    scores: bool = ...,
    n_jobs: int | None = ...,
) -> pl.DataFrame: ...


@overload
def predict_file(
    model: BoostingClassifier | FilePath,
    paths: FilePath | Iterable[FilePath],
    out: FilePath,
    *,
    keep: str | Iterable[str] = ...,
    keep_all: bool = ...,
    proba: bool = ...,
    scores: bool = ...,
    n_jobs: int | None = ...,
) -> None: ...


def predict_file(
    model: BoostingClassifier | FilePath,
    paths: FilePath | Iterable[FilePath],
    out: FilePath | None = None,
    *,
    keep: str | Iterable[str] = (),
    keep_all: bool = False,
    proba: bool = False,
    scores: bool = False,
    n_jobs: int | None = None,
) -> pl.DataFrame | None:
    """Predict the rows of files, in batches and in their order.

    Only the columns that the model needs, and those to keep, are read. The core reads Parquet files
    itself, which is the fastest way. Columns of CSV files are read as what they were during fit;
    kept columns of CSV files stay texts.

    Parameters:
        model: a fitted estimator, or the path of a model file that `save` or `weakforce fit` wrote.
        paths: one file or several; Parquet (.parquet, .pq), CSV (.csv), TSV (.tsv) or Arrow IPC
            (.arrow, .feather, .ipc), by their suffixes. A path may be a pattern such as
            "part-*.parquet", whose files are taken in the order of their names.
        out: the file to write, of one of the same formats by its suffix. A file that exists is
            replaced, all at once in the end; if something fails, it stays as it was. None means
            that the predictions are returned as a frame.
        keep: columns of the files to put before the predictions.
        keep_all: whether to keep all columns.
        proba: whether to add a column probability_LABEL for each class.
        scores: whether to add the column score (of two classes; positive speaks for the second), or
            score_LABEL for each class.
        n_jobs: number of threads; None means the `n_jobs` of the model, −1 all cores.

    Returns:
        A frame with the columns to keep, prediction, and what else was asked for; None with `out`.

    Raises:
        FileNotFoundError: a file does not exist, or nothing matches a pattern.
        OSError: a file cannot be read or written; the message names it.
        ValueError: a column is missing, or a parameter is wrong; the message names it.

    Examples:
        >>> import tempfile, pathlib, weakforce
        >>> domain = weakforce.datasets.make_xd6(300, seed=1)
        >>> model = weakforce.RealAdaBoostClassifier(n_estimators=10).fit(domain.X, domain.y)
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for part in range(3):
        ...     rows = domain.X[100 * part : 100 * (part + 1)].with_row_index("id", 100 * part)
        ...     rows.write_parquet(folder / f"part-{part}.parquet")
        >>> found = weakforce.predict_file(model, folder / "part-*.parquet", keep="id", proba=True)
        >>> found.columns
        ['id', 'prediction', 'probability_0', 'probability_1']
        >>> bool((found["prediction"].to_numpy() == model.predict(domain.X)).all())
        True
        >>> weakforce.predict_file(model, folder / "part-1.parquet", folder / "predictions.csv")
        >>> (folder / "predictions.csv").read_text().split()[0]
        'prediction'
    """
    target = None if out is None else _output_path(out)
    estimator = _fitted_estimator(model)
    scorer = Scorer(estimator.fitted_model_, estimator.n_jobs if n_jobs is None else n_jobs)
    tables = [Table(name, _input_format(name)) for name in _file_names(paths)]
    kept = _kept(tables[0], keep, keep_all)
    output = Output(kept, bool(proba), bool(scores))
    schema, frames = predictions(scorer, tables, output)
    if target is None:
        return pl.concat([pl.DataFrame(schema=schema), *frames])
    with frames_writer(target, str(format_by_suffix(target)), schema) as write:
        for frame in frames:
            write(frame)
    return None


def _fitted_estimator(model: Any) -> BoostingClassifier:
    if isinstance(model, (str, os.PathLike)):
        model = load(model)
    if not isinstance(model, BoostingClassifier):
        raise TypeError(
            f"parameter 'model': got {type(model).__name__}, expected a fitted estimator of this "
            "library or the path of a model file"
        )
    check_is_fitted(model)
    if not hasattr(model, "feature_names_in_"):
        raise ValueError(
            "parameter 'model': it was fitted to an array without column names, expected one that "
            "was fitted to a frame, whose columns are found in the files by their names"
        )
    return model


def _file_names(paths: Any) -> list[str]:
    """Return the files that paths and patterns stand for."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    if not isinstance(paths, Iterable) or isinstance(paths, (bytes, dict)):
        raise TypeError(
            f"parameter 'paths': got {type(paths).__name__}, expected a path or a list of paths"
        )
    names = [file for path in paths for file in matching_files(_text(path, "paths"))]
    if not names:
        raise ValueError("parameter 'paths': got no path, expected at least one")
    return names


def _input_format(name: str) -> str:
    format = format_by_suffix(name)
    if format is None:
        raise ValueError(
            f"parameter 'paths': got {name!r}, expected a file that ends in one of {SUFFIXES}"
        )
    return format


def _output_path(out: Any) -> str:
    name = _text(out, "out")
    if format_by_suffix(name) is None:
        raise ValueError(
            f"parameter 'out': got {name!r}, expected a file that ends in one of {SUFFIXES}"
        )
    return name


def _text(path: Any, parameter: str) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"parameter {parameter!r}: got {type(path).__name__}, expected a path")
    return str(Path(path))


def _kept(table: Table, keep: Any, keep_all: bool) -> list[str]:
    """Return the columns to keep, all of which the first table has."""
    found = columns_of(table.scan({}), table.name)
    if keep_all:
        return found
    if not isinstance(keep, Iterable):
        raise TypeError(
            f"parameter 'keep': got {type(keep).__name__}, expected a list of column names"
        )
    names = [keep] if isinstance(keep, str) else list(keep)
    for name in names:
        check_name(name, found, "parameter 'keep'")
    return list(dict.fromkeys(names))
