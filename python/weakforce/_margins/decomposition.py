"""Bias and variance of a classifier under the 0/1 loss.

In: a classifier, rows to draw training samples from, and test rows. Out: the parts of its expected
error as Kohavi and Wolpert (1996) and Domingos (2000) define them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone

from .._fitting.labels import Codes, Floats, encode_known_labels, encode_labels, label_series
from .._fitting.rows import Rows
from .._fitting.settings import seed_of

#: How often a sample is drawn anew that has rows of one class only.
_MOST_DRAWS = 100


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """The expected error of a classifier on test rows, taken apart; see `bias_variance`.

    Attributes:
        error: the mean share of wrong predictions; `squared_bias` + `variance`, and `bias` +
            `net_variance`.
        squared_bias: bias² of Kohavi and Wolpert.
        variance: their variance.
        bias: the share of rows whose main prediction is wrong (Domingos).
        unbiased_variance: the mean share of predictions other than the main one, counted on rows
            whose main prediction is right: what variance costs.
        biased_variance: the same, counted on the other rows, where variance helps.
        net_variance: what variance costs less what it gains: `unbiased_variance` less the share of
            right predictions on rows whose main prediction is wrong, which for two classes is
            `biased_variance`.
        n_repetitions: the number of classifiers.
        rows: a frame with a row for each test row and the columns label, main_prediction, error,
            squared_bias, variance, bias and disagreement (the share of predictions other than the
            main one).
    """

    error: float
    squared_bias: float
    variance: float
    bias: float
    unbiased_variance: float
    biased_variance: float
    net_variance: float
    n_repetitions: int
    rows: pl.DataFrame


def bias_variance(
    estimator: Any,
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    *,
    n_repetitions: int = 50,
    sample: Any = "bootstrap",
    random_state: Any = 0,
) -> BiasVariance:
    """Return bias and variance of a classifier under the 0/1 loss.

    The classifier is fitted to several samples of the training rows, and what these fits predict
    for the test rows is compared. With p_k the share of fits that predict class k for a row of
    label t:

    - Kohavi and Wolpert (1996): bias² = ½ ((1 − p_t)² + Σ p_k² over the other classes), variance =
      ½ (1 − Σ p_k²). Their sum is the error 1 − p_t.
    - Domingos (2000): the main prediction is the class with the largest p, of several the first.
      The bias is 1 if that is not t, otherwise 0; the variance is the share v of other predictions.
      For two classes the error is v on rows without bias, and 1 − v on those with it; so the mean
      error is bias + unbiased variance − biased variance.

    Labels are taken as they are, so noise counts as 0: what noisy labels add to the error is in the
    bias. All shares are those observed; with few repetitions the bias² of Kohavi and Wolpert is too
    large by about variance / `n_repetitions`, and their variance too small by as much.

    Parameters:
        estimator: any classifier of scikit-learn or weakforce. It is cloned and stays as it is;
            where it has a `random_state` of None each fit gets a seed of its own.
        X: the training rows: a Polars frame, another frame, or an array.
        y: their labels, of any type, or the name of the column of X that holds them.
        X_test: the rows to predict.
        y_test: their labels, or the name of the column of X_test that holds them.
        n_repetitions: the number of fits, at least 2.
        sample: "bootstrap" draws as many rows as there are, with replacement; a number above 0 and
            below 1 draws such a share of the rows, without replacement. A sample of rows of one
            class only is drawn again.
        random_state: seed of samples and fits.

    Examples:
        >>> from weakforce import DiscreteAdaBoostClassifier, bias_variance, datasets
        >>> train, test = datasets.make_twonorm(200, seed=1), datasets.make_twonorm(500, seed=2)
        >>> few = DiscreteAdaBoostClassifier(n_estimators=1)
        >>> many = DiscreteAdaBoostClassifier(n_estimators=50)
        >>> found = [bias_variance(e, *train, *test, n_repetitions=10) for e in (few, many)]
        >>> bool(found[1].variance < found[0].variance), bool(found[1].error < found[0].error)
        (True, True)
    """
    name = type(estimator).__name__
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        raise TypeError(f"parameter 'estimator': got {name}, expected a classifier")
    n_fits = _checked_repetitions(n_repetitions)
    train, test = (Rows(*rows).split().in_own_container() for rows in ((X, y), (X_test, y_test)))
    classes, codes = encode_labels(train.y, name)
    truth = encode_known_labels(test.y, classes, name, "y_test")
    _check_lengths("", train.X, codes)
    _check_lengths("_test", test.X, truth)
    size = _checked_sample(sample, len(codes))
    counts = np.zeros((len(truth), len(classes)), dtype=np.int64)
    for stream in np.random.SeedSequence(seed_of(random_state)).spawn(n_fits):
        rows = _draw(np.random.PCG64(stream), codes, size)
        model = _fresh(estimator, stream.spawn(1)[0])
        model.fit(_take(train.X, rows), classes[codes[rows]])
        predicted = encode_known_labels(model.predict(test.X), classes, name, "predictions")
        counts[np.arange(len(truth)), predicted] += 1
    return decomposed(counts, truth, classes)


def decomposed(counts: NDArray[np.int64], truth: Codes, classes: NDArray[Any]) -> BiasVariance:
    """Return the decomposition; `counts` says by row and class how often it was predicted."""
    n_fits = int(counts[0].sum())
    shares: Floats = counts / n_fits
    right = shares[np.arange(len(truth)), truth]
    main = counts.argmax(axis=1)
    squares = (shares**2).sum(axis=1)
    bias = (main != truth).astype(np.float64)
    disagreement = 1.0 - shares.max(axis=1)
    squared_bias = 0.5 * (1.0 - 2.0 * right + squares)
    unbiased = float(np.mean((1.0 - bias) * disagreement))
    labels = label_series(classes)
    rows = pl.DataFrame(
        {
            "label": labels.gather(truth),
            "main_prediction": labels.gather(main),
            "error": 1.0 - right,
            "squared_bias": squared_bias,
            "variance": 0.5 * (1.0 - squares),
            "bias": bias,
            "disagreement": disagreement,
        }
    )
    return BiasVariance(
        error=float(np.mean(1.0 - right)),
        squared_bias=float(squared_bias.mean()),
        variance=float(np.mean(0.5 * (1.0 - squares))),
        bias=float(bias.mean()),
        unbiased_variance=unbiased,
        biased_variance=float(np.mean(bias * disagreement)),
        net_variance=unbiased - float(np.mean(bias * right)),
        n_repetitions=n_fits,
        rows=rows,
    )


def _draw(source: np.random.PCG64, codes: Codes, size: int | None) -> NDArray[np.int64]:
    """Return the rows of a sample; None draws a bootstrap sample.

    Drawn from the generator's raw bits, which NumPy keeps the same in every version.
    """
    n_rows = len(codes)
    for _ in range(_MOST_DRAWS):
        raw = source.random_raw(n_rows)
        drawn = raw % n_rows if size is None else np.argsort(raw, kind="stable")[:size]
        rows: NDArray[np.int64] = np.sort(drawn.astype(np.int64))
        if len(np.unique(codes[rows])) > 1:
            return rows
    raise ValueError(
        f"parameter 'sample': got {_MOST_DRAWS} samples of one class only, expected larger ones or "
        "more rows of rare classes"
    )


def _take(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return rows of a container that `own_container` returned, some of them several times."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _fresh(estimator: Any, stream: np.random.SeedSequence) -> Any:
    """Return a clone to fit, with seeds of its own where the user has chosen none."""
    model = clone(estimator)
    parameters = model.get_params(deep=True)
    places = [
        name
        for name, value in sorted(parameters.items())
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    if places:
        seeds = stream.generate_state(len(places)).tolist()
        model.set_params(**dict(zip(places, seeds, strict=True)))
    return model


def _check_lengths(suffix: str, X: Any, codes: Codes) -> None:
    if X is None:
        raise ValueError(f"X{suffix}: got None, expected rows")
    if X.shape[0] != len(codes):
        raise ValueError(
            f"y{suffix}: got {len(codes)} labels, expected one for each of {X.shape[0]} rows of "
            f"X{suffix}"
        )


def _checked_repetitions(n_repetitions: Any) -> int:
    expected = "a whole number of at least 2"
    if isinstance(n_repetitions, bool) or not isinstance(n_repetitions, (int, np.integer)):
        raise TypeError(f"parameter 'n_repetitions': got {n_repetitions!r}, expected {expected}")
    if n_repetitions < 2:
        raise ValueError(f"parameter 'n_repetitions': got {n_repetitions!r}, expected {expected}")
    return int(n_repetitions)


def _checked_sample(sample: Any, n_rows: int) -> int | None:
    """Return the number of rows of a sample; None for a bootstrap sample."""
    expected = "'bootstrap', or a share above 0 and below 1"
    if isinstance(sample, str) and sample == "bootstrap":
        return None
    if isinstance(sample, (bool, str)) or not isinstance(sample, (int, float, np.number)):
        raise ValueError(f"parameter 'sample': got {sample!r}, expected {expected}")
    if not 0.0 < sample < 1.0:
        raise ValueError(f"parameter 'sample': got {sample!r}, expected {expected}")
    return max(round(float(sample) * n_rows), 1)
