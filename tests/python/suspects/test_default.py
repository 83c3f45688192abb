"""The default of `suspect_labels`: the out-of-bag judgement of one WeakForceClassifier."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from weakforce import LogitBoostClassifier, Tree, WeakForceClassifier, datasets, suspect_labels
from weakforce._wrong_labels import one_fit


def noisy(n_rows=120, n_classes=3, seed=1):
    X, y = datasets.make_waveform(n_rows, n_classes=n_classes, seed=seed)
    generator = np.random.default_rng(seed)
    wrong = generator.random(n_rows) < 0.2
    shift = generator.integers(1, n_classes, n_rows)
    return X, np.where(wrong, (y.to_numpy() + shift) % n_classes, y.to_numpy())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_are_judged_as_one_fit_judges_them_out_of_bag(n_classes):
    X, y = noisy(n_classes=n_classes)
    found = suspect_labels(X, y, n_reasons=0, random_state=3).sort("row")
    model = WeakForceClassifier(random_state=3).fit(X, y)
    expected = model.suspects_.sort("row")
    assert found.columns == expected.columns
    for name in ("row", "given", "suggested"):
        assert_array_equal(found[name], expected[name])
    assert_allclose(found["margin"], expected["margin"], atol=1e-9)
    seen = model.predict_proba(X)[np.arange(len(y)), y]
    assert_allclose(found["influence"], (1 - seen) / (1 - seen).mean(), rtol=1e-9)
    odds = expected["score"] / (1 - expected["score"]) * (1 + found["influence"]) / 2
    assert_allclose(found["score"], odds / (1 + odds), atol=1e-9)


def test_folds_have_no_effect_on_it():
    X, y = noisy()
    assert suspect_labels(X, y, n_folds=2, n_repeats=1).equals(suspect_labels(X, y))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_rows_are_judged_by_boosters_alone(monkeypatch, n_classes):
    X, y = noisy(n_classes=n_classes)
    monkeypatch.setattr(one_fit, "MOST_JUDGED", 100)
    monkeypatch.setattr(WeakForceClassifier, "fit", None)
    if n_classes == 2:
        learner, n_rounds = Tree(max_leaf_nodes=16, min_samples_leaf=20), 60
        once = Tree(max_leaf_nodes=16, min_samples_leaf=20)
    else:
        learner = Tree(max_leaf_nodes=31, min_samples_leaf=20, splitter="random")
        once, n_rounds = learner, 80
    booster = LogitBoostClassifier(learner, n_estimators=n_rounds, learning_rate=0.1)
    found = suspect_labels(X, y, n_folds=3)
    assert found.equals(suspect_labels(X, y, booster, n_folds=3, n_repeats=1))
    booster = LogitBoostClassifier(once, n_estimators=40, learning_rate=0.15)
    found, expected = (suspect_labels(X, y, one, method="one-fit") for one in (None, booster))
    assert found.drop("reasons").equals(expected.drop("reasons"))


def test_one_class_with_weight_makes_the_others_suspect():
    X, y = noisy(30)
    found = suspect_labels(X, y, sample_weight=(y == 1).astype(float))
    assert_array_equal(found["suggested"], np.ones(30))
    other = found.filter(pl.col("given") != 1)
    assert (other["score"] == 1.0).all()
    assert other["influence"].null_count() == other.height


def test_a_class_without_weight_is_unknown_to_all():
    X, y = noisy(60)
    found = suspect_labels(X, y, sample_weight=(y != 2).astype(float)).filter(pl.col("given") == 2)
    assert (found["suggested"] != 2).all()
    assert (found["margin"] == -1.0).all()
    assert (found["score"] == 1.0).all()
