"""SFBoost by description length: which tests it takes, where it stops, what that is good for."""

import numpy as np
import pytest

import reference.sfboost as reference
from reference.sfboost import description_of_buckets, fired
from support.small_multiclass_problems import blobs
from weakforce import Rule, SFBoostClassifier, Stump, Tree, datasets


def small_problem(seed, m=60):
    """Rows with many ties, and noisy labels ±1."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(m, 3)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] > 5, 1, -1) * np.where(rng.random(m) < 0.15, -1, 1)
    return X, y


def descriptions(model, X, y, u=None):
    """The descriptions of the classes after 0, 1, … rounds, and of the tests so far."""
    n_rows = len(y) if u is None else u.sum() ** 2 / (u**2).sum()
    u = np.full(len(y), 1 / len(y)) if u is None else u / u.sum()
    buckets = np.zeros(len(y), dtype=int)
    found = [description_of_buckets(buckets, u, y, n_rows)]
    for stump in model.estimators_:
        buckets = buckets + fired(stump, X)
        found.append(description_of_buckets(buckets, u, y, n_rows))
    # Two tests for each code; missing values have one.
    n_tests = sum(2 * len(np.unique(column)) for column in X.T)
    return np.array(found), np.arange(len(found)) * np.log(n_tests) / n_rows


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_every_test_leaves_the_shortest_description_of_the_classes(seed, weighted):
    X, y = small_problem(seed)
    u = np.random.default_rng(seed).random(len(y)) + 0.1 if weighted else np.ones(len(y))
    settings = {"n_estimators": 8, "prune": False, "criterion": "mdl", "random_state": seed}
    model = SFBoostClassifier(Stump(), **settings).fit(X, y, u)
    found, _ = descriptions(model, X, y, u)
    n_rows, u = u.sum() ** 2 / (u**2).sum(), u / u.sum()
    buckets, made = np.zeros(len(y), dtype=int), set()
    for stump, length in zip(model.estimators_, found[1:], strict=True):
        others = [
            description_of_buckets(buckets + fires, u, y, n_rows)
            for fires in reference.new_candidates(X, made)
        ]
        assert length <= min(others) + 1e-9
        made.add(reference.partition(fired(stump, X)))
        buckets += fired(stump, X)


@pytest.mark.parametrize("seed", range(4))
def test_the_rounds_are_kept_after_which_classes_and_tests_have_the_shortest_description(seed):
    X, y = small_problem(seed, m=150)
    settings = {"n_estimators": 25, "random_state": seed, "criterion": "mdl"}
    whole = SFBoostClassifier(Stump(), prune=False, **settings).fit(X, y)
    lengths = np.add(*descriptions(whole, X, y))
    model = SFBoostClassifier(Stump(), **settings).fit(X, y)
    assert model.n_iter_ == lengths.argmin() < 25
    assert model.estimators_ == whole.estimators_[: model.n_iter_]


def test_the_default_is_by_length_unless_pruning_or_smoothing_is_chosen():
    X, y = small_problem(2, m=150)

    def fit(**chosen):
        model = SFBoostClassifier(n_estimators=12, random_state=0, **chosen)
        return model.fit(X, y).decision_function(X)

    np.testing.assert_array_equal(fit(), fit(criterion="mdl"))
    for chosen in ({"prune": True}, {"prune": False}, {"smoothing": 0.01}, {"smoothing": 0.0}):
        np.testing.assert_array_equal(fit(**chosen), fit(criterion="z", **chosen))
    assert (fit() != fit(prune=True)).any()


def test_a_literal_that_gains_too_little_is_no_part_of_a_rule():
    X, y = datasets.make_twonorm(200, seed=1)
    settings = {"n_estimators": 6, "random_state": 0, "prune": False}
    by_length = SFBoostClassifier(Rule(max_literals=4), criterion="mdl", **settings).fit(X, y)
    by_z = SFBoostClassifier(Rule(max_literals=4), criterion="z", **settings).fit(X, y)
    count = lambda model: sum(len(rule.literals) for rule in model.estimators_)  # noqa: E731
    assert 6 <= count(by_length) < count(by_z)


@pytest.mark.parametrize("learner", [Stump(), Rule(max_literals=2), Tree(max_leaf_nodes=4)])
@pytest.mark.parametrize("multi_class", ["ovr", "shared"])
def test_weights_that_are_numbers_of_rows_count_as_such(learner, multi_class):
    X, y = blobs(80, 3, spread=1.5)
    times = np.random.default_rng(0).integers(0, 4, size=80)
    rows = np.repeat(np.arange(80), times)
    settings = {"n_estimators": 8, "random_state": 0, "multi_class": multi_class}
    model = SFBoostClassifier(learner, **settings).fit(X, y, 0.7 * times)
    expected = SFBoostClassifier(learner, **settings).fit(X[rows], y[rows])
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-9)


def test_a_run_that_tells_all_classes_is_kept_whole():
    X, y = datasets.make_monks(problem=1, noise=0.0)
    settings = {"n_estimators": 200, "random_state": 1, "criterion": "mdl"}
    rule = Rule(max_literals=3)
    whole = SFBoostClassifier(rule, prune=False, **settings).fit(X, y)
    model = SFBoostClassifier(rule, **settings).fit(X, y)
    assert (model.stop_reason_, model.score(X, y)) == ("perfect", 1.0)
    assert model.n_iter_ == whole.n_iter_ > 20


def test_tests_that_say_nothing_are_all_dropped():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, size=60)
    model = SFBoostClassifier(n_estimators=20, random_state=0).fit(X, y)
    assert model.n_iter_ == 0
    assert (model.predict(X) == model.classes_[np.bincount(y).argmax()]).all()


@pytest.mark.parametrize("seed", range(3))
def test_noise_misleads_it_less_than_z(seed):
    X, y = datasets.make_twonorm(300, seed=seed)
    new_X, new_y = datasets.make_twonorm(2000, seed=100 + seed)
    turned = np.random.default_rng(seed).random(300) < 0.2
    labels = np.where(turned, 1 - y.to_numpy(), y.to_numpy())
    rule = Rule(max_literals=4)
    by_length, by_z = (
        SFBoostClassifier(rule, random_state=0, **chosen).fit(X, labels).score(new_X, new_y)
        for chosen in ({}, {"prune": True})
    )
    assert by_length > by_z


@pytest.mark.parametrize("value", ["B", None, 1])
def test_unknown_criteria_are_refused_by_name(value):
    X, y = small_problem(0)
    with pytest.raises((ValueError, TypeError), match="parameter 'criterion'"):
        SFBoostClassifier(criterion=value).fit(X, y)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "shared"])
@pytest.mark.parametrize("seed", range(3))
def test_row_weights_are_those_after_the_rounds_that_are_kept(multi_class, seed):
    X, y = blobs(60, 3, spread=3.0)
    flipped = np.random.default_rng(seed).integers(0, 3, 60)
    y = np.where(np.random.default_rng(seed + 9).random(60) < 0.4, flipped, y)
    model = SFBoostClassifier(n_estimators=40, multi_class=multi_class, random_state=seed)
    assert model.fit(X, y).row_weights_.sum() == pytest.approx(1.0)
