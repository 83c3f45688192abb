"""The sets of `suspects.py`, and how their labels are turned.

In: names and seeds. Out: rows as numbers with class codes, and wrong labels.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Chosen before any result was seen: all sets of two classes of Rätsch et al., and five of Geist's.
TWO_CLASSES = (
    *("banana", "breast-cancer", "diabetis", "flare-solar", "german", "heart", "image"),
    *("ringnorm", "splice", "thyroid", "titanic", "twonorm", "waveform"),
)
SEVERAL_CLASSES = ("segment", "satimage_train", "pendigits_train", "vowel_train", "dna_train")
FILES = {
    **{name: [f"ida/{name}"] for name in TWO_CLASSES},
    **{name: [f"libsvm/{name}"] for name in SEVERAL_CLASSES},
}
LARGE = {
    "adult": ["large/adult_train", "large/adult_test"],
    "bank-marketing": ["large/bank-marketing"],
    "letter": ["libsvm/letter_train", "libsvm/letter_test"],
    "pendigits": ["libsvm/pendigits_train", "libsvm/pendigits_test"],
    "shuttle": ["libsvm/shuttle_train", "libsvm/shuttle_test"],
}
MOST_ROWS = 2000


def read(directory: Path, name: str) -> tuple[Floats, Ints]:
    """Return rows as numbers and class codes; the same part of a large set every time."""
    frame = pl.read_parquet(directory / f"{FILES[name][0]}.parquet")
    if len(frame) > MOST_ROWS:
        order = np.random.default_rng(0).permutation(len(frame))
        frame = frame[np.sort(order[:MOST_ROWS])]
    return frame.drop("target").cast(pl.Float64).to_numpy(), _codes(frame["target"])


def read_large(directory: Path, name: str) -> tuple[pl.DataFrame, Ints]:
    """Return all rows of a large set as a frame, and class codes."""
    parts = [pl.read_parquet(directory / f"{path}.parquet") for path in LARGE[name]]
    frame = pl.concat(parts, how="vertical_relaxed")
    return frame.drop("target"), _codes(frame["target"])


def _codes(target: pl.Series) -> Ints:
    return np.unique(target.to_numpy(), return_inverse=True)[1].astype(np.int64)


def turn(labels: Ints, seed: int, share: float, similar: Ints | None = None) -> Ints:
    """Give a share of the rows another label: any other one, or that of the most similar class."""
    generator = np.random.default_rng(seed)
    n_classes = int(labels.max()) + 1
    turned = generator.random(len(labels)) < share
    others = (labels + generator.integers(1, n_classes, len(labels))) % n_classes
    return np.where(turned, others if similar is None else similar[labels], labels)


def similar_classes(X: Floats, clean: Ints) -> Ints:
    """Return for each class the one that a linear discriminant takes it for most often."""
    model = make_pipeline(SimpleImputer(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1))
    shares = cross_val_predict(model, X, clean, cv=5, method="predict_proba")
    n_classes = shares.shape[1]
    mean = np.array([shares[clean == code].mean(axis=0) for code in range(n_classes)])
    np.fill_diagonal(mean, -1.0)
    return mean.argmax(axis=1)


def split(X: Floats, clean: Ints, seed: int) -> tuple[tuple[Floats, Ints], tuple[Floats, Ints]]:
    """Return two thirds of the rows to learn from, and a third for testing."""
    X, X_test, y, y_test = train_test_split(
        X, clean, test_size=1 / 3, random_state=seed, stratify=clean
    )
    return (X, y), (X_test, y_test)
