"""Pictures of contributions show the Shapley values of the columns that contribute most."""

import numpy as np
import polars as pl
import pytest

from support.pictures import close, mixed_frame
from weakforce import (
    AdaBoostMHClassifier,
    ContributionDisplay,
    RBFNet,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    Tree,
)

FRAME, SCORE = mixed_frame(120)
TWO = np.where(SCORE > 1.5, "ill", "well")
MODEL = RealAdaBoostClassifier(Tree(max_leaf_nodes=4), n_estimators=8).fit(FRAME, TWO)


def test_dots_are_the_contributions_of_the_rows():
    display = ContributionDisplay.from_estimator(MODEL, FRAME, max_columns=3)
    parts = MODEL.contributions(FRAME).drop("bias")
    sizes = parts.select(pl.all().abs().mean()).row(0)
    best = [FRAME.columns[at] for at in np.argsort(-np.array(sizes), kind="stable")[:3]]
    assert display.columns == best
    assert display.left_out == sum(size > 0 for size in sizes) - 3
    for dots, name in zip(display.ax_.collections, best, strict=True):
        assert np.asarray(dots.get_offsets())[:, 0] == pytest.approx(parts[name].to_numpy())
    assert display.ax_.get_xlabel().startswith("contribution to the score for well")
    close(display)


def test_values_have_ranks_unless_they_are_missing_or_categories():
    display = ContributionDisplay.from_estimator(MODEL, FRAME, max_columns=20)
    ranks = dict(zip(display.columns, display.ranks, strict=True))
    assert np.isnan(ranks["occupation"]).all()
    missing = FRAME["size"].is_null().to_numpy()
    assert (np.isnan(ranks["size"]) == missing).all()
    known, order = ranks["size"][~missing], np.argsort(FRAME["size"].drop_nulls().to_numpy())
    assert (known.min(), known.max()) == (0.0, 1.0)
    assert (np.diff(known[order]) > 0).all()
    assert set(ranks["visits"]) >= {0.0, 1.0}
    close(display)


def test_of_many_rows_some_are_shown():
    display = ContributionDisplay.from_estimator(MODEL, FRAME, max_rows=7)
    rows = FRAME[np.linspace(0, 119, 7).round().astype(int).tolist()]
    expected = MODEL.contributions(rows)[display.columns[0]].to_numpy()
    assert display.values[0, :, 0] == pytest.approx(expected)
    close(display, drawn=False)


def test_several_classes_are_bars_of_mean_sizes():
    classes = np.array(["a", "b", "c"])[np.digitize(SCORE, [0.5, 1.5])]
    model = AdaBoostMHClassifier(Tree(max_leaf_nodes=3), n_estimators=5).fit(FRAME, classes)
    display = ContributionDisplay.from_estimator(model, FRAME)
    lengths = np.zeros(len(display.columns))
    for bars in display.ax_.containers:
        lengths += [bar.get_width() for bar in bars]
    parts = model.contributions(FRAME)
    sizes = [3 * parts[name].abs().mean() for name in display.columns]
    assert lengths == pytest.approx(sizes)
    labels = [bars.get_label() for bars in display.ax_.containers]
    assert sorted(labels) == ["a", "b", "c"]
    close(display)


def test_of_many_classes_the_last_share_a_part():
    labels = np.arange(120) % 12
    model = SAMMEClassifier(Tree(max_leaf_nodes=3), n_estimators=3).fit(FRAME, labels)
    display = ContributionDisplay.from_estimator(model, FRAME)
    assert display.ax_.containers[-1].get_label() == "6 others"
    close(display)


def test_arrays_and_models_without_rounds_are_drawn():
    X = np.column_stack([FRAME["visits"], np.full(120, np.nan)])
    model = RealAdaBoostClassifier(Tree(), n_estimators=3).fit(X, TWO)
    display = ContributionDisplay.from_estimator(model, X)
    assert display.columns == ["x0"]
    close(display)
    empty = RealAdaBoostClassifier(Tree()).fit(np.ones((4, 1)), [0, 1, 0, 1])
    close(ContributionDisplay.from_estimator(empty, np.ones((4, 1))))


def test_wrong_calls_name_the_parameter():
    for name in ("max_columns", "max_rows"):
        with pytest.raises(ValueError, match=f"parameter '{name}': got 0, expected an integer"):
            ContributionDisplay.from_estimator(MODEL, FRAME, **{name: 0})
    with pytest.raises(ValueError, match="X: got 0 rows"):
        ContributionDisplay.from_estimator(MODEL, FRAME[:0])
    numbers = FRAME.select(pl.selectors.float())
    nets = RealAdaBoostClassifier(RBFNet(n_centers=2), n_estimators=2).fit(numbers, TWO)
    with pytest.raises(TypeError, match="is for models of Stump"):
        ContributionDisplay.from_estimator(nets, numbers)
