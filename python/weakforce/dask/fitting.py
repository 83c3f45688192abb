"""A fit on a Dask cluster, as the client sees it.

In: an estimator and rows that are spread over workers. Out: the estimator, fitted. One task is
pinned to each worker that holds rows; they send each other sums, and the client watches.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from copy import copy
from typing import Any, TypeVar

from distributed import Client, Future, Lock, default_client, wait

from .._estimator.base import BoostingClassifier, restored
from .._fitting import external
from .._fitting.observers import observing
from .._fitting.storage import NOTHING, Storage
from .failures import AbandonedError, WorkerLostError
from .mailbox import close_mailbox, next_rounds, open_mailbox
from .placing import place
from .shard import Learned, Plan, fit_shard

Booster = TypeVar("Booster", bound=BoostingClassifier)

#: Fits wait for each other, because each needs all its workers at the same time.
_LOCK = "weakforce.dask.fit"

#: How often the client looks after the workers, in seconds.
_LOOK = 0.25

#: What waiting raises when a task is not done, or never will be.
_NOTHING_NEW = (TimeoutError, asyncio.TimeoutError, asyncio.CancelledError, CancelledError)

#: How long it waits for the error that made others end, in seconds.
_PATIENCE = 2.0


def fit(
    model: Booster,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    drop: Sequence[str] = (),
    client: Client | None = None,
    checkpoint: Any = None,
    checkpoint_every: int = 50,
) -> Booster:
    """Fit an estimator to rows that are spread over the workers of a Dask cluster.

    The model is the one that `model.fit` would make of all partitions below each other, to the
    byte, whatever the number of workers and partitions.

    Parameters:
        model: a booster of weakforce that may be split (see `capabilities().may_shard`) with
            stumps, rules or trees. Its `n_jobs` is the number of threads on each worker; None means
            those that the worker has.
        X: a Dask DataFrame or Array, or a list of delayed frames (pandas, Polars, Arrow, arrays).
            Or Parquet files: a path, a pattern such as "data/*.parquet", or a list of these, as the
            workers see them; each worker reads some of the files, tile by tile, and keeps codes.
        y: the label of each row, in as many partitions as X, or the name of a column of X.
        sample_weight: a weight ≥ 0 for each row likewise; None means that all weigh the same.
        drop: columns of files to leave out.
        client: the client of the cluster; None means the active one.
        checkpoint: a file in a folder that the client and all workers share, in which the first
            worker keeps rounds: if the fit is ended, as by the loss of a worker, the same call goes
            on from there, with other workers too, and makes the same model, to the byte.
        checkpoint_every: the rounds after which it is written anew.

    Returns:
        The estimator itself, fitted, an ordinary one. What is known of each training row
        (`row_weights_` and the like) stays with the workers.

    Raises:
        WorkerLostError: a worker was lost in the middle of the fit.
        ValueError, TypeError: a parameter, a column or a partition is wrong; the message names it.
    """
    _check_model(model)
    storage = Storage.of(checkpoint, checkpoint_every, None)
    client = client_of(client)
    with client.as_current(), Lock(_LOCK):
        placed = place(client, X, y, sample_weight, drop)
        learned, traffic = _Fit(client, model, placed, storage).run()
    core = _core_of(learned)
    decisions = {"calibration": learned.calibration, "prior": learned.prior}
    restored(model, core, learned.target, **decisions)
    model.fit_times_ = dict(zip(("binning", "boosting"), learned.seconds, strict=True))
    model.fit_traffic_ = traffic
    return model


def _core_of(learned: Learned) -> Any:
    from .. import _core

    return _core.Model.from_json(learned.core)[0]


class _Fit:
    """A fit that is under way."""

    def __init__(
        self,
        client: Client,
        model: BoostingClassifier,
        placed: dict[str, Any],
        storage: Storage = NOTHING,
    ) -> None:
        self.client = client
        self.model = model
        self.placed = placed
        self.storage = storage
        self.addresses = list(placed)
        self.name = f"weakforce-fit-{uuid.uuid4().hex}"
        self.futures: list[Future] = []
        self.n_rounds = 0

    def run(self) -> tuple[Learned, dict[str, dict[str, int]]]:
        """Return what was learned, and what each worker has sent."""
        model = self.model
        with observing(model.callbacks, model.verbose, model._n_rounds()) as observer:
            reason = "the fit was called off"
            try:
                self._start("no" if observer is None else "asks")
                self._watch(observer)
                results = [future.result() for future in self.futures]
            except OSError:  # as when a worker is lost while it is called
                self._check()
                raise
            except BaseException as error:
                reason = f"the fit was called off: {error!r}"
                raise
            finally:
                self._end(reason)
        traffic = {address: sent for address, (_, sent) in zip(self.placed, results, strict=True)}
        return results[0][0], traffic

    def _start(self, watching: str) -> None:
        shipped = copy(self.model)
        seed = self.storage.seed(self.model.random_state)
        shipped.set_params(callbacks=None, verbose=0, random_state=seed)
        n_threads = self.client.nthreads(workers=self.addresses)
        plan = Plan(self.name, self.addresses, shipped, watching, self.storage)
        keys = {address: f"{self.name}-{rank}" for rank, address in enumerate(self.addresses)}
        self.client.run(open_mailbox, self.name, workers=self.addresses)
        for rank, (address, parts) in enumerate(self.placed.items()):
            n_jobs = n_threads[address] if self.model.n_jobs is None else self.model.n_jobs
            arguments = (plan, rank, n_jobs, [part.fields() for part in parts])
            self.futures.append(
                self.client.submit(
                    fit_shard,
                    *arguments,
                    key=keys[address],
                    workers=[address],
                    allow_other_workers=False,
                    pure=False,
                    retries=0,
                )
            )

    def _watch(self, observer: Any) -> None:
        """Wait until all tasks are done; raise what ends the fit before."""
        answer = None
        while waiting := [future for future in self.futures if not future.done()]:
            self._check()
            if observer is None:
                with suppress(*_NOTHING_NEW):
                    wait(waiting, timeout=_LOOK, return_when="FIRST_COMPLETED")
                continue
            rounds, answer = self._next_rounds(answer), None
            for numbers in rounds:
                self.n_rounds = numbers[0]
                answer = bool(observer(*numbers))
        self._check()

    def _next_rounds(self, answer: bool | None) -> list[tuple[Any, ...]]:
        """Return what the first worker tells of the next round, and whether to go on after it."""
        asked = {"fit": self.name, "answer": answer, "patience": _LOOK}
        found = self.client.run(next_rounds, **asked, workers=self.addresses[:1], on_error="return")
        rounds = found.get(self.addresses[0])
        return rounds if isinstance(rounds, list) else []

    def _check(self) -> None:
        """Raise the error of a task, or that a worker was lost."""
        errors = self._errors()
        own = [error for error in errors if not isinstance(error, AbandonedError)]
        if errors and not own:  # the one that failed first may be the last to be heard of
            with suppress(*_NOTHING_NEW):
                wait(self.futures, timeout=_PATIENCE)
            own = [error for error in self._errors() if not isinstance(error, AbandonedError)]
        lost = sorted(set(self.addresses) - set(self.client.nthreads()))
        if lost:
            after = f" after round {self.n_rounds}" if self.n_rounds else ""
            raise WorkerLostError(
                f"worker {', '.join(lost)} was lost in the middle of the fit{after}; the cluster "
                "can be used, and fit can be called again"
            )
        for error in own or errors:
            raise error
        if any(future.status in ("cancelled", "lost") for future in self.futures):
            raise RuntimeError(
                "a task of the fit was cancelled: partitions of X, y or sample_weight are gone, or "
                "belong to another client"
            )

    def _errors(self) -> list[BaseException]:
        """Return the errors of the tasks that have failed."""
        failed = [future for future in self.futures if future.status == "error"]
        return [error for error in (future.exception() for future in failed) if error is not None]

    def _end(self, reason: str) -> None:
        """Let all workers go; those that still fit end at once."""
        with suppress(Exception):
            self.client.run(
                close_mailbox, self.name, reason, workers=self._left(), on_error="return"
            )
        self.client.cancel([f for f in self.futures if not f.done()], force=True)

    def _left(self) -> list[str]:
        there = self.client.nthreads()
        return [address for address in self.addresses if address in there]


def _check_model(model: Any) -> None:
    """Refuse what cannot be fitted to rows that are spread over workers."""
    if not isinstance(model, BoostingClassifier):
        given = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"parameter 'model': got {given}, expected a booster of weakforce such as "
            "DiscreteAdaBoostClassifier()"
        )
    name = type(model).__name__
    if not model.capabilities().may_shard:
        raise ValueError(
            f"parameter 'model': got {name}, which needs all rows in one process, expected a "
            "booster whose capabilities().may_shard is True"
        )
    learner = model._chosen_learner(2)
    if external.is_external(learner) or not learner._takes_categories:
        raise ValueError(
            f"parameter 'estimator': got {type(learner).__name__}, which needs all rows in one "
            "process, expected Stump(), Rule() or Tree()"
        )
    if model.calibrate is not None:
        raise ValueError(
            f"parameter 'calibrate': got {model.calibrate!r}, which fits to folds of all rows, "
            "expected None"
        )


def client_of(client: Any) -> Client:
    """Return the client to use, whose cluster has workers."""
    if client is None:
        try:
            client = default_client()
        except ValueError:
            raise ValueError(
                "parameter 'client': got None and no client is active, expected a "
                "dask.distributed.Client"
            ) from None
    if not isinstance(client, Client) or client.asynchronous:
        given = "an asynchronous one" if isinstance(client, Client) else type(client).__name__
        raise TypeError(f"parameter 'client': got {given}, expected a dask.distributed.Client")
    if not client.nthreads():
        raise RuntimeError("parameter 'client': its cluster has no workers, expected at least one")
    return client
