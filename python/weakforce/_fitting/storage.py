"""What a fit keeps in files while it runs.

In: paths as users give them. Out: what the core is told of them, and the seed of a fit that goes
on.
"""

from __future__ import annotations

import json
import os
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

from .settings import seed_of


class Storage(NamedTuple):
    """What a fit keeps in files while it runs.

    Attributes:
        checkpoint: the file from which a fit that was ended goes on.
        every: the rounds after which it is written anew.
        codes_dir: the folder for codes that are more than memory holds.
        outlasts: whether the checkpoint stays when the fit is done, for a caller that removes it.
    """

    checkpoint: Path | None = None
    every: int = 50
    codes_dir: Path | None = None
    outlasts: bool = False

    @classmethod
    def of(cls, checkpoint: Any, every: Any, codes_dir: Any) -> Storage:
        """Return what `fit` was told; a `Storage` in the place of a checkpoint stays as it is."""
        if isinstance(checkpoint, Storage):
            return checkpoint
        if not isinstance(every, Integral) or isinstance(every, bool):
            raise TypeError(
                f"parameter 'checkpoint_every': got {every!r}, expected an integer >= 1"
            )
        if every < 1:
            raise ValueError(f"parameter 'checkpoint_every': got {every}, expected an integer >= 1")
        return cls(path_of(checkpoint, "checkpoint"), int(every), path_of(codes_dir, "codes_dir"))

    def for_core(self) -> dict[str, Any]:
        """Return what the core takes of it."""
        kept = None if self.checkpoint is None else (self.checkpoint, self.every)
        return {"checkpoint": kept, "codes_dir": self.codes_dir}

    def seed(self, random_state: Any) -> int:
        """Return the seed of a run: if it is drawn, the one that a checkpoint was drawn with."""
        is_drawn = not isinstance(random_state, Integral)
        kept = _seed_in(self.checkpoint) if is_drawn and self.checkpoint is not None else None
        return seed_of(random_state) if kept is None else kept

    def done(self) -> None:
        """Remove the checkpoint of a fit that is done."""
        if self.checkpoint is not None and not self.outlasts:
            self.remove()

    def remove(self) -> None:
        """Remove the checkpoint; there is none of a fit of few rounds."""
        if self.checkpoint is not None:
            self.checkpoint.unlink(missing_ok=True)


#: Nothing is kept.
NOTHING = Storage()


def path_of(given: Any, name: str) -> Path | None:
    """Return a path that a user has given, as it is meant now: folders may change meanwhile."""
    if given is None:
        return None
    if not isinstance(given, (str, os.PathLike)) or not os.fspath(given):
        raise TypeError(f"parameter '{name}': got {given!r}, expected None or a path")
    return Path(os.path.abspath(os.fspath(given)))


def _seed_in(path: Path) -> int | None:
    """Return the seed that a checkpoint holds; None without one, or if the core will refuse it."""
    try:
        seed = json.loads(path.read_bytes())["identity"]["settings"]["random_state"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return seed if isinstance(seed, int) and 0 <= seed < 2**64 else None
