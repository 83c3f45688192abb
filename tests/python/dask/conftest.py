"""Clusters for the tests of a folder: one of processes and one of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import polars as pl
import pytest

from support.clusters import N_ROWS


@contextmanager
def _client(**options: Any) -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(**options, dashboard_address=None) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def client_of_processes() -> Iterator[Any]:
    """A client of three worker processes of one thread each."""
    with _client(n_workers=3, threads_per_worker=1, processes=True) as client:
        yield client


@pytest.fixture(scope="session")
def client_of_threads() -> Iterator[Any]:
    """A client of four workers that are threads of one process."""
    with _client(n_workers=4, threads_per_worker=1, processes=False) as client:
        yield client


@pytest.fixture
def cluster(client_of_processes: Any) -> Iterator[Any]:
    """The client of processes, as the active one: both may be there in one run."""
    with client_of_processes.as_current():
        yield client_of_processes


@pytest.fixture
def threads(client_of_threads: Any) -> Iterator[Any]:
    """The client of threads, as the active one."""
    with client_of_threads.as_current():
        yield client_of_threads


@pytest.fixture(scope="session")
def rows() -> pl.DataFrame:
    """Numbers, categories, missing values, weights and labels of two and of three classes."""
    generator = np.random.default_rng(7)
    x, z = generator.normal(size=(2, N_ROWS))
    letters = generator.choice(list("pqrs"), size=N_ROWS)
    noise = generator.normal(size=N_ROWS)
    y = x + z * (letters == "q") + noise > 0
    return pl.DataFrame(
        {
            "x": x,
            "z": pl.Series(z).set(pl.Series(z > 1), None),
            "whole": generator.integers(0, 9, size=N_ROWS),
            "letter": pl.Series(letters).set(pl.Series(letters == "s"), None),
            "weight": generator.uniform(0.1, 3.0, size=N_ROWS),
            "label": np.where(y, "yes", "no"),
            "kind": (y.astype(int) + (x > 0.5)) * 10,
        }
    )
