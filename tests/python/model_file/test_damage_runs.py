"""Damage to the fields in which hypotheses are stored: every length, index and number is checked.

In: a small file of every learner. What any field can suffer is tried on all of them; what an index
may not say is listed by learner.
"""

import json

import pytest

from support.registry import LEARNERS, every_learner
from support.small_model_files import changed, file_of, refuse, small_model
from weakforce import RBFNet, Rule, Stump, Tree

WHOLE = {learner: file_of(small_model(learner)) for learner in LEARNERS}
RUN = {learner: json.loads(whole)["hypotheses"][0] for learner, whole in WHOLE.items()}

FIELDS = [(learner, field) for learner, run in RUN.items() for field in run if field != "kind"]
of_every_field = pytest.mark.parametrize(("learner", "field"), FIELDS)


def damage(learner, place, value, where=""):
    refuse(changed(WHOLE[learner], f"hypotheses.0.{place}", value), where)


@every_learner
def test_the_files_hold_every_field(learner):
    assert all(entries for entries in RUN[learner].values())
    assert len(json.loads(WHOLE[learner])["hypotheses"]) == 1


@pytest.mark.parametrize("value", [None, {}, 3, "stump", [3], [[]], [None], [{}]])
def test_what_is_no_list_of_runs_is_refused(value):
    refuse(changed(WHOLE[Stump], "hypotheses", value), "hypotheses")


@every_learner
def test_unknown_kinds_and_fields_are_refused(learner):
    damage(learner, "kind", "code", "hypotheses.*code")
    damage(learner, "kind", None, "hypotheses")
    damage(learner, "kind", 3, "hypotheses")
    damage(learner, "surprise", 1, "hypotheses")
    for other in set(LEARNERS) - {learner}:
        damage(learner, "kind", other._kind, "hypotheses")


def test_classifiers_of_others_are_never_in_a_file():
    damage(Stump, "kind", "external", "hypotheses")
    external = [{"kind": "external", "real": [True] * 5}]
    refuse(changed(WHOLE[Stump], "hypotheses", external), r"hypotheses\[0\].*not in the file")


@of_every_field
@pytest.mark.parametrize("value", [None, 3, "x", {}, True])
def test_a_field_that_is_no_list_is_refused(learner, field, value):
    if field == "share" and value is None:
        pytest.skip("models of older files have no shares")
    damage(learner, field, value, "hypotheses")


@of_every_field
@pytest.mark.parametrize("entry", ["1", None, {}, [[]]])
def test_an_entry_of_another_type_is_refused(learner, field, entry):
    damage(learner, f"{field}.0", entry, "hypotheses")


@of_every_field
def test_an_entry_too_few_or_too_many_is_refused(learner, field):
    entries = RUN[learner][field]
    damage(learner, field, entries[:-1], r"hypotheses\[0\]")
    if field != "share":  # which models of older files do not have
        damage(learner, field, [], r"hypotheses\[0\]")
    if field != "subsets":  # those that no test points at harm nobody
        damage(learner, field, [*entries, entries[-1]], r"hypotheses\[0\]")


@of_every_field
@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "nan"])
def test_entries_that_are_not_finite_are_refused(learner, field, token):
    head, tail = WHOLE[learner].decode().split(f'"{field}":[', 1)
    refuse(f'{head}"{field}":[{token},{tail}'.encode(), "")


@of_every_field
@pytest.mark.parametrize("index", [-1, 0.5, 2**16, 2**63, 2**64 - 1, 2**64, 10**30])
def test_indices_far_out_are_refused(learner, field, index):
    entry = RUN[learner][field][0]
    if type(entry) is not int:
        pytest.skip("no index")
    if field in ("rows", "rows_inside") and index == 2**16:
        pytest.skip("a large count is a count")
    damage(learner, f"{field}.0", index, "hypotheses")


def places_of(learner, wanted):
    """The entries that test a number column (or, if not wanted, a category column)."""
    columns = RUN[learner]["column"]
    return [at for at, column in enumerate(columns) if (column == 0) == wanted]


@pytest.mark.parametrize("learner", [Stump, Tree])
def test_tests_of_stumps_and_trees_are_checked(learner):
    number, category = places_of(learner, True)[0], places_of(learner, False)[0]
    damage(learner, "column.0", 3, r"hypotheses\[0\].column.*entry 0 is 3")
    damage(learner, f"test.{number}", 3, rf"hypotheses\[0\].test.*entry {number} is 3")
    damage(learner, f"test.{category}", 99, rf"hypotheses\[0\].test.*entry {category} is 99")
    subset = RUN[learner]["test"][category]
    for codes in ([3], [65535], [1, 0], [1, 1]):
        damage(learner, f"subsets.{subset}", codes, r"hypotheses\[0\].subsets")
    for codes in ([65536], [-1], [0.5], "0"):
        damage(learner, f"subsets.{subset}", codes, "hypotheses")
    damage(learner, "missing_inside.0", 1, "hypotheses")


def test_literals_of_rules_are_checked():
    number, category = places_of(Rule, True)[0], places_of(Rule, False)[0]
    damage(Rule, "column.0", 3, r"hypotheses\[0\].column.*entry 0 is 3")
    damage(Rule, f"wants.{number}", 6, rf"hypotheses\[0\].wants.*entry {number} is 6")
    for at, wants in ((number, 2), (number, 3), (category, 0), (category, 1)):
        damage(Rule, f"wants.{at}", wants, rf"hypotheses\[0\].wants.*entry {at} does not fit")
    damage(Rule, f"code.{number}", 2, rf"hypotheses\[0\].code.*entry {number} is 2")
    damage(Rule, f"code.{category}", 3, rf"hypotheses\[0\].code.*entry {category} is 3")
    for share in (-0.25, 1.5):
        damage(Rule, "share.0", share, r"hypotheses\[0\].share.*entry 0")


def test_counts_of_literals_and_splits_must_add_up():
    for learner, field in ((Rule, "literals"), (Tree, "splits"), (RBFNet, "units")):
        counts = RUN[learner][field]
        for wrong in (counts[0] + 1, max(0, counts[0] - 1), 10**6, 2**64 - 1):
            if wrong != counts[0]:
                damage(learner, f"{field}.0", wrong, rf"hypotheses\[0\].{field}")
        huge = [2**63, 2**63, *counts[2:]]
        damage(learner, field, huge, rf"hypotheses\[0\].{field}")


def test_hypotheses_must_read_what_the_model_reads():
    for learner, reads in ((Stump, "numbers"), (RBFNet, "codes"), (Tree, "frame"), (Rule, 3)):
        refuse(changed(WHOLE[learner], "reads", reads), "")
    for learner, other in ((Stump, RBFNet), (RBFNet, Stump)):
        runs = [RUN[learner], RUN[other]]
        refuse(changed(WHOLE[learner], "hypotheses", runs), "")


def test_only_a_leaf_that_is_there_can_be_split():
    assert RUN[Tree]["leaf"][0] == 0
    damage(Tree, "leaf.0", 1, r"hypotheses\[0\].leaf.*entry 0 is 1")
    damage(Tree, "leaf.1", 2, r"hypotheses\[0\].leaf.*entry 1 is 2")
