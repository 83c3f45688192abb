"""The command line does what the library does: every subcommand, every format, and exactly."""

import json
import sqlite3
import subprocess
import sys

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import weakforce
from support.command_runs import COMMAND, people, run, run_here
from weakforce import datasets
from weakforce._files import batches, scored


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data in all formats, and a model that the command fitted to them."""
    folder = tmp_path_factory.mktemp("command_line")
    train, test = people(600, 1), people(200, 2)
    train[:250].write_csv(folder / "train-1.csv")
    train[250:].write_csv(folder / "train-2.csv")
    test.write_parquet(folder / "test.parquet", row_group_size=64)
    test.write_csv(folder / "test.csv")
    test.write_csv(folder / "test.tsv", separator="\t")
    test.write_ipc(folder / "test.arrow")
    test.write_ipc_stream(folder / "test-stream.arrow")
    done = run(
        *("fit", "train-*.csv", "--target", "pays", "--drop", "id", "--categorical", "city"),
        *("--booster", "real", "--learner", "rule", "--max-literals", "3", "--n-estimators", "20"),
        *("--learning-rate", "0.5", "--validation", "test.csv", "--out", "model.json"),
        cwd=folder,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    (folder / "fit.txt").write_bytes(done.stdout)
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return weakforce.load(folder / "model.json")


def test_fit_equals_a_fit_in_python_on_the_same_rows(folder, model):
    train, test = people(600, 1).drop("id"), people(200, 2).drop("id")
    expected = weakforce.RealAdaBoostClassifier(
        weakforce.Rule(max_literals=3), n_estimators=20, learning_rate=0.5
    ).fit(train, "pays", X_val=test, y_val="pays")
    assert model.get_params()["learning_rate"] == 0.5
    assert repr(model.estimator) == "Rule(max_literals=3)"
    assert (model.decision_function(test) == expected.decision_function(test)).all()
    assert model.validation_score_.tolist() == expected.validation_score_.tolist()


def test_fit_prints_facts_and_the_strongest_rules(folder, model):
    text = (folder / "fit.txt").read_text()
    assert "600 rows, 5 columns: 2 numbers, 1 category, 1 time, 1 Boolean" in text
    assert f"training score    {model.train_score_[-1]:.4f}" in text
    assert text.rstrip().endswith(model.summary(10))


def test_categories_that_look_like_numbers_stay_text(model):
    kinds = {feature["name"]: feature["kind"] for feature in model.fitted_model_.core.features}
    assert kinds["city"] == "text"
    city = next(
        feature for feature in model.fitted_model_.core.features if feature["name"] == "city"
    )
    assert ["01067"] in city["categories"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["test.parquet", "test.csv", "test.tsv", "test.arrow"])
@pytest.mark.parametrize("batch_bytes", [1, 10**8])
def test_streamed_predictions_equal_predict_exactly_and_in_order(
    folder, model, monkeypatch, tmp_path, name, batch_bytes
):
    monkeypatch.setattr(batches, "_BATCH_BYTES", batch_bytes)
    monkeypatch.setattr(batches, "_FEWEST", 7)
    monkeypatch.setattr(scored, "_TILE_CELLS", batch_bytes)
    out = tmp_path / "out.parquet"
    asked = ("--proba", "--scores", "--keep", "id", "--out", out)
    assert run_here("predict", "model.json", name, *asked, cwd=folder) == 0
    rows = people(200, 2)
    expected = pl.DataFrame(
        {
            "id": rows["id"],
            "prediction": pl.Series(model.predict(rows).tolist()),
            "probability_no": model.predict_proba(rows)[:, 0],
            "probability_yes": model.predict_proba(rows)[:, 1],
            "score": model.decision_function(rows),
        }
    )
    found = pl.read_parquet(out)
    assert found["prediction"].dtype == pl.String
    found = found.with_columns(pl.col("id").cast(pl.Int64))  # of CSV, kept columns are texts
    assert_frame_equal(found, expected, check_exact=True)


def test_kept_columns_of_large_row_groups_are_read_page_by_page(
    folder, model, monkeypatch, tmp_path
):
    pytest.importorskip("pyarrow")
    read = []
    page_by_page = batches._page_by_page
    monkeypatch.setattr(batches, "_LARGE_GROUP", 0)
    monkeypatch.setattr(
        batches, "_page_by_page", lambda *given: read.append(given) or page_by_page(*given)
    )
    out = tmp_path / "out.arrow"
    asked = ("--keep", "id", "--out", out)
    assert run_here("predict", "model.json", "test.parquet", *asked, cwd=folder) == 0
    assert len(read) == 1
    rows = people(200, 2)
    found = pl.read_ipc(out)
    assert found["prediction"].to_list() == model.predict(rows).tolist()
    assert found["id"].to_list() == rows["id"].to_list()


@pytest.mark.slow
def test_standard_input_and_output_take_part_in_pipes(folder, model):
    stdin = (folder / "test-stream.arrow").read_bytes()
    done = run("predict", "model.json", "-", "--format", "ipc", cwd=folder, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, b"")
    found = done.stdout.decode().split()
    assert found == ["prediction", *model.predict(people(200, 2)).tolist()]


@pytest.mark.slow
def test_a_model_goes_through_standard_output_and_facts_do_not(folder):
    asked = ("fit", "-", "--format", "csv", "--target", "pays", "--out", "-", "--n-estimators", "2")
    asked += ("--booster", "discrete")
    done = run(*asked, cwd=folder, stdin=(folder / "test.csv").read_bytes())
    assert done.returncode == 0
    assert json.loads(done.stdout)["estimator"]
    assert b"training score" in done.stderr


@pytest.mark.slow
def test_columns_to_keep_come_first_and_only_needed_ones_are_read(folder, tmp_path):
    people(5, 2).with_columns(broken=pl.lit(b"\xff")).write_parquet(tmp_path / "more.parquet")
    out = tmp_path / "out.csv"
    asked = ("--keep", "id,broken", "--out")
    data = tmp_path / "more.parquet"
    assert run_here("predict", "model.json", data, "--out", out, cwd=folder) == 0
    assert run_here("predict", "model.json", data, *asked, tmp_path / "o.parquet", cwd=folder) == 0
    assert pl.read_parquet(tmp_path / "o.parquet").columns == ["id", "broken", "prediction"]


def test_evaluate_tells_what_scikit_learn_tells(folder, model, capsys):
    from sklearn.metrics import confusion_matrix, log_loss, roc_auc_score

    assert (
        run_here("evaluate", "model.json", "test.csv", "--target", "pays", "--json", cwd=folder)
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    rows = people(200, 2)
    truth, shares = rows["pays"], model.predict_proba(rows)
    assert told["accuracy"] == pytest.approx(model.score(rows, "pays"))
    assert told["log_loss"] == pytest.approx(log_loss(truth, shares))
    assert told["auc"] == pytest.approx(roc_auc_score(truth == "yes", shares[:, 1]))
    assert told["confusion"] == confusion_matrix(truth, model.predict(rows)).tolist()
    assert told["margins"]["smallest"] == pytest.approx(model.margins(rows, "pays").min())


@pytest.mark.slow
def test_evaluate_prints_a_table_of_confusions(folder):
    done = run("evaluate", "model.json", "test.parquet", "--target", "pays", cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    for word in ("accuracy", "log loss", "auc", "recall", "precision", "quantile 0.5"):
        assert word in done.stdout.decode()


@pytest.mark.slow
def test_explain_shows_the_summary_then_contributions(folder, model, capsys):
    assert run_here("explain", "model.json", "--top", "3", cwd=folder) == 0
    assert capsys.readouterr().out.startswith(model.summary(3))
    asked = ("explain", "model.json", "test.arrow", "--row", "7", "--row", "0", "--json")
    assert run_here(*asked, cwd=folder) == 0
    told = json.loads(capsys.readouterr().out)
    rows = people(200, 2)
    scores = model.decision_function(rows)
    assert [entry["row"] for entry in told] == [7, 0]
    for entry in told:
        total = sum(entry["contributions"].values()) + entry["bias"]
        assert total == pytest.approx(scores[entry["row"]], abs=1e-9)
        assert entry["score"] == pytest.approx(total)


@pytest.mark.slow
def test_explain_names_the_errors_of_estimates(tmp_path, capsys):
    X, y = datasets.make_waveform(200, seed=1)
    X.write_parquet(tmp_path / "rows.parquet")
    model = weakforce.MartiBoostClassifier(n_layers=10).fit(X, y)
    model.save(tmp_path / "model.json")
    asked = ("explain", "model.json", "rows.parquet", "--row", "4")
    assert run_here(*asked, cwd=tmp_path) == 0
    assert " ± " in capsys.readouterr().out
    assert run_here(*asked, "--json", cwd=tmp_path) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert set(row["standard_errors"]) == set(X.columns)
    total = sum(row["contributions"].values()) + row["bias"]
    assert total == pytest.approx(model.decision_function(X)[4])


def test_explain_as_a_process_prints_a_readable_table_and_loads_no_plots(folder):
    asked = ("explain", "model.json", "test.arrow", "--row", "0")
    command = [sys.executable, "-X", "importtime", *COMMAND[1:], *asked]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "weakforce.command_line.parsers.explain" in done.stderr
    assert "matplotlib" not in done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("row 0: ")
    assert lines[1].split() == ["contribution", "column", "value"]
    assert lines[-1].split()[1] == "score"


@pytest.mark.slow
def test_suspects_equal_those_of_the_library(folder, tmp_path):
    out = tmp_path / "suspects.parquet"
    asked = ("--target", "pays", "--drop", "id", "--top", "5", "--show", "age", "--out", out)
    booster = ("--booster", "discrete", "--n-estimators", "5")
    done = run("suspects", "test.parquet", *asked, *booster, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    rows = people(200, 2).drop("id")
    estimator = weakforce.DiscreteAdaBoostClassifier(n_estimators=5)
    expected = weakforce.suspect_labels(rows, "pays", estimator, n_reasons=0).head(5)
    expected = expected.with_columns(age=rows["age"][expected["row"]])
    assert_frame_equal(pl.read_parquet(out), expected)


def test_suspects_are_printed_as_a_table(folder, capsys):
    asked = ("--target", "pays", "--drop", "id", "--booster", "discrete", "--n-estimators", "5")
    assert run_here("suspects", "test.parquet", *asked, "--top", "4", cwd=folder) == 0
    titles, *lines = capsys.readouterr().out.splitlines()
    assert titles.split() == ["row", "given", "suggested", "margin", "influence", "score"]
    assert len(lines) == 4


@pytest.mark.slow
def test_exported_sql_runs_in_a_database(folder, model, tmp_path):
    out = tmp_path / "model.sql"
    asked = ("export", "model.json", "--sql", "--table", "people", "--dialect", "sqlite")
    done = run(*asked, "--keep", "id", "--out", out, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    rows = people(200, 2).with_columns(pl.col("since").cast(pl.String))
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE people (id, age, city, income, since, member)")
    base.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows.drop("pays").rows())
    found = {row[0]: row[-1] for row in base.execute(out.read_text())}
    expected = model.predict(people(200, 2)).tolist()
    assert [found[at] for at in range(200)] == expected


@pytest.mark.slow
def test_help_of_every_subcommand_has_examples(folder, capsys):
    assert run_here("--help", cwd=folder) == 0
    overview = capsys.readouterr().out
    for name in ("fit", "predict", "evaluate", "explain", "suspects", "export", "report"):
        assert f"\n    {name} " in overview
        assert run_here(name, "--help", cwd=folder) == 0
        assert f"  weakforce {name} " in capsys.readouterr().out.split("examples:")[1]


def test_the_version_is_the_librarys(folder, capsys):
    assert run_here("--version", cwd=folder) == 0
    assert capsys.readouterr().out == f"weakforce {weakforce.__version__}\n"
