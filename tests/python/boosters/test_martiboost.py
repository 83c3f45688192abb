"""MartiBoost: a naive walk gives the same masses, and what the paper says of grids holds.

In: small problems with two classes, and Long and Servedio's. Files, threads and runs are in
test_martiboost_life.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from reference.martiboost import NaiveMartiBoost, right_share
from weakforce import (
    DiscreteAdaBoostClassifier,
    MartiBoostClassifier,
    RBFNet,
    Rule,
    Stump,
    Tree,
    datasets,
)

BY_ERROR = Stump(criterion="error")


def problem(rows=80, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3)).round(1)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + noise * rng.normal(size=rows) > 0, 1, -1)
    return X, y, rng.random(rows) + 0.1


def bits(rows):
    """Three bits, the first of which says most about the class."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (rows, 3))
    return X, rng.random(rows) < 1 / (1 + np.exp(-(2 * X - 1) @ [1.2, 0.6, 0.3]))


def columns(model):
    """What every node looks at."""
    return [[member and member.column for member in layer] for layer in model.estimators_]


def votes(model, X):
    """The answers of every node to every row, and q, by layer."""
    for layer, weights in zip(model.estimators_, model.estimator_weights_, strict=True):
        yield [
            (np.where(X[:, s.column] <= s.threshold, s.inside, s.outside), q)
            for s, q in zip(layer, weights, strict=False)
        ]


def masses_by_layer(model, X):
    """The masses before every layer and at the end, if every node has a hypothesis."""
    mass = np.ones((len(X), 1))
    yield mass
    for layer in votes(model, X):
        moved = np.zeros((len(X), len(layer) + 1))
        for k, (answers, q) in enumerate(layer):
            share = np.array([right_share(answer, q) for answer in answers])
            moved[:, k + 1] += share * mass[:, k]
            moved[:, k] += (1 - share) * mass[:, k]
        mass = moved
        yield mass


# Masses


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_masses_are_those_of_a_naive_walk_after_every_layer(seed, weighted):
    X, y, weights = problem(60, seed)
    weights = weights if weighted else None
    naive = NaiveMartiBoost(8).fit(X, y, weights)
    model = MartiBoostClassifier(BY_ERROR, n_layers=8).fit(X, y, weights)
    # All combinations of values that were seen: cuts between them need not be the same.
    X_new = np.random.default_rng(seed).permuted(X, axis=0)
    for layers, told in enumerate(model.staged_predict_proba(X_new), start=1):
        np.testing.assert_allclose(told[:, 1], naive.right(X_new, layers), atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], naive.right(X), atol=1e-12)
    for at, layer in enumerate(naive.nodes):
        for k, node in enumerate(layer):
            assert (model.estimators_[at][k] is None) == ("pass" in node)
            if "q" in node:
                assert model.estimator_weights_[at, k] == pytest.approx(node["q"], abs=1e-12)
                assert model.estimator_errors_[at, k] == pytest.approx(node["error"], abs=1e-12)


def test_mass_is_neither_lost_nor_made():
    X, y, weights = problem(100, seed=3)
    model = MartiBoostClassifier(n_layers=12).fit(X, y, weights)
    np.testing.assert_allclose(model.node_mass_.sum(axis=1), 1.0, rtol=1e-12)
    assert (model.node_mass_ >= 0).all()
    assert (np.triu(model.node_mass_, k=1) == 0).all()
    drawn = MartiBoostClassifier(n_layers=12, randomized=True, random_state=0).fit(X, y, weights)
    np.testing.assert_allclose(drawn.node_mass_.sum(axis=1), 1.0, rtol=1e-12)
    short = MartiBoostClassifier(n_layers=4).fit(X, y, weights)
    walked = list(masses_by_layer(short, X))
    np.testing.assert_allclose(walked[-1].sum(axis=1), 1.0, rtol=1e-12)
    share = weights / weights.sum()
    for layer, mass in enumerate(walked[:-1]):
        np.testing.assert_allclose(share @ mass, short.node_mass_[layer, : layer + 1], rtol=1e-9)


def test_just_half_of_the_balanced_weight_of_every_node_goes_right():
    X, y, weights = problem(150, seed=1, noise=3.0)
    model = MartiBoostClassifier(n_layers=6).fit(X, y, weights)
    assert all(member is not None for layer in model.estimators_ for member in layer)
    layers = zip(masses_by_layer(model, X), votes(model, X), strict=False)
    for layer, (mass, nodes) in enumerate(layers):
        for k, (answers, q) in enumerate(nodes):
            reach = weights * mass[:, k]
            sides = np.where(y > 0, reach[y > 0].sum(), reach[y < 0].sum())
            balanced = reach / (2 * sides)
            share = np.array([right_share(answer, q) for answer in answers])
            assert balanced @ share == pytest.approx(0.5, abs=1e-9)
            assert balanced @ (answers > 0) == pytest.approx(q, abs=1e-9)
            edge = balanced @ (answers * y)
            assert model.edges_[layer, k] == pytest.approx(edge, abs=1e-9)
            # The positive ones go right more often than the others, by as much as the edge allows.
            gain = balanced @ (share * y)
            assert gain == pytest.approx(edge / (4 * max(q, 1 - q)), abs=1e-9)


def test_drawn_walks_average_to_the_exact_masses():
    X, y = bits(4000)
    exact = MartiBoostClassifier(n_layers=4).fit(X, y)
    drawn = [
        MartiBoostClassifier(n_layers=4, randomized=True, random_state=seed).fit(X, y)
        for seed in range(20)
    ]
    masses = np.array([model.node_mass_ for model in drawn])
    assert masses.std(axis=0).max() > 0.001
    np.testing.assert_allclose(masses.mean(axis=0), exact.node_mass_, atol=0.01)
    told = np.array([model.predict_proba(X)[:, 1] for model in drawn])
    expected = exact.predict_proba(X)[:, 1]
    # Columns that are about as good in a node are chosen by chance, and walks differ from there on.
    np.testing.assert_allclose(told.mean(axis=0), expected, atol=0.05)
    alike = [columns(model) == columns(exact) for model in drawn]
    assert sum(alike) >= 5
    np.testing.assert_allclose(told[alike].mean(axis=0), expected, atol=0.01)


def test_pruned_nodes_hold_no_more_than_a_millionth():
    X, y = bits(600)  # every row has a twin of the other class, so that no node has one class only
    model = MartiBoostClassifier(n_layers=60).fit(X, y)
    mass = [
        model.node_mass_[at, k]
        for at, layer in enumerate(model.estimators_)
        for k, member in enumerate(layer)
        if member is None
    ]
    assert len(mass) > 10
    assert sum(mass) <= 1e-6


# Special cases


@pytest.mark.parametrize("learner", [Stump(), Rule(), Tree(max_leaf_nodes=4), GaussianNB()])
def test_one_layer_is_its_only_learner(learner):
    X, y, _ = problem(150)
    model = MartiBoostClassifier(learner, n_layers=1).fit(X, y)
    balanced = np.where(y > 0, 1 / (y > 0).sum(), 1 / (y < 0).sum())
    alone = DiscreteAdaBoostClassifier(clone(learner), n_estimators=1).fit(X, y, balanced)
    assert (model.predict(X) == alone.predict(X)).all()
    assert model.estimator_errors_[0, 0] == pytest.approx(alone.estimator_errors_[0], abs=1e-9)
    q, says = model.estimator_weights_[0, 0], alone.predict(X)
    expected = [right_share(answer, q) for answer in says]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-12)


def test_nodes_of_one_class_pass_their_rows_on():
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
    model = MartiBoostClassifier(n_layers=5).fit(X, y)
    assert model.estimators_[0][0] is not None
    assert all(member is None for layer in model.estimators_[1:] for member in layer)
    assert model.stop_reason_ == "n_estimators"
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], y, atol=1e-12)
    np.testing.assert_allclose(np.diag(model.node_mass_)[1:], 0.5)
    np.testing.assert_allclose(model.node_mass_[1:, 0], 0.5)
    assert np.copysign(1.0, model.estimator_errors_[0, 0]) == 1.0
    assert "1 of 15 nodes" in model.summary()


@pytest.mark.parametrize("n_layers", [2, 4, 10])
def test_a_tie_in_the_middle_counts_half_and_goes_to_the_second_class(n_layers):
    X, y = np.zeros((6, 1)), [0, 1] * 3
    model = MartiBoostClassifier(n_layers=n_layers).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 0.5, atol=1e-12)
    assert (model.predict(X) == 1).all()
    # One layer less has no middle, and a constant sends half to either side.
    odd = MartiBoostClassifier(n_layers=n_layers - 1).fit(X, y)
    np.testing.assert_allclose(odd.predict_proba(X), 0.5, atol=1e-12)


def test_the_mass_in_the_middle_counts_half():
    X, y, _ = problem(40, seed=9)
    model = MartiBoostClassifier(BY_ERROR, n_layers=2).fit(X, y)
    mass = list(masses_by_layer(model, X))[-1]
    assert (mass[:, 1] > 0).any()
    right = mass[:, 2] + 0.5 * mass[:, 1]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], right, atol=1e-12)


@pytest.mark.parametrize(
    ("n_layers", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (10_001, ValueError),
        (10**9, ValueError),
        (2.5, TypeError),
        ("ten", TypeError),
        (None, TypeError),
    ],
)
def test_bad_numbers_of_layers_are_refused_by_name(n_layers, error):
    X, y, _ = problem()
    for verbose in (0, 1):
        with pytest.raises(error, match="n_layers"):
            MartiBoostClassifier(n_layers=n_layers, verbose=verbose).fit(X, y)


def test_what_makes_no_sense_for_grids_is_refused():
    X, y, _ = problem()
    with pytest.raises(TypeError, match="n_estimators"):
        MartiBoostClassifier(n_estimators=3)
    with pytest.raises(ValueError, match="learning_rate"):
        MartiBoostClassifier(learning_rate=0.5).fit(X, y)
    with pytest.raises(ValueError, match="answer"):
        MartiBoostClassifier(Stump(answer="logistic")).fit(X, y)
    with pytest.raises(TypeError, match="randomized"):
        MartiBoostClassifier(randomized="yes").fit(X, y)


def test_swapped_classes_swap_the_masses():
    X, y, weights = problem(150, seed=4)
    model = MartiBoostClassifier(n_layers=7).fit(X, y, weights)
    swapped = MartiBoostClassifier(n_layers=7).fit(X, -y, weights)
    told = swapped.predict_proba(X)[:, ::-1]
    np.testing.assert_allclose(told, model.predict_proba(X), atol=1e-9)
    mirrored = [row[: at + 1][::-1] for at, row in enumerate(swapped.node_mass_)]
    for at, row in enumerate(mirrored):
        np.testing.assert_allclose(row, model.node_mass_[at, : at + 1], atol=1e-9)


# What is told


def test_margins_are_differences_of_mass_and_importances_shares_of_it():
    X, y, weights = problem(150, seed=2)
    model = MartiBoostClassifier(n_layers=9).fit(X, y, weights)
    right = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(model.margins(X, y), y * (2 * right - 1), atol=1e-12)
    scores = np.clip(0.5 * np.log(right / (1 - right)), -18, 18)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-6)
    expected = np.zeros(3)
    for at, layer in enumerate(model.estimators_):
        for k, member in enumerate(layer):
            if member is not None:
                expected[member.column] += model.node_mass_[at, k]
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum(), atol=1e-12)


def test_row_weights_are_what_the_next_layer_would_attend_to():
    X, y, weights = problem(120, seed=6, noise=3.0)
    model = MartiBoostClassifier(n_layers=4).fit(X, y, weights)
    mass = list(masses_by_layer(model, X))[-1]
    expected = np.zeros(len(y))
    for reach in (mass * (weights / weights.sum())[:, None]).T:
        sides = np.where(y > 0, reach[y > 0].sum(), reach[y < 0].sum())
        expected += reach.sum() * reach / (2 * sides)
    np.testing.assert_allclose(model.row_weights_, expected, rtol=1e-9)


def test_rules_and_summaries_tell_the_mass_of_nodes():
    X, y, _ = problem(150)
    model = MartiBoostClassifier(Rule(), n_layers=5).fit(X, y)
    table = model.rules()
    assert table.height == model.fitted_model_.core.n_members
    first = table.row(0, named=True)
    assert (first["round"], first["weight"]) == (1, pytest.approx(1.0))
    assert first["error"] == model.estimator_errors_[0, 0]
    merged = model.rules(merge=True)
    assert merged["weight"].sum() == pytest.approx(table["weight"].sum())
    assert f"{table.height} of 15 nodes" in model.summary()
    assert "right" in model.summary()


@pytest.mark.parametrize(
    "learner",
    [RBFNet(n_centers=3, n_steps=3), DecisionTreeClassifier(max_depth=2), Tree(max_leaf_nodes=5)],
)
@pytest.mark.parametrize("randomized", [False, True])
def test_every_learner_that_votes_can_be_walked_by(learner, randomized):
    X, y, _ = problem(200, noise=0.3)
    model = MartiBoostClassifier(learner, n_layers=6, randomized=randomized, random_state=0)
    model.fit(X, y)
    assert model.score(X, y) > 0.7
    assert [len(layer) for layer in model.estimators_] == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(model.node_mass_.sum(axis=1), 1.0, rtol=1e-12)
    last = list(model.staged_predict_proba(X))[-1]
    np.testing.assert_allclose(last, model.predict_proba(X), rtol=1e-12)


# Many classes


@pytest.mark.parametrize("learner", [Stump(), GaussianNB()])
def test_every_problem_of_a_code_has_a_grid_of_its_own(learner):
    X, _, weights = problem(150)
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.5, 0.5])
    model = MartiBoostClassifier(learner, n_layers=5).fit(X, y, weights)
    assert model.estimator_weights_.shape == (5, 3, 5)
    assert [len(problem) for problem in model.estimators_[3]] == [4, 4, 4]
    for k in range(3):
        alone = MartiBoostClassifier(learner, n_layers=5).fit(X, y == k, weights)
        told = model.decision_function(X)[:, k]
        np.testing.assert_allclose(told, alone.decision_function(X), atol=1e-9)
        np.testing.assert_allclose(model.node_mass_[:, k], alone.node_mass_, atol=1e-9)


@pytest.mark.parametrize("multi_class", ["ovo", "ecoc", [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]])
def test_codes_put_the_scores_of_grids_together(multi_class):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (200, 3))  # few values, so that no problem lacks one
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=200), [1.5, 3.0])
    model = MartiBoostClassifier(n_layers=6, multi_class=multi_class, random_state=2).fit(X, y)
    scores = model.decision_function(X)
    assert (scores.argmax(axis=1) == model.predict(X)).all()
    total = np.zeros((200, 3))
    for signs in model.code_.T:
        kept = signs[y] != 0
        alone = MartiBoostClassifier(n_layers=6).fit(X[kept], signs[y[kept]])
        total += np.outer(alone.decision_function(X), signs)
    np.testing.assert_allclose(scores, total, atol=1e-9)
    drawn = clone(model).set_params(randomized=True).fit(X, y)
    assert min(model.score(X, y), drawn.score(X, y)) > 0.5


# Noise


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.05, 0.45])
def test_errors_stay_below_the_noise_on_long_and_servedios_problem(noise):
    X, y = datasets.make_long_servedio(4000, noise=noise, seed=1)
    clean_X, clean_y = datasets.make_long_servedio(10_000, seed=2)
    model = MartiBoostClassifier(n_layers=150).fit(X, y)
    assert 1 - model.score(clean_X, clean_y) < noise
