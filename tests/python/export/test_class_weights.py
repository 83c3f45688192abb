"""What class weights add to the scores is in everything that is made of a model.

In: models with class weights, of two classes, of several, of code matrices and of buckets. Out:
exports, contributions, files and summaries that agree with `decision_function`.
"""

import pickle

import numpy as np
import polars as pl
import pytest

import weakforce
from support.exported_models import DuckDBEngine, agrees, labels_of, mixed_frame, polars_scores
from support.exported_models import scored as scored_by
from weakforce import (
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    SFBoostClassifier,
    Stump,
    Tree,
)

X, NEW = mixed_frame(200, 1), mixed_frame(120, 2, unseen=True)

MODELS = {
    "two": (RealAdaBoostClassifier(Tree(max_leaf_nodes=5), n_estimators=6), 2),
    "stumps": (DiscreteAdaBoostClassifier(n_estimators=9), 2),
    "ovr": (DiscreteAdaBoostClassifier(n_estimators=6), 4),
    "ovo": (DiscreteAdaBoostClassifier(n_estimators=6, multi_class="ovo"), 4),
    "votes": (SAMMEClassifier(Tree(max_leaf_nodes=5), n_estimators=6), 4),
    "two of many": (AdaBoostMHClassifier(Stump(), n_estimators=6), 2),
    "buckets": (SFBoostClassifier(n_estimators=8, random_state=0), 2),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    booster, n_classes = MODELS[request.param]
    y = labels_of(X, n_classes)
    labels = sorted(set(y))
    weights = {label: 3.0**place for place, label in enumerate(labels)}
    fitted = booster.set_params(class_weight=weights).fit(X, y)
    assert fitted.fitted_model_.prior is not None
    return fitted


def test_expressions_and_queries_have_the_scores(model):
    assert agrees(polars_scores(model, NEW), model, NEW)
    scores, _ = scored_by(DuckDBEngine(NEW), model, NEW)
    assert agrees(scores, model, NEW)


def test_contributions_add_up_to_the_scores(model):
    if not model.fitted_model_.is_sum:
        pytest.skip("scores are looked up")
    parts = model.contributions(NEW)
    numbers = parts.select(pl.exclude("row", "class")).sum_horizontal().to_numpy()
    scores = model.decision_function(NEW)
    np.testing.assert_allclose(numbers.reshape(scores.shape), scores, atol=1e-9)


def test_files_and_pickles_keep_it(model, tmp_path):
    model.save(tmp_path / "model.json")
    for again in (weakforce.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.decision_function(NEW), model.decision_function(NEW))
        assert np.array_equal(again.predict_proba(NEW), model.predict_proba(NEW))


def test_files_of_rows_are_scored_alike(model, tmp_path):
    frame = NEW.select(pl.exclude("span", "clock", "decimal"))
    rows = X.select(frame.columns)
    y = labels_of(X, len(model.classes_))
    fitted = type(model)(**model.get_params(deep=False)).fit(rows, y)
    frame.write_parquet(tmp_path / "rows.parquet")
    weakforce.predict_file(fitted, tmp_path / "rows.parquet", out=tmp_path / "out.parquet")
    answers = pl.read_parquet(tmp_path / "out.parquet")["prediction"]
    assert answers.to_list() == fitted.predict(frame).tolist()


def test_the_summary_says_it(model):
    assert "class weights add" in model.summary()


@pytest.mark.parametrize("prior", [[1.0, 2.0], "a", [float("inf")], [None], 3, []])
def test_a_damaged_prior_is_refused_with_its_place(prior):
    import json

    from support.small_model_files import file_of
    from weakforce._reading.model_file import from_bytes

    y = labels_of(X, 2)
    model = DiscreteAdaBoostClassifier(n_estimators=2, class_weight={y[0]: 2.0}).fit(X, y)
    document = json.loads(file_of(model))
    document["estimator"]["prior"] = prior
    with pytest.raises(ValueError, match=r"estimator\.prior|not JSON|model file"):
        from_bytes(json.dumps(document).encode())
