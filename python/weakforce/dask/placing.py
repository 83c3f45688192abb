"""Which worker learns from which partitions: one that holds them already.

In: partitions. Out: for each worker that takes part its partitions, computed, in their order.
"""

from __future__ import annotations

from typing import Any

from distributed import Client, Future, wait

from .partitions import Partition
from .shard import Part


def place(client: Client, partitions: list[Partition]) -> dict[str, list[Part]]:
    """Compute partitions where they are, and return those of each worker as futures."""
    asked = [
        one
        for part in partitions
        for one in (part.X, part.y, part.sample_weight)
        if not isinstance(one, (str, type(None)))
    ]
    computed = iter(client.compute([one for one in asked if not isinstance(one, Future)]))
    futures = [one if isinstance(one, Future) else next(computed) for one in asked]
    wait(futures)
    for future in futures:
        if future.status == "error":
            future.result()
    coming = iter(futures)
    parts = [
        Part(
            part.number,
            *(
                one if isinstance(one, (str, type(None))) else next(coming)
                for one in (part.X, part.y, part.sample_weight)
            ),
        )
        for part in partitions
    ]
    holders = client.who_has([part.X for part in parts])
    placed: dict[str, list[Part]] = {}
    for part in parts:
        found: Any = sorted(holders[part.X.key]) or sorted(client.nthreads())
        address = min(found, key=lambda worker: len(placed.get(worker, ())))
        placed.setdefault(address, []).append(part)
    return {address: placed[address] for address in sorted(placed)}
