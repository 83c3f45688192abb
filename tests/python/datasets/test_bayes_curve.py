"""The margin curve of Bayes' rule: exact on finite domains, and what big samples show."""

import numpy as np
import pytest

from weakforce import bayes_margin_curve, datasets

FINITE = {
    "led_even": lambda n, seed: datasets.make_led_even(n, noise=0.15, seed=seed),
    "led_even_17": lambda n, seed: datasets.make_led_even(n, noise=0.1, extra_bits=17, seed=seed),
    "xd6": lambda n, seed: datasets.make_xd6(n, noise=0.2, seed=seed),
    "parity": lambda n, seed: datasets.make_parity(n, noise=0.1, seed=seed),
    "long_servedio": lambda n, seed: datasets.make_long_servedio(n, noise=0.3, seed=seed),
}
CONTINUOUS = {
    "banana": lambda n, seed: datasets.make_banana(n, noise=0.1, seed=seed),
    "twonorm": lambda n, seed: datasets.make_twonorm(n, noise=0.05, seed=seed),
    "ringnorm": lambda n, seed: datasets.make_ringnorm(n, seed=seed),
    "waveform": lambda n, seed: datasets.make_waveform(n, seed=seed),
    "waveform_3": lambda n, seed: datasets.make_waveform(n, n_classes=3, noise=0.1, seed=seed),
}
THETA = np.linspace(-1, 1, 41) + 1e-7


def simulated(domain, kind="logistic"):
    """The margins of the posterior on the labels that were drawn."""
    posterior = domain.bayes_probability
    if posterior.ndim == 1:
        posterior = np.column_stack([1 - posterior, posterior])
    classes = np.unique(domain.y.to_numpy())
    codes = np.searchsorted(classes, domain.y.to_numpy())
    rows = np.arange(len(codes))
    own = posterior[rows, codes]
    others = posterior.copy()
    others[rows, codes] = -1
    other = others.max(axis=1)
    return (own - other) / (own + other) if kind == "logistic" else own - other


@pytest.mark.parametrize("name", [*FINITE, *CONTINUOUS])
def test_curve_is_that_of_a_large_sample(name):
    make = {**FINITE, **CONTINUOUS}[name]
    domain = make(20_000, 9)
    for kind in ("logistic", "normalized"):
        margins = simulated(domain, kind)
        shares = bayes_margin_curve(domain, kind=kind, theta=THETA)["share"].to_numpy()
        counted = np.array([(margins <= place).mean() for place in THETA])
        assert np.abs(shares - counted).max() < 0.018  # five standard deviations of a share


@pytest.mark.parametrize("name", FINITE)
def test_curve_of_a_finite_domain_does_not_depend_on_the_rows(name):
    few, many = FINITE[name](5, 1), FINITE[name](500, 2)
    assert bayes_margin_curve(few).equals(bayes_margin_curve(many))


@pytest.mark.parametrize("name", FINITE)
def test_curve_below_zero_ends_at_the_bayes_error(name):
    domain = FINITE[name](5, 1)
    curve = bayes_margin_curve(domain, theta=[-1e-9])
    assert curve["share"][0] == pytest.approx(domain.bayes_error)


def test_monks_are_counted_over_the_whole_grid():
    for problem in (1, 2, 3):
        domain = datasets.make_monks(problem=problem, sample="train", noise=0.25, seed=1)
        shares = datasets.make_monks(problem=problem).y.mean()
        assert domain.population.masses[1] == pytest.approx(shares)
        curve = bayes_margin_curve(domain, theta=[-0.51, -0.5, 0.49, 0.5])
        assert curve["share"].to_list() == pytest.approx([0, 0.25, 0.25, 1])


def test_xd6_is_positive_with_the_probability_of_its_formula():
    domain = datasets.make_xd6(1, noise=0.0)
    bits = (np.arange(1024)[:, None] >> np.arange(10)) & 1
    formula = bits[:, :3].all(axis=1) | bits[:, 3:6].all(axis=1) | bits[:, 6:9].all(axis=1)
    assert domain.population.masses[1] == pytest.approx(formula.mean())


def test_jumps_are_where_the_noise_says_and_are_among_the_places():
    for noise in (0.1, 0.2, 0.3, 0.4):
        curve = bayes_margin_curve(datasets.make_xd6(10, noise=noise, seed=1))
        before, after = -(1 - 2 * noise), 1 - 2 * noise
        steps = curve.filter(curve["share"].diff().fill_null(0) > 1e-9)
        assert steps["theta"].to_list() == pytest.approx([before, after])
        assert steps["share"].to_list() == pytest.approx([noise, 1.0])


def test_without_noise_all_margins_are_one():
    for domain in (datasets.make_led_even(5, noise=0.0), datasets.make_xd6(5, noise=0.0)):
        curve = bayes_margin_curve(domain, theta=[0.999, 1.0])
        error = domain.bayes_error
        assert error == 0.0
        assert curve["share"].to_list() == [0.0, 1.0]


def test_wrong_calls_name_the_parameter():
    with pytest.raises(TypeError, match="parameter 'domain': got tuple, expected a Domain"):
        bayes_margin_curve(tuple(datasets.make_xd6(5)))
    with pytest.raises(ValueError, match="kind must be one of 'logistic', 'normalized'"):
        bayes_margin_curve(datasets.make_xd6(5), kind="symmetric")
    with pytest.raises(ValueError, match="parameter 'domain': got one whose posterior"):
        bayes_margin_curve(datasets.make_madelon_like(50, n_features=10))
    with pytest.raises(ValueError, match="parameter 'theta'"):
        bayes_margin_curve(datasets.make_xd6(5), theta=[])
