"""Samples drawn by weight instead of weights (`resample`), for every booster that can do that.

What scikit-learn classifiers make of them is in external/test_resampling.py.
"""

from typing import ClassVar

import numpy as np
import pytest
from scipy.stats import chisquare
from sklearn.linear_model import LogisticRegression

import weakforce
from support.drawn_problems import fingerprint, problem
from support.registry import BOOSTERS, LEARNERS, in_rounds, pairs_of, weak
from support.small_multiclass_problems import blobs
from weakforce import (
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    SFBoostClassifier,
    Tree,
)

CAPABLE = [booster for booster in BOOSTERS if booster.capabilities().resample]
every_capable_booster = pytest.mark.parametrize("booster", CAPABLE)
every_capable_pair = pytest.mark.parametrize(
    ("booster", "learner"), [pair for pair in pairs_of(LEARNERS) if pair.values[0] in CAPABLE]
)


def fitted(booster, X, y, **parameters):
    given = {"n_estimators": 6, "random_state": 0, "resample": True, **parameters}
    return booster(**given).fit(X, y)


def test_all_boosters_with_row_weights_can_resample():
    others = {booster for booster in weakforce.boosters() if not booster.capabilities().resample}
    assert others == {LogitBoostClassifier, SFBoostClassifier}


@pytest.mark.parametrize("booster", [LogitBoostClassifier, SFBoostClassifier])
def test_others_refuse_to_resample_by_name(booster):
    X, y = problem(40)
    with pytest.raises(ValueError, match="parameter 'resample': got True, expected False"):
        booster(resample=True).fit(X, y)


@every_capable_pair
def test_the_number_of_threads_changes_no_sample(booster, learner):
    X, y = problem(400)
    models = [fitted(booster, X, y, estimator=weak(booster, learner), n_jobs=n) for n in (1, 2)]
    assert models[0].n_iter_ > 0
    assert fingerprint(models[0]) == fingerprint(models[1])


@every_capable_booster
def test_samples_change_with_the_seed_and_the_model_with_them(booster):
    X, y = problem()
    models = [fitted(booster, X, y, random_state=seed) for seed in (0, 0, 1)]
    assert fingerprint(models[0]) == fingerprint(models[1])
    assert fingerprint(models[0]) != fingerprint(models[2])
    assert fingerprint(models[0]) != fingerprint(fitted(booster, X, y, resample=False))


@every_capable_pair
def test_without_resampling_nothing_changes(booster, learner):
    X, y = problem(80)
    plain = booster(weak(booster, learner), n_estimators=5, random_state=0).fit(X, y)
    told = fitted(booster, X, y, estimator=weak(booster, learner), n_estimators=5, resample=False)
    assert fingerprint(plain) == fingerprint(told)


@every_capable_booster
def test_models_of_samples_are_about_as_good(booster):
    X, y = problem(600, noise=0.3)
    tree = Tree(max_leaf_nodes=8)
    sampled = fitted(booster, X[:300], y[:300], estimator=tree, n_estimators=20)
    plain = fitted(booster, X[:300], y[:300], estimator=tree, n_estimators=20, resample=False)
    assert sampled.score(X[300:], y[300:]) > plain.score(X[300:], y[300:]) - 0.06


@every_capable_booster
def test_samples_of_a_subsample_are_drawn_too(booster):
    X, y = problem()
    models = [fitted(booster, X, y, subsample=0.6, n_jobs=n) for n in (1, 2)]
    assert fingerprint(models[0]) == fingerprint(models[1])
    assert fingerprint(models[0]) != fingerprint(fitted(booster, X, y))


@every_capable_booster
def test_five_rounds_and_five_more_are_ten_rounds(booster):
    X, y = problem(200, noise=0.3)
    tree = {"estimator": Tree(max_leaf_nodes=5)}
    long = fitted(booster, X, y, **tree, n_estimators=10)
    model = booster(**tree, warm_start=True, random_state=0, resample=True)
    for rounds in (5, 10):
        model.set_params(**in_rounds(model, rounds)).fit(X, y)
    assert fingerprint(model) == fingerprint(long)


@pytest.mark.parametrize("booster", [each for each in weakforce.boosters() if each in CAPABLE])
def test_many_classes_are_learned_from_samples(booster):
    X, y = blobs(200, 3)
    rounds = {**in_rounds(booster, 6), "random_state": 0, "resample": True}
    models = [booster(Tree(max_leaf_nodes=6), n_jobs=jobs, **rounds).fit(X, y) for jobs in (1, 2)]
    assert fingerprint(models[0]) == fingerprint(models[1])
    assert models[0].score(X, y) > 0.6


class Spy(LogisticRegression):
    """Notes the weights that it is given."""

    seen: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None):
        self.seen.append(np.asarray(sample_weight))
        return super().fit(X, y, sample_weight=sample_weight)


def counts_of(booster, X, y, sample_weight=None, **parameters):
    """How often rows were drawn, by round."""
    Spy.seen.clear()
    booster(Spy(), random_state=0, resample=True, **parameters).fit(X, y, sample_weight)
    return np.array(Spy.seen)


@pytest.mark.parametrize("booster", [DiscreteAdaBoostClassifier, RealAdaBoostClassifier])
def test_rows_are_drawn_as_often_as_they_weigh(booster):
    X, y = problem(60)
    weights = np.random.default_rng(3).integers(0, 5, size=60).astype(float)
    # Steps so small leave the weights as they are.
    drawn = counts_of(booster, X, y, weights, learning_rate=1e-9, n_estimators=400)
    counts = drawn / weights[weights > 0].mean()
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-9)
    kept = weights[weights > 0]
    assert counts.shape == (400, len(kept))
    assert (counts.sum(axis=1).round() == len(kept)).all()
    expected = 400 * len(kept) * kept / kept.sum()
    assert chisquare(counts.sum(axis=0), expected, sum_check=False).pvalue > 1e-3
    assert len({row.tobytes() for row in counts}) == 400


def test_samples_follow_the_weights_of_their_round():
    X, y = problem(300)
    parameters = {"random_state": 1, "resample": True}
    before = DiscreteAdaBoostClassifier(Spy(), n_estimators=1, **parameters).fit(X, y)
    drawn = []
    for seed in range(300):
        Spy.seen.clear()
        model = DiscreteAdaBoostClassifier(
            Spy(), n_estimators=1, resample=True, random_state=seed
        ).fit(X, y, before.row_weights_)
        drawn.append(Spy.seen[0] / Spy.seen[0].sum())
        assert model.n_iter_ == 1
    wrong = before.row_weights_ > 1 / 300
    assert np.mean([share[wrong].sum() for share in drawn]) == pytest.approx(0.5, abs=0.01)


def test_leaves_count_the_rows_that_were_drawn():
    X, y = problem(100)
    tree = Tree(max_leaf_nodes=50, min_samples_leaf=10)
    model = DiscreteAdaBoostClassifier(tree, n_estimators=3, resample=True, random_state=0)
    for found in model.fit(X, y).estimators_:
        assert sum(found.rows) == 100
        assert min(found.rows) >= 10
        np.testing.assert_allclose(found.weights, np.array(found.rows) / 100, atol=1e-12)


@pytest.mark.parametrize("value", ["yes", None, 3])
@pytest.mark.parametrize("booster", CAPABLE)
def test_other_values_are_refused_by_name(booster, value):
    X, y = problem(40)
    with pytest.raises(TypeError, match=r"parameter 'resample': got .*, expected True or False"):
        booster(resample=value).fit(X, y)
