"""SFBoost of several classes: a table for each two-class problem, or one for all classes."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import reference.sfboost as reference
from reference.sfboost import counted, fired
from weakforce import Rule, SFBoostClassifier, Stump, Tree, datasets

every_learner = pytest.mark.parametrize(
    "learner", [Stump(), Rule(max_literals=2), Tree(max_leaf_nodes=5)], ids=repr
)


def shared(*args, **parameters):
    """All classes in one table."""
    return SFBoostClassifier(*args, multi_class="shared", **parameters)


@every_learner
def test_scores_of_many_classes_are_the_logarithms_of_their_shares(learner):
    X, y = load_iris(return_X_y=True)
    model = shared(learner, n_estimators=6, smoothing=0.01).fit(X, y)
    assert model.bucket_scores_.shape == (model.n_iter_ + 1, 3)
    P = np.prod(model.z_[:-1])
    W = model.bucket_weights_ + 0.01 * P
    occupied = model.bucket_counts_.sum(axis=1) > 0
    shares = (W / W.sum(axis=1, keepdims=True))[occupied]
    np.testing.assert_allclose(model.bucket_scores_[occupied], np.log(shares), rtol=1e-9)
    probabilities = model.predict_proba(X)
    assert set(map(tuple, probabilities.round(9))) <= set(map(tuple, shares.round(9)))
    assert (probabilities.argmax(axis=1) == model.predict(X)).all()


def test_the_loss_of_many_classes_is_that_of_all_pairs():
    X, y = load_iris(return_X_y=True)
    model = shared(n_estimators=5).fit(X, y)
    losses = []
    for scores in model.staged_decision_function(X):
        own = scores[np.arange(len(y)), y][:, None]
        losses.append((np.exp(0.5 * (scores - own)).sum(axis=1) - 1).mean())
    np.testing.assert_allclose(np.cumprod(model.z_)[1:], losses, rtol=1e-9)


def test_a_search_over_three_classes_finds_the_best_test():
    X, y = load_iris(return_X_y=True)
    u = np.full(len(y), 1 / len(y))

    def loss(buckets):
        W = counted(buckets, y, u, buckets.max() + 1, (0, 1, 2))
        return (np.sqrt(W).sum(axis=1) ** 2 - W.sum(axis=1)).sum()

    model = shared(n_estimators=4, max_bins=255).fit(X, y)
    buckets, made = np.zeros(len(y), dtype=int), set()
    for stump in model.estimators_:
        best = min(loss(buckets + fires) for fires in reference.new_candidates(X, made))
        made.add(reference.partition(fired(stump, X)))
        buckets = buckets + fired(stump, X)
        np.testing.assert_allclose(loss(buckets), best, atol=1e-9)


CODES = {
    "ovr": 2 * np.eye(3, dtype=int) - 1,
    "ovo": np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]]),
    "given": np.array([[1, 1], [-1, 0], [0, -1]]),
}


@pytest.mark.parametrize("name", CODES)
def test_every_problem_has_tests_and_a_table_of_its_own(name):
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=0.5, size=X.shape)
    code = CODES[name]
    settings = {"n_estimators": 4, "prune": False, "smoothing": 0.01, "random_state": 3}
    model = SFBoostClassifier(multi_class=code if name == "given" else name, **settings).fit(X, y)
    found = np.zeros((len(y), code.shape[1]))
    for at, column in enumerate(code.T):
        sides = column[y]
        used = sides != 0
        u = used / used.sum()
        tests = [by_problem[at] for by_problem in model.estimators_]
        buckets = sum(fired(test, X) for test in tests if test is not None)
        n_buckets = model.n_iter_ + 1
        W = counted(buckets, sides, u, n_buckets, (-1, 1))
        np.testing.assert_allclose(model.bucket_weights_[at], W, atol=1e-12)
        rows = counted(buckets, sides, used.astype(int), n_buckets, (-1, 1))
        np.testing.assert_array_equal(model.bucket_counts_[at], rows)
        found[:, at] = model.bucket_scores_[at][buckets]
        losses = (u * np.exp(-sides * found[:, at]))[used]
        np.testing.assert_allclose(np.prod(model.z_[at]), losses.sum())
    expected = found if name == "ovr" else found @ code.T
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)
    assert model.score(X, y) == pytest.approx(model.train_score_[-1])


def test_each_class_against_the_rest_is_an_sfboost_of_two_classes():
    X, y = datasets.make_waveform(300, n_classes=3, seed=3)
    settings = {"n_estimators": 12, "prune": False, "smoothing": 0.01}
    model = SFBoostClassifier(random_state=3, **settings).fit(X, y)
    for label in range(3):
        alone = SFBoostClassifier(random_state=3 + label, **settings).fit(X, y == label)
        np.testing.assert_allclose(model.bucket_scores_[label], alone.bucket_scores_, atol=1e-12)
        np.testing.assert_array_equal(model.bucket_counts_[label], alone.bucket_counts_)
        np.testing.assert_allclose(model.z_[label], alone.z_)
        scores = model.decision_function(X)[:, label]
        np.testing.assert_allclose(scores, alone.decision_function(X), atol=1e-12)


def test_problems_that_are_finished_wait_for_the_others():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 0.0]] * 8)
    y = np.array([0, 1, 2, 1, 2] * 8)
    model = SFBoostClassifier(n_estimators=2, prune=False, random_state=0).fit(X, y)
    assert model.n_iter_ == 2
    assert model.estimators_[1][0] is None  # the first class is told apart by one test
    assert model.z_[0][2] == 1.0
    again = SFBoostClassifier(n_estimators=1, prune=False, random_state=0, warm_start=True)
    again.fit(X, y).set_params(n_estimators=2).fit(X, y)
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert (model.predict(X)[y == 0] == 0).all()


def test_problems_are_pruned_together():
    X, y = datasets.make_waveform(300, n_classes=3, seed=1)
    plain = SFBoostClassifier(n_estimators=40, prune=False, random_state=0).fit(X, y)
    pruned = SFBoostClassifier(n_estimators=40, random_state=0, prune=True).fit(X, y)
    losses = sum(np.cumprod(z) for z in plain.z_)
    assert pruned.n_iter_ == losses.argmin() < 40
    stages = list(plain.staged_decision_function(X))
    np.testing.assert_array_equal(pruned.decision_function(X), stages[pruned.n_iter_ - 1])


@pytest.mark.slow
def test_three_waveforms_are_told_apart():
    X, y = datasets.make_waveform(2000, n_classes=3, seed=20)
    test_X, test_y = datasets.make_waveform(5000, n_classes=3, seed=21)
    assert SFBoostClassifier(random_state=0).fit(X, y).score(test_X, test_y) > 0.82
    together = shared(random_state=0).fit(X, y)
    assert together.score(test_X, test_y) < 0.7
