"""The option table says what the classes say, and help texts come from it alone."""

import json
import subprocess
import sys

import pytest

import weakforce
from weakforce._estimator.base import estimators
from weakforce.command_line.class_options import table_of_classes
from weakforce.command_line.option_table import DEFAULT, PATH, option_table

SUBCOMMANDS = ("fit", "predict", "evaluate", "explain", "suspects", "export", "report")
HEAVY = ("matplotlib", "numpy", "polars", "scipy", "sklearn")


def loaded_by(*arguments):
    """The exit code of a command, and the heavy packages that it loads."""
    code = (
        "import json, sys\n"
        "from weakforce.__main__ import main\n"
        "try:\n"
        f"    code = main({list(arguments)!r})\n"
        "except SystemExit as end:\n"
        "    code = int(end.code or 0)\n"
        f"print(json.dumps([code, [name for name in {HEAVY} if name in sys.modules]]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def test_the_table_is_what_the_classes_say_now():
    stored = json.loads(PATH.read_text(encoding="utf-8"))
    assert stored == table_of_classes(), "the classes have changed: run 'make options'"


def test_the_table_names_the_classes_of_boosters_and_learners():
    table = option_table()
    for described, classes in (
        (table.boosters, estimators()),
        (table.learners, weakforce.weak_learners()),
    ):
        own = [each.__name__ for each in classes if each.__module__.startswith("weakforce.")]
        assert [entry.class_name for entry in described.values()] == own
    assert next(iter(table.boosters)) == DEFAULT


@pytest.mark.parametrize("arguments", [("--help",), *((name, "--help") for name in SUBCOMMANDS)])
def test_help_loads_nothing_heavy(arguments):
    assert loaded_by(*arguments) == [0, []]


@pytest.mark.parametrize(
    "arguments", [(), ("fit",), ("fit", "data.csv", "--target", "y", "--no-such-option", "1")]
)
def test_wrong_usage_is_refused_before_anything_heavy_is_loaded(arguments):
    assert loaded_by(*arguments) == [2, []]


def test_the_version_loads_nothing_heavy():
    assert loaded_by("--version") == [0, []]
