"""What columns contribute: sums, Shapley values by brute force, and the shap package beside them.

The brute force knows nothing of codes, bins or integrals: it walks through trees and rules as they
print, with every subset of columns known, and averages over subsets as Shapley's formula says.
"""

import numpy as np
import polars as pl
import pytest

import weakforce
from reference.shapley import shapley
from support.earlier_model_files import VERSION_1
from support.earlier_model_files import X as OLD_ROWS
from support.multiclass_variants import every_sum, fit
from support.registry import COUNTING, MIXED_LEARNERS, pairs_of, weak
from support.small_problems import draw_columns, learnable_problem
from weakforce import (
    AdaBoostMHClassifier,
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    Stump,
    Tree,
    datasets,
)

ADDITIVE = [pair for pair in pairs_of(MIXED_LEARNERS) if not hasattr(pair.values[0], "n_layers")]
ADDITIVE = [pair for pair in ADDITIVE if pair.values[0]._kind not in COUNTING]


def framed(columns):
    return pl.DataFrame({f"c{at}": column for at, column in enumerate(columns)}, strict=False)


def mixed_problem(seed):
    """A frame with gaps and categories, labels, and a frame with unseen categories."""
    columns, y, weights, later = learnable_problem(seed)
    return framed(columns), y, weights, framed(later)


# Sums


@pytest.mark.parametrize(("booster", "learner"), ADDITIVE)
def test_contributions_and_bias_add_up_to_the_score(booster, learner):
    X, y, weights, later = mixed_problem(3)
    model = booster(weak(booster, learner), n_estimators=8).fit(X, y, weights)
    for rows in (X, later):
        parts = model.contributions(rows)
        assert parts.columns == [*X.columns, "bias"]
        np.testing.assert_allclose(
            parts.sum_horizontal(), model.decision_function(rows), rtol=0, atol=1e-9
        )
        assert parts["bias"].n_unique() == 1


@every_sum
def test_contributions_to_every_class_add_up_to_its_score(name):
    rng = np.random.default_rng(4)
    X = framed(draw_columns(rng, 120, ["a", "b", "c"]))
    y = np.where(X["c0"] > 0.3, "high", np.where(X["c3"] > 0, "mid", "low"))
    model = fit(name, X, y)
    later = framed(draw_columns(rng, 30, ["a", "z"]))
    parts = model.contributions(later)
    assert parts.columns == ["row", "class", *X.columns, "bias"]
    assert parts["row"].to_list() == np.arange(30).repeat(3).tolist()
    assert parts["class"].to_list() == model.classes_.tolist() * 30
    summed = parts.drop("row", "class").sum_horizontal().to_numpy().reshape(30, 3)
    np.testing.assert_allclose(summed, model.decision_function(later), rtol=0, atol=1e-9)


def test_two_classes_learned_class_by_class_give_one_score():
    X, y, _, later = mixed_problem(5)
    model = AdaBoostMHClassifier(Tree(max_leaf_nodes=4), n_estimators=6).fit(X, y)
    parts = model.contributions(later)
    assert parts.columns == [*X.columns, "bias"]
    np.testing.assert_allclose(
        parts.sum_horizontal(), model.decision_function(later), rtol=0, atol=1e-9
    )


# Stumps: a column's contribution is its own step function, less the mean over training rows


def test_contributions_of_stumps_depend_on_their_own_column_and_have_mean_zero():
    X, y, _, later = mixed_problem(6)
    model = RealAdaBoostClassifier(n_estimators=25).fit(X, y)
    parts = model.contributions(X)
    for name in X.columns:
        assert abs(parts[name].mean()) < 1e-12
        other = later.with_columns(X[name].head(len(later)))
        alone = model.contributions(other)[name]
        np.testing.assert_array_equal(alone, parts[name].head(len(later)))
    assert model.decision_function(X).mean() == pytest.approx(parts["bias"][0])


# Shapley values by brute force


class Naive:
    """The expected answer of a tree or rule when some columns of a row are known."""

    def __init__(self, hypothesis, X):
        self.hypothesis, self.X = hypothesis, X
        if isinstance(hypothesis, weakforce.TreeHypothesis):
            self.rows = self._rows_below(0 if hypothesis.column else -1)

    def expected(self, row, known):
        if isinstance(self.hypothesis, weakforce.TreeHypothesis):
            return self._below(0 if self.hypothesis.column else -1, row, known)
        return self._of_rule(row, known)

    def _rows_below(self, place):
        """The training rows below every place."""
        tree = self.hypothesis
        if place < 0:
            return {place: tree.rows[-1 - place]}
        found = {**self._rows_below(tree.inside[place]), **self._rows_below(tree.outside[place])}
        return {**found, place: found[tree.inside[place]] + found[tree.outside[place]]}

    def _below(self, place, row, known):
        tree = self.hypothesis
        if place < 0:
            return tree.values[-1 - place]
        ways = (tree.inside[place], tree.outside[place])
        if tree.column[place] in known:
            inside = row.select(tree.split(place).expression()).item()
            return self._below(ways[0] if inside else ways[1], row, known)
        shares = [self.rows[way] / self.rows[place] for way in ways]
        answers = [self._below(way, row, known) for way in ways]
        return shares[0] * answers[0] + shares[1] * answers[1]

    def _of_rule(self, row, known):
        rule, left, fires = self.hypothesis, self.X, 1.0
        for literal in rule.literals:
            passing = left.filter(literal.expression())
            if literal.column in known:
                fires *= float(row.select(literal.expression()).item())
            else:
                fires *= len(passing) / len(left)
            left = passing
        return rule.outside + fires * (rule.inside - rule.outside)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "learner",
    [Tree(max_leaf_nodes=6), Tree(max_leaf_nodes=12), Rule(max_literals=2), Rule(max_literals=5)],
    ids=["small-tree", "tree", "rule", "long-rule"],
)
def test_contributions_are_the_shapley_values_of_brute_force(learner, seed):
    columns, y, _, later = learnable_problem(seed)
    # No unseen categories, which the printed tests do not know.
    later[2] = ["a" if value == "e" else value for value in later[2]]
    X, rows = framed(columns), framed(later).head(8)
    model = RealAdaBoostClassifier(learner, n_estimators=3).fit(X, y)
    naive = [Naive(hypothesis, X) for hypothesis in model.estimators_]
    parts = model.contributions(rows)
    for at in range(len(rows)):

        def worth(known, row=rows[at]):
            expected = [one.expected(row, known) for one in naive]
            return float(model.estimator_weights_ @ expected)

        np.testing.assert_allclose(parts.row(at)[:-1], shapley(worth, X.width), atol=1e-9)
        assert parts["bias"][at] == pytest.approx(worth(set()), abs=1e-9)


@pytest.mark.slow
def test_deep_trees_that_test_more_columns_than_a_table_holds_agree_with_brute_force():
    rng = np.random.default_rng(8)
    X = pl.DataFrame(rng.normal(size=(400, 11)), schema=[f"c{at}" for at in range(11)])
    # Every test peels off a few rows, so one leaf lies below a test of every column.
    y = (X.to_numpy() > -1.0).all(axis=1)
    model = RealAdaBoostClassifier(Tree(max_leaf_nodes=30), n_estimators=1).fit(X, y)
    tree = Naive(model.estimators_[0], X)
    assert len(set(model.estimators_[0].column)) > 8
    row = X[0]
    expected = shapley(lambda known: tree.expected(row, known), X.width)
    weight = model.estimator_weights_[0]
    for rows in (row, X):  # one row is worked out, many share tables where they can
        np.testing.assert_allclose(
            model.contributions(rows).row(0)[:-1], weight * np.array(expected), atol=1e-9
        )


# The shap package


def copy_thresholds(ours, theirs, place=0, node=0):
    """Give a scikit-learn tree our thresholds, which lie elsewhere in the same gaps."""
    if place < 0:
        assert theirs.children_left[node] == -1
        return
    assert theirs.feature[node] == ours.column[place]
    theirs.threshold[node] = ours.threshold[place]
    copy_thresholds(ours, theirs, ours.inside[place], theirs.children_left[node])
    copy_thresholds(ours, theirs, ours.outside[place], theirs.children_right[node])


@pytest.mark.slow
def test_contributions_agree_with_the_tree_explainer_on_an_equivalent_tree():
    import shap
    from sklearn.tree import DecisionTreeRegressor

    domain = datasets.make_waveform(600, seed=2)
    X = domain.X.to_numpy().astype(np.float32).astype(np.float64)  # as scikit-learn's trees see it
    y = domain.y.to_numpy()
    # Least squares on ±1 choose as gini does, and a leaf answers with the mean.
    peer = DecisionTreeRegressor(max_leaf_nodes=12, random_state=0).fit(X, 2.0 * y - 1)
    tree = Tree(max_leaf_nodes=12, answer="gentle", smoothing=0.0)
    model = RealAdaBoostClassifier(tree, n_estimators=1, step="unit", max_bins=1000).fit(X, y)
    copy_thresholds(model.estimators_[0], peer.tree_)
    np.testing.assert_allclose(model.decision_function(X), peer.predict(X), atol=1e-12)
    explainer = shap.TreeExplainer(peer, feature_perturbation="tree_path_dependent")
    parts = model.contributions(X)
    np.testing.assert_allclose(parts.drop("bias"), explainer.shap_values(X), atol=1e-9)
    assert parts["bias"][0] == pytest.approx(float(np.ravel(explainer.expected_value)[0]))


# What users see


def test_contributions_do_not_depend_on_threads_and_survive_saving(tmp_path):
    X, y = datasets.make_twonorm(20_000, seed=1)
    model = RealAdaBoostClassifier(Tree(max_leaf_nodes=8), n_estimators=5).fit(X, y)
    parts = model.contributions(X)
    assert parts.equals(model.set_params(n_jobs=1).contributions(X))
    model.save(tmp_path / "model.json")
    assert weakforce.load(tmp_path / "model.json").contributions(X).equals(parts)


def test_columns_that_nobody_looks_at_contribute_nothing():
    X, y = datasets.make_xd6(300, seed=1)
    X = X.with_columns(constant=pl.lit(1.0), empty=pl.lit(None, dtype=pl.String))
    parts = DiscreteAdaBoostClassifier(n_estimators=10).fit(X, y).contributions(X)
    assert parts["constant"].to_list() == [0.0] * 300
    assert parts["empty"].to_list() == [0.0] * 300


def test_columns_called_bias_keep_their_name():
    X = pl.DataFrame({"bias": [1.0, 2.0, 3.0, 4.0], "row": [1, 1, 2, 2], "class": list("abab")})
    model = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, [0, 0, 1, 1])
    assert model.contributions(X).columns == ["bias", "row", "class", "bias_"]
    several = AdaBoostRClassifier(n_estimators=2).fit(X, [0, 1, 2, 2])
    assert several.contributions(X).columns == ["row_", "class_", *X.columns, "bias_"]


def test_arrays_have_columns_x0_x1_and_so_on_and_no_rows_are_fine():
    X, y = datasets.make_xd6(200, seed=1)
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(X.to_numpy(), y)
    parts = model.contributions(X.to_numpy())
    assert parts.columns == [*(f"x{at}" for at in range(10)), "bias"]
    named = DiscreteAdaBoostClassifier(n_estimators=5).fit(X, y)
    assert named.contributions(X.head(0)).shape == (0, 11)


def test_nets_are_refused():
    X, y = datasets.make_twonorm(100, seed=1)
    model = DiscreteAdaBoostClassifier(RBFNet(n_centers=3), n_estimators=2).fit(X, y)
    with pytest.raises(TypeError, match=r"RBFNet\(\)"):
        model.contributions(X)


def test_classifiers_of_others_are_refused_by_name():
    from sklearn.tree import DecisionTreeClassifier

    X, y = datasets.make_twonorm(100, seed=1)
    model = DiscreteAdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=2)
    with pytest.raises(TypeError, match="DecisionTreeClassifier"):
        model.fit(X, y).contributions(X)


def test_models_of_files_that_counted_no_rows_are_refused_with_advice():
    model = weakforce.load(VERSION_1)
    with pytest.raises(ValueError, match="fit it again"):
        model.contributions(OLD_ROWS)


def test_rows_without_a_column_are_refused_by_its_name():
    X, y = datasets.make_xd6(100, seed=1)
    model = DiscreteAdaBoostClassifier(Stump(), n_estimators=5).fit(X, y)
    with pytest.raises(ValueError, match="bit_3"):
        model.contributions(X.drop("bit_3"))
