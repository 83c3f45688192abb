"""Figure 4 of Nock and Nielsen (2007): boosted rules of two literals on domains that can be drawn.

T = 50, stratified 10-fold cross-validation, error in percent, for discrete AdaBoost, AdaBoost_R and
real AdaBoost. The paper's percentages tell the sizes: 610 rows of XD6, 410 of LEDeven, and for the
Monks the training rows on top of the whole grid (its 15.74 % are 96 of 610, its 1.79 % 10 of 560).
Each of ten seeds draws the rows and the folds anew. Published is one such draw, so it should lie
among ours, or beyond the outermost by no more than the standard error of its own percentage.
"""

from functools import cache

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import StratifiedKFold

from weakforce import (
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    Rule,
    datasets,
)

pytestmark = pytest.mark.slow

SEEDS = range(10)
BOOSTERS = {
    "discrete": DiscreteAdaBoostClassifier,
    "R": AdaBoostRClassifier,
    "real": RealAdaBoostClassifier,
}


def monks(problem, seed):
    """The grid of all 432 points and a training sample of the classic size, with its noise."""
    grid = datasets.make_monks(problem=problem)
    train = datasets.make_monks(problem=problem, sample="train", seed=seed)
    return pl.concat([grid.X, train.X]), np.concatenate([grid.y, train.y])


def draw(domain, seed):
    if domain.startswith("Monks"):
        return monks(int(domain[-1]), seed)
    make, rows = {
        "XD6": (datasets.make_xd6, 610),
        "LEDeven": (datasets.make_led_even, 410),
    }[domain]
    X, y = make(rows, seed=seed)
    return X, np.asarray(y)


@cache
def errors(domain, booster, rounds=50, max_literals=2, criterion="z"):
    """The cross-validated error in percent for each seed, and the number of rows."""
    found = []
    for seed in SEEDS:
        X, y = draw(domain, seed)
        rule = Rule(max_literals=max_literals, criterion=criterion)
        model = BOOSTERS[booster](rule, n_estimators=rounds)
        wrong = 0
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(y, y):
            wrong += (model.fit(X[train], y[train]).predict(X[test]) != y[test]).sum()
        found.append(100 * wrong / len(y))
    return np.array(found), len(y)


def standard_error(percent, rows):
    return 100 * np.sqrt(percent / 100 * (1 - percent / 100) / rows)


PUBLISHED = [
    ("XD6", "discrete", 15.74),
    ("XD6", "R", 14.92),
    ("XD6", "real", 13.77),
    ("Monks1", "real", 1.50),
    ("Monks2", "discrete", 34.26),
    ("Monks2", "R", 37.70),
    ("Monks2", "real", 10.17),
    ("Monks3", "discrete", 1.43),
    ("Monks3", "R", 1.79),
    ("Monks3", "real", 1.79),
]


@pytest.mark.parametrize(("domain", "booster", "published"), PUBLISHED)
def test_published_error_lies_within_the_spread_of_ten_seeds(domain, booster, published):
    found, rows = errors(domain, booster)
    margin = standard_error(published, rows)
    assert found.min() - margin <= published <= found.max() + margin, found


@pytest.mark.parametrize("booster", BOOSTERS)
def test_led_comes_as_near_to_bayes_rule_as_its_spread_allows(booster):
    # Published are 10.24, 9.51 and 10.98 %: below the 11.03 % of Bayes' rule, a lucky draw.
    found, rows = errors("LEDeven", booster)
    bayes = 100 * datasets.make_led_even(10).bayes_error
    assert bayes == pytest.approx(11.03, abs=0.01)
    assert found.min() <= bayes + standard_error(bayes, rows)
    assert found.mean() <= bayes + 2 * standard_error(bayes, rows)


@pytest.mark.parametrize(
    ("booster", "published"), [("discrete", 11.47), ("R", 11.15), ("real", 12.46)]
)
def test_larger_rules_come_as_near_to_bayes_rule_on_xd6_as_published(booster, published):
    found, rows = errors("XD6", booster, rounds=100, max_literals=3)
    margin = standard_error(published, rows)
    assert found.min() - margin <= published <= found.max() + margin, found


@pytest.mark.parametrize("booster", ["discrete", "R"])
def test_the_others_stay_on_monks_1_where_they_stood_after_ten_rounds(booster):
    # Published are 25.18 % after 10 rounds and 13.39 and 17.50 % after 50. The pure a5 = 1 stays
    # the best rule by Z, and neither half of a1 = a2 has any gain of its own to grow from. Votes
    # chosen by their error do get away from there.
    found, rows = errors("Monks1", booster)
    margin = standard_error(25.18, rows)
    assert found.min() - margin <= 25.18 <= found.max() + margin


@pytest.mark.parametrize("domain", ["Monks1", "Monks2"])
def test_real_adaboost_is_clearly_ahead_on_monks_1_and_2(domain):
    real, _ = errors(domain, "real")
    for other in ("discrete", "R"):
        assert real.max() + 10 < errors(domain, other)[0].min()


def test_rules_chosen_by_error_bring_discrete_adaboost_to_the_published_error_on_monks_1():
    found, rows = errors("Monks1", "discrete", criterion="error")
    assert found.min() <= 13.39 <= found.max() + standard_error(13.39, rows)
    assert found.max() < errors("Monks1", "discrete")[0].min()
