"""`weakforce fit --mistrust`: a column that says how little the labels are believed."""

import numpy as np
import polars as pl
import pytest

import weakforce
from support.command_runs import people, run_here

FIT = ("fit", "data.parquet", "--target", "pays", "--out", "model.json", "--quiet")
REGULARIZED = ("--booster", "regularized", "--n-estimators", "15", "--drop", "id")


@pytest.fixture
def rows():
    doubts = np.random.default_rng(1).uniform(0, 0.02, 300)
    return people(300, 0).with_columns(doubt=pl.Series(doubts))


def fitted(tmp_path, frame, *options):
    frame.write_parquet(tmp_path / "data.parquet")
    assert run_here(*FIT, *options, cwd=tmp_path) == 0
    return weakforce.load(tmp_path / "model.json")


def test_the_column_is_the_mistrust_of_fit_and_nothing_to_learn_from(tmp_path, rows):
    found = fitted(tmp_path, rows, *REGULARIZED, "--mistrust", "doubt")
    columns = rows.drop("id", "pays", "doubt")
    expected = weakforce.RegularizedAdaBoostClassifier(n_estimators=15)
    expected.fit(columns, rows["pays"], mistrust=rows["doubt"])
    assert found.feature_names_in_.tolist() == columns.columns
    np.testing.assert_array_equal(
        found.decision_function(columns), expected.decision_function(columns)
    )
    without = fitted(tmp_path, rows.drop("doubt"), *REGULARIZED)
    assert (found.decision_function(columns) != without.decision_function(columns)).any()


def test_validation_rows_need_no_mistrust(tmp_path, rows):
    people(100, 1).write_parquet(tmp_path / "more.parquet")
    more = ("--mistrust", "doubt", "--validation", "more.parquet")
    found = fitted(tmp_path, rows, *REGULARIZED, *more)
    assert len(found.validation_score_) == found.n_iter_


@pytest.mark.parametrize(
    ("options", "exit_code", "message"),
    [
        ((*REGULARIZED, "--mistrust", "doubts"), 1, "--mistrust"),
        (("--mistrust", "doubt"), 2, "--mistrust: the booster 'weakforce' takes no mistrust"),
        (("--booster", "discrete", "--mistrust", "doubt"), 2, "'--booster regularized' does"),
        ((*REGULARIZED, "--mistrust", "pays"), 2, "expected one of its own"),
        ((*REGULARIZED, "--mistrust", "doubt", "--weight", "doubt"), 2, "'doubt' is that of"),
        ((*REGULARIZED, "--mistrust", "id"), 2, "--drop too"),
        ((*REGULARIZED, "--mistrust", "worse"), 2, "parameter 'mistrust': got"),
        ((*REGULARIZED, "--mistrust", "city"), 2, "parameter 'mistrust': got"),
    ],
)
def test_wrong_columns_and_boosters_are_refused_by_name(
    tmp_path, rows, capsys, options, exit_code, message
):
    rows.with_columns(worse=-pl.col("doubt")).write_parquet(tmp_path / "data.parquet")
    found = run_here(*FIT, *options, cwd=tmp_path)
    said = capsys.readouterr().err
    assert message in said, said
    assert found == exit_code
    assert not (tmp_path / "model.json").exists()
