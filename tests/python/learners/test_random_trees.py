"""Trees whose tests are drawn: one test for each column and leaf, of which the best is taken.

By the seed alone, on any number of threads, within the range of the leaf; limits, missing values
and categories are obeyed as ever.
"""

import numpy as np
import polars as pl
import pytest

from reference.learners import is_categorical, to_frame
from support.small_multiclass_problems import blobs, class_problem
from weakforce import (
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Tree,
)
from weakforce._reading.model_file import from_bytes

MODELS = {
    "discrete": DiscreteAdaBoostClassifier,
    "real": RealAdaBoostClassifier,
    "SAMME": SAMMEClassifier,
    "MH": AdaBoostMHClassifier,
    "MH shared": lambda tree, **more: AdaBoostMHClassifier(tree, shared=True, **more),
    "softmax": SoftmaxBoostClassifier,
}
every_model = pytest.mark.parametrize("name", MODELS)


def make(name, *, n_estimators=4, random_state=0, n_jobs=None, warm_start=False, **limits):
    tree = Tree(splitter="random", **{"max_leaf_nodes": 6, **limits})
    options = {"n_estimators": n_estimators, "random_state": random_state}
    return MODELS[name](tree, n_jobs=n_jobs, warm_start=warm_start, **options)


def fingerprint(model):
    return model.fitted_model_.core.to_json("{}"), model.row_weights_.tobytes()


def trees_of(model):
    """Every tree of a model, one after the other."""
    rounds = [each if isinstance(each, list) else [each] for each in model.estimators_]
    return [tree for trees in rounds for tree in trees if tree is not None]


@pytest.mark.parametrize("n_classes", [2, 4])
@every_model
def test_a_seed_gives_the_same_trees_to_the_bit_on_any_number_of_threads(name, n_classes):
    X, y = blobs(200, n_classes, columns=5, spread=2.0)
    models = [make(name, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3)]
    assert len({fingerprint(model) for model in models}) == 1
    assert fingerprint(make(name, random_state=1).fit(X, y)) != fingerprint(models[0])
    best = make(name).set_params(estimator__splitter="best").fit(X, y)
    assert trees_of(best) != trees_of(models[0])


def test_long_frames_are_split_alike_on_any_number_of_threads():
    X, y = blobs(40_000, 3, columns=8, spread=2.0)
    models = [make("SAMME", n_estimators=2, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3)]
    assert len({fingerprint(model) for model in models}) == 1


def test_the_same_seed_draws_the_same_on_every_machine():
    """Tests of trees that were looked at once; another generator would change them."""
    rows = np.arange(30.0)
    X = np.column_stack([rows % 7, rows % 11, rows])
    model = make("SAMME", n_estimators=2, max_leaf_nodes=3, random_state=7).fit(X, rows // 10)
    tests = [(tree.column, tree.threshold) for tree in model.estimators_]
    assert tests == [((2, 2), (20.0, 7.0)), ((0, 2), (5.0, 17.0))]


def test_every_tree_of_a_run_is_drawn_anew():
    X, y = blobs(200, 3, columns=5, spread=2.0)
    model = make("MH", n_estimators=5).set_params(learning_rate=1e-9).fit(X, y)
    trees = trees_of(model)
    assert len({(tree.column, tree.threshold) for tree in trees}) == len(trees) == 15


@pytest.mark.parametrize("stages", [(1, 6), (3, 4, 6)])
@every_model
def test_warm_start_equals_one_long_fit_bit_for_bit(name, stages):
    X, y = blobs(150, 3, columns=4, spread=2.0)
    long = make(name, n_estimators=6).fit(X, y)
    model = make(name, warm_start=True)
    for rounds in stages:
        model.set_params(n_estimators=rounds).fit(X, y)
    assert fingerprint(model) == fingerprint(long)


def rows_at_nodes(tree, frame, rows):
    """The rows that come to each inner node and to each leaf, by following the tests."""
    at_node, at_leaf = {0: rows} if tree.column else {}, {} if tree.column else {0: rows}
    for node in range(len(tree.column)):
        inside = frame.select(tree.split(node).expression()).to_series().to_numpy()
        here = at_node[node]
        for child, kept in ((tree.inside[node], inside), (tree.outside[node], ~inside)):
            (at_node if child >= 0 else at_leaf)[child if child >= 0 else -1 - child] = here & kept
    return at_node, at_leaf


@every_model
def test_every_split_lies_within_the_range_of_its_leaf(name):
    columns, y, _, _ = class_problem(3, 3, rows=150)
    frame = to_frame(columns)
    model = make(name, max_leaf_nodes=8, n_estimators=6).fit(frame, y)
    everything = np.ones(len(y), dtype=bool)
    tested, sizes = set(), set()
    for tree in trees_of(model):
        at_node, at_leaf = rows_at_nodes(tree, frame, everything)
        sizes.add(len(at_leaf))
        for node, rows in at_node.items():
            column, threshold = tree.column[node], tree.threshold[node]
            values = [value for value, here in zip(columns[column], rows, strict=True) if here]
            present = [value for value in values if value is not None]
            if is_categorical(columns[column]):
                tested.add("categories")
            elif threshold is None:
                tested.add("missing")
                assert None in values
            else:
                tested.add("numbers")
                assert min(present) <= threshold < max(present) or None in values
        assert name == "softmax" or all(rows.any() for rows in at_leaf.values())
    assert tested >= {"numbers", "categories"}
    assert max(sizes) == 8


def test_cuts_are_drawn_from_the_whole_range_and_not_only_the_best():
    X, y = np.arange(64.0)[:, None], np.repeat([0, 1], 32)
    cuts = [
        make("discrete", n_estimators=1, max_leaf_nodes=2, random_state=seed)
        .fit(X, y)
        .estimators_[0]
        .threshold[0]
        for seed in range(60)
    ]
    assert len(set(cuts)) > 25
    assert min(cuts) < 12
    assert max(cuts) > 50
    assert 20 < np.mean(cuts) < 43


def test_of_the_drawn_tests_the_best_column_is_taken():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = np.column_stack([rng.integers(0, 2, 200), y, rng.integers(0, 2, 200)])
    for seed in range(10):
        model = make("discrete", n_estimators=1, max_leaf_nodes=2, random_state=seed).fit(X, y)
        assert model.estimators_[0].column == (1,)  # there is but one cut in each column
        assert model.stop_reason_ == "perfect"


@pytest.mark.parametrize(
    "limits", [{"min_samples_leaf": 15}, {"max_depth": 2}, {"min_weight_leaf": 0.1}], ids=str
)
@pytest.mark.parametrize("name", ["real", "SAMME", "MH shared"])
def test_limits_are_obeyed(name, limits):
    X, y = blobs(150, 3, columns=4, spread=2.0)
    free = max(tree.n_leaves for tree in trees_of(make(name, max_leaf_nodes=30).fit(X, y)))
    model = make(name, max_leaf_nodes=30, n_estimators=6, **limits).fit(X, y)
    trees = trees_of(model)
    assert 2 <= max(tree.n_leaves for tree in trees) < free == 30
    for tree in trees:
        assert min(tree.rows) >= limits.get("min_samples_leaf", 1)
        assert min(tree.weights) >= limits.get("min_weight_leaf", 0.0) - 1e-12
        assert "max_depth" not in limits or tree.n_leaves <= 4


@every_model
def test_missing_values_and_unseen_categories_find_their_way(name):
    columns, y, weights, later = class_problem(5, 3, rows=120)
    model = make(name, n_estimators=6).fit(to_frame(columns), y, weights)
    for frame in (to_frame(columns), to_frame(later)):
        scores = model.decision_function(frame)
        assert np.isfinite(scores).all()
        last = list(model.staged_decision_function(frame))[-1]
        np.testing.assert_allclose(scores, last, rtol=0, atol=1e-9)
    assert model.score(to_frame(columns), y, weights) > 0.45


@every_model
def test_frames_without_a_test_are_one_leaf(name):
    X = pl.DataFrame({"a": [1.0] * 8, "b": ["same"] * 8})
    model = make(name).fit(X, [0, 1, 2, 2] * 2)
    assert {tree.n_leaves for tree in trees_of(model)} <= {1}


def test_random_trees_are_saved_and_cloned(tmp_path):
    X, y = blobs(100, 3)
    model = make("SAMME").fit(X, y)
    model.save(tmp_path / "model.json")
    again = from_bytes((tmp_path / "model.json").read_bytes())
    assert again.estimator.splitter == "random"
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert repr(again.estimator) == repr(model.estimator)


def test_random_trees_keep_large_trees_from_knowing_all_rows_at_once():
    X, y = blobs(300, 4, columns=6, spread=1.0)
    best = SAMMEClassifier(Tree(max_leaf_nodes=150), n_estimators=10).fit(X, y)
    drawn = make("SAMME", max_leaf_nodes=60, n_estimators=10).fit(X, y)
    assert (best.stop_reason_, best.n_iter_) == ("perfect", 1)
    assert drawn.n_iter_ > 1
