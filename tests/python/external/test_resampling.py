"""Classifiers whose fit takes no weights, boosted on rows that are drawn by weight."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import weakforce
from support.registry import BOOSTERS
from support.small_multiclass_problems import blobs
from weakforce import (
    AdaBoostM2Classifier,
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    SAMMEClassifier,
    SFBoostClassifier,
    datasets,
)
from weakforce._fitting.external import ExternalFrames

CAPABLE = [booster for booster in BOOSTERS if booster.capabilities().resample]
every_capable_booster = pytest.mark.parametrize("booster", CAPABLE)


def banana(rows=300, seed=1):
    domain = datasets.make_banana(rows, noise=0.1, seed=seed)
    return domain.X, domain.y.to_numpy()


def boosted(booster, classifier=None, **parameters):
    classifier = KNeighborsClassifier(1) if classifier is None else classifier
    by_class = {"shared": False} if booster._class_by_class and hasattr(booster, "shared") else {}
    given = {"n_estimators": 6, "random_state": 0, "resample": True, **by_class, **parameters}
    return booster(classifier, **given)


@every_capable_booster
def test_nearest_neighbours_are_boosted_on_samples(booster):
    X, y = banana()
    models = [boosted(booster, n_jobs=jobs).fit(X, y) for jobs in (1, 2)]
    scores = [model.decision_function(X).tobytes() for model in models]
    assert scores[0] == scores[1]
    assert models[0].n_iter_ > 0
    assert models[0].score(X, y) > 0.8
    other = boosted(booster, random_state=5).fit(X, y)
    assert other.decision_function(X).tobytes() not in scores


@every_capable_booster
def test_several_classes_are_learned_from_samples(booster):
    X, y = blobs(200, 3)
    model = boosted(booster).fit(X, y)
    assert model.score(X, y) > 0.8
    shares = model.predict_proba(X)
    assert np.isfinite(shares).all()


@every_capable_booster
def test_without_samples_they_are_refused_with_advice(booster):
    X, y = banana(60)
    with pytest.raises(TypeError, match=r"'estimator'.*no sample_weight.*resample=True"):
        boosted(booster, resample=False).fit(X, y)


@pytest.mark.parametrize("booster", [LogitBoostClassifier, SFBoostClassifier])
def test_boosters_that_cannot_resample_do_not_recommend_it(booster):
    X, y = banana(60)
    with pytest.raises(TypeError, match="no sample_weight") as refusal:
        booster(KNeighborsClassifier(1)).fit(X, y)
    assert "resample" not in str(refusal.value)


def test_no_classifier_answers_for_all_classes_at_once():
    X, y = blobs(60, 3)
    with pytest.raises(ValueError, match=r"'estimator'.*shared"):
        AdaBoostM2Classifier(KNeighborsClassifier(1), resample=True).fit(X, y)


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_rows_come_as_often_as_they_were_drawn(kind):
    seen = []

    class Spy(KNeighborsClassifier):
        def fit(self, X, y):
            seen.append((X, y))
            return super().fit(X, y)

    X, y = blobs(90, 3)
    X = kind(X)
    SAMMEClassifier(Spy(1), n_estimators=3, random_state=0, resample=True).fit(X, y)
    assert len(seen) == 3
    place = {row.tobytes(): number for number, row in enumerate(np.asarray(X))}
    for rows, labels in seen:
        assert type(rows) is type(X)
        places = np.array([place[row.tobytes()] for row in np.asarray(rows)])
        assert len(places) == 90 > len(set(places))
        assert (np.diff(places) >= 0).all()
        assert np.array_equal(labels, np.asarray(y)[places])


def test_pipelines_are_boosted_on_samples():
    X, y = banana()
    pipeline = make_pipeline(GaussianNB())
    assert boosted(DiscreteAdaBoostClassifier, pipeline).fit(X, y).score(X, y) > 0.7


def test_a_sample_of_one_class_is_answered_without_a_fit():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    frames = ExternalFrames(QuadraticDiscriminantAnalysis(), 7, np.array([0, 1]), None, X, y)
    view = frames.view(np.arange(6), False)
    weights = np.array([3.0, 2.0, 1.0, 0.0, 0.0, 0.0])
    fitted = view.fit(weights, 0)
    assert view.answers(fitted, "vote").tolist() == [-1.0] * 6
    drawn = KNeighborsClassifier(1)
    frames = ExternalFrames(drawn, 7, np.array([0, 1]), None, X, y)
    fitted = frames.view(np.arange(6), False).fit(np.array([2.0, 0, 1, 0, 0, 3]), 0)
    assert fitted.n_samples_fit_ == 6


def test_the_command_line_has_an_option_for_it():
    from weakforce.command_line.option_table import PATH

    assert '"resample"' in PATH.read_text(encoding="utf-8")
    assert "resample" in weakforce.DiscreteAdaBoostClassifier().get_params()
