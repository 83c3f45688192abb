"""A noisy problem and the bytes of a model, for tests that compare models to the bit."""

import numpy as np


def problem(rows=150, seed=0, noise=0.8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    y = np.where(X[:, 0] + X[:, 1] + noise * rng.normal(size=rows) > 0, "yes", "no")
    return X, y


def fingerprint(model):
    """Every number of a fitted model, and its row weights, as bytes."""
    return model.fitted_model_.core.to_json("{}"), model.row_weights_.tobytes()
