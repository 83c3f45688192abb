"""Rules of models of many classes as a table and as text: which class they are for, what they add.

In: stumps and rules under boosters with a hypothesis per round, per class and for all classes.
"""

import numpy as np
import polars as pl
import pytest

from reference.learners import to_frame
from support.small_multiclass_problems import class_problem
from weakforce import (
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
)

COLUMNS, CODES, WEIGHTS, _ = class_problem(2, 3, noise=1.5, rows=120)
FRAME = to_frame(COLUMNS)
NAMES = np.array(["ash", "elm", "oak"])
Y = NAMES[CODES]
LEARNERS = [Stump(), Rule(max_literals=2)]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def fired(model):
    """Where each condition holds, by its text."""
    members = [
        member
        for each in model.estimators_
        for member in (each if isinstance(each, list) else [each])
        if member is not None
    ]
    return {
        member.condition: FRAME.select(x=member.expression())["x"].to_numpy() for member in members
    }


def per_class(learner):
    return {
        "MH": AdaBoostMHClassifier(learner, n_estimators=12),
        "softmax": SoftmaxBoostClassifier(learner, n_draws=None, n_estimators=12),
        "ovr": RealAdaBoostClassifier(learner, n_estimators=12),
    }


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("name", per_class(None))
@every_learner
def test_rules_of_each_class_add_up_to_its_scores(learner, name, merge):
    model = per_class(learner)[name].fit(FRAME, Y, WEIGHTS)
    table, conditions = model.rules(merge=merge), fired(model)
    if name == "ovr":
        assert len(set(table["class"])) == 3
    else:
        assert set(table["class"]) == set(NAMES)
    names = table["class"].unique(maintain_order=True).sort().to_list()
    scores = np.zeros((len(FRAME), 3))
    for line in table.rows(named=True):
        said = np.where(conditions[line["rule"]], line["inside"], line["outside"])
        scores[:, names.index(line["class"])] += line["weight"] * said
    np.testing.assert_allclose(scores, model.decision_function(FRAME), rtol=0, atol=1e-9)
    if not merge:
        assert table.height == 3 * model.n_iter_ or name == "ovr"
        assert sorted(set(table["round"])) == list(range(1, model.n_iter_ + 1))


@pytest.mark.parametrize("merge", [False, True])
@every_learner
def test_votes_for_classes_are_labels_and_add_up_to_the_scores(learner, merge):
    model = SAMMEClassifier(learner, n_estimators=15).fit(FRAME, Y, WEIGHTS)
    table, conditions = model.rules(merge=merge), fired(model)
    assert set(table["inside"]) | set(table["outside"]) <= set(NAMES)
    scores = np.zeros((len(FRAME), 3))
    for line in table.rows(named=True):
        votes = np.where(conditions[line["rule"]], line["inside"], line["outside"])
        scores += line["weight"] * (votes[:, None] == NAMES)
        assert line["inside"] in line["text"]
    np.testing.assert_allclose(scores, model.decision_function(FRAME), rtol=0, atol=1e-9)
    assert "class" not in table.columns
    assert merge or table.height == model.n_iter_


@pytest.mark.parametrize("booster", [AdaBoostMHClassifier, AdaBoostM2Classifier])
@every_learner
def test_rules_for_all_classes_at_once_add_up_to_the_scores(booster, learner):
    model = booster(learner, shared=True, n_estimators=10).fit(FRAME, Y, WEIGHTS)
    table, conditions = model.rules(), fired(model)
    scores = np.zeros((len(FRAME), 3))
    by_name = {"ash": 0, "elm": 1, "oak": 2}
    for line in table.rows(named=True):
        rows = conditions[line["rule"]]
        if "class" in table.columns:
            said = np.where(rows, line["inside"], line["outside"])
            scores[:, by_name[line["class"]]] += line["weight"] * said
        else:
            said = np.where(rows[:, None], [line["inside"]], [line["outside"]])
            scores += line["weight"] * said
    np.testing.assert_allclose(scores, model.decision_function(FRAME), rtol=0, atol=1e-9)


@every_learner
def test_summaries_name_the_classes(learner):
    for model in (*per_class(learner).values(), SAMMEClassifier(learner, n_estimators=12)):
        text = model.fit(FRAME, Y).summary(5)
        assert text.startswith(f"{type(model).__name__} with {type(learner).__name__}(")
        assert any(name in text for name in NAMES)
        assert model.rules(merge=True)["rule"][0] in text
        assert len(text.splitlines()) < 15


def test_trees_of_many_classes_are_summarised_but_are_no_rules():
    for model in (
        SAMMEClassifier(Tree(max_leaf_nodes=4), n_estimators=3),
        AdaBoostMHClassifier(Tree(max_leaf_nodes=4), n_estimators=3),
        AdaBoostM2Classifier(Tree(max_leaf_nodes=4), n_estimators=3),
    ):
        model.fit(FRAME, Y)
        assert "importance" in model.summary()
        with pytest.raises(TypeError, match="Tree"):
            model.rules()
        trees = model.estimators_[0]
        for tree in trees if isinstance(trees, list) else [trees]:
            assert str(tree).count("→") == tree.n_leaves


def test_labels_of_other_types_are_printed():
    days = np.array(["2024-01-01", "2024-02-01", "2024-03-01"], "datetime64[D]")
    for labels in (days, np.array([10, 20, 30]), np.array([False, True, 7])):
        model = SAMMEClassifier(Rule(), n_estimators=2).fit(FRAME, labels[CODES])
        table = model.rules()
        assert isinstance(table, pl.DataFrame)
        assert str(model.classes_.tolist()[0])[:4] in str(model.summary()) or table.height == 2
        assert all(str(rule) for rule in model.estimators_)
