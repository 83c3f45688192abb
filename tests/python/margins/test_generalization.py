"""Bounds on the error for new rows, against naive references, by hand and by what they must do."""

import math

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

from reference import margin_bounds as naive
from weakforce import (
    AdaBoostMHClassifier,
    AdaBoostRClassifier,
    ArcGVClassifier,
    DiscreteAdaBoostClassifier,
    LPBoostClassifier,
    MartiBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    SFBoostClassifier,
    Stump,
    Tree,
    datasets,
    margin_bounds,
    reweight,
)
from weakforce._margins.hypothesis_class import count_stumps
from weakforce._margins.theorems import (
    Sample,
    equilibrium_margin_bound,
    inverse_kl_exponents,
    margin_distribution_bound,
    smallest_margin_bound,
)

TWO = datasets.make_twonorm(300, seed=1)
THREE = datasets.make_waveform(120, n_classes=3, seed=3)
BOUNDS = ["margin_distribution", "smallest_margin", "equilibrium_margin"]
THEOREMS = (margin_distribution_bound, smallest_margin_bound, equilibrium_margin_bound)


def by_name(*arguments, **options):
    frame = margin_bounds(*arguments, **options)
    return {line["bound"]: line for line in frame.iter_rows(named=True)}


def drawn_margins(n_rows, seed, low=-0.2):
    """Margins with ties, some of them 1."""
    drawn = np.random.default_rng(seed).uniform(low, 1.1, n_rows)
    return np.sort(np.minimum(drawn.round(2), 1.0))


def sample_of(margins, n_hypotheses=500, delta=0.05):
    return Sample(np.sort(np.asarray(margins, float)), math.log(n_hypotheses), delta)


@pytest.mark.parametrize("q", [0.0, 0.001, 0.2, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("u", [1e-6, 1e-3, 0.1, 1.0, 5.0])
def test_the_inverse_divergence_is_that_of_bisection(q, u):
    t = inverse_kl_exponents(np.array([q]), np.array([u]))[0]
    assert -math.expm1(-t) == pytest.approx(naive.inverse_kl(q, u), rel=1e-9)


def test_the_inverse_divergence_by_hand():
    # KL(0‖w) = −ln(1−w), and KL(½‖w) = −½ ln(4 w (1−w)).
    t = inverse_kl_exponents(np.array([0.0, 0.5]), np.array([2.0, -0.5 * math.log(4 * 0.9 * 0.1)]))
    np.testing.assert_allclose(-np.expm1(-t), [1 - math.exp(-2), 0.9])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_hypotheses", [20, 10_000])
def test_the_equilibrium_margin_is_that_of_its_definition(seed, n_hypotheses):
    margins = drawn_margins(1000, seed)
    found = equilibrium_margin_bound(sample_of(margins, n_hypotheses))
    value, theta, error = naive.equilibrium(margins, n_hypotheses, 0.05)
    assert found.value == pytest.approx(value, rel=1e-9)
    assert (found.theta, found.margin_error) == (theta, error)


@pytest.mark.parametrize("seed", range(3))
def test_the_margin_distribution_bound_is_the_smallest_over_the_margins(seed):
    margins = drawn_margins(300, seed)
    found = margin_distribution_bound(sample_of(margins))
    places = [margin for margin in margins if margin > 0]
    values = [naive.schapire(margins, theta, 500, 0.05) for theta in places]
    assert found.value == pytest.approx(min(values))
    assert found.theta == places[int(np.argmin(values))]
    assert found.margin_error == naive.share_up_to(margins, found.theta - 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_no_place_of_a_grid_gives_a_smaller_bound_than_the_equilibrium_margin(seed):
    margins = drawn_margins(3000, seed)
    found = equilibrium_margin_bound(sample_of(margins))
    assert naive.share_up_to(margins, found.theta - 1e-9) == found.margin_error
    just_below = naive.wang(margins, found.theta - 1e-9, 500, 0.05)
    assert just_below == pytest.approx(found.value, abs=1e-6)
    for theta in np.linspace(math.sqrt(8 / 500) + 1e-9, 1.0, 100):
        assert naive.wang(margins, theta, 500, 0.05) >= found.value - 1e-12


@pytest.mark.parametrize("smallest", [0.05, 0.3, 0.36, 0.9, 1.0])
def test_the_smallest_margin_bound_is_that_of_its_statement(smallest):
    margins = np.linspace(smallest, 1.0, 20_000)
    found = smallest_margin_bound(sample_of(margins))
    assert found.theta == smallest
    assert found.margin_error == 0.0
    expected = naive.breiman(margins, 500, 0.05)
    assert found.value == (None if expected is None else pytest.approx(expected))


def test_the_smallest_margin_bound_by_hand():
    # |H| = 100, n = 10,000, θ = 1: R = 32 · 5.298317 / 10,000 = 0.0169546.
    found = smallest_margin_bound(sample_of(np.ones(10_000), 100))
    assert found.value == pytest.approx(
        0.0169546 * (9.903488 + 4.077216 + 1) + 7.600902e-4, rel=1e-5
    )


def test_the_equilibrium_margin_by_hand():
    # All margins are 1, so q = 0 and the bound is ln|H|/n + 1 − exp(−u(1)).
    n, size = 10_000, math.log(100)
    found = equilibrium_margin_bound(sample_of(np.ones(n), 100))
    u = (8 * size * math.log(2e8 / size) + size + math.log(n / 0.05)) / n
    assert found.value == pytest.approx(size / n + 1 - math.exp(-u))
    assert (found.theta, found.margin_error) == (1.0, 0.0)


def test_tiny_smallest_margins_say_nothing():
    # Above 4 √(2/|H|) there is a value, but no use in it; below that there is none.
    large = smallest_margin_bound(sample_of(np.full(1000, 0.06), 10_000))
    assert large.value > 1
    assert smallest_margin_bound(sample_of(np.full(1000, 0.05), 10_000)).value is None
    assert smallest_margin_bound(sample_of(np.full(1000, -0.5), 10_000)).value is None
    # R = 32 ln(2·10⁴)/(2 · 0.06²) is above 2n = 4.
    assert smallest_margin_bound(sample_of(np.full(2, 0.06), 10_000)).value is None


def test_equilibrium_margins_need_margins_rows_and_hypotheses():
    assert equilibrium_margin_bound(sample_of(np.full(1000, 0.05), 500)).value is None
    assert equilibrium_margin_bound(sample_of(np.ones(1000), 8)).value is None
    assert equilibrium_margin_bound(sample_of([1.0], 500)).value is None
    assert equilibrium_margin_bound(Sample(np.ones(5), 60.0, 0.05)).value is None


def test_equilibrium_margins_are_found_where_all_bounds_round_to_one():
    margins = drawn_margins(50, 1)
    found = equilibrium_margin_bound(sample_of(margins, 10_000))
    assert found.value == 1 + math.log(10_000) / 50
    assert (found.theta, found.margin_error) == naive.equilibrium(margins, 10_000, 0.05)[1:]
    assert 0.3 < found.theta < 1


@pytest.mark.parametrize("theorem", THEOREMS)
def test_more_rows_of_the_same_margins_give_smaller_bounds(theorem):
    margins = drawn_margins(500, 2, low=0.3)
    values = [theorem(sample_of(np.repeat(margins, times))).value for times in (8, 16, 32, 64)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0]


@pytest.mark.parametrize("theorem", THEOREMS)
def test_larger_margins_fewer_hypotheses_and_less_confidence_give_smaller_bounds(theorem):
    margins = drawn_margins(5000, 2, low=0.5)
    value = theorem(sample_of(margins, 1000)).value
    assert theorem(sample_of(np.minimum(margins + 0.1, 1.0), 1000)).value < value
    assert theorem(sample_of(margins, 200)).value < value
    assert theorem(sample_of(margins, 1000, delta=0.5)).value < value


def test_the_equilibrium_margin_is_at_least_the_smallest_margin():
    for seed in range(5):
        sample = sample_of(drawn_margins(2000, seed, low=0.4), 1000)
        equilibrium, smallest = equilibrium_margin_bound(sample), smallest_margin_bound(sample)
        assert equilibrium.theta >= smallest.theta
        assert equilibrium.value < smallest.value  # as Wang et al. prove


@pytest.mark.parametrize(
    "booster", [DiscreteAdaBoostClassifier, ArcGVClassifier, LPBoostClassifier]
)
def test_bounds_of_a_model_are_those_of_its_margins(booster):
    model = booster(n_estimators=20).fit(*TWO)
    found = by_name(model, *TWO, delta=0.1)
    assert list(found) == BOUNDS
    margins = model.margins(*TWO, "normalized")
    size = count_stumps(model.fitted_model_.features)
    value, theta, error = naive.equilibrium(margins, size, 0.1)
    equilibrium = found["equilibrium_margin"]
    assert equilibrium["value"] == pytest.approx(value)
    assert equilibrium["theta"] == pytest.approx(theta)
    assert equilibrium["margin_error"] == pytest.approx(
        error, abs=2 / 300
    )  # margins within rounding
    assert found["smallest_margin"]["theta"] == pytest.approx(margins.min())
    for line in found.values():
        assert line["log_hypotheses"] == pytest.approx(math.log(size))
        assert line["applies"] == (line["value"] is not None)
        assert line["vacuous"] == (line["value"] is None or line["value"] >= 1)


def test_the_order_of_rows_does_not_matter():
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(*TWO)
    order = np.random.default_rng(3).permutation(300)
    shuffled = margin_bounds(model, TWO.X[order], TWO.y[order])
    assert shuffled.equals(margin_bounds(model, *TWO))


def test_separable_rows_have_all_three_bounds_below_one():
    drawn = np.random.default_rng(1).integers(0, 2, (30_000, 1))
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(drawn, drawn[:, 0])
    found = margin_bounds(model, drawn, drawn[:, 0], log_hypotheses=math.log(1000))
    assert not found["vacuous"].any()
    assert found["theta"].to_list() == [1.0, 1.0, 1.0]
    assert found["margin_error"].to_list() == [0.0, 0.0, 0.0]


def test_stumps_are_counted_by_all_they_can_answer():
    X = pl.DataFrame({"number": [1, 2, 3, None] * 5, "word": ["a", "b", "c", "a"] * 5})
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(X, [0, 1] * 10)
    values = [[1, 2, 3, None], ["a", "b", "c", None]]
    answers = set()
    for cut in (1, 2, 3):
        for missing in (False, True):
            inside = [missing if value is None else value <= cut for value in values[0]]
            answers |= {("number", *inside), ("number", *(not side for side in inside))}
    for bits in range(16):
        answers.add(("word", *(bool(bits >> place & 1) for place in range(4))))
    # Whatever the column, the constants are the same two hypotheses.
    different = {line for line in answers if len(set(line[1:])) == 2}
    assert count_stumps(model.fitted_model_.features) == len(different) + 2


@pytest.mark.parametrize(
    ("booster", "learner"),
    [
        (DiscreteAdaBoostClassifier, Tree(max_leaf_nodes=4)),
        (DiscreteAdaBoostClassifier, Rule()),
        (DiscreteAdaBoostClassifier, RBFNet(n_centers=3)),
        (DiscreteAdaBoostClassifier, DecisionTreeClassifier(max_depth=2)),
        (RealAdaBoostClassifier, Stump(answer="vote")),
    ],
)
def test_other_votes_need_the_number_of_hypotheses_unless_they_are_stumps(booster, learner):
    model = booster(learner, n_estimators=4).fit(*TWO)
    if not isinstance(learner, Stump):
        with pytest.raises(ValueError, match="parameter 'log_hypotheses': got None"):
            margin_bounds(model, *TWO)
    found = by_name(model, *TWO, log_hypotheses=20)
    value, *_ = naive.equilibrium(model.margins(*TWO, "normalized"), math.exp(20), 0.05)
    assert found["equilibrium_margin"]["value"] == pytest.approx(value)


def test_weights_of_programs_are_votes_too():
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(*TWO)
    found = by_name(reweight(model, *TWO, C=1.0), *TWO)
    assert found["equilibrium_margin"]["applies"]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            AdaBoostRClassifier(n_estimators=3),
            "got AdaBoostRClassifier whose hypotheses answer with",
        ),
        (
            RealAdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3),
            "confidences",
        ),
        (SFBoostClassifier(n_estimators=3), "got SFBoostClassifier, which does not add up"),
        (MartiBoostClassifier(n_layers=3), "got MartiBoostClassifier, which does not add up"),
        (AdaBoostMHClassifier(n_estimators=3), "got AdaBoostMHClassifier, which does not add up"),
    ],
)
def test_models_that_are_no_votes_are_refused_by_name(model, message):
    with pytest.raises(ValueError, match=message):
        margin_bounds(model.fit(*TWO), *TWO, log_hypotheses=5.0)


def test_wrong_calls_name_the_parameter():
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(*TWO)
    for delta in (0, 1, -0.5, float("nan")):
        with pytest.raises(ValueError, match="parameter 'delta': got"):
            margin_bounds(model, *TWO, delta=delta)
    for size in (0, -1.0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="parameter 'log_hypotheses': got"):
            margin_bounds(model, *TWO, log_hypotheses=size)
    with pytest.raises(TypeError, match="parameter 'delta': got 'small'"):
        margin_bounds(model, *TWO, delta="small")
    with pytest.raises(TypeError, match="parameter 'log_hypotheses': got 'many'"):
        margin_bounds(model, *TWO, log_hypotheses="many")
    with pytest.raises(TypeError, match="parameter 'model': got str"):
        margin_bounds("model", *TWO)
    three = DiscreteAdaBoostClassifier(n_estimators=3).fit(*THREE)
    with pytest.raises(ValueError, match="for 3 classes, expected one for two classes"):
        margin_bounds(three, *THREE)
