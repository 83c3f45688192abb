"""Margin pictures show the numbers of margin curves, for every booster."""

import subprocess
import sys

import matplotlib.pyplot
import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from support.pictures import close
from support.registry import every_booster
from weakforce import (
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    MarginDisplay,
    Rule,
    SFBoostClassifier,
    Stump,
    bayes_margin_curve,
    datasets,
    margin_curve,
)

TWO = datasets.make_xd6(120, noise=0.2, seed=3)
THREE = datasets.make_waveform(120, n_classes=3, seed=3)


def points(line):
    return np.asarray(line.get_xdata()), np.asarray(line.get_ydata())


@pytest.mark.slow
@pytest.mark.parametrize("domain", [TWO, THREE], ids=["two", "three"])
@every_booster
def test_every_booster_has_a_picture_of_its_margin_curves(booster, domain):
    model = booster(Stump(), n_estimators=4).fit(*domain)
    rounds = [1, model.n_iter_]
    display = MarginDisplay.from_estimator(model, *domain, rounds=rounds)
    curve = margin_curve(model, *domain, rounds=rounds)
    assert len(display.lines_) == len(set(rounds))
    for line, at in zip(display.lines_, sorted(set(rounds)), strict=True):
        part = curve.filter(pl.col("round") == at)
        theta, share = points(line)
        assert theta.tolist() == part["theta"].to_list()
        assert share.tolist() == part["share"].to_list()
    assert len(display.bound_lines_) == curve.drop_nulls("bound")["round"].n_unique()
    close(display, drawn=domain is TWO)


def test_bounds_and_bayes_rule_are_drawn_as_they_are():
    model = AdaBoostRClassifier(Rule(), n_estimators=10).fit(*TWO)
    display = MarginDisplay.from_estimator(model, *TWO, bayes=TWO)
    curve, bayes = margin_curve(model, *TWO, kind="logistic"), bayes_margin_curve(TWO)
    assert points(display.bound_lines_[0])[1].tolist() == curve["bound"].to_list()
    assert points(display.bayes_line_)[0].tolist() == bayes["theta"].to_list()
    assert points(display.bayes_line_)[1].tolist() == bayes["share"].to_list()
    named = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert named == ["after 10 rounds", "proved bound (training rows)", "Bayes’ rule"]
    close(display)


def test_bounds_can_be_left_out():
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(*TWO)
    display = MarginDisplay.from_estimator(model, *TWO, bound=False)
    assert display.bound_lines_ == []
    close(display)


def test_axes_have_names_and_all_of_the_curve():
    domain = datasets.make_long_servedio(400, noise=0.2, seed=1)
    model = SFBoostClassifier(n_estimators=5).fit(*domain)
    display = MarginDisplay.from_estimator(model, *domain, name="A name")
    low, high = display.ax_.get_xlim()
    margins = model.margins(*domain, "symmetric")
    assert low <= margins.min()
    assert high >= margins.max()
    assert "symmetric" in display.ax_.get_xlabel()
    assert display.ax_.get_ylabel() == "share of rows with margin ≤ θ"
    assert display.ax_.get_title(loc="left") == "A name"
    close(display)


def test_many_rounds_have_lines_of_different_colours_and_a_short_legend():
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(*THREE)
    display = MarginDisplay.from_estimator(model, *THREE, rounds=range(1, 21))
    assert len({tuple(line.get_color()) for line in display.lines_}) == 20
    assert len(display.ax_.get_legend().get_texts()) == 8
    close(display)


def test_axes_of_the_user_are_drawn_on_and_numbers_can_be_drawn_again():
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(*TWO)
    figure, axes = matplotlib.pyplot.subplots(1, 2)
    display = MarginDisplay.from_estimator(model, *TWO, ax=axes[0])
    assert display.ax_ is axes[0]
    assert display.figure_ is figure
    assert display.plot(axes[1]).ax_ is axes[1]
    close(display)


def test_classifiers_of_the_caller_have_margins_to_draw():
    model = DiscreteAdaBoostClassifier(LogisticRegression(), n_estimators=3).fit(*TWO)
    close(MarginDisplay.from_estimator(model, *TWO, rounds=[1, model.n_iter_]))


def test_wrong_calls_name_the_parameter():
    model = SFBoostClassifier(n_estimators=3).fit(*TWO)
    with pytest.raises(ValueError, match="kind must be one of 'logistic', 'normalized'"):
        MarginDisplay.from_estimator(model, *TWO, kind="symmetric", bayes=TWO)
    with pytest.raises(TypeError, match="parameter 'domain': got str"):
        MarginDisplay.from_estimator(model, *TWO, bayes="xd6")
    with pytest.raises(TypeError, match="parameter 'model': got int"):
        MarginDisplay.from_estimator(3, *TWO)


@pytest.mark.slow
def test_importing_the_library_does_not_import_matplotlib():
    code = "import sys, weakforce; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(*TWO)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install weakforce\[plot\]"):
        MarginDisplay.from_estimator(model, *TWO)
