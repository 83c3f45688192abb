"""Costs that make no sense are refused by name, odd ones are warned about; nothing else changes.

In: matrices, dicts and costs by row as users might give them. Out: errors that say what came.
"""

import warnings

import numpy as np
import polars as pl
import pytest

from support.small_multiclass_problems import blobs
from weakforce import SoftmaxBoostClassifier, Stump

NAMES = np.array(["ash", "elm", "oak"])
X, CODES = blobs(60, 3)
Y = NAMES[CODES]
ONES = 1 - np.eye(3)


def with_entry(value, place=(0, 1)):
    cost = ONES.copy()
    cost[place] = value
    return cost


def make(**parameters):
    return SoftmaxBoostClassifier(Stump(), n_estimators=2, random_state=0, **parameters)


#: A cost matrix and what the error must name beside the parameter.
BAD_MATRICES = {
    "negative": (with_entry(-2.5), r"-2\.5"),
    "NaN": (with_entry(np.nan), "nan"),
    "infinite": (with_entry(np.inf), "inf"),
    "too small": (1 - np.eye(2), r"2.*3"),
    "too large": (1 - np.eye(4), r"4.*3"),
    "not square": (np.ones((3, 2)), r"3.*2"),
    "one dimension": (np.ones(3), "1 dim"),
    "three dimensions": (np.ones((3, 3, 3)), "3"),
    "words": ([["a"] * 3] * 3, "a"),
    "a word": ("balanced", "balanced"),
    "a number": (2.0, r"2\.0"),
    "ragged": ([[0, 1, 1], [1, 0], [1, 1, 0]], "cost"),
    "unknown true label": ({"birch": {"elm": 2.0}}, "birch"),
    "unknown answer": ({"elm": {"birch": 2.0}}, "birch"),
    "unknown label in a pair": ({("elm", "birch"): 2.0}, "birch"),
    "negative in a dict": ({"elm": {"oak": -1.5}}, r"-1\.5"),
    "NaN in a dict": ({("elm", "oak"): np.nan}, "nan"),
    "a word in a dict": ({("elm", "oak"): "dear"}, "dear"),
    "three labels": ({("elm", "oak", "ash"): 1.0}, "ash"),
}


@pytest.mark.parametrize("name", BAD_MATRICES)
def test_bad_costs_are_refused_by_name_and_leave_the_estimator_alone(name):
    cost, culprit = BAD_MATRICES[name]
    fresh = make(cost=cost)
    with pytest.raises((ValueError, TypeError), match=f"(?s)'?cost'?.*{culprit}"):
        fresh.fit(X, Y)
    assert not hasattr(fresh, "classes_")
    model = make().fit(X, Y)
    before = dict(vars(model))
    model.cost = cost
    with pytest.raises((ValueError, TypeError), match="cost"):
        model.fit(X, Y)
    model.cost = None
    assert all(vars(model)[key] is value for key, value in before.items())


def by_row(value, row=7):
    costs = ONES[CODES].copy()
    costs[row, 2] = value
    return costs


#: Costs by row and what the error must name.
BAD_ROWS = {
    "negative": (by_row(-0.5), r"-0\.5"),
    "NaN": (by_row(np.nan), "nan"),
    "infinite": (by_row(-np.inf), "inf"),
    "too few rows": (ONES[CODES][:-1], "59"),
    "too many rows": (np.vstack([ONES[CODES], ONES[:1]]), "61"),
    "too few classes": (ONES[CODES][:, :2], r"2.*3"),
    "one dimension": (np.ones(60), "1 dim"),
    "words": ([["a"] * 3] * 60, "a"),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_costs_by_row_are_refused(name):
    costs, culprit = BAD_ROWS[name]
    model = make()
    with pytest.raises((ValueError, TypeError), match=f"(?s)cost.*{culprit}"):
        model.fit(X, Y, cost=costs)
    assert not hasattr(model, "classes_")


def test_answers_that_all_cost_the_same_teach_nothing():
    for cost in (np.zeros((3, 3)), np.ones((3, 3))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(ValueError, match="cost"):
                make(cost=cost).fit(X, Y)
    with pytest.raises(ValueError, match="cost"):
        make().fit(X, Y, cost=np.full((60, 3), 0.3))


def test_a_right_answer_that_costs_something_is_warned_about():
    for cost in (ONES + 0.5 * np.eye(3), {("elm", "elm"): 0.5}, {"elm": {"elm": 0.5}}):
        with pytest.warns(UserWarning, match="cost"):
            model = make(cost=cost).fit(X, Y)
        assert model.n_iter_ == 2


def test_usual_costs_are_not_warned_about():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make().fit(X, Y)
        make(cost=3 * ONES).fit(X, Y)
        make(cost={("elm", "oak"): 0.0}).fit(X, Y)
        make().fit(X, Y, cost=np.random.default_rng(0).random((60, 3)))


def test_costs_of_validation_rows_are_used_and_checked():
    rng = np.random.default_rng(0)
    costs = rng.random((60, 3))
    model = make().fit(X, Y, cost=costs, X_val=X, y_val=Y, cost_val=costs)
    np.testing.assert_allclose(model.validation_cost_, model.expected_cost_, rtol=1e-9)
    other = make().fit(X, Y, cost=costs, X_val=X, y_val=Y, cost_val=costs[::-1])
    assert not np.allclose(other.validation_cost_, model.validation_cost_)
    for bad in (costs[:-1], costs[:, :2], -costs):
        with pytest.raises(ValueError, match="cost_val"):
            make().fit(X, Y, cost=costs, X_val=X, y_val=Y, cost_val=bad)


def test_the_share_of_rows_answered_with_their_cheapest_label_is_the_score():
    costs = np.random.default_rng(1).random((60, 3))
    weights = np.random.default_rng(2).random(60)
    model = make().fit(X, Y, weights, cost=costs)
    cheapest = NAMES[costs.argmin(axis=1)]
    staged = [
        np.average(answers == cheapest, weights=weights) for answers in model.staged_predict(X)
    ]
    np.testing.assert_allclose(model.train_score_, staged, rtol=1e-12)


def test_costs_by_row_may_be_frames_or_lists():
    costs = np.random.default_rng(1).random((60, 3))
    expected = make().fit(X, Y, cost=costs).decision_function(X)
    for given in (costs.tolist(), pl.DataFrame(costs), costs.astype(np.float64, order="F")):
        assert make().fit(X, Y, cost=given).decision_function(X).tobytes() == expected.tobytes()


@pytest.mark.parametrize("n_draws", [0, -1, 1.5, "many", True, np.nan])
def test_numbers_of_draws_that_make_no_sense_are_refused(n_draws):
    with pytest.raises((ValueError, TypeError), match="n_draws"):
        make(n_draws=n_draws).fit(X, Y)


@pytest.mark.parametrize("step", ["best", None, 1.0])
def test_steps_that_make_no_sense_are_refused(step):
    with pytest.raises((ValueError, TypeError), match="step"):
        make(step=step).fit(X, Y)


def test_two_classes_have_costs_too():
    X, codes = blobs(90, 3, spread=3.0)
    y = codes == 0
    cost = np.array([[0.0, 1.0], [30.0, 0.0]])
    plain = make(n_draws=None).set_params(n_estimators=10).fit(X, y)
    careful = make(n_draws=None, cost=cost).set_params(n_estimators=10).fit(X, y)
    assert careful.decision_function(X).shape == (90,)
    missed = [(y & ~model.predict(X)).sum() for model in (plain, careful)]
    assert missed[1] < missed[0]
    proba = careful.predict_proba(X)[:, 1]
    np.testing.assert_allclose(
        proba, 1 / (1 + np.exp(-2 * careful.decision_function(X))), rtol=1e-9
    )
