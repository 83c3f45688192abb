"""Numbers that are too many to be classes are refused with advice, before they take memory."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import weakforce
from support.command_runs import run_here
from weakforce._estimator.base import estimators

N_ROWS = 600
NUMBERS = np.arange(N_ROWS) % 300
X = np.column_stack([NUMBERS % 17, NUMBERS // 17]).astype(float)
MESSAGE = (
    "y: got 300 different integers in 600 rows, expected classes: if they are classes, cast them "
    "to strings or a categorical; if they are quantities, this is not a regression library"
)


@pytest.mark.parametrize("estimator", estimators())
def test_every_estimator_refuses_hundreds_of_integers(estimator):
    with pytest.raises(ValueError, match=MESSAGE):
        estimator().fit(X, NUMBERS)


def test_suspect_labels_refuses_them_too():
    with pytest.raises(ValueError, match=MESSAGE):
        weakforce.suspect_labels(X, NUMBERS)


@pytest.mark.parametrize(
    "y",
    [
        pl.Series(NUMBERS),
        NUMBERS.tolist(),
        NUMBERS.astype(object),
        NUMBERS.astype(np.uint16),
        pd.Series(NUMBERS),
        pd.Series(NUMBERS).astype("Int64"),
        NUMBERS.astype(float),
        pl.Series(NUMBERS, dtype=pl.Float32),
    ],
    ids=["polars", "list", "object", "uint16", "pandas", "nullable", "float", "float32"],
)
def test_integers_and_whole_floats_of_all_containers_are_refused(y):
    with pytest.raises(ValueError, match=r"got 300 different (integers|whole numbers) in 600 rows"):
        weakforce.SAMMEClassifier().fit(X, y)


TEXTS = np.array([f"{number:03}" for number in NUMBERS])


@pytest.mark.parametrize(
    "y",
    [
        TEXTS,
        pl.Series(TEXTS, dtype=pl.Categorical),
        pl.Series(TEXTS, dtype=pl.Enum(np.unique(TEXTS))),
        pd.Series(NUMBERS).astype("category"),
    ],
    ids=["strings", "categorical", "enum", "pandas"],
)
def test_strings_and_categoricals_never_are(y):
    model = weakforce.SAMMEClassifier(n_estimators=2).fit(X, y)
    assert len(model.classes_) == 300


@pytest.mark.parametrize(
    ("n_classes", "n_rows", "refused"),
    [
        (100, 100, False),  # a hundred classes are always classes
        (101, 5049, True),
        (101, 5050, False),  # fifty rows each
        (1000, 50_000, False),
        (1001, 200_000, True),
    ],
)
def test_the_rule_counts_numbers_and_rows_for_each(n_classes, n_rows, refused):
    from weakforce._fitting.labels import encode_labels

    y = np.arange(n_rows) % n_classes
    if refused:
        with pytest.raises(ValueError, match=f"got {n_classes} different integers"):
            encode_labels(y, "estimator")
    else:
        assert len(encode_labels(y, "estimator")[0]) == n_classes


@pytest.mark.slow
def test_a_thousand_classes_are_fitted_as_strings():
    codes = np.arange(3000) % 1000
    columns = np.column_stack([codes % 32, codes // 32]).astype(float)
    y = np.array([f"class {code:03}" for code in codes])
    model = weakforce.SAMMEClassifier(n_estimators=1).fit(columns, y)
    assert len(model.classes_) == 1000


def test_the_command_line_says_the_same_in_one_line(tmp_path, capsys):
    frame = pl.DataFrame({"a": X[:, 0], "weight": NUMBERS})
    frame.write_csv(tmp_path / "data.csv")
    asked = ("fit", "data.csv", "--target", "weight", "--out", "model.json")
    assert run_here(*asked, cwd=tmp_path) == 1
    assert capsys.readouterr().err == f"weakforce: {MESSAGE}\n"
    assert not (tmp_path / "model.json").exists()
