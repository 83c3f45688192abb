"""AdaBoost as annealing: row weights are the gradient of its loss, at a temperature that falls."""

import math

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from weakforce import (
    AdaBoostM1Classifier,
    AdaBoostRClassifier,
    ArcGVClassifier,
    DiscreteAdaBoostClassifier,
    LPBoostClassifier,
    RealAdaBoostClassifier,
    RegularizedAdaBoostClassifier,
    SAMMEClassifier,
    Stump,
    Tree,
    annealing_curve,
    datasets,
    reweight,
)

TWO = datasets.make_banana(150, noise=0.1, seed=3)
THREE = datasets.make_waveform(120, n_classes=3, seed=3)
WEIGHTS = np.random.default_rng(5).exponential(size=150) * (np.arange(150) % 7 > 0)

VARIANTS = {
    "adaboost": DiscreteAdaBoostClassifier(n_estimators=12),
    "trees": DiscreteAdaBoostClassifier(Tree(max_leaf_nodes=3), n_estimators=12),
    "scikit-learn": DiscreteAdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=5),
    "small phi": DiscreteAdaBoostClassifier(Tree(), phi=0.3, n_estimators=8),
    "slow": DiscreteAdaBoostClassifier(n_estimators=12, learning_rate=0.3),
    "arc-gv": ArcGVClassifier(Tree(), n_estimators=8),
    "samme": SAMMEClassifier(Stump(), n_estimators=8),
    "m1": AdaBoostM1Classifier(Stump(), n_estimators=8),
}
every_variant = pytest.mark.parametrize("model", VARIANTS.values(), ids=VARIANTS)
weighted = pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["even", "weighted"])


def loss(margins, start, total, phi=0.5):
    """G of Rätsch et al. with start weights, term by term."""
    shift = total * (0.5 - phi)
    pairs = zip(margins, start, strict=True)
    return math.fsum(u * math.exp(-0.5 * total * rho + shift) for rho, u in pairs)


def gradient(margins, start, total, phi):
    """Its gradient with respect to the margins, by central differences."""
    step, found = 1e-5, []
    for row in range(len(margins)):
        moved = [margins.copy(), margins.copy()]
        moved[0][row] += step
        moved[1][row] -= step
        high, low = (loss(side, start, total, phi) for side in moved)
        found.append((high - low) / (2 * step))
    return np.array(found)


@weighted
@every_variant
def test_row_weights_are_the_normalised_gradient_of_the_loss(model, weights):
    model = model.fit(*TWO, weights)
    start = np.ones(150) / 150 if weights is None else weights / weights.sum()
    total = 2 * np.abs(model.estimator_weights_).sum()
    slope = gradient(model.margins(*TWO, "normalized"), start, total, getattr(model, "phi", 0.5))
    assert (slope <= 0).all()  # larger margins lower the loss
    np.testing.assert_allclose(slope / slope.sum(), model.row_weights_, rtol=1e-4, atol=1e-7)


@weighted
@every_variant
def test_every_round_is_that_of_the_formula(model, weights):
    model = model.fit(*TWO, weights)
    curve = annealing_curve(model, *TWO, sample_weight=weights)
    assert curve["round"].to_list() == list(range(1, model.n_iter_ + 1))
    start = np.ones(150) if weights is None else weights
    signs = np.where(TWO.y.to_numpy() == model.classes_[1], 1, -1)
    stages = list(model.staged_decision_function(TWO.X))
    for line, scores in zip(curve.iter_rows(named=True), stages, strict=True):
        total = sum(abs(weight) for weight in model.estimator_weights_[: line["round"]])
        unnormalised = [u * math.exp(-s) for u, s in zip(start, signs * scores, strict=True)]
        w = [part / math.fsum(unnormalised) for part in unnormalised]
        entropy = -math.fsum(share * math.log(share) for share in w if share > 0)
        assert line["b"] == pytest.approx(2 * total)
        assert line["temperature"] == pytest.approx(1 / total)
        assert line["entropy"] == pytest.approx(entropy)
        assert line["effective_rows"] == pytest.approx(math.exp(entropy))
        assert line["smallest_margin"] == pytest.approx((signs * scores)[start > 0].min() / total)
        soft = -math.log(math.fsum(unnormalised) / start.sum()) / total
        assert line["soft_minimum"] == pytest.approx(soft)


@every_variant
def test_the_last_entropy_is_that_of_the_row_weights(model):
    model = model.fit(*TWO)
    weights = model.row_weights_[model.row_weights_ > 0]
    entropy = annealing_curve(model, *TWO)["entropy"][-1]
    assert entropy == pytest.approx(-(weights * np.log(weights)).sum(), abs=1e-6)


def test_one_round_by_hand():
    # One of four rows is wrong: α = ½ ln 3, and its weight becomes ½.
    X, y = np.array([[0], [1], [2], [3]]), np.array([0, 1, 0, 1])
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y)
    line = annealing_curve(model, X, y).row(0, named=True)
    assert line["b"] == pytest.approx(math.log(3))
    assert line["temperature"] == pytest.approx(2 / math.log(3))
    assert line["entropy"] == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(6))
    assert line["effective_rows"] == pytest.approx(math.sqrt(12))
    assert line["smallest_margin"] == pytest.approx(-1)
    # Σ u exp(−ρ/T) = ¼ √3 + ¾ /√3 = √3/2.
    assert line["soft_minimum"] == pytest.approx(-2 / math.log(3) * math.log(math.sqrt(3) / 2))


@every_variant
def test_it_cools_down_towards_the_smallest_margin(model):
    curve = annealing_curve(model.fit(*TWO), *TWO)
    assert (curve["temperature"].diff().drop_nulls() < 0).all()
    assert (curve["entropy"] <= math.log(150) + 1e-12).all()
    gap = curve["soft_minimum"] - curve["smallest_margin"]
    assert (gap >= -1e-12).all()
    assert (gap <= curve["temperature"] * math.log(150) + 1e-12).all()


def test_small_phi_cools_more_slowly():
    domain = datasets.make_xd6(300, noise=0.0, seed=1)
    curves = [
        annealing_curve(
            DiscreteAdaBoostClassifier(Tree(), phi=phi, n_estimators=5).fit(*domain), *domain
        )
        for phi in (0.5, 0.4, 0.3)
    ]
    first = [curve["temperature"][0] for curve in curves]
    assert first == sorted(first)


def test_the_order_of_rows_and_rows_without_weight_do_not_matter():
    model = DiscreteAdaBoostClassifier(n_estimators=6).fit(*TWO, WEIGHTS)
    curve = annealing_curve(model, *TWO, sample_weight=WEIGHTS)
    order = np.random.default_rng(1).permutation(np.flatnonzero(WEIGHTS))
    other = annealing_curve(model, TWO.X[order], TWO.y[order], sample_weight=WEIGHTS[order])
    for name in curve.columns:
        np.testing.assert_allclose(curve[name], other[name])


def test_others_are_refused_by_name():
    for model in (
        RegularizedAdaBoostClassifier(n_estimators=3),
        LPBoostClassifier(n_estimators=3),
        RealAdaBoostClassifier(Stump(answer="vote"), n_estimators=3),
    ):
        with pytest.raises(
            ValueError, match=f"got {type(model).__name__}, expected one that weighs"
        ):
            annealing_curve(model.fit(*TWO), *TWO)
    with pytest.raises(ValueError, match="got AdaBoostRClassifier whose hypotheses answer with"):
        annealing_curve(AdaBoostRClassifier(n_estimators=3).fit(*TWO), *TWO)
    with pytest.raises(ValueError, match="for 3 classes"):
        annealing_curve(DiscreteAdaBoostClassifier(n_estimators=3).fit(*THREE), *THREE)
    model = DiscreteAdaBoostClassifier(n_estimators=10).fit(*TWO)
    with pytest.raises(ValueError, match="weights were replaced by those of a program"):
        annealing_curve(reweight(model, *TWO, C=2.0), *TWO)
    with pytest.raises(TypeError, match="parameter 'model': got str"):
        annealing_curve("model", *TWO)
    with pytest.raises(ValueError, match="sample_weight: got 2 weights"):
        annealing_curve(model, *TWO, sample_weight=[1, 2])
