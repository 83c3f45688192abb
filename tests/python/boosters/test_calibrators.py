"""How calibrations are learned, against naive optimisers and scikit-learn's own calibrators."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

from weakforce import LogitBoostClassifier
from weakforce._fitting.calibrating import (
    ScoredRows,
    fit_isotonic,
    fit_sigmoid,
    fit_temperature,
)
from weakforce._reading.calibrations import Isotonic, Sigmoid, Temperature


def two_classes(seed, n_rows=200, weighted=True):
    rng = np.random.default_rng(seed)
    scores = 3.0 * rng.normal(size=n_rows)
    codes = (rng.random(n_rows) < 1 / (1 + np.exp(-0.4 * scores - 0.7))).astype(np.uint32)
    weights = rng.random(n_rows) + 0.1 if weighted else None
    return ScoredRows.of(scores, codes, weights, 2)


def several_classes(seed, n_classes=4, n_rows=300):
    rng = np.random.default_rng([seed, n_classes])
    scores = 4.0 * rng.normal(size=(n_rows, n_classes))
    noise = rng.gumbel(size=(n_rows, n_classes))
    codes = (0.5 * scores + np.arange(n_classes) / 2 + noise).argmax(axis=1).astype(np.uint32)
    return ScoredRows.of(scores, codes, rng.random(n_rows), n_classes)


def platt_targets(rows):
    """The target of every row and class, in a loop."""
    targets = np.empty((len(rows.codes), rows.n_classes))
    for row, own in enumerate(rows.codes):
        count = rows.weights[rows.codes == own].sum()
        for code in range(rows.n_classes):
            share = count + 1 if code == own else 1 / (rows.n_classes - 1)
            targets[row, code] = share / (count + 2)
    return targets


def naive_loss(rows, slope, intercepts, ridge=0.0):
    """The loss of a sigmoid, row by row."""
    targets, total = platt_targets(rows), ridge / 2 * np.sum(np.square(intercepts))
    for row, weight in enumerate(rows.weights):
        if rows.scores.ndim == 1:
            logits = np.array([0.0, slope * rows.scores[row] + intercepts[0]])
        else:
            logits = slope * rows.scores[row] + intercepts
        total += weight * (np.logaddexp.reduce(logits) - targets[row] @ logits)
    return total


@pytest.mark.parametrize("seed", range(3))
def test_a_sigmoid_of_two_classes_has_the_least_loss(seed):
    rows = two_classes(seed)
    found = fit_sigmoid(rows)
    best = minimize(
        lambda p: naive_loss(rows, p[0], p[1:]), [1.0, 0.0], method="Nelder-Mead",
        options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 2000},
    )  # fmt: skip
    np.testing.assert_allclose([found.slope, *found.intercepts], best.x, atol=2e-5)
    assert naive_loss(rows, found.slope, found.intercepts) <= best.fun + 1e-8


@pytest.mark.parametrize("n_classes", [3, 5])
def test_a_sigmoid_of_several_classes_has_the_least_loss(n_classes):
    rows = several_classes(1, n_classes, 120)
    found = fit_sigmoid(rows)

    def loss(p):
        return naive_loss(rows, p[0], p[1:], ridge=1.0)

    own = loss([found.slope, *found.intercepts])
    best = minimize(loss, [0.1, *[0.0] * n_classes], method="BFGS", options={"gtol": 1e-6})
    assert own == pytest.approx(best.fun, abs=1e-6)
    np.testing.assert_allclose([found.slope, *found.intercepts], best.x, atol=1e-3)
    assert len(found.intercepts) == n_classes


def test_a_sigmoid_never_falls():
    rows = two_classes(0)
    turned = ScoredRows(-rows.scores, rows.codes, rows.weights, 2)
    found = fit_sigmoid(turned)
    assert found.slope == 0.0
    targets = platt_targets(rows)[:, 1]
    share = np.average(targets, weights=rows.weights)
    assert found.intercepts[0] == pytest.approx(np.log(share / (1 - share)), abs=1e-5)


def test_separable_scores_make_a_finite_sigmoid():
    scores = np.array([-2.0, -1.0, 1.0, 2.0])
    found = fit_sigmoid(ScoredRows.of(scores, np.array([0, 0, 1, 1], np.uint32), None, 2))
    assert 0 < found.slope < 2
    assert found.intercepts[0] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrations_of_two_classes_are_those_of_scikit_learn(method):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + rng.normal(size=400) > 0.4).astype(int)
    plain = LogitBoostClassifier(n_estimators=20).fit(X[:200], y[:200])
    peer = CalibratedClassifierCV(FrozenEstimator(plain), method=method, ensemble=False)
    peer.fit(X[200:], y[200:])
    ours = LogitBoostClassifier(n_estimators=20, calibrate=method)
    ours.fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    # Both find the optimum as far as their own tolerance goes.
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=2e-3)


@pytest.mark.parametrize("seed", range(3))
def test_isotonic_probabilities_of_two_classes_are_scikit_learns(seed):
    rows = two_classes(seed)
    peer = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    peer.fit(rows.scores, rows.codes == 1, sample_weight=rows.weights)
    new = np.linspace(-15, 15, 501)
    shares = fit_isotonic(rows).probabilities(new)
    np.testing.assert_allclose(shares[:, 1], peer.predict(new), atol=1e-12)


def test_isotonic_probabilities_of_several_classes_are_normalised():
    rows = several_classes(2)
    new = several_classes(3).scores
    expected = np.empty(new.shape)
    for code in range(4):

        def lead(scores, code=code):
            return scores[:, code] - np.delete(scores, code, axis=1).max(axis=1)

        peer = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        peer.fit(lead(rows.scores), rows.codes == code, sample_weight=rows.weights)
        expected[:, code] = peer.predict(lead(new))
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fit_isotonic(rows).probabilities(new), expected, atol=1e-12)


@pytest.mark.parametrize("fit", [fit_sigmoid, fit_isotonic, lambda rows: fit_temperature(rows, 50)])
def test_permuted_classes_permute_the_probabilities(fit):
    rows, order = several_classes(4), np.array([2, 0, 3, 1])
    moved = ScoredRows(
        rows.scores[:, order], np.argsort(order)[rows.codes].astype(np.uint32), rows.weights, 4
    )
    new = several_classes(5).scores
    np.testing.assert_allclose(
        fit(moved).probabilities(new[:, order]), fit(rows).probabilities(new)[:, order], atol=1e-5
    )


@pytest.mark.parametrize("make", [two_classes, several_classes])
@pytest.mark.parametrize("fit", [fit_sigmoid, fit_isotonic, lambda rows: fit_temperature(rows, 99)])
def test_weights_count_relative_to_each_other_and_zero_is_absence(fit, make):
    rows = make(6)
    kept = rows.weights.copy()
    kept[::3] = 0.0
    for factor in (1.0, 1e300, 1e-300):
        some = ScoredRows.of(rows.scores, rows.codes, factor * kept, rows.n_classes)
        less = ScoredRows.of(
            rows.scores[kept > 0], rows.codes[kept > 0], kept[kept > 0], rows.n_classes
        )
        np.testing.assert_allclose(
            fit(some).probabilities(rows.scores), fit(less).probabilities(rows.scores), atol=1e-6
        )


def test_probabilities_of_each_calibration_name_its_answer_even_in_ties():
    ties = np.array([0.0, -0.0, 1e-300, -1e-300, 1.0, -1.0, 1e9, -1e9])
    flat = Isotonic(((-1.0, 1.0),), ((0.5, 0.5),))
    for calibration in (Temperature(1e-9), Sigmoid(0.0, (0.0,)), Sigmoid(1e-20, (0.0,)), flat):
        shares = calibration.probabilities(ties)
        np.testing.assert_array_equal(shares.argmax(axis=1), calibration.answers(ties))
    assert flat.answers(ties).tolist() == [1] * 8
    scores = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 2.0], [1.0, 3.0, 2.0]])
    knots = ((0.0,),) * 3
    cases = (Temperature(1e-20), Sigmoid(0.0, (0.0, 0.0, 0.0)), Isotonic(knots, knots))
    for calibration in cases:
        shares = calibration.probabilities(scores)
        np.testing.assert_array_equal(shares.argmax(axis=1), calibration.answers(scores))
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)
    assert Temperature(1e-20).answers(scores).tolist() == [0, 0, 1, 1]
    # Where no class is possible, the best score decides.
    assert Isotonic(knots, knots).answers(scores).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("make", [two_classes, several_classes])
def test_a_temperature_has_the_least_loss_under_smoothed_targets(make):
    rows = make(7)
    factor = fit_temperature(rows, 500).factor
    wrong = 6 * rows.n_classes / 500
    scores = rows.by_class()

    def loss(factor):
        total = 0.0
        for row, weight in enumerate(rows.weights):
            logits = factor * scores[row]
            shares = logits - np.logaddexp.reduce(logits)
            targets = np.full(rows.n_classes, wrong / (rows.n_classes - 1))
            targets[rows.codes[row]] = 1 - wrong
            total -= weight * (targets @ shares)
        return total

    least = loss(factor)
    assert all(least <= loss(factor * near) for near in (0.9, 0.999, 1.001, 1.1))


def test_a_temperature_does_not_depend_on_the_order_of_the_rows():
    rows = several_classes(8)
    order = np.random.default_rng(0).permutation(len(rows.codes))
    moved = ScoredRows(rows.scores[order], rows.codes[order], rows.weights[order], 4)
    assert fit_temperature(moved, 300) == fit_temperature(rows, 300)


def test_a_temperature_is_finite_and_positive_whatever_the_scores_are():
    codes = np.array([0, 1, 0, 1], np.uint32)
    right = np.array([-1.0, 1.0, -2.0, 2.0])
    for scores in (right, 1e9 * right, 1e-9 * right, -right):
        factor = fit_temperature(ScoredRows.of(scores, codes, None, 2), 4).factor
        assert 0 < factor < np.inf
    assert fit_temperature(ScoredRows.of(np.zeros(4), codes, None, 2), 4) is None
