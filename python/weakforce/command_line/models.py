"""Model files, with messages for those who named them.

In: names. Out: fitted estimators, or one line on what is wrong.
"""

from __future__ import annotations

import sys

from .._estimator.base import BoostingClassifier
from .._files.failures import reason_of
from .._reading.model_file import from_bytes, load
from .failures import FailureError


def read_model(name: str) -> BoostingClassifier:
    """Return the model of a file, or of standard input (-)."""
    try:
        return from_bytes(sys.stdin.buffer.read()) if name == "-" else load(name)
    except (OSError, ValueError) as error:
        shown = "standard input" if name == "-" else name
        raise FailureError(f"cannot read model {shown!r}: {reason_of(error)}") from error
