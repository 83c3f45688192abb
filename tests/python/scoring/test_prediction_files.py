"""`predict_file` says of the rows of files what `predict` says of them in memory, exactly."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import weakforce
from support.command_runs import people, run_here
from weakforce._files import batches, scored

ROWS = people(300, 2)


@pytest.fixture(scope="module")
def model():
    return weakforce.RealAdaBoostClassifier(weakforce.Rule(), n_estimators=15).fit(
        people(500, 1).drop("id"), "pays"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, model):
    folder = tmp_path_factory.mktemp("prediction_files")
    model.save(folder / "model.json")
    ROWS.write_parquet(folder / "rows.parquet", row_group_size=64)
    ROWS.write_csv(folder / "rows.csv")
    ROWS.write_csv(folder / "rows.tsv", separator="\t")
    ROWS.write_ipc(folder / "rows.arrow")
    for part in range(3):
        ROWS[100 * part : 100 * (part + 1)].write_parquet(folder / f"part-{part}.parquet")
    return folder


@pytest.fixture(scope="module")
def expected(model):
    """All that can be asked for, from memory."""
    return pl.DataFrame(
        {
            "id": ROWS["id"],
            "prediction": pl.Series(model.predict(ROWS).tolist()),
            "probability_no": model.predict_proba(ROWS)[:, 0],
            "probability_yes": model.predict_proba(ROWS)[:, 1],
            "score": model.decision_function(ROWS),
        }
    )


def assert_same(found, expected):
    assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv", "rows.tsv", "rows.arrow"])
@pytest.mark.parametrize("batch_bytes", [1, 10**8])
def test_predictions_equal_those_in_memory(folder, model, expected, monkeypatch, name, batch_bytes):
    monkeypatch.setattr(batches, "_BATCH_BYTES", batch_bytes)
    monkeypatch.setattr(batches, "_FEWEST", 7)
    monkeypatch.setattr(scored, "_TILE_CELLS", batch_bytes)
    found = weakforce.predict_file(model, folder / name, keep=["id"], proba=True, scores=True)
    assert_same(found.with_columns(pl.col("id").cast(pl.Int64)), expected)


def test_only_predictions_come_unless_more_is_asked_for(folder, model, expected):
    assert_same(weakforce.predict_file(model, folder / "rows.parquet"), expected[["prediction"]])


@pytest.mark.parametrize("kind", [str, Path])
def test_a_model_may_be_the_path_of_its_file(folder, expected, kind):
    found = weakforce.predict_file(kind(folder / "model.json"), kind(folder / "rows.parquet"))
    assert_same(found, expected[["prediction"]])


@pytest.mark.parametrize(
    "names",
    [
        "part-*.parquet",
        ["part-0.parquet", "part-1.parquet", "part-2.parquet"],
        ("part-0.parquet", "part-[12].parquet"),
    ],
)
def test_several_files_come_one_after_the_other(folder, model, expected, names):
    paths = folder / names if isinstance(names, str) else [folder / name for name in names]
    assert_same(weakforce.predict_file(model, paths, keep="id"), expected[["id", "prediction"]])


def test_files_may_differ_in_format_and_in_further_columns(folder, model, expected, tmp_path):
    ROWS[100:].drop("pays").write_ipc(tmp_path / "more.arrow")
    found = weakforce.predict_file(
        model, [folder / "part-0.parquet", tmp_path / "more.arrow"], keep=["id"], scores=True
    )
    assert_same(found, expected[["id", "prediction", "score"]])


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("out.parquet", pl.read_parquet),
        ("out.csv", pl.read_csv),
        ("out.tsv", lambda path: pl.read_csv(path, separator="\t")),
        ("out.arrow", pl.read_ipc),
    ],
)
def test_the_file_written_is_the_one_of_the_command_line(folder, model, tmp_path, name, read):
    asked = {"keep": ["id", "age"], "proba": True, "scores": True}
    out = tmp_path / name
    assert weakforce.predict_file(model, folder / "part-*.parquet", out, **asked) is None
    options = ("--keep", "id,age", "--proba", "--scores", "--out", tmp_path / f"command-{name}")
    paths = [f"part-{part}.parquet" for part in range(3)]
    assert run_here("predict", "model.json", *paths, *options, cwd=folder) == 0
    assert out.read_bytes() == (tmp_path / f"command-{name}").read_bytes()
    in_memory = weakforce.predict_file(model, folder / "part-*.parquet", **asked)
    assert_frame_equal(read(out), in_memory)
    assert sorted(os.listdir(tmp_path)) == sorted([name, f"command-{name}"])


def test_all_columns_may_be_kept(folder, model):
    found = weakforce.predict_file(model, folder / "rows.parquet", keep_all=True)
    assert_frame_equal(found.drop("prediction"), ROWS)


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_the_number_of_threads_changes_neither_the_answer_nor_the_model(
    folder, model, expected, n_jobs
):
    before = model.get_params()
    for name in ("rows.parquet", "rows.arrow"):
        found = weakforce.predict_file(model, folder / name, scores=True, n_jobs=n_jobs)
        assert_same(found, expected[["prediction", "score"]])
    assert model.get_params() == before


def test_many_classes_and_several_labels_have_a_column_each(tmp_path):
    X, y = weakforce.datasets.make_waveform(200, n_classes=3, seed=1)
    X.write_parquet(tmp_path / "rows.parquet")
    model = weakforce.SAMMEClassifier(weakforce.Tree(), n_estimators=3).fit(X, y)
    found = weakforce.predict_file(model, tmp_path / "rows.parquet", proba=True, scores=True)
    assert (found["prediction"].to_numpy() == model.predict(X)).all()
    names = [f"probability_{label}" for label in range(3)]
    assert (found[names].to_numpy() == model.predict_proba(X)).all()
    names = [f"score_{label}" for label in range(3)]
    assert (found[names].to_numpy() == model.decision_function(X)).all()
    sets = np.stack([y == 0, y != 1], axis=1).astype(int)
    model = weakforce.SoftmaxBoostClassifier(n_estimators=3, n_draws=None).fit(X, sets)
    found = weakforce.predict_file(model, tmp_path / "rows.parquet")
    assert found.columns == ["prediction_0", "prediction_1"]
    assert (found.to_numpy() == model.predict(X)).all()


def test_models_of_classifiers_of_the_caller_read_files_too(tmp_path):
    X, y = weakforce.datasets.make_twonorm(100, seed=1)
    X.write_parquet(tmp_path / "rows.parquet")
    model = weakforce.DiscreteAdaBoostClassifier(LogisticRegression(), n_estimators=2).fit(X, y)
    found = weakforce.predict_file(model, tmp_path / "rows.parquet")
    assert (found["prediction"].to_numpy() == model.predict(X)).all()


def test_files_without_rows_give_no_rows_of_the_same_types(folder, model, expected, tmp_path):
    ROWS.head(0).write_parquet(tmp_path / "empty.parquet")
    found = weakforce.predict_file(model, tmp_path / "empty.parquet", keep="id", proba=True)
    assert found.schema == expected.drop("score").schema
    assert found.is_empty()


def test_a_missing_column_is_named_with_its_file(folder, model, tmp_path):
    ROWS.rename({"age": "agee"}).write_parquet(tmp_path / "other.parquet")
    message = r"other.parquet' has no column 'age', which the model needs \(is 'agee' meant\?\)"
    with pytest.raises(ValueError, match=message):
        weakforce.predict_file(model, [folder / "rows.parquet", tmp_path / "other.parquet"])


def test_columns_to_keep_that_do_not_exist_are_named(folder, model, tmp_path):
    message = r"parameter 'keep': no column 'idd' in the data \(did you mean 'id'\?\)"
    with pytest.raises(ValueError, match=message):
        weakforce.predict_file(model, folder / "rows.parquet", keep=["idd"])
    ROWS.drop("id").write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="has no column 'id', which is to be kept"):
        weakforce.predict_file(
            model, [folder / "rows.parquet", tmp_path / "rows.parquet"], keep=["id"]
        )


@pytest.mark.parametrize("name", ["prediction", "probability_yes", "score"])
def test_a_column_to_keep_may_not_have_the_name_of_one_to_come(model, tmp_path, name):
    ROWS.with_columns(pl.lit(1).alias(name)).write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match=f"parameter 'keep': the output has a column '{name}'"):
        weakforce.predict_file(
            model, tmp_path / "rows.parquet", keep=[name], proba=True, scores=True
        )


@pytest.mark.parametrize("name", ["rows.txt", "rows", "-"])
def test_files_of_unknown_endings_are_refused(folder, model, tmp_path, name):
    message = rf"parameter 'out': got '.*{name}', expected a file that ends in one of \.parquet"
    with pytest.raises(ValueError, match=message):
        weakforce.predict_file(model, folder / "rows.parquet", tmp_path / name)
    message = rf"parameter 'paths': got '.*{name}', expected a file that ends in one of \.parquet"
    with pytest.raises(ValueError, match=message):
        weakforce.predict_file(model, folder / name)


def test_files_that_cannot_be_read_are_named(folder, model, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot read '.*none.parquet': No such file"):
        weakforce.predict_file(model, folder / "none.parquet")
    with pytest.raises(FileNotFoundError, match=r"no file matches '.*none-"):
        weakforce.predict_file(model, folder / "none-*.parquet")
    with pytest.raises(FileNotFoundError):
        weakforce.predict_file(folder / "none.json", folder / "rows.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1, but not for long")
    with pytest.raises(ValueError, match=r"cannot read '.*bad\.parquet': "):
        weakforce.predict_file(model, tmp_path / "bad.parquet")
    with pytest.raises(OSError, match=r"cannot write '.*out.parquet': No such file or directory"):
        weakforce.predict_file(model, folder / "rows.parquet", tmp_path / "no" / "out.parquet")


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_a_failure_leaves_the_old_file_and_no_other(folder, model, tmp_path, monkeypatch, name):
    (tmp_path / name).write_text("old")

    def failing(*_):
        yield ROWS[:5].select("id"), model.decision_function(ROWS[:5])
        raise ValueError("in the midst")

    monkeypatch.setattr("weakforce._files.predictions.scored", failing)
    with pytest.raises(ValueError, match="in the midst"):
        weakforce.predict_file(model, folder / "rows.parquet", tmp_path / name, keep="id")
    assert (tmp_path / name).read_text() == "old"
    assert os.listdir(tmp_path) == [name]


def test_models_that_cannot_predict_are_refused(folder):
    path = folder / "rows.parquet"
    with pytest.raises(NotFittedError):
        weakforce.predict_file(weakforce.RealAdaBoostClassifier(), path)
    with pytest.raises(TypeError, match="parameter 'model': got LogisticRegression, expected a fi"):
        weakforce.predict_file(LogisticRegression(), path)
    X, y = weakforce.datasets.make_twonorm(50, seed=1)
    nameless = weakforce.RealAdaBoostClassifier(n_estimators=2).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match="it was fitted to an array without column names"):
        weakforce.predict_file(nameless, path)
    nameless.save(folder / "nameless.json")
    with pytest.raises(ValueError, match="it was fitted to an array without column names"):
        weakforce.predict_file(folder / "nameless.json", path)


@pytest.mark.parametrize(
    ("arguments", "named", "error", "message"),
    [
        (([],), {}, ValueError, "parameter 'paths': got no path, expected at least one"),
        ((7,), {}, TypeError, "parameter 'paths': got int, expected a path or a list of paths"),
        (([7],), {}, TypeError, "parameter 'paths': got int, expected a path"),
        (("rows.parquet", 7), {}, TypeError, "parameter 'out': got int, expected a path"),
        (("rows.parquet",), {"keep": 7}, TypeError, "parameter 'keep': got int, expected a list"),
        (("rows.parquet",), {"n_jobs": 0}, ValueError, "n_jobs"),
    ],
)
def test_wrong_calls_name_the_parameter(
    folder, model, monkeypatch, arguments, named, error, message
):
    monkeypatch.chdir(folder)
    with pytest.raises(error, match=message):
        weakforce.predict_file(model, *arguments, **named)
