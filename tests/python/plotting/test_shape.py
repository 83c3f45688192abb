"""Shape pictures show the step functions that a stump model is the sum of."""

import matplotlib.pyplot
import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from support.pictures import close, mixed_frame
from support.registry import every_booster
from weakforce import (
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    ShapeDisplay,
    Stump,
    Tree,
    datasets,
)
from weakforce._reading import literals
from weakforce.plotting.column_shapes import column_shapes

FRAME, SCORE = mixed_frame()
TWO = np.where(SCORE > 1.5, "ill", "well")
FOUR = np.digitize(SCORE, [0.5, 1.5, 2.5])


def added(shape, column, kind):
    """What a shape says that the values of a column add, by row and score."""
    if shape.kind == "category":
        names = {name: at for at, name in enumerate(shape.categories)}
        texts = column.cast(pl.String).to_list()
        places = [-1 if text is None else names[text] for text in texts]
    else:
        expression = literals.numbers(pl.col(column.name), kind)
        numbers = pl.DataFrame([column]).select(expression).to_series()
        places = [
            -1 if number is None else np.searchsorted(shape.cuts, number) for number in numbers
        ]
    table = shape.contributions
    missing = np.zeros(table.shape[1]) if shape.missing is None else shape.missing
    return np.array([missing if place == -1 else table[place] for place in places])


@pytest.mark.slow
@pytest.mark.parametrize("target", [TWO, FOUR], ids=["two", "four"])
@every_booster
def test_shapes_of_every_additive_booster_add_up_to_the_scores(booster, target):
    model = booster(Stump(), n_estimators=12, categorical_features=["grade"]).fit(FRAME, target)
    if model.fitted_model_.counts_hypotheses or model.fitted_model_.has_grid:
        with pytest.raises(TypeError, match=f"sums of stumps, but those of {booster.__name__}"):
            ShapeDisplay.from_estimator(model, FRAME)
        return
    shapes = column_shapes(model.fitted_model_, FRAME, None)
    assert [shape.name for shape in shapes] == FRAME.columns
    kinds = [feature["kind"] for feature in model.fitted_model_.core.features]
    frame = FRAME.with_columns(pl.col("grade").cast(pl.Int64))
    total = sum(
        added(shape, frame[shape.name], kind) for shape, kind in zip(shapes, kinds, strict=True)
    )
    scores = model.decision_function(FRAME).reshape(len(FRAME), -1)
    assert np.ptp(scores - total, axis=0) == pytest.approx(0.0, abs=1e-9)  # but for the bias
    display = ShapeDisplay.from_estimator(model, FRAME, max_columns=2)
    assert len(display.axes_) == min(2, max(1, sum(shape.weight > 0 for shape in shapes)))
    close(display, drawn=target is FOUR)


def step_line(panel):
    return next(line for line in panel.get_lines() if line.get_drawstyle() == "steps-post")


def test_numbers_are_drawn_as_steps_at_the_cuts():
    model = RealAdaBoostClassifier(n_estimators=40, max_bins=8).fit(FRAME, TWO)
    display = ShapeDisplay.from_estimator(model, FRAME, columns=["size"])
    (shape,) = display.shapes
    line = step_line(display.axes_[0])
    assert list(line.get_xdata())[1:-1] == pytest.approx(shape.cuts)
    assert list(line.get_ydata())[:-1] == pytest.approx(shape.contributions[:, 0])
    assert shape.values.min() == line.get_xdata()[0]
    assert shape.values.max() == line.get_xdata()[-1]
    close(display)


def test_density_counts_the_rows_at_hand():
    model = RealAdaBoostClassifier(n_estimators=20).fit(FRAME, TWO)
    display = ShapeDisplay.from_estimator(model, FRAME, columns=["size"])
    (behind,) = (ax for ax in display.figure_.axes if ax not in display.axes_)
    counts, edges, _ = behind.patches[0].get_data()
    assert counts.sum() == FRAME["size"].count()
    assert edges[0] == FRAME["size"].min()
    close(display)


def test_missing_values_stand_apart():
    model = RealAdaBoostClassifier(n_estimators=40).fit(FRAME, TWO)
    display = ShapeDisplay.from_estimator(model, FRAME, columns=["size", "occupation", "visits"])
    size, occupation, visits = display.axes_
    shape = display.shapes[0]
    assert shape.missing_rows == FRAME["size"].null_count() > 0
    strip = [line for line in size.get_lines() if len(set(line.get_xdata())) == 2][-1]
    assert min(strip.get_xdata()) > FRAME["size"].max()
    assert list(strip.get_ydata()) == pytest.approx([shape.missing[0]] * 2)
    labels = [label.get_text() for label in occupation.get_yticklabels()]
    assert labels[-1] == f"missing ({FRAME['occupation'].null_count()})"
    assert "missing" not in [text.get_text() for text in visits.texts]
    assert "missing" in [text.get_text() for text in size.texts]
    close(display)


def test_categories_are_bars_sorted_by_what_they_add():
    model = RealAdaBoostClassifier(n_estimators=60).fit(FRAME, TWO)
    display = ShapeDisplay.from_estimator(model, FRAME, columns=["occupation", "smoker"])
    panel, shape = display.axes_[0], display.shapes[0]
    widths = [bar.get_width() for bar in panel.patches]
    assert widths[:-1] == sorted(shape.contributions[:, 0], reverse=True)
    assert widths[-1] == shape.missing[0]
    heights = [bar.get_y() for bar in panel.patches]
    assert heights == sorted(heights, reverse=True)
    smoker = [label.get_text() for label in display.axes_[1].get_yticklabels()]
    assert sorted(smoker) == [
        f"false ({(~FRAME['smoker']).sum()})",
        f"true ({FRAME['smoker'].sum()})",
    ]
    close(display)


def test_many_categories_are_shown_from_both_ends():
    model = RealAdaBoostClassifier(n_estimators=60).fit(FRAME, TWO)
    display = ShapeDisplay.from_estimator(model, FRAME, columns=["town"])
    labels = [label.get_text() for label in display.axes_[0].get_yticklabels()]
    assert len(labels) == 15
    assert labels[7] == "… 16 more between"
    assert max(map(len, labels)) < 30
    close(display)


def test_several_classes_have_a_line_each_and_one_legend():
    model = AdaBoostMHClassifier(Stump(), n_estimators=30).fit(FRAME, FOUR)
    display = ShapeDisplay.from_estimator(model, FRAME, columns=["size", "occupation"])
    steps = [line for line in display.axes_[0].get_lines() if line.get_drawstyle() == "steps-post"]
    assert len(steps) == 4
    for line, numbers in zip(steps, display.shapes[0].contributions.T, strict=True):
        assert list(line.get_ydata())[:-1] == pytest.approx(numbers)
    (legend,) = display.figure_.legends
    assert [text.get_text() for text in legend.get_texts()] == ["0", "1", "2", "3"]
    close(display)


def test_columns_that_add_most_come_first_and_others_are_counted():
    model = RealAdaBoostClassifier(n_estimators=60).fit(FRAME, TWO)
    shapes = column_shapes(model.fitted_model_, FRAME, None)
    sizes = model.contributions(FRAME).drop("bias").select(pl.all().abs().mean()).row(0)
    assert [shape.weight for shape in shapes] == pytest.approx(sizes)
    display = ShapeDisplay.from_estimator(model, FRAME, max_columns=2)
    shown = [shape.weight for shape in display.shapes]
    assert shown == pytest.approx(sorted(sizes, reverse=True)[:2])
    assert f"{sum(size > 0 for size in sizes) - 2} more columns" in display.figure_.get_suptitle()
    close(display)


def test_panels_share_one_scale():
    model = RealAdaBoostClassifier(n_estimators=60).fit(FRAME, TWO)
    display = ShapeDisplay.from_estimator(model, FRAME, columns=["size", "visits", "occupation"])
    size, visits, occupation = display.axes_
    assert size.get_ylim() == visits.get_ylim() == occupation.get_xlim()
    close(display)


def test_zoomed_panels_have_scales_of_their_own_without_the_outermost_rows():
    X = pl.DataFrame({"x": np.append(np.arange(999) / 999, 50.0), "z": np.arange(1000) % 2})
    model = RealAdaBoostClassifier(n_estimators=30).fit(X, np.arange(1000) > 498)
    display = ShapeDisplay.from_estimator(model, X, columns=["x", "z"], zoom=True)
    x, z = display.axes_
    line = step_line(x)
    inner = X["x"].sort()[4:-4]
    assert line.get_xdata()[0] >= inner.min()
    assert line.get_xdata()[-1] <= inner.max() < 1.0
    low, high = x.get_ylim()
    assert low < min(line.get_ydata()) <= max(line.get_ydata()) < high
    assert x.get_ylim() != z.get_ylim()
    assert x.get_ylabel() == "added to the score for True"
    close(display)


def test_whole_numbers_are_split_half_way():
    domain = datasets.make_xd6(100, seed=1)
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(*domain)
    display = ShapeDisplay.from_estimator(model, domain.X, max_columns=1)
    assert list(step_line(display.axes_[0]).get_xdata()) == [-0.5, 0.5, 1.5]
    close(display)


@pytest.mark.slow
def test_arrays_and_constant_columns_and_empty_models_are_drawn():
    X = np.column_stack([FRAME["size"].to_numpy(), np.ones(len(FRAME)), FRAME["visits"]])
    model = RealAdaBoostClassifier(n_estimators=10).fit(X, TWO)
    display = ShapeDisplay.from_estimator(model, X, columns=[0, 1, "x2"])
    assert [panel.get_title(loc="left") for panel in display.axes_] == ["x0", "x1", "x2"]
    close(display)
    empty = DiscreteAdaBoostClassifier().fit(np.zeros((4, 1)), [0, 1, 0, 1])
    close(ShapeDisplay.from_estimator(empty, np.zeros((4, 1))))


def test_axes_of_the_user_are_drawn_on_if_they_are_enough():
    model = RealAdaBoostClassifier(n_estimators=20).fit(FRAME, TWO)
    _, axes = matplotlib.pyplot.subplots(1, 2)
    display = ShapeDisplay.from_estimator(model, FRAME, columns=["size", "visits"], ax=axes)
    assert list(display.axes_) == list(axes)
    with pytest.raises(ValueError, match="parameter 'ax': got 2 axes, expected 1"):
        ShapeDisplay.from_estimator(model, FRAME, columns="size", ax=axes)
    close(display)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (Rule(), r"made of Rule\(\); use rules\(\)"),
        (Tree(max_leaf_nodes=3), r"made of Tree\(\); use contributions\(\)"),
        (RBFNet(n_centers=2, n_steps=1), r"made of RBFNet\(\)"),
        (LogisticRegression(), "made of LogisticRegression"),
    ],
)
def test_models_of_other_learners_are_refused_by_name(learner, words):
    X, y = datasets.make_banana(60, seed=1)
    model = DiscreteAdaBoostClassifier(learner, n_estimators=2).fit(X, y)
    with pytest.raises(TypeError, match=words):
        ShapeDisplay.from_estimator(model, X)


def test_wrong_calls_name_the_parameter():
    model = RealAdaBoostClassifier(n_estimators=5).fit(FRAME, TWO)
    for columns in (["nobody"], [10], [-1], [1.5]):
        with pytest.raises(ValueError, match="parameter 'columns': got"):
            ShapeDisplay.from_estimator(model, FRAME, columns=columns)
    with pytest.raises(ValueError, match="parameter 'columns': got none"):
        ShapeDisplay.from_estimator(model, FRAME, columns=[])
    with pytest.raises(ValueError, match="parameter 'max_columns': got 0"):
        ShapeDisplay.from_estimator(model, FRAME, max_columns=0)
    with pytest.raises(ValueError, match="X lacks the column 'size'"):
        ShapeDisplay.from_estimator(model, FRAME.drop("size"))
