"""LogitBoost on hard and odd input: weights, small leaves, rare classes, threads and refusals."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from support.small_multiclass_problems import blobs
from weakforce import LogitBoostClassifier, RBFNet, Rule, Stump, Tree, datasets

LEARNERS = [Stump(), Rule(max_literals=2), Tree(max_leaf_nodes=5)]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)
every_form = pytest.mark.parametrize("n_classes", [2, 3])


def fingerprint(model):
    return model.fitted_model_.core.to_json("{}"), model.row_weights_.tobytes()


# Weights


@every_learner
@every_form
def test_the_unit_of_the_weights_does_not_matter(n_classes, learner):
    X, y = blobs(100, n_classes, spread=2.0)
    weights = np.random.default_rng(0).random(100) + 0.2
    model = LogitBoostClassifier(learner, n_estimators=6, l2_regularization=5.0)
    plain = model.fit(X, y, weights).decision_function(X)
    for unit in (0.5, 1000.0, 1e-300, 1e300):
        scaled = model.fit(X, y, unit * weights).decision_function(X)
        np.testing.assert_allclose(scaled, plain, rtol=0, atol=1e-9)


@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("l2", [0.0, 1.0, 10.0])
@every_learner
@every_form
def test_the_penalty_is_as_many_rows_of_the_least_weight(n_classes, learner, l2, least):
    X, y = blobs(60, n_classes, spread=2.0)
    counts = least * np.random.default_rng(1).integers(1, 4, 60)
    parameters = {"n_estimators": 6, "learning_rate": 0.5}
    repeated = LogitBoostClassifier(learner, l2_regularization=least * l2, **parameters)
    repeated.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    expected = repeated.decision_function(X)
    model = LogitBoostClassifier(learner, l2_regularization=l2, **parameters)
    scores = model.fit(X, y, counts).decision_function(X)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("l2", [0.0, 1.0])
@every_learner
@every_form
def test_weights_six_hundred_powers_of_ten_apart_are_survived(n_classes, learner, l2):
    X, y = blobs(120, n_classes, spread=1.5)
    heavy = np.arange(120) < 60
    weights = np.where(heavy, 1e300, 1e-300)
    model = LogitBoostClassifier(
        learner, n_estimators=40, learning_rate=1.0, l2_regularization=l2
    ).fit(X, y, weights)
    alone = LogitBoostClassifier(learner, n_estimators=40, learning_rate=1.0).fit(
        X[heavy], y[heavy]
    )
    P = model.predict_proba(X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)
    expected = alone.score(X[heavy], y[heavy])
    assert model.score(X[heavy], y[heavy]) >= expected - 0.05


# Leaves


@pytest.mark.parametrize("least", [2, 7, 25])
@pytest.mark.parametrize("distinct", [True, False])
def test_leaves_have_as_many_rows_as_are_asked_for(distinct, least):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) if distinct else rng.integers(0, 4, size=(200, 3)).astype(float)
    y = (X.sum(axis=1) + rng.normal(size=200) > X.sum(axis=1).mean()).astype(int)
    learner = Tree(max_leaf_nodes=40, min_samples_leaf=least)
    model = LogitBoostClassifier(learner, n_estimators=8, learning_rate=0.7)
    for weights in (None, rng.random(200) + 0.01):
        model.fit(X, y, weights)
        stages = np.array([np.zeros(200), *model.staged_decision_function(X)])
        for tree, answers in zip(model.estimators_, np.diff(stages, axis=0), strict=True):
            assert min(tree.rows) >= least
            assert sum(tree.rows) == 200
            counts = np.unique(answers.round(9), return_counts=True)[1]
            assert counts.min() >= least


def test_by_default_leaves_have_five_rows():
    X, y = blobs(150, 2, spread=2.0)
    model = LogitBoostClassifier(n_estimators=5).fit(X, y)
    assert min(min(tree.rows) for tree in model.estimators_) == 5
    assert max(len(tree.rows) for tree in model.estimators_) <= 31


# Classes and rows


@every_learner
def test_permuted_classes_permute_the_probabilities(learner):
    X, y = blobs(160, 4, spread=1.5)
    order = np.array([2, 0, 3, 1])
    model = LogitBoostClassifier(learner, n_estimators=8)
    plain = model.fit(X, y).predict_proba(X)
    permuted = model.fit(X, order[y]).predict_proba(X)
    np.testing.assert_allclose(permuted[:, order], plain, rtol=0, atol=1e-9)


@every_learner
def test_a_class_of_one_row_is_rare_and_no_trouble(learner):
    X, y = blobs(100, 3)
    y = np.where(y == 2, 1, y)
    y[0], X[0] = 2, [9.0, 9.0, 9.0]
    model = LogitBoostClassifier(learner, n_estimators=30).fit(X, y)
    P = model.predict_proba(X)
    assert np.isfinite(P).all()
    assert P[0, 2] > 10 * P[1:, 2].mean()
    assert P[1:, 2].max() < 0.1
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize("y", [[0] * 7 + [1] * 3, [0] * 6 + [1] * 3 + [2]], ids=["two", "three"])
@every_learner
def test_rows_that_are_all_equal_get_the_shares_of_the_classes(learner, y):
    X = np.ones((10, 2))
    model = LogitBoostClassifier(learner, n_estimators=100, learning_rate=0.5).fit(X, y)
    shares = np.bincount(y) / 10
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], shares, atol=1e-6)


@every_learner
@every_form
def test_constant_columns_change_nothing(n_classes, learner):
    X, y = blobs(90, n_classes)
    model = LogitBoostClassifier(learner, n_estimators=6)
    plain = model.fit(X, y).decision_function(X)
    padded = np.column_stack([np.full(90, 3.0), X, np.full(90, np.nan)])
    np.testing.assert_array_equal(model.fit(padded, y).decision_function(padded), plain)


@every_learner
def test_two_rows_are_told_apart(learner):
    X, y = [[0.0], [1.0]], ["a", "b"]
    model = LogitBoostClassifier(learner, n_estimators=50).fit(X, y)
    assert model.predict(X).tolist() == y
    np.testing.assert_allclose(model.predict_proba(X)[0], model.predict_proba(X)[1][::-1])


def test_two_rows_are_too_few_for_leaves_of_five():
    model = LogitBoostClassifier(n_estimators=50).fit([[0.0], [1.0]], [0, 1])
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]]), 0.5, rtol=1e-12)
    assert (model.stop_reason_, model.n_iter_) == ("no_edge", 1)


@pytest.mark.parametrize("step", ["unit", "line-search"])
@pytest.mark.parametrize("l2", [0.0, 1.0])
@every_form
def test_separable_classes_keep_the_scores_finite(n_classes, l2, step):
    X = np.arange(60.0)[:, None]
    y = np.repeat(np.arange(n_classes), 60 // n_classes)
    model = LogitBoostClassifier(
        Stump(), n_estimators=500, learning_rate=1.0, l2_regularization=l2, step=step
    ).fit(X, y)
    assert model.score(X, y) == 1.0
    assert np.isfinite(model.decision_function(X)).all()
    assert np.isfinite(model.row_weights_).all()
    assert model.row_weights_.sum() == pytest.approx(1)


@pytest.mark.slow
@every_form
def test_threads_do_not_matter(n_classes):
    X, y = datasets.make_waveform(70_000, n_classes=n_classes, seed=1)
    models = [
        LogitBoostClassifier(n_estimators=3, step="line-search", n_jobs=n).fit(X, y) for n in (1, 3)
    ]
    assert len({fingerprint(model) for model in models}) == 1


# Refusals


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"l2_regularization": -1.0}, r"'l2_regularization': got -1, expected a number >= 0"),
        ({"l2_regularization": float("nan")}, r"'l2_regularization': got nan, expected a .*number"),
        ({"l2_regularization": float("inf")}, r"'l2_regularization': got inf, expected a .*number"),
        ({"l2_regularization": None}, r"'l2_regularization': got None, expected a number"),
        ({"step": "x"}, r"'step': got 'x', expected 'line-search' or 'unit'"),
        ({"estimator": RBFNet()}, r"'estimator': got RBFNet, expected Stump\(\), Rule\(\) or Tree"),
        (
            {"estimator": DecisionTreeClassifier()},
            r"'estimator': got a scikit-learn classifier, expected Stump\(\), Rule\(\) or Tree",
        ),
        ({"estimator": Stump(answer="vote")}, r"'estimator': got answer='vote', expected .*'auto'"),
        ({"estimator": Tree(answer="gentle")}, r"got answer='gentle', expected answer='auto'"),
    ],
)
@every_form
def test_what_cannot_be_is_refused_by_name(n_classes, parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        LogitBoostClassifier(**parameters).fit(*blobs(30, n_classes))
