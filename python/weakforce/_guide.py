"""Which estimator to take: one line for each of them.

In: nothing; this module imports nothing heavy, because help texts of the command line read its
table. Out: the table, and `guide()`, which makes a frame of it.

The module is private because a module `weakforce.guide` would hide the function of that name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

__all__ = ["guide"]

_ANY = "any"
_TWO = "two, more by multi_class"


class Line(NamedTuple):
    """What there is to know of an estimator before one takes it.

    Attributes:
        name: the name of its class.
        paper: where it comes from.
        purpose: what it is for.
        classes: how many classes it takes: any number at once, or two, more by `multi_class`.
        error: mean test error in per cent after learning from right labels.
        noisy_error: the same after learning from labels of which a fifth is wrong.
        seconds: the time of a fit.
    """

    name: str
    paper: str
    purpose: str
    classes: str
    error: float
    noisy_error: float
    seconds: float

    @property
    def speed(self) -> str:
        """Seconds as a word."""
        return _word(self.seconds, _SPEEDS)

    @property
    def robustness(self) -> str:
        """What a fifth of wrong labels costs, as a word; the test error counts, not its rise."""
        return _word(self.noisy_error, _ROBUSTNESS)


#: Words for seconds and for errors, each with the number up to which it is said.
_SPEEDS = ((0.05, "very fast"), (0.3, "fast"), (1.0, "medium"), (float("inf"), "slow"))
_ROBUSTNESS = ((8.0, "high"), (12.5, "good"), (17.0, "medium"), (float("inf"), "low"))

#: The default first, then the boosters in the order of `boosters()`. How the numbers were measured
#: is written in tests/python/guide/measurement.py: errors are means of five simulated domains of
#: two classes (XD6, twonorm, ringnorm, banana, Long–Servedio) and two seeds; 2,000 training rows,
#: defaults, one thread. Seconds are medians of processor time over the first four domains. Those of
#: the committees and of GentleBoost were measured later, beside SAMME and real AdaBoost, and are
#: multiples of what these have here.
LINES = (
    Line(
        "WeakForceClassifier",
        "this library, 2026",
        "the one to reach for: clean labels or wrong ones, any table, nothing to tune",
        _ANY, 3.3, 4.5, 2.3,
    ),
    Line(
        "DiscreteAdaBoostClassifier",
        "Freund and Schapire 1997; Rätsch, Onoda and Müller 2001",
        "votes with margins and bounds as in the textbook; small models of stumps or rules",
        _TWO, 8.0, 16.1, 0.012,
    ),
    Line(
        "ArcGVClassifier",
        "Breiman 1999",
        "the largest smallest margin: clean labels, and experiments with margins",
        _TWO, 8.0, 16.1, 0.013,
    ),
    Line(
        "RealAdaBoostClassifier",
        "Friedman, Hastie and Tibshirani 2000; Nock and Nielsen 2007",
        "rules and stumps that read well, exact contributions and shape plots",
        _TWO, 7.2, 16.8, 0.013,
    ),
    Line(
        "AdaBoostRClassifier",
        "Nock and Nielsen 2007",
        "as real AdaBoost, less sure of itself: rows that are barely right keep weight",
        _TWO, 8.6, 16.2, 0.013,
    ),
    Line(
        "GentleBoostClassifier",
        "Friedman, Hastie and Tibshirani 2000",
        "as real AdaBoost, in steps of at most 1: small pure leaves are never overly sure",
        _TWO, 7.4, 16.5, 0.013,
    ),
    Line(
        "LogitBoostClassifier",
        "Friedman, Hastie and Tibshirani 2000",
        "gradient boosting of trees under the log loss: clean labels, much data, high speed",
        _ANY, 3.9, 8.5, 0.21,
    ),
    Line(
        "MartiBoostClassifier",
        "Long and Servedio 2005; Geist 2015",
        "wrong labels, with a proof: rows never gain weight",
        _TWO, 4.4, 10.4, 0.36,
    ),
    Line(
        "SAMMEClassifier",
        "Zhu, Zou, Rosset and Hastie 2009",
        "many classes, one tree a round that votes for one of them",
        _ANY, 3.4, 10.7, 0.089,
    ),
    Line(
        "AdaBoostM1Classifier",
        "Freund and Schapire 1997",
        "as SAMME, for learners that are right on more than half of the weight",
        _ANY, 3.4, 10.7, 0.089,
    ),
    Line(
        "AdaBoostMHClassifier",
        "Schapire and Singer 1999",
        "many classes and clean labels, a tree per class and round",
        _ANY, 3.4, 10.6, 0.17,
    ),
    Line(
        "AdaBoostM2Classifier",
        "Freund and Schapire 1997",
        "many classes that are easily confused, one tree a round for all of them",
        _ANY, 3.4, 10.8, 0.17,
    ),
    Line(
        "LPAdaBoostClassifier",
        "Rätsch, Onoda and Müller 2001",
        "few votes: AdaBoost's, under the weights of the largest margin, with a proof",
        _TWO, 8.0, 16.1, 0.051,
    ),
    Line(
        "QPAdaBoostClassifier",
        "Rätsch, Onoda and Müller 2001",
        "AdaBoost's votes under the weights of a support vector machine, with a proof",
        _TWO, 7.7, 16.5, 0.053,
    ),
    Line(
        "RegularizedAdaBoostClassifier",
        "Rätsch, Onoda and Müller 2001",
        "some wrong labels: rows that stay hard are forgiven, and influence_ names them",
        _TWO, 8.0, 16.1, 0.13,
    ),
    Line(
        "LPBoostClassifier",
        "Demiriz, Bennett and Shawe-Taylor 2002",
        "the largest soft margin over all votes, with a certificate",
        _TWO, 11.4, 36.1, 3.1,
    ),
    Line(
        "SoftBoostClassifier",
        "Warmuth, Glocer and Rätsch 2007",
        "the largest soft margin, with a certificate and a bound on the rounds",
        _TWO, 25.8, 23.0, 0.19,
    ),
    Line(
        "ERLPBoostClassifier",
        "Warmuth, Glocer and Vishwanathan 2008",
        "as SoftBoost, mostly in fewer rounds",
        _TWO, 10.8, 45.7, 1.5,
    ),
    Line(
        "SoftmaxBoostClassifier",
        "Geist 2015",
        "mistakes of unequal cost, wrong labels, several labels for a row",
        _ANY, 3.7, 5.6, 0.084,
    ),
    Line(
        "SFBoostClassifier",
        "Nock and Lefaucheur 2002",
        "wrong labels, and a model of a few tests that one can count by hand",
        _TWO, 7.7, 10.3, 0.019,
    ),
    Line(
        "BaggedClassifier",
        "Breiman 1996",
        "the line to compare with: equal votes of large trees, each from a bootstrap sample",
        _ANY, 5.3, 6.6, 0.26,
    ),
    Line(
        "WaggedClassifier",
        "Bauer and Kohavi 1999; Webb 2000",
        "as bagging, with random weights, so that every tree sees all rows",
        _ANY, 5.4, 6.6, 0.26,
    ),
    Line(
        "MultiBoostClassifier",
        "Webb 2000",
        "some wrong labels: committees of AdaBoost, each from weights drawn anew",
        _ANY, 3.6, 7.5, 0.096,
    ),
    Line(
        "ArcX4Classifier",
        "Breiman 1998",
        "some wrong labels: weights that grow with mistakes but never run away, equal votes",
        _ANY, 3.6, 7.4, 0.068,
    ),
)  # fmt: skip


def _word(number: float, words: tuple[tuple[float, str], ...]) -> str:
    return next(word for most, word in words if number <= most)


def guide() -> pl.DataFrame:
    """Return one line for each estimator, the default first: choosing is reading one table.

    Returns:
        A frame with the columns

        - name: the class;
        - paper: where it comes from;
        - purpose: what it is for;
        - classes: "any" number of them at once, or "two", and more by `multi_class`;
        - speed: "very fast", "fast", "medium" or "slow", by `seconds`;
        - robustness: "high", "good", "medium" or "low", by `noisy_error`;
        - error: the mean test error in per cent on five simulated domains of two classes (XD6,
          twonorm, ringnorm, banana, Long–Servedio) after learning from 2,000 right labels;
        - noisy_error: the same after learning from labels of which a fifth is wrong;
        - seconds: the time of such a fit on one thread, as measured once on one machine.

        All were measured with their default parameters: a booster of stumps has a large error where
        stumps do not fit, whatever the labels, and does better with `Tree()` or `Rule()`; one with
        soft margins has to be told by `C` or `nu` how many labels to believe.

    Examples:
        >>> import weakforce
        >>> weakforce.guide()["name"][0]
        'WeakForceClassifier'
    """
    import polars as pl

    names = ["name", "paper", "purpose", "classes", "speed", "robustness"]
    names += ["error", "noisy_error", "seconds"]
    rows = [[getattr(line, name) for name in names] for line in LINES]
    return pl.DataFrame(rows, schema=names, orient="row")
