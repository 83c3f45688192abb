"""Parameters of boosters and weak learners as options of the command line.

In: the registered classes with their fields and docstrings. Out: options, and an estimator from
what the user said. A newcomer appears here by being registered.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, get_type_hints

from .. import BoostingClassifier, WeakLearner, boosters, weak_learners
from .failures import UsageError

#: Parameters of estimators that have another form here, or none.
_ELSEWHERE = ("estimator", "categorical_features", "callbacks", "verbose", "warm_start")


@dataclass(frozen=True)
class Parameter:
    """A parameter of the same name of some boosters or some learners.

    Attributes:
        name: its name.
        owners: the classes that have it, by their kinds.
        of_learner: whether these are weak learners.
        takes: its type.
        clashes: whether boosters have a parameter of the same name as well.
    """

    name: str
    owners: dict[str, type[Any]]
    of_learner: bool
    takes: Any
    clashes: bool = False

    @property
    def option(self) -> str:
        """The option of this parameter."""
        return f"--{'learner-' if self.clashes else ''}{self.name.replace('_', '-')}"

    @property
    def place(self) -> str:
        """The attribute of parsed arguments that holds the value."""
        return f"{'learner' if self.of_learner else 'booster'}__{self.name}"

    def defaults(self) -> dict[str, list[str]]:
        """Return the default values as text, each with the classes that have it."""
        found: dict[str, list[str]] = {}
        for kind, owner in self.owners.items():
            field = next(field for field in fields(owner) if field.name == self.name)
            found.setdefault(_written(field.default), []).append(kind)
        return found


def add_estimator(parser: argparse.ArgumentParser, default: str | None, usual: str) -> None:
    """Add options for the booster, its weak learner and all their parameters.

    `default` is the booster without --booster, if there is one; `usual` says what is used then.
    """
    kinds = ", ".join(kind_of(booster) for booster in boosters())
    learners = ", ".join(kind_of(learner) for learner in weak_learners())
    group = parser.add_argument_group("booster and weak learner")
    group.add_argument(
        "--booster", type=_kind, metavar="NAME", default=default,
        help=f"{kinds} (default: {usual})",
    )  # fmt: skip
    group.add_argument(
        "--learner", type=_kind, metavar="NAME", help=f"{learners} (default: the booster's own)"
    )
    n_boosters = len(boosters())
    shared = parser.add_argument_group("parameters of all boosters")
    some = parser.add_argument_group("parameters of some boosters")
    weak = parser.add_argument_group("parameters of weak learners (with --learner)")
    for parameter in parameters():
        group = some if len(parameter.owners) < n_boosters else shared
        _add(weak if parameter.of_learner else group, parameter)


def parameters() -> list[Parameter]:
    """Return the parameters of all boosters, then of all learners."""
    of_boosters = _collected(boosters(), of_learner=False, taken=())
    taken = [parameter.name for parameter in of_boosters]
    return of_boosters + _collected(weak_learners(), of_learner=True, taken=taken)


def estimator_from(arguments: argparse.Namespace, **others: Any) -> BoostingClassifier:
    """Return the estimator that the user asks for; `others` are parameters without an option."""
    booster = _chosen(arguments.booster, boosters(), "--booster")
    learner = None
    if arguments.learner is not None:
        learner = _chosen(arguments.learner, weak_learners(), "--learner")
    known = parameters()
    given: dict[bool, dict[str, Any]] = {True: {}, False: {}}
    for parameter in known:
        if hasattr(arguments, parameter.place):
            _check_owner(parameter, learner if parameter.of_learner else booster, known)
            given[parameter.of_learner][parameter.name] = getattr(arguments, parameter.place)
    weak = None if learner is None else learner(**given[True])
    made: BoostingClassifier = booster(weak, **given[False], **others)
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


def kind_of(owner: type[Any]) -> str:
    """Return how a booster or learner is called on the command line."""
    return str(owner._kind).replace("_", "-")


def first_line(owner: type[Any]) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(owner) or "").split("\n", 1)[0]


def booster_lines() -> str:
    """Return a line on each booster and learner for the end of a help text."""
    lines = []
    for title, owners in (("boosters:", boosters()), ("\nweak learners:", weak_learners())):
        lines.append(title)
        lines += [f"  {kind_of(owner):12} {first_line(owner)}" for owner in owners]
    return "\n".join(lines)


def _collected(owners: Sequence[type[Any]], of_learner: bool, taken: Sequence[str]) -> list[Any]:
    found: dict[str, dict[str, type[Any]]] = {}
    types: dict[str, Any] = {}
    for owner in owners:
        hints = get_type_hints(owner)
        for field in fields(owner):
            if field.init and field.name not in _ELSEWHERE:
                found.setdefault(field.name, {})[kind_of(owner)] = owner
                same = types.setdefault(field.name, hints[field.name]) == hints[field.name]
                types[field.name] = hints[field.name] if same else Any
    return [
        Parameter(name, classes, of_learner, types[name], of_learner and name in taken)
        for name, classes in found.items()
    ]


def _add(group: Any, parameter: Parameter) -> None:
    how: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
    if parameter.takes is not bool:
        how = {"type": _reader(parameter.takes), "metavar": _metavar(parameter.takes)}
    group.add_argument(
        parameter.option,
        dest=parameter.place,
        default=argparse.SUPPRESS,
        help=_help(parameter).replace("%", "%%"),
        **how,
    )


def _help(parameter: Parameter) -> str:
    """Return the first sentence on a parameter, its default and whose it is."""
    base = WeakLearner if parameter.of_learner else BoostingClassifier
    texts: dict[str, list[str]] = {}
    for kind, owner in parameter.owners.items():
        text = _documented(owner, parameter.name) or _documented(base, parameter.name)
        # Who says nothing means the same as the first one that does.
        texts.setdefault(text or next(iter(texts), "see the documentation"), []).append(kind)
    told = _as_options("; ".join(_usual_first(texts, "for {}: {}")))
    defaults = "; ".join(_usual_first(parameter.defaults(), "{1} for {0}"))
    return f"{told} (default: {defaults}){_owners_text(parameter)}"


def _usual_first(whose: dict[str, list[str]], pattern: str) -> list[str]:
    """Return what most owners have, then what others have, with their names in a pattern."""
    usual, *others = sorted(whose.items(), key=lambda entry: -len(entry[1]))
    return [usual[0], *(pattern.format(", ".join(kinds), text) for text, kinds in others)]


def _owners_text(parameter: Parameter) -> str:
    """Return who has a parameter, or who has not, whichever is shorter; nothing if all have it."""
    every = [kind_of(owner) for owner in (weak_learners() if parameter.of_learner else boosters())]
    lacking = [kind for kind in every if kind not in parameter.owners]
    if not lacking:
        return ""
    few = len(lacking) < len(parameter.owners)
    return f" [{'all but ' if few else ''}{', '.join(lacking if few else parameter.owners)}]"


def _as_options(text: str) -> str:
    """Return a text of Python's documentation with the names that things have here."""
    known = {parameter.name for parameter in parameters()}

    def option(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')}" if found[1] in known else found[0]

    return re.sub(r"`(\w+)`", option, text).replace("fit gets no X_val", "there is no --validation")


def _documented(owner: type[Any], name: str) -> str | None:
    """Return the first sentence of what a docstring says on a parameter."""
    for parent in owner.__mro__:
        text = inspect.cleandoc(parent.__dict__.get("__doc__") or "")
        found = re.search(rf"^    {name}: (.*(?:\n {{8}}.*)*)", text, re.MULTILINE)
        if found:
            return re.split(r"\. |\.$|; see", " ".join(found[1].split()))[0]
    return None


def _kind(text: str) -> str:
    return text.replace("_", "-")


def _chosen(kind: str, owners: Sequence[type[Any]], option: str) -> type[Any]:
    by_kind = {kind_of(owner): owner for owner in owners}
    if kind not in by_kind:
        raise UsageError(f"option {option}: got {kind!r}, expected one of {', '.join(by_kind)}")
    return by_kind[kind]


def _check_owner(parameter: Parameter, chosen: type[Any] | None, known: list[Parameter]) -> None:
    """Refuse a parameter that the chosen booster or learner does not have."""
    if chosen is not None and kind_of(chosen) in parameter.owners:
        return
    role = "weak learner" if parameter.of_learner else "booster"
    owners = ", ".join(parameter.owners)
    if chosen is None:
        raise UsageError(
            f"option {parameter.option} is for weak learners: say --learner with one of {owners}"
        )
    twin = next((p for p in known if p.clashes and p.name == parameter.name), None)
    hint = f"; for the weak learner say {twin.option}" if twin and twin is not parameter else ""
    raise UsageError(
        f"option {parameter.option}: the {role} {kind_of(chosen)!r} has no such parameter, only "
        f"{owners}{hint}"
    )


def _reader(takes: Any) -> Callable[[str], Any]:
    """Return what makes a value of a text."""
    plain = {int: int, float: float, str: str}

    def read(text: str) -> Any:
        if takes in plain:
            return plain[takes](text)
        if text.lower() == "none":
            return None
        for kind in (int, float):
            if takes == kind | None:
                return plain[kind](text)
        try:
            return json.loads(text)
        except ValueError:
            return text

    read.__name__ = _metavar(takes)  # as argparse says what it expected
    return read


def _metavar(takes: Any) -> str:
    names: dict[Any, str] = {int: "INTEGER", float: "NUMBER", str: "NAME"}
    names |= {int | None: "INTEGER|none", float | None: "NUMBER|none"}
    return names.get(takes, "VALUE")


def _written(value: Any) -> str:
    return "none" if value is None or value is MISSING else str(value).lower()
