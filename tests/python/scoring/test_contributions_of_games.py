"""What columns contribute to scores that are no sums: SFBoost and MartiBoost.

The brute force knows nothing of levels, tables or orders: it replaces unknown columns of a row by
values of the training rows, asks the model for its scores, and averages as Shapley's formula says.
"""

from itertools import product

import numpy as np
import polars as pl
import pytest

import weakforce
from reference.shapley import shapley
from weakforce import (
    MartiBoostClassifier,
    RealAdaBoostClassifier,
    Rule,
    SFBoostClassifier,
    Stump,
    Tree,
    datasets,
)


def small_problem(seed, n_columns=3, n_values=4, n_rows=60):
    """Rows of few different values, some of them missing, and labels that depend on all columns."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, (n_rows, n_columns)).astype(float)
    y = (X.sum(axis=1) + rng.normal(size=n_rows) > X.sum(axis=1).mean()).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    names = [f"c{at}" for at in range(n_columns)]
    return pl.DataFrame(X, schema=names, nan_to_null=True), y


def by_brute_force(model, X, row):
    """The Shapley values of a row and the bias, where unknown columns have values of their own."""
    values = [X[name].value_counts().rows() for name in X.columns]

    def worth(known):
        choices = [
            [(row[at], 1.0)] if at in known else [(v, n / len(X)) for v, n in values[at]]
            for at in range(X.width)
        ]
        cells = list(product(*choices))
        rows = pl.DataFrame([[v for v, _ in cell] for cell in cells], X.schema, orient="row")
        shares = np.array([np.prod([share for _, share in cell]) for cell in cells])
        return float(shares @ model.decision_function(rows))

    return shapley(worth, X.width), worth(frozenset())


GAMES = {
    "sfboost": SFBoostClassifier(n_estimators=8, random_state=0, prune=False),
    "sfboost-rules": SFBoostClassifier(Rule(max_literals=2), n_estimators=8, random_state=0),
    "sfboost-trees": SFBoostClassifier(Tree(max_leaf_nodes=3), n_estimators=6, random_state=0),
    "martiboost": MartiBoostClassifier(n_layers=5),
    "martiboost-trees": MartiBoostClassifier(Tree(max_leaf_nodes=4), n_layers=4),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_brute_force(name, seed):
    X, y = small_problem(seed)
    model = GAMES[name].fit(X, y)
    rows = X.head(6)
    parts = model.contributions(rows, errors=True)
    assert parts.columns == [*X.columns, "bias", *(f"{c} ±" for c in [*X.columns, "bias"])]
    assert not parts.select(parts.columns[X.width + 1 :]).to_numpy().any()
    for at in range(len(rows)):
        expected, bias = by_brute_force(model, X, rows.row(at))
        np.testing.assert_allclose(parts.row(at)[: X.width], expected, atol=1e-9)
        assert parts["bias"][at] == pytest.approx(bias, abs=1e-9)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "shared"])
def test_several_classes_have_values_of_their_own(multi_class):
    X, y = small_problem(5)
    y = y + (X["c0"].fill_null(0) > 2).to_numpy()
    model = SFBoostClassifier(n_estimators=6, random_state=0, multi_class=multi_class).fit(X, y)
    rows = X.head(4)
    parts = model.contributions(rows).drop("row", "class").to_numpy().reshape(4, 3, 4)
    np.testing.assert_allclose(parts.sum(axis=2), model.decision_function(rows), atol=1e-9)
    for at, score in product(range(4), range(3)):

        class One:
            """The score of one class."""

            decision_function = staticmethod(lambda X, at=score: model.decision_function(X)[:, at])

        expected, bias = by_brute_force(One, X, rows.row(at))
        np.testing.assert_allclose(parts[at, score], [*expected, bias], atol=1e-9)


def test_counts_are_exact_for_any_number_of_columns():
    X, y = datasets.make_twonorm(400, seed=2)
    model = SFBoostClassifier(n_estimators=60, random_state=0, prune=False).fit(X, y)
    assert len(np.flatnonzero(model.feature_importances_)) > 12
    parts = model.contributions(X, errors=True)
    assert not parts.select(f"{name} ±" for name in [*X.columns, "bias"]).to_numpy().any()
    sums = parts.select(parts.columns[: X.width + 1]).sum_horizontal()
    np.testing.assert_allclose(sums, model.decision_function(X), atol=1e-9)
    assert_near(parts, model, X, row=3)


def by_random_orders(model, X, row, n_orders=3000):
    """Means of what columns add in random orders from random rows, and their standard errors."""
    rng = np.random.default_rng(0)
    values = X.to_numpy()
    d = X.width
    added = np.empty((n_orders, d + 1))
    orders = rng.permuted(np.tile(np.arange(d), (n_orders, 1)), axis=1)
    # A made-up row has for each column the value of a row of its own.
    starts = values[rng.integers(0, len(X), (n_orders, d)), np.arange(d)]
    rows = np.repeat(starts[:, None, :], d + 1, axis=1)
    for step in range(d):
        for later in range(step + 1, d + 1):
            at = orders[:, step]
            rows[np.arange(n_orders), later, at] = values[row, at]
    frame = pl.DataFrame(rows.reshape(-1, d), X.schema)
    scores = model.decision_function(frame).reshape(n_orders, d + 1)
    np.put_along_axis(added, orders, np.diff(scores, axis=1), axis=1)
    added[:, d] = scores[:, 0]
    return added.mean(axis=0), added.std(axis=0, ddof=1) / np.sqrt(n_orders)


def assert_near(parts, model, X, row, most=4.5):
    """Assert that values and errors are those of orders that are drawn here.

    Where a column matters in few orders, few that are drawn do not know how far they are off.
    """
    width = X.width + 1
    found, errors = np.split(np.array(parts.row(row)), [width])
    expected, off = by_random_orders(model, X, row)
    assert len(errors) == width
    spread = np.hypot(errors, off)
    z = (found - expected)[spread > 0] / spread[spread > 0]
    assert np.abs(z).max() < most
    assert 0.2 < np.mean(z**2) < 2.5
    np.testing.assert_allclose(found[spread == 0], expected[spread == 0], atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_orders", [256, 2000])
def test_estimates_are_as_near_as_their_errors_say(n_orders, seed):
    X, y = datasets.make_waveform(400, seed=1)
    model = MartiBoostClassifier(n_layers=10).fit(X, y)
    parts = model.contributions(X.head(5), n_orders=n_orders, random_state=seed, errors=True)
    assert parts[f"{X.columns[int(model.feature_importances_.argmax())]} ±"].min() > 0
    assert_near(parts, model, X, row=seed, most=6.0 if n_orders < 1000 else 4.5)


def test_estimates_add_up_and_depend_on_the_seed_alone():
    X, y = datasets.make_waveform(1500, seed=3)
    model = MartiBoostClassifier(n_layers=12).fit(X, y)
    assert len(np.flatnonzero(model.feature_importances_)) > 8
    parts = model.contributions(X, n_orders=16, errors=True)
    width = X.width + 1
    sums = parts.select(parts.columns[:width]).sum_horizontal()
    np.testing.assert_allclose(sums, model.decision_function(X), atol=1e-9)
    assert parts["bias"].n_unique() == 1
    again = model.set_params(n_jobs=1).contributions(X, n_orders=16, errors=True)
    assert again.equals(parts)
    some = model.contributions(X[700:710], n_orders=16, errors=True)
    assert some.equals(parts[700:710])
    other = model.contributions(X, n_orders=16, random_state=1)
    assert not other.equals(parts.select(other.columns))
    # Four times as many orders, half the error.
    errors = [
        np.mean(model.contributions(X, n_orders=n, errors=True).to_numpy()[:, width:-1])
        for n in (16, 256)
    ]
    assert errors[1] == pytest.approx(errors[0] / 4, rel=0.3)


@pytest.mark.parametrize("given", [15, 20.5, True, "many", 10**7])
def test_numbers_of_orders_are_checked(given):
    X, y = small_problem(1)
    model = MartiBoostClassifier(n_layers=2).fit(X, y)
    with pytest.raises((TypeError, ValueError), match=r"'n_orders'.*from 16 to 1000000"):
        model.contributions(X, n_orders=given)


def test_sums_have_no_errors_and_columns_called_like_errors_keep_their_name():
    X, y = small_problem(2)
    X = X.rename({"c1": "c0 ±"})
    parts = RealAdaBoostClassifier(Stump(), n_estimators=4).fit(X, y).contributions(X, errors=True)
    assert parts.columns == [*X.columns, "bias", "c0 ±_", "c0 ± ±", "c2 ±", "bias ±"]
    assert not parts.select(parts.columns[4:]).to_numpy().any()


def test_models_without_a_round_have_a_bias_alone():
    X = pl.DataFrame({"c0": [1.0, 1.0, 1.0, 1.0]})
    for model in (SFBoostClassifier(n_estimators=3), MartiBoostClassifier(n_layers=3)):
        model.fit(X, [0, 1, 1, 1])
        parts = model.contributions(X)
        assert parts["c0"].to_list() == [0.0] * 4
        np.testing.assert_allclose(parts["bias"], model.decision_function(X))


def test_files_know_what_is_needed(tmp_path):
    X, y = small_problem(4)
    for name, model in GAMES.items():
        model.fit(X, y).save(tmp_path / f"{name}.json")
        loaded = weakforce.load(tmp_path / f"{name}.json")
        assert loaded.contributions(X).equals(model.contributions(X))
