"""Which worker learns from which partitions: one that holds them already.

In: partitions. Out: for each worker that takes part its partitions, computed, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from distributed import Client, Future, wait

from .. import _core
from .files import paths_in, share_out
from .partitions import Partition, partitions_of
from .shard import Part


def place(
    client: Client, X: Any, y: Any, sample_weight: Any, drop: Sequence[str]
) -> dict[str, list[Part]]:
    """Return the rows that each worker learns from: files, or partitions as futures."""
    refuse_other_versions(client.run(version, on_error="return"), version())
    paths = paths_in(X)
    if paths is None:
        if drop:
            raise ValueError(
                f"parameter 'drop': got {list(drop)} beside a collection, expected none, because "
                "only files have columns that cannot be left out otherwise"
            )
        return _place_partitions(client, partitions_of(X, y, sample_weight))
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        is_missing = given is None and name == "sample_weight"
        if not isinstance(given, str) and not is_missing:
            raise TypeError(
                f"{name}: got {type(given).__name__} beside files, expected the name of a column"
            )
    shares = share_out(client, paths, list(drop))
    return {
        address: [Part(number, files, y, sample_weight) for number, files in own]
        for address, own in shares.items()
    }


def version() -> str:
    """Return the version of weakforce in this process."""
    return _core.__version__


def refuse_other_versions(found: dict[str, Any], own: str) -> None:
    """Refuse workers that would sum up other things than the client expects."""
    for worker, theirs in sorted(found.items()):
        if isinstance(theirs, ModuleNotFoundError):
            raise RuntimeError(f"worker {worker} has no weakforce: {theirs}")
        if isinstance(theirs, str) and theirs != own:
            raise RuntimeError(
                f"worker {worker} has version {theirs} of weakforce, expected that of the client, "
                f"{own}"
            )


def _place_partitions(client: Client, partitions: list[Partition]) -> dict[str, list[Part]]:
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
