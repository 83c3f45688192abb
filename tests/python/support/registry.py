"""The boosters and weak learners that are registered, for tests that run over all of them.

A newcomer is tested by being registered. Learners whose defaults are large or slow get smaller ones
here; those that take no categories are left out where a frame has some. Soft-max boosting comes
without its random draws, which have tests of their own.
"""

from collections.abc import Callable
from typing import Any

import pytest

import weakforce
from weakforce import RBFNet, Rule, Stump, Tree


class WithDefaults:
    """A booster whose estimators have other defaults; else it is the booster."""

    def __init__(self, booster: Any, **defaults: Any) -> None:
        self.booster = booster
        self.defaults = defaults
        self.__name__ = booster.__name__

    def __call__(self, *args: Any, **parameters: Any) -> Any:
        return self.booster(*args, **{**self.defaults, **parameters})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.booster, name)


class InLayers:
    """A booster whose rounds are layers and are counted as such; else it is the booster.

    The number of its nodes grows with the square of that of its layers, so there are few.
    """

    MOST = 20

    def __init__(self, booster: Any) -> None:
        self.booster = booster
        self.__name__ = booster.__name__

    def __call__(self, *args: Any, **parameters: Any) -> Any:
        n_layers = min(parameters.pop("n_estimators", self.MOST), self.MOST)
        return self.booster(*args, **{"n_layers": n_layers, **parameters})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.booster, name)


def in_rounds(booster: Any, n_rounds: int) -> dict[str, int]:
    """The parameter of a booster or estimator that sets its number of rounds."""
    return {booster.capabilities().rounds: n_rounds}


#: What boosters are told unless a test says otherwise: not to draw, to draw by the same seed, to
#: keep all rounds, or to do nothing that depends on their number.
DEFAULTS: dict[str, dict[str, Any]] = {
    "softmax": {"n_draws": None},
    "sfboost": {"random_state": 0, "prune": False},
    "bagging": {"random_state": 0},
    "wagging": {"random_state": 0},
    "multi_boost": {"random_state": 0, "committee_size": 4},
}


def wrapped(booster: Any) -> Any:
    """The booster as tests that run over all of them take it."""
    if booster._kind in DEFAULTS:
        return WithDefaults(booster, **DEFAULTS[booster._kind])
    return InLayers(booster) if hasattr(booster, "n_layers") else booster


BOOSTERS = [wrapped(booster) for booster in weakforce.boosters()]
LEARNERS = weakforce.weak_learners()
MIXED_LEARNERS = [learner for learner in LEARNERS if learner._takes_categories]

#: Parameters that keep a learner small.
SMALL = {"tree": {"max_leaf_nodes": 5}, "rbf_net": {"n_centers": 3, "n_steps": 3}}

# Groups of boosters, by their kind: by what the core says that they can do, else by name.
# Tests name kinds by group, so that a newcomer finds its groups here only.


def _kinds(can: Callable[[Any], bool]) -> tuple[str, ...]:
    return tuple(each._kind for each in weakforce.boosters() if can(each.capabilities()))


#: Boosters whose weights are those of an optimum in every round, which leaves no learning rate.
CORRECTIVE = _kinds(lambda can: can.is_corrective)
#: Boosters that give earlier hypotheses new weights; the others never look back.
LOOKING_BACK = _kinds(lambda can: can.is_corrective or can.has_program)
#: Boosters whose hypotheses are counted: the score of a row is looked up by its bucket.
COUNTING = _kinds(lambda can: can.combines == "buckets")
#: Boosters whose hypotheses form a grid.
GRIDS = _kinds(lambda can: can.combines == "grid")
#: Boosters that minimise an expected cost, which goes on falling when all rows are right.
BY_COST = _kinds(lambda can: can.costs)
#: Boosters that take no learning rate but 1.
UNSHRUNK = _kinds(lambda can: not can.learning_rate)
#: Boosters whose hypotheses must vote when there are two classes.
VOTING = _kinds(lambda can: can.needs == "votes")
#: Boosters whose hypotheses answer with steps of their own making, whatever they are asked for.
OWN_STEPS = _kinds(lambda can: can.needs == "own_steps")
#: Boosters whose steps are the answers themselves.
GENTLE = _kinds(lambda can: can.needs == "shares")
#: Boosters that forgive rows by their influence, which is counted row by row.
FORGIVING = ("regularized",)
#: Boosters that ask for answers to all classes at once.
ASKING_FOR_ALL = ("m2",)
#: Boosters that maximise the smallest margin and forgive nothing.
HARD_MARGIN = ("lp_adaboost",)
#: Boosters whose row weights move in small steps.
SLOW_TO_MOVE = ("softboost",)
#: Committees, whose probabilities are shares of votes; of some all votes are equal, some draw anew
#: for every vote.
COMMITTEES = ("bagging", "wagging", "multi_boost", "arc_x4")
EQUAL_VOTES = ("bagging", "wagging", "arc_x4")
DRAWN_ANEW = ("bagging", "wagging", "multi_boost")
#: Boosters that sum in another order when equal rows are merged.
ROUNDED_WHEN_MERGED = (
    *ASKING_FOR_ALL,
    *BY_COST,
    *FORGIVING,
    *LOOKING_BACK,
    *OWN_STEPS,
    "arc_x4",
)
#: Boosters with which start weights change what is forgiven.
FORGIVING_BY_WEIGHT = (*FORGIVING, *CORRECTIVE)
#: Boosters with a theorem on margins, for two classes only and for any number of them.
BOUNDED_FOR_TWO_CLASSES = ("discrete", "arc_gv", "adaboost_r", "samme", "m1", *COUNTING)
BOUNDED_FOR_ALL_CLASSES = ("mh", "m2")


def weak(booster, learner, **parameters):
    """A small learner with defaults that suit the booster."""
    default = booster()._default_learner()
    if learner is Stump and isinstance(default, Stump):
        return default.set_params(**parameters)
    return learner(**{**SMALL.get(learner._kind, {}), **parameters})


def lively(booster):
    """Parameters under which few rounds take a booster somewhere; the others are no chance."""
    if booster._kind in BY_COST:
        return {"n_draws": "auto", "random_state": 0}
    if booster._kind in OWN_STEPS:
        return {"learning_rate": 1.0}
    return {"tol": 0.05} if booster._kind in SLOW_TO_MOVE else {}


def endless(booster):
    """Parameters under which a run goes on as long as it may."""
    if hasattr(booster, "n_layers"):
        return {"n_layers": 2000}
    rounds = {"n_estimators": 10**6}
    if booster._kind in CORRECTIVE:
        return {**rounds, "tol": 1e-9}
    return rounds if booster._kind in UNSHRUNK else {**rounds, "learning_rate": 0.001}


def factor_of(model):
    """What scores are multiplied by before their soft-max is taken: 1 without a temperature."""
    calibration = model.fitted_model_.calibration
    return 1.0 if calibration is None else calibration.factor


def name_of(booster, learner):
    return f"{booster.__name__.removesuffix('Classifier')}-{learner.__name__}"


GREEDY = [booster for booster in BOOSTERS if booster._kind not in LOOKING_BACK]

#: Boosters that add one hypothesis a round when there are two classes.
SINGLE = [
    booster
    for booster in BOOSTERS
    if not booster._class_by_class and not hasattr(booster, "n_layers")
]
#: Those of them whose hypotheses must vote.
VOTERS = [booster for booster in SINGLE if booster._kind in VOTING]

#: Boosters that have tests of their own for many classes or soft margins meet only these learners
#: here; with two classes, SAMME and M1 are discrete AdaBoost. M2 asks for answers to all classes at
#: once.
FEWER = {
    "arc_gv": [Stump, Tree],
    "adaboost_r": [Rule, RBFNet],
    "martiboost": [Stump, Tree, RBFNet],
    "samme": [Tree],
    "m1": [Rule],
    "mh": [Stump, RBFNet],
    "m2": [Rule, Tree],
    "softmax": [Stump, Tree, RBFNet],
    "regularized": [Stump, Rule],
    "lp_adaboost": [Stump],
    "qp_adaboost": [Tree],
    "lpboost": [Stump, RBFNet],
    "softboost": [Tree],
    "erlpboost": [Rule],
    "sfboost": [Stump, Rule, Tree],
    "logitboost": [Stump, Rule, Tree],
    "gentleboost": [Stump, Tree, RBFNet],
    "bagging": [Tree, RBFNet],
    "wagging": [Tree],
    "multi_boost": [Stump, Tree],
    "arc_x4": [Stump, Rule],
}

PAIRS = [
    (booster, learner) for booster in BOOSTERS for learner in FEWER.get(booster._kind, LEARNERS)
]


def _couples(learners):
    couples = []
    for place, booster in enumerate(BOOSTERS):
        met = [learner for learner in learners if (booster, learner) in PAIRS]
        couples.append((booster, met[place % len(met)]))
    return couples


def pairs_of(learners):
    """Every booster with every learner; quick runs take the couples among them."""
    couples = _couples(learners)
    return [
        pytest.param(*pair, id=name_of(*pair), marks=() if pair in couples else pytest.mark.slow)
        for pair in PAIRS
        if pair[1] in learners
    ]


def couples_of(learners):
    """Every booster and every learner at least once, for tests that take longer."""
    return [pytest.param(*couple, id=name_of(*couple)) for couple in _couples(learners)]


every_greedy_booster = pytest.mark.parametrize("booster", GREEDY)
every_greedy_single_booster = pytest.mark.parametrize(
    "booster", [booster for booster in SINGLE if booster in GREEDY]
)
every_greedy_pair = pytest.mark.parametrize(
    ("booster", "learner"),
    [pair for pair in pairs_of(LEARNERS) if pair.values[0] in GREEDY],
)
some_greedy_pairs = pytest.mark.parametrize(
    ("booster", "learner"),
    [pair for pair in couples_of(LEARNERS) if pair.values[0] in GREEDY],
)
every_single_booster = pytest.mark.parametrize("booster", SINGLE)
every_booster = pytest.mark.parametrize("booster", BOOSTERS)
every_learner = pytest.mark.parametrize("learner", LEARNERS)
every_mixed_learner = pytest.mark.parametrize("learner", MIXED_LEARNERS)
every_pair = pytest.mark.parametrize(("booster", "learner"), pairs_of(LEARNERS))
every_mixed_pair = pytest.mark.parametrize(("booster", "learner"), pairs_of(MIXED_LEARNERS))
some_pairs = pytest.mark.parametrize(("booster", "learner"), couples_of(LEARNERS))
some_mixed_pairs = pytest.mark.parametrize(("booster", "learner"), couples_of(MIXED_LEARNERS))
