"""Early stopping written from its definition: what it watches, and when a run should have ended."""

import numpy as np


def watched_by(model, X, y, weights=None):
    """What early stopping looks at on validation rows, as something that rises by round."""
    if model.scoring == "accuracy":
        return model.validation_score_
    if hasattr(model, "validation_cost_"):
        return -model.validation_cost_
    own = np.searchsorted(model.classes_, y)
    losses = []
    for scores in model.staged_decision_function(X):
        by_class = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        terms = np.exp(by_class - by_class.max(axis=1, keepdims=True))
        shares = terms[np.arange(len(own)), own] / terms.sum(axis=1)
        likely = np.maximum(shares, np.finfo(float).tiny)
        losses.append(np.average(np.log(likely), weights=weights))
    return np.array(losses)


def expected_rounds(scores, patience, tol):
    """The first round after which the last `patience` ones had gained nothing, or None.

    A patience of None is a fifth of the rounds so far, and at least 10.
    """
    for t in range(1, len(scores) + 1):
        last = max(10, t // 5) if patience is None else patience
        if t > last and scores[t - last : t].max() <= scores[: t - last].max() + tol:
            return t
    return None
