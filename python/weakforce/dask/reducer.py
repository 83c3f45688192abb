"""Sums over the rows of all shards of a fit, worker to worker.

In: the sums of one shard. Out: those of all. Numbers are cut into as many blocks as there are
shards: each shard adds up one block, and then all shards hand theirs on. The blocks travel along
the skips of a circulant graph (Träff 2023), so that with p shards it takes ⌈log₂ p⌉ steps either
way and each sends 2 (p − 1)/p of the sums, less than twice their size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .mailbox import Mailbox, PostOffice

Numbers = NDArray[np.uint64]


@dataclass
class Traffic:
    """What one worker has sent.

    Attributes:
        sums: the size of the sums that were asked for, in bytes.
        sent: the bytes sent for them, without the headers of messages.
        n_sums: how often sums were asked for.
        gathered: the bytes sent for what is not added up.
    """

    sums: int = 0
    sent: int = 0
    n_sums: int = 0
    gathered: int = 0


@dataclass
class Reducer:
    """The way from one shard to the others, as `_core.fit` takes it."""

    office: PostOffice
    box: Mailbox
    fit: str
    rank: int
    addresses: list[str]
    pieces: list[tuple[int, int]] = field(default_factory=list)
    validation_pieces: list[tuple[int, int]] = field(default_factory=list)
    traffic: Traffic = field(default_factory=Traffic)
    _step: int = 0

    @property
    def size(self) -> int:
        """The number of shards."""
        return len(self.addresses)

    def sum(self, numbers: Numbers) -> Numbers:
        """Return the sums over all shards, element by element, in wrapping arithmetic."""
        self.traffic.n_sums += 1
        self.traffic.sums += numbers.nbytes
        return self.office.run_until_failed(self.fit, self._sum(numbers))

    def gather(self, data: bytes) -> list[bytes]:
        """Return the bytes of every shard, by rank."""
        return self.office.run_until_failed(self.fit, self._gather(data))

    async def _sum(self, numbers: Numbers) -> Numbers:
        size, rank = self.size, self.rank
        if size == 1:
            return numbers
        if size == 2:  # as many bytes as two halves one after the other
            self.traffic.sent += numbers.nbytes
            theirs: Numbers = await self._swap(1 - rank, numbers, 1 - rank)
            return numbers + theirs
        bounds = [len(numbers) * block // size for block in range(size + 1)]
        blocks = [(rank + place) % size for place in range(size)]
        # The own block comes first, and each block where the next shard has it one place earlier.
        own = np.concatenate([numbers[bounds[block] : bounds[block + 1]] for block in blocks])
        ends = [0, *accumulate(bounds[block + 1] - bounds[block] for block in blocks)]
        skips = _skips(size)
        for kept, held in skips:
            mine = own[ends[kept] : ends[held]].copy()
            self.traffic.sent += mine.nbytes
            own[: ends[held - kept]] += await self._swap(rank + kept, mine, rank - kept)
        for kept, held in reversed(skips):
            mine = own[: ends[held - kept]].copy()
            self.traffic.sent += mine.nbytes
            own[ends[kept] : ends[held]] = await self._swap(rank - kept, mine, rank + kept)
        sums = np.empty_like(numbers)
        for place, block in enumerate(blocks):
            sums[bounds[block] : bounds[block + 1]] = own[ends[place] : ends[place + 1]]
        return sums

    async def _gather(self, data: bytes) -> list[bytes]:
        size, rank = self.size, self.rank
        found = [np.frombuffer(data, dtype=np.uint8)]
        for kept, held in reversed(_skips(size)):
            mine = found[: held - kept]
            self.traffic.gathered += sum(each.nbytes for each in mine)
            found += await self._swap(rank - kept, mine, rank + kept)
        return [found[(other - rank) % size].tobytes() for other in range(size)]

    async def _swap(self, to: int, data: Any, source: int) -> Any:
        """Send something to one shard, and return what another one sends in the same step.

        Workers of one process get the very object.
        """
        to, source = to % self.size, source % self.size
        self._step += 1
        step = self._step
        await self.office.send(self.addresses[to], self.fit, (step, self.rank), data)
        return await self.box.take((step, source))


def _skips(size: int) -> list[tuple[int, int]]:
    """Return how many blocks a shard keeps of those it holds, step by step, down to one."""
    skips, held = [], size
    while held > 1:
        kept = (held + 1) // 2
        skips.append((kept, held))
        held = kept
    return skips
