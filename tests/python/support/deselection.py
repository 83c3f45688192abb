"""Leaves tests out by name and by kind of booster, and fails where this leaves out nothing.

In: entries of (test, kinds, reason) and what pytest collected. A whole collection shows which
entries leave out nothing: it then gets a test more, which fails and names them. It is a test, not
an error of the collection, because pytest-xdist reports tests of its workers as they are.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import pytest

#: The name of a test, kinds of boosters for which it is left out, and why.
Entry = tuple[str, tuple[str, ...], str]
#: Options of pytest, and of its cache, that select among the tests of a folder.
SELECTING = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf")


def name_of(item: pytest.Item) -> str:
    """The name of the test function."""
    return getattr(item, "originalname", None) or item.name


def kinds_of(item: pytest.Item) -> set[str]:
    """The kinds of the boosters and learners among the parameters of a test."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    # Fixtures may take a booster together with its learner.
    found = [part for each in parameters.values() for part in _parts(each)]
    return {part._kind for part in found if isinstance(getattr(part, "_kind", None), str)}


def _parts(parameter: object) -> tuple[object, ...]:
    return parameter if isinstance(parameter, tuple) else (parameter,)


def without_effect(entries: Iterable[Entry], seen: Iterable[tuple[str, set[str]]]) -> list[str]:
    """What is wrong with the entries, given the names and kinds of all tests."""
    kinds_by_test: dict[str, set[str]] = {}
    for test, kinds in seen:
        kinds_by_test.setdefault(test, set()).update(kinds)
    wrong = []
    for test, kinds, reason in entries:
        if test not in kinds_by_test:
            wrong.append(f"no test has the name {test!r} (left out: {reason})")
        else:
            idle = [kind for kind in kinds if kind not in kinds_by_test[test]]
            wrong += [f"{test!r} never runs with {kind!r} (left out: {reason})" for kind in idle]
    return wrong


def is_whole(session: pytest.Session, folder: Path) -> bool:
    """Whether all tests below a folder were asked for, and collected without errors."""
    config = session.config
    if session.testsfailed or any(config.getoption(name, None) for name in SELECTING):
        return False
    asked = [(config.invocation_params.dir / argument).resolve() for argument in config.args]
    return any(path == folder or path in folder.parents for path in asked)


class EntriesWithoutEffect(pytest.Item):
    """A test that fails with what is wrong with the entries."""

    def __init__(self, *, wrong: list[str], **others: object) -> None:
        super().__init__(**others)
        self.wrong = wrong

    def runtest(self) -> NoReturn:
        raise AssertionError(
            "\n".join(["entries of LEFT_OUT that leave out nothing:", *self.wrong])
        )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, "LEFT_OUT"


def leave_out(
    entries: list[Entry], session: pytest.Session, items: list[pytest.Item], folder: Path
) -> None:
    """Deselect what the entries say; fail if they say something about nothing.

    Args:
        entries: What to leave out.
        session: The session of pytest.
        items: The tests collected, which is changed in place.
        folder: The folder with all the tests.
    """
    wrong = []
    if is_whole(session, folder):
        wrong = without_effect(entries, ((name_of(item), kinds_of(item)) for item in items))
    kinds_by_test: dict[str, set[str]] = {}
    for test, kinds, _ in entries:
        kinds_by_test.setdefault(test, set()).update(kinds)
    left_out, kept = [], []
    for item in items:
        is_left_out = kinds_of(item) & kinds_by_test.get(name_of(item), set())
        (left_out if is_left_out else kept).append(item)
    session.config.hook.pytest_deselected(items=left_out)
    items[:] = kept
    if wrong:
        place = {"name": "LEFT_OUT", "nodeid": "support/left_out.py::LEFT_OUT"}
        items.append(EntriesWithoutEffect.from_parent(session, wrong=wrong, **place))
