"""What a generator returns, and the label noise and parameter checks all generators share.

In: the features, the clean class codes and what is known of the clean posterior.
Out: a `Domain`, whose labels, posterior and Bayes error all include the label noise.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = [
    "Domain",
    "Floats",
    "LabelNoise",
    "Population",
    "Truth",
    "certain",
    "check_choice",
    "check_count",
    "check_rate",
    "random_generator",
]

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Population:
    """All observations of a finite domain, those with the same posterior taken together.

    Attributes:
        masses: the probability of each of them; they sum to 1.
        posterior: P(class | x), label noise included: a row for each, a column for each class.
    """

    masses: Floats
    posterior: Floats


@dataclass(frozen=True, eq=False)
class Domain:
    """A sample of a simulated domain. `X, y = domain` unpacks the training pair.

    Attributes:
        X: the features, one named column each.
        y: the labels, after label noise.
        clean_y: the labels before label noise.
        bayes: what Bayes' rule for the noisy labels answers on each row (a tie goes to the
            larger class); None where the posterior is unknown.
        bayes_probability: P(y = positive class | x), noise included, the positive class being
            the larger one; with K > 2 classes an array of K columns in class order; None where
            it is unknown.
        bayes_error: P(bayes != y) over the whole domain, not over this sample; None where it
            is unknown.
        population: what there is in the whole domain, for finite ones; None for the others.
    """

    X: pl.DataFrame
    y: pl.Series
    clean_y: pl.Series
    bayes: pl.Series | None = None
    bayes_probability: Floats | None = None
    bayes_error: float | None = None
    population: Population | None = None

    def __iter__(self) -> Iterator[Any]:
        """Yield X, then y; `Any` so that both keep their methods when unpacked under mypy."""
        yield self.X
        yield self.y


@dataclass(frozen=True, eq=False)
class Truth:
    """What a generator knows before label noise: class codes 0..K-1, posterior, Bayes error.

    For finite domains also the population, its posterior without label noise.
    """

    codes: NDArray[np.int64]
    posterior: Floats | None = None
    error: float | None = None
    classes: tuple[str, ...] | None = None
    population: Population | None = None

    def series(self, name: str, codes: NDArray[np.int64]) -> pl.Series:
        """Spell out class codes as labels: names if the domain has them, else small integers."""
        if self.classes is None:
            return pl.Series(name, codes, dtype=pl.Int8)
        return pl.Series(name, np.asarray(self.classes)[codes], dtype=pl.String)


@dataclass(frozen=True)
class LabelNoise:
    """Independent label noise: with probability `rate` a label becomes one of the K-1 others.

    Any rate in [0, 1] is legal. Beyond (K-1)/K the labels are misleading on purpose, and Bayes'
    rule contradicts the clean label.
    """

    rate: float
    n_classes: int = 2

    def apply(self, X: pl.DataFrame, truth: Truth, generator: np.random.Generator) -> Domain:
        """Draw the noise and complete the domain.

        With s = rate / (K-1) the posterior p becomes q = s + (1 - rate - s) p, class by class.
        """
        codes = self._corrupt(truth.codes, generator)
        y, clean_y = truth.series("y", codes), truth.series("y", truth.codes)
        if truth.posterior is None:
            return Domain(X, y, clean_y)
        posterior = self._blur(truth.posterior)
        population = truth.population
        if population is not None:
            population = Population(population.masses, self._blur(population.posterior))
        # argmax over the reversed columns, so that ties go to the larger class
        best = self.n_classes - 1 - np.argmax(posterior[:, ::-1], axis=1)
        return Domain(
            X,
            y,
            clean_y,
            bayes=truth.series("bayes", best),
            bayes_probability=posterior[:, 1] if self.n_classes == 2 else posterior,
            bayes_error=self._error(truth.error),
            population=population,
        )

    def _blur(self, posterior: Floats) -> Floats:
        """Return the posterior of the labels after noise."""
        share = self.rate / (self.n_classes - 1)
        return share + (1.0 - self.rate - share) * posterior

    def _corrupt(
        self, codes: NDArray[np.int64], generator: np.random.Generator
    ) -> NDArray[np.int64]:
        hit = generator.random(len(codes)) < self.rate
        shift = generator.integers(1, self.n_classes, size=len(codes))
        return np.where(hit, (codes + shift) % self.n_classes, codes)

    def _error(self, clean_error: float | None) -> float | None:
        """Bayes error 1 - E max q; once q falls in p, max q needs min p: known if K = 2."""
        if clean_error is None:
            return None
        share = self.rate / (self.n_classes - 1)
        slope = 1.0 - self.rate - share
        if slope >= 0.0:
            return 1.0 - share - slope * (1.0 - clean_error)
        return 1.0 - share - slope * clean_error if self.n_classes == 2 else None


def certain(codes: NDArray[np.int64], positive_share: float) -> Truth:
    """The truth of a domain of two classes whose clean label is a function of x.

    `positive_share` is the probability of the observations whose label is the larger class.
    """
    masses = np.array([1.0 - positive_share, positive_share])
    population = Population(masses, posterior=np.eye(2))
    return Truth(codes, posterior=np.eye(2)[codes], error=0.0, population=population)


def random_generator(seed: int) -> np.random.Generator:
    """The one source of randomness: the same seed gives the same domain."""
    check_count("seed", seed, at_least=0)
    return np.random.Generator(np.random.PCG64(int(seed)))


def check_count(name: str, value: int, at_least: int = 1, at_most: int | None = None) -> None:
    """Refuse anything but an integer in [at_least, at_most]."""
    wanted = f"an integer >= {at_least}" + ("" if at_most is None else f" and <= {at_most}")
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be {wanted}, got {value!r}")
    if value < at_least or (at_most is not None and value > at_most):
        raise ValueError(f"{name} must be {wanted}, got {value!r}")


def check_rate(name: str, value: float) -> None:
    """Refuse anything but a probability."""
    wanted = "a probability in [0, 1]"
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be {wanted}, got {value!r}")
    if not 0.0 <= float(value) <= 1.0:  # written so that NaN is refused as well
        raise ValueError(f"{name} must be {wanted}, got {value!r}")


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse anything but one of the choices."""
    if value not in choices:
        wanted = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {wanted}, got {value!r}")
