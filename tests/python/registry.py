"""The boosters and weak learners that are registered, for tests that run over all of them.

A newcomer is tested by being registered. Learners whose defaults are large or slow get smaller ones
here; those that take no categories are left out where a frame has some.
"""

from itertools import cycle

import pytest

import weakforce
from weakforce import Stump

BOOSTERS = weakforce.boosters()
LEARNERS = weakforce.weak_learners()
MIXED_LEARNERS = [learner for learner in LEARNERS if learner._takes_categories]

#: Parameters that keep a learner small.
SMALL = {"tree": {"max_leaf_nodes": 5}, "rbf_net": {"n_centers": 3, "n_steps": 3}}


def weak(booster, learner, **parameters):
    """A small learner with defaults that suit the booster."""
    if learner is Stump:
        return booster()._default_learner().set_params(**parameters)
    return learner(**{**SMALL.get(learner._kind, {}), **parameters})


def name_of(booster, learner):
    return f"{booster.__name__.removesuffix('Classifier')}-{learner.__name__}"


PAIRS = [(booster, learner) for booster in BOOSTERS for learner in LEARNERS]


def pairs_of(learners):
    """Every booster with every learner."""
    pairs = [pair for pair in PAIRS if pair[1] in learners]
    return [pytest.param(*pair, id=name_of(*pair)) for pair in pairs]


def couples_of(learners):
    """Every booster and every learner at least once, for tests that take longer."""
    turns = max(len(learners), len(BOOSTERS))
    pairs = zip(cycle(BOOSTERS), cycle(learners), range(turns), strict=False)
    return [
        pytest.param(booster, learner, id=name_of(booster, learner))
        for booster, learner, _ in pairs
    ]


every_booster = pytest.mark.parametrize("booster", BOOSTERS)
every_learner = pytest.mark.parametrize("learner", LEARNERS)
every_mixed_learner = pytest.mark.parametrize("learner", MIXED_LEARNERS)
every_pair = pytest.mark.parametrize(("booster", "learner"), pairs_of(LEARNERS))
every_mixed_pair = pytest.mark.parametrize(("booster", "learner"), pairs_of(MIXED_LEARNERS))
some_pairs = pytest.mark.parametrize(("booster", "learner"), couples_of(LEARNERS))
some_mixed_pairs = pytest.mark.parametrize(("booster", "learner"), couples_of(MIXED_LEARNERS))
