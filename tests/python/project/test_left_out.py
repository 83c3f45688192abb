"""Entries that leave tests out must leave out something, or the run of all tests fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.deselection import without_effect

ENTRIES = [("test_a", ("one", "two"), "some reason")]
EVERYTHING = [("test_a", {"one", "stump"}), ("test_a", {"two"}), ("test_a", set())]


def test_entries_that_leave_out_something_for_each_kind_are_right():
    assert without_effect(ENTRIES, EVERYTHING) == []
    assert without_effect([], EVERYTHING) == []


def test_entries_without_effect_are_named():
    (wrong,) = without_effect(ENTRIES, [("test_b", {"one", "two"})])
    assert wrong == "no test has the name 'test_a' (left out: some reason)"
    (wrong,) = without_effect(ENTRIES, EVERYTHING[:1])
    assert wrong == "'test_a' never runs with 'two' (left out: some reason)"


CONFTEST = """
from pathlib import Path

from support.deselection import leave_out

ENTRIES = [("test_a", ("one", "two"), "not for these"), ("test_c", ("one",), "gone")]


def pytest_collection_modifyitems(session, items):
    leave_out(ENTRIES, session, items, Path(__file__).resolve().parent)
"""
TESTS = """
import pytest


class One:
    _kind = "one"


class Three:
    _kind = "three"


@pytest.mark.parametrize("booster", [One, Three])
def test_a(booster):
    assert booster is Three
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("left_out")
    (folder / "pytest.ini").touch()
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_first.py").write_text(TESTS)
    (folder / "test_second.py").write_text("def test_b(): pass\n")
    return folder


def run(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *arguments]
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": ""}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_a_whole_run_with_entries_without_effect_fails(folder, workers):
    status, printed = run(folder, *workers)
    assert status == 1
    assert "'test_a' never runs with 'two' (left out: not for these)" in printed
    assert "no test has the name 'test_c' (left out: gone)" in printed
    assert "with 'one'" not in printed
    assert "1 failed, 2 passed" in printed


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (("test_first.py",), 1),
        (("test_first.py::test_a", "test_second.py"), 2),
        (("-k", "test_"), 2),
        (("-m", "not slow"), 2),
        (("--ignore", "test_first.py"), 1),
        (("-n", "2", "-k", "test_"), 2),
    ],
)
def test_a_run_of_some_tests_does_not(folder, arguments, passed):
    status, printed = run(folder, *arguments)
    assert status == 0, printed
    assert f"{passed} passed" in printed
