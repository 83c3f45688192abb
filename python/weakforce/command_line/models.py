"""Model files, with messages for those who named them.

In: names. Out: fitted estimators, or one line on what is wrong.
"""

from __future__ import annotations

import argparse
import sys

from .. import BoostingClassifier
from .._reading.model_file import from_bytes, load
from .failures import FailureError, reason_of


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a model."""
    parser.add_argument("model", metavar="MODEL", help="what 'weakforce fit' or save() wrote; or -")


def read_model(name: str) -> BoostingClassifier:
    """Return the model of a file, or of standard input (-)."""
    try:
        return from_bytes(sys.stdin.buffer.read()) if name == "-" else load(name)
    except (OSError, ValueError) as error:
        shown = "standard input" if name == "-" else name
        raise FailureError(f"cannot read model {shown!r}: {reason_of(error)}") from error
