"""How the numbers of `weakforce.guide()` were measured.

In: nothing; `python tests/python/guide/measurement.py` takes minutes. Out: a line for each
estimator, to be copied into `python/weakforce/_guide.py`: its mean test error in per cent on five
simulated domains after learning from right labels and from labels of which a fifth is wrong, and
the median of its seconds of processor time for 2,000 rows. All have their default parameters and
one thread; test labels are right. Test errors are means of the seeds.
"""

from __future__ import annotations

import time

import numpy as np

from weakforce import datasets
from weakforce._estimator.base import estimators

DOMAINS = {
    "xd6": lambda n_rows, seed: datasets.make_xd6(n_rows, noise=0.0, seed=seed),
    "twonorm": lambda n_rows, seed: datasets.make_twonorm(n_rows, seed=seed),
    "ringnorm": lambda n_rows, seed: datasets.make_ringnorm(n_rows, seed=seed),
    "banana": lambda n_rows, seed: datasets.make_banana(n_rows, seed=seed),
    "long_servedio": lambda n_rows, seed: datasets.make_long_servedio(n_rows, seed=seed),
}
NOISE = (0.0, 0.2)
SEEDS = (1, 2)
N_ROWS, N_TEST = 2000, 5000


def measure(estimator):
    """Return the mean errors in per cent by noise, and the median of seconds."""
    errors = {noise: [] for noise in NOISE}
    seconds = []
    for make in DOMAINS.values():
        for seed in SEEDS:
            X, y = make(N_ROWS, seed)
            X_test, y_test = make(N_TEST, 100 + seed)
            turned = np.random.default_rng(seed).random(N_ROWS)
            for noise in NOISE:
                labels = np.where(turned < noise, 1 - y.to_numpy(), y.to_numpy())
                began = time.process_time()
                model = estimator(random_state=seed, n_jobs=1).fit(X, labels)
                seconds.append(time.process_time() - began)
                errors[noise].append(100 * np.mean(model.predict(X_test) != y_test.to_numpy()))
    return *(round(float(np.mean(found)), 1) for found in errors.values()), float(
        np.median(seconds)
    )


def main():
    for estimator in estimators():
        clean, noisy, seconds = measure(estimator)
        print(f"{estimator.__name__}: {clean}, {noisy}, {seconds:.2g}", flush=True)


if __name__ == "__main__":
    main()
