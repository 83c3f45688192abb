"""Margins in numbers, against direct calculation."""

import numpy as np
import pytest

from support.registry import every_booster
from weakforce import (
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    LPBoostClassifier,
    QPAdaBoostClassifier,
    SFBoostClassifier,
    SoftmaxBoostClassifier,
    Stump,
    datasets,
    margin_statistics,
)

TWO = datasets.make_banana(150, seed=3)
THREE = datasets.make_waveform(120, n_classes=3, seed=3)
QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


def values(*arguments, **options):
    return dict(margin_statistics(*arguments, **options).rows())


@pytest.mark.parametrize("domain", [TWO, THREE], ids=["two", "three"])
@every_booster
def test_every_booster_has_statistics_of_its_margins(booster, domain):
    model = booster(Stump(), n_estimators=5).fit(*domain)
    for kind in model.fitted_model_.theory.kinds:
        value = values(model, *domain, kind=kind)
        margins = model.margins(*domain, kind)
        assert value["rows"] == len(margins)
        assert value["smallest"] == margins.min()
        assert value["largest"] == margins.max()
        assert value["mean"] == pytest.approx(margins.mean())
        assert value["share_of_errors"] == pytest.approx((margins < 0).mean())
        assert value["rows_on_step"] == (margins <= margins.min() + 0.01).sum()
        assert value["share_on_step"] == pytest.approx(value["rows_on_step"] / len(margins))


def test_quantiles_are_the_smallest_margins_that_so_many_rows_do_not_exceed():
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(*TWO)
    margins = model.margins(*TWO)
    value = values(model, *TWO)
    for share in QUANTILES:
        reached = [m for m in np.sort(margins) if (margins <= m).mean() >= share - 1e-12]
        assert value[f"quantile_{share}"] == reached[0]


def test_weights_count_rows_several_times_or_not_at_all():
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(*TWO)
    times = np.random.default_rng(1).integers(0, 4, len(TWO.y))
    rows = np.repeat(np.arange(len(TWO.y)), times)
    repeated = values(model, TWO.X[rows], TWO.y[rows])
    weighted = values(model, *TWO, sample_weight=times)
    assert weighted["rows"] == (times > 0).sum()
    for name in set(repeated) - {"rows", "rows_on_step"}:
        assert weighted[name] == pytest.approx(repeated[name]), name


def test_equilibrium_is_measured_by_the_smallest_edge():
    model = DiscreteAdaBoostClassifier(n_estimators=30).fit(*TWO)
    margins, value = model.margins(*TWO), values(model, *TWO)
    assert value["smallest_edge"] == model.edges_.min()
    below = (margins < model.edges_.min()).mean()
    assert 0 < below < 1
    assert value["share_below_smallest_edge"] == pytest.approx(below)


def test_no_smallest_margin_is_above_the_smallest_edge():
    domain = datasets.make_twonorm(200, seed=1)
    for booster in (DiscreteAdaBoostClassifier, LPBoostClassifier):
        model = booster(n_estimators=40).fit(*domain)
        value = values(model, *domain)
        assert value["smallest"] <= value["smallest_edge"] > 0


def test_edges_are_left_out_where_they_have_other_units_than_margins():
    for model in (
        AdaBoostRClassifier(n_estimators=5).fit(*TWO),
        SFBoostClassifier(n_estimators=5).fit(*TWO),
        DiscreteAdaBoostClassifier(n_estimators=5).fit(*THREE),
    ):
        assert values(model, *TWO if len(model.classes_) == 2 else THREE)["smallest_edge"] is None
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(*TWO)
    assert values(model, *TWO, kind="logistic")["smallest_edge"] is None


def test_support_patterns_are_rows_with_duals():
    model = QPAdaBoostClassifier(n_estimators=20).fit(*TWO)
    value = values(model, *TWO)
    assert 0 < model.n_support_ < len(TWO.y)
    assert value["rows_with_dual"] == model.n_support_
    assert value["share_with_dual"] == pytest.approx(model.n_support_ / len(TWO.y))
    fewer = values(model, TWO.X[:50], TWO.y[:50])
    assert fewer["rows_with_dual"] is None


def test_support_patterns_of_several_problems_are_those_of_any():
    model = QPAdaBoostClassifier(n_estimators=5).fit(*THREE)
    support = set().union(*(part.tolist() for part in model.support_))
    assert values(model, *THREE)["rows_with_dual"] == len(support)


def test_rows_without_a_margin_are_not_counted():
    sets = np.eye(3, dtype=int)[THREE.y.to_numpy()]
    sets[:10] = 0
    model = SoftmaxBoostClassifier(n_estimators=5, n_draws=None).fit(THREE.X, sets)
    value = values(model, THREE.X, sets)
    assert value["rows"] == 110
    assert value["mean"] == pytest.approx(np.nanmean(model.margins(THREE.X, sets)))
    with pytest.raises(ValueError, match="none of the rows that weigh anything has a margin"):
        margin_statistics(model, THREE.X[:10], sets[:10])


def test_wrong_calls_name_the_parameter():
    model = DiscreteAdaBoostClassifier(n_estimators=5).fit(*TWO)
    with pytest.raises(ValueError, match="parameter 'kind': got 'soft'"):
        margin_statistics(model, *TWO, kind="soft")
    with pytest.raises(TypeError, match="parameter 'model': got str"):
        margin_statistics("model", *TWO)
    with pytest.raises(ValueError, match="sample_weight: got 2 weights"):
        margin_statistics(model, *TWO, sample_weight=[1, 2])
