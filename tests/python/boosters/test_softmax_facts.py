"""What paper 001 proves of sm-boost, on fitted models: risk, gradient, the cheapest label.

The risk and its gradient are recomputed from staged scores with the formulas of
reference/softmax.py, which are themselves checked against finite differences.
"""

import numpy as np
import polars as pl
import pytest

from reference.softmax import costs_of, gradient, norm, risk
from support.small_multiclass_problems import blobs
from weakforce import Rule, SoftmaxBoostClassifier, Stump, Tree

LEARNERS = [Stump(), Rule(), Tree(max_leaf_nodes=4), Stump(answer="gentle", smoothing=0.01)]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def sure(learner=None, **parameters):
    """Without random draws."""
    learner = Stump() if learner is None else learner
    return SoftmaxBoostClassifier(learner, n_draws=None, **parameters)


def random_costs(n_classes, seed=0, zero_diagonal=True):
    costs = np.random.default_rng(seed).random((n_classes, n_classes))
    return costs * (1 - np.eye(n_classes)) if zero_diagonal else costs


def stages(model, X, n_classes):
    """The scores before every round and after the last."""
    return [np.zeros((len(X), n_classes)), *model.staged_decision_function(X)]


def shares(weights):
    return weights / weights.sum()


# Risk


@pytest.mark.parametrize("n_classes", [3, 5])
@every_learner
def test_expected_costs_are_the_risk_of_the_staged_scores(learner, n_classes):
    X, y = blobs(90, n_classes, spread=1.5)
    weights = np.random.default_rng(1).random(90)
    cost = 7 * random_costs(n_classes)
    for draws in (None, "auto", 50):
        model = SoftmaxBoostClassifier(learner, n_draws=draws, cost=cost, n_estimators=6)
        model.set_params(random_state=0).fit(X, y, weights, X_val=X[:40], y_val=y[:40])
        staged = list(model.staged_decision_function(X))
        costs = costs_of(cost, y, n_classes)
        expected = [risk(scores, costs, shares(weights)) for scores in staged]
        np.testing.assert_allclose(model.expected_cost_, expected, rtol=1e-9)
        even = np.full(40, 1 / 40)
        held = [risk(scores[:40], costs[:40], even) for scores in staged]
        np.testing.assert_allclose(model.validation_cost_, held, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@every_learner
def test_theorem_1_risk_never_rises_under_theory_steps(learner, n_classes, seed):
    X, y = blobs(60, n_classes, seed=seed, spread=2.0)
    rng = np.random.default_rng(seed)
    weights = rng.random(60)
    cost = [None, random_costs(n_classes, seed), rng.random((60, n_classes))][seed]
    model = sure(learner, step="theory", n_estimators=40)
    model.fit(X, y, weights, cost=cost)
    costs = costs_of(cost, y, n_classes) if seed < 2 else cost
    start = risk(np.zeros((60, n_classes)), costs, shares(weights))
    path = np.array([start, *model.expected_cost_])
    assert (np.diff(path) <= 1e-12).all()
    assert path[-1] < 0.99 * path[0]


@pytest.mark.parametrize("learner", LEARNERS[:3], ids=repr)
def test_every_theory_step_gains_half_the_squared_slope(learner):
    X, y = blobs(80, 4, spread=2.0)
    model = sure(learner, step="theory", n_estimators=40).fit(X, y)
    path = np.array([3 / 4, *model.expected_cost_])
    # The weight of votes is ⟨∇, h⟩ / K, and R falls by at least ½ ⟨∇, h⟩² / K.
    assert (np.diff(path) <= -0.5 * 4 * model.estimator_weights_**2 + 1e-12).all()


def test_the_gradient_vanishes_at_the_rate_of_theorem_1():
    X, y = blobs(60, 3, spread=0.7)
    model = sure(Tree(max_leaf_nodes=4), step="theory", n_estimators=300).fit(X, y)
    u, costs = np.full(60, 1 / 60), costs_of(None, y, 3)
    norms = np.array([norm(gradient(scores, costs), u) for scores in stages(model, X, 3)])
    # The edge of a vote h: ⟨∇, h⟩ = edge ‖∇‖ ‖h‖, ⟨∇, h⟩ = K α and ‖h‖ = √K.
    edges = np.sqrt(3) * model.estimator_weights_ / norms[:-1]
    assert (edges > 0).all()
    assert (edges <= 1 + 1e-9).all()
    rounds = np.arange(1, 301)
    assert (np.minimum.accumulate(norms)[:-1] <= np.sqrt(2 / rounds) / edges.min()).all()
    assert norms[-1] < 0.1 * norms[0]


# Gradient


@every_learner
def test_proposition_2_predicts_the_change_of_risk_for_a_tiny_step(learner):
    X, y = blobs(70, 4, spread=1.5)
    cost = random_costs(4, seed=3)
    cost /= cost.max()
    rate = 1e-6
    model = sure(learner, learning_rate=rate, n_estimators=3, cost=cost).fit(X, y)
    u, costs = np.full(70, 1 / 70), costs_of(cost, y, 4)
    path = [risk(np.zeros((70, 4)), costs, u), *model.expected_cost_]
    steps = stages(model, X, 4)
    for t in range(3):
        slope = (u[:, None] * gradient(steps[t], costs) * (steps[t + 1] - steps[t])).sum()
        assert path[t + 1] - path[t] == pytest.approx(slope, rel=1e-4)
    # The first step goes along h with R = −⟨∇, h⟩: the risk falls by learning_rate · R².
    R = model.estimator_weights_ / rate
    np.testing.assert_allclose(np.diff(path), -rate * R**2, rtol=1e-4)


@every_learner
def test_steps_are_projections_of_the_gradient(learner):
    X, y = blobs(70, 3, spread=1.5)
    u, costs = np.full(70, 1 / 70), costs_of(None, y, 3)
    for step in ("paper", "theory"):
        model = sure(learner, step=step, n_estimators=4, learning_rate=0.5).fit(X, y)
        steps = stages(model, X, 3)
        for t, weight in enumerate(model.estimator_weights_):
            h = (steps[t + 1] - steps[t]) / weight
            R = -(u[:, None] * gradient(steps[t], costs) * h).sum()
            expected = R if step == "paper" else R / norm(h, u) ** 2
            assert weight == pytest.approx(0.5 * expected, rel=1e-9)
            total = (u[:, None] * np.abs(gradient(steps[t], costs))).sum()
            edge = R / total
            assert model.edges_[t] == pytest.approx(edge, rel=1e-9)
            assert model.estimator_errors_[t] == pytest.approx((1 - edge) / 2, rel=1e-9)


# Costs


@pytest.mark.parametrize("seed", range(3))
def test_proposition_1_training_drives_to_the_cheapest_label(seed):
    """Four kinds of row with known class shares; expected costs decide, not the likeliest class."""
    rng = np.random.default_rng(seed)
    shares_of_class = rng.dirichlet(np.ones(3), size=4)
    cost = rng.integers(1, 9, size=(3, 3)) * (1.0 - np.eye(3))
    X = pl.DataFrame({"kind": np.repeat(list("abcd"), 3)})
    y = np.tile([0, 1, 2], 4)
    model = sure(Tree(max_leaf_nodes=4), n_estimators=150, cost=cost)
    model.fit(X, y, shares_of_class.ravel())
    expected = shares_of_class @ cost
    got = model.predict(pl.DataFrame({"kind": list("abcd")}))
    paid = expected[np.arange(4), got]
    np.testing.assert_allclose(paid, expected.min(axis=1), rtol=1e-9)
    assert model.predict_proba(X).max(axis=1).min() > 0.6


def test_costs_change_what_is_predicted_and_pay():
    X, y = blobs(300, 3, spread=2.5, seed=4)
    cost = np.array([[0, 1, 1], [1, 0, 1], [20, 20, 0]])
    plain = SoftmaxBoostClassifier(Tree(max_leaf_nodes=4), n_estimators=40, random_state=0)
    careful = SoftmaxBoostClassifier(**{**plain.get_params(deep=False), "cost": cost})
    paid = []
    for model in (plain, careful):
        answers = model.fit(X[:200], y[:200]).predict(X[200:])
        paid.append(cost[y[200:], answers].mean())
    assert paid[1] < 0.7 * paid[0]


@pytest.mark.parametrize("order", [[1, 2, 0], [2, 1, 0], [0, 2, 1]])
@pytest.mark.parametrize("step", ["paper", "theory"])
def test_costs_permuted_with_the_classes_permute_the_predictions(order, step):
    X, y = blobs(90, 3, spread=2.0)
    weights = np.random.default_rng(0).random(90) + 0.1
    cost = random_costs(3, seed=1)
    new = np.array(order)  # class k is called new[k]
    moved = np.empty_like(cost)
    moved[np.ix_(new, new)] = cost
    model = sure(Tree(max_leaf_nodes=4), step=step, n_estimators=8, cost=cost)
    expected = model.fit(X, y, weights).predict_proba(X)
    again = sure(Tree(max_leaf_nodes=4), step=step, n_estimators=8, cost=moved)
    got = again.fit(X, new[y], weights).predict_proba(X)
    np.testing.assert_allclose(got[:, new], expected, rtol=0, atol=1e-9)
    best = np.sort(expected, axis=1)
    clear = best[:, -1] > best[:, -2] + 1e-9  # ties go to the lowest class, whatever it means
    assert clear.mean() > 0.7
    assert (again.predict(X) == new[model.predict(X)])[clear].all()
    unmoved = sure(Tree(max_leaf_nodes=4), step=step, n_estimators=8, cost=cost)
    got = unmoved.fit(X, new[y], weights).predict_proba(X)
    assert np.abs(got[:, new] - expected).max() > 0.01


@pytest.mark.parametrize("draws", [None, "auto"])
def test_costs_times_a_constant_give_the_same_model(draws):
    X, y = blobs(90, 3, spread=2.0)
    cost = random_costs(3, seed=2)
    base = SoftmaxBoostClassifier(Stump(), n_draws=draws, n_estimators=8, random_state=1)
    model = base.set_params(cost=cost).fit(X, y)
    scores, paid = model.decision_function(X), model.expected_cost_
    for factor in (2.0**20, 2.0**-30):
        again = SoftmaxBoostClassifier(**model.get_params(deep=False))
        again.set_params(cost=cost * factor).fit(X, y)
        assert again.estimators_ == model.estimators_
        assert again.decision_function(X).tobytes() == scores.tobytes()
        np.testing.assert_allclose(again.expected_cost_, factor * paid, rtol=1e-12)
    again.set_params(cost=cost * 3.7).fit(X, y)
    np.testing.assert_allclose(again.decision_function(X), scores, rtol=0, atol=1e-9)


def test_one_cost_for_all_mistakes_is_the_default():
    X, y = blobs(90, 3, spread=2.0)
    names = np.array(["ash", "elm", "oak"])
    plain = sure(n_estimators=6).fit(X, names[y])
    ones = 1 - np.eye(3)
    as_dict = {true: {other: 1.0 for other in names if other != true} for true in names}
    as_pairs = {("ash", "elm"): 1.0, ("oak", "ash"): 1}
    for cost in (ones, ones.tolist(), 5 * ones, as_dict, as_pairs, {}, pl.DataFrame(ones)):
        model = sure(n_estimators=6, cost=cost).fit(X, names[y])
        assert model.decision_function(X).tobytes() == plain.decision_function(X).tobytes(), cost
    model = sure(n_estimators=6).fit(X, names[y], cost=ones[y])
    assert model.decision_function(X).tobytes() == plain.decision_function(X).tobytes()


def test_costs_by_name_are_costs_by_place():
    X, y = blobs(90, 3, spread=2.0)
    names = np.array(["ash", "elm", "oak"])
    cost = np.array([[0, 2, 1], [1, 0, 1], [5, 1, 0]])
    expected = sure(n_estimators=6, cost=cost).fit(X, names[y])
    for given in (
        {("ash", "elm"): 2, ("oak", "ash"): 5},
        {"ash": {"elm": 2}, "oak": {"ash": 5.0}},
        {"ash": {"elm": 2, "oak": 1}, "oak": {"ash": 5, "oak": 0}, "elm": {}},
    ):
        model = sure(n_estimators=6, cost=given).fit(X, names[y])
        assert model.decision_function(X).tobytes() == expected.decision_function(X).tobytes()
    by_row = sure(n_estimators=6, cost=1 - np.eye(3)).fit(X, names[y], cost=cost[y])
    assert by_row.decision_function(X).tobytes() == expected.decision_function(X).tobytes()


def test_costs_that_a_row_pays_anyway_change_nothing():
    X, y = blobs(90, 4, spread=2.0)
    rng = np.random.default_rng(0)
    costs = rng.random((90, 4))
    costs[0] = [0.0, 1.0, 0.5, 0.5]  # the largest spread stays what it is
    model = sure(n_estimators=8).fit(X, y, cost=costs)
    again = sure(n_estimators=8).fit(X, y, cost=costs + rng.random((90, 1)))
    pair = model.decision_function(X), again.decision_function(X)
    np.testing.assert_allclose(*pair, rtol=0, atol=1e-9)


def test_labels_do_not_matter_where_rows_bring_their_costs():
    X, y = blobs(90, 3, spread=2.0)
    costs = (1 - np.eye(3))[y]
    model = sure(n_estimators=8).fit(X, y, cost=costs)
    shuffled = np.random.default_rng(0).permutation(y)
    again = sure(n_estimators=8).fit(X, shuffled, cost=costs)
    pair = again.decision_function(X), model.decision_function(X)
    np.testing.assert_allclose(*pair, rtol=0, atol=1e-9)  # rows are summed class by class
    assert again.train_score_.tolist() == pytest.approx(model.train_score_.tolist())


def test_a_row_whose_answers_cost_the_same_says_nothing():
    X, y = blobs(90, 3, spread=2.0)
    costs = (1 - np.eye(3))[y]
    costs[:20] = 0.3
    model = sure(n_estimators=5).fit(X, y, cost=costs)
    costs[:20] = 0.9
    again = sure(n_estimators=5).fit(X, y, cost=costs)
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
