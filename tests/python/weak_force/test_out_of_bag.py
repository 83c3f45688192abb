"""What `WeakForceClassifier` knows of rows out of bag: scores, noise, suspects, what was chosen."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from support.pool_problems import mixed_rows, noisy_twonorm, small, turned
from support.small_multiclass_problems import blobs
from weakforce import WeakForceClassifier, datasets, predict_file

RATES = [0.0, 0.1, 0.2, 0.3]


@pytest.fixture(scope="module")
def by_rate():
    """Models of 800 rows of twonorm with shares of wrong labels, and which labels are wrong."""
    found = {}
    for rate in RATES:
        X, labels, wrong = noisy_twonorm(800, rate)
        model = WeakForceClassifier(n_trees=60, n_estimators=64, random_state=0, n_jobs=1)
        found[rate] = model.fit(X, labels), labels, wrong
    return found


def shares_of(model):
    """The probabilities of the classes by the scores out of bag."""
    scores = model.oob_decision_function_
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    terms = np.exp(scores - scores.max(axis=1, keepdims=True))
    return terms / terms.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_score_and_log_loss_follow_from_the_scores_out_of_bag(n_classes, weighted):
    X, y = mixed_rows(200, n_classes)
    weights = np.random.default_rng(0).random(200) + 0.1 if weighted else None
    model = small().fit(X, y, weights)
    shape = (200,) if n_classes == 2 else (200, n_classes)
    assert model.oob_decision_function_.shape == shape
    shares = shares_of(model)
    own = np.searchsorted(model.classes_, y)
    assert model.oob_log_loss_ == pytest.approx(log_loss(own, shares, sample_weight=weights))
    right = accuracy_score(own, shares.argmax(axis=1), sample_weight=weights)
    assert model.oob_score_ == pytest.approx(right)
    assert_allclose(model.train_score_, model.oob_score_, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_scores_out_of_bag_are_those_of_new_rows_not_of_training_rows():
    X, labels, _ = noisy_twonorm(800, 0.2)
    test_X, test_labels, _ = noisy_twonorm(3000, 0.2, seed=5)
    model = WeakForceClassifier(n_trees=60, random_state=0, n_jobs=1).fit(X, labels)
    test_score = model.score(test_X, test_labels)
    assert model.oob_score_ == pytest.approx(test_score, abs=0.04)
    test_loss = log_loss(test_labels, model.predict_proba(test_X))
    assert model.oob_log_loss_ == pytest.approx(test_loss, abs=0.05)
    own_loss = log_loss(labels, model.predict_proba(X))
    assert own_loss < min(model.oob_log_loss_, test_loss) - 0.05


@pytest.mark.slow
@pytest.mark.parametrize("rate", RATES)
def test_label_noise_is_near_the_true_rate(by_rate, rate):
    model, _, wrong = by_rate[rate]
    noise = model.label_noise_
    assert noise.n_rows == 160
    assert 0 <= noise.low <= noise.rate <= noise.high <= 1
    assert noise.rate == pytest.approx(wrong.mean(), abs=0.06)
    assert noise.low - 0.02 <= wrong.mean() <= noise.high + 0.02
    assert 0.01 < noise.high - noise.low < 0.2
    assert f"{noise.rate:.1%}" in str(noise)
    assert str(noise) in model.summary()


@pytest.mark.slow
def test_label_noise_counts_the_surest_rows_out_of_bag(by_rate):
    model, labels, _ = by_rate[0.2]
    scores = model.oob_decision_function_
    surest = np.argsort(-np.abs(scores), kind="stable")[:160]
    wrong = (scores[surest] >= 0) != labels[surest]
    assert model.label_noise_.rate == pytest.approx(wrong.mean())


def test_the_interval_of_noise_gets_wide_where_there_are_few_rows():
    X, y = mixed_rows(30)
    noise = small().fit(X, y).label_noise_
    assert noise.n_rows == 30
    assert noise.high - noise.low > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.1, 0.2, 0.3])
def test_turned_labels_come_first(by_rate, rate):
    model, labels, wrong = by_rate[rate]
    found = model.suspects_
    assert found.columns == ["row", "given", "suggested", "margin", "influence", "score"]
    assert sorted(found["row"]) == list(range(800))
    assert_array_equal(found["given"], labels[found["row"]])
    assert found["score"].is_sorted(descending=True)
    assert found["influence"].null_count() == 800
    assert roc_auc_score(wrong[found["row"]], found["score"]) > 0.93
    first = found.head(40)
    assert wrong[first["row"]].mean() > 0.9
    assert (first["suggested"] != first["given"]).all()


@pytest.mark.slow
def test_turned_labels_of_several_classes_come_first_with_the_true_class():
    X, y = datasets.make_waveform(600, n_classes=3, seed=1)
    clean = np.unique(y, return_inverse=True)[1]
    labels, wrong = turned(clean, 0.2)
    found = small(n_trees=40, n_estimators=32).fit(X, labels).suspects_
    assert roc_auc_score(wrong[found["row"]], found["score"]) > 0.9
    first = found.head(40)
    assert wrong[first["row"]].mean() > 0.85
    assert np.mean(clean[first["row"]] == first["suggested"].to_numpy()) > 0.75


@pytest.mark.parametrize("n_classes", [2, 3])
def test_suspicion_is_one_minus_the_probability_out_of_bag(n_classes):
    X, y = mixed_rows(120, n_classes)
    model = small().fit(X, y)
    found = model.suspects_.sort("row")
    shares, own = shares_of(model), np.searchsorted(model.classes_, y)
    assert_allclose(found["score"], 1 - shares[np.arange(120), own], rtol=0, atol=1e-12)
    assert_array_equal(found["suggested"], model.classes_[shares.argmax(axis=1)])
    assert_array_equal(found["margin"] >= 0, found["suggested"] == found["given"])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_shares_of_what_was_chosen_add_up_to_one(n_classes):
    X, y = mixed_rows(200, n_classes)
    model = small(n_estimators=40).fit(X, y)
    table = model.capacity_
    assert table.columns == ["member", "leaf_rows", "shrinkage", "rounds", "loss", "share"]
    assert table["share"].sum() == pytest.approx(1.0)
    assert (table["share"] >= 0).all()
    assert table["loss"].is_finite().all()
    boosted = table.filter(pl.col("member") == "boosted")
    assert boosted["rounds"].to_list() == [8, 16, 32, 40]
    assert (boosted["share"] > 0).sum() <= 1
    assert table["member"].unique(maintain_order=True).to_list() == [
        "forest",
        "forest by trust",
        "boosted",
    ]


@pytest.mark.slow
def test_the_best_shrinkage_of_pure_leaves_grows_with_noise(by_rate):
    best = []
    for rate in RATES:
        forest = by_rate[rate][0].capacity_.filter(pl.col("leaf_rows") == 1)
        best.append(forest["shrinkage"][forest["loss"].arg_min()])
    assert best == sorted(best)
    assert best[0] < best[-1]


def test_the_learning_curve_is_that_of_the_boosted_trees():
    X, y = mixed_rows(200, 3)
    model = small(n_estimators=40).fit(X, y)
    boosted = model.capacity_.filter(pl.col("member") == "boosted")
    curve = model.learning_curve_
    assert curve.columns == ["rounds", "log_loss"]
    assert curve["rounds"].to_list() == boosted["rounds"].to_list() == [8, 16, 32, 40]
    assert curve["log_loss"].to_list() == boosted["loss"].to_list()
    chosen = boosted.filter(pl.col("share") > 0)["loss"].to_list()
    assert chosen in ([], [curve["log_loss"].min()])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_of_weight_zero_are_not_judged_and_as_good_as_absent(n_classes):
    X, y = mixed_rows(200, n_classes)
    weights = np.random.default_rng(1).random(200) + 0.1
    weights[150:] = 0.0
    model = small().fit(X, y, weights)
    scores = model.oob_decision_function_.reshape(200, -1)
    assert np.isnan(scores[150:]).all()
    assert np.isfinite(scores[:150]).all()
    assert sorted(model.suspects_["row"]) == list(range(150))
    assert np.isfinite([model.oob_score_, model.oob_log_loss_]).all()
    less = small().fit(X[:150], y[:150], weights[:150])
    assert_allclose(model.predict_proba(X), less.predict_proba(X), rtol=0, atol=1e-9)
    assert model.oob_score_ == pytest.approx(less.oob_score_)


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.3, 0.45])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_clean_probabilities_invert_the_formula_of_noise(n_classes, rate):
    X, y = blobs(120, n_classes, spread=2.0)
    noisy = small().fit(X, y)
    clean = small(calibrate="clean", noise_rate=rate).fit(X, y)
    q, p = noisy.predict_proba(X), clean.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    again = (1 - rate) * p + rate * (1 - p) / (n_classes - 1)
    inside = (q >= rate / (n_classes - 1)).all(axis=1)
    assert inside.any()
    assert_allclose(again[inside], q[inside], rtol=0, atol=1e-12)
    outside = q < rate / (n_classes - 1)
    assert (p[outside] == 0).all()
    assert_array_equal(clean.predict(X), noisy.predict(X))
    assert_array_equal(clean.classes_[p.argmax(axis=1)], clean.predict(X))


@pytest.mark.slow
def test_clean_probabilities_are_better_for_true_labels():
    X, labels, _ = noisy_twonorm(800, 0.3)
    test_X, test_y = datasets.make_twonorm(2000, seed=5)
    losses = {}
    for name in ("noisy", "clean"):
        model = small(n_trees=60, n_estimators=32, calibrate=name).fit(X, labels)
        shares = np.clip(model.predict_proba(test_X), 1e-3, 1 - 1e-3)
        losses[name] = log_loss(test_y, shares)
    assert losses["clean"] < losses["noisy"] - 0.1


def test_the_rate_of_noise_is_estimated_unless_it_is_given():
    X, labels, _ = noisy_twonorm(200, 0.2)
    model = small(calibrate="clean").fit(X, labels)
    told = small(calibrate="clean", noise_rate=model.label_noise_.rate).fit(X, labels)
    assert_array_equal(model.predict_proba(X), told.predict_proba(X))


@pytest.mark.parametrize(("n_classes", "rate"), [(2, 0.5), (2, 0.9), (3, 0.67), (4, 0.75)])
def test_noise_that_leaves_nothing_to_learn_is_refused(n_classes, rate):
    X, y = blobs(60, n_classes)
    with pytest.raises(ValueError, match=r"'noise_rate': got 0\.\d+, expected a number from 0"):
        small(calibrate="clean", noise_rate=rate).fit(X, y).predict_proba(X)


def test_files_get_the_probabilities_that_frames_get(tmp_path):
    X, labels, _ = noisy_twonorm(200, 0.2)
    model = small(calibrate="clean", noise_rate=0.15).fit(X, labels)
    X.write_parquet(tmp_path / "rows.parquet")
    found = predict_file(model, tmp_path / "rows.parquet", proba=True)
    assert_array_equal(found.select(pl.nth(1, 2)).to_numpy(), model.predict_proba(X))
