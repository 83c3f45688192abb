"""Claims about the simulated domains, each checked against a second statement of its formula.

In: domains drawn with fixed seeds. Out: shapes, truths, noise rates and Bayes rules confirmed.
"""

from collections.abc import Callable
from itertools import product
from math import log, pi, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr  # type: ignore[import-untyped, unused-ignore]
from scipy.stats import ncx2  # type: ignore[import-untyped, unused-ignore]
from weakforce import datasets

Maker = Callable[..., datasets.Domain]

MAKERS: list[Maker] = [getattr(datasets, name) for name in datasets.__all__ if name != "Domain"]
LABEL_NOISE_MAKERS = [maker for maker in MAKERS if maker is not datasets.make_led_even]
ROWS_DRAWN_MAKERS = [maker for maker in LABEL_NOISE_MAKERS if maker is not datasets.make_monks]
BAYES_DOMAINS: dict[str, tuple[Maker, dict[str, Any]]] = {
    "led": (datasets.make_led_even, {}),
    "led+17": (datasets.make_led_even, {"extra_bits": 17, "noise": 0.2}),
    "led, misleading segments": (datasets.make_led_even, {"noise": 0.8}),
    "xd6": (datasets.make_xd6, {}),
    "xd6, misleading": (datasets.make_xd6, {"noise": 0.7}),
    "parity": (datasets.make_parity, {"noise": 0.3}),
    "long-servedio": (datasets.make_long_servedio, {"noise": 0.25}),
    "banana": (datasets.make_banana, {}),
    "banana, noisy": (datasets.make_banana, {"noise": 0.2}),
    "banana, misleading": (datasets.make_banana, {"noise": 0.9}),
    "twonorm": (datasets.make_twonorm, {}),
    "twonorm, noisy": (datasets.make_twonorm, {"noise": 0.1}),
    "ringnorm": (datasets.make_ringnorm, {}),
    "waveform": (datasets.make_waveform, {}),
    "waveform, noisy": (datasets.make_waveform, {"noise": 0.1}),
    "waveform, 3 classes": (datasets.make_waveform, {"n_classes": 3}),
    "waveform, 3 classes, noisy": (datasets.make_waveform, {"n_classes": 3, "noise": 0.3}),
}
LIT = ["abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg"]
DIGIT_OF = {tuple(int(s in lit) for s in "abcdefg"): digit for digit, lit in enumerate(LIT)}


@pytest.fixture(scope="module", params=BAYES_DOMAINS, ids=str)
def large_sample(request: pytest.FixtureRequest) -> datasets.Domain:
    maker, options = BAYES_DOMAINS[request.param]
    return maker(20_000, seed=7, **options)


def same(left: datasets.Domain, right: datasets.Domain) -> bool:
    return left.X.equals(right.X) and left.y.equals(right.y) and left.clean_y.equals(right.clean_y)


def probability(domain: datasets.Domain) -> NDArray[np.float64]:
    assert domain.bayes_probability is not None
    return domain.bayes_probability


def within_four_sigma(successes: Any, trials: int, chance: float) -> bool:
    deviation = sqrt(max(trials * chance * (1.0 - chance), 1e-12))
    return bool(abs(successes - trials * chance) <= 4.0 * deviation)


# ---- every domain


@pytest.mark.parametrize("maker", MAKERS)
def test_the_seed_decides_the_data(maker: Maker) -> None:
    assert same(maker(60, seed=3), maker(60, seed=3))
    assert not maker(60, seed=3).X.equals(maker(60, seed=4).X)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("n_rows", [1, 2, 57])
def test_all_parts_have_the_rows_asked_for(maker: Maker, n_rows: int) -> None:
    domain = maker(n_rows)
    X, y = domain
    assert X is domain.X and y is domain.y
    assert X.height == len(y) == len(domain.clean_y) == n_rows
    assert y.dtype == domain.clean_y.dtype
    assert X.null_count().sum_horizontal().item() == 0
    if maker is datasets.make_madelon_like:
        assert domain.bayes is None
        assert domain.bayes_probability is None
        assert domain.bayes_error is None
    else:
        assert domain.bayes is not None
        assert domain.bayes_error is not None
        assert len(domain.bayes) == len(probability(domain)) == n_rows
        assert domain.bayes.dtype == y.dtype


@pytest.mark.parametrize(
    ("maker", "columns", "dtype"),
    [
        (datasets.make_led_even, [f"segment_{s}" for s in "abcdefg"], pl.UInt8),
        (datasets.make_xd6, [f"bit_{j}" for j in range(1, 11)], pl.UInt8),
        (datasets.make_monks, [f"a{j}" for j in range(1, 7)], pl.Int8),
        (datasets.make_parity, [f"bit_{j}" for j in range(1, 11)], pl.UInt8),
        (datasets.make_long_servedio, [f"bit_{j}" for j in range(1, 22)], pl.UInt8),
        (datasets.make_banana, ["x1", "x2"], pl.Float64),
        (datasets.make_twonorm, [f"x{j}" for j in range(1, 21)], pl.Float64),
        (datasets.make_ringnorm, [f"x{j}" for j in range(1, 21)], pl.Float64),
        (datasets.make_waveform, [f"x{j}" for j in range(1, 22)], pl.Float64),
    ],
)
def test_columns_and_dtypes(maker: Maker, columns: list[str], dtype: pl.DataType) -> None:
    assert maker(40).X.schema == pl.Schema(dict.fromkeys(columns, dtype))


@pytest.mark.parametrize("maker", MAKERS)
def test_both_classes_occur_under_the_documented_labels(maker: Maker) -> None:
    labels = ["even", "odd"] if maker is datasets.make_led_even else [0, 1]
    assert maker(400).y.unique().sort().to_list() == labels


@pytest.mark.parametrize("maker", ROWS_DRAWN_MAKERS)
@pytest.mark.parametrize("noise", [0.05, 0.3, 0.6])
def test_labels_are_flipped_at_the_noise_rate_in_both_classes(maker: Maker, noise: float) -> None:
    small = {"n_features": 5} if maker is datasets.make_madelon_like else {}
    domain = maker(8_000, noise=noise, seed=11, **small)
    for label in (0, 1):
        rows = domain.clean_y == label
        flips = (domain.y != domain.clean_y).filter(rows).sum()
        assert within_four_sigma(flips, int(rows.sum()), noise)


@pytest.mark.parametrize("maker", LABEL_NOISE_MAKERS)
def test_noise_zero_keeps_and_noise_one_inverts_every_label(maker: Maker) -> None:
    kept, inverted = maker(50, noise=0.0), maker(50, noise=1.0)
    assert kept.y.equals(kept.clean_y)
    assert inverted.y.to_list() == [1 - label for label in inverted.clean_y]


# ---- Bayes' rule


def test_bayes_error_is_the_error_of_bayes(large_sample: datasets.Domain) -> None:
    assert large_sample.bayes is not None and large_sample.bayes_error is not None
    mistakes = (large_sample.bayes != large_sample.y).sum()
    assert within_four_sigma(mistakes, len(large_sample.y), large_sample.bayes_error)


def test_bayes_probability_is_calibrated(large_sample: datasets.Domain) -> None:
    classes = np.sort(large_sample.y.unique().to_numpy())
    by_class = probability(large_sample).reshape(len(large_sample.y), -1)
    if len(classes) == 2:
        assert by_class.shape[1] == 1
        classes = classes[1:]
    for label, posterior in zip(classes, by_class.T, strict=True):
        hit = large_sample.y.to_numpy() == label
        for low in np.arange(0.0, 1.0, 0.2):
            rows = (posterior >= low) & (posterior <= low + 0.2)
            p = posterior[rows]
            deviation = sqrt(float((p * (1.0 - p)).sum()) + 1e-12)
            assert abs(hit[rows].sum() - p.sum()) <= 4.0 * deviation + 1e-6


def test_bayes_answers_the_most_probable_class(large_sample: datasets.Domain) -> None:
    assert large_sample.bayes is not None
    classes = np.sort(large_sample.y.unique().to_numpy())
    p = probability(large_sample)
    by_class = np.stack([1.0 - p, p], axis=1) if p.ndim == 1 else p
    np.testing.assert_allclose(by_class.sum(axis=1), 1.0, atol=1e-12)
    assert (classes[by_class.argmax(axis=1)] == large_sample.bayes.to_numpy()).all()


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5, 0.8, 1.0])
def test_a_tie_goes_to_the_larger_class_and_the_error_is_symmetric(noise: float) -> None:
    domain = datasets.make_xd6(200, noise=noise)
    assert domain.bayes is not None
    assert domain.bayes_error == pytest.approx(min(noise, 1.0 - noise), abs=1e-15)
    for clean, answer in zip(domain.clean_y, domain.bayes, strict=True):
        assert answer == (1 if noise == 0.5 else clean if noise < 0.5 else 1 - clean)


# ---- LEDeven


def test_led_segments_without_noise_are_digits_of_the_labelled_parity() -> None:
    domain = datasets.make_led_even(500, noise=0.0)
    digits = [DIGIT_OF[row] for row in domain.X.rows()]
    assert set(digits) == set(range(10))
    assert [("even", "odd")[digit % 2] for digit in digits] == domain.y.to_list()
    assert domain.bayes_error == 0.0


def test_led_noise_inverts_each_segment_at_its_rate_and_no_label() -> None:
    n_rows = 10_000
    clean = datasets.make_led_even(n_rows, noise=0.0, seed=5)
    noisy = datasets.make_led_even(n_rows, noise=0.1, seed=5)
    assert noisy.y.equals(clean.y) and noisy.y.equals(noisy.clean_y)
    for name in clean.X.columns:
        assert within_four_sigma((clean.X[name] != noisy.X[name]).sum(), n_rows, 0.1)


def led_joint(row: tuple[int, ...], noise: float, parity: int) -> float:
    """P(display, parity) digit by digit and segment by segment."""
    total = 0.0
    for display, digit in DIGIT_OF.items():
        if digit % 2 == parity:
            chance = 0.1
            for lit, shown in zip(display, row, strict=True):
                chance *= 1.0 - noise if lit == shown else noise
            total += chance
    return total


@pytest.mark.parametrize("noise", [0.05, 0.1, 0.4])
def test_led_bayes_error_and_posterior_by_enumeration(noise: float) -> None:
    domain = datasets.make_led_even(300, noise=noise)
    displays = product((0, 1), repeat=7)
    error = sum(min(led_joint(row, noise, 0), led_joint(row, noise, 1)) for row in displays)
    assert domain.bayes_error == pytest.approx(error, abs=1e-14)
    odd = [led_joint(row, noise, 1) for row in domain.X.rows()]
    even = [led_joint(row, noise, 0) for row in domain.X.rows()]
    expected = [o / (o + e) for o, e in zip(odd, even, strict=True)]
    np.testing.assert_allclose(probability(domain), np.array(expected), atol=1e-14)


def test_led_extra_bits_are_fair_coins_that_change_nothing_else() -> None:
    plain, wide = datasets.make_led_even(4_000), datasets.make_led_even(4_000, extra_bits=17)
    assert wide.X.columns[7:] == [f"noise_{j}" for j in range(1, 18)]
    assert wide.X[:, :7].equals(plain.X) and wide.y.equals(plain.y)
    assert wide.bayes_error == plain.bayes_error
    for name in wide.X.columns[7:]:
        assert within_four_sigma(wide.X[name].sum(), 4_000, 0.5)


# ---- XD6, Monks, parity, Long-Servedio


def test_xd6_row_by_row() -> None:
    domain = datasets.make_xd6(2_000)
    for row, label in zip(domain.X.rows(), domain.clean_y, strict=True):
        v1, v2, v3, v4, v5, v6, v7, v8, v9, _ = map(bool, row)
        assert ((v1 and v2 and v3) or (v4 and v5 and v6) or (v7 and v8 and v9)) == label
    for name in domain.X.columns:
        assert within_four_sigma(domain.X[name].sum(), 2_000, 0.5)


def monks_label(problem: int, a: tuple[int, ...]) -> bool:
    if problem == 1:
        return a[0] == a[1] or a[4] == 1
    if problem == 2:
        return a.count(1) == 2
    return (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3)


@pytest.mark.parametrize(("problem", "positives"), [(1, 216), (2, 142), (3, 228)])
def test_monks_grid_holds_every_point_once_with_its_label(problem: int, positives: int) -> None:
    domain = datasets.make_monks(problem=problem)  # type: ignore[arg-type]
    grid = list(product((1, 2, 3), (1, 2, 3), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 2)))
    assert domain.X.rows() == grid
    assert domain.y.to_list() == [monks_label(problem, point) for point in grid]
    assert domain.y.sum() == positives


@pytest.mark.parametrize(("problem", "n_rows"), [(1, 124), (2, 169), (3, 122)])
def test_monks_training_sample_has_the_classic_size_without_repeats(
    problem: int, n_rows: int
) -> None:
    domain = datasets.make_monks(problem=problem, sample="train")  # type: ignore[arg-type]
    assert domain.X.shape == (n_rows, 6)
    assert domain.X.is_duplicated().sum() == 0
    assert domain.clean_y.to_list() == [monks_label(problem, row) for row in domain.X.rows()]
    assert domain.bayes_error == pytest.approx(0.05 if problem == 3 else 0.0, abs=1e-15)


def test_monks_3_training_labels_are_wrong_five_times_in_a_hundred() -> None:
    samples = [datasets.make_monks(problem=3, sample="train", seed=seed) for seed in range(100)]
    flips = sum(int((domain.y != domain.clean_y).sum()) for domain in samples)
    assert within_four_sigma(flips, 100 * 122, 0.05)


def test_monks_explicit_rows_and_noise_override_the_training_defaults() -> None:
    domain = datasets.make_monks(30, problem=3, sample="train", noise=0.0)
    assert domain.X.height == 30
    assert domain.bayes_error == 0.0


def test_monks_categorical_columns_declare_every_value() -> None:
    numbers = datasets.make_monks(20, problem=2, seed=1)
    strings = datasets.make_monks(20, problem=2, seed=1, categorical=True)
    for name, levels in zip(strings.X.columns, (3, 3, 2, 3, 4, 2), strict=True):
        assert strings.X[name].dtype == pl.Enum([str(v) for v in range(1, levels + 1)])
        assert strings.X[name].cast(pl.String).to_list() == [str(v) for v in numbers.X[name]]
    assert strings.y.equals(numbers.y)


@pytest.mark.parametrize(("n_bits", "k"), [(1, 1), (6, 2), (8, 8), (300, 290)])
def test_parity_row_by_row(n_bits: int, k: int) -> None:
    domain = datasets.make_parity(300, n_bits=n_bits, k=k)
    assert domain.X.width == n_bits
    for row, label in zip(domain.X.rows(), domain.clean_y, strict=True):
        assert row[:k].count(1) % 2 == label


@pytest.mark.parametrize("n_rows", [4_000, 403])
def test_long_servedio_has_exact_quarters_of_each_kind(n_rows: int) -> None:
    domain = datasets.make_long_servedio(n_rows, noise=0.2)
    kinds = []
    for row, label in zip(domain.X.rows(), domain.clean_y, strict=True):
        kinds.append((row[:11].count(label), row[11:].count(label)))
        assert (sum(row) > 10) == label  # the majority of the bits is the clean label
    quarter = n_rows // 4
    counts = {kind: kinds.count(kind) for kind in set(kinds)}
    assert counts == {(11, 10): quarter, (11, 0): quarter, (5, 6): n_rows - 2 * quarter}
    assert {first + last for first, last in counts} == {21, 11}


def test_long_servedio_penalizers_choose_their_bits_evenly_and_rows_are_shuffled() -> None:
    domain = datasets.make_long_servedio(8_000)
    agrees = domain.X.to_numpy() == domain.y.to_numpy()[:, None]
    is_penalizer = agrees[:, :11].sum(axis=1) == 5
    for column in range(21):
        share = 5 / 11 if column < 11 else 6 / 10
        assert within_four_sigma(agrees[is_penalizer, column].sum(), 4_000, share)
    assert within_four_sigma(domain.y.sum(), 8_000, 0.5)
    assert within_four_sigma(is_penalizer[:4_000].sum(), 4_000, 0.5)


# ---- domains on real numbers


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


# ---- refusals


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("n_rows", [0, -3])
def test_too_few_rows_are_refused_by_name(maker: Maker, n_rows: int) -> None:
    with pytest.raises(ValueError, match=rf"n_rows must be an integer >= 1.*got {n_rows}"):
        maker(n_rows)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("noise", [-0.01, 1.01, float("nan")])
def test_noise_outside_the_unit_interval_is_refused_by_name(maker: Maker, noise: float) -> None:
    with pytest.raises(ValueError, match=rf"noise must be a probability in \[0, 1\], got {noise}"):
        maker(10, noise=noise)


@pytest.mark.parametrize("maker", MAKERS)
def test_wrong_types_are_refused_by_name(maker: Maker) -> None:
    with pytest.raises(TypeError, match=r"n_rows must be an integer.*got 2\.5"):
        maker(2.5)
    with pytest.raises(TypeError, match="noise must be a probability.*got 'much'"):
        maker(10, noise="much")
    with pytest.raises(ValueError, match="seed must be an integer >= 0, got -1"):
        maker(10, seed=-1)


@pytest.mark.parametrize(
    ("maker", "options", "message"),
    [
        (datasets.make_led_even, {"extra_bits": -1}, "extra_bits must be an integer >= 0, got -1"),
        (datasets.make_monks, {"problem": 4}, "problem must be one of 1, 2, 3, got 4"),
        (datasets.make_monks, {"sample": "test"}, "sample must be one of 'grid', 'train', got"),
        (datasets.make_monks, {"n_rows": 433}, "n_rows must be .* <= 432, got 433"),
        (datasets.make_parity, {"n_bits": 4, "k": 5}, "k must be .* >= 1 and <= 4, got 5"),
        (datasets.make_parity, {"k": 0}, "k must be an integer >= 1"),
        (datasets.make_parity, {"n_bits": 0}, "n_bits must be an integer >= 1, got 0"),
        (datasets.make_waveform, {"n_classes": 4}, "n_classes must be one of 2, 3, got 4"),
        (datasets.make_madelon_like, {"n_features": 4}, "n_features must be .* >= 5, got 4"),
        (datasets.make_madelon_like, {"n_informative": 0}, "n_informative must be .* >= 1"),
    ],
)
def test_bad_parameters_are_refused_by_name(
    maker: Maker, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        maker(**options)
