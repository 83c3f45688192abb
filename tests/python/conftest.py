"""What is done with the tests of all folders once they are collected.

Those that do not hold for a booster are left out; those that quick runs pass over are marked.
"""

import gc
from pathlib import Path

import pytest

from support.covering import mark_surplus
from support.deselection import leave_out
from support.left_out import LEFT_OUT


@pytest.hookimpl(tryfirst=True)  # before pytest selects by markers
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    leave_out(LEFT_OUT, session, items, Path(__file__).resolve().parent)
    if config.option.markexpr:
        mark_surplus(items)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from going through thousands of tests again and again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Hand everything back to it before the process ends, when leaks are looked for."""
    gc.unfreeze()
