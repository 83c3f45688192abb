"""CleanedClassifier: what it does to labels, what it reports, and scikit-learn's checks."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from weakforce import (
    CleanedClassifier,
    LogitBoostClassifier,
    RegularizedAdaBoostClassifier,
    WeakForceClassifier,
    datasets,
    label_noise,
)


def noisy(n_rows=400, n_classes=3, seed=1, share=0.2):
    """Rows for training with labels of which a share is turned, and rows for testing."""
    X, y = datasets.make_waveform(2 * n_rows, n_classes=n_classes, seed=seed)
    X, y = X.to_numpy(), y.to_numpy()
    generator = np.random.default_rng(seed)
    wrong = generator.random(n_rows) < share
    shift = generator.integers(1, n_classes, n_rows)
    given = np.where(wrong, (y[:n_rows] + shift) % n_classes, y[:n_rows])
    return X[:n_rows], given, wrong, X[n_rows:], y[n_rows:]


X, Y, WRONG, X_TEST, Y_TEST = noisy()


def expected_failures(estimator):
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "the judges draw samples by row: a row of weight two is drawn once or not at all"
        ),
    }


@parametrize_with_checks(
    [
        CleanedClassifier(LogisticRegression()),
        CleanedClassifier(LogitBoostClassifier(n_estimators=5), action="weight"),
        CleanedClassifier(LogisticRegression(), action="relabel"),
    ],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
@pytest.mark.slow
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("action", ["drop", "relabel", "weight"])
@pytest.mark.parametrize(
    "estimator",
    [DecisionTreeClassifier(min_samples_leaf=3), LogitBoostClassifier(n_estimators=150)],
    ids=["foreign", "ours"],
)
def test_it_errs_less_than_the_estimator_alone(estimator, action, n_classes):
    given = noisy(n_classes=n_classes, share=0.3)
    model = CleanedClassifier(estimator, action=action).fit(given[0], given[1])
    plain = clone(estimator).set_params(random_state=0).fit(given[0], given[1])
    assert model.score(*given[3:]) > plain.score(*given[3:])


def test_rows_above_the_threshold_are_dropped():
    model = CleanedClassifier(GaussianNB(), threshold=0.7).fit(X, Y)
    noise = label_noise(X, Y)
    assert_allclose(model.label_noise_.p_wrong, noise.p_wrong)
    dropped = noise.p_wrong > 0.7
    assert 0 < dropped.sum() == model.n_changed_
    assert WRONG[dropped].mean() > 0.75
    expected = GaussianNB().fit(X[~dropped], Y[~dropped])
    assert_array_equal(model.predict_proba(X_TEST), expected.predict_proba(X_TEST))
    report = model.report_
    assert report.columns == ["row", "given", "label", "p_wrong", "weight", "action"]
    assert_array_equal(report["row"], np.arange(400))
    assert_array_equal(report["given"], Y)
    assert_array_equal(report["label"], Y)
    assert_array_equal(report["weight"], ~dropped)
    assert_array_equal(report["action"], np.where(dropped, "dropped", "kept"))


def test_rows_above_the_threshold_get_their_most_probable_class():
    model = CleanedClassifier(GaussianNB(), action="relabel").fit(X, Y)
    judge = WeakForceClassifier(random_state=0).fit(X, Y)
    shares = judge._out_of_bag.probabilities()
    shares[np.arange(400), Y] = -1.0
    changed = model.label_noise_.p_wrong > 0.4
    labels = np.where(changed, shares.argmax(axis=1), Y)
    assert_array_equal(model.report_["label"], labels)
    assert_array_equal(model.report_["action"], np.where(changed, "relabelled", "kept"))
    assert model.n_changed_ == changed.sum() > 0
    expected = GaussianNB().fit(X, labels)
    assert_array_equal(model.predict_proba(X_TEST), expected.predict_proba(X_TEST))


def test_weights_are_multiplied_by_the_probability_that_labels_are_right():
    given = np.random.default_rng(0).uniform(0.5, 2.0, 400)
    model = CleanedClassifier(GaussianNB(), action="weight").fit(X, Y, given)
    expected = GaussianNB().fit(X, Y, given * (1 - model.label_noise_.p_wrong))
    assert_array_equal(model.predict_proba(X_TEST), expected.predict_proba(X_TEST))
    assert_allclose(model.report_["weight"], given * (1 - model.label_noise_.p_wrong))
    assert model.n_changed_ == 0


def test_mistrust_goes_to_boosters_that_take_it():
    rows, labels, *_ = noisy(200, 2)
    estimator = RegularizedAdaBoostClassifier(n_estimators=10, C=50.0, random_state=0)
    model = CleanedClassifier(estimator, action="mistrust").fit(rows, labels)
    expected = estimator.fit(rows, labels, mistrust=model.label_noise_.p_wrong / 50.0)
    assert_array_equal(model.decision_function(rows), expected.decision_function(rows))
    assert "mistrusted" in model.report_["action"].to_list()


def test_no_class_is_lost():
    rows = np.random.default_rng(0).normal(size=(200, 2)) + np.arange(200)[:, None] // 100 * 4.0
    labels = np.where(
        np.isin(np.arange(200), [3, 4, 5]), "rare", np.where(rows[:, 0] > 2, "b", "a")
    )
    for action in ("drop", "relabel", "weight"):
        model = CleanedClassifier(GaussianNB(), action=action, threshold=0.0).fit(rows, labels)
        assert model.classes_.tolist() == ["a", "b", "rare"]
        assert model.estimator_.classes_.tolist() == ["a", "b", "rare"]
        own = model.report_.filter(pl.col("given") == "rare")
        assert (own["weight"] > 0).any()


def test_the_same_rows_and_seed_give_the_same_model():
    estimator = DecisionTreeClassifier(splitter="random")
    first, second = (CleanedClassifier(estimator, n_jobs=n).fit(X, Y) for n in (1, 2))
    assert first.report_.equals(second.report_)
    assert_array_equal(first.predict_proba(X_TEST), second.predict_proba(X_TEST))
    assert first.estimator_.random_state == 0
    assert estimator.random_state is None
    other = CleanedClassifier(estimator, random_state=1).fit(X, Y)
    assert not first.report_.equals(other.report_)


def test_seeds_reach_estimators_inside_of_estimators_and_given_ones_stay():
    piped = make_pipeline(StandardScaler(), DecisionTreeClassifier(splitter="random"))
    model = CleanedClassifier(piped, random_state=5).fit(X, Y)
    assert model.estimator_[-1].random_state == 5
    assert (
        CleanedClassifier(DecisionTreeClassifier(random_state=3)).fit(X, Y).estimator_.random_state
        == 3
    )


def test_frames_keep_their_container_and_names():
    frame = pd.DataFrame(X, columns=[f"c{at}" for at in range(X.shape[1])])
    model = CleanedClassifier(LogisticRegression()).fit(frame.assign(y=Y), "y")
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.estimator_.feature_names_in_.tolist() == list(frame.columns)
    assert model.n_features_in_ == X.shape[1]
    ours = CleanedClassifier(LogitBoostClassifier(n_estimators=5)).fit(pl.DataFrame(frame), Y)
    assert ours.score(pl.DataFrame(frame), Y) > 0.6
    model.fit(X, Y)
    assert not hasattr(model, "feature_names_in_")


def test_it_lives_in_scikit_learns_tools_and_has_a_default():
    scores = cross_val_score(CleanedClassifier(GaussianNB()), X, Y, cv=3)
    assert (scores > 0.5).all()
    model = CleanedClassifier().fit(X[:100], Y[:100])
    assert isinstance(model.estimator_, WeakForceClassifier)
    assert not hasattr(CleanedClassifier(GaussianNB()), "decision_function")
    assert hasattr(CleanedClassifier(LogisticRegression()), "decision_function")


@pytest.mark.parametrize(
    ("parameters", "kind", "message"),
    [
        ({"action": "forget"}, ValueError, "'action': got 'forget', expected one of 'drop', 're"),
        ({"threshold": 1.0}, ValueError, "'threshold': got 1.0, expected a number from 0 to below"),
        ({"threshold": "high"}, TypeError, "'threshold': got 'high'"),
        ({"estimator": GaussianNB}, TypeError, "'estimator': got GaussianNB, expected None or a"),
        ({"estimator": 3}, TypeError, "'estimator': got 3, expected None or a classifier"),
        (
            {"estimator": KNeighborsClassifier(), "action": "weight"},
            ValueError,
            "'action': got 'weight', but the fit of KNeighborsClassifier takes no sample_weight",
        ),
        ({"action": "mistrust"}, ValueError, "the fit of GaussianNB takes no mistrust"),
    ],
)
def test_wrong_parameters_are_refused_by_name(parameters, kind, message):
    with pytest.raises(kind, match=message):
        CleanedClassifier(**{"estimator": GaussianNB(), **parameters}).fit(X, Y)


def test_rows_and_labels_that_do_not_fit_are_refused_and_change_nothing():
    model = CleanedClassifier(KNeighborsClassifier()).fit(X, Y)
    before = model.report_
    for change, message in [
        ({"y": np.eye(400, 3, dtype=int)}, "CleanedClassifier takes one label for each row"),
        ({"y": Y[:10]}, "got 10 labels, expected one for each of 400 rows"),
        ({"sample_weight": np.ones(400)}, "the fit of KNeighborsClassifier takes none"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.fit(**{"X": X, "y": Y, **change})
    assert model.report_ is before
