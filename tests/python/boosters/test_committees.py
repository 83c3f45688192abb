"""Bagging, wagging, MultiBoosting, arc-x4: against the naive oracle, and what is known of them."""

import numpy as np
import pytest
from scipy.stats import chisquare, kstest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import weakforce
from reference.committees import committee, counts, exponentials
from reference.learners import to_frame
from reference.unit_rows import unit_numbers
from support.equal_models import assert_equal_to_the_oracle
from support.registry import COMMITTEES, EQUAL_VOTES
from support.small_multiclass_problems import blobs
from support.small_problems import learnable_problem
from weakforce import (
    ArcX4Classifier,
    BaggedClassifier,
    DiscreteAdaBoostClassifier,
    MultiBoostClassifier,
    Rule,
    SAMMEClassifier,
    Stump,
    Tree,
    WaggedClassifier,
    datasets,
)

CLASSES = {booster._kind: booster for booster in weakforce.boosters()}
LEARNERS = {learner._kind: learner for learner in weakforce.weak_learners()}
every_committee = pytest.mark.parametrize("booster", [CLASSES[kind] for kind in COMMITTEES])

CASES = [
    ("bagging", {"kind": "stump", "criterion": "gini"}, {}),
    ("bagging", {"kind": "rule", "max_literals": 2}, {}),
    ("wagging", {"kind": "tree", "max_leaf_nodes": 4}, {}),
    ("wagging", {"kind": "stump", "criterion": "z"}, {}),
    ("multi_boost", {"kind": "stump"}, {}),
    ("multi_boost", {"kind": "tree", "max_leaf_nodes": 3}, {"committee_size": 3}),
    ("multi_boost", {"kind": "rule", "max_literals": 3}, {"committee_size": 1}),
    ("multi_boost", {"kind": "stump"}, {"wag_first": False}),
    ("arc_x4", {"kind": "stump", "criterion": "gini"}, {}),
    ("arc_x4", {"kind": "tree", "max_leaf_nodes": 4}, {}),
]


def coarse_problem(seed):
    """Numbers of few values, all of which a sample has: cuts between absent rows would be ties."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 4, size=(3, 100)).astype(float)
    y = np.where(columns[0] + columns[1] - columns[2] + 2 * rng.normal(size=100) > 1.5, 1, -1)
    later = rng.integers(0, 4, size=(3, 30)).astype(float)
    return columns.tolist(), y, rng.random(100) + 0.01, later.tolist()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("kind", "learner", "parameters"), CASES)
def test_committees_equal_the_oracle_round_by_round(kind, learner, parameters, seed):
    columns, y, weights, later = learnable_problem(seed + 20, noise=4.0)
    if kind == "bagging":
        columns, y, weights, later = coarse_problem(seed)
    told = {
        "size": parameters.get("committee_size"),
        "wag_first": parameters.get("wag_first", True),
    }
    expected = committee(kind, columns, y, 10, learner, weights, seed=seed, **told)
    settings = {name: value for name, value in learner.items() if name != "kind"}
    weak = LEARNERS[learner["kind"]](**settings)
    model = CLASSES[kind](weak, n_estimators=10, max_bins=1000, random_state=seed, **parameters)
    model.fit(to_frame(columns), y, sample_weight=weights)
    assert_equal_to_the_oracle(model, expected, (columns, later))


def test_every_committee_is_compared():
    assert {case[0] for case in CASES} == set(COMMITTEES)


def grid(rows=300, n_classes=3, seed=0):
    """Numbers of few values, so that a sample has all of them, with noisy classes."""
    X, y = blobs(rows, n_classes, seed=seed, spread=1.5)
    return np.clip(np.round(X), -2, 2), y


class Spy(LogisticRegression):
    """Notes the weights that it is given."""

    def fit(self, X, y, sample_weight=None):
        self.weights_ = np.asarray(sample_weight)
        return super().fit(X, y, sample_weight=sample_weight)


def weights_seen(booster, rounds, n_rows=80, **parameters):
    X, y = grid(n_rows, 2)
    model = booster(Spy(), n_estimators=rounds, **parameters).fit(X, y)
    return np.array([member.weights_ for member in model.estimators_])


# Draws


def test_bagging_draws_rows_as_often_as_a_poisson_variable_says():
    seen = weights_seen(BaggedClassifier, 200, random_state=3)
    drawn = np.array([counts(3, draw, range(80)) for draw in range(200)])
    np.testing.assert_allclose(seen, drawn / drawn.mean(axis=1, keepdims=True), rtol=1e-9)
    expected = 16_000 * np.exp(-1) / np.array([1, 1, 2, 6, 24])
    found = np.bincount(drawn.ravel(), minlength=5)[:5]
    assert chisquare(found, expected * found.sum() / expected.sum()).pvalue > 1e-3


def test_wagging_draws_weights_from_the_exponential_distribution():
    seen = weights_seen(WaggedClassifier, 200, random_state=3)
    drawn = np.array([exponentials(3, draw, range(80)) for draw in range(200)])
    np.testing.assert_allclose(seen, drawn / drawn.mean(axis=1, keepdims=True), rtol=1e-9)
    assert kstest(drawn.ravel(), "expon").pvalue > 1e-3


@pytest.mark.parametrize("booster", [BaggedClassifier, WaggedClassifier])
def test_draws_differ_by_round_and_seed(booster):
    seen = weights_seen(booster, 5, random_state=3)
    assert len({row.tobytes() for row in seen}) == 5
    assert not (seen == weights_seen(booster, 5, random_state=4)).all(axis=1).any()
    assert np.array_equal(seen, weights_seen(booster, 5, random_state=3, n_jobs=2))


@pytest.mark.parametrize(
    ("booster", "draws"), [(BaggedClassifier, counts), (WaggedClassifier, exponentials)]
)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_votes_are_those_of_single_fits_to_the_rows_drawn(booster, draws, n_classes):
    X, y = grid(n_classes=n_classes)
    u = np.random.default_rng(1).integers(1, 4, size=len(y)).astype(float)
    tree = Tree(max_leaf_nodes=9)
    model = booster(tree, n_estimators=6, random_state=5).fit(X, y, u)
    votes = np.zeros((len(y), n_classes))
    numbers = unit_numbers(X.T.tolist(), y, u)
    each = 1.0 if draws is counts else u  # a count is that of all rows of the smallest weight
    for draw in range(6):
        drawn = each * draws(5, draw, numbers)
        single = SAMMEClassifier(tree, n_estimators=1).fit(X, y, drawn).predict(X)
        votes[np.arange(len(y)), single] += 1
        wrong = u[single != y].sum() / u.sum()
        assert model.estimator_errors_[draw] == pytest.approx(wrong, abs=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), votes / 6, atol=1e-12)
    np.testing.assert_allclose(model.row_weights_, u / u.sum(), atol=1e-15)


def test_bagging_counts_rows_as_often_as_they_were_drawn():
    X, y = grid()
    model = BaggedClassifier(Tree(min_samples_leaf=20), n_estimators=5, random_state=0).fit(X, y)
    for draw, tree in enumerate(model.estimators_):
        assert sum(tree.rows) == counts(0, draw, range(len(y))).sum()
        assert min(tree.rows) >= 20


def test_with_resample_bagging_draws_once():
    X, y = grid(200, 2)
    model = BaggedClassifier(Spy(), n_estimators=50, random_state=0, resample=True).fit(X, y)
    times = np.array([member.weights_ for member in model.estimators_])
    np.testing.assert_allclose(times, np.rint(times), atol=1e-9)
    assert (times.sum(axis=1).round() == 200).all()
    # Of a sample of a sample, more than half of the rows would be absent.
    assert np.mean(times == 0) == pytest.approx(np.exp(-1), abs=0.02)


def test_a_bootstrap_sample_of_a_single_row_does_no_harm():
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    model = BaggedClassifier(n_estimators=40, random_state=0).fit(X, y)
    assert model.n_iter_ == 40
    assert np.isfinite(model.predict_proba(X)).all()


# arc-x4


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_of_arc_x4_follow_the_formula(n_classes):
    X, y = grid(n_classes=n_classes)
    u = np.random.default_rng(1).random(len(y)) + 0.5
    rounds = []
    for n_rounds in range(1, 6):
        model = ArcX4Classifier(Tree(max_leaf_nodes=5), n_estimators=n_rounds).fit(X, y, u)
        rounds.append(model.row_weights_)
    mistakes = np.zeros(len(y))
    before = np.zeros_like(model.decision_function(X))
    for weights, scores in zip(rounds, model.staged_decision_function(X), strict=True):
        voted = scores - before
        vote = (voted > 0).astype(int) if n_classes == 2 else voted.argmax(axis=1)
        mistakes += vote != y
        expected = u * (1 + mistakes**4)
        np.testing.assert_allclose(weights, expected / expected.sum(), rtol=1e-9)
        before = scores
    assert mistakes.max() >= 3


# MultiBoosting


@pytest.mark.parametrize("size", [20, 1000])
def test_one_committee_is_adaboost(size):
    X, y = grid(200, 2)
    tree = Tree(max_leaf_nodes=3)
    whole = {"committee_size": size, "wag_first": False}
    model = MultiBoostClassifier(tree, n_estimators=20, **whole).fit(X, y)
    plain = DiscreteAdaBoostClassifier(tree, n_estimators=20).fit(X, y)
    for name in ("estimator_weights_", "estimator_errors_", "edges_", "row_weights_"):
        np.testing.assert_allclose(getattr(model, name), getattr(plain, name), rtol=1e-12)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


def test_one_committee_of_several_classes_is_samme():
    X, y = grid(300, 4)
    tree = Tree(max_leaf_nodes=5)
    whole = {"committee_size": 10, "wag_first": False}
    model = MultiBoostClassifier(tree, n_estimators=10, **whole).fit(X, y)
    plain = SAMMEClassifier(tree, n_estimators=10).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("wag_first", [True, False])
def test_committees_are_adaboost_from_wagged_weights(wag_first):
    X, y = grid(200, 2)
    tree = Tree(max_leaf_nodes=4)
    model = MultiBoostClassifier(tree, n_estimators=9, random_state=2, wag_first=wag_first)
    model.fit(X, y)
    numbers = unit_numbers(X.T.tolist(), y)
    scores = np.zeros(len(y))
    alphas = []
    for first in (0, 3, 6):
        is_plain = first == 0 and not wag_first
        weights = np.ones(len(y)) if is_plain else exponentials(2, 10 * first, numbers)
        boosted = DiscreteAdaBoostClassifier(tree, n_estimators=3).fit(X, y, weights)
        scores += boosted.decision_function(X)
        alphas += boosted.estimator_weights_.tolist()
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-9)


def test_a_perfect_vote_ends_its_committee_and_stays():
    X = np.arange(20.0)[:, None]
    y = (X[:, 0] > 9).astype(int)
    model = MultiBoostClassifier(Stump(), n_estimators=6, random_state=0).fit(X, y)
    assert (model.n_iter_, model.stop_reason_) == (6, "n_estimators")
    assert len(set(model.estimator_weights_.tolist())) == 1
    assert (model.predict_proba(X).max(axis=1) == 1.0).all()


def test_a_run_without_any_edge_gives_up():
    X, y = np.zeros((10, 1)), np.arange(10) % 2
    model = MultiBoostClassifier(Stump(), n_estimators=6, random_state=0)
    model.fit(X, y, np.where(np.arange(10) < 2, 1.0, 0.0))
    shares = model.predict_proba(X)
    assert np.isfinite(shares).all()
    assert (model.predict(X) == model.classes_[shares.argmax(axis=1)]).all()


@pytest.mark.parametrize("value", [0, -1, "x", 1.5])
def test_bad_sizes_are_refused_by_name(value):
    X, y = grid(60, 2)
    with pytest.raises((ValueError, TypeError), match="parameter 'committee_size': got"):
        MultiBoostClassifier(committee_size=value).fit(X, y)


# All of them


@every_committee
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_shares_of_votes(booster, n_classes, tmp_path):
    X, y = grid(n_classes=n_classes)
    model = booster(Tree(max_leaf_nodes=6), n_estimators=7, random_state=1).fit(X, y)
    votes = np.zeros((len(y), n_classes))
    before, total = np.zeros_like(model.decision_function(X)), 0.0
    stages = zip(model.staged_decision_function(X), model.staged_predict_proba(X), strict=True)
    for alpha, (scores, shares) in zip(model.estimator_weights_, stages, strict=True):
        voted = scores - before
        vote = (voted > 0).astype(int) if n_classes == 2 else voted.argmax(axis=1)
        votes[np.arange(len(y)), vote] += alpha
        total += alpha
        np.testing.assert_allclose(shares, votes / total, atol=1e-12)
        assert (shares.argmax(axis=1) == (model.fitted_model_.answers(scores))).all()
        before = scores
    np.testing.assert_array_equal(model.predict_proba(X), shares)
    assert (model.predict(X) == shares.argmax(axis=1)).all()
    model.save(tmp_path / "model.json")
    restored = weakforce.load(tmp_path / "model.json")
    np.testing.assert_array_equal(restored.predict_proba(X), shares)


def test_a_tie_goes_to_the_class_that_predict_names():
    X, y = grid(200, 2)
    model = BaggedClassifier(Stump(), n_estimators=2, random_state=0).fit(X, y)
    tied = model.decision_function(X) == 0
    for seed in range(1, 50):
        if tied.any():
            break
        model.set_params(random_state=seed).fit(X, y)
        tied = model.decision_function(X) == 0
    assert tied.any()
    assert (model.predict_proba(X)[tied].argmax(axis=1) == 1).all()
    np.testing.assert_allclose(model.predict_proba(X)[tied], 0.5, atol=1e-12)


@pytest.mark.parametrize("booster", [CLASSES[kind] for kind in EQUAL_VOTES])
def test_votes_are_equal_and_never_shrunk(booster):
    X, y = grid(100, 2)
    model = booster(n_estimators=4, random_state=0).fit(X, y)
    assert model.estimator_weights_.tolist() == [1.0] * 4
    with pytest.raises(
        ValueError, match=r"'learning_rate': got 0\.5, expected 1, because all votes"
    ):
        booster(learning_rate=0.5).fit(X, y)


@every_committee
def test_committees_are_no_worse_than_one_tree_on_noisy_labels(booster):
    X, y = datasets.make_twonorm(400, seed=1)
    X_test, y_test = datasets.make_twonorm(2000, seed=2)
    flipped = np.where(np.random.default_rng(0).random(400) < 0.2, 1 - y.to_numpy(), y.to_numpy())
    model = booster(n_estimators=40, random_state=0).fit(X, flipped)
    tree = SAMMEClassifier(model._default_learner(), n_estimators=1).fit(X, flipped)
    assert model.score(X_test, y_test) > tree.score(X_test, y_test) + 0.05


@pytest.mark.parametrize("booster", [BaggedClassifier, WaggedClassifier, ArcX4Classifier])
def test_runs_go_on_without_an_edge_and_without_an_error(booster):
    for X, y in (
        (np.zeros((10, 1)), np.arange(10) % 2),
        (np.arange(10.0)[:, None], (np.arange(10) > 4).astype(int)),
    ):
        model = booster(n_estimators=5, random_state=0).fit(X, y)
        assert (model.n_iter_, model.stop_reason_) == (5, "n_estimators")


@every_committee
def test_early_stopping_watches_the_accuracy(booster):
    X, y = datasets.make_twonorm(400, seed=1)
    model = booster(early_stopping=True, n_iter_no_change=5, n_estimators=200, random_state=0)
    model.fit(X, y)
    assert model.scoring == "accuracy"
    assert model.stop_reason_ == "early_stopping"
    assert model.n_iter_ > 5
    assert len(model.validation_score_) == model.n_iter_


@every_committee
def test_nearest_neighbours_vote_in_committees(booster):
    X, y = grid(200, 3)
    model = booster(KNeighborsClassifier(1), n_estimators=8, random_state=0, resample=True)
    assert model.fit(X, y).score(X, y) > 0.6


@every_committee
def test_rows_of_weight_zero_vote_for_nothing(booster):
    X, y = grid(100, 2)
    weights = np.where(np.arange(100) < 60, 1.0, 0.0)
    model = booster(Rule(), n_estimators=5, random_state=0).fit(X, y, weights)
    turned = np.where(weights > 0, y, 1 - y)
    other = booster(Rule(), n_estimators=5, random_state=0).fit(X, turned, weights)
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))
    assert (model.row_weights_[60:] == 0).all()


@pytest.mark.parametrize("weights", ["balanced", {0: 1.0, 1: 3.0}, {0: 0.0}])
def test_a_tie_under_class_weights_goes_to_the_second_class(weights):
    X, y = np.zeros((8, 1)), [0, 0, 0, 0, 0, 0, 1, 1]
    if weights == {0: 0.0}:
        X, y = np.zeros((9, 1)), [0, 0, 0, 0, 0, 0, 1, 1, 2]
    for booster in (BaggedClassifier, WaggedClassifier, MultiBoostClassifier, ArcX4Classifier):
        model = booster(n_estimators=4, class_weight=weights, random_state=0).fit(X, y)
        shares = model.predict_proba(X)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()
        if weights == {0: 0.0}:
            assert (shares[:, 0] < 1e-12).all() or (shares == shares[0]).all()
