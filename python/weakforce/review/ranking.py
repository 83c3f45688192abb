"""Which row comes first: how suspect the label of every row is.

In: rows to learn from and their labels, or a model that judges them. Out: a ranking. One that was
made is kept beside the decisions, so that a review that goes on begins at once and in the same
order.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .._core import __version__
from .._files.outputs import new_file
from .decisions import label_key
from .fingerprints import TableFingerprint

if TYPE_CHECKING:
    from .._estimator.base import BoostingClassifier

#: What the name of a kept ranking has behind that of the table of decisions.
SUFFIX = ".ranking"
#: The suggested class of rows for which no other class is more likely than the given one.
NONE = -1


@dataclass(frozen=True, eq=False)
class Ranking:
    """How suspect the labels of a table are; arrays are by row of the table.

    Attributes:
        classes: the labels, each as the text that stands for it in decisions.
        order: the rows, the most suspect first.
        given: the class in the table.
        suggested: the class that fits better; `NONE` if the given one fits best, except that of two
            classes it is then the other one.
        disagrees: whether another class than the given one is the most likely.
        margins: from −1, surely wrong, to 1, surely right.
        scores: the suspicion, from 0 to 1.
        reasons: why, for each row, if the ranking says so.
        judged_by: who judged, in words.
    """

    classes: list[str]
    order: NDArray[np.intp]
    given: NDArray[np.intp]
    suggested: NDArray[np.intp]
    disagrees: NDArray[np.bool_]
    margins: NDArray[np.float64]
    scores: NDArray[np.float64]
    reasons: list[str] | None
    judged_by: str

    @classmethod
    def of(cls, found: pl.DataFrame, judged_by: str) -> Ranking:
        """Return the ranking of a frame such as `suspect_labels` returns."""
        given, suggested = _keys(found["given"]), _keys(found["suggested"])
        labels = sorted({*found["given"].to_list(), *found["suggested"].to_list()}, key=_sorting)
        classes = list(dict.fromkeys(map(label_key, labels)))
        places = {label: at for at, label in enumerate(classes)}
        order = found["row"].to_numpy().astype(np.intp)
        given_codes = _by_row(order, np.array([places[label] for label in given], dtype=np.intp))
        best = _by_row(order, np.array([places[label] for label in suggested], dtype=np.intp))
        disagrees = best != given_codes
        other = 1 - given_codes if len(classes) == 2 else np.full(len(order), NONE)
        reasons = None
        if "reasons" in found.columns:
            texts = found["reasons"].cast(pl.String).fill_null("").to_list()
            reasons = [texts[at] for at in np.argsort(order)]
        return cls(
            classes,
            order,
            given_codes,
            np.where(disagrees, best, other),
            disagrees,
            _by_row(order, found["margin"].to_numpy()),
            _by_row(order, found["score"].to_numpy()),
            reasons,
            judged_by,
        )


def rank_by_model(model: BoostingClassifier, X: pl.DataFrame, y: pl.Series) -> pl.DataFrame:
    """Return how suspect labels are to a model, as `suspect_labels` returns it.

    Labels that the model does not know have the probability zero.
    """
    shares = model.predict_proba(X)
    known = classes_as_written(model, y)
    places = {label: at for at, label in enumerate(known)}
    truth = np.array([places.get(label, -1) for label in _keys(y)])
    rows = np.arange(len(truth))
    own = np.where(truth >= 0, shares[rows, truth], 0.0)
    others = shares.copy()
    others[rows[truth >= 0], truth[truth >= 0]] = 0.0
    tiny = np.finfo(float).tiny
    lead = np.log(np.maximum(own, tiny)) - np.log(np.maximum(others.max(axis=1), tiny))
    best = shares.argmax(axis=1)
    labels = pl.Series(known)
    order = np.argsort(-(1.0 - own), kind="stable")
    return pl.DataFrame(
        {
            "row": rows[order],
            "given": pl.Series(_keys(y)).gather(order),
            "suggested": labels.gather(best[order]),
            "margin": np.tanh(lead / 4.0)[order],
            "score": (1.0 - own)[order],
        }
    )


def classes_as_written(model: BoostingClassifier, y: pl.Series) -> list[str]:
    """Return the classes of a model as the texts that stand for them in a table.

    Where labels are texts, such as those of a CSV file, "true" may stand for True and "1.0" for 1.
    """
    classes = model.classes_.tolist()
    known = [label_key(label) for label in classes]
    if y.dtype != pl.String or isinstance(classes[0], str):
        return known
    for text in y.alias("y").unique().drop_nulls().sort().to_list():
        value: Any = text.lower() == "true" if text.lower() in ("true", "false") else _number(text)
        if value in classes and text not in known:
            known[classes.index(value)] = text
    return known


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def ranking_path(out: str) -> Path:
    """Return where the ranking of a review is kept."""
    return Path(f"{out}{SUFFIX}")


def ranking_key(table: TableFingerprint, how: dict[str, Any]) -> str:
    """Return what identifies a ranking: the table, the options and the version."""
    entries = [__version__, table.target, len(table.rows), table.columns, how]
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def keep_ranking(path: Path, key: str, found: pl.DataFrame) -> None:
    """Write a ranking to disk."""
    with new_file(str(path)) as made:
        found.with_columns(pl.lit(key).alias("key of the ranking")).write_parquet(made)


def kept_ranking(path: Path, key: str) -> pl.DataFrame | None:
    """Return the ranking that was kept; None if there is none, or only another one."""
    try:
        found = pl.read_parquet(path)
        if found.is_empty() or found["key of the ranking"][0] != key:
            return None
        return found.drop("key of the ranking")
    except (OSError, KeyError, pl.exceptions.PolarsError):
        return None


def _keys(labels: pl.Series) -> list[str]:
    return [label_key(label) for label in labels.to_list()]


def _sorting(label: Any) -> tuple[bool, Any]:
    """Return what labels are sorted by, also those of different types."""
    is_number = isinstance(label, (int, float))
    return (not is_number, label if is_number else label_key(label))


def _by_row(order: NDArray[np.intp], values: NDArray[Any]) -> NDArray[Any]:
    """Return values in the order of the table."""
    placed = np.empty_like(values)
    placed[order] = values
    return placed
