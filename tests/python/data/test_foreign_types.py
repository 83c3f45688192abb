"""Columns of types that Polars, Arrow or NumPy do not have are refused by name.

No exception of another library comes through, and nothing is printed.
"""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.tree import DecisionTreeClassifier

from weakforce import RealAdaBoostClassifier, bias_variance, suspect_labels

ROWS = 30
Y = np.arange(ROWS) % 2
COLUMNS = {
    "decimal256": pa.array([Decimal(i) for i in range(ROWS)], pa.decimal256(50, 1)),
    "sparse_union": pa.UnionArray.from_sparse(
        pa.array([0] * ROWS, pa.int8()), [pa.array(range(ROWS)), pa.array(["b"] * ROWS)]
    ),
    "run_end_encoded": pa.RunEndEncodedArray.from_arrays([12, ROWS], ["a", "b"]),
}


def external() -> RealAdaBoostClassifier:
    return RealAdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=2)


def own() -> RealAdaBoostClassifier:
    return RealAdaBoostClassifier(n_estimators=2)


CALLS = {
    "suspect_labels": lambda X: suspect_labels(X, Y, own()),
    "suspect_labels by the default": lambda X: suspect_labels(X, Y),
    "a foreign learner": lambda X: external().fit(X, Y),
    "a foreign learner of a stream": lambda X: external().fit(X.to_reader(), Y),
    "bias_variance": lambda X: bias_variance(own(), X, Y, X, Y, n_repetitions=2),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_types_that_polars_does_not_have_are_refused_by_column(kind, call, capfd):
    X = pa.table({"size": np.arange(ROWS), "odd": COLUMNS[kind]})
    with pytest.raises(TypeError, match=f"column 'odd' has type {kind}.*expected numbers"):
        CALLS[call](X)
    assert capfd.readouterr() == ("", "")


def test_the_core_reads_decimals_of_any_width():
    X = pa.table({"odd": COLUMNS["decimal256"]})
    as_floats = np.arange(float(ROWS))[:, None]
    expected = own().fit(as_floats, Y).decision_function(as_floats)
    assert np.array_equal(own().fit(X, Y).decision_function(X), expected)


FRAMES = {
    "complex": pd.DataFrame({"odd": np.arange(ROWS) * 1j}),
    "mixed": pd.DataFrame({"odd": ["a", 1] * (ROWS // 2)}),
    "objects": pd.DataFrame({"odd": [{}, 1] * (ROWS // 2)}),
    "sparse": pd.DataFrame({"odd": pd.arrays.SparseArray(np.arange(ROWS))}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_columns_that_pandas_cannot_hand_over_are_named(name):
    fitted = own().fit(pd.DataFrame({"odd": np.arange(ROWS)}), Y)
    for call in (
        lambda: own().fit(FRAMES[name], Y),
        lambda: fitted.predict(FRAMES[name]),
        lambda: suspect_labels(FRAMES[name], Y, own()),
        lambda: external().fit(FRAMES[name], Y),
    ):
        with pytest.raises(
            (TypeError, ValueError), match=r"X cannot be read.*column.*odd"
        ) as caught:
            call()
        assert caught.type in (TypeError, ValueError)
