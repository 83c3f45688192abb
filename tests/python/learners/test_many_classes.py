"""Stumps, rules and trees that vote for one of many classes, or answer for all, against exhaustion.

Each is the first hypothesis of a SAMME or MH run on a small frame: generic weights, under which the
best test is the only one, and small whole ones full of ties, which go to the lowest column and cut.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reference.channel_learners import learn
from reference.channels import CLASS, CRITERIA, SHARED, Ground
from reference.learners import Split, to_frame
from reference.multiclass import mh, samme
from support.small_multiclass_problems import structure, structure_in
from support.small_problems import columns_of, random_problem, shares
from weakforce import AdaBoostMHClassifier, Rule, SAMMEClassifier, Stump, Tree

LEARNERS = {"stump": Stump, "rule": Rule, "tree": Tree}
every_criterion = pytest.mark.parametrize("criterion", CRITERIA)
every_learner = pytest.mark.parametrize("learner", LEARNERS)


def labels_of(draw_or_rng, rows, n_classes):
    y = draw_or_rng.integers(0, n_classes, rows)
    y[: min(rows, n_classes)] = np.arange(min(rows, n_classes))
    return y


def chosen_tests(splits_or_literals):
    """Columns and cuts, in order. Which side of a test of categories is inside is left open: where
    shares are equal but for rounding, one or the other order finds it.
    """
    return [
        (each.column, each.threshold) if isinstance(each, Split) else each
        for each in splits_or_literals
    ]


def compare(model, expected, columns, weights):
    """The tests of the first hypothesis; one that holds for all rows is as good as none."""
    found = structure_in(model.fitted_model_.core.hypothesis(0), columns, weights)
    if expected.kind == "stump" and not expected.splits:
        assert [(split.threshold, split.missing_inside) for split in found] == [(None, True)]
    else:
        assert chosen_tests(found) == chosen_tests(structure(expected))


def check_class_votes(columns, y, weights, learner, chosen):
    oracle, frame = {"kind": learner, **chosen}, to_frame(columns)
    model = SAMMEClassifier(LEARNERS[learner](**chosen), n_estimators=1, max_bins=1000)
    model.fit(frame, y, weights)
    V = np.array(shares(weights))[:, None] * np.eye(int(max(y)) + 1)[y]
    expected = learn(oracle, Ground(columns), V, CLASS)
    if model.n_iter_ == 0:
        assert samme(columns, y, weights, 1, oracle).alphas == []
        return None
    assert model.fitted_model_.core.hypothesis(0)["says"] == "class"
    compare(model, expected, columns, weights)
    votes = model.decision_function(frame) / model.estimator_weights_[0]
    assert votes.argmax(axis=1).tolist() == expected.answers(columns).tolist()
    return expected


def check_shared(columns, y, weights, learner, chosen):
    oracle, frame = {"kind": learner, **chosen}, to_frame(columns)
    weak = LEARNERS[learner](**chosen)
    model = AdaBoostMHClassifier(weak, shared=True, n_estimators=1, max_bins=1000)
    model.fit(frame, y, weights)
    target = np.eye(int(max(y)) + 1)[y]
    signs = np.stack([1 - target, target], axis=-1)
    V = np.array(shares(weights))[:, None, None] * signs
    expected = learn(oracle, Ground(columns), V.reshape(len(y), -1), SHARED)
    if model.n_iter_ == 0:
        assert mh(columns, y, weights, 1, oracle, shared=True).alphas == []
        return
    assert model.fitted_model_.core.hypothesis(0)["says"] == "scores"
    compare(model, expected, columns, weights)
    answers = model.decision_function(frame) / model.estimator_weights_[0]
    np.testing.assert_allclose(answers, expected.answers(columns), rtol=0, atol=1e-12)


@every_criterion
@every_learner
def test_generic_weights_leave_one_best_hypothesis(learner, criterion):
    rng = np.random.default_rng([list(LEARNERS).index(learner), list(CRITERIA).index(criterion)])
    sizes = set()
    for run in range(15):
        n_classes = 3 + run % 3
        columns, _, weights = random_problem(rng, rows=int(rng.integers(6, 28)))
        y = labels_of(rng, len(weights), n_classes)
        chosen = {"criterion": criterion}
        if learner == "tree":
            chosen["max_leaf_nodes"] = 2 + run % 5
        elif learner == "rule":
            chosen["max_literals"] = 1 + run % 3
        found = check_class_votes(columns, y, weights, learner, chosen)
        check_shared(columns, y, weights, learner, chosen)
        sizes.add(0 if found is None else len(structure(found)))
    assert len(sizes) > 1 or learner == "stump"


@st.composite
def class_problems_full_of_ties(draw):
    """Few rows of few values, three or four classes, weights 1, 2 or 3; numbers only."""
    rows = draw(st.integers(4, 11))
    columns = [c for c in columns_of(draw, rows) if not any(isinstance(x, str) for x in c)]
    assume(columns)
    n_classes = draw(st.integers(3, 4))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=rows, max_size=rows))
    y[:n_classes] = range(n_classes)
    weights = draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows))
    return columns, np.array(y), weights


@pytest.mark.slow
@every_criterion
@every_learner
@settings(max_examples=25, deadline=None, derandomize=True)
@given(problem=class_problems_full_of_ties(), size=st.integers(2, 4))
def test_ties_go_to_the_lowest_column_and_cut(problem, size, learner, criterion):
    chosen = {"criterion": criterion}
    chosen |= {"stump": {}, "rule": {"max_literals": size}, "tree": {"max_leaf_nodes": size}}[
        learner
    ]
    check_class_votes(*problem, learner, chosen)
    check_shared(*problem, learner, chosen)


@pytest.mark.parametrize("answer", ["logistic", "gentle"])
@every_learner
def test_class_votes_take_no_other_answers(answer, learner):
    X, y = np.arange(9.0)[:, None], np.arange(9) % 3
    model = SAMMEClassifier(LEARNERS[learner](answer=answer), n_estimators=1)
    with pytest.raises(ValueError, match=rf"answer.*{answer}"):
        model.fit(X, y)
    assert not hasattr(model, "classes_")


def test_trees_of_many_classes_obey_their_limits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 5, 200)
    for limits in ({"min_samples_leaf": 20}, {"max_depth": 2}, {"min_weight_leaf": 0.1}):
        tree = Tree(max_leaf_nodes=30, **limits)
        grown = SAMMEClassifier(tree, n_estimators=1).fit(X, y).estimators_[0]
        assert 2 <= grown.n_leaves <= 10
        assert sum(grown.rows) == 200
        assert min(grown.rows) >= 20 or "max_depth" in limits
    whole = SAMMEClassifier(Tree(max_leaf_nodes=30), n_estimators=1).fit(X, y).estimators_[0]
    assert whole.n_leaves == 30
