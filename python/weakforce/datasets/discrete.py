"""Simulated domains on bits and categories: LEDeven, XD6, Monks, parity, Long-Servedio.

In: number of rows, noise rate, seed. Out: a `Domain` of UInt8 bits (Monks: Int8 or Enum).
In all of them Bayes' rule, its posterior and its error are known exactly, and the concept
does not depend on the seed: two seeds give a training and a test sample of one problem.
"""

from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .domain import (
    Domain,
    Floats,
    LabelNoise,
    Population,
    Truth,
    certain,
    check_choice,
    check_count,
    check_rate,
    random_generator,
)

__all__ = ["make_led_even", "make_long_servedio", "make_monks", "make_parity", "make_xd6"]

SEGMENTS = "abcdefg"  # a top, then clockwise b c d e f, g the bar in the middle
LED_PATTERNS = np.array(
    [  # digits 0 to 9
        [1, 1, 1, 1, 1, 1, 0],
        [0, 1, 1, 0, 0, 0, 0],
        [1, 1, 0, 1, 1, 0, 1],
        [1, 1, 1, 1, 0, 0, 1],
        [0, 1, 1, 0, 0, 1, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [1, 0, 1, 1, 1, 1, 1],
        [1, 1, 1, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    dtype=np.uint8,
)

XD6_POSITIVE_SHARE = 1.0 - (7.0 / 8.0) ** 3  # unless all three terms fail

MONKS_LEVELS = (3, 3, 2, 3, 4, 2)
MONKS_TRAIN_ROWS = {1: 124, 2: 169, 3: 122}
MONKS_GRID: NDArray[np.int8] = np.indices(MONKS_LEVELS, dtype=np.int8).reshape(6, -1).T + np.int8(1)


def make_led_even(
    n_rows: int = 1000, *, noise: float = 0.1, extra_bits: int = 0, seed: int = 0
) -> Domain:
    """LEDeven: is the digit on a faulty seven-segment display even or odd?

    A digit d uniform in 0..9 lights its segments; each segment is then inverted with
    probability `noise`. The noise sits in the attributes, so `clean_y` equals `y`. With
    k_d(x) the number of segments in which x differs from digit d,
    P(d | x) is proportional to noise^k_d (1 - noise)^(7 - k_d); the posterior of "odd" adds up
    the five odd digits, the Bayes error runs over all 2^7 displays.

    `extra_bits=17` gives LEDeven+17: fair coins `noise_1`.. that carry no information.

    Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984 (the
    display); Nock and Nielsen, A Real generalization of discrete AdaBoost, 2007 (even/odd).
    """
    check_count("n_rows", n_rows)
    check_rate("noise", noise)
    check_count("extra_bits", extra_bits, at_least=0)
    generator = random_generator(seed)
    digits = generator.integers(10, size=n_rows)
    inverted = generator.random((n_rows, 7)) < noise
    segments = LED_PATTERNS[digits] ^ inverted.astype(np.uint8)
    coins = random_bits(generator, n_rows, extra_bits)
    names = [f"segment_{s}" for s in SEGMENTS] + [f"noise_{j + 1}" for j in range(extra_bits)]
    joint = led_joint_probability(noise)
    rows = joint[np.packbits(segments, axis=1)[:, 0] >> 1]
    possible = joint[joint.sum(axis=1) > 0]  # without noise there are ten displays
    masses = possible.sum(axis=1)
    truth = Truth(
        codes=digits % 2,
        posterior=rows / rows.sum(axis=1, keepdims=True),
        error=float(joint.min(axis=1).sum()),
        classes=("even", "odd"),
        population=Population(masses, possible / masses[:, None]),
    )
    return LabelNoise(0.0).apply(bit_frame(np.hstack([segments, coins]), names), truth, generator)


def led_joint_probability(noise: float) -> Floats:
    """P(display, class) for the 2^7 displays (segment a the highest bit) and even, odd."""
    displays = (np.arange(128)[:, None] >> np.arange(6, -1, -1)) & 1
    differing = (displays[:, None, :] != LED_PATTERNS[None, :, :]).sum(axis=2)
    given_digit = float(noise) ** differing * (1.0 - float(noise)) ** (7 - differing)
    return np.stack([given_digit[:, parity::2].sum(axis=1) / 10.0 for parity in (0, 1)], axis=1)


def make_xd6(n_rows: int = 1000, *, noise: float = 0.1, seed: int = 0) -> Domain:
    """XD6: a three-term formula over ten fair bits, the last of which is irrelevant.

    y = (x1 and x2 and x3) or (x4 and x5 and x6) or (x7 and x8 and x9), inverted with
    probability `noise`. Columns bit_1..bit_10; labels 0 and 1; Bayes error min(noise, 1-noise).

    Buntine and Niblett, A further comparison of splitting rules for decision-tree induction,
    1992; Nock and Nielsen 2007.
    """
    check_count("n_rows", n_rows)
    check_rate("noise", noise)
    generator = random_generator(seed)
    bits = random_bits(generator, n_rows, 10)
    term_holds = bits[:, :9].reshape(n_rows, 3, 3).min(axis=2)
    truth = certain(term_holds.max(axis=1).astype(np.int64), XD6_POSITIVE_SHARE)
    return LabelNoise(noise).apply(bit_frame(bits), truth, generator)


def make_monks(
    n_rows: int | None = None,
    *,
    problem: Literal[1, 2, 3] = 1,
    sample: Literal["grid", "train"] = "grid",
    noise: float | None = None,
    categorical: bool = False,
    seed: int = 0,
) -> Domain:
    """The three Monk's problems on six attributes with 3, 3, 2, 3, 4 and 2 values.

    1: a1 = a2 or a5 = 1.
    2: exactly two of the six attributes have the value 1.
    3: (a5 = 3 and a4 = 1) or (a5 != 4 and a2 != 3).

    Rows are drawn without replacement from the 432 points. `sample` sets two defaults:
    "grid" gives all points in lexicographic order, without noise (the classic test set);
    "train" gives as many as the classic training set has (124, 169, 122; drawn anew by
    `seed`, not the published rows) and, in problem 3, label noise of 5 %. An explicit
    `n_rows` or `noise` overrides them. Columns a1..a6 are Int8 from 1 on, or Enum strings
    "1", "2", .. with `categorical=True`. Labels 0 and 1; Bayes error min(noise, 1-noise).

    Thrun et al., The MONK's problems: a performance comparison of different learning
    algorithms, 1991.
    """
    check_choice("problem", problem, (1, 2, 3))
    check_choice("sample", sample, ("grid", "train"))
    training = sample == "train"
    if noise is None:
        noise = 0.05 if training and problem == 3 else 0.0
    check_rate("noise", noise)
    generator = random_generator(seed)
    points = MONKS_GRID
    if n_rows is not None or training:
        n_rows = MONKS_TRAIN_ROWS[problem] if n_rows is None else n_rows
        check_count("n_rows", n_rows, at_most=len(points))
        points = points[generator.permutation(len(points))[:n_rows]]
    positive_share = float(monks_concept(MONKS_GRID, problem).mean())
    truth = certain(monks_concept(points, problem).astype(np.int64), positive_share)
    return LabelNoise(noise).apply(monks_frame(points, categorical), truth, generator)


def monks_concept(points: NDArray[np.int8], problem: Literal[1, 2, 3]) -> NDArray[np.bool_]:
    """The noise-free label of each point."""
    a1, a2, _, a4, a5, _ = points.T
    if problem == 1:
        return np.asarray((a1 == a2) | (a5 == 1))
    if problem == 2:
        return np.asarray((points == 1).sum(axis=1) == 2)
    return np.asarray(((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3)))


def monks_frame(points: NDArray[np.int8], categorical: bool) -> pl.DataFrame:
    """Columns a1..a6 as Int8, or as Enum whose declared set is every value of the attribute."""
    frame = pl.DataFrame(points, schema=[f"a{j + 1}" for j in range(6)], orient="row")
    if not categorical:
        return frame
    declared = [pl.Enum([str(v + 1) for v in range(levels)]) for levels in MONKS_LEVELS]
    return frame.select(
        pl.col(name).cast(pl.String).cast(kind)
        for name, kind in zip(frame.columns, declared, strict=True)
    )


def make_parity(
    n_rows: int = 1000, *, n_bits: int = 10, k: int = 3, noise: float = 0.0, seed: int = 0
) -> Domain:
    """Parity: y = x1 xor .. xor xk over `n_bits` fair bits, inverted with probability `noise`.

    No test on fewer than k bits has any edge, which makes it the hard case for weak learners.
    The relevant bits are the first k, so that all seeds share one concept. Columns bit_1..;
    labels 0 and 1; Bayes error min(noise, 1-noise).
    """
    check_count("n_rows", n_rows)
    check_count("n_bits", n_bits)
    check_count("k", k, at_most=n_bits)
    check_rate("noise", noise)
    generator = random_generator(seed)
    bits = random_bits(generator, n_rows, n_bits)
    truth = certain(bits[:, :k].sum(axis=1, dtype=np.int64) % 2, positive_share=0.5)
    return LabelNoise(noise).apply(bit_frame(bits), truth, generator)


def make_long_servedio(n_rows: int = 4000, *, noise: float = 0.0, seed: int = 0) -> Domain:
    """Long-Servedio: 21 bits on which label noise defeats every convex potential booster.

    The clean label y is a fair coin. A quarter of the rows have a large margin (all bits = y),
    a quarter are pullers (bits 1-11 = y, 12-21 = 1-y), the rest, one half, are penalizers
    (5 random ones of the first 11 bits and 6 random ones of the last 10 equal y, all others
    1-y). The quarters are exact (n_rows // 4) and the row order is random. Each label is then
    inverted with probability `noise`; take noise=0 for test rows.

    Counting the ones among bits 1-11 and 12-21, y = 1 gives (11,10), (11,0) or (5,6) and
    y = 0 gives (0,0), (0,10) or (6,4): no pair occurs twice, so x determines the clean label
    (it is the majority of the bits) and the Bayes error is min(noise, 1-noise).

    Long and Servedio, Random classification noise defeats all convex potential boosters,
    2010; Geist, Soft-max boosting, 2015, section 5.5.2.
    """
    check_count("n_rows", n_rows)
    check_rate("noise", noise)
    generator = random_generator(seed)
    codes = generator.integers(2, size=n_rows)
    quarter = n_rows // 4
    n_penalizers = n_rows - 2 * quarter
    agrees = np.ones((n_rows, 21), dtype=np.uint8)
    agrees[quarter : 2 * quarter, 11:] = 0
    for columns, chosen in ((slice(0, 11), 5), (slice(11, 21), 6)):
        first_chosen = np.arange(columns.stop - columns.start) < chosen
        pattern = np.tile(first_chosen, (n_penalizers, 1))
        agrees[2 * quarter :, columns] = generator.permuted(pattern, axis=1)
    agrees = generator.permutation(agrees)
    bits = np.where(codes[:, None] == 1, agrees, 1 - agrees)
    truth = certain(codes, positive_share=0.5)
    return LabelNoise(noise).apply(bit_frame(bits), truth, generator)


def random_bits(generator: np.random.Generator, n_rows: int, n_bits: int) -> NDArray[np.uint8]:
    """Independent fair bits."""
    return generator.integers(2, size=(n_rows, n_bits), dtype=np.uint8)


def bit_frame(bits: NDArray[np.uint8], names: list[str] | None = None) -> pl.DataFrame:
    """Bits as UInt8 columns, called bit_1, bit_2, .. unless named."""
    names = [f"bit_{j + 1}" for j in range(bits.shape[1])] if names is None else names
    return pl.DataFrame(bits, schema=names, orient="row")
