"""`weakforce fit`: from tables to a model file.

In: tables, a target, parameters of an estimator. Out: a model file, a table of facts and the
summary of the model.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import polars as pl

from .._estimator.base import BoostingClassifier
from .._files.failures import writing
from .._files.outputs import new_file
from .._fitting.labels import label_list
from .._fitting.storage import Storage
from .._reading.column_kinds import kinds_text
from .._reading.model_file import to_bytes
from .._reading.wording import label_text
from .clusters import check, fit_on_cluster
from .failures import UsageError, parameters_as_options
from .labelled import Labelled, read_more, read_training
from .options import DEFAULT, estimator_from
from .progress import Progress, is_terminal
from .tables import classes_text, counted, facts


def run(arguments: argparse.Namespace) -> None:
    """Fit a model and write it."""
    if arguments.rules < 0:
        raise UsageError(f"option --rules: got {arguments.rules}, expected a number >= 0")
    if arguments.validation and arguments.booster == DEFAULT:
        raise UsageError(
            f"option --validation: the booster {DEFAULT!r} judges itself on rows that its trees "
            "have not seen; use 'weakforce evaluate' afterwards, or another --booster"
        )
    model = estimator_from(arguments)
    if arguments.mistrust is not None and "mistrust" not in signature(model.fit).parameters:
        raise UsageError(
            f"option --mistrust: the booster {arguments.booster!r} takes no mistrust of rows; "
            "'--booster regularized' does"
        )
    with parameters_as_options():
        storage = Storage.of(arguments.checkpoint, arguments.checkpoint_every, arguments.codes_dir)
    storage = storage._replace(outlasts=True)  # until the model is written
    if arguments.dask is not None:
        _run_on_cluster(model, arguments, storage)
        return
    train = read_training(arguments.data, arguments, in_tiles=model._reads_tiles())
    validation = None
    if arguments.validation:
        validation = read_more(arguments.validation, arguments, like=train)
    began = time.perf_counter()
    _fit_watched(model, arguments.quiet, lambda: fit_to(model, train, validation, storage))
    seconds = time.perf_counter() - began
    _write_model(arguments.out, model)
    storage.remove()
    if not arguments.quiet:
        shown = sys.stderr if arguments.out == "-" else sys.stdout
        print(_facts(model, train, seconds, arguments.out), file=shown)
        print(f"\n{model.summary(arguments.rules)}", file=shown)


def _write_model(name: str, model: BoostingClassifier) -> None:
    """Write a model to a file or to standard output."""
    data = to_bytes(model.fitted_model_, model._saved_parameters())
    with new_file(name) as path, writing(name):
        path.write_bytes(data)


def fit_to(
    model: BoostingClassifier,
    train: Labelled[Any],
    validation: Labelled[Any] | None = None,
    storage: Storage | None = None,
) -> None:
    """Fit an estimator; what is wrong with a parameter is wrong with an option."""
    if train.categorical:
        model.set_params(categorical_features=list(train.categorical))
    for name in ("class_weight", "cost"):
        given = model.get_params(deep=False).get(name)
        if isinstance(given, dict):
            labels = {str(label): label for label in train.y.unique().to_list()}
            model.set_params(**{name: _by_label(given, labels)})
    more: dict[str, Any] = (
        {} if validation is None else {"X_val": validation.X, "y_val": validation.y}
    )
    if train.mistrust is not None:
        more["mistrust"] = train.mistrust
    if storage is not None:
        more["checkpoint"] = storage
    with parameters_as_options():
        model.fit(train.X, train.y, train.weights, **more)


def _run_on_cluster(
    model: BoostingClassifier, arguments: argparse.Namespace, storage: Storage
) -> None:
    """Fit a model on a Dask cluster, and write it."""
    check(arguments, model)
    began = time.perf_counter()
    _fit_watched(model, arguments.quiet, lambda: fit_on_cluster(model, arguments, storage))
    seconds = time.perf_counter() - began
    _write_model(arguments.out, model)
    storage.remove()
    if not arguments.quiet:
        kinds = kinds_text(model.fitted_model_.features)
        labels = label_list(model.classes_)
        entries = {
            "data": f"{counted(model.n_features_in_, 'column')}: {kinds}",
            "workers": str(len(model.fit_traffic_)),
            "classes": f"{len(labels)}: {', '.join(map(label_text, labels))}",
        }
        shown = sys.stderr if arguments.out == "-" else sys.stdout
        print(facts(entries | _ending(model, seconds, arguments.out)), file=shown)
        print(f"\n{model.summary(arguments.rules)}", file=shown)


def _fit_watched(model: BoostingClassifier, quiet: bool, fit: Callable[[], None]) -> None:
    """Fit an estimator, and show how far it is to whoever looks."""
    if quiet or not is_terminal():
        fit()
        return
    with Progress(sys.stderr) as progress:
        if "callbacks" not in model.get_params(deep=False):
            fit()
            return
        model.set_params(callbacks=progress.observe)
        fit()
        model.set_params(callbacks=None)  # what is shown is not the model's affair


def _by_label(given: dict[str, Any], labels: dict[str, Any]) -> dict[Any, Any]:
    """Return a dict over labels; JSON has texts for keys, whatever the labels are."""
    return {
        labels.get(key, key): _by_label(value, labels) if isinstance(value, dict) else value
        for key, value in given.items()
    }


def _facts(model: BoostingClassifier, train: Labelled[Any], seconds: float, out: str) -> str:
    rows = counted(len(train.y), "row")
    kinds = kinds_text(model.fitted_model_.features)
    entries = {"data": f"{rows}, {counted(model.n_features_in_, 'column')}: {kinds}"}
    entries["classes"] = _classes(model, train.y)
    return facts(entries | _ending(model, seconds, out))


def _ending(model: BoostingClassifier, seconds: float, out: str) -> dict[str, str]:
    """Return what is to say of the run, its time and the model file."""
    spent = ", ".join(f"{name} {time:.2f} s" for name, time in model.fit_times_.items())
    return {
        **_run(model),
        "time": f"{seconds:.2f} s ({spent})",
        "model": "standard output" if out == "-" else out,
    }


def _run(model: BoostingClassifier) -> dict[str, str]:
    """Return what is to say of the rounds; models that know more out of bag say it themselves."""
    if hasattr(model, "oob_score_"):
        return {}
    entries = {"rounds": f"{model.n_iter_:,}, then stopped by {model.stop_reason_}"}
    for name, scores in (
        ("training score", model.train_score_),
        ("validation score", model.validation_score_),
    ):
        if len(scores):
            entries[name] = f"{scores[-1]:.4f}"
    return entries


def _classes(model: BoostingClassifier, y: pl.Series) -> str:
    labels = label_list(model.classes_)
    if y.dtype.is_nested():
        return f"{len(labels)}, several for each row"
    counts = np.bincount(model.fitted_model_.read_labels(y), minlength=len(labels))
    return classes_text(labels, counts.tolist())
