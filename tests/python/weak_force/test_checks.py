"""scikit-learn's own checks for `WeakForceClassifier`, and life inside its tools."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import weakforce
from support.pool_problems import mixed_rows, small


def expected_failures(estimator):
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "samples are drawn by row: a row of weight two is drawn once or not at all"
        ),
    }


@parametrize_with_checks(
    [small(n_trees=10, random_state=None)],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_it_is_an_estimator_but_no_booster_of_the_registry():
    assert weakforce.WeakForceClassifier not in weakforce.boosters()
    assert "WeakForceClassifier" in dir(weakforce)


@pytest.mark.slow
def test_frames_pass_through_scikit_learns_tools():
    X, y = mixed_rows(200, 3)
    scores = cross_val_score(small(), X, y, cv=3)
    assert (scores > 0.5).all()
    shares = cross_val_predict(small(), X, y, cv=3, method="predict_proba")
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    search = GridSearchCV(small(), {"max_features": [1, 1.0], "n_trees": [2, 4]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"max_features", "n_trees"}
    piped = make_pipeline(FunctionTransformer(), small()).fit(X, y)
    np.testing.assert_array_equal(piped.predict(X), small().fit(X, y).predict(X))
