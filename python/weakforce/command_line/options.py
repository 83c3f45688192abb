"""Parameters of boosters and weak learners as options of the command line.

In: the option table. Out: options, and an estimator from what the user said.
"""

from __future__ import annotations

import argparse
import difflib
import json
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _public_names
from .._guide import LINES
from .failures import UsageError
from .option_table import DEFAULT, Described, Parameter, kind_of, option_table

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier

__all__ = [
    "DEFAULT",
    "add_estimator",
    "booster_lines",
    "estimator_from",
    "kind_lines",
    "kind_of",
    "optional_estimator_from",
    "parameters",
]

#: What stands for a value in help texts, by type.
_METAVARS = {
    "int": "INTEGER",
    "float": "NUMBER",
    "str": "NAME",
    "int | None": "INTEGER|none",
    "float | None": "NUMBER|none",
    "str | None": "NAME|none",
}


def add_estimator(parser: argparse.ArgumentParser, default: str | None, usual: str) -> None:
    """Add options for the booster, its weak learner and all their parameters.

    `default` is the booster without --booster, if there is one; `usual` says what is used then.
    """
    table = option_table()
    kinds, learners = ", ".join(table.boosters), ", ".join(table.learners)
    group = parser.add_argument_group("booster and weak learner")
    group.add_argument(
        "--booster", type=_kind, metavar="NAME", default=default,
        help=f"{kinds} (default: {usual})",
    )  # fmt: skip
    group.add_argument(
        "--learner", type=_kind, metavar="NAME",
        help=f"{learners} (default: the booster's own; {DEFAULT} has no other)",
    )  # fmt: skip
    first = parser.add_argument_group(f"parameters of {DEFAULT}, most of them also of others")
    shared = parser.add_argument_group("parameters of all other boosters")
    some = parser.add_argument_group("parameters of some other boosters")
    weak = parser.add_argument_group("parameters of weak learners (with --learner)")
    for parameter in table.parameters:
        group = shared if len(parameter.owners) == len(table.boosters) - 1 else some
        group = first if DEFAULT in parameter.owners else group
        _add(weak if parameter.of_learner else group, parameter)


def parameters() -> list[Parameter]:
    """Return the parameters of all boosters, then of all learners."""
    return option_table().parameters


def estimator_from(arguments: argparse.Namespace, **others: Any) -> BoostingClassifier:
    """Return the estimator that the user asks for.

    `others` are parameters without an option, for those estimators that have them.
    """
    table = option_table()
    booster = _chosen(arguments.booster, table.boosters, "--booster")
    learner = None
    if arguments.learner is not None:
        learner = _chosen(arguments.learner, table.learners, "--learner")
        if arguments.booster == DEFAULT:
            raise UsageError(
                f"option --learner: the booster {DEFAULT!r} has trees of its own: say --booster "
                f"with one of {', '.join(kind for kind in table.boosters if kind != DEFAULT)}"
            )
    given: dict[bool, dict[str, Any]] = {True: {}, False: {}}
    for parameter in table.parameters:
        if hasattr(arguments, parameter.place):
            _check_owner(
                parameter, arguments.learner if parameter.of_learner else arguments.booster
            )
            given[parameter.of_learner][parameter.name] = getattr(arguments, parameter.place)
    if learner is not None:
        given[False]["estimator"] = _class_of(learner)(**given[True])
    made: BoostingClassifier = _class_of(booster)(**given[False])
    known = made.get_params(deep=False)
    made.set_params(**{name: value for name, value in others.items() if name in known})
    return made


def optional_estimator_from(arguments: argparse.Namespace) -> BoostingClassifier | None:
    """Return the estimator that the user asks for; None without --booster."""
    if arguments.booster is not None:
        return estimator_from(arguments)
    given = [known.option for known in parameters() if hasattr(arguments, known.place)]
    given += ["--learner"] if arguments.learner is not None else []
    if given:
        raise UsageError(f"option {given[0]} needs --booster")
    return None


def kind_lines() -> str:
    """Return the names of boosters and learners, for the beginning of a help text."""
    table = option_table()
    lines = []
    for option, kinds in (("--booster", table.boosters), ("--learner", table.learners)):
        lines += textwrap.wrap(
            ", ".join(kinds), 79, initial_indent=f"{option}  ", subsequent_indent=" " * 11,
            break_on_hyphens=False,
        )  # fmt: skip
    return "\n".join([*lines, "What they are for is said at the end."])


def booster_lines() -> str:
    """Return what each booster is for, and a line on each learner, for the end of a help text.

    The first is `weakforce.guide()` in short.
    """
    table = option_table()
    purposes = {line.name: line.purpose for line in LINES}
    lines = ["which booster (weakforce.guide() in Python tells more):"]
    for kind, owner in table.boosters.items():
        lines.append(f"  {kind:12} {purposes[owner.class_name]}")
    lines.append("\nweak learners:")
    lines += [f"  {kind:12} {owner.line}" for kind, owner in table.learners.items()]
    return "\n".join(lines)


def _add(group: Any, parameter: Parameter) -> None:
    how: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
    if parameter.takes != "bool":
        how = {"type": _reader(parameter.takes), "metavar": _metavar(parameter.takes)}
    group.add_argument(
        parameter.option,
        dest=parameter.place,
        default=argparse.SUPPRESS,
        help=parameter.help.replace("%", "%%"),
        **how,
    )


def _kind(text: str) -> str:
    return text.replace("_", "-")


def _chosen(kind: str, owners: dict[str, Described], option: str) -> Described:
    if kind not in owners:
        raise UsageError(
            f"option {option}: got {kind!r}, expected one of {', '.join(owners)}"
            f"{_meant(kind, owners)}"
        )
    return owners[kind]


def _meant(kind: str, owners: dict[str, Described]) -> str:
    """Return which kind is meant, by its own name or that of its class, if one is close."""
    known = {owner: owner for owner in owners}
    for owner, described in owners.items():
        title = described.class_name.lower()
        known |= {title: owner, title.removesuffix("classifier"): owner}
    close = difflib.get_close_matches(kind.lower().replace("-", ""), known, n=1)
    close = close or difflib.get_close_matches(kind.lower(), known, n=1)
    return f" (did you mean {known[close[0]]!r}?)" if close else ""


def _class_of(described: Described) -> Any:
    return _public_names.find(described.class_name)


def _check_owner(parameter: Parameter, chosen: str | None) -> None:
    """Refuse a parameter that the chosen booster or learner does not have."""
    if chosen in parameter.owners:
        return
    role = "weak learner" if parameter.of_learner else "booster"
    owners = ", ".join(parameter.owners)
    if chosen is None:
        raise UsageError(
            f"option {parameter.option} is for weak learners: say --learner with one of {owners}"
        )
    twin = next((p for p in parameters() if p.clashes and p.name == parameter.name), None)
    hint = f"; for the weak learner say {twin.option}" if twin and twin is not parameter else ""
    raise UsageError(
        f"option {parameter.option}: the {role} {chosen!r} has no such parameter, only "
        f"{owners}{hint}"
    )


def _reader(takes: str) -> Callable[[str], Any]:
    """Return what makes a value of a text."""
    plain = {"int": int, "float": float, "str": str}

    def read(text: str) -> Any:
        if takes in plain:
            return plain[takes](text)
        if text.lower() == "none":
            return None
        if takes.endswith(" | None"):
            return plain[takes.removesuffix(" | None")](text)
        try:
            return json.loads(text)
        except ValueError:
            return text

    read.__name__ = _metavar(takes)  # as argparse says what it expected
    return read


def _metavar(takes: str) -> str:
    return _METAVARS.get(takes, "VALUE")
