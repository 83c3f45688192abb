"""The tasks of `default.py`: data sets, their divisions, and labels with a known share of errors.

In: a directory with the folders ida, uci, libsvm and large (parquet files; the label is the last
column, `target`; categories are strings, nulls are missing values). Out: tasks, each one a set
under one division of its rows and one kind of label noise, and the matrices that peers can read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Training rows of the sets in ida where no division was published.
IDA_TRAIN_ROWS = {
    **{"banana": 400, "breast-cancer": 200, "diabetis": 468, "flare-solar": 666, "german": 700},
    **{"heart": 170, "image": 1300, "ringnorm": 400, "splice": 1000, "thyroid": 140},
    **{"titanic": 150, "twonorm": 400, "waveform": 400},
}
#: The same rows as a set of ida, or as another set of uci.
DUPLICATES = {
    *("libsvm/splice", "uci/heart-statlog", "uci/pima"),
    *("uci/heart-cleveland-weka", "uci/horse-colic-surgical", "uci/glass2"),
}
#: Columns that give the label away.
LEAKS = {"echocardiogram": ["survival", "alive_at_1"]}
#: Sets with fewer rows have too few test rows for an error (labor, lung-cancer).
FEWEST_ROWS = 100
MOST_TRAIN_ROWS = 5_000
TRAIN_SHARE = 0.7
#: Categorical columns with fewer levels become one column for each level in `Task.flat`.
ONE_HOT_BELOW = 13
PAIR_SHARE = 0.3

#: Kinds of noise: the percentage of symmetric noise, or "pair".
NOISES = ("0", "10", "20", "30", "40", "pair")


@dataclass(frozen=True)
class DataSet:
    """One set of the data directory."""

    folder: Path
    name: str
    n_rows: int
    n_classes: int

    @property
    def group(self) -> str:
        """The part of the report that the set belongs to."""
        if self.folder.name == "ida":
            return "ida"
        return "two classes" if self.n_classes == 2 else "multi-class"

    def divide(self, repetition: int, whole: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return training and test rows: published ones if there are any, else drawn ones."""
        generator = np.random.default_rng([number_of(self.name), repetition])
        if self.folder.name == "ida":
            return self._published(repetition, generator)
        parts = read_parts(self.folder, self.name)
        if len(parts) == 2 and repetition == 1:
            train, test = parts
        else:
            n_train = len(parts[0]) if len(parts) == 2 else int(TRAIN_SHARE * len(parts[0]))
            train, test = draw(pl.concat(parts), n_train, generator)
        if not whole and len(train) > MOST_TRAIN_ROWS:
            train = train[generator.permutation(len(train))[:MOST_TRAIN_ROWS]]
        return train, test

    def _published(
        self, repetition: int, generator: np.random.Generator
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        frame = read(self.folder / f"{self.name}.parquet")
        path = self.folder / f"{self.name}_splits.parquet"
        if path.exists():
            rows = pl.read_parquet(path).filter(pl.col("realization") == repetition)
            if len(rows):
                is_train = rows["is_train"]
                return frame[rows.filter(is_train)["row"]], frame[rows.filter(~is_train)["row"]]
        return draw(frame, IDA_TRAIN_ROWS[self.name], generator)


@dataclass(frozen=True)
class Task:
    """Rows to learn from, with noisy labels, and test rows with clean and with noisy labels."""

    train: pl.DataFrame
    labels: Ints
    test: pl.DataFrame
    clean: Ints
    noisy: Ints
    n_classes: int

    @cached_property
    def categorical(self) -> list[int]:
        """Positions of the categorical columns in `coded`."""
        return [at for at, dtype in enumerate(self.train.dtypes) if dtype == pl.String]

    @cached_property
    def coded(self) -> tuple[Floats, Floats]:
        """Both parts as numbers; categories as codes; missing and unseen values are NaN."""
        pairs = [self._codes(name) for name in self.train.columns]
        return np.column_stack([a for a, _ in pairs]), np.column_stack([b for _, b in pairs])

    @cached_property
    def flat(self) -> tuple[Floats, Floats]:
        """Both parts as numbers without gaps: few categories one-hot, medians for missing ones."""
        train, test = [], []
        for name in self.train.columns:
            a, b = self._codes(name)
            levels = np.unique(a[~np.isnan(a)])
            if self.train[name].dtype == pl.String:
                a, b = np.nan_to_num(a, nan=-1.0), np.nan_to_num(b, nan=-1.0)
                if len(levels) < ONE_HOT_BELOW:
                    shown = np.unique(a)
                    a, b = (values[:, None] == shown for values in (a, b))
            else:
                middle = float(np.nanmedian(a)) if len(levels) else 0.0
                a, b = np.nan_to_num(a, nan=middle), np.nan_to_num(b, nan=middle)
            train.append(a)
            test.append(b)
        return np.column_stack(train).astype(float), np.column_stack(test).astype(float)

    def _codes(self, name: str) -> tuple[Floats, Floats]:
        """Return one column of both parts; the codes of categories are ordered by frequency."""
        train, test = self.train[name], self.test[name]
        if train.dtype != pl.String:
            return tuple(part.cast(pl.Float64).to_numpy() for part in (train, test))
        counts = train.drop_nulls().value_counts().sort(["count", name], descending=[True, False])
        codes = {level: float(code) for code, level in enumerate(counts[name])}
        return tuple(
            np.array([codes.get(value, np.nan) for value in part]) for part in (train, test)
        )


def find_sets(directory: Path) -> Iterator[DataSet]:
    """Yield all sets of the data directory that take part, the quick ones first in each folder."""
    for folder in ("ida", "uci", "libsvm", "large"):
        paths = (directory / folder).glob("*.parquet")
        names = {path.stem.removesuffix("_train") for path in paths}
        names = {name for name in names if not name.endswith(("_splits", "_test"))}
        sets = [describe(directory / folder, name) for name in names]
        for found in sorted(sets, key=lambda found: (found.n_rows * found.n_classes, found.name)):
            if f"{folder}/{found.name}" not in DUPLICATES and found.n_rows >= FEWEST_ROWS:
                yield found


def describe(folder: Path, name: str) -> DataSet:
    labels = pl.concat([part["target"] for part in read_parts(folder, name)])
    return DataSet(folder, name, len(labels), labels.n_unique())


def read_parts(folder: Path, name: str) -> list[pl.DataFrame]:
    """Return the training and test rows as they were published, or one frame with all rows."""
    whole = folder / f"{name}.parquet"
    if whole.exists():
        return [read(whole)]
    return [read(folder / f"{name}_{part}.parquet") for part in ("train", "test")]


def read(path: Path) -> pl.DataFrame:
    """Return the rows that have a label, without columns that give it away."""
    name = path.stem.removesuffix("_train").removesuffix("_test")
    return pl.read_parquet(path).drop_nulls("target").drop(LEAKS.get(name, []))


def draw(
    frame: pl.DataFrame, n_train: int, generator: np.random.Generator
) -> tuple[pl.DataFrame, pl.DataFrame]:
    order = generator.permutation(len(frame))
    return frame[order[:n_train]], frame[order[n_train:]]


def make_task(found: DataSet, repetition: int, noise: str, whole: bool) -> Task:
    """Divide a set and turn labels; classes have codes in the order of their names."""
    train, test = found.divide(repetition, whole)
    classes = np.unique(np.concatenate([train["target"].to_numpy(), test["target"].to_numpy()]))
    given, clean = (np.searchsorted(classes, part["target"].to_numpy()) for part in (train, test))
    seeds = [number_of(found.name), repetition, number_of("p30" if noise == "pair" else noise)]
    generator = np.random.default_rng(seeds)
    labels = turn(given, len(classes), noise, generator)
    noisy = turn(clean, len(classes), noise, generator)
    return Task(train.drop("target"), labels, test.drop("target"), clean, noisy, len(classes))


def turn(labels: Ints, n_classes: int, noise: str, generator: np.random.Generator) -> Ints:
    """Give a share of the rows another class: the next one ("pair") or any, equally likely."""
    draws = generator.random(len(labels))
    if noise == "pair":
        return np.where(draws < PAIR_SHARE, (labels + 1) % n_classes, labels)
    others = (labels + 1 + generator.integers(0, n_classes - 1, len(labels))) % n_classes
    return np.where(draws < int(noise) / 100, others, labels)


def number_of(text: str) -> int:
    """Return a number for a text that is the same in every process, as a part of a seed."""
    number = 7
    for character in text:
        number = (number * 31 + ord(character)) % 2**31
    return number
