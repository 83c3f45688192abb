"""One worker's part in a fit.

In: an estimator, the partitions that this worker holds, and where the other workers are. Out: what
the estimator learned of the rows of all of them, from the first worker.
"""

from __future__ import annotations

import re
from collections import ChainMap
from contextlib import nullcontext
from copy import copy
from dataclasses import asdict, dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._estimator.base import BoostingClassifier
from .._estimator.fitting import Task
from .._fitting.external import pick_rows
from .._fitting.frames import split_column
from .._fitting.labels import Floats
from .._fitting.observers import Observer
from .._fitting.row_samples import RowSample
from .._fitting.rows import Rows
from .._fitting.settings import to_json
from .._fitting.storage import NOTHING, Storage
from .._fitting.targets import OneLabel
from .._reading.fitted_model import FittedModel
from .columns import Columns
from .failures import AbandonedError, in_partition
from .files import Files, Tiles
from .kinds import unite
from .labels import OwnLabels, ShardTarget, gathered, read_weights
from .mailbox import own_office, report_round
from .reducer import Reducer
from .row_samples import ShardSample

#: How the core begins when another shard has failed.
_ELSEWHERE = re.compile(r"shard \d+ of this fit failed: ")


@dataclass(frozen=True)
class Plan:
    """What every worker has to know of a fit.

    Attributes:
        fit: the name of the fit.
        addresses: the workers that take part, by rank.
        model: the estimator, with a seed and without callbacks; fitted if it goes on.
        watching: "no" if nobody watches the rounds, "yes", or "asks" if the client says after each
            whether to go on.
        storage: the checkpoint, which the first worker reads and writes.
    """

    fit: str
    addresses: list[str]
    model: BoostingClassifier
    watching: str
    storage: Storage = NOTHING


@dataclass(frozen=True)
class Part:
    """A partition: its number among all, its columns, labels and weights, or names of columns."""

    number: int
    X: Any
    y: Any
    sample_weight: Any

    def fields(self) -> tuple[int, Any, Any, Any]:
        """Return them as a tuple, in which Dask finds futures."""
        return self.number, self.X, self.y, self.sample_weight


@dataclass(frozen=True)
class Learned:
    """What was learned from the rows of all workers.

    Attributes:
        core: the model, as a JSON text.
        target: what it predicts.
        calibration: how its scores become probabilities.
        prior: what class weights add to its scores.
        seconds: spent on binning and on boosting.
    """

    core: bytes
    target: OneLabel
    calibration: Any
    prior: Floats | None
    seconds: tuple[float, float]


class ShardRows(Rows):
    """Rows of one worker, which are ready for the core."""

    def split(self) -> Rows:
        """Return the rows: no label is among the columns any more."""
        return self

    def as_frame(self) -> Any:
        """Return X, which the core reads as it is."""
        return self.X

    def lasting(self) -> Rows:
        """Return the rows, which may be read more than once."""
        return self

    def sample(self, weights: Floats | None, n_rows: int, most: int) -> RowSample:  # noqa: ARG002
        """Return those rows of a sample of all rows that are here."""
        assert isinstance(self.target, ShardTarget)
        return ShardSample.draw(weights, most, self.target.reducer)

    def picked(self, places: NDArray[np.int64]) -> Any:
        """Return the columns of the rows at ascending places."""
        return self.X.picked(places) if hasattr(self.X, "picked") else pick_rows(self.X, places)


def fit_shard(
    plan: Plan, rank: int, n_jobs: int, given: list[tuple[int, Any, Any, Any]]
) -> tuple[Learned | None, dict[str, int]]:
    """Fit with all other workers; return what the first has learned, and the traffic."""
    office = own_office()
    box = office.boxes.get(plan.fit)
    if box is None:
        raise AbandonedError("the fit was called off before it began")
    office.watch(plan.fit)
    reducer = Reducer(office, box, plan.fit, rank, plan.addresses)
    model = copy(plan.model).set_params(n_jobs=n_jobs)  # workers may be threads of one process
    earlier = model.fitted_model_ if _goes_on(model) else None
    rows = _read_rows([Part(*fields) for fields in given], reducer, model)
    observer = None
    if rank == 0 and plan.watching != "no":
        asks = plan.watching == "asks"

        def observer(*numbers: Any) -> bool:
            return office.run_until_failed(plan.fit, report_round(box, numbers, asks))

    task = model._task(rows, Rows(None, None, suffix="_val"), earlier)
    core, reports, seconds = _boost(task, earlier, observer, (reducer, plan.storage))
    traffic = asdict(reducer.traffic)
    target = OneLabel(task.target.classes)
    fitted = model._completed(model._model_of(core, target), task, reports)
    if rank > 0:
        return None, traffic
    json = core.to_json("null")
    plan.storage.done()
    return Learned(json, target, fitted.calibration, fitted.prior, seconds), traffic


def _boost(
    task: Task,
    earlier: FittedModel | None,
    observer: Observer | None,
    shared: tuple[Reducer, Storage],
) -> tuple[_core.Model, list[dict[str, Floats]], tuple[float, float]]:
    """Let the core fit; what went wrong with another shard is said there."""
    settings = to_json(task.settings)
    core = None if earlier is None else earlier.core
    reducer, storage = shared
    try:
        model, _, reports, seconds = _core.fit(
            settings,
            task.given,
            task.held_back,
            core,
            observer,
            task.frames,
            reducer,
            **storage.for_core(),
        )
    except RuntimeError as error:
        if _ELSEWHERE.match(str(error)):
            raise AbandonedError(str(error)) from None
        raise
    return model, reports, seconds


def _read_rows(parts: list[Part], reducer: Reducer, model: BoostingClassifier) -> Rows:
    """Return the rows of this worker, as those of all workers are."""
    split = [_split(part) for part in parts]
    frames, labels, weights = (
        [(part.number, values[at]) for part, values in zip(parts, split, strict=True)]
        for at in range(3)
    )
    own_labels = OwnLabels.read(labels, type(model).__name__)
    own_weights = None
    if any(each is not None for _, each in weights):
        own_weights = read_weights(weights, own_labels.counts)
    are_files = isinstance(parts[0].X, Files)
    columns: Columns | Tiles = Tiles(*frames[0]) if are_files else Columns.read(frames)
    counts = columns.counts()
    for (number, n_rows), n_labels in zip(counts.items(), own_labels.counts, strict=True):
        if n_labels != n_rows:
            raise ValueError(
                f"partition {number}: y: got {n_labels} labels, expected one for each of {n_rows} "
                "rows"
            )
    all_facts, all_counts = zip(*gathered(reducer, (columns.facts(), counts)), strict=True)
    common = unite(sorted(chain(*all_facts), key=itemgetter(0)))
    reducer.pieces = _pieces(list(counts), dict(ChainMap(*all_counts)))
    known = model.classes_ if _goes_on(model) else None
    target, codes = own_labels.target(reducer, known)
    return ShardRows(columns.united(common), codes, own_weights, target=target)


def _goes_on(model: BoostingClassifier) -> bool:
    return bool(model.warm_start) and model.__sklearn_is_fitted__()


def _split(part: Part) -> tuple[Any, Any, Any]:
    """Return columns, labels and weights of a partition; errors name it."""
    are_files = isinstance(part.X, Files)
    with nullcontext() if are_files else in_partition(part.number):
        X, y = split_column(part.X.rows() if are_files else part.X, part.y, "y")
        X, weights = split_column(X, part.sample_weight, "sample_weight")
    return X, y, weights


def _pieces(own: list[int], counts: dict[int, int]) -> list[tuple[int, int]]:
    """Return where the partitions of this worker are among all rows."""
    first, starts = 0, {}
    for number in sorted(counts):
        starts[number] = first
        first += counts[number]
    return [(starts[number], counts[number]) for number in own]
