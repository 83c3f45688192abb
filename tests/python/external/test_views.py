"""What the core asks of scikit-learn classifiers: views of rows, fits under weights, answers.

The protocol alone, without the core.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from weakforce._fitting.external import ExternalFrames, ScoringView, check_learner, own_container

X = np.arange(20.0).reshape(10, 2)
Y = np.array(["no", "yes"])[np.arange(10) % 2]
CLASSES = np.array(["no", "yes"])
ROWS = np.array([1, 2, 5, 8])


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps what it is handed."""

    def __init__(self, random_state=None, inner=None):
        self.random_state = random_state
        self.inner = inner

    def fit(self, X, y, *, sample_weight):
        self.seen_ = (X, y, sample_weight)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        self.asked_ = X
        return np.full(len(X), self.classes_[-1])


def frames(container, names=("a", "b"), learner=None, seed=7, X_val=None):
    names = None if names is None else list(names)
    learner = Recorder() if learner is None else learner
    return ExternalFrames(learner, seed, CLASSES, names, own_container(container), Y, X_val=X_val)


def test_weights_come_on_the_scale_of_the_users_own():
    given = np.linspace(1.0, 10.0, len(X))
    outside = ExternalFrames(Recorder(), 7, CLASSES, None, X, Y, weights=given)
    seen = outside.view(ROWS, False).fit(given[ROWS] / given[ROWS].mean(), 0).seen_[2]
    np.testing.assert_allclose(seen, given[ROWS], rtol=1e-15)


FRAME = pl.DataFrame(X, schema=["a", "b"])
CONTAINERS = {
    "polars": (FRAME, pl.DataFrame),
    "lazy": (FRAME.lazy(), pl.DataFrame),
    "pandas": (pd.DataFrame(X, columns=["a", "b"], index=list("zyxwvutsrq")), pd.DataFrame),
    "pyarrow": (pa.table({"a": X[:, 0], "b": X[:, 1]}), pl.DataFrame),
    "numpy": (X, np.ndarray),
    "float32": (X.astype(np.float32), np.ndarray),
    "list": (X.tolist(), np.ndarray),
    "masked": (np.ma.masked_array(X, mask=False), np.ndarray),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_classifiers_get_their_rows_in_the_callers_own_container(name):
    container, kind = CONTAINERS[name]
    named = kind is not np.ndarray
    outside = frames(container, ("a", "b") if named else None)
    weights = np.array([0.5, 1.5, 1.0, 1.0])
    fitted = outside.view(ROWS, False).fit(weights, 0)
    seen, labels, given = fitted.seen_
    assert type(seen) is kind
    assert np.array_equal(np.asarray(seen), X[ROWS])
    assert labels.tolist() == Y[ROWS].tolist()
    assert np.array_equal(given, weights)
    if name == "float32":
        assert seen.dtype == np.float32
    everything = outside.view(np.arange(10), False)
    assert type(everything.X) is kind
    assert everything.fit(np.ones(10), 0).seen_[0] is everything.X


def test_all_rows_are_not_copied():
    assert frames(X, None).view(np.arange(10), False).X is X
    assert frames(FRAME).view(np.arange(10), False).X is FRAME


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_columns_come_in_the_order_of_the_model(library):
    given = FRAME.select("b", pl.lit(1).alias("extra"), "a")
    given = given if library == "polars" else given.to_pandas()
    outside = frames(given, X_val=given)
    for view in (outside.view(ROWS, False), outside.view(ROWS, True)):
        assert list(view.columns.columns) == ["a", "b"]
        assert np.array_equal(np.asarray(view.columns), X[ROWS])
        assert view.columns is view.columns
    with pytest.raises(ValueError, match="'c'"):
        _ = ScoringView(given, ["a", "c"], CLASSES).columns


def test_columns_of_pandas_that_are_numbers_are_found_too():
    given = pd.DataFrame(X, columns=[0, 1])
    assert ScoringView(given, ["0", "1"], CLASSES).columns is given
    assert list(ScoringView(given, ["1", "0"], CLASSES).columns.columns) == [1, 0]


def test_a_view_of_validation_rows_is_of_x_val():
    outside = frames(X, None, X_val=X[::-1])
    view = outside.view(np.array([0, 3]), True)
    assert np.array_equal(view.X, X[::-1][[0, 3]])
    assert not hasattr(view, "fit")


def seeds_of(learner, seed=7, round=0):
    fitted = frames(X, None, learner, seed).view(np.arange(10), False).fit(np.ones(10), round)
    params = fitted.get_params(deep=True)
    return {name: params[name] for name in sorted(params) if name.endswith("random_state")}


def test_seeds_are_portable_and_depend_on_seed_and_round_alone():
    assert seeds_of(Recorder()) == {"random_state": 1041839916}
    assert seeds_of(Recorder(), round=1) != seeds_of(Recorder())
    assert seeds_of(Recorder(), seed=8) != seeds_of(Recorder())
    assert seeds_of(Recorder(random_state=3)) == seeds_of(Recorder())
    assert seeds_of(Recorder(), seed=2**64 - 1) == seeds_of(Recorder(), seed=2**64 - 1)
    assert seeds_of(GaussianNB()) == {}


def test_nested_seeds_are_set_too():
    nested = Recorder(inner=BaggingClassifier(RandomForestClassifier(random_state=1)))
    seeds = seeds_of(nested)
    expected = ["inner__estimator__random_state", "inner__random_state", "random_state"]
    assert list(seeds) == expected
    assert len(set(seeds.values())) == 3
    assert all(isinstance(seed, int) and 0 <= seed < 2**31 for seed in seeds.values())
    assert nested.inner.estimator.random_state == 1


@pytest.mark.parametrize(
    "classifier",
    [LogisticRegression(), DecisionTreeClassifier(max_depth=1), CalibratedClassifierCV(cv=2)],
)
def test_answers_are_votes_or_shares(classifier):
    view = frames(X, None, classifier).view(np.arange(10), False)
    fitted = view.fit(np.ones(10), 0)
    votes, shares = view.answers(fitted, "vote"), view.answers(fitted, "real")
    assert votes.tolist() == np.where(fitted.predict(X) == "yes", 1.0, -1.0).tolist()
    assert shares.tolist() == (2 * fitted.predict_proba(X)[:, 1] - 1).tolist()
    assert votes.dtype == shares.dtype == np.float64


def test_without_probabilities_answers_are_votes():
    view = frames(X, None).view(ROWS, False)
    assert view.answers(view.fit(np.ones(4), 0), "real").tolist() == [1.0] * 4


class Odd(Recorder):
    """Has seen one class only, or answers badly."""

    shares = None

    def predict_proba(self, X):
        return self.shares


def test_a_class_that_a_classifier_does_not_know_has_no_share():
    odd = Odd()
    odd.classes_, odd.shares = np.array(["no"]), np.ones((10, 1))
    assert ScoringView(X, None, CLASSES).answers(odd, "real").tolist() == [-1.0] * 10


@pytest.mark.parametrize("shares", [np.full((10, 2), np.nan), np.ones((3, 2))])
def test_answers_that_are_none_are_refused_by_the_classifiers_name(shares):
    odd = Odd()
    odd.classes_, odd.shares = CLASSES, shares
    with pytest.raises(ValueError, match="Odd"):
        ScoringView(X, None, CLASSES).answers(odd, "real")


def test_no_rows_have_no_answers():
    view = frames(X, None, GaussianNB()).view(np.arange(10), False)
    fitted = view.fit(np.ones(10), 0)
    for kind in ("vote", "real", "class"):
        assert ScoringView(X[:0], None, CLASSES).answers(fitted, kind).shape == (0,)


def test_classes_are_answered_by_their_numbers():
    classes = np.array(["elm", "fir", "oak"])
    odd = Odd()
    odd.classes_ = np.array(["fir"])
    assert ScoringView(X, None, classes).answers(odd, "class").tolist() == [1.0] * 10
    odd.classes_ = np.array(["ash"])
    with pytest.raises(ValueError, match=r"Odd.*'ash'.*elm"):
        ScoringView(X, None, classes).answers(odd, "class")


def test_targets_take_the_place_of_labels_and_leave_rows_out():
    outside = ExternalFrames(Recorder(), 7, CLASSES, None, X, Y, targeted=True)
    view = outside.view(np.arange(10), False)
    targets = np.array([1, -1, 0, 1, -1, 0, 0, 0, 0, 1], dtype=np.int8)
    weights = np.linspace(0.5, 1.5, 10)
    seen, labels, given = view.fit(weights, 0, targets).seen_
    kept = np.flatnonzero(targets)
    assert np.array_equal(seen, X[kept])
    assert labels.tolist() == [1, 0, 1, 0, 1]
    assert np.array_equal(given, weights[kept])
    votes = view.answers(view.fit(weights, 0, targets), "vote")
    assert votes.tolist() == [1.0] * 10


@pytest.mark.parametrize("side", [-1, 1])
def test_targets_of_one_side_are_not_worth_a_fit(side):
    outside = ExternalFrames(Recorder(), 7, CLASSES, None, X, Y, targeted=True)
    view = outside.view(np.arange(10), False)
    constant = view.fit(np.ones(10), 0, np.full(10, side, dtype=np.int8))
    for kind in ("vote", "real"):
        assert view.answers(constant, kind).tolist() == [float(side)] * 10


def test_a_pipeline_has_no_weights_to_pass_on():
    with pytest.raises(TypeError, match="whose fit takes no sample_weight"):
        check_learner(make_pipeline(GaussianNB()))
