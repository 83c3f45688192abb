"""`weakforce fit --dask`: the workers of a cluster read the files.

In: the options of `weakforce fit`. Out: a fitted estimator. The extra `dask` is imported here only.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._estimator.base import BoostingClassifier
from .._files.formats import FORMATS, format_by_suffix
from .._fitting.storage import Storage
from .failures import FailureError, UsageError, parameters_as_options

#: A cluster of this machine, made for the fit.
LOCAL = "local"

#: How long to wait for a scheduler, in seconds.
_PATIENCE = 10


def check(arguments: argparse.Namespace, model: BoostingClassifier) -> None:
    """Refuse options that do not go with --dask."""
    if not model.capabilities().may_shard:
        raise UsageError(
            f"option --dask: the booster {arguments.booster!r} needs all rows in one process; use "
            "another --booster, such as logitboost"
        )
    for name in ("validation", "mistrust", "format", "null", "codes_dir"):
        if getattr(arguments, name):
            raise UsageError(
                f"option --{name.replace('_', '-')}: it does not go with --dask, where workers "
                "read Parquet files"
            )
    for name in arguments.data:
        if format_by_suffix(name) != "parquet":
            raise UsageError(
                f"option --dask: got {name!r}, expected Parquet files or patterns that end in "
                f"{' or '.join(FORMATS['parquet'])}, which the workers read"
            )


def fit_on_cluster(
    model: BoostingClassifier, arguments: argparse.Namespace, storage: Storage
) -> None:
    """Fit an estimator to files that the workers of a cluster read."""
    from .. import dask

    categorical = _names(arguments.categorical)
    if categorical:
        model.set_params(categorical_features=categorical)
    with _client(arguments.dask) as client, parameters_as_options():
        dask.fit(
            model,
            arguments.data,
            arguments.target,
            arguments.weight,
            drop=_names(arguments.drop),
            client=client,
            checkpoint=storage,
        )


def _names(entries: list[str]) -> list[str]:
    return [name for entry in entries for name in entry.split(",")]


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """Connect to a scheduler, or make a cluster of this machine."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise FailureError("option --dask needs Dask: pip install 'weakforce[dask]'") from error
    if address == LOCAL:
        with LocalCluster(dashboard_address=None) as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout=_PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        raise FailureError(f"option --dask: no scheduler at {address!r}: {error}") from None
    with client:
        yield client
