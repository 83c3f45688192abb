"""Which labels look wrong, where rows are spread over a cluster.

In: rows with labels, and a booster if not the default. Out: a Dask DataFrame with a line for each
row, in the order of the rows. The judge has seen the labels, in one fit on the cluster that cannot
learn them by heart (`_wrong_labels.one_fit`).
"""

from __future__ import annotations

from typing import Any

import dask.dataframe
import numpy as np
import pandas as pd
from dask.delayed import delayed
from distributed import Client
from sklearn.base import clone

from .._estimator.base import BoostingClassifier
from .._estimator.cross_fit import Judgement
from .._fitting.frames import split_column
from .._fitting.label_codes import learn_codes
from .._fitting.label_values import labels_of
from .._fitting.labels import checked_weights
from .._fitting.settings import seed_of
from .._wrong_labels.one_fit import bounded_booster_for, mean_margins
from .._wrong_labels.ranking import ranked, suspicion_along
from .failures import in_partition
from .files import paths_in
from .fitting import client_of, fit
from .partitions import Partition, partitions_of


def suspect_labels(
    X: Any,
    y: Any,
    estimator: BoostingClassifier | None = None,
    sample_weight: Any = None,
    *,
    random_state: Any = 0,
    client: Client | None = None,
) -> Any:
    """Return how suspect each label is, for rows that are spread over a cluster.

    What `weakforce.suspect_labels(..., method="one-fit")` says of the same rows: one booster of
    little capacity is fitted to all of them, and each is judged by the mean of its margins after
    each round. The fit runs at once; rows are judged when the result is computed.

    Parameters:
        X: a Dask DataFrame or Array, or a list of delayed frames.
        y: the label of each row, in as many partitions as X, or the name of a column of X.
        estimator: the booster to fit; None means LogitBoost on small random trees, as there.
        sample_weight: a weight ≥ 0 for each row likewise. Rows of weight zero are judged, but
            nothing is learned from them.
        random_state: the seed of the fit, unless the estimator has its own.
        client: the client of the cluster; None means the active one.

    Returns:
        A Dask DataFrame in the order of the rows, with the columns given, suggested, margin and
        score of `weakforce.suspect_labels`, and the index of X if it is a Dask DataFrame; sort it
        by score to see the most suspect labels first.
    """
    if paths_in(X) is not None:
        raise TypeError(
            "X: got files, expected a Dask collection, such as dask.dataframe.read_parquet(...), "
            "because its rows are looked at again"
        )
    client = client_of(client)
    parts = partitions_of(X, y, sample_weight)
    judge: Any = _default_booster(client, parts) if estimator is None else estimator
    if isinstance(judge, BoostingClassifier):  # else fit says what is wrong
        judge = clone(judge)
        if judge.random_state is None:
            judge.set_params(random_state=seed_of(random_state))
    fit(judge, X, y, sample_weight, client=client)
    kept = delayed(judge, pure=True)
    weights = sample_weight if isinstance(sample_weight, str) else None
    job = delayed(_judged, pure=True)
    judged = [job(kept, part.number, part.X, part.y, weights) for part in parts]
    labels, numbers = np.asarray(judge.classes_[:0]), np.empty(0)
    columns = {"given": labels, "suggested": labels, "margin": numbers, "score": numbers}
    index = X._meta.index[:0] if isinstance(X, dask.dataframe.DataFrame) else None
    meta = pd.DataFrame(columns, index=index)
    return dask.dataframe.from_delayed(judged, meta=meta, verify_meta=False)


def _default_booster(client: Client, parts: list[Partition]) -> BoostingClassifier:
    """Return the booster that judges so many rows of so many classes."""
    count = delayed(_count, pure=True)
    counts = client.gather(
        client.compute([count(part.number, part.X, part.y, part.sample_weight) for part in parts])
    )
    classes = set().union(*(labels for _, labels in counts))
    return bounded_booster_for(sum(n_rows for n_rows, _ in counts), len(classes))


def _count(number: int, X: Any, y: Any, weights: Any) -> tuple[int, set[Any]]:
    """Return the number of rows of weight > 0, and the labels."""
    with in_partition(number):
        X, y = split_column(X, y, "y")
        _, weights = split_column(X, weights, "sample_weight")
        labels, _ = learn_codes(*labels_of(y, "suspect_labels"))
        checked = checked_weights(weights, len(y))
    return len(y) if checked is None else int(np.count_nonzero(checked > 0)), set(labels.tolist())


def _judged(model: BoostingClassifier, number: int, X: Any, y: Any, weights: str | None) -> Any:
    """Return what is said of the rows of a partition, in their order."""
    index = X.index if hasattr(X, "iloc") else None
    with in_partition(number):
        X, y = split_column(X, y, "y")
        X, _ = split_column(X, weights, "sample_weight")
        n_rows, fitted = len(y), model.fitted_model_
        truth = fitted.read_labels(y) if n_rows else np.zeros(0, dtype=np.uint32)
        shares, margins = np.zeros((0, fitted.n_classes)), np.zeros(0)
        if n_rows:
            shares, margins = mean_margins(model, X, truth)
    judged = Judgement(shares, margins, np.full(n_rows, np.nan))
    frame, _ = ranked(model.classes_, truth, judged, suspicion_along(judged))
    found = frame[np.argsort(frame["row"].to_numpy())]
    names = ("given", "suggested", "margin", "score")
    return pd.DataFrame({name: found[name].to_numpy() for name in names}, index=index)
