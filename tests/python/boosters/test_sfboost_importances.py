"""Importances of SFBoost are what the hypotheses that test a column took away of the loss."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.inspection import permutation_importance

import weakforce as wf

STRENGTHS = np.array([0.4, 1.6, 0.0, 0.8])


def problem(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    X = generator.integers(0, 3, size=(1_500, 4)).astype(float)
    score = X @ STRENGTHS + 0.3 * generator.normal(size=len(X))
    return X, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["shared", "ovr"])
def test_their_order_is_that_of_permutation_importances(n_classes, multi_class):
    X, y = problem(n_classes)
    model = wf.SFBoostClassifier(n_estimators=12, random_state=0, multi_class=multi_class)
    importances = model.fit(X, y).feature_importances_
    permuted = permutation_importance(model, X, y, n_repeats=2, random_state=0)
    expected = np.argsort(permuted.importances_mean)
    assert np.array_equal(np.argsort(importances)[2:], expected[2:])
    assert set(np.argsort(importances)[:2]) == {0, 2}
    assert importances.sum() == pytest.approx(1.0)


def test_they_are_the_falls_of_the_loss_by_column():
    X, y = problem(2)
    model = wf.SFBoostClassifier(n_estimators=4, random_state=0).fit(X, y)
    losses = model.fitted_model_.tables[0].losses
    falls = losses[:-1] - losses[1:]
    assert (falls > 0).all()
    by_column = np.zeros(4)
    for stump, fall in zip(model.estimators_, falls, strict=True):
        by_column[stump.column] += fall
    np.testing.assert_allclose(model.feature_importances_, by_column / by_column.sum())
