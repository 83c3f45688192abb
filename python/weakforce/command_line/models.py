"""Model files, with messages for those who named them.

In: names. Out: fitted estimators, or one line on what is wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

from .._estimator.base import BoostingClassifier
from .._files.failures import reason_of
from .._reading.model_file import from_bytes
from .failures import FailureError

_NO_MODEL = (
    "it is no model file, expected what 'weakforce fit' or save() wrote, before any data (a model "
    "that was pickled has to be loaded and saved in Python)"
)


def read_model(name: str) -> BoostingClassifier:
    """Return the model of a file, or of standard input (-)."""
    shown = "standard input" if name == "-" else name
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return from_bytes(data)
    except (OSError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) or _is_json(data) else _NO_MODEL
        raise FailureError(f"cannot read model {shown!r}: {reason}") from error


def _is_json(data: bytes) -> bool:
    """Whether a file may be a model, if a damaged one."""
    return data.lstrip()[:1] == b"{"
