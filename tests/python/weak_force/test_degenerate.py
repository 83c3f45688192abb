"""Input at the edges: probabilities stay probabilities, or fit says what is wrong."""

import numpy as np
import polars as pl
import pytest

from support.pool_problems import assert_probabilities, mixed_rows, small
from support.small_multiclass_problems import blobs


def drawn(n_rows=60, n_columns=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + 0.3 * rng.normal(size=n_rows) > 0).astype(int)


def assert_sound(model, X):
    """Sound probabilities, and what is known out of bag is finite where rows were judged."""
    assert_probabilities(model, X)
    assert 0 <= model.oob_score_ <= 1
    assert np.isfinite(model.oob_log_loss_)
    noise = model.label_noise_
    assert 0 <= noise.low <= noise.rate <= noise.high + 1e-12 <= 1 + 1e-9
    assert model.capacity_["share"].is_finite().all()
    assert model.capacity_["share"].sum() == pytest.approx(1.0)
    importances = model.feature_importances_
    assert np.isfinite(importances).all()
    assert importances.sum() == pytest.approx(1.0) or not importances.any()
    assert model.suspects_["score"].is_between(0, 1).all()
    assert model.summary()


def test_one_column():
    X, y = drawn(n_columns=1)
    model = small().fit(X, y)
    assert_sound(model, X)
    assert model.score(X, y) > 0.8


def test_constant_columns_beside_one_that_counts():
    X, y = drawn()
    X[:, 1:] = [7.0, np.nan]
    model = small(max_features=1).fit(X, y)
    assert_sound(model, X)
    assert model.score(X, y) > 0.8
    np.testing.assert_allclose(model.feature_importances_, [1, 0, 0])


@pytest.mark.parametrize("value", [0.0, np.nan, -np.inf])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_that_are_all_equal_get_the_shares_of_the_classes(n_classes, value):
    y = np.repeat(np.arange(n_classes), [30, 10, 20][:n_classes])
    X = np.full((len(y), 2), value)
    model = small().fit(X, y)
    assert_sound(model, X)
    assert (model.predict(X) == 0).all()
    shares = np.bincount(y) / len(y)
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], shares, atol=0.1)


@pytest.mark.parametrize("n_rows", [2, 3, 4, 5, 6, 8, 11])
def test_a_few_rows(n_rows):
    X, y = np.arange(n_rows, dtype=float)[:, None], np.arange(n_rows) >= n_rows // 2
    model = small().fit(X, y)
    assert_sound(model, X)


@pytest.mark.parametrize("place", [0, 17, 59])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_of_one_row(n_classes, place):
    X, y = drawn()
    y = np.zeros(60, dtype=int) if n_classes == 2 else y
    y[place] = n_classes - 1
    model = small().fit(X, y)
    assert len(model.classes_) == n_classes
    assert_sound(model, X)


@pytest.mark.slow
def test_fifty_classes_of_six_rows():
    X, y = blobs(300, 50, columns=5)
    model = small().fit(X, y)
    assert_sound(model, X)
    assert model.score(X, y) > 0.2


@pytest.mark.slow
def test_a_thousand_classes():
    labels = np.arange(1100) % 1000
    X = labels[:, None] + np.random.default_rng(0).normal(scale=0.1, size=(1100, 1))
    model = small(n_estimators=1, n_trees=2).fit(X, np.char.add("label ", labels.astype(str)))
    assert_sound(model, X)
    assert len(model.classes_) == 1000


def test_as_many_classes_as_rows():
    X = np.arange(20.0)[:, None]
    model = small().fit(X, np.arange(20))
    assert_sound(model, X)


def test_one_class_is_refused():
    X, _ = drawn()
    with pytest.raises(ValueError, match="class"):
        small().fit(X, np.zeros(60))


@pytest.mark.parametrize(
    "weights",
    [
        np.full(60, 1e300),
        np.full(60, 1e-300),
        np.full(60, 5e-324),
        np.where(np.arange(60) % 2, 1e300, 1e-300),
        np.where(np.arange(60) == 5, 1e12, 1.0),
        np.where(np.arange(60) < 50, 0.0, 1.0),
        np.where(np.arange(60) == 5, 1e300, 1.0),
        np.geomspace(1e-200, 1e200, 60),
    ],
    ids=["huge", "tiny", "least", "both", "one heavy", "zeros", "one huge", "ladder"],
)
def test_weights_of_every_size(weights):
    X, y = drawn()
    model = small()
    try:
        model.fit(X, y, weights)
    except ValueError as error:
        assert "weight" in str(error)  # noqa: PT017
        assert not hasattr(model, "classes_")
        return
    assert_sound(model, X)


def test_equal_weights_of_extreme_size_are_no_weights():
    X, y = drawn()
    plain = small().fit(X, y)
    for weight in (1e300, 1e-300):
        model = small().fit(X, y, np.full(60, weight))
        np.testing.assert_allclose(
            model.predict_proba(X), plain.predict_proba(X), rtol=0, atol=1e-9
        )


def test_rows_of_weight_zero_may_be_a_whole_class():
    X, y = drawn()
    model = small()
    try:
        model.fit(X, y, np.where(y == 1, 0.0, 1.0))
    except ValueError as error:
        assert "class" in str(error)  # noqa: PT017
        return
    assert_sound(model, X)


def test_missing_and_infinite_values_in_every_column():
    X, y = drawn(120)
    rng = np.random.default_rng(1)
    for value, share in ((np.nan, 0.3), (np.inf, 0.1), (-np.inf, 0.1), (1e308, 0.05)):
        X[rng.random(X.shape) < share] = value
    model = small().fit(X, y)
    assert_sound(model, X)
    assert_probabilities(model, np.full((1, 3), np.nan))
    assert_probabilities(model, np.full((1, 3), np.inf))
    assert_probabilities(model, np.full((1, 3), -np.inf))


def test_missing_values_that_fit_has_not_seen():
    X, y = drawn()
    model = small().fit(X, y)
    assert_probabilities(model, np.full((2, 3), np.nan))


def test_one_row_is_predicted_as_among_others():
    X, y = mixed_rows(100, 3)
    model = small().fit(X, y)
    together = model.predict_proba(X[:5])
    for at in range(5):
        np.testing.assert_array_equal(model.predict_proba(X[at : at + 1])[0], together[at])


def test_unseen_categories_are_missing_values():
    X, y = mixed_rows(150)
    model = small().fit(X, y)
    strange = X.with_columns(town=pl.lit("Mars"))
    missing = X.with_columns(town=pl.lit(None, dtype=pl.String))
    assert_probabilities(model, strange)
    np.testing.assert_array_equal(model.predict_proba(strange), model.predict_proba(missing))


def test_a_category_for_every_row():
    _, y = drawn()
    X = pl.DataFrame({"name": [f"row {at}" for at in range(60)]})
    model = small().fit(X, y)
    assert_sound(model, X)
    few = small(max_bins=2).fit(X, y)
    assert_sound(few, X)


def test_duplicated_rows_with_contrary_labels():
    X = np.repeat(np.arange(10.0), 6)[:, None]
    model = small().fit(X, np.tile([0, 1], 30))
    assert_sound(model, X)
    np.testing.assert_allclose(model.predict_proba(X), 0.5, atol=0.25)


@pytest.mark.parametrize("subsample", [1e-9, 0.01])
def test_samples_of_hardly_any_rows(subsample):
    X, y = drawn()
    assert_sound(small(subsample=subsample).fit(X, y), X)


def test_a_time_limit_that_leaves_time_for_nothing():
    X, y = drawn(300)
    model = small(n_trees=None, n_estimators="auto", time_limit=1e-9).fit(X, y)
    assert_sound(model, X)


def test_no_rows_and_no_columns_are_refused():
    with pytest.raises(ValueError, match=r"row|sample"):
        small().fit(np.empty((0, 2)), np.empty(0))
    with pytest.raises(ValueError, match=r"column|feature"):
        small().fit(np.empty((5, 0)), [0, 1, 0, 1, 0])
