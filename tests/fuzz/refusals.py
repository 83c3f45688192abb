"""Which errors are refusals, and which are findings.

In: an exception. Out: None for an error of the library's that names its culprit, otherwise what is
wrong with it. A finding has a signature, which is the same for the same fault: its kind, and where.
"""

from __future__ import annotations

import re
import traceback
from pathlib import Path
from typing import NamedTuple

import weakforce

_LIBRARY = str(Path(weakforce.__file__).parent)
_FUZZER = str(Path(__file__).parent)

#: The types that errors may have. Those of other libraries derive from them, and are refused.
_ALLOWED = (ValueError, TypeError, RuntimeError, MemoryError, NotImplementedError, OSError)
_ALLOWED_NAMES = ("NotFittedError", "FileError", "FileNotFoundError")

#: What a message names: a parameter, a column, what fit gets, a file.
_NAMED = re.compile(
    r"parameter|column|sample_weight|\b[Xy](_val)?\b|estimator|label|class|memory|feature|row"
    r"|model|solver|cannot read|to_sql|to_polars|dialect"
    # What scikit-learn's estimator checks ask for.
    r"|sample\(s\)|Complex data not supported|Expected 2D array",
    re.IGNORECASE,
)
#: What is wrong wherever it stands.
_BROKEN = re.compile(r"internal error|panicked|unexpected value while building|got an unexpected")
#: What a message begins with that says what it is about; a reason in foreign words may follow.
_BEGINNING = re.compile(
    r"parameter '|column '|sample_weight|[Xy](_val)?\b|model file: |cannot read "
)
#: Words of Python, NumPy, Polars and Arrow, which say nothing to users of this library.
_FOREIGN = re.compile(
    r"could not convert|Input operand|unsupported operand"
    r"|object has no attribute|index out of|not supported between|only length-1"
    r"|truth value of an|invalid literal|too large to convert|must be real number|unhashable"
    r"|not implemented for|cannot be safely|ndim|JSON|expected f64"
    r"|out of range integral|surrogates not allowed|takes \d+ positional"
    r"|not subscriptable|not iterable|integer string conversion|inhomogeneous"
)


#: Where the library calls a classifier of the user's.
_ASKS = ("fit", "answers")


class Finding(NamedTuple):
    """A fault: its kind, where it is, and what it says."""

    kind: str
    place: str
    message: str

    @property
    def signature(self) -> str:
        """What the same fault has in common."""
        return f"{self.kind} at {self.place}"


class BrokenPromiseError(AssertionError):
    """Something that should hold does not."""


def fault_of(error: BaseException) -> Finding | None:
    """Return what is wrong with an error; None if it is a refusal."""
    name, message = type(error).__name__, str(error)
    if isinstance(error, BrokenPromiseError):
        return Finding("broken promise", message.partition(":")[0], message)
    if _is_of_classifier(error):
        return None
    allowed = type(error) in _ALLOWED or name in _ALLOWED_NAMES
    if not allowed:
        return Finding(name, place_of(error), message)
    named = _BEGINNING.match(message) is not None
    if _BROKEN.search(message) or (_FOREIGN.search(message) and not named):
        return Finding(f"{name} in foreign words", place_of(error), message)
    if not named and not _NAMED.search(message):
        return Finding(f"{name} that names nothing", place_of(error), message)
    return None


def must_hold(condition: bool, name: str, detail: object = "") -> None:
    """Raise if something does not hold."""
    if not condition:
        raise BrokenPromiseError(f"{name}: {detail}")


def _is_of_classifier(error: BaseException) -> bool:
    """Return whether an error comes from the user's own classifier, whose words it has."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame)]
    if not own or not isinstance(error, Exception):
        return False
    return own[-1].filename.endswith("_fitting/external.py") and own[-1].name in _ASKS


def _is_own(frame: traceback.FrameSummary) -> bool:
    return frame.filename.startswith(_LIBRARY)


def place_of(error: BaseException) -> str:
    """Return the last function of the library, else of the fuzzer, that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_own(frame)]
    asked = [frame for frame in frames if frame.filename.startswith(_FUZZER)]
    last = (own or asked or frames)[-1]
    path = last.filename.removeprefix(_LIBRARY).removeprefix(_FUZZER).strip("/")
    return f"{path}:{last.name}"
