"""Rows drawn for each round (`subsample`, `replace`), columns for each leaf (`max_features`).

By the seed alone, on any number of threads, for every booster of the registry.
"""

from math import comb

import numpy as np
import polars as pl
import pytest
from scipy.stats import chisquare
from sklearn.linear_model import LogisticRegression

import weakforce
from support.drawn_problems import fingerprint, problem
from support.registry import every_booster, every_pair, in_rounds, some_pairs, weak
from support.small_multiclass_problems import blobs
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Stump, Tree

WAYS = [
    {"subsample": 0.6},
    {"replace": True},
    {"subsample": 0.5, "replace": True},
]
every_way = pytest.mark.parametrize("way", WAYS, ids=["part", "bootstrap", "part of bootstrap"])


def fitted(booster, X, y, **parameters):
    return booster(n_estimators=6, **{"random_state": 0, **parameters}).fit(X, y)


@every_way
@every_booster
def test_the_number_of_threads_changes_nothing(booster, way):
    X, y = problem(400)
    models = [fitted(booster, X, y, n_jobs=n_jobs, **way) for n_jobs in (1, 2)]
    assert fingerprint(models[0]) == fingerprint(models[1])


@every_way
@every_booster
def test_draws_change_with_the_seed_and_stay_without(booster, way):
    X, y = problem()
    models = [fitted(booster, X, y, random_state=seed, **way) for seed in (0, 0, 1)]
    assert fingerprint(models[0]) == fingerprint(models[1])
    assert fingerprint(models[0]) != fingerprint(models[2])
    assert fingerprint(models[0]) != fingerprint(fitted(booster, X, y))


@every_pair
def test_all_rows_without_replacement_are_no_draw(booster, learner):
    X, y = problem(80)
    plain = booster(weak(booster, learner), n_estimators=5, random_state=0).fit(X, y)
    told = booster(
        weak(booster, learner), n_estimators=5, random_state=0, subsample=1.0, replace=False
    ).fit(X, y)
    assert fingerprint(plain) == fingerprint(told)


@every_way
@some_pairs
def test_five_rounds_and_five_more_are_ten_rounds(booster, learner, way):
    X, y = problem(80)
    long = booster(weak(booster, learner), n_estimators=10, random_state=0, **way).fit(X, y)
    model = booster(weak(booster, learner), warm_start=True, random_state=0, **way)
    for rounds in (5, 10):
        model.set_params(**in_rounds(model, rounds)).fit(X, y)
    assert fingerprint(model) == fingerprint(long)


@every_way
@pytest.mark.parametrize("booster", weakforce.boosters())
def test_many_classes_are_learned_from_draws(booster, way):
    X, y = blobs(200, 4)
    rounds = in_rounds(booster, 6)
    models = [booster(random_state=0, n_jobs=jobs, **rounds, **way).fit(X, y) for jobs in (1, 2)]
    assert fingerprint(models[0]) == fingerprint(models[1])
    shares = models[0].predict_proba(X)
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@every_booster
def test_a_sample_of_no_rows_at_all_does_no_harm(booster):
    X, y = problem(40)
    model = fitted(booster, X, y, subsample=1e-12)
    assert np.isfinite(model.predict_proba(X)).all()


def test_draws_do_not_depend_on_how_rows_are_divided():
    X, y = problem(300)
    frame = pl.DataFrame(X, schema=list("abcd"))
    chunked = pl.concat([frame[:11], frame[11:200], frame[200:]], rechunk=False)
    models = [fitted(RealAdaBoostClassifier, given, y, subsample=0.5) for given in (frame, chunked)]
    assert fingerprint(models[0]) == fingerprint(models[1])


@pytest.mark.parametrize("merge", [True, False])
def test_equal_rows_are_drawn_one_by_one(merge, monkeypatch):
    # Drawn together, 1,000 copies of a row would be missing from three draws of five.
    monkeypatch.setattr(weakforce._estimator.fitting, "_MERGE_ROWS", merge)
    X = np.repeat([[0.0], [1.0], [2.0]], 1000, axis=0)
    y = np.repeat([0, 1, 1], 1000)
    for seed in range(20):
        model = DiscreteAdaBoostClassifier(
            Stump(), n_estimators=1, subsample=0.4, random_state=seed
        ).fit(X, y)
        [stump] = model.estimators_
        assert 0 <= stump.threshold < 1


@every_way
def test_samples_have_the_size_that_is_asked_for(way):
    seen = []

    class Spy(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            used = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)
            seen.append((used > 0).sum())
            return super().fit(X, y, sample_weight=sample_weight)

    X, y = problem(2000)
    RealAdaBoostClassifier(Spy(), n_estimators=4, random_state=0, **way).fit(X, y)
    share = way.get("subsample", 1.0)
    distinct = 1 - np.exp(-share) if way.get("replace") else share
    assert len(seen) == 4
    assert len(set(seen)) > 1
    np.testing.assert_allclose(np.array(seen) / 2000, distinct, atol=0.05)


@pytest.mark.parametrize("way", [{"subsample": 0.7}, {"replace": True}], ids=["part", "bootstrap"])
def test_row_weights_are_updated_on_all_rows(way):
    X, y = problem()
    model = fitted(DiscreteAdaBoostClassifier, X, y, **way)
    assert (model.row_weights_ > 0).all()
    assert model.train_score_[-1] == pytest.approx(model.score(X, y))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("subsample", 0, r"0, expected a number in \(0, 1\]"),
        ("subsample", 2, r"2, expected a number in \(0, 1\]"),
        ("subsample", "half", "'half', expected a number"),
        ("replace", "yes", "'yes', expected True or False"),
        ("scoring", "auc", "'auc', expected 'loss' or 'accuracy'"),
        ("scoring", None, "None, expected 'loss' or 'accuracy'"),
    ],
)
def test_bad_values_are_refused_with_what_is_expected(name, value, expected):
    X, y = problem(30)
    with pytest.raises((ValueError, TypeError), match=f"parameter '{name}': got {expected}"):
        RealAdaBoostClassifier(**{name: value}).fit(X, y)


# Columns


def columns_of(max_features, n_columns, n_trees, seed=0):
    """How often each of so many copies of one column is the first split of a tree."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=100)
    y = x + 0.5 * rng.normal(size=100) > 0
    tree = Tree(max_leaf_nodes=2, max_features=max_features)
    parameters = {"learning_rate": 1e-9, "n_estimators": n_trees, "random_state": seed}
    model = RealAdaBoostClassifier(tree, **parameters).fit(np.tile(x[:, None], n_columns), y)
    used = [tree.column[0] for tree in model.estimators_]
    assert len(used) == n_trees
    return np.bincount(used, minlength=n_columns)


def test_each_column_is_drawn_as_often_as_the_others():
    counts = columns_of(1, 6, 3000)
    assert counts.min() > 0
    assert chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("n_drawn", [2, 3, 5])
def test_of_drawn_copies_the_first_is_taken(n_drawn):
    # Of six copies the first one drawn is j with C(5 − j, m − 1) / C(6, m).
    counts = columns_of(n_drawn, 6, 3000)
    expected = np.array([comb(5 - j, n_drawn - 1) / comb(6, n_drawn) for j in range(6)])
    assert (counts[expected == 0] == 0).all()
    possible = expected > 0
    assert chisquare(counts[possible], 3000 * expected[possible]).pvalue > 1e-3


@pytest.mark.parametrize(
    ("given", "same_as"), [("sqrt", 3), (0.25, 2), (1.0, None), (9, None), (100, None)]
)
def test_shares_and_names_are_numbers_of_columns(given, same_as):
    np.testing.assert_array_equal(columns_of(given, 9, 60), columns_of(same_as, 9, 60))


def test_columns_are_drawn_by_the_seed_on_any_number_of_threads():
    X, y = problem(300)
    tree = Tree(max_leaf_nodes=6, max_features=2)
    models = [
        RealAdaBoostClassifier(tree, n_estimators=8, random_state=seed, n_jobs=n_jobs).fit(X, y)
        for seed, n_jobs in ((0, 1), (0, 2), (1, 1))
    ]
    assert fingerprint(models[0]) == fingerprint(models[1]) != fingerprint(models[2])
    more = RealAdaBoostClassifier(tree, n_estimators=3, random_state=0, warm_start=True).fit(X, y)
    assert fingerprint(more.set_params(n_estimators=8).fit(X, y)) == fingerprint(models[0])


@pytest.mark.parametrize("value", [0, 1.5, -1, 0.0])
def test_bad_numbers_of_columns_are_refused_by_name(value):
    X, y = problem(30)
    expected = "parameter 'estimator__max_features': got .*, expected None, 'sqrt', an integer >= 1"
    with pytest.raises(ValueError, match=expected):
        RealAdaBoostClassifier(Tree(max_features=value)).fit(X, y)


@pytest.mark.parametrize("value", ["log", True, [1]])
def test_numbers_of_columns_of_other_types_are_refused_by_name(value):
    X, y = problem(30)
    expected = "parameter 'estimator__max_features': got .*, expected None, 'sqrt', an integer >= 1"
    with pytest.raises((ValueError, TypeError), match=expected):
        RealAdaBoostClassifier(Tree(max_features=value)).fit(X, y)
