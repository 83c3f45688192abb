"""Rules against a naive search over every literal on raw values, literal by literal.

Checked on many small frames: numbers with ties, categories, missing values, weights with zeros, all
criteria and answers. Rules have no fit of their own, so each is the first hypothesis of a real
AdaBoost run.
"""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.boosting import Round, real
from reference.learners import CRITERIA, to_frame
from reference.rule import fit_rule
from support.small_problems import literals_in, problems_full_of_ties, random_problem, shares
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Rule

ANSWERS = ("vote", "logistic", "gentle")
COMBINATIONS = list(itertools.product(CRITERIA, ANSWERS))


def first_rule(frame, y, weights=None, **parameters):
    """The core's description of the first rule, or None if it has no edge."""
    model = RealAdaBoostClassifier(Rule(**parameters), n_estimators=1, max_bins=1000)
    model.fit(frame, np.asarray(y), sample_weight=weights)
    return model.fitted_model_.core.hypothesis(0) if model.n_iter_ else None


def check_against_naive_growth(columns, y, weights, **parameters):
    w = shares(weights)
    expected = fit_rule(columns, y, w, **parameters)
    got = first_rule(to_frame(columns), y, weights, **parameters)
    if got is None:
        assert real(Round(w, list(y), expected.answers(columns), 0.0))[-1] == "drop"
        return expected
    assert got["kind"] == "rule"
    wanted = [(literal.column, literal.test, literal.than) for literal in expected.literals]
    assert literals_in(got) == wanted
    assert got["inside"] == pytest.approx(expected.inside, abs=1e-9)
    assert got["outside"] == pytest.approx(expected.outside, abs=1e-9)
    fired = np.array(expected.fires(columns)) & (np.asarray(weights) > 0)
    assert got["rows_inside"] == fired.sum()
    assert got["weight_inside"] == pytest.approx(np.array(w)[fired].sum(), abs=1e-12)
    return expected


@pytest.mark.parametrize(("criterion", "answer"), COMBINATIONS)
def test_rule_equals_the_naive_growth_on_generic_weights(criterion, answer):
    rng = np.random.default_rng([list(CRITERIA).index(criterion), ANSWERS.index(answer)])
    sizes = set()
    for run in range(40):
        rule = check_against_naive_growth(
            *random_problem(rng, rows=(None, 30)[run // 4 % 2], zeros=run % 2 == 1),
            max_literals=1 + run % 4,
            criterion=criterion,
            answer=answer,
            smoothing=0.03,
        )
        sizes.add(len(rule.literals))
    assert {1, 2} <= sizes


@pytest.mark.slow
@pytest.mark.parametrize(("criterion", "answer"), COMBINATIONS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(problem=problems_full_of_ties(), max_literals=st.integers(1, 4))
def test_ties_go_to_the_first_literal(problem, max_literals, criterion, answer):
    check_against_naive_growth(
        *problem, max_literals=max_literals, criterion=criterion, answer=answer, smoothing=0.03
    )


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(problem=problems_full_of_ties(), min_gain=st.sampled_from([0.003, 0.02, 0.07, 0.4]))
def test_growth_stops_where_the_gain_is_too_small(problem, min_gain, criterion):
    check_against_naive_growth(
        *problem, max_literals=4, criterion=criterion, min_gain=min_gain, smoothing=0.03
    )


def test_a_larger_min_gain_means_fewer_literals():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(rng.normal(size=(300, 4)))
    y = (frame.to_numpy()[:, :3] < [0.0, 1.2, 1.5]).all(axis=1).astype(int)
    sizes = [
        len(first_rule(frame, y, max_literals=4, min_gain=gain)["literals"])
        for gain in (0.0, 0.15, 0.25, 0.9)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (3, 0)
    assert len(set(sizes)) > 2


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_frame_without_any_literal_gets_the_rule_that_always_fires(criterion):
    frame = pl.DataFrame({"a": [1.0] * 5, "b": ["same"] * 5})
    got = first_rule(frame, [0, 1, 1, 1, 1], criterion=criterion, smoothing=0.0)
    assert (got["literals"], got["rows_inside"], got["weight_inside"]) == ([], 5, 1.0)
    assert got["inside"] == pytest.approx(0.5 * np.log(4))
    assert got["outside"] == 0.0


# Literals


def test_a_conjunction_is_found_whole():
    cube = list(itertools.product([False, True], repeat=4))
    X = pl.DataFrame(cube, schema=["p", "q", "r", "s"], orient="row")
    y = X.select(~(pl.col("p") | pl.col("q") | pl.col("s"))).to_series().cast(pl.Int8)
    got = first_rule(X, y, max_literals=3, answer="vote")
    tests = [(literal["name"], literal["test"]) for literal in got["literals"]]
    assert tests == [("p", "at_most"), ("q", "at_most"), ("s", "at_most")]
    assert {(lit["column_kind"], lit["threshold"]) for lit in got["literals"]} == {("boolean", 0.0)}
    assert (got["rows_inside"], got["inside"], got["outside"]) == (2, 1.0, -1.0)


@pytest.mark.parametrize(
    ("values", "test", "threshold", "categories"),
    [
        ([1.0, 2.0, None, None], "missing", None, None),
        (["u", "v", None, None], "missing", None, None),
        ([1.0, 1.0, 7.0, 7.5], "at_most", 4.0, None),
        (["v", "v", "u", "w"], "is", None, ["v"]),
        (["u", "w", "v", "v"], "is", None, ["v"]),
        (["v", None, "u", "w"], "is_not", None, ["v"]),
    ],
)
def test_every_kind_of_literal_is_found_on_its_own(values, test, threshold, categories):
    y = [0, 0, 1, 1]
    got = first_rule(pl.DataFrame({"c": values}), y, max_literals=1)
    [literal] = got["literals"]
    assert (literal["test"], literal["threshold"]) == (test, threshold)
    assert literal["categories"] == categories


REPLACED = {
    "at most": (
        [[1.0, 1.0, 2.0, 3.0, 0.0], [0.0, 1.0, 2.0, 1.0, 0.0]],
        [1, -1, -1, 1, -1],
        [8, 9, 8, 3, 2],
        [(1, "at_most", 1.0), (0, "above", 0.0)],
        [(0, "above", 0.0), (1, "at_most", 0.0)],
    ),
    "above": (
        [[2.0, 3.0, 1.0, 0.0, None, 1.0], [1.0, 0.0, 1.0, 2.0, 2.0, 1.0]],
        [-1, 1, 1, 1, 1, -1],
        [5, 5, 7, 5, 4, 2],
        [(0, "above", 0.0), (0, "at_most", 2.0)],
        [(0, "at_most", 2.0), (0, "above", 1.0)],
    ),
    "is not": (
        [["v", None, "v", "w", "w", "u"], [2.0, 1.0, 1.0, 0.0, 0.0, 2.0]],
        [1, 1, -1, -1, 1, 1],
        [1, 6, 7, 7, 9, 1],
        [(0, "is_not", "u"), (1, "at_most", 1.0)],
        [(1, "at_most", 1.0), (0, "is", "v")],
    ),
}


@pytest.mark.parametrize("name", REPLACED)
def test_a_literal_that_implies_an_earlier_one_takes_its_place(name):
    columns, y, weights, *expected = REPLACED[name]
    for steps, literals in zip((2, 3), expected, strict=True):
        got = first_rule(to_frame(columns), y, weights, max_literals=steps)
        assert literals_in(got) == literals
        check_against_naive_growth(columns, y, weights, max_literals=steps, smoothing=0.01)


def test_rare_categories_are_tested_together():
    common, rare = ["a"] * 20 + ["b"] * 20, ["p", "q", "r", "s", "t"]
    X = pl.DataFrame({"c": common + rare + [None] * 3})
    y = [0] * 40 + [1] * 5 + [0] * 3
    model = RealAdaBoostClassifier(Rule(max_literals=1), n_estimators=1, max_bins=3).fit(X, y)
    [literal] = model.fitted_model_.core.hypothesis(0)["literals"]
    assert literal["test"] == "is"
    assert sorted(literal["categories"]) == rare
    assert model.score(X, y) == 1.0
    later = pl.DataFrame({"c": ["q", "t", "a", "never seen", None]})
    assert model.predict(later).tolist() == [1, 1, 0, 0, 0]


def test_categories_are_tried_in_the_declared_order_of_an_enum():
    X = pl.DataFrame({"c": ["low", "high"] * 4})
    declared = X.cast(pl.Enum(["low", "high", "never"]))
    sides = [first_rule(frame, [0, 1] * 4)["literals"][0] for frame in (X, declared)]
    assert [side["categories"] for side in sides] == [["high"], ["low"]]
    assert {side["test"] for side in sides} == {"is"}


def test_default_answers_follow_the_booster():
    columns, y, weights = random_problem(np.random.default_rng(1))
    X = to_frame(columns)
    votes = DiscreteAdaBoostClassifier(Rule(), n_estimators=1).fit(X, y, weights)
    assert {votes.fitted_model_.core.hypothesis(0)[side] for side in ("inside", "outside")} == {
        1.0,
        -1.0,
    }
    default = first_rule(X, y, weights)
    assert default == first_rule(X, y, weights, answer="logistic")
    positive = [weight for weight in weights if weight > 0]
    lightest = min(positive) / sum(positive)
    smoothed = first_rule(X, y, weights, smoothing=lightest)
    assert default["inside"] == pytest.approx(smoothed["inside"], abs=1e-12)
