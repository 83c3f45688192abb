"""Large models and hard numbers: engines with limits of their own take what is exported."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.exported_models import ENGINES, SQLiteEngine, agrees, polars_scores, scored
from weakforce import RealAdaBoostClassifier, Rule, Stump, Tree
from weakforce.export.dialects import DIALECTS

LARGE = {
    "1000 stumps": (Stump(), 1000),
    "500 rules": (Rule(max_literals=3), 500),
    "200 trees": (Tree(max_leaf_nodes=12), 200),
}


def noise(n_rows: int, seed: int) -> pl.DataFrame:
    """Rows of 50 columns, two of them categories."""
    generator = np.random.default_rng(seed)
    X = pl.DataFrame({f"x{at}": generator.normal(size=n_rows) for at in range(48)})
    return X.with_columns(
        word=pl.Series(generator.choice([f"w{at}" for at in range(70)], n_rows)),
        letter=pl.Series(generator.choice(list("abcdefgh"), n_rows)),
    )


@pytest.fixture(scope="module", params=LARGE, ids=LARGE.keys())
def large(request):
    learner, n_rounds = LARGE[request.param]
    X = noise(400, 1)
    y = (X["x0"] * X["x1"] + X["x2"] > 0) ^ (X["letter"] < "d")
    model = RealAdaBoostClassifier(learner, n_estimators=n_rounds, learning_rate=0.1).fit(X, y)
    assert model.n_iter_ == n_rounds
    return model


@pytest.mark.slow
def test_large_models_are_scored_by_polars(large):
    X = noise(50, 2)
    assert agrees(polars_scores(large, X), large, X)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_large_models_are_scored_by_databases(large, kind):
    X = noise(50, 2)
    assert agrees(scored(kind(X), large, X)[0], large, X)


def test_a_model_of_many_stumps_is_no_longer_than_its_columns(large):
    if isinstance(large.estimator, Stump):
        assert large.to_sql("rows").count("CASE") < large.n_iter_


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINES)
def test_more_lists_of_categories_than_sqlite_can_join(kind):
    generator = np.random.default_rng(0)
    words = [f"w{at}" for at in range(60)]
    X = pl.DataFrame({f"x{at}": generator.choice(words, 400) for at in range(70)})
    odd = X.select(pl.all().str.slice(1).cast(pl.Int64) % 2).sum_horizontal()
    model = RealAdaBoostClassifier(n_estimators=400).fit(X, odd > 35)
    assert np.count_nonzero(model.feature_importances_) > 64
    assert agrees(scored(kind(X), model, X)[0], model, X)


@pytest.fixture(scope="module")
def databases():
    empty = pl.DataFrame({"a": [0]})
    return [kind(empty) for kind in ENGINES]


@settings(max_examples=300, deadline=None)
@given(number=st.floats(allow_nan=False) | st.decimals(-1000, 1000, places=6).map(float))
def test_numbers_to_compare_with_are_written_to_the_last_digit(databases, number):
    for engine in databases:
        text = DIALECTS[engine.dialect].exact(number)
        ((found,),) = engine.run(f"SELECT {text}")
        assert found == number
        assert isinstance(found, float)


def test_numbers_that_sqlite_rounds_are_compared_exactly():
    engine = SQLiteEngine(pl.DataFrame({"a": [0]}))
    generator = np.random.default_rng(0)
    numbers = (generator.integers(0, 10**9, 20_000) / 1e6).tolist()
    plain = [
        row
        for at in range(0, 20_000, 500)
        for row in engine.run("SELECT " + ", ".join(map(repr, numbers[at : at + 500])))[0]
    ]
    rounded = [number for number, found in zip(numbers, plain, strict=True) if number != found]
    assert rounded, "this SQLite reads decimals exactly; the test has nothing to show"
    X = pl.DataFrame(
        {"a": [x for number in rounded for x in (number, math.nextafter(number, 2000))]}
    )
    y = np.arange(len(X)) % 2
    model = RealAdaBoostClassifier(Tree(max_leaf_nodes=len(X)), n_estimators=1, max_bins=60_000)
    model.fit(X, y)
    assert model.score(X, y) == 1
    found, labels = scored(SQLiteEngine(X), model, X)
    assert agrees(found, model, X)
    assert (labels == y).all()
