"""Names, texts and bad calls: nothing gets out of its quotes, and errors say what is wrong."""

import numpy as np
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from support.exported_models import (
    ENGINES,
    DuckDBEngine,
    SQLiteEngine,
    agrees,
    polars_scores,
    scored,
)
from weakforce import (
    DiscreteAdaBoostClassifier,
    MartiBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    SFBoostClassifier,
    SoftmaxBoostClassifier,
    Stump,
    Tree,
)
from weakforce.export.dialects import DIALECTS

every_engine = pytest.mark.parametrize("kind", ENGINES)

#: What could end a quotation, a statement or a comment.
EVIL = [
    "'; DROP TABLE rows; --",
    '"; DROP TABLE rows; --',
    "a'b''c\"d\"\"e",
    "back\\slash\\'",
    "/* */ $1 ? :name %s {}",
    "new\nline\r\ttab",
    "ünïcödé 🎲 ﷽",
    "SELECT",
    " ",
    "k0",
    "s0",
    "c0",
    "given",
]


@pytest.fixture(scope="module")
def model():
    X = pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    return DiscreteAdaBoostClassifier(n_estimators=2).fit(X, [0, 0, 1, 1])


def evil_problem() -> tuple[pl.DataFrame, list[str]]:
    """Columns, categories and labels that are all called as somebody should not call them."""
    generator = np.random.default_rng(0)
    entries = {name: generator.choice(EVIL, 120).tolist() for name in EVIL}
    y = [EVIL[(len(a) + len(b)) % 5] for a, b in zip(*list(entries.values())[:2], strict=True)]
    return pl.DataFrame(entries), y


@every_engine
def test_names_categories_and_labels_stay_in_their_quotes(kind):
    X, y = evil_problem()
    model = SAMMEClassifier(Tree(), n_estimators=8).fit(X, y)
    engine = kind(X)
    scores, labels = scored(engine, model, X)
    assert agrees(scores, model, X)
    assert (labels == model.predict(X)).all()
    assert engine.run('SELECT count(*) FROM "rows"') == [(120,)]
    assert agrees(polars_scores(model, X), model, X)


@every_engine
def test_tables_and_kept_columns_stay_in_their_quotes(model, kind):
    for evil in EVIL:
        engine = kind(pl.DataFrame({"a": [1.5, 3.5], f"{evil}?": ["x", "y"]}))
        quoted = evil.replace('"', '""')
        engine.connection.execute(f'ALTER TABLE "rows" RENAME TO "{quoted}"')
        query = model.to_sql((evil,), dialect=engine.dialect, keep=[f"{evil}?"])
        assert sorted((row[0], row[2]) for row in engine.run(query)) == [("x", 0), ("y", 1)]


@every_engine
def test_tables_may_be_called_as_parts_of_the_query_are(kind):
    X = pl.DataFrame({"word": [f"w{at}" for at in range(200)]})
    model = SFBoostClassifier(n_estimators=20, max_bins=255).fit(X, np.arange(200) % 2)
    assert "list0 " in model.to_sql("rows")
    for table in ("read", "ADDED", "scored", "list0", "given"):
        engine = kind(X)
        engine.connection.execute(f'ALTER TABLE "rows" RENAME TO "{table}"')
        found = engine.run(model.to_sql(table, dialect=engine.dialect, keep=["key "]))
        assert agrees([score for _, score, _ in sorted(found)], model, X)


@every_engine
def test_a_name_with_dots_is_that_of_a_table_in_a_schema(model, kind):
    engine = kind(pl.DataFrame({"a": [1.0]}))
    for table in ("main.rows", ("main", "rows"), ["main", "rows"]):
        assert len(engine.run(model.to_sql(table, dialect=engine.dialect))) == 1
    engine.connection.execute('ALTER TABLE "rows" RENAME TO "main.rows"')
    assert len(engine.run(model.to_sql(("main.rows",), dialect=engine.dialect))) == 1


@every_engine
def test_names_that_are_taken_get_underscores(kind):
    X = pl.DataFrame({"Score": [1.0, 2.0, 3.0, 4.0], "prediction": [1, 2, 3, 4]})
    model = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, [0, 0, 1, 1])
    engine = kind(X)
    query = model.to_sql("rows", dialect=engine.dialect, keep=["Score", "prediction"])
    found = engine.connection.execute(query).description
    assert [name for name, *_ in found] == ["Score", "prediction", "score_", "prediction_"]
    assert len(engine.run(f"SELECT score_, prediction_ FROM ({query}) AS q")) == 4


@every_engine
def test_labels_that_differ_in_capital_letters_have_columns_of_their_own(kind):
    X = pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    model = SAMMEClassifier(n_estimators=3).fit(X, ["a", "a", "A", "A", "b", "b"])
    engine = kind(X)
    found = engine.connection.execute(model.to_sql("rows", dialect=engine.dialect)).description
    assert [name for name, *_ in found] == ["score_A", "score_a_", "score_b", "prediction"]


@pytest.mark.parametrize("method", ["to_polars", "to_sql"])
def test_models_without_sums_are_refused_by_name(method):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] > 0
    arguments = ("rows",) if method == "to_sql" else ()
    for model, named in (
        (MartiBoostClassifier(n_layers=3), "MartiBoostClassifier sends rows through a grid"),
        (DiscreteAdaBoostClassifier(RBFNet(n_centers=2), n_estimators=2), r"made of RBFNet\(\)"),
        (DiscreteAdaBoostClassifier(GaussianNB(), n_estimators=2), "made of GaussianNB"),
        (RealAdaBoostClassifier(DecisionTreeClassifier(max_depth=1)), "made of Decision"),
    ):
        model.fit(X, y)
        with pytest.raises(TypeError, match=rf"{method}\(\) is for .*{named}.*predict\(\)"):
            getattr(model, method)(*arguments)


@pytest.mark.parametrize("dialect", ["mysql", "DuckDB", None, 3, ["duckdb"]])
def test_unknown_dialects_are_refused(model, dialect):
    with pytest.raises(ValueError, match=r"parameter 'dialect': got .*'duckdb', 'postgres' or"):
        model.to_sql("rows", dialect=dialect)


def test_bad_tables_and_columns_are_refused(model):
    for table in (3, None, b"rows", ("main", 3), {"rows"}):
        with pytest.raises(TypeError, match=r"parameter 'table': got .*a name or a tuple"):
            model.to_sql(table)
    for table in ("", "main.", ".rows", (), ("",), "nu\0ll"):
        with pytest.raises(ValueError, match=r"parameter 'table': got .*'main.people'"):
            model.to_sql(table)
    for keep in ("key", 3, {"key"}):
        with pytest.raises(TypeError, match=r"parameter 'keep': got .*a list of column names"):
            model.to_sql("rows", keep=keep)
    for keep in ([3], [""], ["a", "nu\0ll"]):
        with pytest.raises(ValueError, match=r"parameter 'keep': got .*the name of a column"):
            model.to_sql("rows", keep=keep)
    with pytest.raises(ValueError, match=r"parameter 'keep': got .*every column once"):
        model.to_sql("rows", keep=["id", "ID"])


def test_columns_that_a_database_cannot_have_are_refused():
    X = pl.DataFrame({"a": [0, 0, 1, 1], "A": [0, 1, 0, 1]})
    model = RealAdaBoostClassifier(Tree(), n_estimators=2).fit(X, [0, 0, 0, 1])
    for dialect in ("duckdb", "sqlite"):
        with pytest.raises(ValueError, match="columns 'a' and 'A' have the same name in"):
            model.to_sql("rows", dialect=dialect)
    assert '"A"' in model.to_sql("rows", dialect="postgres")
    nameless = DiscreteAdaBoostClassifier(n_estimators=1).fit(pl.DataFrame({"": X["a"]}), X["a"])
    with pytest.raises(ValueError, match="column '' has no name, which DuckDB does not take"):
        nameless.to_sql("rows")
    assert '""' in nameless.to_sql("rows", dialect="sqlite")


def test_texts_that_postgres_cannot_hold_are_left_out_or_refused():
    X = pl.DataFrame({"word": ["nu\0ll", "b", "c", "d"] * 3})
    for learner in (None, Tree()):
        model = RealAdaBoostClassifier(learner, n_estimators=3).fit(X, [0, 1, 1, 0] * 3)
        assert "\0" not in model.to_sql("rows", dialect="postgres")
        for kind in (DuckDBEngine, SQLiteEngine):
            assert agrees(scored(kind(X), model, X)[0], model, X)
    labelled = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, ["nu\0ll", "b", "b", "b"] * 3)
    with pytest.raises(ValueError, match=r"the label 'nu\\x00ll' holds a null character.*Postgre"):
        labelled.to_sql("rows", dialect="postgres")


def test_more_columns_than_a_query_may_return_are_refused():
    DIALECTS["sqlite"].check_count(2000)
    with pytest.raises(ValueError, match="would return 2001 columns, but SQLite allows 2000"):
        DIALECTS["sqlite"].check_count(2001)
    DIALECTS["duckdb"].check_count(10**6)


def test_a_missing_column_is_an_error_and_no_text(model):
    engine = SQLiteEngine(pl.DataFrame({"b": [1.0]}))
    with pytest.raises(engine.connection.OperationalError, match="no such column"):
        engine.run(model.to_sql("rows", dialect="sqlite"))


def test_unfitted_models_say_so():
    for call in (lambda m: m.to_polars(), lambda m: m.to_sql("rows")):
        with pytest.raises(ValueError, match="not fitted"):
            call(DiscreteAdaBoostClassifier())


def test_classes_that_no_problem_knows_score_nothing():
    X = np.arange(12.0).reshape(-1, 1)
    code = [[1, 1, 1], [-1, -1, -1], [0, 0, 0]]
    model = DiscreteAdaBoostClassifier(n_estimators=2, multi_class=code)
    model.fit(X, np.arange(12) % 3)
    frame = pl.DataFrame(X, schema=["x0"])
    found = frame.select(model.to_polars()).to_series().struct.unnest().to_numpy()
    np.testing.assert_allclose(found, model.decision_function(X))
    assert not found[:, 2].any()
    assert "0.0" in model.to_sql("rows")


def test_rules_of_classes_beyond_64_bits_are_listed():
    model = SoftmaxBoostClassifier(Stump(), n_estimators=2, n_draws=None)
    labels = [2**70, 1, 2**70, 1]
    table = model.fit(np.arange(4.0).reshape(-1, 1), labels).rules()
    assert set(map(str, table["class"])) <= {str(2**70), "1"}
