"""Rounds to zero training error: the bound, and boosters that keep it."""

import math

import numpy as np
import pytest

from weakforce import DiscreteAdaBoostClassifier, Tree, datasets, rounds_to_zero_error


@pytest.mark.parametrize("n_rows", [1, 2, 10, 1000, 10**6])
@pytest.mark.parametrize("error", [0.0, 0.1, 0.3, 0.45, 0.49])
def test_it_is_the_first_round_whose_bound_is_less_than_one_row(n_rows, error):
    found = rounds_to_zero_error(1 - 2 * error, n_rows)
    gamma = 0.5 - error
    assert math.exp(-2 * gamma**2 * found) < 1 / n_rows
    assert found == 1 or math.exp(-2 * gamma**2 * (found - 1)) >= 1 / n_rows
    assert rounds_to_zero_error(1 - 2 * error, smallest_weight=1 / n_rows) == found


def test_rounds_by_hand():
    # ln(100)/(2 · 0.1²) = 230.26 and ln(8)/(2 · 0.25²) = 16.64.
    assert rounds_to_zero_error(0.2, 100) == 231
    assert rounds_to_zero_error(0.5, smallest_weight=0.125) == 17
    assert rounds_to_zero_error(np.float64(0.2), np.int64(100)) == 231


def test_more_rows_and_smaller_edges_take_more_rounds():
    by_rows = [rounds_to_zero_error(0.1, n_rows) for n_rows in (10, 100, 1000)]
    by_edge = [rounds_to_zero_error(edge, 100) for edge in (0.5, 0.2, 0.1)]
    assert by_rows == sorted(by_rows)
    assert by_edge == sorted(by_edge)


@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
@pytest.mark.parametrize("seed", range(3))
def test_adaboost_makes_no_error_after_so_many_rounds(seed, weighted):
    X, y = datasets.make_twonorm(60, seed=seed)
    weights = np.random.default_rng(seed).uniform(0.5, 1.5, 60) if weighted else np.ones(60)
    model = DiscreteAdaBoostClassifier(Tree(max_leaf_nodes=4), n_estimators=100).fit(X, y, weights)
    smallest = weights.min() / weights.sum()
    enough = rounds_to_zero_error(model.edges_.min(), smallest_weight=smallest)
    assert enough < model.n_iter_
    assert (model.train_score_[enough - 1 :] == 1.0).all()


def test_wrong_calls_name_the_parameter():
    for edge in (0.0, -0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="parameter 'edge': got"):
            rounds_to_zero_error(edge, 10)
    for share in (0.0, 1.5, float("nan")):
        with pytest.raises(ValueError, match="parameter 'smallest_weight': got"):
            rounds_to_zero_error(0.1, smallest_weight=share)
    with pytest.raises(ValueError, match="parameter 'n_rows': got 0"):
        rounds_to_zero_error(0.1, 0)
    with pytest.raises(TypeError, match=r"parameter 'n_rows': got 2\.5"):
        rounds_to_zero_error(0.1, 2.5)
    with pytest.raises(TypeError, match="parameter 'edge': got 'large'"):
        rounds_to_zero_error("large", 10)
    with pytest.raises(ValueError, match="'n_rows' and 'smallest_weight': got neither"):
        rounds_to_zero_error(0.1)
    with pytest.raises(ValueError, match="'n_rows' and 'smallest_weight': got both"):
        rounds_to_zero_error(0.1, 10, smallest_weight=0.1)
