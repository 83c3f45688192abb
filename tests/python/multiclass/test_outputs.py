"""What a fitted booster of many classes says: scores, stages, probabilities, margins, hypotheses.

In: every variant of support/multiclass_variants.py. Out: numbers that agree with each other and
with their definitions; two classes are in estimator/test_outputs.py.
"""

import numpy as np
import polars as pl
import pytest

from support.multiclass_variants import VARIANTS, every_variant, fit, make, one_variant_each
from support.registry import factor_of
from support.small_multiclass_problems import blobs
from weakforce import AdaBoostMHClassifier, SAMMEClassifier, SoftmaxBoostClassifier, Stump, Tree

NAMES = np.array(["ash", "elm", "oak", "yew"])
N_CLASSES = 3
X, CODES = blobs(120, N_CLASSES, spread=1.5)
Y = NAMES[CODES]
X_NEW, CODES_NEW = blobs(80, N_CLASSES, spread=1.5, seed=1)
Y_NEW = NAMES[CODES_NEW]


@pytest.fixture(scope="module", params=VARIANTS)
def fitted(request):
    return fit(request.param, X, Y)


def is_real(model):
    """Whether hypotheses answer with more than votes."""
    return type(model).__name__ in ("RealAdaBoostClassifier", "AdaBoostRClassifier")


# Scores and labels


def test_scores_have_a_column_for_each_class(fitted):
    scores = fitted.decision_function(X_NEW)
    assert scores.shape == (80, 3)
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    assert fitted.classes_.tolist() == ["ash", "elm", "oak"]
    assert fitted.score(X, Y) > 0.5


def test_staged_scores_end_in_the_final_ones_and_are_arrays_of_their_own(fitted):
    staged = list(fitted.staged_decision_function(X_NEW))
    assert len(staged) == fitted.n_iter_ > 1
    np.testing.assert_allclose(staged[-1], fitted.decision_function(X_NEW), rtol=0, atol=1e-9)
    assert not np.shares_memory(staged[0], staged[1])
    assert (list(fitted.staged_predict(X_NEW))[-1] == fitted.predict(X_NEW)).all()
    last = list(fitted.staged_predict_proba(X_NEW))[-1]
    np.testing.assert_allclose(last, fitted.predict_proba(X_NEW), rtol=0, atol=1e-9)
    weight = np.random.default_rng(2).random(80)
    scores = list(fitted.staged_score(X_NEW, Y_NEW, weight))
    assert scores[-1] == pytest.approx(fitted.score(X_NEW, Y_NEW, weight), rel=1e-12)


def test_staged_scores_are_those_of_shorter_runs(fitted):
    rounds = fitted.n_iter_ // 2
    staged = list(fitted.staged_decision_function(X_NEW))
    shorter = type(fitted)(**fitted.get_params(deep=False)).set_params(n_estimators=rounds)
    scores = shorter.fit(X, Y).decision_function(X_NEW)
    np.testing.assert_allclose(staged[rounds - 1], scores, rtol=0, atol=1e-9)


def test_training_score_is_the_staged_accuracy_of_the_training_rows(fitted):
    np.testing.assert_allclose(fitted.train_score_, list(fitted.staged_score(X, Y)), rtol=1e-12)


def test_probabilities_are_the_soft_max_of_the_scores(fitted):
    scores, proba = factor_of(fitted) * fitted.decision_function(X_NEW), fitted.predict_proba(X_NEW)
    exponential = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = exponential / exponential.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(proba, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert (proba >= 0).all()
    np.testing.assert_allclose(fitted.predict_log_proba(X_NEW), np.log(proba), rtol=1e-9)


def test_predict_is_the_argmax_of_scores_and_of_probabilities(fitted):
    predicted = fitted.predict(X_NEW)
    assert predicted.dtype == fitted.classes_.dtype
    by_score = fitted.classes_[fitted.decision_function(X_NEW).argmax(axis=1)]
    by_proba = fitted.classes_[fitted.predict_proba(X_NEW).argmax(axis=1)]
    assert (predicted == by_score).all()
    assert (predicted == by_proba).all()
    assert len(set(predicted)) == 3


@pytest.mark.parametrize("learning_rate", [1e-300, 1e-17, 1e-9, 300.0])
def test_the_likeliest_class_is_the_predicted_one_for_tiny_and_huge_scores(learning_rate):
    for booster in (SAMMEClassifier, AdaBoostMHClassifier):
        model = booster(Tree(max_leaf_nodes=5), n_estimators=3, learning_rate=learning_rate)
        model.fit(X, Y)
        with np.errstate(over="raise", invalid="raise"):
            proba = model.predict_proba(X)
        assert (model.classes_[proba.argmax(axis=1)] == model.predict(X)).all()
        assert len(set(model.predict(X))) == 3


# Margins


def largest_difference(model):
    """The largest difference between two classes that votes could make."""
    alpha = np.abs(model.estimator_weights_)
    if alpha.ndim == 2:
        one_vs_rest = isinstance(model.multi_class, str) and model.multi_class == "ovr"
        code = np.eye(3) if one_vs_rest else model.code_
        per_column = alpha.sum(axis=0)
        return max(np.abs(a - b) @ per_column for a in code for b in code)
    votes_for_one = type(model).__name__ in ("SAMMEClassifier", "AdaBoostM1Classifier")
    return alpha.sum() * (1 if votes_for_one else 2)


def test_margins_compare_the_true_class_with_the_best_other(fitted):
    scores = fitted.decision_function(X_NEW)
    rows = np.arange(80)
    others = scores.copy()
    others[rows, CODES_NEW] = -np.inf
    difference = scores[rows, CODES_NEW] - others.max(axis=1)
    decode = fitted.fitted_model_.decode
    if decode in ("loss", "coupling"):
        expected = np.tanh(difference / 2)
    elif decode == "hamming":
        pairs = [np.abs(a - b).sum() / 2 for a in fitted.code_ for b in fitted.code_]
        expected = difference / max(pairs)
    else:
        expected = difference / largest_difference(fitted)
    np.testing.assert_allclose(fitted.margins(X_NEW, Y_NEW), expected, rtol=0, atol=1e-12)
    logistic = fitted.margins(X_NEW, Y_NEW, kind="logistic")
    np.testing.assert_allclose(logistic, np.tanh(difference / 4), rtol=0, atol=1e-12)


def test_margins_are_positive_where_the_label_is_right(fitted):
    right = fitted.predict(X_NEW) == Y_NEW
    for kind in ("normalized", "logistic"):
        margins = fitted.margins(X_NEW, Y_NEW, kind=kind)
        assert (margins[right] >= 0).all()
        assert (margins[~right] <= 0).all()
        assert np.abs(margins).max() <= 1 or (kind == "normalized" and is_real(fitted))
        assert (margins > 0).any()


def test_margins_and_scores_refuse_unknown_labels_and_lengths(fitted):
    for ask in (fitted.margins, fitted.score, lambda *a: list(fitted.staged_score(*a))):
        with pytest.raises(ValueError, match="birch"):
            ask(X_NEW, np.full(80, "birch"))
        with pytest.raises(ValueError, match="79"):
            ask(X_NEW, Y_NEW[:-1])


# Hypotheses and importances


def test_there_is_a_hypothesis_per_round_or_a_list_of_them(fitted):
    hypotheses = fitted.estimators_
    assert len(hypotheses) == fitted.n_iter_ == len(fitted.estimator_weights_)
    own = fitted.estimator_weights_.ndim == 2 or not (
        type(fitted).__name__ in ("SAMMEClassifier", "AdaBoostM1Classifier")
        or getattr(fitted, "shared", False)
    )
    for each in hypotheses:
        assert isinstance(each, list) == own
        for hypothesis in each if own else [each]:
            assert hypothesis is None or str(hypothesis)
    for name in ("estimator_weights_", "estimator_errors_", "edges_"):
        table = getattr(fitted, name)
        assert len(table) == fitted.n_iter_
        assert table.ndim == 1 or table.shape[1] == fitted.code_.shape[1]
        assert np.isfinite(table).all()


def test_importances_are_shares(fitted):
    importances = fitted.feature_importances_
    assert importances.shape == (3,)
    assert importances.sum() == pytest.approx(1.0)
    assert (importances >= 0).all()


def test_summary_and_text_say_something(fitted):
    summary = fitted.summary()
    assert type(fitted).__name__ in summary
    assert any(line.strip() for line in summary.splitlines()[1:])


def test_class_votes_carry_labels_as_answers():
    model = SAMMEClassifier(Stump(), n_estimators=3).fit(X, Y)
    for stump in model.estimators_:
        assert {stump.inside, stump.outside} <= set(NAMES)
        assert str(stump).count("→") == 1
        assert stump.inside in str(stump)
    tree = SAMMEClassifier(Tree(max_leaf_nodes=6), n_estimators=1).fit(X, Y).estimators_[0]
    assert set(tree.values) == {"ash", "elm", "oak"}
    assert len(tree.values) == 6
    numbered = SAMMEClassifier(Stump(), n_estimators=1).fit(X, CODES * 10).estimators_[0]
    assert {numbered.inside, numbered.outside} <= {0, 10, 20}


def test_shared_partitions_carry_a_number_for_every_class():
    for learner in (Stump(), Tree(max_leaf_nodes=4)):
        model = AdaBoostMHClassifier(learner, shared=True, n_estimators=2).fit(X, Y)
        hypothesis = model.estimators_[0]
        values = hypothesis.values if isinstance(learner, Tree) else (hypothesis.inside,)
        for value in values:
            assert isinstance(value, tuple)
            assert len(value) == 3
            assert set(value) <= {-1.0, 1.0}
        assert str(hypothesis)


def test_the_votes_of_the_model_are_those_of_its_hypotheses():
    model = SAMMEClassifier(Stump(), n_estimators=6).fit(X, Y)
    scores = np.zeros((80, 3))
    for stump, alpha in zip(model.estimators_, model.estimator_weights_, strict=True):
        inside = X_NEW[:, stump.column] <= stump.threshold
        votes = np.where(inside, stump.inside, stump.outside)
        scores += alpha * (votes[:, None] == model.classes_)
    np.testing.assert_allclose(model.decision_function(X_NEW), scores, rtol=0, atol=1e-9)
    shared = AdaBoostMHClassifier(Stump(), shared=True, n_estimators=6).fit(X, Y)
    scores = np.zeros((80, 3))
    for stump, alpha in zip(shared.estimators_, shared.estimator_weights_, strict=True):
        inside = X_NEW[:, [stump.column]] <= stump.threshold
        scores += alpha * np.where(inside, np.array([stump.inside]), np.array([stump.outside]))
    np.testing.assert_allclose(shared.decision_function(X_NEW), scores, rtol=0, atol=1e-9)


# Default learners and labels


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_default_trees_of_class_votes_grow_with_the_number_of_classes(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 4)), rng.integers(0, n_classes, 400)
    leaves = SAMMEClassifier(n_estimators=1).fit(X, y).estimators_[0].n_leaves
    assert leaves == 12 * (n_classes - 1)
    for booster in (AdaBoostMHClassifier, SoftmaxBoostClassifier):
        model = booster(n_estimators=1, random_state=0).fit(X, y)
        assert {tree.n_leaves for tree in model.estimators_[0]} == {12}


@one_variant_each
@pytest.mark.parametrize(
    "labels",
    [
        [3, -1, 40],
        [True, 2, 3],
        np.array([0.0, 1.0, 2.0]),
        ["b", "a", "c"],
        pl.Series(["x", "y", "z"], dtype=pl.Categorical),
        np.array(["2024-01-01", "2023-01-01", "2025-01-01"], "datetime64[D]"),
    ],
    ids=str,
)
def test_labels_of_any_type_are_learned_and_given_back(name, labels):
    y = labels.gather(CODES) if isinstance(labels, pl.Series) else np.asarray(labels)[CODES]
    model = make(name, n_estimators=3).fit(X, y)
    order = np.argsort(np.asarray(labels))
    assert model.classes_.tolist() == np.asarray(labels)[order].tolist()
    rank = np.argsort(order)
    plain = make(name, n_estimators=3).fit(X, rank[CODES])
    assert (model.predict(X) == model.classes_[plain.predict(X)]).all()
    assert model.score(X, y) == plain.score(X, rank[CODES])
    assert (model.margins(X, y) == plain.margins(X, rank[CODES])).all()


@every_variant
def test_renamed_columns_and_labels_as_a_column_of_the_frame(name):
    frame = pl.DataFrame(X, schema=list("abc")).with_columns(label=pl.Series(Y))
    model = make(name, n_estimators=3).fit(frame, "label")
    expected = make(name, n_estimators=3).fit(X, Y)
    assert model.decision_function(frame).tobytes() == expected.decision_function(X).tobytes()
    assert model.score(frame, "label") == expected.score(X, Y)
