"""The default and all boosters beside scikit-learn's, on noisy and on real data: `make demo`.

In: nothing. Out: a table for the Long–Servedio problem at three noise rates and for breast cancer,
one for three classes whose mistakes do not cost the same, rules as text, reasons for one answer,
labels that look wrong, then a model that is saved, loaded and compared. The exit code is 1 if the
loaded model differs.
"""

from __future__ import annotations

import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import weakforce
from weakforce import BoostingClassifier, datasets

ROUNDS = 100
SMALL_STEPS = 1_000  # rounds of soft-max boosting
THREE_CLASS_ROUNDS = 100
TRAIN_ROWS, TEST_ROWS = 2_000, 10_000

#: What it costs to take one of three waves for another: a row for each truth, a column per answer.
COST = np.array([[0, 1, 1], [3, 0, 1], [20, 5, 0]])


class Sample(NamedTuple):
    """Rows and their labels."""

    X: pl.DataFrame
    y: pl.Series


@dataclass(frozen=True)
class Task:
    """A problem: rows to learn from and rows to be tested on."""

    title: str
    train: Sample
    test: Sample


@dataclass(frozen=True)
class Result:
    """One line of the table."""

    name: str
    train_error: float
    test_error: float
    edges: Any
    smallest_margin: float
    stop_reason: str
    seconds: float


def main() -> int:
    """Train, print, save, load; return the exit code."""
    print(
        f"weakforce {weakforce.__version__}: {ROUNDS} rounds of boosted stumps, rules, trees, nets"
    )
    warm_up()
    for task in tasks():
        print_heading(task)
        print_default(task)
        for booster in two_class_boosters():
            print_result(run_ours(booster, task))
        print_result(
            run_ours(weakforce.SoftmaxBoostClassifier, task, weakforce.Stump(), SMALL_STEPS)
        )
        print_result(run_ours(weakforce.SFBoostClassifier, task))
        print_result(run_scikit_learn(task))
    print_heading(task, "other weak learners under real AdaBoost")
    for learner in (weakforce.Rule(max_literals=3), weakforce.Tree(), weakforce.RBFNet()):
        print_result(run_ours(weakforce.RealAdaBoostClassifier, task, learner))
    print_notes()
    print_three_classes()
    print_rules(task)
    print_reasons(task)
    print_suspects()
    same = reload_and_compare(task)
    print_where_next()
    return 0 if same else 1


def two_class_boosters() -> list[type[BoostingClassifier]]:
    """Return those that know two classes and learn more of them one problem at a time."""
    return [booster for booster in weakforce.boosters() if hasattr(booster, "multi_class")]


def warm_up() -> None:
    """Start the threads, so that the first time in the table is not that of starting them."""
    weakforce.DiscreteAdaBoostClassifier(n_estimators=1).fit(*datasets.make_long_servedio())


def tasks() -> Iterator[Task]:
    """Draw or load the problems, one at a time."""
    test = Sample(*datasets.make_long_servedio(TEST_ROWS, seed=2))
    for noise in (0.0, 0.2):
        train = Sample(*datasets.make_long_servedio(TRAIN_ROWS, noise=noise, seed=1))
        wrong = f"{noise:.0%} of the training labels wrong" if noise else "all labels right"
        yield Task(f"Long–Servedio, {wrong}", train, test)
    bunch = load_breast_cancer()
    X = pl.DataFrame(bunch.data, schema=[str(name) for name in bunch.feature_names])
    y = pl.Series("diagnosis", bunch.target_names[bunch.target])
    chosen, rest = train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=0)
    yield Task("Breast cancer", Sample(X[chosen], y[chosen]), Sample(X[rest], y[rest]))


def run_ours(
    booster: type[BoostingClassifier], task: Task, learner: Any = None, rounds: int = ROUNDS
) -> Result:
    """Fit one of our boosters, on the stumps it takes by default or on another learner."""
    start = time.perf_counter()
    size = "n_layers" if hasattr(booster, "n_layers") else "n_estimators"
    model = booster(learner, **{size: rounds}, random_state=0).fit(*task.train)
    seconds = time.perf_counter() - start
    return Result(
        short_name(booster) if learner is None or rounds != ROUNDS else repr(learner),
        1 - model.score(*task.train),
        1 - model.score(*task.test),
        edges_by_round(model),
        model.margins(*task.train).min(),
        model.stop_reason_,
        seconds,
    )


def edges_by_round(model: BoostingClassifier) -> Any:
    """Return the edges; a layer of a grid has the mean of its nodes that have a hypothesis."""
    if model.edges_.ndim == 1:
        return model.edges_
    has_hypothesis = model.estimator_weights_ > 0
    counts = np.maximum(has_hypothesis.sum(axis=1), 1)
    return np.where(has_hypothesis, model.edges_, 0.0).sum(axis=1) / counts


def short_name(booster: type[BoostingClassifier]) -> str:
    """Leave out what all names end with."""
    return booster.__name__.removesuffix("Classifier")


def run_scikit_learn(task: Task) -> Result:
    """Fit scikit-learn's AdaBoost; edges follow from its errors, margins from its scores."""
    (X, y), test = (
        (sample.X.to_numpy(), sample.y.to_numpy()) for sample in (task.train, task.test)
    )
    stump = DecisionTreeClassifier(max_depth=1)
    start = time.perf_counter()
    model = AdaBoostClassifier(stump, n_estimators=ROUNDS, random_state=0).fit(X, y)
    seconds = time.perf_counter() - start
    errors = model.estimator_errors_[: len(model.estimators_)]
    sign = np.where(y == model.classes_[1], 1, -1)
    return Result(
        "scikit-learn's AdaBoost",
        1 - model.score(X, y),
        1 - model.score(*test),
        1 - 2 * errors,
        (sign * model.decision_function(X)).min() / 2,  # its scores run from −2 to 2
        "–",
        seconds,
    )


def print_heading(task: Task, remark: str = "") -> None:
    """Print the title and the names of the columns."""
    (n_rows, n_columns), n_tests = task.train.X.shape, task.test.X.height
    size = f"{n_rows:,} rows, {n_tests:,} to test, {n_columns} columns"
    print(f"\n{task.title} ({remark or size})\n")
    print(f"  {'':<24}{'error in %':>15}{'edge':>15}{'smallest':>15}")
    print(
        f"  {'booster':<24}{'train':>7}{'test':>8}{'mean':>10}{'last':>9}{'margin':>11}"
        f"{'rounds':>8}  {'stopped by':<13}{'ms':>5}"
    )
    print("  " + "─" * 97)


def print_result(result: Result) -> None:
    """Print one line."""
    print(
        f"  {result.name:<24}{100 * result.train_error:>7.2f}{100 * result.test_error:>8.2f}"
        f"{number(result.edges.mean()):>10}{number(result.edges[-1]):>9}"
        f"{number(result.smallest_margin):>11}{len(result.edges):>8}"
        f"  {result.stop_reason:<13}{1000 * result.seconds:>5.0f}",
        flush=True,
    )


def print_default(task: Task) -> None:
    """Fit the default and print its line; edges and rounds mean nothing for a pool of trees."""
    start = time.perf_counter()
    model = weakforce.WeakForceClassifier(random_state=0).fit(*task.train)
    seconds = time.perf_counter() - start
    errors = (100 * (1 - model.score(*sample)) for sample in (task.train, task.test))
    known = f"estimates {model.label_noise_.rate:.0%} wrong labels"
    print(
        f"  {short_name(type(model)):<24}{next(errors):>7.2f}{next(errors):>8.2f}"
        f"{known:>38}{'':<15}{1000 * seconds:>5.0f}",
        flush=True,
    )


def number(value: float) -> str:
    """Write four decimals, or the power of ten if they would all be zero."""
    text = f"{value:.4f}" if abs(value) >= 5e-5 or value == 0 else f"{value:.0e}"
    return text.replace("-", "−")


def print_notes() -> None:
    """Say what the numbers mean."""
    print(f"""
How to read it. The test labels of the first two problems are clean: wrong labels in training
alone make the test error. Long and Servedio (2010) built the problem so that a little noise
defeats every booster that follows a convex loss, and a vote of all 21 bits is never wrong.
The edge is Σ w y h of a round under its row weights; where it goes to zero, nothing is left to
learn. The smallest margin is the least y H(x) / Σ|α| of a training row: above zero, all of them
are right. RealAdaBoost and AdaBoostR add up confidences instead of votes, so their margins have
another scale, and so has RealAdaBoost's edge. Soft-max boosting descends on the share of wrong
answers itself, which no far-off row can dominate; its steps are small, so it gets
{SMALL_STEPS:,} rounds. MartiBoost has layers for rounds, and the mean edge of their nodes; SFBoost
counts the tests that a row passes. One run each, {ROUNDS} rounds at most for the others.
WeakForce, the default, is a pool of forests and boosted trees that has nothing to tune: it chooses
how much to smooth by rows that its trees have not seen.""")


def print_three_classes() -> None:
    """Compare what boosters cost that count mistakes and one that knows what each of them costs."""
    train, test = (
        datasets.make_waveform(n_rows, n_classes=3, seed=seed)
        for n_rows, seed in ((TRAIN_ROWS, 1), (TEST_ROWS, 2))
    )
    one_by_one = {
        f"DiscreteAdaBoost, {name}": weakforce.DiscreteAdaBoostClassifier(multi_class=name)
        for name in ("ovr", "ovo")
    }
    at_once = {
        short_name(booster): booster()
        for booster in weakforce.boosters()
        if booster not in two_class_boosters()
    }
    aware = {"SoftmaxBoost, costs told": weakforce.SoftmaxBoostClassifier(cost=COST)}
    print(f"\nThree waves ({train.X.height:,} rows, {test.X.height:,} to test); cost of a mistake:")
    print("one too careful 1; taking 1 for 0: 3; 2 for 1: 5; 2 for 0: 20\n")
    print(f"  {'booster':<28}{'test error in %':>16}{'mean cost':>11}{'ms':>7}\n  " + "─" * 62)
    for name, model in (one_by_one | at_once | aware).items():
        model.set_params(n_estimators=THREE_CLASS_ROUNDS, random_state=0)
        print_cost(name, model, train, test)
    print_cost("scikit-learn's boosted trees", HistGradientBoostingClassifier(), train, test)
    print(f"  {'Bayes’ rule for mistakes':<28}{error_and_cost(test.bayes.to_numpy(), test)}")
    print("""
Bayes' rule makes the fewest mistakes that can be made, and still costs nearly twice as much as the
booster that was told the costs, which errs more often, but on the cheap side.""")


def print_cost(name: str, model: Any, train: datasets.Domain, test: datasets.Domain) -> None:
    """Fit a model and print one line."""
    start = time.perf_counter()
    model.fit(train.X, train.y)
    milliseconds = 1000 * (time.perf_counter() - start)
    line = error_and_cost(model.predict(test.X), test)
    print(f"  {name:<28}{line}{milliseconds:>7.0f}", flush=True)


def error_and_cost(answers: Any, test: datasets.Domain) -> str:
    """Write the share of mistakes and what they cost on average."""
    truth = test.y.to_numpy()
    return f"{100 * np.mean(answers != truth):>16.2f}{COST[truth, answers].mean():>11.3f}"


def print_rules(task: Task) -> None:
    """Show what a model of rules looks like."""
    model = weakforce.RealAdaBoostClassifier(weakforce.Rule(max_literals=2), n_estimators=20)
    print(f"\nTwenty rules for the {task.title.lower()} problem; the strongest first:\n")
    print(textwrap.indent(model.fit(*task.train).summary(5), "  "))


def print_reasons(task: Task) -> None:
    """Show what the columns of one row add to its score."""
    model = weakforce.RealAdaBoostClassifier(n_estimators=20).fit(*task.train)
    row = task.test.X[:1]
    parts = model.contributions(row).row(0, named=True)
    print(f"\nWhy the first patient to test is called {model.predict(row)[0]}:\n")
    for name in sorted(parts, key=lambda name: -abs(parts[name]))[:4]:
        print(f"  {parts[name]:+.2f}  {name}")
    print(f"  {sum(parts.values()):+.2f}  with all others: the score, below 0 for benign")


def print_suspects() -> None:
    """Find wrong labels among right ones."""
    noisy = datasets.make_xd6(TRAIN_ROWS // 4, noise=0.1, seed=1)
    wrong = (noisy.y != noisy.clean_y).to_numpy()
    found = weakforce.suspect_labels(noisy.X, noisy.y)["row"].to_numpy()
    print(
        f"\nOf {noisy.X.height:,} labels of XD6, {wrong.sum()} are wrong. suspect_labels finds:\n"
    )
    for n_first in (10, 50, 100):
        print(f"  {wrong[found[:n_first]].sum():>3} of them among the first {n_first}")


def reload_and_compare(task: Task) -> bool:
    """Save a model, load it, and tell whether both say the same of every test row."""
    model = weakforce.DiscreteAdaBoostClassifier(n_estimators=ROUNDS).fit(*task.train)
    print(f"\nThe first votes of the {task.title.lower()} model, with their weights:\n")
    for vote, weight in zip(model.estimators_[:3], model.estimator_weights_, strict=False):
        print(f"  {weight:.3f} × [{vote}]")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        loaded = weakforce.load(path)
        size = path.stat().st_size
    scores, loaded_scores = (m.decision_function(task.test.X) for m in (model, loaded))
    labels, loaded_labels = (m.predict(task.test.X) for m in (model, loaded))
    same = np.array_equal(scores, loaded_scores) and np.array_equal(labels, loaded_labels)
    outcome = "gives the same scores and labels" if same else "DIFFERS from the one saved"
    print(f"\nSaved ({size / 1000:.0f} kB of JSON) and loaded again, it {outcome}.")
    return same


def print_where_next() -> None:
    """Point to what a visitor may want to see next."""
    print("""
Where to look next
  README.md         what is in the library, and a first example
  weakforce.guide() which estimator for what, with measured speed and robustness
  weakforce --help  the command line (in .venv/bin): fit, predict, explain, suspects, report …
  CONTRIBUTING.md   how to add a booster in one file
  make test         all tests, Rust and Python
  make compare      speed and memory beside LightGBM, XGBoost and scikit-learn""")


if __name__ == "__main__":
    sys.exit(main())
