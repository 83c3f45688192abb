"""Models as SQL: DuckDB and SQLite give the scores and the labels that the model gives."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from support.exported_models import (
    ENGINES,
    EXPORTED,
    LEARNERS,
    DuckDBEngine,
    SQLiteEngine,
    agrees,
    clear_leads,
    fitted,
    labels_of,
    mixed_frame,
    scored,
)
from weakforce import (
    AdaBoostMHClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
)

every_engine = pytest.mark.parametrize("kind", ENGINES)
#: Rows that fit has not seen.
NEW = mixed_frame(300, 2, unseen=True)
every_class_count = pytest.mark.parametrize("n_classes", [2, 4])


@pytest.fixture(scope="module", params=ENGINES)
def filled(request):
    """A database with the new rows."""
    engine = request.param(NEW)
    yield engine
    engine.connection.close()


@every_class_count
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("booster", EXPORTED)
def test_queries_score_rows_that_fit_has_not_seen(booster, learner, n_classes, filled):
    model = fitted(booster, learner, n_classes)
    scores, labels = scored(filled, model, NEW)
    assert agrees(scores, model, NEW)
    clear = clear_leads(model, NEW)
    assert (labels[clear] == model.predict(NEW)[clear]).all()


@every_engine
def test_stumps_are_added_up_as_the_core_does_so_that_ties_fall_alike(kind):
    X = pl.DataFrame({name: [0, 1, 0, 1, 0, 1, 1, 0] for name in "abc"})
    X = X.with_columns(b=pl.col("b").reverse(), c=pl.col("c").shift(2))
    model = DiscreteAdaBoostClassifier(n_estimators=9).fit(X, [0, 1, 1, 0, 1, 0, 1, 1])
    scores, labels = scored(kind(X), model, X)
    assert scores.ravel().tobytes() == model.decision_function(X).tobytes()
    assert (labels == model.predict(X)).all()


@pytest.mark.parametrize("code", ["ovo", "ecoc"])
def test_code_matrices_are_decoded(code, filled):
    X = mixed_frame(200, 3)
    model = DiscreteAdaBoostClassifier(Tree(), n_estimators=4, multi_class=code)
    model.fit(X, labels_of(X, 4))
    assert agrees(scored(filled, model, NEW)[0], model, NEW)


@every_engine
@pytest.mark.parametrize("n_words", [30, 3000])
def test_short_and_long_lists_of_categories_are_known(n_words, kind):
    generator = np.random.default_rng(0)
    words = generator.integers(0, n_words, 6000)
    X = pl.DataFrame({"word": [f"w'{at}" for at in words], "number": words})
    y = np.sin(words) > 0
    new = pl.DataFrame({"word": [f"w'{at}" for at in range(n_words + 9)] + [None, ""]})
    new = new.with_columns(
        number=pl.Series([float(at) for at in range(n_words + 9)] + [None, -0.0])
    )
    for learner in LEARNERS:
        model = RealAdaBoostClassifier(
            learner(), n_estimators=8, max_bins=64, categorical_features=["number"]
        ).fit(X, y)
        assert agrees(scored(kind(new), model, new)[0], model, new)


def test_deep_trees_are_cut_into_pieces(filled):
    X = mixed_frame(600, 4)
    y = np.random.default_rng(5).integers(0, 2, 600)
    model = RealAdaBoostClassifier(Tree(max_leaf_nodes=150), n_estimators=2).fit(X, y)
    assert agrees(scored(filled, model, NEW)[0], model, NEW)


@every_engine
def test_more_classes_than_a_function_has_arguments(kind):
    X = pl.DataFrame({"a": np.arange(390) % 130, "b": np.arange(390) % 7})
    model = SAMMEClassifier(Tree(max_leaf_nodes=140), n_estimators=2)
    model.fit(X, X["a"].cast(pl.String))  # that many integers would be taken for quantities
    scores, labels = scored(kind(X), model, X)
    assert agrees(scores, model, X)
    assert (labels == model.predict(X)).all()


@every_engine
def test_sets_of_labels_have_a_prediction_for_each(kind):
    X = pl.DataFrame({"a": np.linspace(0, 1, 90)})
    lists = pl.Series([["low"] * (a < 0.6) + ["high"] * (a > 0.3) for a in X["a"]])
    model = SoftmaxBoostClassifier(n_estimators=6, random_state=0).fit(X, lists)
    engine = kind(X)
    query = model.to_sql("rows", dialect=engine.dialect, keep=["key "])
    found = np.array(sorted(engine.run(query)), dtype=float)
    assert agrees(found[:, 1:3], model, X)
    members = [[label in listed for label in model.classes_] for listed in model.predict(X)]
    assert (found[:, 3:] == np.array(members)).all()


@every_engine
@pytest.mark.parametrize(
    "labels",
    [
        pl.Series([False, True]),
        pl.Series([-3, 2**40]),
        np.array([1.0, 2.0]),
        pl.Series([dt.date(2020, 1, 1), dt.date(2021, 1, 1)]),
        pl.Series([dt.datetime(2020, 1, 1, 12, 30), dt.datetime(2021, 1, 1)]),
        pl.Series(["", "nul\0l"]),
    ],
    ids=["Boolean", "integer", "float", "date", "datetime", "text"],
)
def test_labels_of_all_types_come_back(labels, kind):
    X = pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    y = labels.gather([0, 0, 1, 1]) if isinstance(labels, pl.Series) else labels[[0, 0, 1, 1]]
    model = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, y)
    engine = kind(X)
    found = engine.run(model.to_sql("rows", dialect=engine.dialect))
    expected = [(label.item() if hasattr(label, "item") else label) for label in y]
    told = [label for _, label in found]
    if kind is SQLiteEngine and isinstance(expected[0], dt.date):
        told = [type(expected[0]).fromisoformat(label) for label in told]
    assert told == expected


@every_engine
def test_models_that_look_at_nothing_score_every_row(kind):
    X = pl.DataFrame({"constant": [1.0] * 6})
    model = AdaBoostMHClassifier(n_estimators=3).fit(X, [0, 0, 0, 0, 1, 1])
    scores, labels = scored(kind(X), model, X)
    assert agrees(scores, model, X)
    assert (labels == model.predict(X)).all()


def test_sqlite_reads_dates_as_texts_of_any_precision_and_as_microseconds():
    moments = [dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(1970, 1, 1)]
    moments += [dt.datetime(9, 1, 1, 0, 0, 0, 1), dt.datetime(2024, 2, 29, 12, 30, 0, 250_000)]
    X = pl.DataFrame({"moment": moments * 5})
    y = np.arange(20) % 4 % 2
    model = RealAdaBoostClassifier(Tree(), n_estimators=3).fit(X, y)
    expected = model.decision_function(pl.DataFrame({"moment": moments}))
    epoch = dt.datetime(1970, 1, 1)
    utc = [moment.replace(tzinfo=dt.timezone.utc) for moment in moments]
    away = [
        moment.astimezone(dt.timezone(dt.timedelta(hours=-9, minutes=-30))) for moment in utc[:2]
    ]
    for written in (
        [str(moment) for moment in moments],
        [moment.isoformat() for moment in moments],
        [f"{moment.isoformat(timespec='microseconds')}000" for moment in moments],
        [str(moment) for moment in utc],
        [f"{moment.isoformat()}Z" for moment in moments],
        [str(moment) for moment in away],
        [(moment - epoch) // dt.timedelta(microseconds=1) for moment in moments],
    ):
        engine = SQLiteEngine(pl.DataFrame({"moment": written}))
        found = engine.run(model.to_sql("rows", dialect="sqlite"))
        assert np.allclose([score for score, _ in found], expected[: len(written)], atol=1e-12)


def test_duckdb_reads_timestamps_of_all_units():
    counts = [-1001, -1000, -999, -1, 0, 1, 999, 1000, 1001]
    X = pl.DataFrame({"moment": pl.Series(counts).cast(pl.Datetime("ns"))})
    model = RealAdaBoostClassifier(Tree(), n_estimators=3).fit(X, np.arange(9) % 2)
    for unit in ("ns", "us", "ms"):
        rows = X.cast(pl.Datetime(unit))
        assert agrees(scored(DuckDBEngine(rows), model, rows)[0], model, rows)
    days = pl.DataFrame({"moment": [dt.date(1969, 12, 31), dt.date(1970, 1, 1), None]})
    assert agrees(scored(DuckDBEngine(days), model, days)[0], model, days)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Asia/Kolkata"])
def test_duckdb_reads_timestamps_with_a_zone_whatever_that_of_the_session_is(zone):
    counts = [-1001, -1000, -999, -1, 0, 1, 999, 1000, None]
    aware = pl.Series(counts, dtype=pl.Int64).cast(pl.Datetime("ns", "UTC"))
    X = pl.DataFrame({"moment": aware, "day": aware.dt.replace_time_zone(None)})
    for column in X.columns:
        model = RealAdaBoostClassifier(Tree(), n_estimators=3)
        model.fit(X.select(column), np.arange(9) % 2)
        for unit in ("ns", "us"):
            rows = X.select(pl.col(column).dt.cast_time_unit(unit))
            engine = DuckDBEngine(rows)
            engine.connection.execute(f"SET TimeZone = '{zone}'")
            assert agrees(scored(engine, model, rows)[0], model, rows), (column, unit)


@every_engine
def test_collations_and_types_of_columns_do_not_matter(kind):
    X = pl.DataFrame({"word": ["a", "A", "b", "1"] * 5, "yes": [True, False, None, True] * 5})
    model = RealAdaBoostClassifier(Stump(), n_estimators=6).fit(X, np.arange(20) % 4 % 3 == 0)
    engine = kind(X)
    engine.connection.execute('ALTER TABLE "rows" RENAME TO plain')
    engine.connection.execute(
        'CREATE TABLE "rows" ("key " INTEGER, "word" VARCHAR COLLATE NOCASE, "yes" INTEGER)'
    )
    engine.connection.execute('INSERT INTO "rows" SELECT * FROM plain')
    assert agrees(scored(engine, model, X)[0], model, X)


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_instants_that_are_no_timestamps_of_nanoseconds_are_scored(unit):
    days = [-(10**5), -1, 0, 1, 10**5 if unit == "ns" else 10**6]
    times = pl.Series("t", days).cast(pl.Date).cast(pl.Datetime(unit)) + pl.duration(
        microseconds=3007
    )
    X = pl.DataFrame({"t": pl.select(times).to_series()})
    model = RealAdaBoostClassifier(n_estimators=6).fit(X, [1, 0, 1, 0, 0])
    found = scored(DuckDBEngine(X), model, X)[0]
    assert agrees(found, model, X)
