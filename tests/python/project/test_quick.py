"""Quick runs see every booster, every learner and every value of every parameter of a test."""

from functools import partial
from types import SimpleNamespace

import pytest

import weakforce
from support.covering import mark_surplus, values_of
from support.registry import BOOSTERS, GREEDY, LEARNERS, MIXED_LEARNERS, pairs_of


def is_quick(pair):
    return all(mark.name != "slow" for mark in pair.marks)


@pytest.mark.parametrize("learners", [LEARNERS, MIXED_LEARNERS], ids=["all", "mixed"])
def test_pairs_of_quick_runs_have_every_booster_and_every_learner(learners):
    pairs = [pair.values for pair in pairs_of(learners) if is_quick(pair)]
    assert [booster for booster, _ in pairs] == BOOSTERS
    assert {learner for _, learner in pairs} == set(learners)
    assert {learner for booster, learner in pairs if booster in GREEDY} == set(learners)


class Case:
    """What `mark_surplus` asks of an item of pytest."""

    def __init__(self, test, slow=False, **parameters):
        self.path, self.originalname = "test_file.py", test
        self.callspec = SimpleNamespace(params=parameters)
        self.is_slow = slow

    def get_closest_marker(self, name):
        return self.is_slow and name == "slow"

    def add_marker(self, marker):
        assert marker.name == "slow"
        self.is_slow = True


def test_every_value_of_every_parameter_occurs():
    cases = [Case("a", n=n, text=text) for n in range(20) for text in "xyz"]
    others = [Case("b", n=n, text="x") for n in range(3)]
    mark_surplus(cases + others)
    quick = [case.callspec.params for case in cases if not case.is_slow]
    assert {params["n"] for params in quick} == set(range(20))
    assert {params["text"] for params in quick} == set("xyz")
    assert len(quick) == 22
    assert not any(case.is_slow for case in others)


def test_slow_cases_show_no_values():
    cases = [Case("a", n=1, slow=True), Case("a", n=1), Case("a", n=1)]
    mark_surplus(cases)
    assert [case.is_slow for case in cases] == [True, False, True]


def test_parts_of_tuples_and_checks_are_values_of_their_own():
    assert values_of({"pair": (1, "a")}) & values_of({"pair": (1, "b")})
    assert values_of({"pair": (1, "a")}) != values_of({"pair": (1, "b")})
    assert values_of({"check": partial(print, 1)}) == values_of({"check": partial(print, 2)})
    assert values_of({"n": 1}) != values_of({"n": "1"})


def test_tests_share_out_the_boosters_and_each_takes_one_at_least():
    boosters = weakforce.boosters()
    taken = {}
    for test in map(str, range(30)):
        cases = [Case(test, booster=booster) for booster in boosters]
        mark_surplus(cases)
        taken[test] = {case.callspec.params["booster"] for case in cases if not case.is_slow}
    assert set().union(*taken.values()) == set(boosters)
    assert min(map(len, taken.values())) >= 1
    assert sum(map(len, taken.values())) < 0.6 * 30 * len(boosters)
