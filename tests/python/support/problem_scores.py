"""The scores of the two-class problems of a model, from the stumps and weights that it shows."""

import numpy as np


def problem_scores(model, X, n_rounds=None):
    """H_l of every column of the code, after some rounds or all."""
    scores = np.zeros((len(X), model.code_.shape[1]))
    rounds = zip(model.estimators_, model.estimator_weights_, strict=True)
    for stumps, weights in list(rounds)[:n_rounds]:
        for place, (stump, weight) in enumerate(zip(stumps, weights, strict=True)):
            if stump is not None:
                inside = X[:, stump.column] <= stump.threshold
                scores[:, place] += weight * np.where(inside, stump.inside, stump.outside)
    return scores
