"""Sound files to begin with, for the targets of `cargo fuzz`.

In: a folder. Out: model files, settings and Parquet files in folders named for the targets.
`python -m tests.fuzz.seeds fuzz/corpus` writes them; `--model FILE` writes the model by which the
Parquet target scores.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import numpy as np

import weakforce
from weakforce._estimator.base import estimators
from weakforce._fitting.rows import Rows
from weakforce._fitting.settings import to_json

from . import damage


def main(folder: Path) -> None:
    """Write seeds."""
    for at, content in enumerate(damage.model_files()):
        _write(folder / "model_file" / f"{at}.json", content)
    random = Random(1)
    for at in range(12):
        _write(folder / "parquet" / f"{at}.parquet", damage.parquet_file(random))
    rows = Rows(damage.rows(30, 1), np.arange(30) % 2)
    for booster in estimators():
        task = booster()._task(rows, Rows(None, None, suffix="_val"), None)
        text = to_json(task.settings)
        _write(folder / "settings" / f"{booster.__name__}.json", text.encode())


def write_model(path: Path) -> None:
    """Write the model of the Parquet target."""
    model = weakforce.RealAdaBoostClassifier(weakforce.Rule(), n_estimators=6)
    model.fit(damage.rows(60, 1), np.arange(60) >= 30).save(path)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    if sys.argv[1] == "--model":
        write_model(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
