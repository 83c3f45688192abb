"""What a fitted booster says: staged scores, probabilities, margins, importances, labels, weights.

In: every booster and learner of the registry and labels of every type. Out: numbers that agree with
each other and with their definitions.
"""

from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from support.equal_models import is_one_of_many
from support.registry import (
    BOOSTERS,
    COMMITTEES,
    LOOKING_BACK,
    PAIRS,
    every_booster,
    factor_of,
    in_rounds,
    name_of,
    weak,
)
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, SAMMEClassifier, Stump


def problem(rows=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    y = (X[:, 0] + X[:, 1] + 0.8 * rng.normal(size=rows) > 0.4).astype(int)
    return X, y


@pytest.fixture(scope="module", params=PAIRS, ids=lambda pair: name_of(*pair))
def fitted(request):
    booster, learner = request.param
    X, y = problem()
    return booster(weak(booster, learner), n_estimators=25, random_state=0).fit(X, y)


X_NEW, Y_NEW = problem(seed=1)


# Scores and labels


def test_staged_scores_are_those_of_shorter_runs_and_end_in_the_final_one(fitted):
    staged = [scores.copy() for scores in fitted.staged_decision_function(X_NEW)]
    assert len(staged) == fitted.n_iter_ > 1
    np.testing.assert_allclose(staged[-1], fitted.decision_function(X_NEW), rtol=0, atol=1e-9)
    if fitted._kind in LOOKING_BACK:
        return  # shorter runs have other weights
    rounds = fitted.n_iter_ // 2
    shorter = clone(fitted).set_params(**in_rounds(fitted, rounds)).fit(*problem())
    scores = shorter.decision_function(X_NEW)
    np.testing.assert_allclose(staged[rounds - 1], scores, rtol=0, atol=1e-9)


def test_staged_scores_are_arrays_of_their_own(fitted):
    kept = list(fitted.staged_decision_function(X_NEW))
    assert not np.shares_memory(kept[0], kept[1])
    np.testing.assert_array_equal(kept[0], next(fitted.staged_decision_function(X_NEW)))


def test_all_staged_outputs_end_in_the_final_ones(fitted):
    assert (list(fitted.staged_predict(X_NEW))[-1] == fitted.predict(X_NEW)).all()
    last = list(fitted.staged_predict_proba(X_NEW))[-1]
    np.testing.assert_allclose(last, fitted.predict_proba(X_NEW), rtol=0, atol=1e-9)
    weight = np.random.default_rng(2).random(len(Y_NEW))
    scores = list(fitted.staged_score(X_NEW, Y_NEW, weight))
    assert scores[-1] == pytest.approx(fitted.score(X_NEW, Y_NEW, weight), rel=1e-12)
    assert len(scores) == fitted.n_iter_


def test_training_score_is_the_staged_accuracy_of_the_training_rows(fitted):
    X, y = problem()
    staged = list(fitted.staged_score(X, y))
    np.testing.assert_allclose(fitted.train_score_, staged, rtol=1e-12)


def test_training_score_of_a_faultless_model_is_exactly_one():
    y = (np.arange(40_301) % 3 == 0).astype(int)
    model = DiscreteAdaBoostClassifier().fit(y[:, None], y)
    assert (model.predict(y[:, None]) == y).all()
    assert model.train_score_.tolist() == [1.0]


def test_score_takes_the_name_of_the_label_column_and_checks_lengths():
    X, y = problem()
    frame = pl.DataFrame(X, schema=list("abcd")).with_columns(label=pl.Series(y))
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(frame, "label")
    assert model.score(frame, "label") == model.score(frame.drop("label"), y)
    assert model.score(frame, "label") == pytest.approx(model.train_score_[-1], rel=1e-12)
    with pytest.raises(ValueError, match="149"):
        model.score(frame, y[:-1])


def test_probabilities_are_the_logistic_function_of_twice_the_score(fitted):
    score, proba = factor_of(fitted) * fitted.decision_function(X_NEW), fitted.predict_proba(X_NEW)
    np.testing.assert_allclose(proba[:, 1], 1 / (1 + np.exp(-2 * score)), rtol=1e-12)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X_NEW)), proba, rtol=1e-12)


def test_predict_is_the_sign_of_the_score_and_the_likelier_class(fitted):
    by_score = fitted.classes_[(fitted.decision_function(X_NEW) >= 0).astype(int)]
    by_proba = fitted.classes_[fitted.predict_proba(X_NEW).argmax(axis=1)]
    assert (fitted.predict(X_NEW) == by_score).all()
    assert (fitted.predict(X_NEW) == by_proba).all()


@pytest.mark.parametrize("learning_rate", [1e-300, 1e-18, 1e-16, 1e-9, 1.0, 40.0])
def test_likelier_class_is_the_predicted_one_for_tiny_and_huge_scores(learning_rate):
    X, y = problem()
    model = DiscreteAdaBoostClassifier(n_estimators=3, learning_rate=learning_rate).fit(X, y)
    with np.errstate(over="raise", invalid="raise"):
        proba = model.predict_proba(X)
    assert set(model.predict(X)) == {0, 1}
    assert (model.classes_[proba.argmax(axis=1)] == model.predict(X)).all()
    assert (proba.sum(axis=1) == 1).all()


def test_a_score_of_exactly_zero_means_the_positive_class():
    X, y = [[0.0], [0.0], [1.0], [1.0]], ["a", "b", "a", "b"]
    for booster in BOOSTERS:
        if booster._kind in COMMITTEES:
            continue  # whose hypotheses vote, come what may
        model = booster().fit(X, y)
        assert (model.decision_function(X) == 0).all()
        assert (model.predict(X) == "b").all()
        assert (model.predict_proba(X).argmax(axis=1) == 1).all()
    # A score that is zero because two votes cancel each other.
    gentle = RealAdaBoostClassifier(Stump(answer="gentle", smoothing=0.0), n_estimators=1)
    gentle.fit([[0.0], [0.0], [1.0], [1.0], [1.0]], ["a", "b", "b", "b", "b"])
    assert gentle.decision_function([[0.0]])[0] == 0
    assert gentle.predict([[0.0]])[0] == "b" == gentle.classes_[1]
    assert gentle.predict_proba([[0.0]])[0].argmax() == 1


# Margins and importances


def test_margins_are_signed_scores_normalised_or_squashed(fitted):
    signed = np.where(Y_NEW == 1, 1, -1) * fitted.decision_function(X_NEW)
    total = np.abs(fitted.estimator_weights_).sum()
    np.testing.assert_allclose(fitted.margins(X_NEW, Y_NEW), signed / total, rtol=1e-12)
    logistic = fitted.margins(X_NEW, Y_NEW, kind="logistic")
    np.testing.assert_allclose(logistic, np.expm1(signed) / (np.exp(signed) + 1), rtol=1e-9)
    with pytest.raises(ValueError, match=r"'kind'.*'hard'"):
        fitted.margins(X_NEW, Y_NEW, kind="hard")
    with pytest.raises(ValueError, match="7"):
        fitted.margins(X_NEW, np.where(Y_NEW == 1, 7, 0))
    with pytest.raises(ValueError, match="149"):
        fitted.margins(X_NEW, Y_NEW[:-1])


def members_of(model):
    """Every hypothesis with its weight; a round may have one for each class."""
    return [
        (hypothesis, alpha)
        for round, alpha in zip(model.estimators_, model.estimator_weights_, strict=True)
        for hypothesis in (round if isinstance(round, list) else [round])
        if hypothesis is not None
    ]


def columns_of(hypothesis):
    """The column of each test that a hypothesis makes."""
    if hasattr(hypothesis, "literals"):
        return [literal.column for literal in hypothesis.literals]
    if hasattr(hypothesis, "centers"):
        return range(hypothesis.centers.shape[1])
    return [hypothesis.column] if isinstance(hypothesis.column, int) else hypothesis.column


def test_importances_are_shares_of_absolute_weight_by_column(fitted):
    expected = np.zeros(4)
    for hypothesis, alpha in members_of(fitted):
        looked_at = columns_of(hypothesis)
        for column in looked_at:
            expected[column] += abs(alpha) / len(looked_at)
    expected /= expected.sum()
    np.testing.assert_allclose(fitted.feature_importances_, expected, rtol=1e-12)


# Class weights


def same_model(first, second):
    """Whether two runs made the same tests, with numbers that are equal up to rounding."""
    tests = [
        [(each.column, each.threshold, each.missing_inside) for each, _ in members_of(model)]
        for model in (first, second)
    ]
    if tests[0] != tests[1]:
        return False
    solved = first._kind in LOOKING_BACK  # by a program, to its own accuracy
    close = {"rtol": 0, "atol": 1e-7} if solved else {"rtol": 1e-9}
    if not is_one_of_many(first):
        np.testing.assert_allclose(first.estimator_weights_, second.estimator_weights_, **close)
    np.testing.assert_allclose(first.row_weights_, second.row_weights_, **close)
    scores = first.decision_function(X_NEW), second.decision_function(X_NEW)
    np.testing.assert_allclose(*scores, rtol=0, atol=1e-7 if solved else 1e-9)
    return True


def by_bayes_rule(shares, factors):
    """Probabilities times class weights, scaled to sum to 1."""
    weighted = shares * np.array(factors)
    return weighted / weighted.sum(axis=1, keepdims=True)


@every_booster
def test_class_weights_multiply_the_probabilities_and_nothing_else(booster):
    X, y = problem()
    own = np.random.default_rng(3).random(len(y)) + 0.1
    plain = booster(n_estimators=15).fit(X, y, own)
    model = booster(n_estimators=15, class_weight={0: 3.0, 1: 0.5}).fit(X, y, own)
    assert model.row_weights_.tobytes() == plain.row_weights_.tobytes()
    assert model.estimators_ == plain.estimators_
    assert np.array_equal(model.margins(X, y), plain.margins(X, y))
    added = model.decision_function(X_NEW) - plain.decision_function(X_NEW)
    if booster._kind in COMMITTEES:
        assert not added.any()  # shares of votes are no soft-max of scores
    else:
        np.testing.assert_allclose(added * factor_of(model), np.log(0.5 / 3.0) / 2)
    expected = by_bayes_rule(plain.predict_proba(X_NEW), [3.0, 0.5])
    np.testing.assert_allclose(model.predict_proba(X_NEW), expected, atol=1e-12)
    stages = list(model.staged_decision_function(X_NEW))
    np.testing.assert_allclose(stages[-1], model.decision_function(X_NEW), atol=1e-9)


@every_booster
def test_balanced_class_weights_are_those_of_the_rows_and_their_weights(booster):
    X, y = problem()
    own = np.random.default_rng(4).random(len(y))
    even = booster(n_estimators=5, class_weight="balanced").fit(X, y, own)
    factors = {0: 7.0 / own[y == 0].sum(), 1: 7.0 / own[y == 1].sum()}
    told = booster(n_estimators=5, class_weight=factors).fit(X, y, own)
    scores = even.decision_function(X_NEW), told.decision_function(X_NEW)
    np.testing.assert_allclose(*scores, rtol=0, atol=1e-7)


@pytest.mark.parametrize("weights", [np.full(6, 1e308), np.repeat([5e-324, 1e300], 3)])
@pytest.mark.parametrize("booster", [DiscreteAdaBoostClassifier, SAMMEClassifier])
def test_balanced_class_weights_of_huge_and_tiny_weights_leave_scores_finite(booster, weights):
    X, y = np.arange(6.0)[:, None], np.repeat([0, 1], 3)
    model = booster(n_estimators=2, class_weight="balanced").fit(X, y, weights)
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_class_weights_are_the_minimiser_of_the_weighted_exponential_loss():
    X, y = problem()
    signs, factors = np.where(y == 1, 1.0, -1.0), np.where(y == 1, 8.0, 0.5)
    scores = RealAdaBoostClassifier(n_estimators=5).fit(X, y).decision_function(X)
    model = RealAdaBoostClassifier(n_estimators=5, class_weight={0: 0.5, 1: 8.0}).fit(X, y)
    weighted = factors * np.exp(-signs * model.decision_function(X))
    # What the prior takes from the rows of one class it gives to those of the other.
    np.testing.assert_allclose(weighted, 2.0 * np.exp(-signs * scores))


def test_a_class_of_weight_zero_is_never_the_answer_and_its_rows_are_absent():
    X, y = problem()
    third = np.where(X[:, 2] > 0.8, 2, y)
    model = DiscreteAdaBoostClassifier(n_estimators=15, class_weight={2: 0}).fit(X, third)
    assert set(model.predict(X)) == {0, 1}
    assert (model.row_weights_[third == 2] == 0).all()
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("class_weight", ["even", {2: 1.0}, {0: -1.0}, {0: np.nan}, 3])
def test_class_weights_that_make_no_sense_are_refused(class_weight):
    with pytest.raises(ValueError, match="class_weight"):
        DiscreteAdaBoostClassifier(class_weight=class_weight).fit(*problem())


# Labels of any type

DAY, NEXT_DAY = date(2024, 1, 31), date(2024, 2, 1)
LABELS = {
    "list of str": (["no", "yes"], list),
    "array of str": (["no", "yes"], np.array),
    "objects": (["no", "yes"], lambda values: np.array(values, dtype=object)),
    "object ints": ([-5, 10], lambda values: np.array(values, dtype=object)),
    "object bools": ([False, True], lambda values: np.array(values, dtype=object)),
    "bool": ([False, True], np.array),
    "int": ([0, 1], np.array),
    "negative ints": ([-2, -1], np.array),
    "signs": ([-1, 1], np.array),
    "uint8": ([3, 200], lambda values: np.array(values, dtype=np.uint8)),
    "whole floats": ([-1.0, 1.0], np.array),
    "datetime64": ([DAY, NEXT_DAY], lambda values: np.array(values, dtype="datetime64[D]")),
    "polars String": (["no", "yes"], pl.Series),
    "polars Categorical": (["no", "yes"], lambda v: pl.Series(v, dtype=pl.Categorical)),
    "polars Enum": (["no", "yes"], lambda v: pl.Series(v, dtype=pl.Enum(["yes", "no", "other"]))),
    "polars Boolean": ([False, True], pl.Series),
    "polars Int8": ([-7, 7], lambda values: pl.Series(values, dtype=pl.Int8)),
    "polars Date": ([DAY, NEXT_DAY], pl.Series),
    "polars Datetime": ([datetime(2024, 1, 1), datetime(2024, 1, 1, 1)], pl.Series),
    "pandas str": (["no", "yes"], pd.Series),
    "pandas category": (["no", "yes"], lambda v: pd.Series(v, dtype="category")),
    "pandas bool": ([False, True], pd.Series),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_type_are_learned_and_given_back(kind):
    labels, make = LABELS[kind]
    X, codes = problem()
    y = make([labels[code] for code in codes])
    plain = DiscreteAdaBoostClassifier(n_estimators=10).fit(X, codes)
    model = DiscreteAdaBoostClassifier(n_estimators=10, warm_start=True).fit(X, y)
    assert model.fitted_model_.core.to_json("{}") == plain.fitted_model_.core.to_json("{}")
    classes = model.classes_
    expected = np.array(labels, dtype=classes.dtype)
    assert classes.tolist() == expected.tolist()
    predicted = model.predict(X)
    assert predicted.dtype == classes.dtype
    assert (predicted == classes[plain.predict(X)]).all()
    assert model.score(X, y) == plain.score(X, codes)
    assert (model.margins(X, y) == plain.margins(X, codes)).all()
    assert list(model.staged_score(X, y)) == list(plain.staged_score(X, codes))
    assert model.fit(X, y, X_val=X, y_val=y).n_iter_ == 10
    np.testing.assert_allclose(model.validation_score_, model.train_score_, rtol=1e-12)


def test_the_second_class_in_order_is_the_positive_one():
    X, y = np.arange(10.0)[:, None], ["b"] * 5 + ["a"] * 5
    model = DiscreteAdaBoostClassifier().fit(X, y)
    assert model.classes_.tolist() == ["a", "b"]
    assert (model.decision_function(X) > 0).tolist() == [True] * 5 + [False] * 5
