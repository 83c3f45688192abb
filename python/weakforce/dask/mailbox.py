"""What workers send each other during a fit, over Dask's own connections.

In: arrays and byte strings for a worker, by the fit they belong to and the number of the step. Out:
those of others, once they have come. A fit that fails wakes up whoever waits. Everything but
`run_until_failed` happens on the event loop of the worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from distributed import Worker, get_worker
from distributed.protocol import to_serialize

from .failures import AbandonedError

_OPERATION = "weakforce_deliver"

#: How often a shard looks whether anybody still wants its result, in seconds.
_LOOK = 0.5

Result = TypeVar("Result")

#: The number of the step, and the rank of the sender.
Key = tuple[int, int]


class Mailbox:
    """What has come for one fit, and who waits for what."""

    def __init__(self) -> None:
        self._arrived: dict[Key, Any] = {}
        self._awaited: dict[Key, asyncio.Future[Any]] = {}
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        #: Rounds that the client has not seen.
        self.rounds: list[tuple[Any, ...]] = []
        self.news = asyncio.Event()
        self.answer: asyncio.Future[bool] | None = None

    def put(self, key: Key, data: Any) -> None:
        """Take in what another worker sent."""
        awaited = self._awaited.pop(key, None)
        if awaited is None:
            self._arrived[key] = data
        elif not awaited.done():
            awaited.set_result(data)

    async def take(self, key: Key) -> Any:
        """Return what another worker sent or will send."""
        if key in self._arrived:
            return self._arrived.pop(key)
        self._awaited[key] = asyncio.get_running_loop().create_future()
        return await self._awaited[key]

    def fail(self, reason: str) -> None:
        """End whatever waits, now and from now on."""
        if not self._failed.done():
            self._failed.set_exception(AbandonedError(reason))
            self._failed.exception()  # which may never be asked for

    async def unless_failed(self, job: Coroutine[Any, Any, Result]) -> Result:
        """Return what a job returns, or raise as soon as the fit has failed."""
        task = asyncio.ensure_future(job)
        either: set[asyncio.Future[Any]] = {task, self._failed}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            self._failed.result()
        return task.result()


class PostOffice:
    """The mailboxes of a worker."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.boxes: dict[str, Mailbox] = {}
        worker.handlers[_OPERATION] = self._deliver

    def _deliver(self, fit: str, step: int, sender: int, data: Any) -> None:
        if fit in self.boxes:  # else the fit is over
            self.boxes[fit].put((step, sender), data)

    async def send(self, address: str, fit: str, key: Key, data: Any) -> None:
        """Send an array, or a list of them, to another worker."""
        wrapped = [*map(to_serialize, data)] if isinstance(data, list) else to_serialize(data)
        message = {"op": _OPERATION, "reply": False, "fit": fit, "data": wrapped}
        comm = await self.worker.rpc.connect(address)
        try:
            await comm.write({**message, "step": key[0], "sender": key[1]})
        finally:
            self.worker.rpc.reuse(address, comm)

    def run_until_failed(self, fit: str, job: Coroutine[Any, Any, Result]) -> Result:
        """Run a job on the event loop, and wait for it on the thread of a task."""
        box = self.boxes.get(fit)
        if box is None:
            job.close()
            raise AbandonedError("the fit was called off")
        guarded = box.unless_failed(job)
        loop = self.worker.loop.asyncio_loop
        return asyncio.run_coroutine_threadsafe(guarded, loop).result()

    def watch(self, fit: str) -> None:
        """Fail a fit on this worker as soon as nobody wants the result of the task that runs."""
        self.worker.loop.add_callback(self._watch, fit, self.worker.get_current_task())

    async def _watch(self, fit: str, key: str) -> None:
        while fit in self.boxes:
            task = self.worker.state.tasks.get(key)
            if task is None or task.state in ("cancelled", "released", "forgotten"):
                self.boxes.pop(fit).fail("the client of the fit has gone")
                return
            await asyncio.sleep(_LOOK)


def office_of(worker: Worker) -> PostOffice:
    """Return the post office of a worker."""
    office = worker.extensions.get("weakforce")
    if not isinstance(office, PostOffice):
        office = worker.extensions["weakforce"] = PostOffice(worker)
    return office


def own_office() -> PostOffice:
    """Return the post office of the worker that runs this task."""
    return office_of(get_worker())


async def open_mailbox(fit: str, dask_worker: Worker) -> None:
    """Make ready for a fit."""
    office_of(dask_worker).boxes[fit] = Mailbox()


async def close_mailbox(fit: str, reason: str, dask_worker: Worker) -> None:
    """End a fit on this worker if it still runs."""
    box = office_of(dask_worker).boxes.pop(fit, None)
    if box is not None:
        box.fail(reason)


async def next_rounds(
    fit: str, answer: bool | None, patience: float, dask_worker: Worker
) -> list[tuple[Any, ...]]:
    """Return the rounds since the last call, and answer what the last of them asked."""
    box = office_of(dask_worker).boxes.get(fit)
    if box is None:
        return []
    if answer is not None and box.answer is not None and not box.answer.done():
        box.answer.set_result(answer)
    if not box.rounds:
        box.news.clear()
        try:
            await asyncio.wait_for(box.news.wait(), patience)
        except asyncio.TimeoutError:
            return []
    rounds, box.rounds = box.rounds, []
    return rounds


async def report_round(box: Mailbox, numbers: tuple[Any, ...], asks: bool) -> bool:
    """Leave a round for the client, and wait for its answer if that matters."""
    if asks:
        box.answer = asyncio.get_running_loop().create_future()
    box.rounds.append(numbers)
    box.news.set()
    return await box.answer if asks and box.answer is not None else True
