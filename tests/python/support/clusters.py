"""Rows that are spread over the workers of a cluster as a test wants it.

In: frames, and who shall hold which rows. Out: futures of the partitions; hashes of model files.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

#: The rows of the problem that most tests have.
N_ROWS = 600


def spread(client: Any, frame: Any, holders: list[tuple[int, int]]) -> list[Any]:
    """Return the rows of a frame as futures: so many rows, held by a worker with this number."""
    workers = sorted(client.nthreads())
    parts, first = [], 0
    for worker, n_rows in holders:
        part = frame[first : first + n_rows]
        parts.append(client.scatter(part, workers=[workers[worker]], hash=False))
        first += n_rows
    assert first == len(frame)
    return parts


def sha(model: Any, folder: Path) -> str:
    """The hash of the model file."""
    model.save(folder / "model.json")
    return hashlib.sha256((folder / "model.json").read_bytes()).hexdigest()
