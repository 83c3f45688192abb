"""Boosters, weak learners and their parameters, as the command line describes them.

In: `option_table.json`, which `class_options` makes from the classes. Out: its entries. Nothing
here imports the classes, which takes longer than a help text may take.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

#: Where the table is.
PATH = Path(__file__).with_name("option_table.json")

#: How the default estimator is called; it is made of boosted trees and forests, and has no kind.
DEFAULT = "weakforce"


@dataclass(frozen=True)
class Described:
    """A booster or a weak learner.

    Attributes:
        class_name: the public name of its class.
        line: the first line of its documentation.
    """

    class_name: str
    line: str


@dataclass(frozen=True)
class Parameter:
    """A parameter of the same name of some boosters or some learners.

    Attributes:
        name: its name.
        owners: the kinds of the boosters or learners that have it.
        of_learner: whether these are weak learners.
        takes: its type, "any" for all but simple ones.
        clashes: whether it is one of learners and boosters have one of the same name.
        help: what it does, its default and who has it.
    """

    name: str
    owners: list[str]
    of_learner: bool
    takes: str
    clashes: bool
    help: str

    @property
    def option(self) -> str:
        """The option of this parameter."""
        return f"--{'learner-' if self.clashes else ''}{self.name.replace('_', '-')}"

    @property
    def place(self) -> str:
        """The attribute of parsed arguments that holds the value."""
        return f"{'learner' if self.of_learner else 'booster'}__{self.name}"


@dataclass(frozen=True)
class OptionTable:
    """Boosters and learners by their kinds; the parameters of boosters, then of learners.

    The first of the boosters is the default.
    """

    boosters: dict[str, Described]
    learners: dict[str, Described]
    parameters: list[Parameter]


@cache
def option_table() -> OptionTable:
    """Return the table."""
    stored = json.loads(PATH.read_text(encoding="utf-8"))
    return OptionTable(
        {kind: Described(**entry) for kind, entry in stored["boosters"].items()},
        {kind: Described(**entry) for kind, entry in stored["learners"].items()},
        [Parameter(**entry) for entry in stored["parameters"]],
    )


def kind_of(owner: type[Any]) -> str:
    """Return how a booster or learner is called on the command line."""
    return str(getattr(owner, "_kind", DEFAULT)).replace("_", "-")
