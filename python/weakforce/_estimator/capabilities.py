"""What boosters can do, as the core states it.

In: the name of a booster in the core's registry. Out: its capabilities, which estimators, the
command line and tests read instead of naming boosters.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from .. import _core


@dataclass(frozen=True)
class Capabilities:
    """What a booster can do, whatever its parameters are.

    Attributes:
        needs: which answers of weak hypotheses it can use: "votes" (−1 or +1), "unit_answers" (−1
            to +1, votes by default), "shares" (the same, differences of class shares by default),
            "own_steps" or "nothing" in particular.
        combines: how hypotheses make a score: "sum", "buckets" or "grid".
        is_binary: whether it separates two classes, so that more of them become two-class problems.
        loss: the loss of a margin by which its two-class problems are decoded: "exponential",
            "logistic" or "hinge"; None if it takes any number of classes at once.
        rounds: the parameter that sets the number of rounds.
        learning_rate: whether a learning rate other than 1 makes sense.
        is_corrective: whether the weights of earlier hypotheses change in every round.
        costs: whether answers have costs, which the user can set.
        label_sets: whether rows may have several labels.
        monotone: whether scores of two classes can be kept in order along columns.
        resample: whether learners may see samples that are drawn by the weights, instead of these.
        may_shard: whether the rows may be spread over several shards, each in a process of its own.
        has_program: whether a program replaces all weights when the run is over.
    """

    needs: str
    combines: str
    is_binary: bool
    loss: str | None
    rounds: str
    learning_rate: bool
    is_corrective: bool
    costs: bool
    label_sets: bool
    monotone: bool
    resample: bool
    may_shard: bool
    has_program: bool = False


@cache
def core_capabilities() -> dict[str, Capabilities]:
    """Return the capabilities of all boosters by their name in the core's registry."""
    stated = json.loads(_core.booster_capabilities())
    return {kind: Capabilities(**facts) for kind, facts in stated.items()}
