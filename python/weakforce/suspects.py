"""Which labels look wrong: the judgement of boosters that have not seen them.

In: rows with labels, and a booster. Out: a frame of all rows, the most suspect first. Every row is
judged by boosters that were fitted to other rows, see `_estimator.cross_fit`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone

from ._estimator.base import BoostingClassifier
from ._estimator.cross_fit import CrossFit, Judgement, Problem
from ._fitting import label_sets
from ._fitting.labels import Codes, label_series, row_weights
from ._fitting.rows import Rows
from ._fitting.settings import seed_of
from ._fitting.targets import OneLabel
from .learners import Tree
from .multiclass import AdaBoostMHClassifier


def suspect_labels(
    X: Any,
    y: Any,
    estimator: BoostingClassifier | None = None,
    sample_weight: Any = None,
    *,
    n_folds: int = 5,
    n_repeats: int = 3,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> pl.DataFrame:
    """Return all rows, sorted by how suspect their labels are, the most suspect first.

    The rows are divided into folds, of which each is judged by a booster that was fitted to the
    others: it has not seen the labels that it judges. That is repeated with other divisions.

    Parameters:
        X: the rows: a Polars DataFrame or LazyFrame, anything with `__arrow_c_stream__` (pandas,
            pyarrow, DuckDB), or a two-dimensional array. Null and NaN are missing values.
        y: the label of each row, of any type, or the name of the column of X that holds them.
        estimator: the booster to fit, of weakforce's, with any learner. It is cloned and stays as
            it is; without a `random_state` of its own it gets another seed for each fit. None means
            AdaBoost.MH on small random trees, slowly learned: `Tree(max_leaf_nodes=16,
            min_samples_leaf=5, splitter="random", answer="gentle")`, 50 rounds with the learning
            rate 0.1.
        sample_weight: a weight ≥ 0 for each row. Rows of weight zero are judged, but nothing is
            learned from them.
        n_folds: the number of folds, from 2 to the number of rows. Each has its share of every
            class.
        n_repeats: the number of divisions into folds; what they say of a row is averaged. The cost
            is that of `n_folds` × `n_repeats` fits.
        random_state: seed of divisions and fits.
        n_jobs: number of threads; None means the estimator's own. Results do not depend on it.

    Returns:
        A frame with the columns

        - row: the position in X, from 0;
        - given: the label in y;
        - suggested: the class that boosters which have not seen the label prefer;
        - margin: their mean margin under the given label, of the kind "logistic" (see
          `BoostingClassifier.margins`): from −1, surely wrong, to 1, surely right;
        - influence: how much boosters that did see the label concentrated on the row: its weight
          relative to its start weight, averaged over the fits that it took part in; 1 if they all
          left it as it was. For AdaBoost_Reg that is the mean over the rounds (`influence_`), for
          other boosters the weight after the last round (`row_weights_`). Null for rows of weight
          zero, which take no part;
        - score: the suspicion, from 0 to 1. With p the mean probability of the given label, the
          odds (1 − p)/p that it is wrong are multiplied by (1 + influence)/2, so that what
          boosters had to do to learn the label counts beside what others make of the row. Where
          there is no influence the factor is 1. Rows of equal score are in the order of X.

        A class that is found in one fold only is unknown to those that judge its rows, so these are
        suspect. A booster that is sure of everything, as one of many large trees, gives scores near
        0 and 1 that hardly tell rows apart: few rounds, small trees and low learning rates judge
        better.

    It takes 15 fits by default: for 1,000 rows and 20 columns about a second on two cores, and a
    time that grows as rows × columns × classes.

    Examples:
        Every tenth label is wrong, and most of the 40 rows that come first have a wrong one:

        >>> import numpy as np
        >>> from weakforce import datasets, suspect_labels
        >>> X, y = datasets.make_xd6(400, noise=0.0, seed=1)
        >>> wrong = np.arange(400) % 10 == 0
        >>> labels = np.where(wrong, 1 - y.to_numpy(), y.to_numpy())
        >>> found = suspect_labels(X, labels)
        >>> bool(wrong[found["row"][:40]].mean() > 0.7)
        True
    """
    booster = _booster(estimator, n_jobs)
    rows = Rows(X, y, sample_weight).split().in_own_container()
    target, truth = _read_labels(rows.y)
    _check_lengths(rows.X, len(truth))
    weights = row_weights(rows.sample_weight, len(truth))
    fits = CrossFit(
        booster,
        Problem(rows.X, target.classes, truth, weights),
        _count("n_folds", n_folds, 2, len(truth)),
        _count("n_repeats", n_repeats, 1),
    )
    judged = fits.judge(seed_of(random_state))
    return _ranked(target.classes, truth, judged)


def _ranked(classes: NDArray[Any], truth: Codes, judged: Judgement) -> pl.DataFrame:
    """Return what is said of all rows as a frame, the most suspect first."""
    labels = label_series(classes)
    rows = np.arange(len(truth))
    own = np.minimum(judged.probabilities[rows, truth], 1.0)
    doubt = (1.0 - own) * (1.0 + np.nan_to_num(judged.influence, nan=1.0)) / 2.0
    columns = {
        "row": rows,
        "given": labels.gather(truth),
        "suggested": labels.gather(judged.probabilities.argmax(axis=1)),
        "margin": judged.margins,
        "influence": pl.Series(judged.influence).fill_nan(None),
        "score": doubt / (doubt + own),
    }
    return pl.DataFrame(columns).sort("score", "row", descending=[True, False])


def _read_labels(y: Any) -> tuple[OneLabel, Codes]:
    """Return classes and codes of labels; refuse several labels for a row."""
    if label_sets.is_indicator(y) or label_sets.lists_of(y) is not None:
        raise ValueError(
            "y: got several labels for each row, expected one: suspect_labels judges one label for "
            "each row (y should be a 1d array)"
        )
    return OneLabel.learn(y, "suspect_labels")


def _check_lengths(X: Any, n_labels: int) -> None:
    if X is None:
        raise ValueError("X is None, expected rows")
    n_rows = len(X)
    if n_rows != n_labels:
        raise ValueError(f"y: got {n_labels} labels, expected one for each of {n_rows} rows of X")


def _count(name: str, given: Any, least: int, most: float = np.inf) -> int:
    """Return a whole number; refuse what is none, or out of bounds."""
    whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    if whole and least <= given <= most:
        return int(given)
    bounds = f"at least {least}" + (f" and at most {most}, the number of rows" * (most < np.inf))
    kind = ValueError if whole else TypeError
    raise kind(f"parameter '{name}': got {given!r}, expected a whole number of {bounds}")


def default_booster() -> AdaBoostMHClassifier:
    """Return the booster that judges labels unless the user has another one.

    Small random trees that are learned slowly know little by heart, which is what counts here.
    """
    learner = Tree(max_leaf_nodes=16, min_samples_leaf=5, splitter="random", answer="gentle")
    return AdaBoostMHClassifier(learner, n_estimators=50, learning_rate=0.1)


def _booster(estimator: Any, n_jobs: Any) -> BoostingClassifier:
    """Return a booster to clone, with its number of threads."""
    if estimator is None:
        estimator = default_booster()
    if not isinstance(estimator, BoostingClassifier):
        given = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise TypeError(
            f"parameter 'estimator': got {given}, expected None or a booster of weakforce such as "
            "RealAdaBoostClassifier()"
        )
    booster: BoostingClassifier = clone(estimator)
    return booster if n_jobs is None else booster.set_params(n_jobs=n_jobs)
