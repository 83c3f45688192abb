"""Bounds on margins: what papers prove is never crossed on training rows, nor claimed elsewhere."""

import numpy as np
import polars as pl
import pytest

import weakforce
from support.registry import BOUNDED_FOR_ALL_CLASSES, BOUNDED_FOR_TWO_CLASSES, weak
from weakforce import (
    AdaBoostMHClassifier,
    AdaBoostRClassifier,
    ArcGVClassifier,
    DiscreteAdaBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    SFBoostClassifier,
    Stump,
    Tree,
    datasets,
    margin_curve,
    margin_statistics,
)

WITH_THEOREM = (*BOUNDED_FOR_TWO_CLASSES, *BOUNDED_FOR_ALL_CLASSES)
DOMAINS = {
    "led_even": datasets.make_led_even(150, noise=0.2, extra_bits=3, seed=2),
    "xd6": datasets.make_xd6(150, noise=0.1, seed=2),
    "monks_2": datasets.make_monks(problem=2, sample="train", categorical=True, seed=2),
    "parity": datasets.make_parity(150, n_bits=5, k=2, noise=0.1, seed=2),
    "long_servedio": datasets.make_long_servedio(200, noise=0.1, seed=2),
    "banana": datasets.make_banana(150, noise=0.1, seed=2),
    "twonorm": datasets.make_twonorm(150, seed=2),
    "ringnorm": datasets.make_ringnorm(150, seed=2),
    "waveform": datasets.make_waveform(150, seed=2),
    "madelon": datasets.make_madelon_like(150, n_features=10, seed=2),
}
THREE = datasets.make_waveform(150, n_classes=3, seed=2)

with_theorem = pytest.mark.parametrize(
    "booster",
    [b for b in weakforce.boosters() if b._kind in WITH_THEOREM],
)
#: A booster with every learner at least once over the domains, not each with all on each.
LEARNERS = (Stump, Rule, Tree)


def some_weights(n_rows):
    return np.random.default_rng(5).exponential(size=n_rows)


@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
@pytest.mark.parametrize("domain", DOMAINS)
@with_theorem
def test_bounds_are_never_crossed_on_training_rows(booster, domain, weighted):
    X, y = DOMAINS[domain]
    weights = some_weights(len(y)) if weighted else None
    learner = LEARNERS[(list(DOMAINS).index(domain) + weighted) % len(LEARNERS)]
    whole = {"prune": False} if booster is SFBoostClassifier else {}
    model = booster(weak(booster, learner), n_estimators=12, **whole).fit(X, y, weights)
    rounds = sorted({1, (model.n_iter_ + 1) // 2, model.n_iter_})
    for kind in model.fitted_model_.theory.kinds:
        curve = margin_curve(model, X, y, kind=kind, rounds=rounds, sample_weight=weights)
        assert curve["bound"].null_count() == 0
        assert (curve["share"] <= curve["bound"]).all()


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    "booster", [b for b in weakforce.boosters() if b._kind in BOUNDED_FOR_ALL_CLASSES]
)
def test_bounds_of_several_classes_are_never_crossed_and_say_something(booster, shared):
    X, y = THREE
    for answer in ("vote", "gentle"):
        model = booster(Tree(answer=answer), shared=shared, n_estimators=40).fit(X, y)
        curve = margin_curve(model, X, y, rounds=[1, 10, model.n_iter_])
        assert (curve["share"] <= curve["bound"]).all()
        assert curve["bound"].min() < 0.1


@pytest.mark.parametrize("learning_rate", [0.3, 1.0])
@pytest.mark.parametrize(
    "booster", [DiscreteAdaBoostClassifier, ArcGVClassifier, AdaBoostRClassifier, SAMMEClassifier]
)
def test_bounds_hold_under_learning_rates_nets_and_perfect_votes(booster, learning_rate):
    domain = DOMAINS["twonorm"]
    net = RBFNet(n_centers=3, n_steps=2)
    easy = (np.arange(20.0).reshape(-1, 1), np.arange(20) >= 8)
    for rows, learner in ((domain, net), (easy, Stump()), (domain, Stump())):
        model = booster(learner, n_estimators=10, learning_rate=learning_rate).fit(*rows)
        for kind in ("normalized", "logistic"):
            curve = margin_curve(model, *rows, kind=kind, rounds=range(1, model.n_iter_ + 1))
            assert curve["bound"].null_count() == 0
            assert (curve["share"] <= curve["bound"]).all()


def test_bound_of_ata_is_theorem_3():
    X, y = DOMAINS["twonorm"]
    theta = np.linspace(-1, 1, 21)
    for phi in (0.5, 0.45):
        model = DiscreteAdaBoostClassifier(phi=phi, n_estimators=8).fit(X, y)
        errors, odds = model.estimator_errors_, phi / (1 - phi)
        factor = (odds ** ((1 + theta) / 2) + odds ** (-(1 - theta) / 2)) ** model.n_iter_
        product = np.prod(
            [np.sqrt(e ** (1 - theta) * (1 - e) ** (1 + theta)) for e in errors], axis=0
        )
        curve = margin_curve(model, X, y, theta=theta)
        assert curve["bound"].to_list() == pytest.approx(np.minimum(1, factor * product))


def empirical_bayes_error(X, y):
    """The share of rows whose label is not the most frequent one of rows like them."""
    labels = X.with_columns(label=y).group_by(X.columns).agg(pl.col("label"))["label"]
    wrong = [len(group) - np.bincount(group).max() for group in labels.to_list()]
    return sum(wrong) / len(y)


def test_bound_of_adaboost_r_is_at_most_that_of_theorem_1():
    X, y = DOMAINS["xd6"]
    model = AdaBoostRClassifier(Rule(), n_estimators=30).fit(X, y)
    theta = np.linspace(-0.99, 0.99, 67)
    bayes = empirical_bayes_error(X, y)
    falling = np.exp(-0.5 * (model.edges_**2).sum())
    theorem = bayes + np.maximum(1, (1 + theta) / (1 - theta)) * falling
    curve = margin_curve(model, X, y, theta=theta)
    assert bayes > 0
    assert (curve["bound"].to_numpy() <= theorem).all()
    assert 0 < curve["bound"].min() < 0.01


def test_bound_of_sfboost_is_inequality_7():
    X, y = DOMAINS["long_servedio"]
    model = SFBoostClassifier(n_estimators=10).fit(X, y)
    weights = model.bucket_weights_.sum(axis=0)
    largest = abs(np.log(weights[1] / weights[0])) / 2
    theta = np.linspace(-20, 5, 26)
    curve = margin_curve(model, X, y, theta=theta)
    expected = np.minimum(1, np.exp(theta * largest) * np.prod(model.z_))
    assert curve["bound"].to_list() == pytest.approx(expected)


def test_theorem_1_of_sfboost_as_printed_is_crossed_which_is_why_it_is_not_used():
    # One row in ten is positive, and no column tells anything.
    rows = np.arange(200)
    X = np.random.default_rng(0).integers(0, 2, size=(20, 10))[rows // 10]
    y = rows % 10 == 0
    model = SFBoostClassifier(n_estimators=10, prune=False).fit(X, y)
    share = y.mean()
    printed = (2 * np.sqrt(share * (1 - share))) ** (model.n_iter_ + 1)
    curve = margin_curve(model, X, y, theta=[0.0])
    assert model.n_iter_ == 10
    assert curve["share"][0] > printed
    assert curve["share"][0] <= curve["bound"][0]


def test_nothing_is_claimed_where_nothing_is_proved():
    for booster in weakforce.boosters():
        several = weak_fit(booster, THREE)
        two = weak_fit(booster, DOMAINS["banana"])
        claims = [
            margin_curve(model, *rows)["bound"].null_count() == 0
            for model, rows in ((two, DOMAINS["banana"]), (several, THREE))
        ]
        expected = [booster._kind in WITH_THEOREM, booster._kind in BOUNDED_FOR_ALL_CLASSES]
        assert claims == expected, booster.__name__


def weak_fit(booster, domain):
    rounds = {"n_layers": 4} if hasattr(booster, "n_layers") else {"n_estimators": 4}
    return booster(Stump(), **rounds).fit(*domain)


def test_no_bound_is_shown_for_rows_and_weights_on_which_the_proof_does_not_stand():
    X, y = DOMAINS["banana"]
    new = datasets.make_banana(500, noise=0.3, seed=77)
    for booster in (DiscreteAdaBoostClassifier, SFBoostClassifier, ArcGVClassifier):
        model = booster(n_estimators=40).fit(X, y)
        assert margin_curve(model, *new)["bound"].null_count() > 0
        hardest = np.where(model.margins(X, y) < 0.1, 1.0, 0.01)
        assert margin_curve(model, X, y, sample_weight=hardest)["bound"].null_count() > 0
        # Were all rows as easy as the best ones, the proof would stand.
        easiest = (model.margins(X, y) > 0.1).astype(float)
        assert margin_curve(model, X, y, sample_weight=easiest)["bound"].null_count() == 0


def test_class_weights_change_no_margin_and_no_bound():
    X, y = DOMAINS["waveform"]
    model = DiscreteAdaBoostClassifier(class_weight={0: 1, 1: 9}, n_estimators=20).fit(X, y)
    plain = DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y)
    curve = margin_curve(model, X, y)
    assert curve.equals(margin_curve(plain, X, y))
    assert (curve["share"] <= curve["bound"]).all()


def test_weights_that_a_program_replaced_have_no_bound_even_after_loading(tmp_path):
    X, y = DOMAINS["banana"]
    for booster in (DiscreteAdaBoostClassifier, ArcGVClassifier, AdaBoostRClassifier):
        model = booster(Stump(answer="vote"), n_estimators=15).fit(X, y)
        new = weakforce.reweight(model, X, y, method="lp-reg", C=5.0)
        new.save(tmp_path / "model.json")
        for changed in (new, weakforce.load(tmp_path / "model.json")):
            assert margin_curve(changed, X, y)["bound"].null_count() > 0
            assert changed.fitted_model_.loss_bounds() is None


def test_the_bound_on_the_loss_is_the_loss_itself_for_votes_and_buckets():
    X, y = DOMAINS["ringnorm"]
    signs = np.where(y.to_numpy() == 1, 1, -1)
    for booster in (DiscreteAdaBoostClassifier, ArcGVClassifier, SFBoostClassifier):
        model = booster(n_estimators=12).fit(X, y)
        losses = [np.exp(-signs * scores).mean() for scores in model.staged_decision_function(X)]
        assert model.fitted_model_.loss_bounds()[1:] == pytest.approx(losses)


def test_the_bound_on_the_loss_is_above_it_for_confidences_and_pairs():
    X, y = DOMAINS["ringnorm"]
    signs = np.where(y.to_numpy() == 1, 1, -1)
    for booster in (AdaBoostRClassifier, AdaBoostMHClassifier):
        model = booster(Stump(), n_estimators=12).fit(X, y)
        losses = [np.exp(-signs * scores).mean() for scores in model.staged_decision_function(X)]
        assert (model.fitted_model_.loss_bounds()[1:] >= np.array(losses) * (1 - 1e-12)).all()


def test_limit_is_where_the_bound_of_theorem_3_stops_to_fall():
    X, y = DOMAINS["twonorm"]
    for phi in (0.5, 0.4):
        model = DiscreteAdaBoostClassifier(phi=phi, n_estimators=10).fit(X, y)
        worst = model.estimator_errors_.max()
        limit = model.fitted_model_.theory.limit_margin(model.fitted_model_)
        odds = phi / (1 - phi)
        base = (odds ** ((1 + limit) / 2) + odds ** (-(1 - limit) / 2)) * np.sqrt(
            worst ** (1 - limit) * (1 - worst) ** (1 + limit)
        )
        assert base == pytest.approx(1.0)
        assert 1 - 2 * phi <= limit <= 1 - 2 * worst


def test_margins_reach_the_limit_of_corollary_4():
    X, y = DOMAINS["twonorm"]
    model = DiscreteAdaBoostClassifier(n_estimators=1500).fit(X, y)
    value = dict(margin_statistics(model, X, y).rows())
    assert value["smallest"] >= value["margin_in_limit"] > 0


def test_there_is_no_limit_where_corollary_4_says_nothing():
    X, y = DOMAINS["twonorm"]
    slow = DiscreteAdaBoostClassifier(learning_rate=0.5, n_estimators=5).fit(X, y)
    perfect = DiscreteAdaBoostClassifier().fit([[0.0], [1.0]], [0, 1])
    several = DiscreteAdaBoostClassifier(n_estimators=5).fit(*THREE)
    real = RealAdaBoostClassifier(n_estimators=5).fit(X, y)
    for model in (slow, perfect, several, real):
        assert model.fitted_model_.theory.limit_margin(model.fitted_model_) is None
