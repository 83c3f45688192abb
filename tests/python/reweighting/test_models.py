"""`reweight` returns the model that it was given, but for the weights; or says why it cannot.

In: models of every learner and of several classes. Out: hypotheses, scores, files and attributes of
the new model, and errors that name what was wrong.
"""

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import weakforce
from reference.soft_margin import margins_of, optimum
from support.margin_programs import every_program, some_programs
from support.small_margin_problems import boosted, noisy_problem, three_classes
from weakforce import (
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
    reweight,
)


def fingerprint(model):
    return model.fitted_model_.core.to_json("{}"), pickle.dumps(vars(model).get("train_score_"))


# The model that comes out


@some_programs
def test_given_model_stays_as_it_was(method, C):
    X, y = noisy_problem()
    model = DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y)
    before, state = fingerprint(model), dict(vars(model))
    new = reweight(model, X, y, method=method, C=C)
    assert fingerprint(model) == before
    assert vars(model).keys() == state.keys()
    assert all(vars(model)[name] is value for name, value in state.items())
    assert not hasattr(model, "objective_")
    assert type(new) is type(model)
    assert new.get_params() == model.get_params()
    assert (new.estimator_weights_ != model.estimator_weights_).any()


@some_programs
def test_hypotheses_are_those_of_the_given_model(method, C):
    (X, y), model = noisy_problem(), boosted()
    new = reweight(model, X, y, method=method, C=C)
    assert new.estimators_ == model.estimators_
    assert new.n_iter_ == model.n_iter_
    np.testing.assert_array_equal(new.classes_, model.classes_)
    np.testing.assert_array_equal(new.estimator_errors_, model.estimator_errors_)
    np.testing.assert_array_equal(new.edges_, model.edges_)
    assert (new.estimator_weights_ >= 0).all()
    if method.startswith("lp"):
        assert new.estimator_weights_.sum() == pytest.approx(1.0, abs=1e-12)


@every_program
def test_pruning_drops_votes_of_weight_zero_and_keeps_the_scores(method, C):
    (X, y), model = noisy_problem(), boosted()
    full = reweight(model, X, y, method=method, C=C)
    small = reweight(model, X, y, method=method, C=C, prune=True)
    kept = full.estimator_weights_ > 0
    assert small.n_iter_ == kept.sum()
    assert len(small.estimators_) == len(small.train_score_) == small.n_iter_
    np.testing.assert_array_equal(small.estimator_weights_, full.estimator_weights_[kept])
    np.testing.assert_array_equal(small.estimator_errors_, full.estimator_errors_[kept])
    assert small.estimators_ == [h for h, keep in zip(full.estimators_, kept, strict=True) if keep]
    later, _ = noisy_problem(seed=8)
    for rows in (X, later):
        pair = small.decision_function(rows), full.decision_function(rows)
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(small.duals_, full.duals_)
    if method == "lp-reg" and C > 1:
        assert small.n_iter_ < model.n_iter_


def test_pruning_everything_leaves_a_model_that_still_predicts():
    (X, y), model = noisy_problem(), boosted()
    small = reweight(model, X, y, method="l1", C=1e-6, prune=True)
    assert small.n_iter_ == 0
    assert (small.predict(X) == small.classes_[1]).all()


@some_programs
@pytest.mark.parametrize("prune", [False, True])
def test_weights_are_saved_and_the_proof_is_not(method, C, prune, tmp_path):
    (X, y), model = noisy_problem(), boosted()
    new = reweight(model, X, y, method=method, C=C, prune=prune)
    new.save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.estimator_weights_, new.estimator_weights_)
    assert again.estimators_ == new.estimators_
    np.testing.assert_array_equal(again.decision_function(X), new.decision_function(X))
    np.testing.assert_array_equal(again.train_score_, new.train_score_)
    for name in ("objective_", "duality_gap_", "duals_", "slack_", "support_", "nu_"):
        assert hasattr(new, name)
        assert not hasattr(again, name)
    copied = pickle.loads(pickle.dumps(new))
    np.testing.assert_array_equal(copied.decision_function(X), new.decision_function(X))


@some_programs
def test_train_score_is_that_of_the_first_votes_on_the_rows_given(method, C):
    model, (X, y) = boosted(), noisy_problem(seed=3)
    weights = np.random.default_rng(7).random(len(y)) + 0.2
    new = reweight(model, X, y, method=method, C=C, sample_weight=weights)
    staged = list(new.staged_score(X, y, weights))
    np.testing.assert_allclose(new.train_score_, staged, rtol=0, atol=1e-9)
    assert len(new.validation_score_) == 0


def test_reweighted_model_can_be_reweighted():
    (X, y), model = noisy_problem(), boosted()
    once = reweight(model, X, y, method="qp-reg", C=50.0)
    twice = reweight(once, X, y, method="lp-reg", C=3.0)
    direct = reweight(model, X, y, method="lp-reg", C=3.0)
    assert twice.objective_ == pytest.approx(direct.objective_, abs=1e-9)
    np.testing.assert_allclose(twice.estimator_weights_, direct.estimator_weights_, atol=1e-9)


@pytest.mark.parametrize("n_jobs", [2, 3])
@some_programs
def test_threads_do_not_change_a_bit(method, C, n_jobs):
    X, y = noisy_problem(3000)
    answers = []
    for jobs in (1, n_jobs):
        model = DiscreteAdaBoostClassifier(n_estimators=40, n_jobs=jobs).fit(X, y)
        new = reweight(model, X, y, method=method, C=C)
        answers.append((new.estimator_weights_.tobytes(), new.duals_.tobytes(), new.objective_))
    assert answers[0] == answers[1]


# Learners, frames and classes


@pytest.mark.parametrize(
    "learner",
    [
        Stump(),
        Rule(max_literals=2),
        Tree(max_leaf_nodes=4),
        RBFNet(n_centers=4, n_steps=3),
        DecisionTreeClassifier(max_depth=2),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("booster", [DiscreteAdaBoostClassifier, RealAdaBoostClassifier])
def test_hypotheses_of_every_learner_are_weighed(booster, learner):
    X, y = noisy_problem()
    model = booster(learner, n_estimators=10, random_state=0).fit(X, y)
    assert model.n_iter_ > 2
    M = margins_of(model, X, y)
    for method, C in (("lp-reg", 3.0), ("qp-reg", 10.0)):
        new = reweight(model, X, y, method=method, C=C)
        assert new.objective_ == pytest.approx(optimum(method, M, None, C), rel=1e-6, abs=1e-7)
        expected = y * (M @ new.estimator_weights_)
        np.testing.assert_allclose(new.decision_function(X), expected, rtol=0, atol=1e-8)


def test_frames_labels_and_columns_are_taken_as_in_fit():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"size": rng.normal(size=80), "town": rng.choice(["Oslo", "Rome"], 80)})
    signal = frame["size"].to_numpy() + 0.5 * (frame["town"] == "Rome").to_numpy()
    y = np.where(signal + 0.5 * rng.normal(size=80) > 0, "yes", "no")
    model = DiscreteAdaBoostClassifier(n_estimators=15).fit(frame, y)
    expected = reweight(model, frame, y, method="qp-reg", C=10.0)
    named = frame.with_columns(pl.Series("answer", y))
    for X, target in ((frame.lazy(), y), (named, "answer"), (frame.to_pandas(), pl.Series(y))):
        new = reweight(model, X, target, method="qp-reg", C=10.0)
        np.testing.assert_array_equal(new.estimator_weights_, expected.estimator_weights_)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@some_programs
def test_every_problem_of_a_decomposition_has_its_own_program(multi_class, method, C):
    X, y = three_classes()
    model = DiscreteAdaBoostClassifier(n_estimators=12, multi_class=multi_class).fit(X, y)
    new = reweight(model, X, y, method=method, C=C)
    assert new.slack_.shape == new.duals_.shape == (len(y), 3)
    for name in ("objective_", "duality_gap_", "solve_time_", "nu_", "n_support_"):
        assert getattr(new, name).shape == (3,)
    for column, code in enumerate(model.code_.T):
        there = code[y] != 0
        side = code[y][there].astype(float)
        alone = DiscreteAdaBoostClassifier(n_estimators=12).fit(X[there], side)
        expected = reweight(alone, X[there], side, method=method, C=C)
        assert new.objective_[column] == pytest.approx(expected.objective_, rel=1e-7, abs=1e-9)
        pair = new.estimator_weights_[:, column], expected.estimator_weights_
        np.testing.assert_allclose(*pair, rtol=0, atol=1e-7)
        # Of rows that depend on each other any share may be the one that decides.
        assert new.duals_[there, column].sum() == pytest.approx(expected.duals_.sum(), rel=1e-6)
        assert (new.duals_[~there, column] == 0).all()
        assert new.support_[column].tolist() == np.flatnonzero(new.duals_[:, column]).tolist()
        assert new.n_support_[column] == len(new.support_[column])
    staged = list(new.staged_score(X, y))
    np.testing.assert_allclose(new.train_score_, staged, rtol=0, atol=1e-9)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "ecoc"])
def test_pruning_a_decomposition_keeps_the_scores(multi_class):
    X, y = three_classes()
    model = RealAdaBoostClassifier(n_estimators=20, multi_class=multi_class, random_state=0)
    model.fit(X, y)
    full = reweight(model, X, y, method="lp-reg", C=2.0)
    small = reweight(model, X, y, method="lp-reg", C=2.0, prune=True)
    np.testing.assert_allclose(small.decision_function(X), full.decision_function(X), atol=1e-12)
    kept = [h for round_ in small.estimators_ for h in round_ if h is not None]
    assert len(kept) == (full.estimator_weights_ > 0).sum()
    assert small.n_iter_ == (full.estimator_weights_ > 0).any(axis=1).sum()


# Refusals


@pytest.mark.parametrize(
    ("method", "C"),
    [
        ("lp", 2.0),
        ("lp-reg", None),
        ("lp-reg", 0.5),
        ("lp-reg", 1 - 1e-9),
        ("lp-reg", 0.0),
        ("lp-reg", float("nan")),
        ("lp-reg", float("inf")),
        ("qp-reg", None),
        ("qp-reg", 0.0),
        ("qp-reg", -1.0),
        ("qp-reg", float("inf")),
        ("l1", 0.0),
        ("l1", float("nan")),
    ],
)
def test_prices_that_make_no_program_are_refused(method, C):
    (X, y), model = noisy_problem(), boosted()
    with pytest.raises(ValueError, match=r"parameter 'C': got .*, expected"):
        reweight(model, X, y, method=method, C=C)


@pytest.mark.parametrize(
    ("parameters", "error", "match"),
    [
        ({"method": "newton"}, ValueError, "'method'.*newton"),
        ({"method": None}, TypeError, "'method'"),
        ({"C": "much"}, TypeError, "'C'"),
        ({"prune": "yes"}, TypeError, "'prune'"),
        ({"time_limit": 0.0}, ValueError, "'time_limit'"),
        ({"time_limit": -1.0}, ValueError, "'time_limit'"),
        ({"time_limit": float("nan")}, ValueError, "'time_limit'"),
        ({"time_limit": "soon"}, TypeError, "'time_limit'"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(parameters, error, match):
    (X, y), model = noisy_problem(), boosted()
    with pytest.raises(error, match=match):
        reweight(model, X, y, **{"method": "lp-reg", "C": 2.0, **parameters})


@pytest.mark.parametrize(
    "booster",
    [
        AdaBoostMHClassifier(n_estimators=3),
        AdaBoostMHClassifier(n_estimators=3, shared=True),
        AdaBoostM2Classifier(n_estimators=3),
        SoftmaxBoostClassifier(n_estimators=3),
        SAMMEClassifier(n_estimators=3),
        AdaBoostM1Classifier(n_estimators=3),
    ],
    ids=str,
)
def test_models_whose_hypotheses_speak_of_all_classes_are_refused(booster):
    X, y = three_classes()
    model = booster.fit(X, y)
    with pytest.raises(ValueError, match="parameter 'model'"):
        reweight(model, X, y, C=2.0)


@pytest.mark.parametrize("booster", [AdaBoostMHClassifier, SoftmaxBoostClassifier])
def test_a_column_for_each_of_two_classes_is_refused_too(booster):
    X, y = noisy_problem()
    model = booster(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="parameter 'model'"):
        reweight(model, X, y, C=2.0)


@pytest.mark.parametrize("booster", [SAMMEClassifier, AdaBoostM1Classifier])
def test_boosters_for_many_classes_are_weighed_if_there_are_two(booster):
    X, y = noisy_problem()
    model = booster(n_estimators=8).fit(X, y)
    new = reweight(model, X, y, C=2.0)
    expected = optimum("lp-reg", margins_of(model, X, y), None, 2.0)
    assert new.objective_ == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_what_is_no_fitted_model_of_ours_is_refused():
    X, y = noisy_problem()
    with pytest.raises(TypeError, match="parameter 'model': got DecisionTreeClassifier"):
        reweight(DecisionTreeClassifier().fit(X, y), X, y, C=2.0)
    with pytest.raises(ValueError, match="not fitted"):
        reweight(DiscreteAdaBoostClassifier(), X, y, C=2.0)


def test_rows_and_labels_that_do_not_fit_are_refused():
    (X, y), model = noisy_problem(), boosted()
    with pytest.raises(ValueError, match="2 features"):
        reweight(model, X[:, :2], y, C=2.0)
    with pytest.raises(ValueError, match="label 7"):
        reweight(model, X, np.where(y > 0, 7, -1), C=2.0)
    with pytest.raises(ValueError, match=f"{len(y) - 1} labels.*{len(y)} rows"):
        reweight(model, X, y[:-1], C=2.0)
    with pytest.raises(ValueError, match="sample_weight"):
        reweight(model, X, y, C=2.0, sample_weight=-np.ones(len(y)))


@some_programs
def test_time_that_runs_out_is_an_error_with_advice(method, C):
    X, y = noisy_problem(1500)
    model = boosted(1500, n_estimators=60)
    before = fingerprint(model)
    with pytest.raises(RuntimeError, match=r"time limit.*allow more time"):
        reweight(model, X, y, method=method, C=C, time_limit=1e-9)
    assert fingerprint(model) == before


def test_time_that_suffices_changes_nothing():
    (X, y), model = noisy_problem(), boosted()
    hurried, plain = (reweight(model, X, y, C=3.0, time_limit=limit) for limit in (1000.0, None))
    np.testing.assert_array_equal(hurried.estimator_weights_, plain.estimator_weights_)
    assert 0 < hurried.solve_time_ < 1000
