"""`suspect_labels(method="one-fit")`: the area under the margin, recomputed by hand."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from polars.testing import assert_frame_equal
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from support.registry import every_booster, lively
from weakforce import (
    LogitBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    Tree,
    datasets,
    suspect_labels,
)


def noisy(n_rows=300, n_classes=3, seed=1, share=0.2):
    """Labels of which a share is turned to another class, and which ones."""
    X, y = datasets.make_waveform(n_rows, n_classes=n_classes, seed=seed)
    generator = np.random.default_rng(seed)
    wrong = generator.random(n_rows) < share
    shift = generator.integers(1, n_classes, n_rows)
    return X, np.where(wrong, (y.to_numpy() + shift) % n_classes, y.to_numpy()), wrong


def search(X, y, estimator=None, **options):
    return suspect_labels(X, y, estimator, method="one-fit", **options)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_wrong_labels_come_first(n_classes):
    X, y, wrong = noisy(600, n_classes)
    found = search(X, y)
    assert roc_auc_score(wrong[found["row"]], found["score"]) > 0.93
    assert found["score"].is_sorted(descending=True)
    assert sorted(found["row"]) == list(range(600))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "estimator",
    [
        None,
        LogitBoostClassifier(n_estimators=7, class_weight="balanced", random_state=3),
        SAMMEClassifier(n_estimators=3),
        RealAdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3),
    ],
    ids=["default", "class weights", "samme", "external"],
)
def test_every_number_is_a_mean_over_the_rounds_of_one_fit(estimator, n_classes):
    X, y, _ = noisy(120, n_classes)
    found = search(X.to_numpy(), y, estimator, random_state=3, n_reasons=0).sort("row")
    model = estimator
    if model is None:
        learner = Tree(max_leaf_nodes=16, min_samples_leaf=20, splitter="random")
        model = LogitBoostClassifier(learner, n_estimators=80, learning_rate=0.1)
    model = model if model.random_state is not None else model.set_params(random_state=3)
    model.fit(X.to_numpy(), y)
    margins, shares = [], []
    prior = model.fitted_model_.prior
    for scores in model.staged_decision_function(X.to_numpy()):
        table = np.column_stack([-scores, scores]) if n_classes == 2 else scores
        shares.append(np.exp(table) / np.exp(table).sum(axis=1, keepdims=True))
        if prior is not None:
            table = table - (np.array([-prior[0], prior[0]]) if n_classes == 2 else prior)
        lead = [
            line[label] - np.delete(line, label).max() for line, label in zip(table, y, strict=True)
        ]
        margins.append(np.tanh(np.array(lead) / 4))
    assert_allclose(found["margin"], np.mean(margins, axis=0), atol=1e-9)
    assert_allclose(found["score"], (1 - found["margin"]) / 2, atol=1e-12)
    assert_array_equal(found["suggested"], np.mean(shares, axis=0).argmax(axis=1))
    assert found["influence"].mean() == pytest.approx(1.0)


@every_booster
def test_every_booster_judges_in_one_fit(booster):
    X, y, _ = noisy(90)
    found = search(X, y, booster(n_estimators=4, **lively(booster)))
    assert sorted(found["row"]) == list(range(90))
    assert found["score"].is_between(0, 1).all()
    assert found["margin"].is_between(-1, 1).all()


def test_answers_depend_on_the_seed_and_not_on_threads_folds_or_containers():
    X, y, _ = noisy()
    first = search(X, y)
    assert_frame_equal(first, search(X, y, n_jobs=1), check_exact=True)
    assert_frame_equal(first, search(X.to_pandas(), y, n_folds=2, n_repeats=1), check_exact=True)
    assert_frame_equal(first, search(X.with_columns(y=pl.Series(y)).lazy(), "y"), check_exact=True)
    assert not first.equals(search(X, y, random_state=1))
    columns = first.columns[:-1]  # reasons name columns
    assert_frame_equal(first[columns], search(X.to_numpy(), y)[columns], check_exact=True)


def test_rows_of_weight_zero_are_judged_but_teach_nothing():
    X, y, _ = noisy()
    heard = np.arange(300) % 3 > 0
    found = search(X, y, sample_weight=heard).sort("row")
    other = search(X, np.where(heard, y, 0), sample_weight=heard).sort("row")
    assert_frame_equal(found.filter(heard), other.filter(heard), check_exact=True)
    assert found.filter(~heard)["influence"].null_count() == 100
    assert found.filter(heard)["influence"].null_count() == 0


def test_a_class_without_weight_and_one_class_alone():
    X, y, _ = noisy(60)
    found = search(X, y, sample_weight=(y != 2).astype(float)).filter(pl.col("given") == 2)
    assert (found["suggested"] != 2).all()
    assert (found["margin"] < 0).all()
    alone = search(X, y, sample_weight=(y == 1).astype(float))
    assert (alone["suggested"] == 1).all()
    assert (alone.filter(pl.col("given") != 1)["score"] == 1.0).all()
    assert alone["reasons"].null_count() == 60


def test_where_nothing_can_be_learned_all_rows_are_equal():
    found = search(pl.DataFrame({"same": [1.0] * 40}), np.arange(40) % 2)
    assert found["row"].to_list() == sorted(found["row"].to_list())
    assert_allclose(found["score"], 0.5)
