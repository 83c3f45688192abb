"""The model of `WeakForceClassifier`: what it predicts, and the same by every way to read it."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import weakforce
from support.exported_models import ENGINES, agrees, clear_leads, polars_scores, scored
from support.pictures import close
from support.pool_problems import assert_probabilities, mixed_rows, noisy_twonorm, small
from support.small_multiclass_problems import blobs
from weakforce import MarginDisplay, WeakForceClassifier, datasets, margin_curve
from weakforce.report import report_page

either_number_of_classes = pytest.mark.parametrize("n_classes", [2, 3, 4])


def file_of(model, folder, name="model.json"):
    """The bytes of the model's file."""
    model.save(folder / name)
    return (folder / name).read_bytes()


def members_of(model):
    """The model without the parameters of its estimator, which may differ."""
    return model.fitted_model_.core.to_json("null")


@either_number_of_classes
def test_strings_are_learned_from_numbers_categories_and_gaps(n_classes):
    X, y = mixed_rows(400, n_classes)
    model = small(n_trees=20, n_estimators=32).fit(X[:250], y[:250])
    assert model.classes_.tolist() == sorted(set(y))
    assert model.score(X[250:], y[250:]) > {2: 0.8, 3: 0.65, 4: 0.5}[n_classes]
    assert_probabilities(model, X)


@pytest.mark.slow
def test_every_container_gives_the_same_model():
    X, y = mixed_rows(150)
    frames = [X, X.lazy(), X.to_pandas(), X.to_arrow()]
    models = [small().fit(frame, y) for frame in frames]
    assert len({members_of(model) for model in models}) == 1
    labels = [y.tolist(), pl.Series(y), pd.Series(y)]
    assert {members_of(small().fit(X, given)) for given in labels} == {members_of(models[0])}
    by_name = small().fit(X.with_columns(label=pl.Series(y)), "label")
    assert members_of(by_name) == members_of(models[0])
    numbers = X.select("x", "z").fill_null(np.nan)
    array, frame = (small().fit(given, y) for given in (numbers.to_numpy(), numbers))
    assert_array_equal(array.predict_proba(numbers.to_numpy()), frame.predict_proba(numbers))


def test_weights_move_the_model_towards_heavy_rows():
    X = np.tile([[0.0], [1.0]], (60, 1))
    y = np.concatenate([np.tile([1, 0], 30), np.tile([0, 1], 30)])
    weights = np.repeat([9.0, 1.0], 60)
    shares = small(n_trees=30, n_estimators=32).fit(X, y, weights).predict_proba([[0.0], [1.0]])
    assert_allclose(shares[:, 1], [0.9, 0.1], atol=0.05)
    by_class = small(class_weight={0: 9.0}).fit(X, y)
    assert by_class.predict([[0.0], [1.0]]).tolist() == [0, 0]


@pytest.mark.slow
@either_number_of_classes
def test_exports_and_contributions_say_what_the_model_says(n_classes):
    X, y = mixed_rows(120, n_classes)
    model = small(n_trees=2, n_estimators=3).fit(X, y)
    new = mixed_rows(60, n_classes, seed=1)[0].with_columns(
        pl.when(pl.int_range(pl.len()) < 4).then(pl.lit("Mars")).otherwise("town").alias("town")
    )
    assert agrees(polars_scores(model, new), model, new)
    for engine in ENGINES:
        scores, labels = scored(engine(new), model, new)
        assert agrees(scores, model, new), engine
        clear = clear_leads(model, new)
        assert_array_equal(labels[clear], model.predict(new)[clear])
    parts = model.contributions(new)
    sums = parts.select(pl.exclude("row", "class")).sum_horizontal()
    assert agrees(sums.to_numpy(), model, new)


@either_number_of_classes
def test_files_and_pickles_score_the_same(n_classes, tmp_path):
    X, y = mixed_rows(150, n_classes)
    model = small().fit(X, y)
    content = file_of(model, tmp_path)
    loaded = weakforce.load(tmp_path / "model.json")
    pickled = pickle.loads(pickle.dumps(model))
    assert type(loaded) is type(pickled) is WeakForceClassifier
    for other in (loaded, pickled):
        assert other.get_params() == model.get_params()
        assert_array_equal(other.decision_function(X), model.decision_function(X))
        assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        assert_array_equal(other.feature_importances_, model.feature_importances_)
        assert file_of(other, tmp_path, "again.json") == content
    assert_array_equal(pickled.oob_decision_function_, model.oob_decision_function_)
    assert pickled.suspects_.equals(model.suspects_)
    assert not hasattr(loaded, "oob_score_")
    with pytest.raises(AttributeError, match="suspects_ is known only to the estimator"):
        _ = loaded.suspects_
    assert loaded.summary().splitlines()[0] == model.summary().splitlines()[0]


@either_number_of_classes
def test_the_number_of_threads_changes_nothing(n_classes):
    X, y = mixed_rows(500, n_classes)
    one, two = (small(n_jobs=n_jobs, subsample=0.7).fit(X, y) for n_jobs in (1, 2))
    assert members_of(one) == members_of(two)
    assert_array_equal(one.oob_decision_function_, two.oob_decision_function_)
    assert one.capacity_.equals(two.capacity_)


def test_chunks_of_rows_change_nothing():
    X, y = mixed_rows(300, 3)
    chunked = pl.concat([X[:7], X[7:130], X[130:131], X[131:]], rechunk=False)
    assert chunked.n_chunks() == 4
    assert members_of(small().fit(chunked, y)) == members_of(small().fit(X, y))


@either_number_of_classes
@pytest.mark.parametrize("seed", range(3))
def test_permuted_labels_permute_the_probabilities(n_classes, seed):
    X, y = blobs(200, n_classes, spread=2.0, seed=seed)
    order = np.roll(np.arange(n_classes), 1)
    plain, permuted = small().fit(X, y), small().fit(X, order[y])
    assert_allclose(permuted.predict_proba(X)[:, order], plain.predict_proba(X), rtol=0, atol=1e-6)


def test_seeds_decide_and_equal_seeds_give_equal_files(tmp_path):
    X, y = mixed_rows(150)
    first, again, other = (small(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    assert file_of(first, tmp_path) == file_of(again, tmp_path)
    assert members_of(first) != members_of(other)
    assert not np.array_equal(first.predict_proba(X), other.predict_proba(X))
    assert members_of(clone(first).fit(X, y)) == members_of(first)
    drawn = [small(random_state=None).fit(X, y) for _ in range(2)]
    assert members_of(drawn[0]) != members_of(drawn[1])


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**50, 1e-7, 3.0, 1e12])
def test_the_scale_of_weights_changes_nothing(factor):
    X, y = mixed_rows(150, 3)
    weights = np.random.default_rng(0).random(150) + 0.1
    plain, scaled = (small().fit(X, y, given) for given in (weights, factor * weights))
    assert_allclose(scaled.predict_proba(X), plain.predict_proba(X), rtol=0, atol=1e-9)
    assert scaled.oob_score_ == pytest.approx(plain.oob_score_, abs=1e-12)


def test_equal_weights_are_no_weights():
    X, y = mixed_rows(150)
    plain, weighted = small().fit(X, y), small().fit(X, y, np.full(150, 0.3))
    assert_allclose(weighted.predict_proba(X), plain.predict_proba(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.slow
def test_importances_find_the_columns_that_count(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6))
    y = np.digitize(X[:, 4] + 0.5 * X[:, 1], np.linspace(-0.7, 0.7, n_classes - 1))
    importances = small(n_trees=20, n_estimators=32).fit(X, y).feature_importances_
    assert importances.shape == (6,)
    assert importances.sum() == pytest.approx(1.0)
    assert (importances >= 0).all()
    assert np.argsort(-importances)[:2].tolist() == [4, 1]
    assert importances[4] > 0.5


@either_number_of_classes
def test_the_last_stage_is_the_end(n_classes):
    X, y = mixed_rows(150, n_classes)
    model = small().fit(X, y)
    for name in ("predict", "predict_proba", "decision_function"):
        *_, last = getattr(model, f"staged_{name}")(X)
        end = getattr(model, name)(X)
        if name == "predict":
            assert_array_equal(last, end)
        else:
            assert_allclose(last, end, rtol=0, atol=1e-12)
    stages = list(model.staged_score(X, y))
    assert len(stages) == model.n_iter_ == len(model.estimators_)
    assert stages[-1] == pytest.approx(model.score(X, y))


@pytest.mark.parametrize("calibrate", ["noisy", "clean"])
def test_staged_probabilities_end_with_the_probabilities(calibrate):
    X, y = mixed_rows(150)
    model = small(calibrate=calibrate, noise_rate=0.1).fit(X, y)
    *_, last = model.staged_predict_proba(X)
    assert_allclose(last, model.predict_proba(X), rtol=0, atol=1e-12)


@either_number_of_classes
def test_margins_are_positive_where_predictions_are_right(n_classes):
    X, y = mixed_rows(150, n_classes)
    model = small().fit(X, y)
    for kind in ("normalized", "logistic"):
        margins = model.margins(X, y, kind)
        assert (np.abs(margins) <= 1).all()
        clear = np.abs(margins) > 1e-9
        assert_array_equal((margins > 0)[clear], (model.predict(X) == y)[clear])


def test_a_summary_is_a_handful_of_lines():
    X, y, _ = noisy_twonorm(200, 0.1)
    lines = small().fit(X, y).summary(3).splitlines()
    assert 4 <= len(lines) <= 8
    assert lines[0].startswith("WeakForceClassifier: ")
    assert any(line.startswith("out of bag: accuracy 0.") for line in lines)
    assert lines[-1].count("%") == 3
    assert max(map(len, lines)) < 200


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_reports_and_margin_pictures_can_be_made(n_classes):
    X, y = mixed_rows(100, n_classes)
    model = small(n_trees=2, n_estimators=3).fit(X, y)
    page = report_page(model, X, pl.Series(y), n_suspects=2)
    assert page.startswith("<!DOCTYPE html>")
    assert "WeakForceClassifier" in page
    display = MarginDisplay.from_estimator(model, X, y)
    curve = margin_curve(model, X, y)
    assert display.lines_[-1].get_ydata().tolist() == curve["share"].to_list()
    close(display)


@pytest.mark.slow
def test_a_fifth_of_wrong_labels_costs_little():
    X, y, _ = noisy_twonorm(600, 0.2)
    test_X, test_y = datasets.make_twonorm(1000, seed=9)
    model = WeakForceClassifier(random_state=0, n_jobs=1).fit(X, y)
    assert model.score(test_X, test_y) > 0.94
