"""Random frames with any number of classes: fit works or refuses politely, and keeps its word.

Weird numbers of classes, classes of one row or of no weight, constant and empty columns, many
categories, one row per class: scores are finite, stages end where they should, files come back.
"""

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weakforce
from support.multiclass_variants import ONE_EACH, VARIANTS, every_variant, fit
from support.random_frames import frames
from weakforce._reading.model_file import from_bytes


def check(model, X):
    """What every fitted model promises on any rows."""
    n_classes = len(model.classes_)
    scores = model.decision_function(X)
    assert scores.shape == ((len(X),) if n_classes == 2 else (len(X), n_classes))
    assert np.isfinite(scores).all()
    stages = list(model.staged_decision_function(X))
    assert len(stages) == model.n_iter_
    last = stages[-1] if stages else np.zeros(scores.shape)
    assert np.abs(scores - last).max() <= 1e-9 * max(1.0, np.abs(scores).max())
    proba = model.predict_proba(X)
    assert proba.shape == (len(X), n_classes)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-9)
    assert (model.classes_[proba.argmax(axis=1)] == model.predict(X)).all()
    again = from_bytes(
        model.fitted_model_.core.to_json(
            weakforce._reading.model_file.describe(
                model.fitted_model_, model.get_params(deep=False)
            )
        )
    )
    assert again.decision_function(X).tobytes() == scores.tobytes()
    assert again.estimators_ == model.estimators_


@st.composite
def problems(draw):
    """A frame, labels of up to nine classes, weights of which some are zero."""
    X = draw(frames())
    most = draw(st.sampled_from([2, 3, 4, 9]))
    y = draw(st.lists(st.integers(0, most - 1), min_size=len(X), max_size=len(X)))
    weight = st.sampled_from([0.0, 1e-100, 0.5, 1.0, 3.0, 1e100])
    weights = draw(st.none() | st.lists(weight, min_size=len(X), max_size=len(X)))
    return X, y, weights


@pytest.mark.parametrize("name", ONE_EACH)
def test_random_frames_are_learned_or_refused(name):
    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(problem=problems(), options=st.sampled_from([{}, {"max_bins": 3}, {"max_bins": 300}]))
    def run(problem, options):
        X, y, weights = problem
        heavy = {label for i, label in enumerate(y) if weights is None or weights[i] > 0}
        n_classes = len(set(y))
        parameters = {"n_estimators": 4, "random_state": 0, **options}
        try:
            model = fit(name, X, y, weights, n_classes=n_classes, parameters=parameters)
        except ValueError as error:
            if len(heavy) > 1:
                raise AssertionError("a legal problem was refused") from error
            return
        assert model.classes_.tolist() == sorted(set(y))
        check(model, X)
        assert abs(model.row_weights_.sum() - 1) < 1e-9
        assert ((model.train_score_ >= 0) & (model.train_score_ <= 1 + 1e-9)).all()
        check(model, X.with_columns(pl.lit(None, X.dtypes[0]).alias(X.columns[0])))

    run()


@every_variant
def test_one_row_per_class(name):
    X = np.random.default_rng(0).normal(size=(7, 2))
    model = fit(name, X, np.arange(7), n_classes=7)
    check(model, X)
    check(fit(name, X[:3], [2, 0, 1]), X)


@every_variant
def test_a_class_of_no_weight_is_known_but_never_learned(name):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 3))
    X[:, 0] += y
    model = fit(name, X, y, (y != 1).astype(float))
    assert model.classes_.tolist() == [0, 1, 2]
    check(model, X)
    if "ovo" not in name and "code" not in name:
        assert (model.predict(X) == 1).sum() <= 6
    with pytest.raises(ValueError, match="weight"):
        fit(name, X, y, (y == 1).astype(float))


@every_variant
def test_a_class_of_one_row_is_learned(name):
    rng = np.random.default_rng(1)
    y = np.append(np.arange(60) % 2, 2)
    X = rng.normal(size=(61, 2))
    X[:, 0] += 2 * y
    X[-1] = 50.0
    check(fit(name, X, y), X)


@every_variant
def test_frames_that_tell_nothing(name):
    y = np.array([0, 1, 2, 2] * 5)
    empty = pl.Series("b", [None] * 20, dtype=pl.Float64)
    nothing = pl.DataFrame({"a": [1.0] * 20, "b": empty, "c": ["same"] * 20})
    model = fit(name, nothing, y)
    check(model, nothing)
    assert len(set(model.predict(nothing))) == 1
    check(model, nothing.with_columns(b=pl.lit(3.0), c=pl.lit("other")))


@every_variant
def test_thousands_of_categories(name):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 3000)
    X = pl.DataFrame({"id": [f"row {i}" for i in range(3000)], "x": rng.normal(size=3000) + y})
    model = fit(name, X, y, parameters={"n_estimators": 2})
    check(model, X[:50])
    assert model.score(X, y) > 0.4


def test_names_of_variants_are_those_of_the_registry():
    assert set(ONE_EACH) <= set(VARIANTS)


@pytest.mark.parametrize("n_classes", [40, 300])
@pytest.mark.parametrize("name", ["SAMME-Tree", "MH-shared-Tree", "Softmax-Stump", "M2-Rule"])
def test_many_classes(name, n_classes):
    rng = np.random.default_rng(3)
    codes = np.arange(3 * n_classes) % n_classes
    X = np.column_stack([codes % 17, codes // 17, rng.normal(size=len(codes))]).astype(float)
    y = np.array([f"class {code:03}" for code in codes])  # so many integers would be refused
    model = fit(name, X, y, n_classes=n_classes, parameters={"n_estimators": 2})
    check(model, X[:40])
    assert model.decision_function(X).shape == (len(y), n_classes)
