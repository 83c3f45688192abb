"""The random draws of sm-boost: by the seed alone, on any number of threads, as likely as promised.

Counts are read off the weights that a scikit-learn classifier is given: a row that was drawn n
times for a class weighs n times what it would weigh drawn once.
"""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from reference.softmax import softmax
from support.small_multiclass_problems import blobs
from weakforce import SoftmaxBoostClassifier, Stump, Tree

SEEN = []


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps what it is given to learn from, and says that everything is of the last class."""

    def fit(self, X, y, sample_weight):
        SEEN.append((np.asarray(X), np.asarray(y), np.asarray(sample_weight)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[-1])


def fingerprint(model):
    return model.fitted_model_.core.to_json("{}"), model.row_weights_.tobytes()


def drawn(**parameters):
    parameters = {"estimator": Tree(max_leaf_nodes=4), "n_estimators": 6, **parameters}
    return SoftmaxBoostClassifier(**{"random_state": 3, **parameters})


@pytest.mark.parametrize("n_draws", ["auto", 37, 1000])
def test_a_seed_gives_the_same_model_to_the_bit_on_any_number_of_threads(n_draws):
    X, y = blobs(120, 4, spread=1.5)
    weights = np.random.default_rng(0).random(120)
    models = [drawn(n_draws=n_draws, n_jobs=jobs).fit(X, y, weights) for jobs in (1, 2, 3, None)]
    assert len({fingerprint(model) for model in models}) == 1
    assert fingerprint(drawn(n_draws=n_draws).fit(X, y, weights)) == fingerprint(models[0])
    other = drawn(n_draws=n_draws, random_state=4).fit(X, y, weights)
    assert fingerprint(other) != fingerprint(models[0])


def test_many_rows_are_drawn_alike_on_any_number_of_threads():
    X, y = blobs(30_000, 3, spread=1.5)
    models = [drawn(n_estimators=2, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3)]
    assert len({fingerprint(model) for model in models}) == 1


def test_without_draws_the_seed_does_not_matter():
    X, y = blobs(120, 4, spread=1.5)
    models = [drawn(n_draws=None, random_state=seed).fit(X, y) for seed in (1, 2)]
    assert fingerprint(models[0]) == fingerprint(models[1])
    assert fingerprint(drawn(random_state=1).fit(X, y)) != fingerprint(models[0])


def test_auto_draws_as_many_pairs_as_there_are_rows():
    X, y = blobs(90, 3, spread=1.5)
    model = drawn(n_draws="auto").fit(X, y)
    assert fingerprint(model) == fingerprint(drawn(n_draws=90).fit(X, y))
    assert fingerprint(model) != fingerprint(drawn(n_draws=91).fit(X, y))


def test_every_round_draws_anew():
    X, y = blobs(90, 3, spread=1.5)
    model = drawn(estimator=Stump(), learning_rate=1e-9, n_estimators=12).fit(X, y)
    tests = {tuple((s.column, s.threshold) for s in stumps if s) for stumps in model.estimators_}
    assert len(tests) > 6  # though the scores hardly move


@pytest.mark.parametrize("stages", [(1, 2, 9), (5, 9)])
@pytest.mark.parametrize("n_draws", ["auto", 40, None])
def test_warm_start_goes_on_with_the_same_draws(n_draws, stages):
    X, y = blobs(90, 4, spread=1.5)
    long = drawn(n_draws=n_draws, n_estimators=9).fit(X, y)
    model = drawn(n_draws=n_draws, warm_start=True)
    for rounds in stages:
        model = pickle.loads(pickle.dumps(model.set_params(n_estimators=rounds).fit(X, y)))
    model.set_params(n_estimators=9).fit(X, y)  # adds nothing, but brings the row weights
    assert fingerprint(model) == fingerprint(long)


def counts_by_class(X, y, sample_weight, n_draws):
    """How often each row was drawn for each class in the first round, and the classes asked for."""
    SEEN.clear()
    model = SoftmaxBoostClassifier(Recorder(), n_draws=n_draws, n_estimators=1, random_state=0)
    model.fit(X, y, sample_weight)
    rows = {value: row for row, value in enumerate(X[:, 0].tolist())}
    n_classes = len(np.unique(y))
    table = np.zeros((len(y), n_classes))
    for k, (taken, _, weight) in enumerate(SEEN):
        places = [rows[value] for value in taken[:, 0].tolist()]
        # Δc of the first round: −(K−1)/K for the right class, 1/K for any other.
        sizes = np.where(y[places] == k, n_classes - 1, 1) / n_classes
        table[places, k] = weight / sizes
    assert len(SEEN) == n_classes
    return table


@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_are_drawn_as_often_as_their_shares_say(weighted):
    """χ² of the counts of 120 pairs (row, class) against M u_i / K; they are counts at all."""
    rows, n_classes, draws = 40, 3, 60_000
    y = np.arange(rows) % n_classes
    X = np.arange(rows, dtype=float)[:, None]
    weight = np.random.default_rng(5).random(rows) + 0.2 if weighted else np.ones(rows)
    table = counts_by_class(X, y, weight if weighted else None, draws)
    expected = draws * np.repeat(weight[:, None] / weight.sum(), n_classes, axis=1) / n_classes
    # Weights come in a scale of their own for each class, so each class is compared with itself.
    for k in range(n_classes):
        counts = table[:, k] / table[:, k].sum() * expected[:, k].sum()
        chi_square = ((counts - expected[:, k]) ** 2 / expected[:, k]).sum()
        assert 15 < chi_square < 75  # 39 degrees of freedom


def test_few_draws_are_whole_numbers_of_rows():
    y = np.arange(30) % 3
    X = np.arange(30, dtype=float)[:, None]
    table = counts_by_class(X, y, None, 45)
    for column in table.T:
        smallest = column[column > 0].min()
        np.testing.assert_allclose(column / smallest, np.round(column / smallest), atol=1e-9)
        assert (column == 0).any()


def test_later_rounds_draw_by_the_probabilities_of_the_model():
    X, y = blobs(60, 3, spread=1.0)
    full = drawn(n_draws=None, estimator=Stump(), n_estimators=12, learning_rate=3.0).fit(X, y)
    many = drawn(n_draws=400_000, estimator=Stump(), n_estimators=12, learning_rate=3.0).fit(X, y)
    np.testing.assert_allclose(many.expected_cost_, full.expected_cost_, atol=0.01)
    difference = softmax(many.decision_function(X)) - softmax(full.decision_function(X))
    assert np.abs(difference).mean() < 0.02
    few = drawn(n_draws=60, estimator=Stump(), n_estimators=12, learning_rate=3.0).fit(X, y)
    assert np.abs(few.expected_cost_ - full.expected_cost_).max() > 0.01


def test_more_draws_come_nearer_to_the_full_expectation():
    X, y = blobs(60, 3, spread=1.0)
    full = drawn(n_draws=None, estimator=Stump(), n_estimators=1).fit(X, y)
    distances = []
    for n_draws in (100, 10_000, 1_000_000):
        weights = [
            drawn(n_draws=n_draws, estimator=Stump(), n_estimators=1, random_state=seed)
            .fit(X, y)
            .estimator_weights_[0]
            for seed in range(5)
        ]
        distances.append(np.abs(np.array(weights) - full.estimator_weights_[0]).mean())
    assert distances[0] > 5 * distances[1] > 5 * distances[2]


def test_a_class_that_is_not_drawn_leaves_its_scores_alone():
    X, y = blobs(60, 5, spread=1.0)
    model = drawn(n_draws=4, n_estimators=10).fit(X, y)
    silent = [[h is None for h in hypotheses] for hypotheses in model.estimators_]
    assert any(map(any, silent))
    before = np.zeros((60, 5))
    for scores, quiet in zip(model.staged_decision_function(X), silent, strict=True):
        assert (scores[:, quiet] == before[:, quiet]).all()
        before = scores


def test_the_same_seed_draws_the_same_on_every_machine():
    """Numbers of a run that was looked at once; another generator would change them."""
    X = np.arange(12.0)[:, None]
    model = drawn(estimator=Stump(), n_estimators=3, n_draws=12, random_state=7)
    model.fit(X, np.arange(12) % 3)
    expected = [0.6536716788872167, 0.6384754785916734, 0.63371125128902]
    assert model.expected_cost_.tolist() == pytest.approx(expected, rel=1e-12)
    cuts = [[None if h is None else h.threshold for h in stumps] for stumps in model.estimators_]
    assert cuts == [[2.0, 2.0, 4.0], [0.0, 2.0, 5.0], [None, 1.0, 8.0]]


@pytest.mark.parametrize("n_draws", ["auto", 200])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_row_of_weight_two_is_drawn_as_two_equal_rows_are(n_draws, n_classes):
    X, y = blobs(80, n_classes, spread=1.5)
    rng = np.random.default_rng(4)
    times = rng.integers(0, 4, size=80)
    rows = rng.permutation(np.repeat(np.arange(80), times))
    smooth = Tree(max_leaf_nodes=4, smoothing=0.01)
    model = drawn(estimator=smooth, n_draws=n_draws).fit(X, y, 0.3 * times)
    expected = drawn(estimator=smooth, n_draws=n_draws).fit(X[rows], y[rows])
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(model.expected_cost_, expected.expected_cost_, atol=1e-9)


def test_the_order_of_rows_changes_no_draw():
    X, y = blobs(90, 3, spread=1.5)
    weights = np.random.default_rng(0).random(90)
    order = np.random.default_rng(1).permutation(90)
    model = drawn().fit(X[order], y[order], weights[order])
    scores = drawn().fit(X, y, weights).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-9)


@pytest.mark.parametrize(("rows", "draws"), [(300, 300), (600, 500), (4400, 550)])
def test_two_classes_draw_fewer_pairs_but_not_too_few(rows, draws):
    X, y = blobs(rows, 2, spread=1.5)
    model = drawn(n_draws="auto").fit(X, y)
    assert fingerprint(model) == fingerprint(drawn(n_draws=draws).fit(X, y))
    assert fingerprint(model) != fingerprint(drawn(n_draws=draws + 1).fit(X, y))
