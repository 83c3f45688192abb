"""The option table, made from the classes of boosters and weak learners.

In: the registered classes with their parameters and docstrings. Out: `option_table.json`, which the
command line reads instead of the classes. `make options` writes it anew, and a test compares it
with the classes.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Sequence
from typing import Any

from .. import BoostingClassifier, WeakLearner, weak_learners
from .._estimator.base import estimators
from .option_table import PATH, kind_of

#: Parameters of estimators that have another form on the command line, or none.
_ELSEWHERE = ("estimator", "categorical_features", "callbacks", "verbose", "warm_start")

#: How the table writes types; all others are "any". A number that may be "auto" is one here: who
#: leaves the option out says "auto".
_TYPES = {name: name for name in ("bool", "int", "float", "str")}
_TYPES |= {f"{name} | None": f"{name} | None" for name in ("int", "float", "str")}
_TYPES |= {"int | str": "int"}

Parameters = dict[str, inspect.Parameter]


def table_of_classes() -> dict[str, Any]:
    """Return the content of the table."""
    own = [_of_library(estimators()), _of_library(weak_learners())]
    of_boosters, of_learners = map(_collected, own)
    known = {*of_boosters, *of_learners}
    found = []
    for owners, of_learner, parameters in (
        (own[0], False, of_boosters),
        (own[1], True, of_learners),
    ):
        every = [kind_of(owner) for owner in owners]
        for name, classes in parameters.items():
            found.append(
                {
                    "name": name,
                    "owners": list(classes),
                    "of_learner": of_learner,
                    "takes": _type_of(name, classes),
                    "clashes": of_learner and name in of_boosters,
                    "help": _help(name, classes, of_learner, known) + _owners_text(classes, every),
                }
            )
    return {
        "boosters": {kind_of(owner): _entry(owner) for owner in own[0]},
        "learners": {kind_of(owner): _entry(owner) for owner in own[1]},
        "parameters": found,
    }


def write_table() -> None:
    """Write the table to its place."""
    text = json.dumps(table_of_classes(), indent=2, ensure_ascii=False)
    PATH.write_text(f"{text}\n", encoding="utf-8")


def _of_library(owners: Sequence[type[Any]]) -> list[type[Any]]:
    """Return the classes without those that users have derived."""
    return [owner for owner in owners if owner.__module__.startswith("weakforce.")]


def _entry(owner: type[Any]) -> dict[str, str]:
    first_line = (inspect.getdoc(owner) or "").split("\n", 1)[0]
    return {"class_name": owner.__name__, "line": first_line}


def _collected(owners: Sequence[type[Any]]) -> dict[str, dict[str, type[Any]]]:
    """Return the parameters of classes, each with the classes that have it, by their kinds."""
    found: dict[str, dict[str, type[Any]]] = {}
    for owner in owners:
        for name in parameters_of(owner):
            if name not in _ELSEWHERE:
                found.setdefault(name, {})[kind_of(owner)] = owner
    return found


def parameters_of(owner: type[Any]) -> Parameters:
    """Return the parameters of a class by name."""
    return dict(inspect.signature(owner).parameters)


def _type_of(name: str, classes: dict[str, type[Any]]) -> str:
    """Return the type of a parameter, "any" if classes differ."""
    first, *others = [
        _TYPES.get(parameters_of(owner)[name].annotation, "any") for owner in classes.values()
    ]
    return first if all(other == first for other in others) else "any"


def _help(name: str, classes: dict[str, type[Any]], of_learner: bool, known: set[str]) -> str:
    """Return the first sentence on a parameter and its default."""
    base = WeakLearner if of_learner else BoostingClassifier
    texts: dict[str, list[str]] = {}
    defaults: dict[str, list[str]] = {}
    for kind, owner in classes.items():
        text = _documented(owner, name) or _documented(base, name)
        # Who says nothing means the same as the first one that does.
        texts.setdefault(text or next(iter(texts), "see the documentation"), []).append(kind)
        default = parameters_of(owner)[name].default
        defaults.setdefault(_written(default), []).append(kind)
    text = _as_options("; ".join(_usual_first(texts, "for {}: {}")), known)
    return f"{text} (default: {'; '.join(_usual_first(defaults, '{1} for {0}'))})"


def _usual_first(whose: dict[str, list[str]], pattern: str) -> list[str]:
    """Return what most owners have, then what others have, with their names in a pattern."""
    usual, *others = sorted(whose.items(), key=lambda entry: -len(entry[1]))
    return [usual[0], *(pattern.format(", ".join(kinds), text) for text, kinds in others)]


def _owners_text(classes: dict[str, type[Any]], every: Sequence[str]) -> str:
    """Return who has a parameter, or who has not, whichever is shorter; nothing if all have it."""
    lacking = [kind for kind in every if kind not in classes]
    if not lacking:
        return ""
    few = len(lacking) < len(classes)
    return f" [{'all but ' if few else ''}{', '.join(lacking if few else classes)}]"


def _as_options(text: str, known: set[str]) -> str:
    """Return a text of Python's documentation with the names that things have here."""

    def option(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')}" if found[1] in known else found[0]

    return re.sub(r"`(\w+)`", option, text).replace("fit gets no X_val", "there is no --validation")


def _documented(owner: type[Any], name: str) -> str | None:
    """Return the first sentence of what a docstring says on a parameter."""
    for parent in owner.__mro__:
        text = inspect.cleandoc(parent.__dict__.get("__doc__") or "")
        found = re.search(rf"^    {name}: (.*(?:\n {{8}}.*)*)", text, re.MULTILINE)
        if found and not found[1].startswith("as in"):
            return re.split(r"\. |\.$|; see", " ".join(found[1].split()))[0]
    return None


def _written(value: Any) -> str:
    return "none" if value is None or value is inspect.Parameter.empty else str(value).lower()


if __name__ == "__main__":
    write_table()
