"""Columns whose names Polars would take for patterns are columns like all others.

A frame with such names gives the model, the scores and the exports that the same frame has under
plain names; so does the command line.
"""

import numpy as np
import polars as pl
import pytest

import weakforce
from support.command_runs import run_here
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Rule, Tree
from weakforce._reading.literal_columns import stacked

ROWS = 120
NAMES = {"a": "^a.*$", "abc": "abc", "c": "*", "d": "^d$", "e": "^.*$"}
GENERATOR = np.random.default_rng(8)
PLAIN = pl.DataFrame(
    {
        "a": GENERATOR.normal(size=ROWS),
        "abc": GENERATOR.normal(size=ROWS),
        "c": GENERATOR.choice(["x", "y", "z"], ROWS),
        "d": GENERATOR.integers(0, 9, ROWS),
        "e": pl.Series(GENERATOR.integers(0, 2, ROWS)).cast(pl.Boolean),
    }
)
ODD = PLAIN.rename(NAMES)
Y = ((PLAIN["a"] > 0) & (PLAIN["c"] != "x") | (PLAIN["d"] > 6) & PLAIN["e"]).to_numpy()


@pytest.mark.parametrize("learner", [None, Rule(max_literals=3), Tree(max_leaf_nodes=5)])
def test_expressions_score_columns_with_such_names(learner):
    plain = RealAdaBoostClassifier(learner, n_estimators=20).fit(PLAIN, Y)
    odd = RealAdaBoostClassifier(learner, n_estimators=20).fit(ODD, Y)
    scores = odd.decision_function(ODD)
    assert np.array_equal(scores, plain.decision_function(PLAIN))
    used = {
        name for name, share in zip(ODD.columns, odd.feature_importances_, strict=True) if share
    }
    assert len(used - {"abc"}) > 2
    for frame in (ODD, ODD[:, ::-1]):
        found = frame.select(odd.to_polars()).to_series().to_numpy()
        assert np.allclose(found, scores, rtol=0, atol=1e-12)
    assert np.array_equal(odd.contributions(ODD).to_numpy(), plain.contributions(PLAIN).to_numpy())


def test_rules_hold_on_columns_with_such_names():
    odd = DiscreteAdaBoostClassifier(Rule(max_literals=2), n_estimators=5).fit(ODD, Y)
    plain = DiscreteAdaBoostClassifier(Rule(max_literals=2), n_estimators=5).fit(PLAIN, Y)
    for ours, theirs in zip(odd.estimators_, plain.estimators_, strict=True):
        for literal, like in zip(ours.literals, theirs.literals, strict=True):
            assert literal.name == NAMES[like.name]
            held = ODD.lazy().select(literal.expression().alias("held")).collect()["held"]
            assert held.to_list() == PLAIN.select(held=like.expression())["held"].to_list()


@pytest.mark.parametrize("name", ["*", "^.*$", "^y$"])
def test_a_target_and_labels_may_have_such_a_name(name):
    model = RealAdaBoostClassifier(n_estimators=5).fit(PLAIN, Y)
    frame = PLAIN.with_columns(pl.Series(name, Y))
    named = RealAdaBoostClassifier(n_estimators=5).fit(frame, name)
    assert named.feature_names_in_.tolist() == PLAIN.columns
    assert named.score(frame, name) == model.score(PLAIN, Y)
    labels = pl.Series(name, ["yes" if label else None for label in Y])
    with pytest.raises(ValueError, match="y: the label of row"):
        RealAdaBoostClassifier().fit(PLAIN, labels)
    sets = pl.Series(name, [["b", "a"] if label else ["a"] for label in Y])
    assert weakforce.SoftmaxBoostClassifier(n_estimators=2).fit(PLAIN, sets).classes_[1] == "b"


def test_a_column_may_have_no_name_at_all(tmp_path):
    frame = PLAIN.rename({"a": ""}).with_columns(z=None)
    whole = RealAdaBoostClassifier(n_estimators=9).fit(frame, Y)
    assert whole.feature_names_in_.tolist() == frame.columns
    pieces = pl.concat([frame[:50], frame[50:]], rechunk=False)
    assert np.array_equal(whole.decision_function(pieces), whole.decision_function(frame))
    assert whole.contributions(frame).columns == [*frame.columns, "bias"]
    named = RealAdaBoostClassifier(n_estimators=9).fit(frame.with_columns(y=pl.Series(Y)), "y")
    assert named.feature_names_in_.tolist() == frame.columns
    frame.drop("z").with_columns(z=pl.lit(1.0)).write_parquet(tmp_path / "rows.parquet")
    found = weakforce.predict_file(whole, tmp_path / "rows.parquet", keep=["", "abc"])
    assert found.columns == ["", "abc", "prediction"]


def test_frames_are_stacked_by_such_names():
    columns = ODD.get_columns()
    narrow = pl.DataFrame([one.cast(pl.Int8) if one.name == "^d$" else one for one in columns])
    both = stacked([ODD, narrow])
    assert both.columns == ODD.columns
    assert both["^d$"].to_list() == 2 * ODD["^d$"].to_list()
    lazy = stacked([ODD.lazy(), narrow.lazy()]).collect()
    assert lazy.equals(both)


def test_the_command_line_uses_columns_with_such_names(tmp_path, capsys):
    ODD.with_columns(label=pl.Series(Y).cast(pl.Int8)).write_csv(tmp_path / "odd.csv")
    PLAIN.with_columns(label=pl.Series(Y).cast(pl.Int8)).write_csv(tmp_path / "plain.csv")
    common = ("--target", "label", "--booster", "real", "--n-estimators", 9, "--quiet")
    for name in ("odd", "plain"):
        data = (f"{name}.csv", f"{name}.csv")
        assert run_here("fit", *data, *common, "--out", f"{name}.json", cwd=tmp_path) == 0
        keep = NAMES["d"] if name == "odd" else "d"
        assert (
            run_here(
                *("predict", f"{name}.json", f"{name}.csv", "--scores", "--keep", keep),
                *("--out", f"{name}-out.csv"),
                cwd=tmp_path,
            )
            == 0
        )
    model = weakforce.load(tmp_path / "odd.json")
    assert model.feature_names_in_.tolist() == ODD.columns
    odd, plain = (pl.read_csv(tmp_path / f"{name}-out.csv") for name in ("odd", "plain"))
    assert odd.rows() == plain.rows()
    dropped = ("--drop", "*", "--drop", "^a.*$", "--out", "less.json")
    assert run_here("fit", "odd.csv", *common, *dropped, cwd=tmp_path) == 0
    names = weakforce.load(tmp_path / "less.json").feature_names_in_.tolist()
    assert names == ["abc", "^d$", "^.*$"]
    data = ("odd.csv", "--target", "label")
    for arguments in (
        ("evaluate", "odd.json", *data),
        ("explain", "odd.json", "odd.csv"),
        ("explain", "odd.json", "odd.csv", "--row", 3),
        ("suspects", *data, "--show", "*,^d$", "--booster", "real", "--n-estimators", 2),
    ):
        assert run_here(*arguments, cwd=tmp_path) == 0, capsys.readouterr().err
    assert "^a.*$" in capsys.readouterr().out


def test_the_command_line_learns_a_target_with_such_a_name(tmp_path):
    PLAIN.with_columns(pl.Series("^x$", Y).cast(pl.String)).write_parquet(tmp_path / "x.parquet")
    options = ("--target", "^x$", "--booster", "real", "--n-estimators", 3, "--quiet")
    assert run_here("fit", "x.parquet", *options, "--out", "m.json", cwd=tmp_path) == 0
    assert weakforce.load(tmp_path / "m.json").n_features_in_ == PLAIN.width
    assert run_here("evaluate", "m.json", "x.parquet", "--target", "^x$", cwd=tmp_path) == 0


def test_reports_take_such_names_as_they_stand():
    from weakforce.report import report_page

    generator = np.random.default_rng(0)
    X = pl.DataFrame({name: generator.normal(size=80) for name in ("^a.*$", "abc", "*")})
    model = weakforce.DiscreteAdaBoostClassifier(n_estimators=5).fit(X, X["abc"].to_numpy() > 0)
    page = report_page(model, X, X["abc"].to_numpy() > 0, n_suspects=0)
    assert all(f">{name}<" in page for name in X.columns)
