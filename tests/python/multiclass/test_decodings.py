"""Decodings: how scores of two-class problems become one class, against naive references.

Facts of coupling are in multiclass/test_coupling.py, files in model_file/test_decodings.py.
"""

import numpy as np
import pytest
from sklearn.base import clone

import weakforce
from reference import decoding
from reference.multiclass import one_vs_one
from support.code_figures import FIGURE_A, FIGURE_B, FIGURE_C
from support.problem_scores import problem_scores
from support.small_multiclass_problems import blobs
from weakforce import (
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    LPAdaBoostClassifier,
    LPBoostClassifier,
    MartiBoostClassifier,
    RealAdaBoostClassifier,
    SFBoostClassifier,
)
from weakforce._estimator.decomposed import DecomposedClassifier

DECODINGS = ("score", "loss", "hamming", "vote", "coupling")
X, Y = blobs(120, 4, spread=1.5)
TRAIN, LATER = X[:80], X[80:]


def fit(model, decode, code):
    return model.set_params(multi_class=code, decode=decode).fit(TRAIN, Y[:80])


def by_hand(decode, code, H, loss="exponential"):
    """What is compared, as the core scales it: sums of exponentials by their logarithms."""
    if decode == "loss":
        scores = decoding.by_loss(code, H, loss)
        return -np.log(-scores) if loss == "exponential" else scores
    if decode == "coupling":
        rows = np.bincount(Y[:80])
        pairs = decoding.pair_probabilities(code, H, rows)
        return np.log(decoding.coupled(pairs, rows[:, None] + rows))
    return getattr(decoding, f"by_{decode}")(code, H)


CASES = [
    *((decode, code) for decode in DECODINGS[:3] for code in (FIGURE_A, FIGURE_C)),
    *((decode, one_vs_one(4)) for decode in DECODINGS),
    *((decode, -one_vs_one(4)[:, ::-1]) for decode in ("vote", "coupling")),
]


@pytest.mark.parametrize(("decode", "code"), CASES)
@pytest.mark.parametrize("booster", [DiscreteAdaBoostClassifier, AdaBoostRClassifier])
def test_scores_are_those_of_the_definition(booster, decode, code):
    model = fit(booster(n_estimators=4), decode, code)
    H = problem_scores(model, LATER)
    expected = by_hand(decode, code, H)
    scores = model.decision_function(LATER)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-8)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(LATER), shares, rtol=0, atol=1e-12)
    assert (model.predict(LATER) == scores.argmax(axis=1)).all()
    assert (model.predict_proba(LATER).argmax(axis=1) == scores.argmax(axis=1)).all()
    assert model.train_score_[-1] == model.score(TRAIN, Y[:80])


@pytest.mark.parametrize("decode", DECODINGS)
def test_every_stage_is_decoded_like_the_last(decode):
    model = fit(DiscreteAdaBoostClassifier(n_estimators=5), decode, "ovo")
    for n_rounds, scores in enumerate(model.staged_decision_function(LATER), 1):
        expected = by_hand(decode, model.code_, problem_scores(model, LATER, n_rounds))
        np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-8)
    accuracies = list(model.staged_score(TRAIN, Y[:80]))
    assert accuracies == model.train_score_.tolist()


@pytest.mark.parametrize("decode", ["loss", "hamming"])
@pytest.mark.parametrize(
    "booster", [b for b in weakforce.boosters() if issubclass(b, DecomposedClassifier)]
)
def test_one_against_the_rest_is_decoded_by_the_loss_of_each_booster(booster, decode):
    rounds = {booster.capabilities().rounds: 6}
    plain = fit(booster(random_state=0, **rounds), "score", "ovr")
    model = fit(booster(random_state=0, **rounds), decode, "ovr")
    H = plain.decision_function(LATER)
    capabilities = booster.capabilities()
    loss = "hinge" if capabilities.has_program else capabilities.loss
    expected = by_hand(decode, FIGURE_B, H, loss)
    np.testing.assert_allclose(model.decision_function(LATER), expected, rtol=0, atol=1e-9)
    if decode == "loss":  # which falls with the score
        assert (model.predict(LATER) == plain.predict(LATER)).all()


def test_the_loss_is_the_one_that_the_booster_lowers():
    stated = {
        booster: booster.capabilities().loss
        for booster in weakforce.boosters()
        if issubclass(booster, DecomposedClassifier)
    }
    assert stated[RealAdaBoostClassifier] == stated[DiscreteAdaBoostClassifier] == "exponential"
    assert stated[LPBoostClassifier] == "hinge"
    assert stated[MartiBoostClassifier] == "logistic"
    assert None not in stated.values()


def test_new_weights_of_a_program_are_decoded_by_the_hinge():
    boosted = fit(DiscreteAdaBoostClassifier(n_estimators=10), "loss", FIGURE_C)
    solved = weakforce.reweight(boosted, TRAIN, Y[:80], method="qp-reg", C=10.0)
    for model in (solved, fit(LPAdaBoostClassifier(n_estimators=10, C=2.0), "loss", FIGURE_C)):
        expected = by_hand("loss", FIGURE_C, problem_scores(model, LATER), "hinge")
        np.testing.assert_allclose(model.decision_function(LATER), expected, rtol=0, atol=1e-8)


def test_votes_of_all_pairs_answer_as_hamming_distances_do():
    model = RealAdaBoostClassifier(n_estimators=5)
    vote, hamming = (fit(clone(model), decode, "ovo") for decode in ("vote", "hamming"))
    assert (vote.predict(LATER) == hamming.predict(LATER)).all()


@pytest.mark.parametrize("decode", ["vote", "hamming"])
def test_of_equal_classes_the_first_wins(decode):
    model = fit(DiscreteAdaBoostClassifier(n_estimators=1), decode, "ovo")
    scores = model.decision_function(X)
    tied = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1
    assert tied.any()
    assert (model.predict(X) == scores.argmax(axis=1)).all()
    nothing = clone(model).fit(np.zeros((8, 1)), np.arange(8) % 4)
    assert (nothing.predict(np.zeros((3, 1))) == 0).all()


@pytest.mark.parametrize("decode", DECODINGS)
def test_other_names_of_the_classes_change_no_answer(decode):
    model = fit(RealAdaBoostClassifier(n_estimators=4), decode, "ovo")
    order = np.array([2, 0, 3, 1])
    other = clone(model).fit(TRAIN, order[Y[:80]])
    np.testing.assert_allclose(
        other.predict_proba(LATER)[:, order], model.predict_proba(LATER), rtol=0, atol=1e-9
    )
    clear = np.sort(model.predict_proba(LATER))[:, -2:] @ [-1, 1] > 1e-6
    assert (other.predict(LATER)[clear] == order[model.predict(LATER)][clear]).all()


@pytest.mark.parametrize("decode", DECODINGS)
def test_two_classes_need_no_decoding(decode):
    two = Y < 2
    plain = RealAdaBoostClassifier(n_estimators=3).fit(X[two], Y[two])
    model = clone(plain).set_params(decode=decode).fit(X[two], Y[two])
    assert model.decision_function(X).tobytes() == plain.decision_function(X).tobytes()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("decode", ["votes", "", 3, None, ["vote"]])
def test_other_decodings_are_refused(decode, n_classes):
    rows = n_classes > Y
    model = RealAdaBoostClassifier(n_estimators=2, decode=decode)
    error = ValueError if isinstance(decode, str) else TypeError
    expected = "parameter 'decode': got .*, expected one of 'score', 'loss', 'hamming', 'vote', "
    with pytest.raises(error, match=expected):
        model.fit(X[rows], Y[rows])


@pytest.mark.parametrize("decode", ["vote", "coupling"])
@pytest.mark.parametrize("code", ["ovr", "ecoc", FIGURE_C, FIGURE_B])
def test_pairs_need_a_problem_for_each(decode, code):
    if isinstance(code, np.ndarray) and code is not FIGURE_B:
        code = np.column_stack([code, code[:, :1]])
    model = DiscreteAdaBoostClassifier(n_estimators=2, multi_class=code, decode=decode)
    with pytest.raises(ValueError, match=f"parameter 'decode': got '{decode}' with .*'ovo'"):
        model.fit(X, Y)


@pytest.mark.parametrize("decode", ["loss", "hamming", "vote", "coupling"])
def test_what_is_no_sum_is_not_taken_apart(decode):
    model = fit(RealAdaBoostClassifier(n_estimators=3), decode, "ovo")
    for method in (
        lambda: model.contributions(LATER),
        lambda: model.to_sql("rows"),
        model.to_polars,
    ):
        with pytest.raises(TypeError, match=f"decode='{decode}'"):
            method()
    margins = model.margins(X, Y)
    assert (np.abs(margins) <= 1.0).all()
    assert ((margins > 0) <= (model.predict(X) == Y)).all()
    assert model.rules() is not None
    assert model.summary()


@pytest.mark.parametrize("decode", DECODINGS)
def test_early_stopping_watches_what_is_decoded(decode):
    model = RealAdaBoostClassifier(
        n_estimators=60, early_stopping=True, n_iter_no_change=5, multi_class="ovo", decode=decode
    ).fit(TRAIN, Y[:80], X_val=LATER, y_val=Y[80:])
    losses = []
    for shares in model.staged_predict_proba(LATER):
        losses.append(-np.log(shares[np.arange(40), Y[80:]]).mean())
    assert model.validation_score_[-1] == model.score(LATER, Y[80:])
    if model.stop_reason_ == "early_stopping":
        assert len(losses) - 1 - int(np.argmin(losses)) >= 5


def test_rounds_go_on_under_another_decoding():
    whole = fit(DiscreteAdaBoostClassifier(n_estimators=8), "coupling", "ovo")
    first = fit(DiscreteAdaBoostClassifier(n_estimators=5, warm_start=True), "score", "ovo")
    later = fit(first.set_params(n_estimators=8), "coupling", "ovo")
    assert later.decision_function(LATER).tobytes() == whole.decision_function(LATER).tobytes()
    assert later.train_score_.tolist() == whole.train_score_.tolist()


@pytest.mark.parametrize("calibrate", ["sigmoid", "isotonic"])
def test_coupled_scores_can_be_calibrated(calibrate):
    model = RealAdaBoostClassifier(n_estimators=5, calibrate=calibrate, random_state=0)
    fit(model, "coupling", "ovo")
    shares = model.predict_proba(LATER)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert (shares.argmax(axis=1) == model.predict(LATER)).all()


@pytest.mark.parametrize("decode", ["loss", "hamming", "vote", "coupling"])
def test_counted_hypotheses_are_decoded_and_not_exported(decode):
    model = SFBoostClassifier(n_estimators=6, random_state=0)
    plain = fit(clone(model), "score", "ovo")
    model = fit(model, decode, "ovo")
    margins = model.margins(TRAIN, Y[:80])
    assert (np.abs(margins) <= 1 + 1e-12).all()
    assert np.isfinite(model.predict_proba(LATER)).all()
    exports = [model.to_polars, lambda: model.to_sql("rows"), lambda: model.contributions(LATER)]
    for export in exports:
        with pytest.raises(TypeError, match=f"decode='{decode}'"):
            export()
    plain.to_polars()
