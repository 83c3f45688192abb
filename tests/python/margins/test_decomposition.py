"""Bias and variance under the 0/1 loss, against definitions row by row and by their sums."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from reference import bias_variance as naive
from weakforce import BiasVariance, DiscreteAdaBoostClassifier, bias_variance, datasets
from weakforce._margins.decomposition import decomposed

TRAIN, TEST = datasets.make_twonorm(80, seed=1), datasets.make_twonorm(60, seed=2)
TRAIN_3 = datasets.make_waveform(90, n_classes=3, seed=1)
TEST_3 = datasets.make_waveform(60, n_classes=3, seed=2)
PARTS = [field.name for field in fields(BiasVariance) if field.name != "rows"]


def parts(found):
    return [getattr(found, name) for name in PARTS]


def counted(predictions, n_classes):
    """How often each class was predicted for each row."""
    return np.array([[(row == k).sum() for k in range(n_classes)] for row in predictions])


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_parts_are_those_of_the_definitions(n_classes, seed):
    generator = np.random.default_rng(seed)
    predictions = generator.integers(0, n_classes, (40, 7))
    truth = generator.integers(0, n_classes, 40).astype(np.uint32)
    found = decomposed(counted(predictions, n_classes), truth, np.arange(n_classes))
    lines = [
        naive.kohavi_wolpert(row, label) for row, label in zip(predictions, truth, strict=True)
    ]
    np.testing.assert_allclose(found.rows.select("squared_bias", "variance").to_numpy(), lines)
    assert found.squared_bias == pytest.approx(np.mean([bias for bias, _ in lines]))
    assert found.variance == pytest.approx(np.mean([variance for _, variance in lines]))
    lines = [naive.domingos(row, label) for row, label in zip(predictions, truth, strict=True)]
    main, bias, variance = map(np.array, zip(*lines, strict=True))
    assert found.rows["main_prediction"].to_list() == main.tolist()
    assert found.rows["bias"].to_list() == bias.tolist()
    np.testing.assert_allclose(found.rows["disagreement"], variance)
    assert found.bias == pytest.approx(bias.mean())
    assert found.unbiased_variance == pytest.approx((variance * (bias == 0)).mean())
    assert found.biased_variance == pytest.approx((variance * (bias == 1)).mean())
    assert found.error == pytest.approx((predictions != truth[:, None]).mean())


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_parts_add_up_to_the_error(n_classes, seed):
    generator = np.random.default_rng(seed)
    predictions = generator.integers(0, n_classes, (50, 8))  # so that shares are exact
    truth = generator.integers(0, n_classes, 50).astype(np.uint32)
    found = decomposed(counted(predictions, n_classes), truth, np.arange(n_classes))
    assert found.squared_bias + found.variance == pytest.approx(found.error, rel=1e-14)
    assert found.bias + found.net_variance == pytest.approx(found.error, rel=1e-14)
    rows = found.rows
    assert ((rows["squared_bias"] + rows["variance"] - rows["error"]).abs() <= 1e-15).all()
    if n_classes == 2:
        assert found.net_variance == pytest.approx(found.unbiased_variance - found.biased_variance)
        # Per row the error is v where the main prediction is right, and 1 − v where it is wrong.
        of_bias = np.where(rows["bias"] == 0, rows["disagreement"], 1 - rows["disagreement"])
        assert (of_bias == rows["error"].to_numpy()).all()


def test_parts_by_hand():
    # Four fits; three rows of label 1 that 4, 3 and 1 of them get right.
    found = decomposed(
        np.array([[0, 4], [1, 3], [3, 1]]), np.array([1, 1, 1]), np.array(["a", "b"])
    )
    assert found.error == pytest.approx((0 + 1 / 4 + 3 / 4) / 3)
    assert found.squared_bias == pytest.approx((0 + 1 / 16 + 9 / 16) / 3)
    assert found.variance == pytest.approx((0 + 3 / 16 + 3 / 16) / 3)
    assert found.bias == pytest.approx(1 / 3)
    assert found.unbiased_variance == pytest.approx((1 / 4) / 3)
    assert found.biased_variance == pytest.approx((1 / 4) / 3)
    assert found.net_variance == pytest.approx(0)
    assert found.rows["label"].to_list() == ["b", "b", "b"]
    assert found.rows["main_prediction"].to_list() == ["b", "b", "a"]


ESTIMATORS = {
    "weakforce": DiscreteAdaBoostClassifier(n_estimators=5),
    "tree": DecisionTreeClassifier(max_features=2),
    "neighbours": KNeighborsClassifier(3),
    "pipeline": make_pipeline(StandardScaler(), DecisionTreeClassifier(splitter="random")),
    "forest": RandomForestClassifier(n_estimators=3),
    "bagging": BaggingClassifier(DecisionTreeClassifier(max_features=1), n_estimators=3),
}
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)


@pytest.mark.parametrize("sample", ["bootstrap", 0.5])
@every_estimator
def test_any_classifier_is_taken_apart_the_same_way_every_time(estimator, sample):
    before = str(estimator.get_params())
    options = {"n_repetitions": 4, "sample": sample, "random_state": 3}
    found = bias_variance(estimator, *TRAIN, *TEST, **options)
    assert isinstance(found, BiasVariance)
    assert 0 < found.error < 0.6
    assert found.squared_bias + found.variance == pytest.approx(found.error)
    assert found.bias + found.net_variance == pytest.approx(found.error)
    again = bias_variance(estimator, *TRAIN, *TEST, **options)
    assert parts(again) == parts(found)
    assert again.rows.equals(found.rows)
    assert str(estimator.get_params()) == before
    assert not hasattr(estimator, "classes_")


def test_another_seed_draws_other_samples():
    options = {"n_repetitions": 4}
    found = [
        bias_variance(KNeighborsClassifier(1), *TRAIN, *TEST, random_state=seed, **options)
        for seed in (1, 2)
    ]
    assert parts(found[0]) != parts(found[1])


@pytest.mark.parametrize(
    "estimator", [DiscreteAdaBoostClassifier(n_estimators=5), KNeighborsClassifier()]
)
def test_frames_arrays_and_labels_of_any_type_give_the_same(estimator):
    expected = bias_variance(estimator, *TRAIN_3, *TEST_3, n_repetitions=3)
    names = np.array(["ash", "beech", "cedar"])
    arrays = [TRAIN_3.X.to_numpy(), TRAIN_3.y.to_numpy(), TEST_3.X.to_numpy(), TEST_3.y.to_numpy()]
    named = [arrays[0], names[arrays[1]], arrays[2], names[arrays[3]]]
    lists = [arrays[0], named[1].tolist(), arrays[2], pl.Series(named[3].tolist())]
    pandas = [TRAIN_3.X.to_pandas(), TRAIN_3.y.to_pandas(), TEST_3.X.to_pandas(), arrays[3]]
    columns = [
        TRAIN_3.X.with_columns(kind=TRAIN_3.y), "kind", TEST_3.X.with_columns(kind=TEST_3.y), "kind"
    ]  # fmt: skip
    lazy = [TRAIN_3.X.lazy(), TRAIN_3.y, TEST_3.X.lazy(), TEST_3.y]
    for given in (arrays, named, lists, pandas, columns, lazy):
        found = bias_variance(estimator, *given, n_repetitions=3)
        assert parts(found) == parts(expected)
    main = bias_variance(estimator, *named, n_repetitions=3).rows["main_prediction"]
    assert main.to_list() == names[expected.rows["main_prediction"].to_numpy()].tolist()


def test_classifiers_see_the_samples_they_should():
    seen = []

    class Recorder(DummyClassifier):
        def fit(self, X, y):
            seen.append(np.asarray(X)[:, 0].astype(int))
            assert (np.asarray(X)[:, 0] % 2 == y).all()
            return super().fit(X, y)

    X, y = np.arange(40)[:, None], np.arange(40) % 2
    bias_variance(Recorder(), X, y, X, y, n_repetitions=20)
    assert all(len(rows) == 40 for rows in seen)
    distinct = np.mean([len(set(rows)) for rows in seen])
    assert 0.55 < distinct / 40 < 0.7  # about 1 − 1/e
    assert len({tuple(rows) for rows in seen}) == 20
    seen.clear()
    bias_variance(Recorder(), X, y, X, y, n_repetitions=20, sample=0.3)
    assert all(len(rows) == len(set(rows)) == 12 for rows in seen)
    assert len(set(np.concatenate(seen))) == 40


def test_a_classifier_without_variance_has_none():
    found = bias_variance(DummyClassifier(strategy="constant", constant=1), *TRAIN, *TEST)
    assert found.variance == found.unbiased_variance == found.biased_variance == 0
    assert found.bias == found.squared_bias == found.error == (TEST.y == 0).mean()
    assert found.n_repetitions == 50


def test_larger_trees_trade_bias_for_variance():
    domain, other = datasets.make_banana(200, seed=1), datasets.make_banana(300, seed=2)
    small, large = (
        bias_variance(DecisionTreeClassifier(max_depth=depth), *domain, *other, n_repetitions=20)
        for depth in (1, None)
    )
    assert large.bias < small.bias
    assert large.squared_bias < small.squared_bias
    assert large.variance > 0


def test_the_order_of_test_rows_does_not_matter():
    order = np.random.default_rng(1).permutation(60)
    found = bias_variance(KNeighborsClassifier(1), *TRAIN, *TEST, n_repetitions=4)
    other = bias_variance(
        KNeighborsClassifier(1), *TRAIN, TEST.X[order], TEST.y[order], n_repetitions=4
    )
    assert parts(other) == pytest.approx(parts(found))
    assert other.rows.equals(found.rows[order])


def test_samples_have_two_classes_at_least():
    X, y = np.arange(30)[:, None], np.array([1] + [0] * 29)
    found = bias_variance(DiscreteAdaBoostClassifier(n_estimators=1), X, y, X, y, n_repetitions=10)
    assert found.n_repetitions == 10
    with pytest.raises(ValueError, match="parameter 'sample': got 100 samples of one class only"):
        bias_variance(KNeighborsClassifier(1), X, y, X, y, sample=0.01)


def test_the_result_cannot_be_changed():
    found = bias_variance(KNeighborsClassifier(1), *TRAIN, *TEST, n_repetitions=2)
    with pytest.raises(FrozenInstanceError):
        found.error = 0.0


def test_wrong_calls_name_the_parameter():
    model = KNeighborsClassifier(1)
    for sample in ("all", 0.0, 1.0, 1.5, None, True):
        with pytest.raises(ValueError, match="parameter 'sample': got"):
            bias_variance(model, *TRAIN, *TEST, sample=sample)
    with pytest.raises(ValueError, match="parameter 'n_repetitions': got 1"):
        bias_variance(model, *TRAIN, *TEST, n_repetitions=1)
    with pytest.raises(TypeError, match=r"parameter 'n_repetitions': got 2\.5"):
        bias_variance(model, *TRAIN, *TEST, n_repetitions=2.5)
    with pytest.raises(ValueError, match="parameter 'random_state': got 'x'"):
        bias_variance(model, *TRAIN, *TEST, random_state="x")
    with pytest.raises(TypeError, match="parameter 'estimator': got str, expected a classifier"):
        bias_variance("model", *TRAIN, *TEST)
    with pytest.raises(ValueError, match="y: got 79 labels, expected one for each of 80 rows of X"):
        bias_variance(model, TRAIN.X, TRAIN.y[1:], *TEST)
    with pytest.raises(ValueError, match="y_test: got 59 labels, expected one for each of 60 rows"):
        bias_variance(model, *TRAIN, TEST.X, TEST.y[1:])
    with pytest.raises(ValueError, match="y_test"):
        bias_variance(model, *TRAIN, TEST.X, TEST.y + 5)
    with pytest.raises(ValueError, match="X_test: got None"):
        bias_variance(model, *TRAIN, None, TEST.y)
