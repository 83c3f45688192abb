"""Models that have learned nothing of several classes say so wherever they are read."""

import numpy as np
import pytest

import weakforce
from weakforce import margin_curve, margin_statistics

X = np.zeros((36, 1))
Y = np.arange(36) % 3


@pytest.mark.parametrize("decode", ["score", "vote", "coupling"])
@pytest.mark.parametrize(
    "booster",
    [
        weakforce.DiscreteAdaBoostClassifier,
        weakforce.LPBoostClassifier,
        weakforce.AdaBoostRClassifier,
    ],
)
def test_a_decomposition_without_rounds_has_margins(booster, decode, tmp_path):
    model = booster(n_estimators=3, multi_class="ovo", decode=decode).fit(X, Y)
    assert (model.n_iter_, model.stop_reason_) == (0, "no_edge")
    assert model.estimator_weights_.shape == (0, 3)
    assert not model.margins(X, Y).any()
    model.save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    assert again.estimator_weights_.shape == (0, 3)
    assert not again.margins(X, Y).any()
    assert margin_statistics(model, X, Y).height
    if booster is weakforce.DiscreteAdaBoostClassifier:
        with pytest.raises(ValueError, match="rounds"):
            margin_curve(model, X, Y, rounds=[1])
