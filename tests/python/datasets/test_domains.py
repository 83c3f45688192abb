"""Claims about the simulated domains, each checked against a second statement of its formula.

In: domains drawn with fixed seeds. Out: shapes, truths, noise rates and Bayes rules confirmed.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import polars as pl
import pytest

from support.domain_checks import probability, same, within_four_sigma
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


@pytest.fixture(scope="module", params=BAYES_DOMAINS, ids=str)
def large_sample(request: pytest.FixtureRequest) -> datasets.Domain:
    maker, options = BAYES_DOMAINS[request.param]
    return maker(20_000, seed=7, **options)


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
    assert X is domain.X
    assert y is domain.y
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
    assert large_sample.bayes is not None
    assert large_sample.bayes_error is not None
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
    with pytest.raises(TypeError, match=r"noise must be a probability.*got 'much'"):
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
