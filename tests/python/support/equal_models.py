"""When two models, or a model and an oracle, are the same.

Sums taken in another order differ by rounding; programs set up with such sums are solved to an
accuracy of their own. Scores near zero then fall to either side, so the share of rows that the
first few votes get right is compared only where no program is solved.
"""

import numpy as np

from reference.learners import to_frame
from support.registry import LOOKING_BACK

SCORES = ("train_score_", "validation_score_")


def tolerance_of(model) -> float:
    """How far numbers of the same model may be apart."""
    return 1e-3 if model._kind in LOOKING_BACK else 1e-9


def is_one_of_many(model) -> bool:
    """Whether other weights give the same scores: the optimum is zero, where votes cancel out."""
    return getattr(model, "certificate_", None) is not None and model.objective_ <= model.tol


def assert_equal_up_to_rounding(model, expected, X, more=SCORES[:1]):
    """The same rounds, their numbers, `more` attributes, and the same scores of X."""
    tolerance = tolerance_of(model)
    assert model.n_iter_ == expected.n_iter_ > 1
    assert model.stop_reason_ == expected.stop_reason_
    weights = () if is_one_of_many(model) else ("estimator_weights_",)
    for name in (*weights, "estimator_errors_", "edges_", *more):
        if name not in SCORES or model._kind not in LOOKING_BACK:
            pair = getattr(model, name), getattr(expected, name)
            np.testing.assert_allclose(*pair, rtol=0, atol=tolerance, err_msg=name)
    pair = model.decision_function(X), expected.decision_function(X)
    np.testing.assert_allclose(*pair, rtol=0, atol=tolerance)


def assert_equal_to_the_oracle(model, expected, frames, atol=1e-9):
    """The same rounds as a naive run of two classes, and the same scores of all frames."""
    assert model.stop_reason_ == expected.stop_reason
    assert model.n_iter_ == len(expected.alphas) > 1
    np.testing.assert_allclose(model.estimator_weights_, expected.alphas, rtol=0, atol=atol)
    np.testing.assert_allclose(model.estimator_errors_, expected.errors, rtol=0, atol=atol)
    np.testing.assert_allclose(model.edges_, expected.edges, rtol=0, atol=atol)
    np.testing.assert_allclose(model.row_weights_, expected.row_weights, rtol=0, atol=atol)
    for frame in frames:
        got = model.decision_function(to_frame(frame))
        np.testing.assert_allclose(got, expected.scores(frame), rtol=0, atol=atol)


def assert_same_stumps(model, expected):
    """The stumps of an oracle, which says them as splits."""
    tests = [(stump.column, stump.threshold) for stump in model.estimators_]
    splits = [stump.split for stump in expected.hypotheses]
    assert tests == [(split.column, split.threshold) for split in splits]
