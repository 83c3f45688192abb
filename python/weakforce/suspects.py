"""Which labels look wrong: the judgement of trees or boosters that have not seen them.

In: rows with labels, and a booster if not the default. Out: a frame of all rows, the most suspect
first. The default judges rows out of bag; a given booster is fitted to other rows than it judges,
see `_estimator.cross_fit`.
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
from ._fitting.array_columns import typed_columns
from ._fitting.external import take_rows
from ._fitting.labels import Codes, Floats, label_series, row_weights
from ._fitting.rows import Rows
from ._fitting.settings import seed_of
from ._fitting.targets import OneLabel
from ._reading.scores import leads, probabilities
from ._reading.wording import shown_value
from .learners import Tree
from .multiclass import AdaBoostMHClassifier
from .weak_force import WeakForceClassifier

#: The most rows that one fit of `WeakForceClassifier` judges out of bag.
_MOST_JUDGED = 50_000


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

    By default one `WeakForceClassifier` is fitted, and each row is judged by those of its trees
    that have not seen it (out of bag). With an `estimator`, the rows are divided into folds, of
    which each is judged by a booster that was fitted to the others, and that is repeated with other
    divisions. Either way nobody judges a label that it has seen.

    Parameters:
        X: the rows: a Polars DataFrame or LazyFrame, anything with `__arrow_c_stream__` (pandas,
            pyarrow, DuckDB), or a two-dimensional array. Null and NaN are missing values.
        y: the label of each row, of any type, or the name of the column of X that holds them.
        estimator: the booster to fit, of weakforce's, with any learner. It is cloned and stays as
            it is; without a `random_state` of its own it gets another seed for each fit. None means
            one `WeakForceClassifier`. It judges at most 50,000 rows out of bag, so for more of them
            None means AdaBoost.MH on small random trees, slowly learned:
            `Tree(max_leaf_nodes=16, min_samples_leaf=5, splitter="random", answer="gentle")`, 50
            rounds with the learning rate 0.1.
        sample_weight: a weight ≥ 0 for each row. Rows of weight zero are judged, but nothing is
            learned from them.
        n_folds: the number of folds, from 2 to the number of rows. Each has its share of every
            class. Without effect if one `WeakForceClassifier` judges.
        n_repeats: the number of divisions into folds; what they say of a row is averaged. The cost
            is that of `n_folds` × `n_repeats` fits. Without effect likewise.
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
          other boosters the weight after the last round (`row_weights_`), for the default one less
          the probability that the whole model, which has seen the label, gives it. Null for rows of
          weight zero, which take no part;
        - score: the suspicion, from 0 to 1. With p the mean probability of the given label (the
          soft-max of scores unless the estimator's `calibrate` says more), the odds (1 − p)/p that
          it is wrong are multiplied by (1 + influence)/2, so that what boosters had to do to learn
          the label counts beside what others make of the row. Where there is no influence the
          factor is 1. Rows of equal score are in the order of X.

        A class that is found in one fold only, or in one row, is unknown to those that judge it, so
        these labels are suspect. A booster that is sure of everything, as one of many large trees,
        gives scores near 0 and 1 that hardly tell rows apart: few rounds, small trees and low
        learning rates judge better.

    For 1,000 rows and 20 columns that takes a few seconds, and a time that grows as rows × columns
    × classes; an `estimator` takes the time of its 15 fits.

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
    booster = None if estimator is None else _booster(estimator, n_jobs)
    rows = Rows(X, y, sample_weight).split().in_own_container()
    target, truth = _read_labels(rows.y)
    _check_lengths(rows.X, len(truth))
    weights = row_weights(rows.sample_weight, len(truth))
    problem = Problem(rows.X, target.classes, truth, weights)
    folds = _count("n_folds", n_folds, 2, len(truth)), _count("n_repeats", n_repeats, 1)
    seed = seed_of(random_state)
    if booster is None and np.count_nonzero(weights) <= _MOST_JUDGED:
        judged = _judge_out_of_bag(problem, seed, n_jobs)
    else:
        booster = booster or _booster(default_booster(), n_jobs)
        judged = CrossFit(booster, problem, *folds).judge(seed)
    return _ranked(target.classes, truth, judged)


def _judge_out_of_bag(problem: Problem, seed: int, n_jobs: int | None) -> Judgement:
    """Fit the default, and return what trees say of rows that they have not seen."""
    X, classes, truth, weights, _ = problem
    used, unused = np.flatnonzero(weights > 0), np.flatnonzero(weights == 0)
    known, counts = np.unique(truth[used], return_counts=True)
    judged = Judgement(np.zeros((len(truth), len(classes))), *np.full((2, len(truth)), np.nan))
    if len(known) == 1:  # which leaves nothing to learn
        judged.probabilities[:, known[0]] = 1.0
        judged.margins[:] = np.where(truth == known[0], 1.0, -1.0)
        judged.influence[used] = 1.0
        return judged
    X = typed_columns(X)
    learned = take_rows(X, used)
    model = WeakForceClassifier(random_state=seed, n_jobs=n_jobs)
    model.fit(learned, classes[truth[used]], weights[used])
    shape = (len(truth), *model.oob_decision_function_.shape[1:])
    scores: Floats = np.empty(shape)
    scores[used] = model.oob_decision_function_
    if len(unused):
        scores[unused] = model.decision_function(take_rows(X, unused))
    places = np.searchsorted(known, truth)
    places = np.where(np.isin(truth, known), places, 0)
    judged.probabilities[:, known] = probabilities(scores)
    judged.margins[:] = np.tanh(leads(scores, places) / 4.0)
    seen = probabilities(model.decision_function(learned))[np.arange(len(used)), places[used]]
    mean = np.average(1.0 - seen, weights=weights[used] / weights[used].max())
    judged.influence[used] = (1.0 - seen) / mean if mean > 0 else 1.0
    # Of a class without another row, nobody knows who has not seen that row.
    lone = np.isin(truth, known[counts > 1], invert=True)
    judged.probabilities[lone, truth[lone]] = 0.0
    judged.margins[lone] = -1.0
    return judged


def _ranked(classes: NDArray[Any], truth: Codes, judged: Judgement) -> pl.DataFrame:
    """Return what is said of all rows as a frame, the most suspect first."""
    labels = label_series(classes)
    rows = np.arange(len(truth))
    own = np.minimum(judged.probabilities[rows, truth], 1.0)
    doubt = (1.0 - own) * (1.0 + np.nan_to_num(judged.influence, nan=1.0)) / 2.0
    score = doubt / (doubt + own)
    # Sorted here and not by a query, which a forked process cannot ask.
    order = np.argsort(-score, kind="stable")
    return pl.DataFrame(
        {
            "row": rows[order],
            "given": labels.gather(truth[order]),
            "suggested": labels.gather(judged.probabilities.argmax(axis=1)[order]),
            "margin": judged.margins[order],
            "influence": pl.Series(judged.influence[order], nan_to_null=True),
            "score": score[order],
        }
    )


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
    raise kind(f"parameter '{name}': got {shown_value(given)}, expected a whole number of {bounds}")


def default_booster() -> AdaBoostMHClassifier:
    """Return the booster that judges the labels of many rows unless the user has another one.

    Small random trees that are learned slowly know little by heart, which is what counts here.
    """
    learner = Tree(max_leaf_nodes=16, min_samples_leaf=5, splitter="random", answer="gentle")
    return AdaBoostMHClassifier(learner, n_estimators=50, learning_rate=0.1)


def _booster(estimator: Any, n_jobs: Any) -> BoostingClassifier:
    """Return a booster to clone, with its number of threads."""
    if not isinstance(estimator, BoostingClassifier):
        given = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        raise TypeError(
            f"parameter 'estimator': got {given}, expected None or a booster of weakforce such as "
            "RealAdaBoostClassifier()"
        )
    booster: BoostingClassifier = clone(estimator)
    return booster if n_jobs is None else booster.set_params(n_jobs=n_jobs)
