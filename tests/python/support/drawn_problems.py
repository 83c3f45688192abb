"""A noisy problem and the bytes of a model, for tests of models that learn from drawn rows."""

import numpy as np


def problem(rows=150, seed=0, noise=0.8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    y = np.where(X[:, 0] + X[:, 1] + noise * rng.normal(size=rows) > 0, "yes", "no")
    return X, y


def fingerprint(model):
    return model.fitted_model_.core.to_json("{}"), model.row_weights_.tobytes()
