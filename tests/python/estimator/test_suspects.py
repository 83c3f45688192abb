"""Suspect labels: found, recomputed by hand, the same every time, for every booster and frame."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from polars.testing import assert_frame_equal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from support.registry import every_booster, lively
from weakforce import (
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    RegularizedAdaBoostClassifier,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Stump,
    datasets,
    suspect_labels,
)
from weakforce._estimator.cross_fit import Problem, divide

COLUMNS = ["row", "given", "suggested", "margin", "influence", "score"]


def turned(y, seed, share=0.2):
    """Labels of which a share is turned to another class, and which ones."""
    codes = np.asarray(y, dtype=np.int64)
    generator = np.random.default_rng(seed)
    wrong = generator.random(len(codes)) < share
    n_classes = codes.max() + 1
    others = (codes + generator.integers(1, n_classes, len(codes))) % n_classes
    return np.where(wrong, others, codes), wrong


def small_rows(n_rows=90, seed=3):
    """Three classes, a tenth of them wrong."""
    X, y = datasets.make_waveform(n_rows, n_classes=3, seed=seed)
    return X, turned(y, seed, 0.1)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "options", "least"),
    [
        (datasets.make_xd6, {"noise": 0.0}, 0.98),
        (datasets.make_twonorm, {}, 0.95),
        (datasets.make_waveform, {"n_classes": 3}, 0.93),
        (datasets.make_banana, {}, 0.89),
    ],
)
def test_turned_labels_come_first(make, options, least):
    X, y = make(600, seed=1, **options)
    labels, wrong = turned(np.unique(y, return_inverse=True)[1], 1)
    found = suspect_labels(X, labels, n_jobs=1)
    assert roc_auc_score(wrong[found["row"]], found["score"]) > least
    surest = found.head(30)
    clean = np.unique(y, return_inverse=True)[1][surest["row"]]
    assert np.mean(surest["suggested"].to_numpy() == clean) > 0.75


@pytest.mark.slow
def test_influence_and_margin_tell_wrong_labels_apart_too():
    X, y = datasets.make_xd6(500, noise=0.0, seed=2)
    labels, wrong = turned(y, 2)
    found = suspect_labels(X, labels, n_jobs=1)
    wrong = wrong[found["row"]]
    assert roc_auc_score(wrong, found["influence"]) > 0.95
    assert roc_auc_score(wrong, -found["margin"]) > 0.95


def by_hand(estimator, X, y, weights, folds_of):
    """Means over divisions of what plain fits say: probability, margin, influence."""
    n_rows, (classes, codes) = len(y), np.unique(y, return_inverse=True)
    shares, margins = np.zeros((n_rows, len(classes))), np.zeros(n_rows)
    influence, met = np.zeros(n_rows), np.zeros(n_rows)
    for folds in folds_of:
        for fold in np.unique(folds):
            inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            model = estimator.fit(X[inside], y[inside], weights[inside])
            for row, scores in zip(outside, model.decision_function(X[outside]), strict=True):
                scores = np.array([-scores, scores]) if len(classes) == 2 else scores
                shares[row] += np.exp(scores - np.logaddexp.reduce(scores))
                lead = scores[codes[row]] - np.delete(scores, codes[row]).max()
                margins[row] += np.tanh(lead / 4)
            for place, row in enumerate(inside):
                share = weights[row] / weights[inside].sum()
                influence[row] += model.row_weights_[place] / share
                met[row] += 1
    return shares / len(folds_of), margins / len(folds_of), influence / met


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [
        RealAdaBoostClassifier(n_estimators=5),
        SAMMEClassifier(n_estimators=3),
        SoftmaxBoostClassifier(n_estimators=5, random_state=7),
        DiscreteAdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_number_is_that_of_fits_to_the_other_folds(estimator, n_classes):
    frame, y = small_rows()
    X, y = frame.to_numpy(), np.array(["a", "b", "c"])[np.minimum(y, n_classes - 1)]
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    found = suspect_labels(X, y, estimator, weights, n_folds=3, n_repeats=2, random_state=5)
    codes = np.unique(y, return_inverse=True)[1].astype(np.uint32)
    problem = Problem(X, np.unique(y), codes, weights)
    folds_of = [divide(problem, 3, (5, repeat)) for repeat in range(2)]
    shares, margins, influence = by_hand(estimator, X, y, weights, folds_of)
    found = found.sort("row")
    assert_allclose(found["margin"], margins, atol=1e-12)
    assert_allclose(found["influence"], influence, rtol=1e-9)
    own = shares[np.arange(len(y)), codes]
    odds = (1 - own) / own * (1 + influence) / 2
    assert_allclose(found["score"], odds / (1 + odds), atol=1e-9)
    assert_array_equal(found["suggested"], np.unique(y)[shares.argmax(axis=1)])
    assert_array_equal(found["given"], y)


def test_influence_under_class_weights_is_relative_to_the_weights_that_fits_begin_with():
    X, y = small_rows()
    frozen = RealAdaBoostClassifier(n_estimators=1, learning_rate=1e-9, class_weight={0: 5.0})
    found = suspect_labels(X, y, frozen, n_folds=2, n_repeats=1)
    assert_allclose(found["influence"], 1.0, atol=1e-6)


def test_influence_of_regularized_boosting_is_its_own():
    X, y = datasets.make_xd6(80, noise=0.2, seed=1)
    estimator = RegularizedAdaBoostClassifier(n_estimators=10, C=100.0)
    found = suspect_labels(X, y, estimator, n_folds=2, n_repeats=1).sort("row")
    problem = Problem(X, np.array([0, 1]), y.to_numpy().astype(np.uint32), np.ones(80))
    folds = divide(problem, 2, (0, 0))
    for fold in (0, 1):
        rows = np.flatnonzero(folds != fold)
        model = estimator.fit(X[rows], y[rows])
        expected = model.influence_ / model.influence_.sum() * len(rows)
        assert_allclose(found["influence"].to_numpy()[rows], expected, rtol=1e-9)


@pytest.mark.parametrize("n_folds", [2, 3, 7])
def test_folds_have_their_share_of_all_rows_and_of_every_class(n_folds):
    truth = np.random.default_rng(1).integers(0, 4, 101).astype(np.uint32)
    folds = divide(Problem(None, np.arange(4), truth, np.ones(101)), n_folds, (1, 2))
    for part in [truth >= 0, *(truth == code for code in range(4))]:
        sizes = np.bincount(folds[part], minlength=n_folds)
        assert sizes.max() - sizes.min() <= 1


def test_answers_depend_on_the_seed_and_not_on_threads_or_calls():
    X, y = small_rows()
    options = {"n_folds": 3, "n_repeats": 1}
    first = suspect_labels(X, y, n_jobs=1, **options)
    assert_frame_equal(first, suspect_labels(X, y, n_jobs=3, **options), check_exact=True)
    assert_frame_equal(first, suspect_labels(X, y, **options), check_exact=True)
    assert not first.equals(suspect_labels(X, y, random_state=1, **options))


def test_equal_scores_are_in_the_order_of_rows():
    X = pl.DataFrame({"same": [1.0] * 40})
    y = np.arange(40) % 2
    found = suspect_labels(X, y, DiscreteAdaBoostClassifier(n_estimators=3), n_folds=4)
    assert found["score"].is_sorted(descending=True)
    for _, rows in found.group_by("score"):
        assert rows["row"].is_sorted()
    assert found["score"].n_unique() < 40


@pytest.mark.slow
@pytest.mark.parametrize(
    "labels", [["no", "yes", "may be"], [10, 20, 30], [1.0, 2.0, 5.0]], ids=["str", "int", "float"]
)
def test_containers_and_column_names_lead_to_the_same_answer(labels):
    X, codes = small_rows()
    y = pl.Series("label", [labels[code] for code in codes])
    options = {"estimator": RealAdaBoostClassifier(n_estimators=4), "n_repeats": 1, "n_reasons": 0}
    expected = suspect_labels(X, y, **options)
    assert expected.columns == COLUMNS
    assert expected["given"].dtype == expected["suggested"].dtype == y.dtype
    assert_array_equal(expected["given"], y.gather(expected["row"]))
    whole = X.with_columns(y)
    pandas = pd.DataFrame(whole.to_dict(as_series=False), index=range(7, 97))
    for frame, target in [
        (whole, "label"),
        (whole.lazy(), "label"),
        (X.to_arrow(), y.to_list()),
        (X.to_numpy(), y.to_numpy()),
        (pandas, "label"),
        (pandas.drop(columns="label"), pandas["label"]),
    ]:
        found = suspect_labels(frame, target, **options)
        assert_frame_equal(found, expected, check_exact=True)


def test_missing_values_and_categories_are_judged_like_others():
    X, y = datasets.make_xd6(300, noise=0.0, seed=1)
    labels, wrong = turned(y, 0, 0.1)
    gone = np.random.default_rng(0).random(300) < 0.1
    first = X.columns[0]
    X = X.with_columns(
        pl.when(pl.Series(gone)).then(None).otherwise(pl.col(first)).alias(first),
        pl.col(X.columns[1]).replace_strict({0: "off", 1: "on"}),
    )
    found = suspect_labels(X, labels, n_repeats=1, n_reasons=0)
    assert found.null_count().sum_horizontal()[0] == 0
    assert roc_auc_score(wrong[found["row"]], found["score"]) > 0.85


@pytest.mark.slow
def test_a_class_of_one_row_is_suspect_and_parameters_may_name_it():
    X, y = small_rows()
    y = np.where(np.arange(90) == 4, 9, y)
    model = DiscreteAdaBoostClassifier(n_estimators=3, class_weight={0: 1.0, 9: 2.0})
    for estimator in (None, model):
        found = suspect_labels(X, y, estimator)
        rare = found.filter(pl.col("given") == 9)
        assert rare["row"].to_list() == [4]
        assert rare["suggested"][0] != 9
        assert rare["score"][0] > found["score"].median()
        assert found["score"].is_finite().all()


def test_a_row_against_all_others_is_judged_without_a_second_class():
    X, _ = small_rows(20)
    found = suspect_labels(X, (np.arange(20) == 6).astype(int), n_folds=4, n_reasons=0)
    assert found.row(0) == (6, 1, 0, -1.0, found["influence"][0], 1.0)


@pytest.mark.slow
def test_rows_of_weight_zero_are_judged_but_teach_nothing():
    X, y = datasets.make_xd6(200, noise=0.0, seed=1)
    silent = np.arange(200) % 4 == 0
    labels = np.where(silent & (np.arange(200) % 8 == 0), 1 - y.to_numpy(), y.to_numpy())
    found = suspect_labels(X, labels, sample_weight=~silent)
    garbage = X.with_columns(pl.all().shuffle(seed=1))
    mixed = pl.DataFrame(
        {name: np.where(silent, garbage[name].to_numpy(), X[name].to_numpy()) for name in X.columns}
    )
    other = suspect_labels(mixed, labels, sample_weight=~silent)
    heard = ~pl.col("row").is_in(np.flatnonzero(silent).tolist())
    assert_frame_equal(found.filter(heard), other.filter(heard), check_exact=True)
    judged = found.filter(~heard)
    assert judged["influence"].null_count() == 50
    assert roc_auc_score(judged["row"].to_numpy() % 8 == 0, judged["score"]) > 0.95


@every_booster
def test_every_booster_judges(booster):
    X, y = small_rows()
    estimator = booster(n_estimators=4, **lively(booster))
    found = suspect_labels(X, y, estimator, n_folds=3, n_repeats=1)
    assert sorted(found["row"]) == list(range(90))
    assert found["score"].is_between(0, 1).all()
    assert found["margin"].is_between(-1, 1).all()
    assert (found["influence"] >= 0).all()
    assert found["influence"].mean() == pytest.approx(1.0)


def test_the_estimator_stays_as_it_is():
    X, y = small_rows()
    estimator = RealAdaBoostClassifier(Stump(), n_estimators=3, n_jobs=2)
    before = estimator.get_params()
    suspect_labels(X, y, estimator, n_jobs=1)
    assert estimator.get_params() == before
    assert not hasattr(estimator, "classes_")


X_SMALL, Y_SMALL = small_rows(30)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"estimator": LogisticRegression()}, TypeError, "'estimator': got LogisticRegression"),
        ({"estimator": SAMMEClassifier}, TypeError, "'estimator': got SAMMEClassifier, expected"),
        ({"estimator": Stump()}, TypeError, "'estimator': got Stump"),
        ({"n_folds": 1}, ValueError, "'n_folds': got 1, expected a whole number of at least 2"),
        ({"n_folds": 31}, ValueError, "'n_folds': got 31, .* at most 30, the number of rows"),
        ({"n_folds": 2.5}, TypeError, "'n_folds': got 2.5"),
        ({"n_repeats": 0}, ValueError, "'n_repeats': got 0, expected a whole number of at least 1"),
        ({"n_repeats": True}, TypeError, "'n_repeats': got True"),
        ({"random_state": "x"}, ValueError, "'random_state': got 'x'"),
        ({"y": Y_SMALL[:20]}, ValueError, "y: got 20 labels, expected one for each of 30 rows"),
        ({"y": np.zeros(30)}, ValueError, "y: got only one class"),
        ({"y": "nobody"}, ValueError, "y names the column 'nobody'"),
        ({"y": None}, ValueError, "requires y"),
        ({"X": None}, ValueError, "X is None, expected rows"),
        ({"y": np.zeros((30, 3), dtype=int)}, ValueError, "none of 30 rows has a label"),
        ({"y": np.full((30, 3), 2)}, ValueError, "got 2 in row 0, column 0 .* expected 0 or 1"),
        ({"method": "one"}, ValueError, "'method': got 'one', expected 'cross-fit' or 'one-fit'"),
        ({"n_reasons": -1}, ValueError, "'n_reasons': got -1, expected a whole number of at least"),
        ({"sample_weight": np.ones(29)}, ValueError, "got 29 weights, expected one for each of 30"),
        ({"sample_weight": np.zeros(30)}, ValueError, "sample_weight: got zero for all rows"),
        ({"sample_weight": -np.ones(30)}, ValueError, r"sample_weight: got -1.0 for row 0"),
    ],
)
def test_wrong_calls_are_refused_by_name(change, kind, message):
    call = {"X": X_SMALL, "y": Y_SMALL, **change}
    with pytest.raises(kind, match=message):
        suspect_labels(**call)
