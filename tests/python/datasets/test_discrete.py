"""The domains on bits and categories against their definitions, row by row and by enumeration."""

from itertools import product

import numpy as np
import polars as pl
import pytest

from support.domain_checks import probability, within_four_sigma
from weakforce import datasets

LIT = ["abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg"]
DIGIT_OF = {tuple(int(s in lit) for s in "abcdefg"): digit for digit, lit in enumerate(LIT)}


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
    assert noisy.y.equals(clean.y)
    assert noisy.y.equals(noisy.clean_y)
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
    assert wide.X[:, :7].equals(plain.X)
    assert wide.y.equals(plain.y)
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
