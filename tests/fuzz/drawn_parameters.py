"""Random boosters, learners and parameters, sound ones and odd ones.

In: a generator, the names of the columns and the labels. Out: the entries booster, learner and
parameters of a case. What a parameter is called is read from the classes, so a new one is drawn
from `_ANY` until it has values of its own here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import weakforce
from weakforce._estimator.base import estimators

NAN, INF = {"float": "nan"}, {"float": "inf"}
_ODD_NUMBERS = [
    0,
    -1,
    0.5,
    1e300,
    1e-300,
    1000,
    NAN,
    INF,
    "x",
    None,
    True,
    10**400,
    [1],
    {"dict": []},
]
_ANY = [0, 1, 2, 0.5, 1.0, -1, NAN, "x", None, True, False, 1e308, []]

#: Sound values, most of them valid whatever else is drawn.
_SOUND: dict[str, list[Any]] = {
    "n_estimators": [1, 2, 5, 12, 30],
    "n_layers": [1, 2, 5],
    "learning_rate": [1.0, 0.1, 0.5, 2.0],
    "max_bins": [2, 3, 32, 255, 300, 65535],
    "class_weight": [None, "balanced"],
    "calibrate": [None, "sigmoid", "isotonic"],
    "noise_rate": [None, 0.1],
    "early_stopping": [True, False],
    "validation_fraction": [0.1, 0.5],
    "n_iter_no_change": [None, 1, 3],
    "scoring": ["loss", "accuracy"],
    "tol": [0.0, 1e-7, 1e-2, 1.0],
    "subsample": [1.0, 0.5, 0.1],
    "replace": [True, False],
    "resample": [True, False],
    "random_state": [0, 1, None, 2**32 - 1, 2**63, {"scalar": ["int64", 3]}],
    "n_jobs": [None, 1, 2, -1],
    "multi_class": ["ovr", "ovo", "ecoc", "ecoc-max", "shared"],
    "decode": ["score", "loss", "hamming", "vote", "coupling"],
    "phi": [0.5, 0.3, 0.9],
    "p": [2, 1],
    "C": [None, 0.1, 1.0, 2.0, 100.0],
    "nu": [0.2, 0.5, 1.0],
    "step": ["line-search", "unit", "paper", "theory"],
    "time_limit": [None, 5.0],
    "prune": [True, False],
    "shared": [True, False],
    "randomized": [True, False],
    "smoothing": [None, 0.0, 0.1],
    "n_draws": [None, "auto", 1, 5],
    "committee_size": [None, 1, 3],
    "n_trees": [None, 1, 5],
    "max_features": ["sqrt", None, 1, 0.5],
    "warm_start": [True, False],
    "verbose": [0],
    "callbacks": [None, {"stop_after": 2}, [{"stop_after": 1}]],
    "criterion": ["error", "z", "gini"],
    "answer": ["auto", "vote", "logistic", "gentle", "clipped"],
    "max_literals": [1, 2, 5],
    "min_gain": [0.0, 0.1],
    "max_leaf_nodes": [2, 3, 12, 1000],
    "max_depth": [None, 1, 3],
    "min_samples_leaf": [1, 2, 10],
    "min_weight_leaf": [0.0, 0.1],
    "splitter": ["best", "random"],
    "n_centers": [1, 3],
    "n_steps": [0, 1, 3],
    "ridge": [1e-6, 0.0, 1.0],
}
#: Odd values that are not those of every other parameter. Long runs are no findings.
_ODD = {
    "n_estimators": [0, -1, 1.5, "auto", None, True, "x", NAN],
    "n_layers": [0, -1, 1.5, None, "x"],
    "n_trees": [0, -1, 1.5, "x"],
    "n_jobs": [0, -2, 1.5, "x", True, 2**40, -(2**70)],
    "verbose": [-1, "x", None],
    "n_centers": [0, -1, 1.5, "x", 500],
    "n_steps": [-1, 1.5, "x", 200],
    "n_draws": [0, -1, 1.5, "x", 500],
    "committee_size": [0, -1, 1.5, "x", 10**6],
    "callbacks": [3, "x", [None]],
}
#: Classifiers of scikit-learn, with and without weights.
_CLASSIFIERS = [
    ["DecisionTreeClassifier", {"max_depth": 1, "random_state": 0}],
    ["DecisionTreeClassifier", {"max_leaf_nodes": 4, "random_state": 0}],
    ["GaussianNB", {}],
    ["DummyClassifier", {"strategy": "prior"}],
    ["LogisticRegression", {"max_iter": 5}],
]


def draw_booster(
    random: Random, names: Sequence[str], labels: Sequence[Any], is_array: bool
) -> dict[str, Any]:
    """Return a booster with its learner and parameters."""
    booster = random.choice(_estimators())
    known = set(booster().get_params(deep=False)) - {"estimator"}
    chosen = sorted(name for name in known if random.random() < 0.12)
    drawn = {name: _draw(random, name, names, labels) for name in chosen}
    rounds = "n_layers" if "n_layers" in known else "n_estimators"
    drawn.setdefault(rounds, random.choice(_SOUND[rounds]))
    if "n_trees" in known:
        drawn.setdefault("n_trees", random.choice([1, 3, 10]))
    return {
        "booster": booster.__name__,
        "learner": _draw_learner(random, is_array),
        "parameters": {name: value for name, value in drawn.items() if name in known},
    }


@cache
def _estimators() -> list[Any]:
    return estimators()


def _draw_learner(random: Random, is_array: bool) -> Any:
    chance = random.random()
    if chance < 0.35:
        return None
    if chance < (0.5 if is_array else 0.38):
        return {"classifier": random.choice(_CLASSIFIERS)}
    if chance < 0.4:
        return random.choice(["x", 3, {"learner": ["Stump", {"criterion": "x"}]}])
    learner = random.choice(weakforce.weak_learners())
    known = learner().get_params()
    # Nets of the default size take seconds a round on many rows.
    names = [name for name in known if random.random() < 0.3 or name in ("n_centers", "n_steps")]
    return {"learner": [learner.__name__, {name: _draw(random, name, [], []) for name in names}]}


def _draw(random: Random, name: str, names: Sequence[str], labels: Sequence[Any]) -> Any:
    """Return a value of a parameter."""
    if random.random() < 0.04:
        return random.choice(_ODD.get(name, _ODD_NUMBERS))
    if name in _BY_FRAME and random.random() < 0.7:
        return _BY_FRAME[name](random, names, labels)
    return random.choice(_SOUND.get(name, _ANY))


def _draw_categories(random: Random, names: Sequence[str], _: Sequence[Any]) -> Any:
    sound = ["from_dtype", list(names[:1]), [0], {"array": ["bool", [True] * len(names)]}]
    return random.choice(sound if random.random() < 0.9 else [["nope"], [99], [-1], [True]])


def _draw_signs(random: Random, names: Sequence[str], _: Sequence[Any]) -> Any:
    sound = [None, None, None, {"dict": [[name, random.choice([1, -1])] for name in names[:1]]}]
    if random.random() < 0.9:
        return random.choice(sound)
    return random.choice([[random.choice([-1, 0, 1]) for _ in names], {"dict": [["nope", 1]]}, [2]])


def _draw_class_weights(random: Random, _: Sequence[str], labels: Sequence[Any]) -> Any:
    distinct = {repr(label): label for label in labels}.values()
    weights = [0.5, 1.0, 3, 1e-300, 1e300]
    return {"dict": [[label, random.choice(weights)] for label in distinct if _hashable(label)]}


def _draw_costs(random: Random, _: Sequence[str], labels: Sequence[Any]) -> Any:
    count = len({repr(label) for label in labels})
    matrix = [
        [float(a != b) * random.choice([1, 2, 100]) for b in range(count)] for a in range(count)
    ]
    distinct = list({repr(label): label for label in labels}.values())
    pairs = [[{"tuple": distinct[:2]}, 3.0]] if all(map(_hashable, distinct[:2])) else []
    return random.choice([None, matrix, {"dict": pairs}, [[0, 1]], {"array": ["float64", matrix]}])


def _draw_code(random: Random, _: Sequence[str], labels: Sequence[Any]) -> Any:
    count = len({repr(label) for label in labels})
    code = [[random.choice([-1, 0, 1, 1]) for _ in range(3)] for _ in range(count)]
    if random.random() < 0.8:  # else a column may lack one of the sides
        code[:2] = [[1, 1, 1], [-1, -1, -1]][:count]
    return code


def _hashable(label: Any) -> bool:
    return not isinstance(label, list)


_BY_FRAME = {
    "categorical_features": _draw_categories,
    "monotonic_cst": _draw_signs,
    "class_weight": _draw_class_weights,
    "cost": _draw_costs,
    "multi_class": _draw_code,
}
