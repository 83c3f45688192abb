"""`WeakForceClassifier(cost=...)`: the answer of least expected cost; `calibrate=None`."""

import numpy as np
import polars as pl
import pytest

from support.pool_problems import mixed_rows, small
from weakforce import predict_file
from weakforce._reading.scores import cheapest

COSTS = {
    2: np.array([[0.0, 1.0], [7.0, 0.0]]),
    3: np.array([[0.0, 1.0, 1.0], [3.0, 0.0, 1.0], [20.0, 5.0, 0.0]]),
}
either_number_of_classes = pytest.mark.parametrize("n_classes", [2, 3])


def naive_answers(shares, costs):
    """The Bayes rule row by row; a tie goes to the second of two classes, of more to the first."""
    answers = []
    for row in shares:
        expected = [
            sum(row[true] * costs[true][said] for true in range(len(row)))
            for said in range(len(row))
        ]
        best = expected.index(min(expected))
        if len(row) == 2 and expected[0] == expected[1]:
            best = 1
        answers.append(best)
    return np.array(answers)


@pytest.mark.parametrize("calibrate", ["noisy", "clean", None])
@either_number_of_classes
def test_predictions_are_those_of_the_bayes_rule(n_classes, calibrate):
    X, y = mixed_rows(150, n_classes)
    model = small(cost=COSTS[n_classes], calibrate=calibrate, noise_rate=0.1).fit(X, y)
    shares = model.predict_proba(X)
    expected = model.classes_[naive_answers(shares, COSTS[n_classes])]
    np.testing.assert_array_equal(model.predict(X), expected)
    assert (model.classes_[shares.argmax(axis=1)] != expected).any()
    assert model.score(X, y) == (expected == y).mean()
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, expected)


@either_number_of_classes
def test_costs_change_neither_scores_nor_probabilities(n_classes):
    X, y = mixed_rows(120, n_classes)
    plain, careful = small().fit(X, y), small(cost=COSTS[n_classes]).fit(X, y)
    np.testing.assert_array_equal(plain.decision_function(X), careful.decision_function(X))
    np.testing.assert_array_equal(plain.predict_proba(X), careful.predict_proba(X))
    one = small(cost=1.0 - np.eye(n_classes)).fit(X, y)
    np.testing.assert_array_equal(one.predict(X), plain.predict(X))


def test_matrices_and_dicts_say_the_same():
    X, y = mixed_rows(120, 3)
    forms = (
        COSTS[3],
        COSTS[3].tolist(),
        {"mid": {"low": 3}, "peak": {"low": 20, "mid": 5}},
        {("mid", "low"): 3, ("peak", "low"): 20, ("peak", "mid"): 5},
    )
    answers = [small(cost=cost).fit(X, y).predict(X).tolist() for cost in forms]
    assert all(answer == answers[0] for answer in answers)


def test_expected_costs_are_lower_than_without():
    X, y = mixed_rows(400, 3)
    codes = np.searchsorted(np.unique(y), y)
    spent = []
    for cost in (None, COSTS[3]):
        said = small(cost=cost).fit(X[:200], y[:200]).predict(X[200:])
        spent.append(COSTS[3][codes[200:], np.searchsorted(np.unique(y), said)].mean())
    assert spent[1] < spent[0]


def test_ties_fall_as_those_of_scores_do():
    even = np.ones((1, 2)) / 2
    assert cheapest(even, 1.0 - np.eye(2)).tolist() == [1]
    assert cheapest(np.ones((1, 3)) / 3, 1.0 - np.eye(3)).tolist() == [0]


def test_permuted_classes_permute_the_answers():
    rng = np.random.default_rng(0)
    shares, costs = rng.dirichlet(np.ones(4), 50), rng.random((4, 4))
    order = np.array([2, 0, 3, 1])
    moved = cheapest(shares[:, order], costs[np.ix_(order, order)])
    np.testing.assert_array_equal(order[moved], cheapest(shares, costs))


def test_files_get_the_answers_that_frames_get(tmp_path):
    X, y = mixed_rows(150, 3)
    model = small(cost=COSTS[3]).fit(X, y)
    X.write_parquet(tmp_path / "rows.parquet")
    found = predict_file(model, tmp_path / "rows.parquet", proba=True)
    assert found["prediction"].to_list() == model.predict(X).tolist()
    assert found.select(pl.nth(1, 2, 3)).to_numpy().tolist() == model.predict_proba(X).tolist()


@either_number_of_classes
def test_without_calibration_probabilities_are_the_soft_max_of_scores(n_classes):
    X, y = mixed_rows(120, n_classes)
    plain, noisy = small(calibrate=None).fit(X, y), small().fit(X, y)
    scores = plain.decision_function(X)
    by_class = np.column_stack([-scores, scores]) if n_classes == 2 else scores
    terms = np.exp(by_class - by_class.max(axis=1, keepdims=True))
    shares = terms / terms.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(plain.predict_proba(X), shares, atol=1e-12)
    np.testing.assert_array_equal(plain.predict_proba(X), noisy.predict_proba(X))


def test_odd_costs_are_used_with_one_warning():
    X, y = mixed_rows(80)
    with pytest.warns(UserWarning, match="'cost': got 1 for answering 'low'") as warned:
        small(cost=[[1, 3], [2, 0]]).fit(X, y)
    assert len(warned) == 1
    assert warned[0].filename == __file__
