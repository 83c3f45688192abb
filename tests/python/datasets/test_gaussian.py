"""The domains on real numbers against their densities, by moments and by integration."""

from math import log, pi, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr  # type: ignore[import-untyped, unused-ignore]
from scipy.stats import ncx2  # type: ignore[import-untyped, unused-ignore]

from support.domain_checks import probability, within_four_sigma
from weakforce import datasets


def test_twonorm_error_is_phi_of_minus_two_and_its_rule_the_sign_of_the_sum() -> None:
    domain = datasets.make_twonorm(3_000)
    assert domain.bayes is not None
    assert domain.bayes_error == pytest.approx(NormalDist().cdf(-2.0), abs=1e-15)
    assert (domain.bayes == (domain.X.sum_horizontal() > 0).cast(pl.Int8)).all()


def gaussian_moments(domain: datasets.Domain, label: int) -> tuple[float, float]:
    rows = domain.X.filter(domain.clean_y == label).to_numpy()
    return float(rows.mean()), float(rows.std(axis=0).mean())


def test_twonorm_and_ringnorm_have_the_moments_of_their_gaussians() -> None:
    a = 2.0 / sqrt(20.0)
    twonorm, ringnorm = datasets.make_twonorm(20_000), datasets.make_ringnorm(20_000)
    assert gaussian_moments(twonorm, 0) == pytest.approx((-a, 1.0), abs=0.02)
    assert gaussian_moments(twonorm, 1) == pytest.approx((a, 1.0), abs=0.02)
    assert gaussian_moments(ringnorm, 0) == pytest.approx((a, 1.0), abs=0.02)
    assert gaussian_moments(ringnorm, 1) == pytest.approx((0.0, 2.0), abs=0.04)


def test_ringnorm_posterior_and_error_follow_from_its_two_gaussians() -> None:
    domain = datasets.make_ringnorm(200)
    expected = []
    for row in domain.X.rows():
        wide = narrow = 1.0
        for value in row:
            wide *= NormalDist(0.0, 2.0).pdf(value)
            narrow *= NormalDist(2.0 / sqrt(20.0), 1.0).pdf(value)
        expected.append(wide / (wide + narrow))
    np.testing.assert_allclose(probability(domain), np.array(expected), atol=1e-12)
    # Bayes answers the narrow class in the ball |x - 4a/3|^2 < 4/3 (40 ln 2 + |a|^2 / 3)
    radius = 4.0 / 3.0 * (40.0 * log(2.0) + 4.0 / 3.0)
    error = 0.5 * (ncx2.cdf(radius / 4.0, 20, 16.0 / 9.0) + ncx2.sf(radius, 20, 4.0 / 9.0))
    assert domain.bayes_error == pytest.approx(error, abs=1e-12)


def banana_densities(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Both class densities by a plain midpoint sum over the angle."""
    spread, steps = 1.0 / 3.0, 400
    total = np.zeros((len(points), 2))
    for t in (np.arange(steps) + 0.5) * pi / steps:
        for label, centre in enumerate([(np.cos(t), np.sin(t)), (1 - np.cos(t), 0.5 - np.sin(t))]):
            total[:, label] += np.exp(-((points - centre) ** 2).sum(axis=1) / (2.0 * spread**2))
    return total / (steps * 2.0 * pi * spread**2)


def waveform_densities(points: NDArray[np.float64], bases: list[Any]) -> NDArray[np.float64]:
    """The three class densities within a plane, in closed form, up to 1 / sqrt(2 pi)."""
    columns = []
    for a, b in ((0, 1), (0, 2), (1, 2)):
        along = bases[a] - bases[b]
        length = np.linalg.norm(along)
        offset = points - bases[b]
        middle = offset @ along / length
        across = (offset**2).sum(axis=1) - middle**2
        inside = ndtr(length - middle) - ndtr(-middle)
        columns.append(np.exp(-across / 2.0) * inside / length)
    return np.stack(columns, axis=1)


def waveform_bases() -> list[NDArray[np.float64]]:
    return [np.array([max(6.0 - abs(i - c), 0.0) for i in range(1, 22)]) for c in (11, 15, 7)]


def grid(low: tuple[float, float], high: tuple[float, float], step: float) -> NDArray[np.float64]:
    axes = [np.arange(a + step / 2.0, b, step) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)


def test_banana_posterior_and_error_by_direct_integration() -> None:
    domain = datasets.make_banana(500)
    density = banana_densities(domain.X.to_numpy())
    expected = density[:, 1] / density.sum(axis=1)
    np.testing.assert_allclose(probability(domain), expected, atol=1e-4)
    step = 0.05
    density = banana_densities(grid((-3.5, -3.0), (4.5, 3.5), step)) * step**2
    assert density.sum() == pytest.approx(2.0, abs=1e-8)
    assert domain.bayes_error == pytest.approx(density.min(axis=1).sum() / 2.0, abs=3e-5)


def test_waveform_posterior_has_its_closed_form() -> None:
    three = datasets.make_waveform(400, n_classes=3)
    two = datasets.make_waveform(400)
    density = waveform_densities(three.X.to_numpy(), waveform_bases())
    expected = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(probability(three), expected, atol=1e-9)
    assert two.X.equals(three.X)
    assert two.clean_y.to_list() == [int(label == 1) for label in three.clean_y]
    np.testing.assert_allclose(probability(two), expected[:, 1], atol=1e-9)


def test_posteriors_do_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = probability(datasets.make_waveform(50, n_classes=3))
    monkeypatch.setattr("weakforce.datasets.gaussian.BLOCK_ROWS", 7)
    blocks = probability(datasets.make_waveform(50, n_classes=3))
    np.testing.assert_allclose(blocks, whole, atol=1e-12)


def test_waveform_error_by_integration_over_the_plane_of_its_bases() -> None:
    bases = waveform_bases()
    first = (bases[1] - bases[0]) / np.linalg.norm(bases[1] - bases[0])
    second = bases[2] - bases[0] - (bases[2] - bases[0]) @ first * first
    axes = np.stack([first, second / np.linalg.norm(second)], axis=1)
    flat = [(base - bases[0]) @ axes for base in bases]
    step = 0.1
    density = waveform_densities(grid((-7.0, -7.0), (18.5, 18.5), step), flat)
    density *= step**2 / (3.0 * sqrt(2.0 * pi))
    assert density.sum() == pytest.approx(1.0, abs=1e-8)
    error_of_three = 1.0 - density.max(axis=1).sum()
    error_of_two = np.minimum(density[:, 1], density[:, 0] + density[:, 2]).sum()
    three, two = datasets.make_waveform(1, n_classes=3), datasets.make_waveform(1)
    assert three.bayes_error == pytest.approx(error_of_three, abs=2e-6)
    assert two.bayes_error == pytest.approx(error_of_two, abs=2e-6)


def test_waveform_noise_reaches_both_other_classes_evenly() -> None:
    domain = datasets.make_waveform(9_000, n_classes=3, noise=0.4)
    shift = (domain.y - domain.clean_y).to_numpy() % 3
    assert within_four_sigma((shift == 1).sum(), 9_000, 0.2)
    assert within_four_sigma((shift == 2).sum(), 9_000, 0.2)


def test_three_classes_with_misleading_noise_have_no_known_error() -> None:
    assert datasets.make_waveform(5, n_classes=3, noise=0.6).bayes_error is not None
    assert datasets.make_waveform(5, n_classes=3, noise=0.7).bayes_error is None


def test_madelon_names_tell_informative_redundant_and_probe_columns_apart() -> None:
    X = datasets.make_madelon_like(500, n_features=40, n_informative=4, noise=0.0).X
    roles = [name.rsplit("_", 1)[0] for name in X.columns]
    assert roles == ["informative"] * 4 + ["redundant"] * 12 + ["probe"] * 24
    assert np.linalg.matrix_rank(X[:, :16].to_numpy()) == 4
    assert np.linalg.matrix_rank(X.to_numpy()) == 4 + 24


def test_madelon_rows_are_shuffled_and_classes_balanced() -> None:
    y = datasets.make_madelon_like(2_000, n_features=20).clean_y.to_numpy()
    assert abs(int(y.sum()) - 1_000) <= 32  # at most one row per cluster off
    assert within_four_sigma((y[1:] != y[:-1]).sum(), 1_999, 0.5)  # clusters do not stay together


def test_madelon_probes_are_useless_and_informative_columns_are_not() -> None:
    from sklearn.neighbors import (  # type: ignore[import-untyped, unused-ignore]
        KNeighborsClassifier,
    )

    domain = datasets.make_madelon_like(2_000, n_features=25, noise=0.0)
    accuracy = {}
    for role in ("informative", "probe"):
        X = domain.X.select(pl.col(f"^{role}_.*$")).to_numpy()
        model = KNeighborsClassifier().fit(X[:1_500], domain.y[:1_500].to_numpy())
        accuracy[role] = model.score(X[1_500:], domain.y[1_500:].to_numpy())
    assert accuracy["informative"] > 0.75
    assert 0.4 < accuracy["probe"] < 0.6
