"""Simulated domains on real numbers: banana, twonorm, ringnorm, waveform, Madelon-like.

In: number of rows, label noise rate, seed. Out: a `Domain` of Float64 columns x1, x2, ..
All but Madelon carry Bayes' rule: each class is a Gaussian, or a Gaussian moved along a curve
whose density is one smooth integral. Labels are 0 and 1 (waveform also 0, 1, 2).
"""

from collections.abc import Callable
from math import erfc, sqrt

import numpy as np
import polars as pl
from numpy.polynomial.legendre import leggauss

from .domain import (
    Domain,
    Floats,
    LabelNoise,
    Truth,
    check_choice,
    check_count,
    check_rate,
    random_generator,
)

__all__ = ["make_banana", "make_madelon_like", "make_ringnorm", "make_twonorm", "make_waveform"]

NORM_DIMENSIONS = 20
NORM_MEAN = 2.0 / sqrt(NORM_DIMENSIONS)  # each coordinate, so that the mean has length 2
# Ringnorm's rule is a ball, so both class errors are noncentral chi-square probabilities with
# 20 degrees of freedom: half of P[X(16/9) < r/4] + P[X(4/9) > r], r = (160 ln 2 + 16/3) / 3.
RINGNORM_BAYES_ERROR = 0.012396608103172689

BANANA_SPREAD = 1.0 / 3.0
# Two-dimensional integrals of the density that Bayes' rule gets wrong, good to the digits shown
# (waveform's densities differ only within the plane through its three base waves).
BANANA_BAYES_ERROR = 0.10390
WAVEFORM_BAYES_ERROR = {2: 0.082588, 3: 0.132933}

WAVEFORM_BASES = np.maximum(6.0 - np.abs(np.arange(1, 22) - np.array([[11], [15], [7]])), 0.0)
WAVEFORM_PAIRS = ((0, 1), (0, 2), (1, 2))  # the two base waves that a class mixes
QUADRATURE_NODES = 64  # log densities then differ from a 200-node rule by less than 1e-11
BLOCK_ROWS = 65_536  # bounds the memory of the rows-by-nodes distance matrix


def make_banana(n_rows: int = 1000, *, noise: float = 0.0, seed: int = 0) -> Domain:
    """Banana: two interlocking half circles, blurred.

    With t uniform in [0, pi], class 0 is (cos t, sin t) and class 1 is (1 - cos t, 1/2 - sin t),
    both plus independent normal noise of standard deviation 1/3 in each coordinate; classes
    are equally likely. The definition is this library's own: it has the shape and roughly the
    difficulty (Bayes error 10.4 %) of the banana set in Rätsch, Onoda and Müller, Soft margins
    for AdaBoost, 2001, whose generator was not published. `noise` inverts labels.

    The class densities are integrals over t, computed to about 1e-11; `bayes_error` is good to
    five decimals.
    """
    check_count("n_rows", n_rows)
    check_rate("noise", noise)
    generator = random_generator(seed)
    codes = generator.integers(2, size=n_rows)
    angle = np.pi * generator.random(n_rows)
    centre = np.where(codes[:, None] == 0, upper_arc(angle), lower_arc(angle))
    points = centre + BANANA_SPREAD * generator.standard_normal((n_rows, 2))
    log_density = np.stack(
        [
            log_density_along(lambda u: upper_arc(np.pi * u), points, BANANA_SPREAD),
            log_density_along(lambda u: lower_arc(np.pi * u), points, BANANA_SPREAD),
        ],
        axis=1,
    )
    truth = Truth(codes, soft_max(log_density), BANANA_BAYES_ERROR)
    return LabelNoise(noise).apply(number_frame(points), truth, generator)


def upper_arc(angle: Floats) -> Floats:
    """Class 0 of banana: the upper half of the unit circle."""
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def lower_arc(angle: Floats) -> Floats:
    """Class 1 of banana: the lower half of the unit circle around (1, 1/2)."""
    return np.stack([1.0 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)


def make_twonorm(n_rows: int = 1000, *, noise: float = 0.0, seed: int = 0) -> Domain:
    """Twonorm: two unit Gaussians in 20 dimensions, with means (a, .., a) and (-a, .., -a).

    a = 2 / sqrt(20); class 1 is the one at +a; classes are equally likely. The log-odds of
    class 1 are 2 a sum(x), the clean Bayes error is Phi(-2) = 2.275 %. `noise` inverts labels.

    Breiman, Bias, variance, and arcing classifiers, 1996.
    """
    check_count("n_rows", n_rows)
    check_rate("noise", noise)
    generator = random_generator(seed)
    codes = generator.integers(2, size=n_rows)
    normal = generator.standard_normal((n_rows, NORM_DIMENSIONS))
    points = normal + NORM_MEAN * (2 * codes[:, None] - 1)
    log_odds = 2.0 * NORM_MEAN * points.sum(axis=1)
    posterior = soft_max(np.stack([np.zeros(n_rows), log_odds], axis=1))
    truth = Truth(codes, posterior, 0.5 * erfc(sqrt(2.0)))
    return LabelNoise(noise).apply(number_frame(points), truth, generator)


def make_ringnorm(n_rows: int = 1000, *, noise: float = 0.0, seed: int = 0) -> Domain:
    """Ringnorm: a narrow Gaussian inside a wide one, in 20 dimensions.

    Class 1 is N(0, 4 I), class 0 is N((a, .., a), I) with a = 2 / sqrt(20); classes are equally
    likely. The log-odds of class 1 are |x - a|^2 / 2 - |x|^2 / 8 - 20 ln 2, so Bayes' rule
    answers 0 inside a ball; its clean error is 1.240 %. `noise` inverts labels.

    Breiman 1996. Copies of the definition disagree on a: 1 / sqrt(20) would have a Bayes error
    of 1.497 %, and the ringnorm set of Rätsch et al. was drawn with 2 / sqrt(20).
    """
    check_count("n_rows", n_rows)
    check_rate("noise", noise)
    generator = random_generator(seed)
    codes = generator.integers(2, size=n_rows)
    normal = generator.standard_normal((n_rows, NORM_DIMENSIONS))
    points = np.where(codes[:, None] == 1, 2.0 * normal, normal + NORM_MEAN)
    wide = -(points**2).sum(axis=1) / 8.0 - NORM_DIMENSIONS * np.log(2.0)
    narrow = -((points - NORM_MEAN) ** 2).sum(axis=1) / 2.0
    posterior = soft_max(np.stack([narrow, wide], axis=1))
    truth = Truth(codes, posterior, RINGNORM_BAYES_ERROR)
    return LabelNoise(noise).apply(number_frame(points), truth, generator)


def make_waveform(
    n_rows: int = 1000, *, n_classes: int = 2, noise: float = 0.0, seed: int = 0
) -> Domain:
    """Waveform: a random mixture of two out of three triangular waves, plus unit noise.

    With h1(i) = max(6 - |i - 11|, 0), h2(i) = h1(i - 4), h3(i) = h1(i + 4) for i = 1..21 and u
    uniform in [0, 1], x = u h_a + (1 - u) h_b + N(0, I), where (a, b) is (1,2), (1,3) or (2,3)
    for the equally likely wave classes 0, 1, 2. `n_classes=3` keeps them (Bayes error 13.3 %).
    `n_classes=2` is the problem of Rätsch et al., a third of whose rows are positive: wave
    class 1 is labelled 1, the others 0 (8.26 %). `noise` moves a label to another class.

    The class densities are integrals over u, computed to about 1e-11; `bayes_error` is good to
    six decimals.

    Breiman, Friedman, Olshen and Stone 1984; Rätsch, Onoda and Müller 2001.
    """
    check_count("n_rows", n_rows)
    check_choice("n_classes", n_classes, (2, 3))
    check_rate("noise", noise)
    generator = random_generator(seed)
    waves = generator.integers(3, size=n_rows)
    share = generator.random((n_rows, 1))
    first, second = np.asarray(WAVEFORM_PAIRS)[waves].T
    mixture = share * WAVEFORM_BASES[first] + (1.0 - share) * WAVEFORM_BASES[second]
    points = mixture + generator.standard_normal(mixture.shape)
    posterior = waveform_posterior(points)
    truth = Truth(waves, posterior, WAVEFORM_BAYES_ERROR[3])
    if n_classes == 2:
        positive = posterior[:, 1:2]
        posterior = np.hstack([1.0 - positive, positive])
        truth = Truth((waves == 1).astype(np.int64), posterior, WAVEFORM_BAYES_ERROR[2])
    return LabelNoise(noise, n_classes).apply(number_frame(points), truth, generator)


def waveform_posterior(points: Floats) -> Floats:
    """P(wave class | x), one column per wave class."""

    def between(a: int, b: int) -> Callable[[Floats], Floats]:
        return lambda u: np.outer(u, WAVEFORM_BASES[a]) + np.outer(1.0 - u, WAVEFORM_BASES[b])

    columns = [log_density_along(between(a, b), points, 1.0) for a, b in WAVEFORM_PAIRS]
    return soft_max(np.stack(columns, axis=1))


def make_madelon_like(
    n_rows: int = 2000,
    *,
    n_features: int = 500,
    n_informative: int = 5,
    noise: float = 0.01,
    seed: int = 0,
) -> Domain:
    """Madelon-like: Gaussian clusters on the corners of a cube, hidden among useless columns.

    Each of the 2^n_informative corners of a cube of side 2 holds a cluster, half of the corners
    belong to each class at random. The columns are informative_1.., then redundant_1.. (random
    linear combinations of them, up to three for each informative one, as in Madelon) and
    probe_1.. (pure noise). `noise` inverts labels. Bayes' rule is not known.

    The corners' classes and the combinations depend on the seed: for a training and a test
    sample of the same problem, draw one domain and split its rows.

    scikit-learn's make_classification; Guyon et al., Result analysis of the NIPS 2003 feature
    selection challenge, 2005.
    """
    # Costs more than all the rest of this module to import.
    from sklearn.datasets import (  # type: ignore[import-untyped, unused-ignore]
        make_classification,
    )

    check_count("n_rows", n_rows)
    check_count("n_informative", n_informative, at_most=16)
    check_count("n_features", n_features, at_least=n_informative)
    check_rate("noise", noise)
    generator = random_generator(seed)
    n_redundant = min(3 * n_informative, n_features - n_informative)
    points, codes = make_classification(
        n_samples=n_rows,
        n_features=n_features,
        n_informative=n_informative,
        n_redundant=n_redundant,
        n_clusters_per_class=2 ** (n_informative - 1),
        flip_y=0.0,
        shuffle=False,  # keeps the columns in the order of their names
        random_state=int(generator.integers(2**32)),
    )
    order = generator.permutation(n_rows)
    roles = {"informative": n_informative, "redundant": n_redundant}
    roles["probe"] = n_features - n_informative - n_redundant
    names = [f"{role}_{j + 1}" for role, count in roles.items() for j in range(count)]
    truth = Truth(codes[order].astype(np.int64))
    return LabelNoise(noise).apply(number_frame(points[order], names), truth, generator)


def log_density_along(curve: Callable[[Floats], Floats], points: Floats, spread: float) -> Floats:
    """Log of the integral over u in [0, 1] of exp(-|x - curve(u)|^2 / (2 spread^2)), for each x.

    Gauss-Legendre quadrature; the normalising constant, equal for all classes, is left out.
    """
    nodes, weights = leggauss(QUADRATURE_NODES)
    centres, log_weights = curve((nodes + 1.0) / 2.0), np.log(weights / 2.0)
    result = np.empty(len(points))
    for start in range(0, len(points), BLOCK_ROWS):
        block = points[start : start + BLOCK_ROWS]
        squares = (block**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
        terms = log_weights - (squares - 2.0 * block @ centres.T) / (2.0 * spread**2)
        peak = terms.max(axis=1, keepdims=True)
        total = np.exp(terms - peak).sum(axis=1)
        result[start : start + BLOCK_ROWS] = peak[:, 0] + np.log(total)
    return result


def soft_max(scores: Floats) -> Floats:
    """Posterior of equally likely classes from their log densities, one column per class."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def number_frame(points: Floats, names: list[str] | None = None) -> pl.DataFrame:
    """Numbers as Float64 columns, called x1, x2, .. unless named."""
    names = [f"x{j + 1}" for j in range(points.shape[1])] if names is None else names
    return pl.DataFrame(points, schema=names, orient="row")
