"""Queries of models that are calibrated, or that decide by costs: the labels of `predict`."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from support.exported_models import ENGINES, agrees, polars_scores, scored
from support.pool_problems import mixed_rows, small
from weakforce import (
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    SAMMEClassifier,
    SFBoostClassifier,
    Tree,
)
from weakforce._reading.calibrations import Isotonic, Sigmoid
from weakforce.export.answers import least_positive

every_engine = pytest.mark.parametrize("kind", ENGINES)
BOOSTERS = [DiscreteAdaBoostClassifier, LogitBoostClassifier, SAMMEClassifier, SFBoostClassifier]


def fitted(booster, n_classes, **parameters):
    X, y = mixed_rows(150, n_classes)
    learner = Tree(max_leaf_nodes=4)
    model = booster(learner, n_estimators=6, random_state=0, **parameters)
    return model.fit(X, y, np.where(y == "low", 3.0, 1.0)), mixed_rows(120, n_classes, seed=5)[0]


@every_engine
@pytest.mark.parametrize("calibrate", [None, "sigmoid", "isotonic"])
@pytest.mark.parametrize("booster", BOOSTERS)
def test_labels_of_two_classes_are_those_of_predict(booster, calibrate, kind):
    model, new = fitted(booster, 2, calibrate=calibrate)
    scores, labels = scored(kind(new), model, new)
    assert agrees(scores, model, new)
    assert agrees(polars_scores(model, new), model, new)
    assert (labels == model.predict(new)).all()


@every_engine
@pytest.mark.parametrize("calibrate", [None, "sigmoid"])
@pytest.mark.parametrize("booster", BOOSTERS)
def test_labels_of_several_classes_are_those_of_predict(booster, calibrate, kind):
    model, new = fitted(booster, 3, calibrate=calibrate)
    scores, labels = scored(kind(new), model, new)
    assert agrees(scores, model, new)
    assert (labels == model.predict(new)).all()


@every_engine
@pytest.mark.parametrize("calibrate", ["noisy", "clean"])
def test_labels_by_costs_are_those_of_predict(calibrate, kind):
    X, y = mixed_rows(150)
    new = mixed_rows(120, seed=5)[0]
    model = small(cost=[[0, 1], [4, 0]], calibrate=calibrate, noise_rate=0.1).fit(X, y)
    _, labels = scored(kind(new), model, new)
    assert (labels == model.predict(new)).all()
    assert (labels != small().fit(X, y).predict(new)).any()


def test_the_limit_is_exact():
    model = fitted(DiscreteAdaBoostClassifier, 2)[0].fitted_model_
    assert least_positive(model) == 0.0
    for calibration in (
        Sigmoid(0.3, (-0.7,)),
        Sigmoid(2e-9, (0.1,)),
        Isotonic(((-1.0, 0.2, 3.0),), ((0.1, 0.3, 0.9),)),
    ):
        limit = least_positive(replace(model, calibration=calibration))
        around = np.array([np.nextafter(limit, -np.inf), limit])
        assert calibration.answers(around).tolist() == [0, 1]
    assert least_positive(replace(model, calibration=Sigmoid(0.0, (0.1,)))) == -np.inf
    assert least_positive(replace(model, calibration=Sigmoid(0.0, (-0.1,)))) == np.inf


@pytest.mark.parametrize("intercept", [0.1, -0.1])
@every_engine
def test_one_label_for_all_rows_can_be_written(kind, intercept):
    model, new = fitted(DiscreteAdaBoostClassifier, 2)
    model._fitted_model = replace(model.fitted_model_, calibration=Sigmoid(0.0, (intercept,)))
    _, labels = scored(kind(new), model, new)
    assert (labels == model.predict(new)).all()
    assert len(set(labels)) == 1


def test_what_cannot_be_written_is_refused_by_name():
    model, new = fitted(LogitBoostClassifier, 3, calibrate="isotonic")
    with pytest.raises(TypeError, match=r"to_sql.*LogitBoostClassifier decides by isotonic"):
        model.to_sql("rows")
    assert agrees(polars_scores(model, new), model, new)
    X, y = mixed_rows(100, 3)
    careful = small(cost={"low": {"peak": 5}}).fit(X, y)
    with pytest.raises(TypeError, match=r"to_sql.*WeakForceClassifier decides by costs"):
        careful.to_sql("rows")
    X, y = mixed_rows(100)
    with pytest.warns(UserWarning, match="expected 0; it is used as it stands"):
        odd = small(cost=[[5, 1], [0, 3]]).fit(X, y)
    with pytest.raises(TypeError, match=r"to_sql.*right answers are dearer"):
        odd.to_sql("rows")
    assert isinstance(odd.to_polars(), pl.Expr)
