"""Pictures of probabilities say what scikit-learn's metrics say, class by class."""

import matplotlib.pyplot
import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from support.pictures import close
from weakforce import (
    AdaBoostMHClassifier,
    ProbabilityDisplay,
    RealAdaBoostClassifier,
    SoftmaxBoostClassifier,
    datasets,
)

X, Y = datasets.make_xd6(200, noise=0.1, seed=1)
Y = np.where(Y.to_numpy() == 1, "yes", "no")
MODEL = RealAdaBoostClassifier(n_estimators=15).fit(X, Y)
WAVES, THREE = datasets.make_waveform(150, n_classes=3, seed=1)
NAMES = np.array(["ash", "elm", "oak"])[THREE.to_numpy().astype(int)]
SEVERAL = AdaBoostMHClassifier(n_estimators=8).fit(WAVES, NAMES)


def test_curves_of_two_classes_are_those_of_the_second():
    display = ProbabilityDisplay.from_estimator(MODEL, X, Y)
    scores = MODEL.decision_function(X)
    (roc,), (precision,) = display.lines_["roc"], display.lines_["precision_recall"]
    assert roc.get_label() == f"yes: area {roc_auc_score(Y == 'yes', scores):.2f}"
    mean = average_precision_score(Y == "yes", scores)
    assert precision.get_label() == f"yes: mean {mean:.2f}"
    assert display.axes_[0].get_xlabel() == "probability of yes"
    assert display.axes_[0].get_ylabel() == "share of yes in the rows"
    named = [text.get_text() for text in display.axes_[3].get_legend().get_texts()]
    assert named == ["rows of no", "rows of yes"]
    close(display)


def test_points_of_calibration_are_means_of_bins():
    display = ProbabilityDisplay.from_estimator(MODEL, X, Y)
    shares = MODEL.predict_proba(X)[:, 1]
    bins = np.minimum((10 * shares).astype(int), 9)
    (line,) = display.lines_["calibration"]
    kept = np.unique(bins)
    assert line.get_xdata() == pytest.approx([shares[bins == at].mean() for at in kept])
    own = [(Y == "yes")[bins == at].mean() for at in kept]
    assert line.get_ydata() == pytest.approx(own)
    gaps = np.abs(line.get_xdata() - line.get_ydata()) @ np.bincount(bins)[kept] / len(Y)
    assert line.get_label() == f"yes: off by {gaps:.3f}"
    close(display, drawn=False)


def test_histograms_count_every_row_of_either_class():
    display = ProbabilityDisplay.from_estimator(MODEL, X, Y)
    counts = [patch.get_data().values.sum() for patch in display.axes_[3].patches]
    assert counts == [(Y == "no").sum(), (Y == "yes").sum()]
    close(display, drawn=False)


def test_weights_count_as_repeated_rows():
    weights = np.arange(200) % 3
    weighted = ProbabilityDisplay.from_estimator(MODEL, X, Y, sample_weight=weights)
    rows = np.arange(200).repeat(weights)
    repeated = ProbabilityDisplay.from_estimator(MODEL, X[rows.tolist()], Y[rows])
    for name, (line,) in weighted.lines_.items():
        assert line.get_label() == repeated.lines_[name][0].get_label()
    close(weighted, drawn=False)
    close(repeated, drawn=False)


def test_several_classes_have_a_line_each_against_all_others():
    display = ProbabilityDisplay.from_estimator(SEVERAL, WAVES, NAMES)
    shares = SEVERAL.predict_proba(WAVES)
    expected = [
        f"{name}: area {roc_auc_score(name == NAMES, shares[:, at]):.2f}"
        for at, name in enumerate(["ash", "elm", "oak"])
    ]
    assert [line.get_label() for line in display.lines_["roc"]] == expected
    assert len(display.axes_[3].patches) == 3
    close(display)


def test_classes_without_rows_have_no_curves_and_many_classes_are_left_out():
    rows = np.flatnonzero(NAMES != "elm")
    display = ProbabilityDisplay.from_estimator(SEVERAL, WAVES[rows.tolist()], NAMES[rows])
    assert [line.get_label()[:3] for line in display.lines_["roc"]] == ["ash", "oak"]
    close(display, drawn=False)
    labels = np.arange(150) % 10
    many = AdaBoostMHClassifier(n_estimators=1).fit(WAVES, labels)
    display = ProbabilityDisplay.from_estimator(many, WAVES, labels)
    assert (len(display.classes), display.left_out) == (7, 3)
    assert display.figure_.get_suptitle() == "AdaBoostMH · 3 more classes not shown"
    close(display, drawn=False)


def test_axes_of_the_user_are_drawn_on_if_they_are_four():
    _, axes = matplotlib.pyplot.subplots(1, 4)
    display = ProbabilityDisplay.from_estimator(MODEL, X, Y, ax=axes)
    assert list(display.axes_) == list(axes)
    with pytest.raises(ValueError, match="parameter 'ax': got 3 axes, expected 4"):
        ProbabilityDisplay.from_estimator(MODEL, X, Y, ax=axes[:3])
    close(display, drawn=False)


def test_models_of_label_sets_are_refused_by_name():
    sets = np.column_stack([THREE.to_numpy() > 0, THREE.to_numpy() < 2]).astype(int)
    model = SoftmaxBoostClassifier(n_estimators=2, random_state=0).fit(WAVES, sets)
    with pytest.raises(TypeError, match="parameter 'model': got SoftmaxBoostClassifier"):
        ProbabilityDisplay.from_estimator(model, WAVES, sets)
