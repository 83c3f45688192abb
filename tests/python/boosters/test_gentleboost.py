"""GentleBoost: Newton steps of at most 1 on the exponential loss; the oracle is met elsewhere."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from support.small_multiclass_problems import blobs
from weakforce import (
    GentleBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    Stump,
    Tree,
    datasets,
)

LEARNERS = [Stump(), Rule(), Tree(max_leaf_nodes=5)]


def problem(rows=300, seed=0, noise=0.7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + noise * rng.normal(size=rows) > 0.5).astype(int)
    return X, y, rng.random(rows) + 0.1


def losses(model, X, sign, u):
    """The exponential loss after each round, from the scores."""
    stages = model.staged_decision_function(X)
    return np.array([(u * np.exp(-sign * scores)).sum() / u.sum() for scores in stages])


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_answers_are_weighted_means_of_the_labels(learner):
    X, y, u = problem()
    sign = np.where(y == 1, 1.0, -1.0)
    learner.set_params(smoothing=0.0)
    model = GentleBoostClassifier(learner, n_estimators=12).fit(X, y, u)
    w, before = u / u.sum(), np.zeros(len(y))
    for scores in model.staged_decision_function(X):
        h = scores - before
        for answer in np.unique(h.round(9)):
            part = np.abs(h - answer) < 1e-8
            assert answer == pytest.approx((w * sign)[part].sum() / w[part].sum(), abs=1e-8)
        w = w * np.exp(-sign * h)
        w /= w.sum()
        before = scores
    np.testing.assert_allclose(model.row_weights_, w, atol=1e-12)
    assert (model.estimator_weights_ == 1.0).all()


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_every_round_lowers_the_loss_by_the_factor_of_its_answers(learner):
    X, y, u = problem()
    sign = np.where(y == 1, 1.0, -1.0)
    learner.set_params(smoothing=0.0)
    model = GentleBoostClassifier(learner, n_estimators=20).fit(X, y, u)
    loss = np.concatenate([[1.0], losses(model, X, sign, u)])
    assert (np.diff(loss) < 0).all()
    w, before = u / u.sum(), np.zeros(len(y))
    for t, scores in enumerate(model.staged_decision_function(X)):
        h = scores - before
        factor = (w * (np.cosh(h) - h * np.sinh(h))).sum()
        assert loss[t + 1] / loss[t] == pytest.approx(factor, rel=1e-9)
        w = w * np.exp(-sign * h)
        w /= w.sum()
        before = scores
    # The share of rows that are wrong is never above the loss.
    assert (1 - model.train_score_ <= loss[1:] + 1e-12).all()


def test_the_default_test_is_the_best_by_least_squares():
    X, y, u = problem(80)
    sign, w = np.where(y == 1, 1.0, -1.0), u / u.sum()
    [stump] = GentleBoostClassifier(n_estimators=1, max_bins=1000).fit(X, y, u).estimators_

    def squares(column, threshold):
        inside = X[:, column] <= threshold
        parts = [part for part in (inside, ~inside) if part.any()]
        return sum(
            (w[part] * (sign[part] - np.average(sign[part], weights=w[part])) ** 2).sum()
            for part in parts
        )

    best = min(squares(column, value) for column in range(3) for value in X[:, column])
    assert squares(stump.column, stump.threshold) == pytest.approx(best, rel=1e-9)


def test_it_is_real_adaboost_with_shares_and_unit_steps():
    X, y, u = problem()
    gentle = GentleBoostClassifier(Tree(max_leaf_nodes=4), n_estimators=10).fit(X, y, u)
    learner = Tree(max_leaf_nodes=4, answer="gentle")
    real = RealAdaBoostClassifier(learner, step="unit", n_estimators=10).fit(X, y, u)
    np.testing.assert_array_equal(gentle.decision_function(X), real.decision_function(X))
    np.testing.assert_array_equal(gentle.row_weights_, real.row_weights_)


def test_scores_grow_by_no_more_than_1_a_round():
    X, y, _ = problem(noise=0.0)
    model = GentleBoostClassifier(Tree(max_leaf_nodes=30), n_estimators=5).fit(X, y)
    for rounds, scores in enumerate(model.staged_decision_function(X), 1):
        assert np.abs(scores).max() <= rounds + 1e-12


@pytest.mark.parametrize("learner", [RBFNet(n_centers=4), GaussianNB()], ids=repr)
def test_nets_and_classifiers_answer_with_numbers(learner):
    X, y, _ = problem()
    model = GentleBoostClassifier(learner, n_estimators=5, random_state=0).fit(X, y)
    scores = model.decision_function(X)
    assert len(np.unique(scores)) > 32
    assert np.abs(scores).max() <= 5
    assert model.score(X, y) > 0.7


def test_classifiers_are_added_as_they_answer():
    X, y, _ = problem()
    model = GentleBoostClassifier(GaussianNB(), n_estimators=4).fit(X, y)
    expected = sum(2 * member.predict_proba(X)[:, 1] - 1 for member in model.estimators_)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)


@pytest.mark.parametrize(("share", "rounds"), [(0.26, 1), (0.28, 0)])
def test_a_vote_is_kept_if_a_step_of_1_lowers_the_loss(share, rounds):
    X = np.tile([[0.0], [1.0]], (100, 1))
    wrong = np.arange(200) < 200 * share
    y = np.where(wrong, 1 - X[:, 0], X[:, 0]).astype(int)
    model = GentleBoostClassifier(Stump(answer="vote"), n_estimators=1).fit(X, y)
    assert model.n_iter_ == rounds
    assert model.stop_reason_ == ("n_estimators" if rounds else "no_edge")


def test_log_odds_are_refused():
    X, y, _ = problem(60)
    with pytest.raises(ValueError, match="'estimator': got answer='logistic', expected answer="):
        GentleBoostClassifier(Stump(answer="logistic")).fit(X, y)


def test_several_classes_are_decomposed():
    X, y = blobs(200, 4)
    model = GentleBoostClassifier(Tree(max_leaf_nodes=6), multi_class="ovo", n_estimators=10)
    assert model.fit(X, y).score(X, y) > 0.8


def test_it_is_as_good_as_real_adaboost_on_a_simulated_domain():
    X, y = datasets.make_twonorm(500, seed=1)
    X_test, y_test = datasets.make_twonorm(2000, seed=2)
    gentle = GentleBoostClassifier().fit(X, y).score(X_test, y_test)
    real = RealAdaBoostClassifier().fit(X, y).score(X_test, y_test)
    assert gentle > 0.93
    assert gentle > real - 0.02
