"""The state of rows follows from decisions, and cleaned tables are changed where it was said."""

import numpy as np
import polars as pl
import pytest

from weakforce.review.decisions import CHANGED, KEPT, OPEN, SKIPPED, Decisions
from weakforce.review.journal_lines import Decision


def decision(row, kind, label=None, given="a"):
    return Decision(row, "0" * 16, kind, given, label, "then")


def test_states_follow_from_decisions_as_a_naive_replay_has_it():
    generator = np.random.default_rng(1)
    decisions, history = Decisions(5), []
    states = {"keep": KEPT, "change": CHANGED, "skip": SKIPPED}
    for _ in range(500):
        if generator.random() < 0.4 and history:
            last = history.pop()
            assert decisions.last() == last
            decisions.add(decision(last.row, "undo"))
        else:
            kind = str(generator.choice(list(states)))
            made = decision(int(generator.integers(5)), kind, None if kind == "skip" else "b")
            history.append(made)
            decisions.add(made)
        for row in range(5):
            own = [each for each in history if each.row == row]
            assert decisions.states[row] == (states[own[-1].kind] if own else OPEN)
            assert decisions.of(row) == (own[-1] if own else None)
            assert decisions.count_of(row) == len(own)
        assert decisions.last() == (history[-1] if history else None)


def test_taking_back_what_nobody_knows_of_is_passed_over():
    decisions = Decisions(3, [decision(1, "keep", "a"), decision(2, "undo")])
    assert decisions.states.tolist() == [OPEN, KEPT, OPEN]
    assert decisions.last() == decision(1, "keep", "a")


LABELS = [
    pl.Series("y", ["a", "b", "a", "a"]),
    pl.Series("y", ["a", "b", "a", "a"], dtype=pl.Categorical),
    pl.Series("y", ["a", "b", "a", "a"], dtype=pl.Enum(["b", "a"])),
    pl.Series("y", [1, 2, 1, 1], dtype=pl.Int8),
    pl.Series("y", [1.5, 2.0, 1.5, 1.5]),
    pl.Series("y", [True, False, True, True]),
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: str(labels.dtype))
def test_labels_change_where_it_was_said_and_keep_their_type(labels):
    first, second = str(labels[0]), str(labels[1])
    made = [
        decision(0, "change", second, first),
        decision(1, "keep", second, second),
        decision(2, "skip", None, first),
    ]
    table = pl.DataFrame({"x": [1, 2, 3, 4], "y": labels, "^z.*$": [0, 0, 0, 0]})
    cleaned = Decisions(4, made).cleaned(table, "y")
    assert cleaned.columns == ["x", "y", "^z.*$", "y_review"]
    assert cleaned["y"].dtype == labels.dtype
    assert cleaned["y"].to_list() == [labels[1], labels[1], labels[2], labels[3]]
    assert cleaned["y_review"].to_list() == [f"changed from {first}", "kept", "skipped", None]
    assert cleaned.drop("y", "y_review").equals(table.drop("y"))
    held = Decisions(4, made).table(labels)
    assert held["row"].to_list() == [0, 1, 2]
    assert held["given"].to_list() == labels[:3].to_list()
    assert held["label"].to_list() == [labels[1], labels[1], None]
    assert held["label"].dtype == labels.dtype
    assert held["decision"].to_list() == ["change", "keep", "skip"]


def test_the_audit_column_takes_no_name_that_there_is():
    table = pl.DataFrame({"y": ["a"], "y_review": [1]})
    cleaned = Decisions(1).cleaned(table, "y")
    assert cleaned.columns == ["y", "y_review", "y_review_"]
    assert cleaned["y_review_"].to_list() == [None]


def test_a_label_that_the_table_does_not_have_can_be_given():
    table = pl.DataFrame({"y": [1, 2]})
    cleaned = Decisions(2, [decision(0, "change", "7", "1")]).cleaned(table, "y")
    assert cleaned["y"].to_list() == [7, 2]
