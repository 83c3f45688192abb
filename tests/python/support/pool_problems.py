"""Small problems and small pools for tests of `WeakForceClassifier`.

A pool of the default size takes a second or more; five trees in each forest and eight boosted
rounds go through the same code.
"""

import numpy as np
import polars as pl

from weakforce import WeakForceClassifier, datasets


def small(**parameters):
    """A pool of few trees."""
    chosen = {"n_trees": 5, "n_estimators": 8, "random_state": 0, "n_jobs": 1, **parameters}
    return WeakForceClassifier(**chosen)


def mixed_rows(n_rows=200, n_classes=2, seed=0):
    """Numbers, categories, Booleans and gaps; labels are strings."""
    rng = np.random.default_rng([seed, n_classes])
    x, z = rng.normal(size=(2, n_rows))
    town = rng.choice(["Rome", "Oslo", "Lima"], n_rows)
    signal = x + 1.5 * (town == "Oslo") - (town == "Lima") + 0.4 * rng.normal(size=n_rows)
    codes = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    X = pl.DataFrame(
        {
            "x": pl.Series(np.where(rng.random(n_rows) < 0.1, np.nan, x)).fill_nan(None),
            "z": z,
            "town": pl.Series(np.where(rng.random(n_rows) < 0.1, "", town)).replace("", None),
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    return X, np.array(["low", "mid", "peak", "top"])[codes]


def turned(labels, share, seed=0):
    """Labels 0..K−1 of which a share is turned to another class, and which ones."""
    codes = np.asarray(labels, dtype=np.int64)
    rng = np.random.default_rng([seed, 7])
    wrong = rng.random(len(codes)) < share
    n_classes = codes.max() + 1
    others = (codes + rng.integers(1, n_classes, len(codes))) % n_classes
    return np.where(wrong, others, codes), wrong


def noisy_twonorm(n_rows, share, seed=1):
    """Two classes that hardly overlap, with a share of wrong labels: X, labels, which are wrong."""
    X, y = datasets.make_twonorm(n_rows, seed=seed)
    labels, wrong = turned(y.to_numpy(), share, seed)
    return X, labels, wrong


def assert_probabilities(model, X):
    """Finite probabilities that sum to 1 and agree with `predict`."""
    shares = model.predict_proba(X)
    assert shares.shape == (len(X), len(model.classes_))
    assert np.isfinite(shares).all()
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    best = shares.max(axis=1, keepdims=True)
    own = np.searchsorted(model.classes_, model.predict(X))
    np.testing.assert_array_equal(shares[np.arange(len(own)), own], best[:, 0])
    assert np.isfinite(model.decision_function(X)).all()
