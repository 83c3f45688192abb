"""Models of scikit-learn classifiers in daily life: pickles, refusals, errors, interrupts."""

import copy
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import weakforce
from support.registry import ASKING_FOR_ALL, in_rounds
from weakforce import (
    BoostingClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    Stump,
)

GENERATOR = np.random.default_rng(3)
X = GENERATOR.normal(size=(200, 3))
Y = (X[:, 0] + X[:, 1] ** 2 + GENERATOR.normal(size=200) > 0.7).astype(int)


def by_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def by_old_pickle(model, folder):
    return pickle.loads(pickle.dumps(model, protocol=2))


def by_copy(model, folder):
    return copy.deepcopy(model)


def by_joblib(model, folder):
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


WAYS = [by_pickle, by_old_pickle, by_copy, by_joblib]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("booster", weakforce.boosters())
def test_a_model_of_classifiers_comes_back_as_it_was(booster, way, tmp_path):
    frame = pl.DataFrame(X, schema=["a", "b", "c"])
    model = booster(DecisionTreeClassifier(max_depth=2), **in_rounds(booster, 5), random_state=0)
    if booster._kind in ASKING_FOR_ALL:
        model.set_params(shared=False)
    model.fit(frame, Y)
    again = way(model, tmp_path)
    assert again.decision_function(frame).tobytes() == model.decision_function(frame).tobytes()
    assert len(again.estimators_) == model.n_iter_
    assert all(a is not b for a, b in zip(again.estimators_, model.estimators_, strict=True))
    assert np.array_equal(again.feature_importances_, model.feature_importances_)
    assert repr(again) == repr(model)


@pytest.mark.parametrize("way", WAYS)
def test_what_comes_back_can_be_fitted_further(way, tmp_path):
    options = {"n_estimators": 3, "warm_start": True, "random_state": 1}
    model = DiscreteAdaBoostClassifier(GaussianNB(), **options).fit(X, Y)
    again = way(model, tmp_path)
    for more in (model, again):
        more.set_params(n_estimators=6).fit(X, Y)
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert again.n_iter_ == model.n_iter_


def test_save_refuses_and_leaves_nothing_behind(tmp_path):
    model = RealAdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(X, Y)
    with pytest.raises(TypeError, match=r"LogisticRegression.*not ours to serialise.*pickle"):
        model.save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []
    model.set_params(estimator=Stump()).fit(X, Y).save(tmp_path / "model.json")
    assert weakforce.load(tmp_path / "model.json").n_iter_ == 2


def test_save_refuses_a_model_of_classifiers_without_any_round(tmp_path):
    constant = DummyClassifier(strategy="prior")
    model = RealAdaBoostClassifier(constant, n_estimators=2).fit(np.ones((4, 1)), [0, 1, 0, 1])
    assert model.n_iter_ == 0
    with pytest.raises(TypeError, match=r"DummyClassifier.*not ours to serialise.*pickle"):
        model.save(tmp_path / "model.json")


def test_a_classifier_set_after_the_fit_is_not_in_the_file(tmp_path):
    model = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, Y)
    model.set_params(estimator=GaussianNB()).save(tmp_path / "model.json")
    assert weakforce.load(tmp_path / "model.json").estimator is None


def test_a_clone_is_unfitted_and_has_a_clone_inside():
    model = RealAdaBoostClassifier(GaussianNB(var_smoothing=1e-3), n_estimators=2).fit(X, Y)
    other = clone(model)
    assert other.estimator is not model.estimator
    assert other.get_params()["estimator__var_smoothing"] == 1e-3
    assert not hasattr(other, "classes_")


REFUSED = {
    "class of ours": (Stump, r"the class Stump.*Stump\(\)"),
    "class of theirs": (GaussianNB, r"the class GaussianNB.*GaussianNB\(\)"),
    "regressor": (LinearRegression(), "LinearRegression"),
    "transformer": (StandardScaler(), "StandardScaler"),
    "object": (object(), "object"),
    "name": ("stump", "'stump'"),
    "number": (3, "3"),
    "no weights": (KNeighborsClassifier(), r"KNeighborsClassifier\(\).*no sample_weight"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_boosted_is_refused_by_name(case):
    estimator, message = REFUSED[case]
    model = DiscreteAdaBoostClassifier(estimator)
    with pytest.raises(TypeError, match=f"'estimator'.*{message}") as caught:
        model.fit(X, Y)
    if "class of" not in case:
        assert "a weak learner of weakforce such as Stump()" in str(caught.value)
        assert "a scikit-learn classifier whose fit takes sample_weight" in str(caught.value)
    assert not hasattr(model, "classes_")


class Trouble(ClassifierMixin, BaseEstimator):
    """Raises `made` in one of its methods, after some calls that go well."""

    made = None
    calls = 0

    def __init__(self, where="fit", after=0):
        self.where = where
        self.after = after

    def _come(self, where):
        if where == self.where:
            Trouble.calls += 1
            if Trouble.calls > self.after:
                raise Trouble.made

    def fit(self, X, y, sample_weight=None):
        self._come("fit")
        self.inner_ = GaussianNB().fit(X, y, sample_weight)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        self._come("predict")
        return self.inner_.predict(X)


class OwnError(Exception):
    """An error that only its author knows."""

    def __init__(self, first, second):
        super().__init__(first, second)


@pytest.mark.parametrize(
    "error",
    [OwnError("a", 2), ValueError("theirs"), KeyboardInterrupt(), SystemExit(3), MemoryError()],
    ids=repr,
)
@pytest.mark.parametrize("where", ["fit", "predict"])
@pytest.mark.parametrize("after", [0, 2])
def test_errors_surface_as_they_are_and_leave_the_estimator_as_it_was(error, where, after):
    model = DiscreteAdaBoostClassifier(GaussianNB(), n_estimators=4).fit(X, Y)
    before = dict(vars(model))
    Trouble.made, Trouble.calls = error, 0
    trouble = Trouble(where, after)
    model.estimator = trouble
    with pytest.raises(type(error)) as caught:
        model.fit(X, Y)
    assert caught.value is error
    assert Trouble.calls == after + 1
    before["estimator"] = trouble
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.predict(X),
        lambda model: model.score(X, Y),
        lambda model: list(model.staged_predict(X)),
    ],
)
def test_errors_of_predict_surface_as_they_are(ask):
    Trouble.made, Trouble.calls = OwnError("b", 3), -1000
    model = DiscreteAdaBoostClassifier(Trouble("predict"), n_estimators=4).fit(X, Y)
    Trouble.calls = 0
    with pytest.raises(OwnError) as caught:
        ask(model)
    assert caught.value is Trouble.made


class Signalled(GaussianNB):
    """Gets Ctrl-C in the middle of its third fit."""

    calls = 0

    def fit(self, X, y, sample_weight=None):
        Signalled.calls += 1
        if Signalled.calls == 3:
            signal.raise_signal(signal.SIGINT)
        return super().fit(X, y, sample_weight)


def test_ctrl_c_inside_a_classifier_ends_the_fit():
    Signalled.calls = 0
    model = RealAdaBoostClassifier(Signalled(), n_estimators=1000)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert Signalled.calls == 3
    assert not hasattr(model, "classes_")


def test_callbacks_and_classifiers_take_turns():
    rounds = []

    def stop(info):
        rounds.append(info.round)
        return info.round == 3

    model = DiscreteAdaBoostClassifier(GaussianNB(), n_estimators=50, callbacks=stop).fit(X, Y)
    assert rounds == [1, 2, 3]
    assert model.stop_reason_ == "callback"
    assert len(model.estimators_) == 3


def test_rows_without_weight_are_absent():
    weights = np.where(np.arange(200) < 50, 0.0, 2.0)
    model = RealAdaBoostClassifier(GaussianNB(), n_estimators=4, random_state=0)
    scores = model.fit(X, Y, weights).decision_function(X)
    assert np.array_equal(scores, clone(model).fit(X[50:], Y[50:]).decision_function(X))
    assert (model.row_weights_[:50] == 0).all()


def test_weights_are_those_of_the_rows_that_classifiers_see():
    light = DiscreteAdaBoostClassifier(GaussianNB(), n_estimators=1).fit(X, Y)
    heavy = clone(light).fit(X, Y, np.where(Y == 1, 20.0, 1.0))
    assert heavy.predict(X).sum() > light.predict(X).sum()
    by_class = clone(light).set_params(class_weight={0: 1, 1: 1e9}).fit(X, Y)
    assert by_class.predict(X).all()


def test_resampling_works_with_classifiers():
    model = DiscreteAdaBoostClassifier(
        DecisionTreeClassifier(max_depth=2), n_estimators=10, resample=True, random_state=2
    )
    scores = model.fit(X, Y).decision_function(X)
    assert model.score(X, Y) > 0.7
    assert np.array_equal(clone(model).fit(X, Y).decision_function(X), scores)


def test_many_threads_may_predict_at_once():
    model = RealAdaBoostClassifier(GaussianNB(), n_estimators=10).fit(X, Y)
    expected = model.decision_function(X)
    with ThreadPoolExecutor(8) as pool:
        for scores in pool.map(model.decision_function, [X] * 40):
            assert np.array_equal(scores, expected)


def test_their_complaints_about_missing_values_are_theirs():
    gaps = X.copy()
    gaps[3, 1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        DiscreteAdaBoostClassifier(LogisticRegression()).fit(gaps, Y)
    model = DiscreteAdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3)
    assert model.fit(gaps, Y).score(gaps, Y) > 0.6


def test_rules_are_refused_by_the_classifiers_name():
    model = RealAdaBoostClassifier(GaussianNB(), n_estimators=2).fit(X, Y)
    with pytest.raises(TypeError, match=r"rules\(\).*GaussianNB"):
        model.rules()
    assert "2 × GaussianNB" in model.summary()


def test_a_booster_can_be_boosted():
    inner = DiscreteAdaBoostClassifier(n_estimators=2)
    model = DiscreteAdaBoostClassifier(inner, n_estimators=5, random_state=0).fit(X, Y)
    assert all(isinstance(member, BoostingClassifier) for member in model.estimators_)
    assert model.score(X, Y) > 0.7


def big_problem():
    """Enough rows for the thread pool."""
    generator = np.random.default_rng(8)
    rows = generator.normal(size=(60_000, 3))
    return rows, (rows.sum(axis=1) + generator.normal(size=60_000) > 0).astype(int)


def test_a_booster_that_wants_the_pool_can_be_boosted():
    inner = RealAdaBoostClassifier(Stump(), n_estimators=2, n_jobs=2)
    outer = DiscreteAdaBoostClassifier(inner, n_estimators=2, n_jobs=2).fit(*big_problem())
    assert outer.n_iter_ == 2


def test_a_callback_may_fit_another_model_that_wants_the_pool():
    fitted = []

    def fit_another(_):
        fitted.append(DiscreteAdaBoostClassifier(n_estimators=1, n_jobs=2).fit(*big_problem()))

    DiscreteAdaBoostClassifier(n_estimators=2, n_jobs=2, callbacks=fit_another).fit(*big_problem())
    assert [model.n_iter_ for model in fitted] == [1, 1]
