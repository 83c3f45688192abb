"""What runs before the tests of all folders: those that do not hold for a booster are left out."""

from pathlib import Path

import pytest

from support.deselection import leave_out
from support.left_out import LEFT_OUT


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    leave_out(LEFT_OUT, session, items, Path(__file__).resolve().parent)
