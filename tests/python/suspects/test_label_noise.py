"""`label_noise`: how many labels are wrong, which for which, and how many rows are worth a look."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

from weakforce import LabelNoiseEstimate, WeakForceClassifier, datasets, label_noise
from weakforce._wrong_labels.noise import count_wrong, given_by_true, probability_wrong


def noisy(share, n_rows=1500, n_classes=2, seed=1):
    """Classes that are well apart, a share of the labels turned, and which ones."""
    generator = np.random.default_rng(seed)
    y = generator.integers(0, n_classes, n_rows)
    X = generator.normal(size=(n_rows, 4)) + 3.0 * y[:, None]
    wrong = generator.random(n_rows) < share
    return X, np.where(wrong, (y + generator.integers(1, n_classes, n_rows)) % n_classes, y), wrong


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.2, 0.3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_share_is_found_where_classes_are_apart(share, n_classes):
    X, y, wrong = noisy(share, n_classes=n_classes)
    found = label_noise(X, y)
    assert abs(found.rate - wrong.mean()) < 0.03
    assert found.low <= found.rate <= found.high
    assert found.low - 0.005 <= wrong.mean() <= found.high + 0.005
    assert found.n_wrong == round(found.rate * 1500)


def test_it_counts_the_contradictions_of_the_surest_rows():
    X, y, _ = noisy(0.1, 300)
    found = label_noise(X, y, random_state=4)
    model = WeakForceClassifier(random_state=4).fit(X, y)
    shares = model._out_of_bag.probabilities()
    surest = np.argsort(-shares.max(axis=1), kind="stable")[: found.n_rows]
    assert_allclose(found.rate, np.mean(shares.argmax(axis=1)[surest] != y[surest]))


def test_overlapping_classes_are_not_counted_as_wrong_labels():
    generator = np.random.default_rng(0)
    X = generator.uniform(-3, 3, size=(3000, 1))
    y = (generator.random(3000) < 1 / (1 + np.exp(-3 * X[:, 0]))).astype(int)
    contradicted = np.mean((X[:, 0] > 0) != y)
    assert contradicted > 0.07
    assert label_noise(X, y).rate < 0.02


def test_more_rows_are_counted_until_they_contradict_more_often():
    sureness = np.linspace(1.0, 0.5, 1000)
    shares = np.column_stack([sureness, 1 - sureness])
    for n_alike in (100, 300, 1000):
        truth = np.zeros(1000, dtype=np.uint32)
        truth[:n_alike] = np.arange(n_alike) % 10 == 0
        truth[n_alike:] = np.arange(1000 - n_alike) % 2
        rate, n_rows = count_wrong(shares, truth, np.ones(1000))
        assert n_rows == n_alike
        assert rate == pytest.approx(0.1)
    rate, n_rows = count_wrong(shares, truth, (np.arange(1000) < 20).astype(float))
    assert n_rows == 20


def test_the_matrix_says_which_class_is_written_for_which():
    X, y, _ = noisy(0.0, 3000, 3)
    generator = np.random.default_rng(1)
    given = np.where((y == 1) & (generator.random(3000) < 0.3), 2, y)
    labels = np.array(["low", "middle", "high"])[given]
    found = label_noise(X, labels)
    assert found.matrix.columns == ["true", "given_high", "given_low", "given_middle"]
    assert found.matrix["true"].to_list() == ["high", "low", "middle"]
    matrix = found.matrix.drop("true").to_numpy()
    assert_allclose(matrix.sum(axis=1), 1.0)
    turned = np.mean(given[y == 1] == 2)
    assert_allclose(matrix, [[1, 0, 0], [0, 1, 0], [turned, 0, 1 - turned]], atol=0.04)


def test_a_class_with_few_rows_tends_to_the_overall_share():
    shares = np.array([[0.9, 0.06, 0.04]] * 500 + [[0.1, 0.8, 0.1]])
    truth = np.where(np.arange(501) % 10 == 0, 2, 0).astype(np.uint32)
    matrix = given_by_true(shares, truth, np.ones(501), 0.1, 501)
    assert_allclose(matrix[0], [(450 + 18) / 520, 1 / 520, (50 + 1) / 520])
    assert_allclose(matrix[2], [0.05, 0.05, 0.9])


def test_the_probability_that_a_label_is_wrong_follows_from_bayes_rule():
    generator = np.random.default_rng(2)
    clean = generator.dirichlet(np.ones(3), 50)
    matrix = np.array([[0.8, 0.1, 0.1], [0.0, 1.0, 0.0], [0.3, 0.1, 0.6]])
    truth = generator.integers(0, 3, 50).astype(np.uint32)
    found = probability_wrong(clean @ matrix, truth, matrix)
    for row, given in enumerate(truth):
        joint = clean[row] * matrix[:, given]
        assert found[row] == pytest.approx(1 - joint[given] / joint.sum())


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("precision", [0.6, 0.8])
def test_about_that_share_of_the_rows_worth_checking_is_wrong(share, precision):
    X, y = datasets.make_waveform(2000, n_classes=2, seed=1)
    y = y.to_numpy()
    wrong = np.random.default_rng(4).random(2000) < share
    found = label_noise(X, np.where(wrong, 1 - y, y))
    count = found.n_worth_checking(precision)
    order = np.argsort(-found.p_wrong, kind="stable")
    assert 0.5 * wrong.sum() < count
    assert found.p_wrong[order[:count]].mean() >= precision
    assert found.p_wrong[order[: count + 1]].mean() < precision
    assert precision - 0.1 < wrong[order[:count]].mean() < precision + 0.17


def test_clean_labels_are_not_worth_checking():
    X, y, _ = noisy(0.0)
    found = label_noise(X, y)
    assert found.n_worth_checking() < 5
    assert "0.0% of labels are wrong (0.0% to " in str(found)


def test_answers_depend_on_nothing_but_the_rows_and_the_seed():
    X, y, _ = noisy(0.1, 300)
    first = label_noise(X, y)
    frame = pl.DataFrame(X).with_columns(label=pl.Series(y))
    for other in (label_noise(X, y, n_jobs=1), label_noise(frame, "label")):
        assert isinstance(other, LabelNoiseEstimate)
        assert other.rate == first.rate
        assert other.matrix.equals(first.matrix)
        assert_allclose(other.p_wrong, first.p_wrong, rtol=0, atol=0)


def test_rows_without_weight_are_not_counted():
    X, y, _ = noisy(0.0, 600)
    silent = np.arange(600) % 3 == 0
    found = label_noise(X, np.where(silent, 1 - y, y), ~silent)
    assert found.rate == 0.0
    assert found.n_rows <= 400
    assert found.p_wrong.shape == (600,)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (
            {"y": np.ones((30, 2), dtype=int)},
            ValueError,
            "label_noise takes one label for each row",
        ),
        ({"y": np.zeros(30)}, ValueError, "got only one class"),
        ({"y": np.arange(20) % 2}, ValueError, "got 20 labels, expected one for each of 30 rows"),
        ({"X": None}, ValueError, "X is None"),
        ({"random_state": "x"}, ValueError, "'random_state': got 'x'"),
    ],
)
def test_wrong_calls_are_refused_by_name(change, kind, message):
    call = {"X": np.arange(60.0).reshape(30, 2), "y": np.arange(30) % 2, **change}
    with pytest.raises(kind, match=message):
        label_noise(**call)


@pytest.mark.parametrize(
    ("precision", "kind"), [(0.0, ValueError), (1.5, ValueError), ("high", TypeError)]
)
def test_a_precision_is_a_share(precision, kind):
    X, y, _ = noisy(0.1, 100)
    with pytest.raises(kind, match=r"'precision': got .*, expected a share > 0 and <= 1"):
        label_noise(X, y).n_worth_checking(precision)
