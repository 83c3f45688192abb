"""A weak learner's parameter that is out of range is refused by its full name, `estimator__…`.

In: every learner of the registry with wrong values for each of its parameters; a learner that is
registered without any here makes the first test fail.
"""

import re

import numpy as np
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB

import weakforce
from support.registry import (
    LEARNERS,
    MIXED_LEARNERS,
    VOTERS,
    every_booster,
    every_greedy_single_booster,
    every_learner,
)
from weakforce import (
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    Stump,
    Tree,
)

NAN, INFINITE = float("nan"), float("inf")
X = pl.DataFrame({"size": [1.0, 2.0, 3.0, 4.0, 5.0, None], "count": [3, 1, 2, 3, 1, 2]})
Y = [0, 1, 0, 1, 1, 0]

CRITERION = ["beauty", None, 3, "Z", ["z"]]
ANSWER = ["maybe", None, 3, "Vote", ["vote"]]
SMOOTHING = [-1, -1e-9, NAN, INFINITE, "butter", [0.1]]
COUNT = [0, -1, 1.5, "two", None, True, [2], INFINITE, 2**70]
WRONG = {
    Stump: {"criterion": CRITERION, "answer": ANSWER, "smoothing": SMOOTHING},
    Rule: {
        "max_literals": COUNT,
        "criterion": CRITERION,
        "answer": ANSWER,
        "min_gain": [-1e-9, NAN, INFINITE, "some", None],
        "smoothing": SMOOTHING,
    },
    Tree: {
        "max_leaf_nodes": [1, 10**6, *COUNT],
        "max_depth": [wrong for wrong in COUNT if wrong is not None],
        "min_samples_leaf": COUNT,
        "min_weight_leaf": [-0.1, 0.6, 1.0, NAN, INFINITE, "heavy", None],
        "criterion": CRITERION,
        "answer": ANSWER,
        "smoothing": SMOOTHING,
        "splitter": ["worst", None, 3, "Best", ["best"]],
        "max_features": [0, -1, 1.5, -0.5, NAN, INFINITE],  # other types: boosters/test_sampling
    },
    RBFNet: {
        "n_centers": COUNT,
        "n_steps": [-1, 1.5, "ten", None, True, INFINITE],
        "ridge": [0, -1e-6, NAN, INFINITE, "steep", None],
        "answer": [*ANSWER, "logistic", "gentle"],
    },
}
CASES = [
    (learner, name, value)
    for learner, names in WRONG.items()
    for name, values in names.items()
    for value in values
]
#: What only a reader of the Rust code understands.
JARGON = re.compile(r"usize|[uif](64|32|16)|line \\d+ column|variant|null|internal error")


@every_learner
def test_every_parameter_of_every_learner_is_tried(learner):
    assert set(WRONG[learner]) == set(learner().get_params())


@pytest.mark.parametrize(("learner", "name", "value"), CASES)
def test_a_wrong_value_is_refused_by_its_full_name(learner, name, value):
    model = RealAdaBoostClassifier(learner(), n_estimators=2).fit(X, Y)
    before = dict(vars(model))
    model.set_params(**{f"estimator__{name}": value})
    with pytest.raises((ValueError, TypeError), match=f"parameter 'estimator__{name}'") as caught:
        model.fit(X, Y)
    message = str(caught.value)
    assert "expected" in message
    assert not JARGON.search(message), message
    if not isinstance(value, float) and value != 2**70:  # which may be written in another way
        assert str(value).strip("'[]") in message
    assert all(vars(model)[key] is kept for key, kept in before.items())


@pytest.mark.parametrize(("learner", "name"), dict.fromkeys(case[:2] for case in CASES))
def test_what_is_chosen_from_names_lists_them(learner, name):
    choices = {
        "splitter": ("best", "random"),
        "criterion": ("error", "z", "gini"),
        "answer": (
            "auto",
            "vote",
            *(("clipped",) if learner is RBFNet else ("logistic", "gentle")),
        ),
    }.get(name, ())
    with pytest.raises((ValueError, TypeError)) as caught:
        RealAdaBoostClassifier(learner(**{name: WRONG[learner][name][0]})).fit(X, Y)
    assert all(choice in str(caught.value) for choice in choices)


@every_booster
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_booster_refuses_wrong_parameters_of_every_learner(booster, learner):
    name, values = next(iter(WRONG[learner].items()))
    model = booster(learner(**{name: values[0]}))
    with pytest.raises((ValueError, TypeError), match=f"'estimator__{name}'"):
        model.fit(X, Y)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("booster", VOTERS)
@every_learner
def test_boosters_of_votes_refuse_real_answers(booster, learner):
    answers = ("clipped",) if learner is RBFNet else ("logistic", "gentle")
    for answer in answers:
        with pytest.raises(ValueError, match=rf"'estimator.*{answer}.*vote"):
            booster(learner(answer=answer)).fit(X, Y)


@pytest.mark.parametrize("booster", [AdaBoostMHClassifier, AdaBoostM2Classifier])
@pytest.mark.parametrize("learner", [Stump, Rule, Tree])
def test_boosters_of_pairs_refuse_answers_beyond_one(booster, learner):
    with pytest.raises(ValueError, match=r"'estimator.*logistic.*gentle"):
        booster(learner(answer="logistic")).fit(X, Y)
    for answer in ("auto", "vote", "gentle"):
        assert booster(learner(answer=answer), n_estimators=2).fit(X, Y).n_iter_ > 0


@pytest.mark.parametrize("booster", [AdaBoostMHClassifier, AdaBoostM2Classifier])
def test_partitions_that_answer_all_classes_are_of_our_own_making(booster):
    numbers = np.arange(12.0).reshape(6, 2) % 5
    for learner in (RBFNet(n_centers=2), GaussianNB()):
        with pytest.raises(ValueError, match="'estimator'"):
            booster(learner, shared=True).fit(numbers, Y)
        assert booster(learner, shared=False, n_estimators=2).fit(numbers, Y).n_iter_ > 0


def test_nets_do_not_vote_for_one_of_many_classes():
    with pytest.raises(ValueError, match=r"'estimator'.*RBFNet"):
        SAMMEClassifier(RBFNet()).fit(X, [0, 1, 2] * 2)


@every_greedy_single_booster
@every_learner
def test_auto_answers_are_votes_where_votes_are_needed(booster, learner):
    rng = np.random.default_rng(0)
    numbers, labels = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    model = booster(learner(), n_estimators=2).fit(numbers, labels)
    needs_votes = booster in VOTERS
    said = np.abs(next(model.staged_decision_function(numbers)) / model.estimator_weights_[0])
    assert np.allclose(said, 1.0) == needs_votes


@pytest.mark.parametrize("learner", [each for each in LEARNERS if each not in MIXED_LEARNERS])
def test_a_learner_of_numbers_refuses_other_columns_by_name(learner):
    texts = X.with_columns(colour=pl.Series(list("rgbrgb")))
    model = RealAdaBoostClassifier(learner(), n_estimators=2)
    with pytest.raises((TypeError, ValueError), match="'colour'"):
        model.fit(texts, Y)
    with pytest.raises((TypeError, ValueError), match="'count'"):
        model.set_params(categorical_features=["count"]).fit(X, Y)
    assert model.set_params(categorical_features="from_dtype").fit(X, Y).n_iter_ > 0


def test_unfitted_learners_are_plain_estimators():
    assert set(weakforce.weak_learners()) >= set(WRONG)
    for learner in LEARNERS:
        assert repr(learner()) == f"{learner.__name__}()"
        assert not hasattr(learner(), "fit")
