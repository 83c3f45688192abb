"""The number of wrong labels left comes out right on labels of which it is known."""

import numpy as np
import polars as pl
import pytest

from support.reviews import ranked
from weakforce import datasets, suspect_labels
from weakforce.review.decisions import CHANGED, KEPT
from weakforce.review.ranking import Ranking
from weakforce.review.wrong_left import WrongLeftEstimate


@pytest.fixture(scope="module", params=[0.05, 0.2])
def noisy(request):
    X, y = datasets.make_twonorm(1500, noise=0.0, seed=1)
    wrong = np.random.default_rng(1).random(1500) < request.param
    labels = np.where(wrong, 1 - y.to_numpy(), y.to_numpy())
    return Ranking.of(suspect_labels(X, labels), ""), wrong


def states_after(ranking, wrong, count):
    states = np.zeros(len(wrong), dtype=np.int8)
    settled = ranking.order[:count]
    states[settled] = np.where(wrong[settled], CHANGED, KEPT)
    return states


@pytest.mark.slow
def test_decisions_bring_it_near_what_is_left(noisy):
    ranking, wrong = noisy
    estimate = WrongLeftEstimate(ranking)
    for count in (0, 100, 300, 600):
        states = states_after(ranking, wrong, count)
        found = estimate.after(states)
        left = wrong.sum() - wrong[ranking.order[:count]].sum()
        assert found.low <= found.number <= found.high
        assert found.low - 1 <= left <= found.high + 2
        assert abs(found.number - left) <= max(12, 0.7 * left)
    whole = estimate.after(states_after(ranking, wrong, len(wrong)))
    assert (whole.number, whole.low, whole.high) == (0, 0, 0)


@pytest.fixture
def drawn():
    y = pl.Series("y", np.random.default_rng(2).integers(0, 2, 2000))
    return Ranking.of(ranked(pl.DataFrame({"y": y}), "y"), "")


def test_it_falls_when_labels_prove_right_and_rises_when_they_prove_wrong(drawn):
    estimate = WrongLeftEstimate(drawn)
    before = estimate.after(np.zeros(2000, dtype=np.int8)).number
    places = drawn.order[:50]
    states = np.zeros(2000, dtype=np.int8)
    states[places] = KEPT
    assert estimate.after(states).number < before
    states[places] = CHANGED
    assert estimate.after(states).number > before - 50


def test_a_line_that_is_known_is_found_again(drawn):
    """Labels are wrong with logit p = −1 + 0.8·logit(suspicion); 1,500 decisions find that out."""
    generator = np.random.default_rng(4)
    shares = np.clip(drawn.scores, 1e-6, 1 - 1e-6)
    chance = 1 / (1 + np.exp(1 - 0.8 * np.log(shares / (1 - shares))))
    wrong = generator.random(2000) < chance
    settled = generator.permutation(2000)[:1500]
    states = np.zeros(2000, dtype=np.int8)
    states[settled] = np.where(wrong[settled], CHANGED, KEPT)
    found = WrongLeftEstimate(drawn).after(states)
    rest = np.setdiff1d(np.arange(2000), settled)
    assert found.number == pytest.approx(chance[rest].sum(), rel=0.07)
    assert found.low < wrong[rest].sum() < found.high
