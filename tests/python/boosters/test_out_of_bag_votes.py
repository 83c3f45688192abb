"""What bagging knows of rows by the votes of hypotheses that have not seen them."""

import numpy as np
import pytest

import weakforce
from reference.committees import counts
from reference.unit_rows import unit_numbers
from support.small_multiclass_problems import blobs
from weakforce import BaggedClassifier, Tree, WaggedClassifier

KNOWN = ("oob_score_", "oob_log_loss_", "oob_decision_function_")


def bagged(**parameters):
    parameters = {"n_estimators": 12, "random_state": 4, **parameters}
    return BaggedClassifier(Tree(max_leaf_nodes=6), **parameters)


def votes_by_hand(model, X, y, numbers, seed=4):
    """The votes on each row of the hypotheses whose sample it is not in, by class."""
    votes = np.zeros((len(y), len(model.classes_)))
    before = np.zeros_like(model.decision_function(X))
    for draw, scores in enumerate(model.staged_decision_function(X)):
        voted = scores - before
        vote = (voted > 0).astype(int) if scores.ndim == 1 else voted.argmax(axis=1)
        unseen = counts(seed, draw, numbers) == 0
        votes[unseen, vote[unseen]] += 1
        before = scores
    return votes


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_out_of_bag_are_those_of_hypotheses_that_have_not_seen_the_row(n_classes, weighted):
    X, y = blobs(120, n_classes, spread=1.5)
    X = np.round(X)
    weights = np.random.default_rng(0).random(120) + 0.1 if weighted else None
    model = bagged().fit(X, y, weights)
    votes = votes_by_hand(model, X, y, unit_numbers(X.T.tolist(), y, weights))
    unseen = votes.sum(axis=1) > 0
    assert unseen.mean() > 0.9
    expected = votes if n_classes > 2 else votes[:, 1] - votes[:, 0]
    np.testing.assert_array_equal(
        np.isnan(model.oob_decision_function_.reshape(120, -1)[:, 0]), ~unseen
    )
    np.testing.assert_array_equal(model.oob_decision_function_[unseen], expected[unseen])
    u = (np.ones(120) if weights is None else weights)[unseen]
    answers = votes.argmax(axis=1) if n_classes > 2 else (votes[:, 1] >= votes[:, 0]).astype(int)
    assert model.oob_score_ == pytest.approx(np.average((answers == y)[unseen], weights=u))
    shares = np.maximum(votes[unseen], 0.5)
    own = shares[np.arange(len(shares)), y[unseen]] / shares.sum(axis=1)
    assert model.oob_log_loss_ == pytest.approx(np.average(-np.log(own), weights=u))


def test_the_score_out_of_bag_is_near_that_on_new_rows():
    X, y = blobs(1200, 3, spread=2.5)
    model = bagged(n_estimators=40).fit(X[:400], y[:400])
    assert abs(model.oob_score_ - model.score(X[400:], y[400:])) < 0.05
    assert model.oob_score_ < model.score(X[:400], y[:400]) - 0.02


def test_rows_that_nobody_learns_from_are_not_judged():
    X, y = blobs(120, 2, spread=1.5)
    weights = np.where(np.arange(120) < 90, 1.0, 0.0)
    model = bagged(early_stopping=True, validation_fraction=0.2).fit(X, y, weights)
    judged = ~np.isnan(model.oob_decision_function_)
    assert not judged[90:].any()
    assert 60 < judged.sum() <= 72


def test_class_weights_count_in_the_score_and_not_in_the_votes():
    X, y = blobs(150, 2, spread=2.5)
    plain, weighted = bagged().fit(X, y), bagged(class_weight={0: 1.0, 1: 50.0}).fit(X, y)
    np.testing.assert_array_equal(plain.oob_decision_function_, weighted.oob_decision_function_)
    judged = ~np.isnan(plain.oob_decision_function_)
    # Any vote for the second class wins, and there is none only where all votes are for the first.
    votes_for_first = plain.oob_decision_function_ < 0
    assert weighted.oob_score_ != plain.oob_score_
    assert weighted.oob_score_ <= np.mean((y == 1)[judged]) + np.mean(
        (votes_for_first & (y == 0))[judged]
    )


def test_warm_start_goes_on_counting():
    X, y = blobs(90, 3, spread=1.5)
    model = bagged(n_estimators=5, warm_start=True).fit(X, y).set_params(n_estimators=12).fit(X, y)
    whole = bagged().fit(X, y)
    np.testing.assert_array_equal(model.oob_decision_function_, whole.oob_decision_function_)
    assert (model.oob_score_, model.oob_log_loss_) == (whole.oob_score_, whole.oob_log_loss_)


def test_what_is_not_known_is_absent(tmp_path):
    X, y = blobs(90, 2, spread=1.5)
    model = bagged(random_state=None, n_estimators=3, warm_start=True).fit(X, y)
    assert all(hasattr(model, name) for name in KNOWN)
    model.save(tmp_path / "model.json")
    absent = [
        model.set_params(n_estimators=6).fit(X, y),  # the seed of the first rounds is forgotten
        weakforce.load(tmp_path / "model.json"),
        bagged(resample=True).fit(X, y),
        WaggedClassifier(n_estimators=3, random_state=0).fit(X, y),
    ]
    for model in absent:
        assert not any(hasattr(model, name) for name in KNOWN)
