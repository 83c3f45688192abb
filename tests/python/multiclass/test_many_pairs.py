"""One-vs-one of many classes needs no dense code matrix, on the way to the core or in files."""

from __future__ import annotations

import json
import pickle
import time

import numpy as np
import pytest

import weakforce as wf

N_CLASSES = 70


def clusters(n_classes: int, per_class: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    codes = np.arange(n_classes * per_class) % n_classes
    X = 4.0 * generator.normal(size=(n_classes, 4))[codes] + generator.normal(size=(len(codes), 4))
    return X, np.char.add("class ", np.char.zfill(codes.astype(str), 4))


@pytest.fixture(scope="module")
def fitted():
    X, y = clusters(N_CLASSES, 4)
    return wf.DiscreteAdaBoostClassifier(multi_class="ovo", n_estimators=2).fit(X, y), X, y


def test_the_core_counts_pairs_that_a_matrix_spells_out(fitted):
    model, X, y = fitted
    firsts, seconds = np.triu_indices(N_CLASSES, 1)
    matrix = np.zeros((N_CLASSES, len(firsts)), dtype=np.int8)
    matrix[firsts, np.arange(len(firsts))] = 1
    matrix[seconds, np.arange(len(firsts))] = -1
    assert np.array_equal(model.code_, matrix)
    spelt = wf.DiscreteAdaBoostClassifier(multi_class=matrix, n_estimators=2).fit(X, y)
    scores = model.decision_function(X)
    assert np.array_equal(spelt.decision_function(X), scores)
    assert np.array_equal(spelt.margins(X, y), model.margins(X, y))
    by_hand = model.fitted_model_.decoding
    assert by_hand.shape == (len(firsts), N_CLASSES)


def test_files_count_them_too_and_come_back(fitted, tmp_path):
    model, X, _ = fitted
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["combiner"] == {"coded": {"code": {"all_pairs": N_CLASSES}}}
    scores = model.decision_function(X)
    for back in (wf.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(back.decision_function(X), scores)
        assert np.array_equal(back.code_, model.code_)


@pytest.mark.parametrize("n_pairs", [1, 10**9, -1, "3", None])
def test_files_that_count_wrongly_are_refused(fitted, tmp_path, n_pairs):
    model, _, _ = fitted
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    document["combiner"]["coded"]["code"]["all_pairs"] = n_pairs
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match="model file"):
        wf.load(tmp_path / "model.json")


def test_scoring_rows_by_pairs_takes_them_a_few_at_a_time(fitted):
    model, X, _ = fitted
    many = np.tile(X, (10, 1))
    assert np.array_equal(model.decision_function(many)[: len(X)], model.decision_function(X))
    staged = list(model.staged_decision_function(X))
    np.testing.assert_allclose(staged[-1], model.decision_function(X), atol=1e-12)


@pytest.mark.slow
def test_many_classes_one_against_one_are_fitted_in_reasonable_time():
    X, y = clusters(200, 4)
    begun = time.perf_counter()
    model = wf.DiscreteAdaBoostClassifier(multi_class="ovo", n_estimators=1).fit(X, y)
    assert model.score(X[:50], y[:50]) > 0.9
    assert time.perf_counter() - begun < 60.0
