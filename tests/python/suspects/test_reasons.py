"""Why another label is more likely: Shapley values as text."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose

from weakforce import LogitBoostClassifier, RealAdaBoostClassifier, Tree, datasets, suspect_labels

PART = re.compile(r"(\w+) = ([^()]+) \(([+−][\d.e−-]+)\)")


def noisy(n_classes, n_rows=300, seed=1):
    X, y = datasets.make_waveform(n_rows, n_classes=n_classes, seed=seed)
    wrong = np.random.default_rng(seed).random(n_rows) < 0.1
    return X, np.where(wrong, (y.to_numpy() + 1) % n_classes, y.to_numpy())


def small_booster(seed):
    """The booster that reasons are read from, as the documentation describes it."""
    learner = Tree(max_leaf_nodes=16, min_samples_leaf=20, splitter="random")
    return LogitBoostClassifier(learner, n_estimators=80, learning_rate=0.1, random_state=seed)


@pytest.mark.parametrize("method", ["one-fit", "cross-fit"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_they_are_the_largest_contributions_to_the_log_odds(n_classes, method):
    X, y = noisy(n_classes)
    found = suspect_labels(X, y, method=method, n_reasons=2, random_state=3)
    weights = None
    if method == "cross-fit":
        weights = np.maximum(1 - found.sort("row")["score"].to_numpy(), 1e-3)
    model = small_booster(3).fit(X, y, weights)
    suspects = found.filter(pl.col("given") != pl.col("suggested"))
    assert suspects.height > 10
    parts = model.contributions(X)
    for row, given, suggested, text in suspects.select(
        "row", "given", "suggested", "reasons"
    ).iter_rows():
        if n_classes == 2:
            odds = parts.select(X.columns).row(row)
            odds = 2 * np.array(odds) * (1 if suggested == 1 else -1)
        else:
            own = parts.filter(pl.col("row") == row).select(X.columns).to_numpy()
            odds = own[suggested] - own[given]
        expected = [odds[at] for at in np.argsort(-odds)[:2] if odds[at] > 0.01 * abs(odds).max()]
        expected += [odds[at] for at in np.argsort(odds)[:2] if odds[at] < -0.01 * abs(odds).max()]
        told = PART.findall(text)
        numbers = [float(number.replace("−", "-")) for _, _, number in told]
        assert_allclose(numbers, expected, rtol=0.006)
        assert text.startswith(f"for {suggested}: ") or numbers[0] < 0
        for name, value, _ in told:
            assert_allclose(float(value), X[name][row], rtol=1e-5)


def test_rows_whose_label_is_the_likely_one_have_none():
    X, y = noisy(3)
    found = suspect_labels(X, y, method="one-fit")
    likely = found["given"] == found["suggested"]
    assert found.filter(likely)["reasons"].null_count() == likely.sum()
    assert found.filter(~likely)["reasons"].null_count() == 0


def test_none_are_asked_for():
    X, y = noisy(2)
    for method in ("one-fit", "cross-fit"):
        assert "reasons" not in suspect_labels(X, y, method=method, n_reasons=0).columns


def mixed(n_rows=300):
    """Texts, missing values, odd names, and labels that follow from the texts."""
    generator = np.random.default_rng(0)
    kind = generator.choice(['a "quoted" one', "b" * 40], n_rows)
    frame = pl.DataFrame(
        {
            "what kind": kind,
            "size": [None if at % 2 else 1.5 for at in range(n_rows)],
        }
    )
    y = np.where(kind == "b" * 40, "yes", "no, never")
    y[:5] = np.where(y[:5] == "yes", "no, never", "yes")
    return frame, y


@pytest.mark.parametrize("make", [lambda X: X, lambda X: X.to_pandas(), lambda X: X.to_arrow()])
def test_values_names_and_labels_are_written_so_that_they_can_be_told_apart(make):
    X, y = mixed()
    found = suspect_labels(make(X), y, method="one-fit").head(5).sort("row")
    assert found["row"].to_list() == [0, 1, 2, 3, 4]
    for row, text in zip(range(5), found["reasons"], strict=True):
        label = "yes" if found["suggested"][row] == "yes" else '"no, never"'
        value = X["what kind"][row]
        shown = '"a \\"quoted\\" one"' if value.startswith("a") else f'"{"b" * 29}…"'
        assert text.startswith(f"for {label}: `what kind` = {shown} (+")


def test_arrays_of_objects_have_reasons_too():
    X, y = mixed()
    found = suspect_labels(X.to_numpy(), y, method="one-fit").head(5)
    assert found["reasons"].str.contains("x0 = ").all()
    missing = suspect_labels(pd.DataFrame({"a": [np.nan, 1.0] * 100}), [0, 1] * 99 + [1, 0])
    assert missing["reasons"][0].startswith("for ")
    assert "a = missing" in missing.filter(pl.col("row") == 198)["reasons"][0]


def test_an_estimator_that_cannot_be_taken_apart_still_has_reasons():
    X, y = noisy(2)
    estimator = RealAdaBoostClassifier(n_estimators=5)
    found = suspect_labels(X, y, estimator, method="one-fit")
    model = small_booster(0)
    score = found.sort("row")["score"].to_numpy()
    model.fit(X, y, np.maximum(1 - score, 1e-3))
    first = found.filter(pl.col("given") != pl.col("suggested")).row(0, named=True)
    sign = 1 if first["suggested"] == 1 else -1
    best = (2 * sign * model.contributions(X)[first["row"]].select(X.columns).to_numpy()).max()
    assert float(PART.findall(first["reasons"])[0][2]) == pytest.approx(best, rel=0.006)
