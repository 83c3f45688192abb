"""What can go wrong with a fit on a cluster besides what can go wrong with any.

In: nothing. Out: the errors.
"""

from __future__ import annotations


class WorkerLostError(RuntimeError):
    """A worker was lost in the middle of a fit; the message names it."""


class AbandonedError(RuntimeError):
    """A shard ended because its fit did: another shard failed, or nobody waits any more."""
