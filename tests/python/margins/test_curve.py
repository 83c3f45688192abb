"""Margin curves against direct counting, round by round, and what wrong calls say."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weakforce
from support.registry import every_booster, every_greedy_booster
from weakforce import (
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    MarginDisplay,
    RealAdaBoostClassifier,
    RegularizedAdaBoostClassifier,
    SFBoostClassifier,
    SoftmaxBoostClassifier,
    Stump,
    datasets,
    margin_curve,
)

TWO = datasets.make_banana(150, seed=3)
THREE = datasets.make_waveform(120, n_classes=3, seed=3)


def fitted(booster, domain, **parameters):
    return booster(Stump(), n_estimators=6, **parameters).fit(*domain)


def counted(margins, theta, weights=None):
    """The share of the weight with margins up to each θ, row by row."""
    weights = np.ones(len(margins)) if weights is None else weights
    return [
        sum(w for margin, w in zip(margins, weights, strict=True) if margin <= place) / sum(weights)
        for place in theta
    ]


@pytest.mark.parametrize("domain", [TWO, THREE], ids=["two", "three"])
@every_booster
def test_shares_of_the_last_round_are_counts_of_margins(booster, domain):
    model = fitted(booster, domain)
    for kind in model.fitted_model_.theory.kinds:
        curve = margin_curve(model, *domain, kind=kind)
        margins = model.margins(*domain, kind)
        assert curve["share"].to_list() == pytest.approx(counted(margins, curve["theta"]))
        assert curve["round"].unique().to_list() == [model.n_iter_]


@given(
    theta=st.lists(st.floats(-1.2, 1.2), min_size=1, max_size=8),
    weights=st.lists(st.floats(0, 10), min_size=150, max_size=150).filter(any),
)
@settings(max_examples=40, deadline=None)
def test_shares_are_weighted_counts_at_any_place(theta, weights):
    model = MODEL_OF_TWO
    curve = margin_curve(model, *TWO, theta=theta, sample_weight=weights)
    expected = counted(model.margins(*TWO), theta, weights)
    assert curve["share"].to_list() == pytest.approx(expected, abs=1e-9)


MODEL_OF_TWO = fitted(DiscreteAdaBoostClassifier, TWO)


@pytest.mark.parametrize("kind", ["normalized", "logistic", None])
@every_greedy_booster
def test_an_earlier_round_has_the_curve_of_a_model_that_stopped_there(booster, kind):
    longer = fitted(booster, TWO)
    n_rounds = longer.n_iter_ - 2
    shorter = booster(Stump(), n_estimators=n_rounds).fit(*TWO)
    assert shorter.n_iter_ == n_rounds
    theta = np.linspace(-1, 1, 41) + 1e-4
    early = margin_curve(longer, *TWO, kind=kind, rounds=[n_rounds], theta=theta)
    assert early["share"].to_list() == pytest.approx(
        margin_curve(shorter, *TWO, kind=kind, theta=theta)["share"].to_list()
    )


def test_earlier_rounds_are_normalised_by_their_own_weights_under_new_weights_too():
    model = weakforce.QPAdaBoostClassifier(n_estimators=8).fit(*TWO)
    signs = np.where(TWO.y.to_numpy() == 1, 1, -1)
    scores = list(model.staged_decision_function(TWO.X))[2]
    margins = signs * scores / model.estimator_weights_[:3].sum()
    curve = margin_curve(model, *TWO, rounds=[3])
    assert curve["share"].to_list() == pytest.approx(counted(margins, curve["theta"]))


def test_symmetric_functions_of_several_classes_are_normalised_by_the_buckets_of_their_round():
    longer = SFBoostClassifier(
        n_estimators=7, multi_class="shared", prune=False, random_state=0
    ).fit(*THREE)
    shorter = SFBoostClassifier(
        n_estimators=4, multi_class="shared", prune=False, random_state=0
    ).fit(*THREE)
    theta = np.linspace(-1, 1, 41) + 1e-4
    early = margin_curve(longer, *THREE, kind="normalized", rounds=[4], theta=theta)
    late = margin_curve(shorter, *THREE, kind="normalized", theta=theta)
    assert early["share"].to_list() == pytest.approx(late["share"].to_list())


def test_rounds_come_ascending_and_once_each():
    curve = margin_curve(MODEL_OF_TWO, *TWO, rounds=[4, 2, 4], theta=[0.0])
    assert curve["round"].to_list() == [2, 4]
    assert curve.schema == {
        "round": pl.Int64,
        "theta": pl.Float64,
        "share": pl.Float64,
        "bound": pl.Float64,
    }


def test_usual_places_hold_the_ends_and_every_jump_of_few():
    curve = margin_curve(MODEL_OF_TWO, *TWO)
    theta = curve["theta"].to_list()
    assert theta == sorted(theta)
    assert theta[0] == -1.0
    assert theta[-1] == 1.0
    assert set(MODEL_OF_TWO.margins(*TWO)) <= set(theta)


def test_usual_places_are_an_even_grid_if_jumps_are_many():
    domain = datasets.make_twonorm(600, seed=1)
    model = RealAdaBoostClassifier(n_estimators=60).fit(*domain)
    assert len(np.unique(model.margins(*domain))) > 200
    curve = margin_curve(model, *domain)
    assert len(curve) == 201
    assert np.ptp(np.diff(curve["theta"])) < 1e-12
    assert curve["share"][-1] == 1.0


def test_margins_beyond_one_are_on_the_grid():
    domain = datasets.make_long_servedio(400, noise=0.2, seed=1)
    model = SFBoostClassifier(n_estimators=5, prune=False).fit(*domain)
    margins = model.margins(*domain, "symmetric")
    assert np.abs(margins).max() > 1.0
    curve = margin_curve(model, *domain, rounds=[1, 5])
    assert curve["theta"].max() == pytest.approx(margins.max())
    assert curve.group_by("round").agg(pl.col("share").max())["share"].to_list() == [1.0, 1.0]


def test_kinds_are_those_of_which_something_is_proved_unless_told():
    kinds = {DiscreteAdaBoostClassifier: "normalized", AdaBoostRClassifier: "logistic"}
    for booster, kind in {**kinds, SFBoostClassifier: "symmetric"}.items():
        model = fitted(booster, TWO)
        assert margin_curve(model, *TWO).equals(margin_curve(model, *TWO, kind=kind))


def test_labels_may_be_a_column_and_rows_any_container():
    frame = TWO.X.with_columns(label=TWO.y)
    expected = margin_curve(MODEL_OF_TWO, *TWO, rounds=[2, 6])
    assert margin_curve(MODEL_OF_TWO, frame, "label", rounds=[2, 6]).equals(expected)
    assert margin_curve(MODEL_OF_TWO, frame.lazy(), "label", rounds=[2, 6]).equals(expected)
    pandas = frame.to_pandas()
    assert margin_curve(MODEL_OF_TWO, pandas, "label", rounds=[2, 6]).equals(expected)


def test_rows_without_a_margin_are_left_out():
    X = THREE.X
    sets = np.eye(3, dtype=int)[THREE.y.to_numpy()]
    sets[:10] = 1
    model = SoftmaxBoostClassifier(n_estimators=5, n_draws=None).fit(X, sets)
    margins = model.margins(X, sets)
    assert np.isnan(margins[:10]).all()
    curve = margin_curve(model, X, sets)
    assert curve["share"].to_list() == pytest.approx(counted(margins[10:], curve["theta"]))


def test_a_model_without_rounds_has_a_curve_too():
    X, y = np.zeros((6, 1)), [0, 1, 0, 1, 0, 1]
    model = DiscreteAdaBoostClassifier().fit(X, y)
    assert model.n_iter_ == 0
    curve = margin_curve(model, X, y, theta=[-0.1, 0.0])
    assert curve["round"].to_list() == [0, 0]
    assert curve["share"].to_list() == [0.0, 1.0]
    assert curve["bound"].to_list() == pytest.approx([np.exp(-0.05), 1.0])


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"kind": "soft"}, ValueError, "parameter 'kind': got 'soft', expected 'normalized'"),
        ({"kind": "symmetric"}, ValueError, "parameter 'kind': got 'symmetric'"),
        ({"rounds": [0]}, ValueError, "parameter 'rounds': got 0, expected numbers of rounds"),
        ({"rounds": [7]}, ValueError, "from 1 to 6"),
        ({"rounds": []}, ValueError, "parameter 'rounds': got none"),
        ({"rounds": [1.5]}, TypeError, "parameter 'rounds': got 1.5"),
        ({"rounds": [True]}, TypeError, "parameter 'rounds': got True"),
        ({"theta": ["a"]}, TypeError, "parameter 'theta'"),
        ({"theta": []}, ValueError, "parameter 'theta'"),
        ({"theta": [float("nan")]}, ValueError, "parameter 'theta'"),
        ({"sample_weight": [1.0]}, ValueError, "sample_weight: got 1 weights, expected one"),
        ({"sample_weight": [-1.0] * 150}, ValueError, "sample_weight: got .* expected"),
        ({"sample_weight": [0.0] * 150}, ValueError, "sample_weight: got .* expected"),
        ({"sample_weight": [np.inf] * 150}, ValueError, "sample_weight: got .* expected"),
    ],
)
def test_wrong_calls_name_the_parameter(arguments, error, words):
    with pytest.raises(error, match=words.replace("(", r"\(")):
        margin_curve(MODEL_OF_TWO, *TWO, **arguments)


def test_wrong_models_and_labels_are_refused():
    from sklearn.exceptions import NotFittedError
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(TypeError, match="got DecisionTreeClassifier, expected a fitted booster"):
        margin_curve(DecisionTreeClassifier(), *TWO)
    with pytest.raises(NotFittedError):
        margin_curve(DiscreteAdaBoostClassifier(), *TWO)
    with pytest.raises(ValueError, match="got the label 7"):
        margin_curve(MODEL_OF_TWO, TWO.X, [7] * 150)
    with pytest.raises(ValueError, match="got 3 labels, expected one for each of 150"):
        margin_curve(MODEL_OF_TWO, TWO.X, [0, 1, 0])


# Soft margins


def soft_model():
    return fitted(RegularizedAdaBoostClassifier, TWO, C=2000.0)


@pytest.mark.parametrize("rounds", [None, 6, [6]])
def test_curves_of_soft_margins_count_those_of_fit(rounds):
    model = soft_model()
    weights = np.random.default_rng(0).random(150)
    curve = margin_curve(model, *TWO, kind="soft", rounds=rounds, sample_weight=weights)
    margins = model.margins(*TWO, "soft")
    assert margins.max() > 1  # what is forgiven may lead beyond 1, and so does the grid
    assert curve["theta"].max() == margins.max()
    assert curve["share"].to_list() == pytest.approx(counted(margins, curve["theta"], weights))
    assert curve["round"].unique().to_list() == [6]
    assert curve["bound"].null_count() == len(curve)
    hard = margin_curve(model, *TWO, theta=[0.0])["share"].item()
    assert margin_curve(model, *TWO, kind="soft", theta=[0.0])["share"].item() <= hard


def test_a_display_draws_curves_of_soft_margins():
    display = MarginDisplay.from_estimator(soft_model(), *TWO, kind="soft")
    assert display.kind == "soft"
    assert len(display.lines_) == 1


def test_soft_margins_of_earlier_rounds_and_other_rows_are_refused():
    model = soft_model()
    X, y = TWO
    with pytest.raises(ValueError, match="parameter 'rounds': got 3, expected None or 6"):
        margin_curve(model, *TWO, kind="soft", rounds=3)
    with pytest.raises(ValueError, match="expected the 150 rows of fit"):
        margin_curve(model, X[:50], y[:50], kind="soft")
    with pytest.raises(ValueError, match="for more than two classes"):
        margin_curve(fitted(RegularizedAdaBoostClassifier, THREE), *THREE, kind="soft")
