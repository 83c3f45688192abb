"""MartiBoost over its life: threads, draws, warm starts, files whole and damaged."""

import copy
import json
import pickle

import numpy as np
import pytest

import weakforce
from support.earlier_model_files import as_version_5
from weakforce import MartiBoostClassifier, RBFNet, Rule, Stump, Tree, reweight
from weakforce._reading.model_file import from_bytes


def problem(rows=120, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=rows)
    return X, np.digitize(score, np.linspace(-0.8, 0.8, n_classes + 1)[1:-1])


def fingerprint(model):
    return model.fitted_model_.core.to_json("{}"), model.row_weights_.tobytes()


# Threads and draws


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [Stump(), Rule(), Tree(max_leaf_nodes=4, splitter="random"), RBFNet(n_centers=2, n_steps=1)],
)
@pytest.mark.parametrize("randomized", [False, True])
def test_threads_give_the_same_bits(learner, randomized):
    X, y = problem(6000)
    options = {"n_layers": 12, "randomized": randomized, "random_state": 1}
    models = [
        MartiBoostClassifier(learner, n_jobs=n_jobs, **options).fit(X, y) for n_jobs in (1, 3)
    ]
    assert fingerprint(models[0]) == fingerprint(models[1])
    told = [model.predict_proba(X).tobytes() for model in models]
    assert told[0] == told[1]


def test_walks_are_drawn_by_the_seed():
    X, y = problem()
    drawn = [
        MartiBoostClassifier(n_layers=6, randomized=True, random_state=seed).fit(X, y)
        for seed in (1, 1, 2)
    ]
    assert fingerprint(drawn[0]) == fingerprint(drawn[1])
    assert fingerprint(drawn[0]) != fingerprint(drawn[2])
    # All rows are at one node of each layer.
    counts = drawn[0].node_mass_ * len(X)
    np.testing.assert_allclose(counts, counts.round(), atol=1e-9)


# Warm starts


@pytest.mark.parametrize("randomized", [False, True])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("learner", [Stump(), Tree(max_leaf_nodes=3, splitter="random")])
def test_a_grid_that_grows_is_the_grid_that_was_grown_at_once(learner, multi_class, randomized):
    X, y = problem(n_classes=3)
    options = {"randomized": randomized, "multi_class": multi_class, "random_state": 4}
    long = MartiBoostClassifier(learner, n_layers=9, **options).fit(X, y)
    model = MartiBoostClassifier(learner, warm_start=True, **options)
    for n_layers in (1, 4, 5, 9, 9):
        model.set_params(n_layers=n_layers).fit(X, y)
        assert model.n_layers_ == n_layers
    assert fingerprint(model) == fingerprint(long)


def test_a_grid_goes_on_after_a_callback_and_refuses_to_shrink():
    X, y = problem()
    model = MartiBoostClassifier(
        n_layers=9, warm_start=True, callbacks=lambda info: info.round == 4
    )
    model.fit(X, y)
    assert (model.stop_reason_, model.n_layers_) == ("callback", 4)
    assert model.node_mass_.shape == (4, 4)
    with pytest.raises(ValueError, match=r"n_layers.*3.*at least 4"):
        model.set_params(n_layers=3, callbacks=None).fit(X, y)
    with pytest.raises(ValueError, match=r"^y\b"):
        model.set_params(n_layers=9).fit(X, y + 1)
    model.fit(X, y)
    assert fingerprint(model) == fingerprint(MartiBoostClassifier(n_layers=9).fit(X, y))


def test_early_stopping_keeps_the_layers_that_were_run():
    X, y = problem(300)
    model = MartiBoostClassifier(
        n_layers=60, early_stopping=True, n_iter_no_change=4, random_state=0
    ).fit(X, y)
    assert model.stop_reason_ == "early_stopping"
    assert model.n_layers_ == len(model.validation_score_) < 60
    held = model.row_weights_ == 0
    staged = list(model.staged_score(X[held], y[held]))
    np.testing.assert_allclose(model.validation_score_, staged, rtol=1e-12)
    np.testing.assert_allclose(
        model.train_score_, list(model.staged_score(X[~held], y[~held])), rtol=1e-12
    )


def test_a_grid_cannot_be_reweighted():
    X, y = problem()
    model = MartiBoostClassifier(n_layers=2).fit(X, y)
    with pytest.raises((TypeError, ValueError), match="model"):
        reweight(model, X, y, method="lp")


# Files


def by_file(model, folder):
    model.save(folder / "model.json")
    return weakforce.load(folder / "model.json")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("way", [by_file, lambda model, _: pickle.loads(pickle.dumps(model))])
def test_a_grid_comes_back_as_it_was(n_classes, multi_class, way, tmp_path):
    X, y = problem(n_classes=n_classes)
    model = MartiBoostClassifier(n_layers=14, multi_class=multi_class).fit(X, y)
    again = way(model, tmp_path)
    assert again.estimators_ == model.estimators_
    for name in ("estimator_weights_", "node_mass_", "edges_", "n_layers_", "feature_importances_"):
        assert np.array_equal(getattr(again, name), getattr(model, name))
    for told, expected in zip(
        again.staged_predict_proba(X), model.staged_predict_proba(X), strict=True
    ):
        assert told.tobytes() == expected.tobytes()
    assert repr(again) == repr(model)


def test_a_grid_without_hypotheses_after_the_first_comes_back(tmp_path):
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
    model = MartiBoostClassifier(n_layers=5).fit(X, y)
    again = by_file(model, tmp_path)
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()


def path_set(*path, to):
    def damage(document):
        place = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to(place[path[-1]]) if callable(to) else to

    return damage


BUCKETS = {"stages": [[0.0]], "losses": [1.0], "weights": [0.5, 0.5], "counts": [1, 1]}


def damages(grid, outputs):
    """Ways to damage a file: where it has its grid, and the outputs of its hypotheses."""
    return {
        "fewer layers": path_set(*grid, "layers", to=lambda layers: layers[:-1]),
        "more layers": path_set(*grid, "layers", to=lambda layers: layers + layers[-1:]),
        "no layers": path_set(*grid, "layers", to=[]),
        "less room": path_set(*grid, "n_layers", to=2),
        "more room": path_set(*grid, "n_layers", to=7),
        "no room": path_set(*grid, "n_layers", to=0),
        "all room": path_set(*grid, "n_layers", to=2**64 - 1),
        "unknown field": path_set(*grid, to=lambda grid: {**grid, "mode": 1}),
        "pass out of layer": path_set(*grid, "layers", 0, "passes", to=[1]),
        "pass out of range": path_set(*grid, "layers", 3, "passes", to=[10**9]),
        "pass of the last column": path_set(*grid, "layers", 3, "passes", to=[4]),
        "pass with a hypothesis": path_set(*grid, "layers", 0, "passes", to=[0]),
        "passes not ascending": path_set(*grid, "layers", 3, "passes", to=[2, 1]),
        "negative pass": path_set(*grid, "layers", 3, "passes", to=[-1]),
        "too few masses": path_set(*grid, "layers", 2, "masses", to=[1.0]),
        "negative mass": path_set(*grid, "layers", 0, "masses", to=[-1.0]),
        "node out of layer": path_set(outputs, 0, to=1),
        "node out of range": path_set(outputs, -1, to=10**9),
        "node twice": path_set(outputs, 2, to=0),
        "layer out of range": path_set("rounds", -1, to=99),
        "too few nodes": path_set(outputs, to=lambda outputs: outputs[:-1]),
        "weight above 1": path_set("weights", 0, to=1.5),
        "weight below 0": path_set("weights", 0, to=-0.5),
        "too few weights": path_set("weights", to=lambda weights: weights[:4]),
        "one weight a layer": path_set("weights", to=lambda weights: weights[:5]),
    }


DAMAGES = {
    "not a version": path_set("version", to=0),
    **damages(("combiner", "grid"), "outputs"),
    "no grid": path_set("combiner", to="sign"),
    "no problems": path_set("combiner", "grid", "problems", to=None),
    "other problems": path_set("combiner", "grid", "problems", to={"by_class": {"n_classes": 3}}),
    "a grid of grids": path_set("combiner", to=lambda it: {"grid": {**it["grid"], "problems": it}}),
    "buckets besides": path_set("combiner", to=lambda it: {**it, "buckets": BUCKETS}),
}
#: The same for the layout of version 5.
DAMAGES_5 = {
    "older version": path_set("version", to=3),
    **damages(("outputs", "grid"), "columns"),
    "no grid": path_set("outputs", "grid", to=None),
    "more columns": path_set("outputs", "n_columns", to=12),
    "fewer columns": path_set("outputs", "n_columns", to=5),
    "no columns": path_set("outputs", "n_columns", to=0),
    "another number of classes": path_set("outputs", "n_classes", to=3),
    "buckets besides": path_set("outputs", to=lambda outputs: {**outputs, "buckets": BUCKETS}),
}


@pytest.mark.parametrize(
    ("version", "name"), [*((6, name) for name in DAMAGES), *((5, name) for name in DAMAGES_5)]
)
def test_damaged_grids_are_refused(version, name, tmp_path):
    X, y = problem()
    path = tmp_path / "model.json"
    MartiBoostClassifier(n_layers=5).fit(X, y).save(path)
    document = json.loads(path.read_text())
    if version == 5:
        document = as_version_5(document)
        assert from_bytes(json.dumps(document).encode()).n_layers_ == 5
    whole = copy.deepcopy(document)
    (DAMAGES if version == 6 else DAMAGES_5)[name](document)
    assert document != whole
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match="model"):
        weakforce.load(path)


def test_a_model_without_a_grid_is_no_martiboost(tmp_path):
    X, y = problem()
    path = tmp_path / "model.json"
    weakforce.DiscreteAdaBoostClassifier(n_estimators=3).fit(X, y).save(path)
    document = json.loads(path.read_text())
    document["estimator"]["class"] = "MartiBoostClassifier"
    document["estimator"]["parameters"] = {}
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match="no grid"):
        weakforce.load(path)
