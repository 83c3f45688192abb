"""Models as Polars expressions: their scores, wherever an expression may stand."""

import numpy as np
import polars as pl
import pytest

from support.exported_models import (
    EXPORTED,
    LABELS,
    LEARNERS,
    agrees,
    fitted,
    labels_of,
    mixed_frame,
    polars_scores,
)
from weakforce import (
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    SFBoostClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
)

every_class_count = pytest.mark.parametrize("n_classes", [2, 4])


@pytest.fixture(scope="module")
def new() -> pl.DataFrame:
    return mixed_frame(300, 2, unseen=True)


@pytest.fixture(scope="module")
def model():
    return fitted(RealAdaBoostClassifier, Tree, 2)


@every_class_count
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("booster", EXPORTED)
def test_expressions_score_rows_that_fit_has_not_seen(booster, learner, n_classes, new):
    model = fitted(booster, learner, n_classes)
    assert agrees(polars_scores(model, new), model, new)


@pytest.mark.parametrize("code", ["ovo", "ecoc", [[1, 1, 0], [1, -1, 1], [-1, 0, 1], [-1, 1, -1]]])
@pytest.mark.parametrize("learner", LEARNERS)
def test_code_matrices_are_decoded(code, learner, new):
    X = mixed_frame(200, 3)
    booster = DiscreteAdaBoostClassifier(learner(), n_estimators=6, multi_class=code)
    model = booster.fit(X, labels_of(X, 4))
    assert agrees(polars_scores(model, new), model, new)


def test_rare_categories_share_a_bin_and_unseen_ones_do_not(new):
    X = pl.DataFrame({"word": [f"w{at % 37}" for at in range(400)]})
    y = np.arange(400) % 37 % 3 == 0
    for learner in LEARNERS:
        model = RealAdaBoostClassifier(learner(), n_estimators=5, max_bins=4).fit(X, y)
        rows = pl.DataFrame({"word": [f"w{at}" for at in range(45)] + [None]})
        assert agrees(polars_scores(model, rows), model, rows)


def test_expressions_work_in_all_contexts(model, new):
    score, scores = model.to_polars(), model.decision_function(new)
    expected = pl.Series("score", scores)
    other = new.select(pl.lit(1).alias("extra"), *reversed(new.columns))
    assert agrees(other.with_columns(score)["score"], model, new)
    assert agrees(other.lazy().select(score).collect()["score"], model, new)
    assert agrees(other.lazy().select(score).collect(engine="streaming")["score"], model, new)
    assert other.filter(score >= 0).height == (scores >= 0).sum()
    assert other.lazy().filter(score >= 0).select(pl.len()).collect().item() == (scores >= 0).sum()
    assert other.sort(score)["number"].equals(new[np.argsort(scores, kind="stable")]["number"])
    means = new.group_by("truth", maintain_order=True).agg(score.mean())["score"]
    direct = new.with_columns(expected).group_by("truth", maintain_order=True)
    assert np.allclose(means, direct.agg(pl.col("score").mean())["score"])
    assert new.head(0).select(score).shape == (0, 1)
    assert agrees(new.head(1).select(score)["score"], model, new.head(1))


def test_several_classes_make_a_struct_with_a_field_for_each_label(new):
    model = fitted(AdaBoostMHClassifier, Stump, 4)
    scores = new.select(model.to_polars())["scores"]
    assert scores.struct.fields == sorted(LABELS)
    first = new.select(model.to_polars().struct.field(sorted(LABELS)[0])).to_series()
    assert np.allclose(first, model.decision_function(new)[:, 0], atol=1e-9)


def test_expressions_can_be_stored(model, new):
    stored = pl.Expr.deserialize(model.to_polars().meta.serialize())
    assert agrees(new.select(stored), model, new)


def test_a_column_called_score_is_not_overwritten():
    X = pl.DataFrame({"score": [1.0, 2.0, 3.0, 4.0]})
    model = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, [0, 0, 1, 1])
    assert X.with_columns(model.to_polars()).columns == ["score", "score_"]


def test_columns_of_arrays_have_their_positions_as_names():
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = RealAdaBoostClassifier(n_estimators=20).fit(X, X[:, 0] + X[:, 2] > 0)
    frame = pl.DataFrame(X, schema=["x0", "x1", "x2"])
    assert agrees(polars_scores(model, frame), model, X)


def test_models_that_look_at_nothing_score_every_row():
    X = pl.DataFrame({"constant": [1.0] * 6})
    for booster in (DiscreteAdaBoostClassifier, SFBoostClassifier, AdaBoostMHClassifier):
        for y in ([0, 0, 0, 0, 1, 1], [0, 1, 2, 0, 0, 0]):
            model = booster(n_estimators=3).fit(X, y)
            assert agrees(polars_scores(model, X), model, X)


def test_sets_of_labels_have_a_score_for_each():
    X = pl.DataFrame({"a": np.linspace(0, 1, 90)})
    y = np.column_stack([X["a"] > 0.3, X["a"] < 0.6]).astype(int)
    model = SoftmaxBoostClassifier(n_estimators=6, random_state=0).fit(X, y)
    assert polars_scores(model, X).shape == (90, 2)
    assert agrees(polars_scores(model, X), model, X)


def test_deep_trees_are_cut_into_pieces(new):
    X = mixed_frame(600, 4)
    y = np.random.default_rng(5).integers(0, 2, 600)
    model = RealAdaBoostClassifier(Tree(max_leaf_nodes=150), n_estimators=2).fit(X, y)
    assert model.estimators_[0].depth > 10
    assert agrees(polars_scores(model, new), model, new)
