"""Models as tables and summaries: every rule a line, equal rules merged, columns aligned.

In: models that hold hand-made hypotheses.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from support.core_descriptions import describe, rule, stump, tree
from weakforce import Rule
from weakforce._reading.rules import rule_table
from weakforce._reading.summaries import summary


def model_of(*members, weights=None, errors=None):
    """What the tables look at in a fitted model."""
    count = len(members)
    return SimpleNamespace(
        descriptions=lambda: members,
        weights=np.ones(count) if weights is None else np.array(weights),
        errors=np.full(count, 0.25) if errors is None else np.array(errors),
        name="SimpleNamespace",
        learner=Rule(),
        labels=[0, 1],
        has_label_sets=False,
        code=None,
        class_by_class=False,
        has_grid=False,
        buckets=None,
        counts_hypotheses=False,
        tables=[],
        output_names=[],
        prior=None,
        n_rounds=count,
        n_outputs=1,
        member_places=lambda: [(at, 0) for at in range(count)],
        stop_reason="n_estimators",
        train_scores=np.full(count, 0.875),
        validation_scores=np.empty(0),
        expected_costs=np.empty(0),
    )


OLD, NURSE = (
    describe("age", "number", "above", 37.0),
    describe("job", "text", "is", None, ["nurse"]),
)
COLUMN_NAMES = ["round", "rule", "text", "weight", "inside", "outside"]
COLUMN_NAMES += ["rows_fired", "weight_fired", "error"]


def test_the_table_has_a_line_for_every_round():
    table = rule_table(
        model_of(rule(OLD, NURSE), rule(), weights=[0.5, 2], errors=[0.1, 0.2]), False
    )
    assert table.columns == COLUMN_NAMES
    assert table.rows()[0] == (
        1,
        'age > 37 and job = "nurse"',
        str(rule(OLD, NURSE)),
        0.5,
        0.83,
        -0.12,
        120,
        0.31,
        0.1,
    )
    assert table["round"].to_list() == [1, 2]
    assert table["rule"][1] == "always"


def test_the_table_of_no_rounds_has_the_same_columns():
    assert rule_table(model_of(), False).schema == rule_table(model_of(rule()), False).schema
    assert rule_table(model_of(), True).schema == rule_table(model_of(rule()), True).schema


def test_merging_ignores_the_order_of_literals_and_keeps_scores():
    members = [
        rule(OLD, inside=1.0, outside=-1.0),
        rule(OLD, NURSE, inside=0.5, outside=-0.25, weight=0.5),
        rule(NURSE, OLD, inside=2.0, outside=0.75, weight=0.25),
    ]
    table = rule_table(model_of(*members, weights=[0.1, 1.0, 3.0], errors=[0.1, 0.2, 0.4]), True)
    assert table.columns == ["round", "rounds", *COLUMN_NAMES[1:]]
    assert table["rounds"].to_list() == [[2, 3], [1]]
    merged = table.row(0, named=True)
    assert merged["round"] == 2
    assert merged["weight"] == 4.0
    assert merged["weight"] * merged["inside"] == pytest.approx(1.0 * 0.5 + 3.0 * 2.0)
    assert merged["weight"] * merged["outside"] == pytest.approx(1.0 * -0.25 + 3.0 * 0.75)
    assert merged["weight_fired"] == pytest.approx(0.375)
    assert merged["error"] == pytest.approx(0.3)
    assert merged["text"] == 'age > 37 and job = "nurse" → +1.62, else +0.5'


def test_weights_that_cancel_still_add_up():
    members = [rule(OLD, inside=1.0, outside=0.5), rule(OLD, inside=0.5, outside=-0.5)]
    (line,) = rule_table(model_of(*members, weights=[1.0, -1.0]), True).rows(named=True)
    assert line["weight"] * line["inside"] == pytest.approx(0.5)
    assert line["weight"] * line["outside"] == pytest.approx(1.0)
    (line,) = rule_table(model_of(*members, weights=[0.0, 0.0]), True).rows(named=True)
    assert line["weight"] == 0.0
    assert np.isfinite(line["inside"])


def test_stumps_merge_by_their_test_and_say_nothing_of_rows():
    members = [
        stump(threshold=3.0),
        stump(threshold=3.0),
        stump(threshold=3.0, missing_inside=True),
    ]
    table = rule_table(model_of(*members), True)
    assert table["rounds"].to_list() == [[1, 2], [3]]
    assert table["rule"].to_list() == ["x ≤ 3", "x ≤ 3 or null"]
    assert table["rows_fired"].to_list() == table["weight_fired"].to_list() == [None, None]


def test_rules_of_a_tree_are_refused_by_name():
    with pytest.raises(TypeError, match=r"rules\(\) is for models of Rule\(\) or Stump\(\).*Tree"):
        rule_table(model_of(tree()), False)


def test_a_summary_lines_up_and_counts_what_it_leaves_out():
    members = [rule(describe("age", "number", "above", float(i)), inside=i / 7) for i in range(9)]
    text = summary(model_of(*members, rule(OLD, inside=300.0, rows=12345)), 4)
    lines = text.splitlines()
    assert lines[0] == "SimpleNamespace with Rule()"
    assert lines[1] == "10 rounds (stop reason: n_estimators), training score 0.8750"
    assert lines[2] == "the score is for 1: above 0 speaks for 1, below 0 for 0"
    head = lines[5]
    assert head.split() == ["strength", "inside", "outside", "rows", "rounds", "rule"]
    starts = {line.index("age") for line in lines[6:10]}
    assert starts == {head.index("rule")}
    for title in head.split()[:-1]:
        end = head.index(title) + len(title)
        assert all(line[end - 1] != " " and line[end] == " " for line in lines[6:10]), title
    assert lines[6].endswith("age > 37")
    strengths = [float(line.split()[0]) for line in lines[6:10]]
    assert strengths == sorted(strengths, reverse=True)
    assert lines[10:] == ["and 6 more rules"]
    assert "more" not in summary(model_of(*members), 9)
    assert summary(model_of(*members), 8).endswith("\nand 1 more rule")
    assert summary(model_of(), 5).splitlines()[1] == "0 rounds (stop reason: n_estimators)"


@pytest.mark.parametrize("n", [-1, 1.5, "ten", None, True])
def test_a_summary_refuses_by_name(n):
    with pytest.raises(ValueError, match="'n'"):
        summary(model_of(rule()), n)


def test_a_summary_of_stumps_does_not_speak_of_rows():
    lines = summary(model_of(stump(threshold=3.0), stump(threshold=4.0)), 20).splitlines()
    assert lines[5].split() == ["strength", "inside", "outside", "rounds", "rule"]
    assert lines[6].split() == ["1.0000", "−1", "+1", "1", "x", "≤", "3"]
    mixed = summary(model_of(stump(threshold=3.0), rule(OLD)), 20).splitlines()
    assert mixed[6].split()[3] == "–"
    assert mixed[7].split()[3] == "120"


def test_a_summary_of_other_learners_tells_sizes_and_columns():
    model = model_of(tree(), tree())
    model.importances = np.array([0.25, 0.0, 0.75])
    model.column_names = ["age", "job", "signed up"]
    lines = summary(model, 20).splitlines()
    assert lines[3] == "2 trees of 5 leaves, up to 3 tests deep"
    assert lines[5:] == ["importance  column", "    0.7500  `signed up`", "    0.2500  age"]
    assert summary(model, 1).splitlines()[-1] == "and 1 more column"
