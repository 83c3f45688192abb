"""Learning pictures show the numbers of the rounds, for every booster."""

import matplotlib.pyplot
import numpy as np
import pytest

from support.pictures import close
from support.registry import every_booster
from weakforce import (
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    LearningDisplay,
    MartiBoostClassifier,
    SFBoostClassifier,
    SoftmaxBoostClassifier,
    Stump,
    datasets,
)

TWO = datasets.make_xd6(120, noise=0.2, seed=3)
THREE = datasets.make_waveform(120, n_classes=3, seed=3)
NEW = {2: datasets.make_xd6(80, seed=4), 3: datasets.make_waveform(80, n_classes=3, seed=4)}


def drawn(display, name):
    return np.asarray(display.lines_[name].get_ydata())


@pytest.mark.parametrize("domain", [TWO, THREE], ids=["two", "three"])
@every_booster
def test_every_booster_has_a_picture_of_its_rounds(booster, domain):
    model = booster(Stump(), n_estimators=4).fit(*domain)
    X_val, y_val = NEW[len(model.classes_)]
    display = LearningDisplay.from_estimator(model, X_val, y_val)
    assert (drawn(display, "train_error") == 1 - model.train_score_).all()
    expected = [1 - score for score in model.staged_score(X_val, y_val)]
    assert drawn(display, "validation_error") == pytest.approx(expected)
    assert list(display.lines_["train_error"].get_xdata()) == list(range(1, model.n_iter_ + 1))
    assert len(drawn(display, "edge")) == model.n_iter_
    assert np.isfinite(drawn(display, "edge")).all()
    assert len(display.axes_) == (3 if hasattr(model, "expected_cost_") else 2)
    close(display, drawn=domain is THREE)


def test_edges_of_several_problems_are_shown_by_their_mean():
    model = DiscreteAdaBoostClassifier(n_estimators=6).fit(*THREE)
    display = LearningDisplay.from_estimator(model)
    assert drawn(display, "edge") == pytest.approx(model.edges_.mean(axis=1))
    assert "3 problems" in display.axes_[1].get_ylabel()
    close(display)


def test_edges_of_a_grid_are_means_by_mass():
    model = MartiBoostClassifier(n_layers=6).fit(*TWO)
    display = LearningDisplay.from_estimator(model)
    expected = [mass @ edge for mass, edge in zip(model.node_mass_, model.edges_, strict=True)]
    assert drawn(display, "edge") == pytest.approx(expected)
    close(display)


def test_bounds_are_those_of_the_theorems_and_above_the_error():
    discrete = DiscreteAdaBoostClassifier(n_estimators=8).fit(*TWO)
    errors = discrete.estimator_errors_
    display = LearningDisplay.from_estimator(discrete)
    expected = np.cumprod(2 * np.sqrt(errors * (1 - errors)))
    assert drawn(display, "bound") == pytest.approx(expected)
    assert (drawn(display, "bound") >= drawn(display, "train_error")).all()
    close(display)
    real = AdaBoostRClassifier(n_estimators=8).fit(*TWO)
    display = LearningDisplay.from_estimator(real)
    assert drawn(display, "bound") == pytest.approx(np.cumprod(np.sqrt(1 - real.edges_**2)))
    assert (drawn(display, "bound") <= np.exp(-0.5 * np.cumsum(real.edges_**2))).all()
    assert (drawn(display, "bound") >= drawn(display, "train_error")).all()
    close(display)
    symmetric = SFBoostClassifier(n_estimators=8).fit(*TWO)
    display = LearningDisplay.from_estimator(symmetric)
    assert drawn(display, "bound") == pytest.approx(np.cumprod(symmetric.z_)[1:])
    assert (drawn(display, "bound") >= drawn(display, "train_error")).all()
    close(display)


def test_validation_rows_of_fit_are_shown_unless_others_are_given():
    model = SoftmaxBoostClassifier(
        Stump(), n_estimators=8, random_state=0, early_stopping=True, n_iter_no_change=20
    ).fit(*THREE)
    display = LearningDisplay.from_estimator(model)
    assert (drawn(display, "validation_error") == 1 - model.validation_score_).all()
    assert (drawn(display, "cost") == model.expected_cost_).all()
    assert (drawn(display, "validation_cost") == model.validation_cost_).all()
    assert display.axes_[2].get_ylabel() == "expected cost"
    close(display)


def test_without_validation_rows_there_is_no_line_for_them():
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(*TWO)
    display = LearningDisplay.from_estimator(model)
    assert set(display.lines_) == {"train_error", "bound", "edge"}
    close(display)


def test_axes_of_the_user_are_drawn_on_if_they_are_enough():
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(*TWO)
    _, axes = matplotlib.pyplot.subplots(1, 2)
    display = LearningDisplay.from_estimator(model, ax=axes)
    assert list(display.axes_) == list(axes)
    with pytest.raises(ValueError, match="parameter 'ax': got 1 axes, expected 2"):
        LearningDisplay.from_estimator(model, ax=axes[0])
    close(display)


def test_wrong_calls_name_the_parameter():
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(*TWO)
    with pytest.raises(ValueError, match="y_val is None but X_val is given"):
        LearningDisplay.from_estimator(model, TWO.X)
    with pytest.raises(ValueError, match="X_val is None but y_val is given"):
        LearningDisplay.from_estimator(model, None, TWO.y)
    empty = DiscreteAdaBoostClassifier().fit(np.zeros((4, 1)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="parameter 'model': got one without rounds"):
        LearningDisplay.from_estimator(empty)
