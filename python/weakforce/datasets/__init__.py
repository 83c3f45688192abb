"""Simulated domains with a known truth, for tests, examples and experiments.

In: a number of rows, a noise rate and a seed. Out: a `Domain`, which unpacks as
`X, y = make_xd6(500)` and also carries the labels before noise and Bayes' rule.
`discrete` holds the domains on bits and categories, `gaussian` those on real numbers,
`domain` what they share, `bayes_curve` the margins of Bayes' rule (`weakforce.bayes_margin_curve`).
"""

from .discrete import (
    make_led_even,
    make_long_servedio,
    make_monks,
    make_parity,
    make_xd6,
)
from .domain import Domain
from .gaussian import (
    make_banana,
    make_madelon_like,
    make_ringnorm,
    make_twonorm,
    make_waveform,
)

__all__ = [
    "Domain",
    "make_banana",
    "make_led_even",
    "make_long_servedio",
    "make_madelon_like",
    "make_monks",
    "make_parity",
    "make_ringnorm",
    "make_twonorm",
    "make_waveform",
    "make_xd6",
]
