"""Rules, stumps and trees of fitted models: what they print is what they answer.

In: models of every booster on a frame of all types. Printed rules are read by
reference/rule_parser.py.
"""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

import weakforce
from reference.rule_parser import as_compared, fires, holds, parse
from support.registry import SINGLE, every_single_booster
from weakforce import (
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    RuleHypothesis,
    Stump,
    StumpHypothesis,
    Tree,
)

N = 400
GENERATOR = np.random.default_rng(5)


def gaps(values, share=0.1):
    return [
        None if gap else value
        for gap, value in zip(GENERATOR.random(N) < share, values, strict=True)
    ]


MOMENTS = GENERATOR.integers(0, 10**7, N).tolist()
FRAME = pl.DataFrame(
    {
        "age": gaps(GENERATOR.integers(18, 80, N).tolist()),
        "blood pressure": gaps(GENERATOR.normal(120, 15, N).tolist()),
        "job": gaps(GENERATOR.choice(["nurse", 'so-called "cook"', "smith", "a, b"], N).tolist()),
        "town": gaps([f"t{int(town)}" for town in GENERATOR.zipf(1.3, N) % 60]),
        "smoker": gaps((GENERATOR.random(N) < 0.3).tolist()),
        "signup": gaps([dt.date(2023, 1, 1) + dt.timedelta(days=s % 500) for s in MOMENTS]),
        "seen": gaps([dt.datetime(2024, 1, 1) + dt.timedelta(seconds=s) for s in MOMENTS[::-1]]),
        "wait": gaps([dt.timedelta(milliseconds=s % 10**6) for s in MOMENTS]),
        "start": gaps([dt.time(int(h), int(m)) for h, m in GENERATOR.integers(0, 24, (N, 2))]),
        "zip": gaps(GENERATOR.integers(0, 6, N).tolist()),
    }
)
SCORE = sum(
    np.array([holds(entry, value) for value in as_compared(FRAME[entry.name])]) * weight
    for weight, text in [
        (2, "age > 50"),
        (1, "`blood pressure` > 125"),
        (-2, 'job = "nurse"'),
        (1, 'town in {"t1", "t2"}'),
        (2, "smoker = true"),
        (-1, "signup > 2023-10-01"),
        (1, "seen ≤ 2024-03-01 12:00"),
        (1, "wait > 5m"),
        (-1, "start ≤ 08:30"),
        (1, "zip in {2, 4}"),
        (2, "age is null"),
    ]
    for entry in parse(text)
)
Y = (GENERATOR.normal(1.3, 1.0, N) < SCORE).astype(int)

RULE_MODELS = [
    pytest.param((booster, *rule), id=f"{booster.__name__}-{rule[0]}-{rule[1]}")
    for place, booster in enumerate(SINGLE)
    for rule in [[("z", 1), ("gini", 4)], [("z", 3), ("error", 2)]][place % 2]
]


@pytest.fixture(scope="module", params=RULE_MODELS)
def model(request):
    booster, criterion, literals = request.param
    learner = Rule(max_literals=literals, criterion=criterion)
    options = {"max_bins": 16, "categorical_features": ["zip"], "n_estimators": 30}
    return booster(learner, **options).fit(FRAME, Y)


def test_every_printed_rule_parsed_back_selects_the_rows_it_fired_on(model):
    assert model.n_iter_ > 0
    for member, line in zip(model.estimators_, model.rules().rows(named=True), strict=True):
        text = line["rule"]
        if "in all}" not in text:
            fired = fires(text, FRAME)
            assert fired.sum() == line["rows_fired"]
            assert fired.tolist() == FRAME.select(x=member.expression())["x"].to_list()
        assert FRAME.filter(member.expression()).height == member.rows_inside
        assert 0 <= line["weight_fired"] <= 1 + 1e-12


def scores_of(table, conditions):
    scores = np.zeros(N)
    for line, fired in zip(table.rows(named=True), conditions, strict=True):
        scores += line["weight"] * np.where(fired, line["inside"], line["outside"])
    return scores


def test_rules_add_up_to_the_scores_merged_or_not(model):
    expected = model.decision_function(FRAME)
    by_text = {
        member.condition: FRAME.select(x=member.expression())["x"].to_numpy()
        for member in model.estimators_
    }
    for merge in (False, True):
        table = model.rules(merge=merge)
        conditions = [by_text[text] for text in table["rule"]]
        np.testing.assert_allclose(scores_of(table, conditions), expected, rtol=0, atol=1e-9)


def test_merged_rules_are_different_and_strongest_first(model):
    table = model.rules(merge=True)
    rounds = table["rounds"].explode().sort().to_list()
    assert rounds == list(range(1, model.n_iter_ + 1))
    literals = [frozenset(model.estimators_[at - 1].literals) for at in table["round"]]
    assert len(set(literals)) == len(literals)
    strength = (table["weight"] * (table["inside"] - table["outside"])).abs()
    assert strength.to_list() == sorted(strength, reverse=True)


def test_the_weight_fired_is_that_of_the_round(model):
    first = model.estimators_[0]
    assert first.weight_inside == pytest.approx(first.rows_inside / N)


def test_a_summary_is_text_and_prints_nothing(model, capfd):
    text = model.summary(3)
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""
    assert text.splitlines()[0].startswith(f"{type(model).__name__} with Rule(")
    strongest = model.rules(merge=True)["rule"][0]
    assert strongest in text
    assert f"{model.train_score_[-1]:.4f}" in text


def test_rules_come_back_from_files_and_pickles(model, tmp_path):
    model.save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    assert again.estimators_ == model.estimators_
    assert again.rules().equals(model.rules())
    assert repr(again) == repr(model)


@pytest.mark.parametrize("learner", [Stump(), Stump(criterion="z"), Rule(), Tree(max_leaf_nodes=5)])
@every_single_booster
def test_hypotheses_print_and_summaries_work_for_every_learner(booster, learner):
    model = booster(learner, n_estimators=5).fit(FRAME, Y)
    assert all(str(member) for member in model.estimators_)
    assert type(learner).__name__ in model.summary()
    if isinstance(learner, Tree):
        with pytest.raises(TypeError, match="made of Tree"):
            model.rules()
    else:
        assert model.rules().height == model.n_iter_


def test_stumps_as_rules_add_up_to_the_scores():
    model = RealAdaBoostClassifier(n_estimators=30).fit(FRAME, Y)
    conditions = [FRAME.select(x=s.expression())["x"].to_numpy() for s in model.estimators_]
    assert all(isinstance(member, StumpHypothesis) for member in model.estimators_)
    scores = scores_of(model.rules(), conditions)
    np.testing.assert_allclose(scores, model.decision_function(FRAME), rtol=0, atol=1e-9)


def route(tree, frame):
    """Answer by the tree's arrays and the expressions of its tests."""
    tests = [
        frame.select(x=tree.split(at).expression())["x"].to_list() for at in range(len(tree.column))
    ]
    answers = []
    for row in range(frame.height):
        place = 0 if tests else -1
        while place >= 0:
            place = tree.inside[place] if tests[place][row] else tree.outside[place]
        answers.append(tree.values[-1 - place])
    return np.array(answers)


def test_trees_as_arrays_add_up_to_the_scores():
    model = RealAdaBoostClassifier(Tree(max_leaf_nodes=9), n_estimators=10).fit(FRAME, Y)
    scores = sum(
        alpha * route(member, FRAME)
        for member, alpha in zip(model.estimators_, model.estimator_weights_, strict=True)
    )
    np.testing.assert_allclose(scores, model.decision_function(FRAME), rtol=0, atol=1e-9)
    for member in model.estimators_:
        assert sum(member.rows) == N
        assert sum(member.weights) == pytest.approx(1.0)
        assert member.n_leaves <= 9
        assert str(member).count("→") == member.n_leaves


def test_an_array_has_columns_by_number():
    X = np.random.default_rng(0).normal(size=(50, 3))
    model = RealAdaBoostClassifier(Rule(), n_estimators=3).fit(X, X[:, 1] > 0.3)
    assert model.rules()["rule"][0].startswith("x1 ≤ 0.3")
    frame = pl.DataFrame(X, schema=["x0", "x1", "x2"])
    assert frame.filter(model.estimators_[0].expression()).height == model.rules()["rows_fired"][0]


@pytest.mark.parametrize("learner", weakforce.weak_learners())
def test_parameters_of_learners_are_reached_through_the_booster(learner):
    model = RealAdaBoostClassifier(learner())
    assert {f"estimator__{name}" for name in learner().get_params()} <= set(model.get_params())
    copy = clone(model.set_params(estimator__answer="vote"))
    assert copy.estimator.answer == "vote"
    assert copy.estimator is not model.estimator
    assert [Stump, Rule, Tree, RBFNet] == weakforce.weak_learners()


def test_max_literals_is_set_through_the_booster():
    model = RealAdaBoostClassifier(Rule(), n_estimators=5).set_params(estimator__max_literals=1)
    assert max(len(member.literals) for member in model.fit(FRAME, Y).estimators_) == 1
    assert all(isinstance(member, RuleHypothesis) for member in model.estimators_)
