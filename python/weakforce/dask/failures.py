"""What can go wrong with a fit on a cluster besides what can go wrong with any.

In: errors. Out: the same with the partition they belong to, and errors of our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class WorkerLostError(RuntimeError):
    """A worker was lost in the middle of a fit; the message names it."""


class AbandonedError(RuntimeError):
    """A shard ended because its fit did: another shard failed, or nobody waits any more."""


@contextmanager
def in_partition(number: int) -> Iterator[None]:
    """Name the partition in whatever is refused."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"partition {number}: {error}") from None
