"""Without --booster, WeakForceClassifier is fitted, and every subcommand reads its model."""

import json
import sqlite3

import numpy as np
import polars as pl
import pytest

import weakforce
from support.command_runs import people, run_here

SMALL = ("--n-estimators", "20", "--n-trees", "10", "--random-state", "0")


def fitted(folder, *arguments):
    asked = ("fit", "train.parquet", "--target", "pays", "--drop", "id", *SMALL, *arguments)
    assert run_here(*asked, "--out", "model.json", cwd=folder) == 0
    return weakforce.load(folder / "model.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("default")
    people(400, 1).write_parquet(folder / "train.parquet")
    people(150, 2).write_parquet(folder / "test.parquet")
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return fitted(folder)


def test_fit_equals_a_fit_in_python(model):
    train, test = people(400, 1).drop("id"), people(150, 2)
    expected = weakforce.WeakForceClassifier(n_estimators=20, n_trees=10, random_state=0)
    expected.fit(train, "pays")
    assert type(model) is weakforce.WeakForceClassifier
    assert (model.decision_function(test) == expected.decision_function(test)).all()


def test_fit_prints_what_is_known_out_of_bag(folder, capsys):
    fitted(folder)
    text = capsys.readouterr().out
    for words in ("400 rows, 5 columns", "out of bag: accuracy", "wrong labels: about", "chosen: "):
        assert words in text
    assert "training score" not in text


def test_predict_and_evaluate_say_what_python_says(folder, model, capsys):
    asked = ("predict", "model.json", "test.parquet", "--proba", "--out", "out.parquet")
    assert run_here(*asked, cwd=folder) == 0
    found, rows = pl.read_parquet(folder / "out.parquet"), people(150, 2)
    assert found["prediction"].to_list() == model.predict(rows).tolist()
    np.testing.assert_array_equal(found.select("^probability_.*$"), model.predict_proba(rows))
    asked = ("evaluate", "model.json", "test.parquet", "--target", "pays", "--json")
    assert run_here(*asked, cwd=folder) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accuracy"] == pytest.approx(model.score(rows, "pays"))


def test_explain_lists_the_columns_once_and_adds_up(folder, model, capsys):
    assert run_here("explain", "model.json", cwd=folder) == 0
    text = capsys.readouterr().out
    assert "columns that count: " in text
    assert "importance" not in text
    asked = ("explain", "model.json", "test.parquet", "--row", "3", "--json")
    assert run_here(*asked, cwd=folder) == 0
    (told,) = json.loads(capsys.readouterr().out)
    total = sum(told["contributions"].values()) + told["bias"]
    assert total == pytest.approx(model.decision_function(people(150, 2))[3], abs=1e-9)


@pytest.mark.slow
def test_export_runs_in_a_database(folder, model, capsys):
    asked = ("export", "model.json", "--sql", "--table", "people", "--dialect", "sqlite")
    assert run_here(*asked, "--keep", "id", cwd=folder) == 0
    query = capsys.readouterr().out
    rows = people(150, 2).with_columns(pl.col("since").cast(pl.String))
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE people (id, age, city, income, since, member)")
    base.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows.drop("pays").rows())
    found = {row[0]: row[-1] for row in base.execute(query)}
    assert [found[at] for at in range(150)] == model.predict(people(150, 2)).tolist()


@pytest.mark.slow
def test_a_report_shows_no_rounds_of_a_pool_but_its_columns_and_suspects(folder, model):
    pytest.importorskip("matplotlib")
    asked = ("report", "page.html", "--model", "model.json", "--data", "test.parquet")
    assert run_here(*asked, "--target", "pays", "--quiet", cwd=folder) == 0
    page = (folder / "page.html").read_text()
    assert 'id="suspects"' in page
    assert 'id="learning"' not in page
    assert "out-of-bag score" in page
    first = model.feature_names_in_[model.feature_importances_.argmax()]
    assert page.index(f">{first}<") == min(page.index(f">{n}<") for n in model.feature_names_in_)


def test_clean_probabilities_reach_the_output_because_the_file_holds_the_rate(tmp_path, capsys):
    people(400, 1).write_parquet(tmp_path / "train.parquet")
    people(150, 2).write_parquet(tmp_path / "test.parquet")
    noisy = fitted(tmp_path).predict_proba(people(150, 2))
    model = fitted(tmp_path, "--calibrate", "clean")
    assert model.noise_rate is None
    assert 0 < model.fitted_model_.calibration.rate < 0.5
    asked = ("predict", "model.json", "test.parquet", "--proba", "--out", "out.parquet")
    assert run_here(*asked, cwd=tmp_path) == 0
    found = pl.read_parquet(tmp_path / "out.parquet").select("^probability_.*$")
    expected = model.predict_proba(people(150, 2))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert abs(noisy - expected).max() > 1e-3
    asked = ("evaluate", "model.json", "test.parquet", "--target", "pays", "--json")
    capsys.readouterr()
    assert run_here(*asked, cwd=tmp_path) == 0
    from sklearn.metrics import log_loss

    told = json.loads(capsys.readouterr().out)["log_loss"]
    assert told == pytest.approx(log_loss(people(150, 2)["pays"], expected))


def test_a_file_without_a_rate_of_noise_is_refused_with_one_line(folder, model, capsys):
    weakforce.load(folder / "model.json").set_params(calibrate="clean").save(folder / "bare.json")
    assert run_here("predict", "bare.json", "test.parquet", cwd=folder) == 1
    told = capsys.readouterr().err
    assert "estimator.calibration" in told
    assert len(told.splitlines()) == 1


def test_costs_reach_every_answer(tmp_path, capsys):
    people(400, 1).write_parquet(tmp_path / "train.parquet")
    people(150, 2).write_parquet(tmp_path / "test.parquet")
    rows = people(150, 2)
    plain = fitted(tmp_path).predict(rows)
    model = fitted(tmp_path, "--cost", '{"yes": {"no": 10}}')
    shares = model.predict_proba(rows)
    expected = np.where(10 * shares[:, 1] >= shares[:, 0], "yes", "no")
    np.testing.assert_array_equal(model.predict(rows), expected)
    assert (expected != plain).any()
    asked = ("predict", "model.json", "test.parquet", "--proba", "--out", "out.parquet")
    assert run_here(*asked, cwd=tmp_path) == 0
    found = pl.read_parquet(tmp_path / "out.parquet")
    assert found["prediction"].to_list() == expected.tolist()
    np.testing.assert_array_equal(found.select("^probability_.*$"), shares)
    capsys.readouterr()
    asked = ("evaluate", "model.json", "test.parquet", "--target", "pays", "--json")
    assert run_here(*asked, cwd=tmp_path) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accuracy"] == pytest.approx((expected == rows["pays"].to_numpy()).mean())
    assert np.sum(told["confusion"], axis=0).tolist() == [
        (expected == x).sum() for x in ["no", "yes"]
    ]


@pytest.mark.parametrize("booster", ["samme", "logitboost"])
def test_calibrations_of_other_boosters_reach_every_answer(tmp_path, capsys, booster):
    people(400, 1).write_parquet(tmp_path / "train.parquet")
    people(150, 2).write_parquet(tmp_path / "test.parquet")
    asked = ("fit", "train.parquet", "--target", "pays", "--drop", "id", "--booster", booster)
    asked += ("--n-estimators", "10", "--calibrate", "sigmoid", "--random-state", "0")
    assert run_here(*asked, "--out", "model.json", cwd=tmp_path) == 0
    model, rows = weakforce.load(tmp_path / "model.json"), people(150, 2)
    assert model.calibrate == "sigmoid"
    assert (
        run_here(
            *("predict", "model.json", "test.parquet", "--proba", "--out", "out.parquet"),
            cwd=tmp_path,
        )
        == 0
    )
    found = pl.read_parquet(tmp_path / "out.parquet")
    assert found["prediction"].to_list() == model.predict(rows).tolist()
    np.testing.assert_array_equal(found.select("^probability_.*$"), model.predict_proba(rows))
    capsys.readouterr()
    asked = ("evaluate", "model.json", "test.parquet", "--target", "pays", "--json")
    assert run_here(*asked, cwd=tmp_path) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accuracy"] == pytest.approx(model.score(rows, "pays"))


def test_validation_rows_are_refused_before_anything_is_read(folder, capsys):
    asked = ("fit", "absent.parquet", "--target", "pays", "--validation", "test.parquet")
    assert run_here(*asked, "--out", "new.json", cwd=folder) == 2
    assert capsys.readouterr().err.startswith("weakforce: option --validation: the booster 'weakf")


def test_help_shows_the_guide_in_short(folder, capsys):
    assert run_here("fit", "--help", cwd=folder) == 0
    text = capsys.readouterr().out
    for purpose in weakforce.guide()["purpose"]:
        assert f" {purpose}\n" in text


def test_suspects_are_those_of_the_library(folder):
    asked = ("suspects", "test.parquet", "--target", "pays", "--drop", "id", "--out", "s.parquet")
    assert run_here(*asked, cwd=folder) == 0
    expected = weakforce.suspect_labels(people(150, 2).drop("id"), "pays", n_reasons=0).head(50)
    assert pl.read_parquet(folder / "s.parquet").equals(expected)


def test_suspects_by_one_fit_with_reasons_are_those_of_the_library(folder):
    asked = ("suspects", "test.parquet", "--target", "pays", "--drop", "id", "--out", "o.parquet")
    assert run_here(*asked, "--method", "one-fit", "--reasons", "2", cwd=folder) == 0
    rows = people(150, 2).drop("id")
    expected = weakforce.suspect_labels(rows, "pays", method="one-fit", n_reasons=2).head(50)
    assert pl.read_parquet(folder / "o.parquet").equals(expected)
    assert run_here(*asked, "--reasons", "-1", cwd=folder) == 2


def test_the_share_of_wrong_labels_is_printed(folder, capsys):
    asked = ("suspects", "test.parquet", "--target", "pays", "--drop", "id", "--noise")
    assert run_here(*asked, cwd=folder) == 0
    first, _, titles, *lines = capsys.readouterr().out.splitlines()
    found = weakforce.label_noise(people(150, 2).drop("id"), "pays")
    assert first == str(found)
    assert titles.split() == found.matrix.columns
    assert len(lines) == found.matrix.height
    assert lines[0].split()[1] == f"{found.matrix.row(0)[1]:.1%}"
