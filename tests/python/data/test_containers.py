"""Every container a frame can come in gives the same model, byte for byte, and the same scores.

Polars (eager, lazy, in chunks, sliced), pandas, pyarrow, DuckDB and NumPy arrays of any memory
layout; and y as the name of a column in each of them.
"""

import datetime as dt
import json
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from support.registry import every_pair, some_mixed_pairs, weak
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier
from weakforce._fitting import frames

ROWS = 300
GENERATOR = np.random.default_rng(11)


def with_gaps(values) -> list:
    """The values with one in ten missing."""
    gaps = GENERATOR.random(ROWS) < 0.1
    return [None if gap else value for gap, value in zip(gaps, values, strict=True)]


DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=int(i)) for i in GENERATOR.integers(0, 200, ROWS)]
FRAME = pl.DataFrame(
    {
        "float": with_gaps(GENERATOR.normal(size=ROWS)),
        "integer": with_gaps(GENERATOR.integers(-50, 50, ROWS).tolist()),
        "flag": with_gaps((GENERATOR.random(ROWS) < 0.5).tolist()),
        "text": with_gaps(GENERATOR.choice(["red", "green", "blue", "ü"], ROWS).tolist()),
        "date": with_gaps(DAYS),
        "time": with_gaps(
            dt.datetime(2024, 1, 1) + dt.timedelta(seconds=i * i) for i in range(ROWS)
        ),
        "length": with_gaps(dt.timedelta(milliseconds=i % 37) for i in range(ROWS)),
        "price": with_gaps(Decimal(i % 53) / 100 for i in range(ROWS)),
        "kind": with_gaps(GENERATOR.choice(["x", "y", "z"], ROWS).tolist()),
    },
    schema_overrides={"kind": pl.Categorical, "price": pl.Decimal(10, 2), "float": pl.Float64},
)

# Every column has its say.
ORDERED = ["float", "integer", "date", "time", "length", "price"]
VOTES = FRAME.select(
    pl.sum_horizontal(
        *(pl.col(name) > pl.col(name).sort().get(ROWS // 2) for name in ORDERED),
        *("flag", pl.col("text") > "green", pl.col("kind").cast(pl.String) == "y"),
    )
).to_series()
LABELS = (VOTES > 4).cast(pl.Int64).to_numpy()


def chunked() -> pl.DataFrame:
    """The frame in pieces, whose columns do not even break at the same rows."""
    pieces = [FRAME[:1], FRAME[1:100], FRAME[100:100], FRAME[100:257], FRAME[257:]]
    frame = pl.concat(pieces, rechunk=False)
    assert frame.n_chunks() > 3
    return frame.with_columns(pl.concat([FRAME["text"][:33], FRAME["text"][33:]], rechunk=False))


def sliced() -> pl.DataFrame:
    """The frame as the middle of a longer one, off every byte border."""
    return pl.concat([FRAME.reverse(), FRAME, FRAME.reverse()]).rechunk()[ROWS : 2 * ROWS]


def filtered_pandas() -> pd.DataFrame:
    """A pandas frame with gaps in its index."""
    doubled = pl.concat([FRAME, FRAME.reverse()]).to_pandas().sample(frac=1, random_state=1)
    kept = doubled[doubled.index < ROWS].sort_index()
    kept.index = kept.index * 3 + 7
    return kept


def pandas_with(**types) -> pd.DataFrame:
    return FRAME.to_pandas().astype(types)


def arrow_with(**types) -> pa.Table:
    table = FRAME.to_arrow()
    for name, dtype in types.items():
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table[name].cast(dtype))
    return table


CONTAINERS = {
    "lazy": FRAME.lazy,
    "chunked": chunked,
    "sliced": sliced,
    "pandas": pandas_with,
    "pandas filtered": filtered_pandas,
    "pandas nullable": lambda: pandas_with(integer="Int64", flag="boolean", float="Float64"),
    "pandas strings": lambda: pandas_with(text="string", kind=object),
    "pandas categories": lambda: pandas_with(text="category"),
    "pandas arrow types": lambda: FRAME.to_pandas(use_pyarrow_extension_array=True),
    "pandas seconds": lambda: pandas_with(time="datetime64[s]", length="timedelta64[ns]"),
    "pyarrow": FRAME.to_arrow,
    "pyarrow batch": lambda: FRAME.to_arrow().combine_chunks().to_batches()[0],
    "pyarrow reader": lambda: FRAME.to_arrow().to_reader(max_chunksize=41),
    "pyarrow sliced": lambda: pa.concat_tables([FRAME.to_arrow()] * 2).slice(ROWS),
    "pyarrow small": lambda: arrow_with(
        text=pa.string(), integer=pa.int8(), price=pa.decimal64(9, 3)
    ),
    "pyarrow large": lambda: arrow_with(text=pa.large_string(), price=pa.decimal256(50, 2)),
    "pyarrow views": lambda: arrow_with(text=pa.string_view(), time=pa.timestamp("ns", "UTC")),
    "pyarrow dictionary": lambda: arrow_with(text=pa.dictionary(pa.uint16(), pa.large_string())),
}


def model_bytes(model) -> bytes:
    """All of a model but its estimator's parameters."""
    return model.fitted_model_.core.to_json("null")


@pytest.fixture(scope="module")
def reference():
    return RealAdaBoostClassifier(n_estimators=60).fit(FRAME, LABELS)


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_gives_the_same_model(name, reference):
    model = RealAdaBoostClassifier(n_estimators=60).fit(CONTAINERS[name](), LABELS)
    assert model_bytes(model) == model_bytes(reference)
    assert model.feature_names_in_.tolist() == FRAME.columns


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_gives_the_same_scores(name, reference):
    scores = reference.decision_function(FRAME)
    assert np.array_equal(reference.decision_function(CONTAINERS[name]()), scores)
    assert len(set(scores)) > 100


def test_the_reference_model_looks_at_every_column(reference):
    assert (reference.feature_importances_ > 0).all()


NAMED_TARGETS = {
    "polars": lambda frame: frame,
    "lazy": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
    "pandas filtered": lambda frame: frame.to_pandas().set_index(np.arange(ROWS) * 2 + 1),
    "pyarrow": lambda frame: frame.to_arrow(),
}


@pytest.mark.parametrize("name", NAMED_TARGETS)
def test_y_may_name_a_column(name, reference):
    X = NAMED_TARGETS[name](
        FRAME.with_columns(target=LABELS).select("target", pl.all().exclude("target"))
    )
    model = RealAdaBoostClassifier(n_estimators=60).fit(X, "target")
    assert model_bytes(model) == model_bytes(reference)
    margins = reference.margins(FRAME, LABELS)
    assert np.array_equal(model.margins(X, "target"), margins)
    validated = RealAdaBoostClassifier(n_estimators=4).fit(X, "target", X_val=X, y_val="target")
    assert np.allclose(validated.validation_score_, validated.train_score_)


def test_a_duckdb_relation_gives_the_same_model_and_scores():
    # DuckDB has no plain durations, only calendar intervals.
    X = FRAME.drop("length")
    relation = duckdb.from_arrow(X.with_columns(target=LABELS).to_arrow())
    expected = RealAdaBoostClassifier(n_estimators=60).fit(X, LABELS)
    features = relation.project(", ".join(X.columns))
    for model in (
        RealAdaBoostClassifier(n_estimators=60).fit(features, LABELS),
        RealAdaBoostClassifier(n_estimators=60).fit(relation, "target"),
    ):
        assert model_bytes(model) == model_bytes(expected)
    scores = expected.decision_function(X)
    assert np.array_equal(expected.decision_function(relation), scores)
    enum = relation.project("* replace (text::enum('unseen', 'ü', 'blue', 'green', 'red') as text)")
    assert np.array_equal(expected.decision_function(enum), scores)


def test_naming_the_target_keeps_the_types_of_the_other_columns():
    codes = pd.Categorical([3, 1, 2, 1] * 10)
    levels = pd.Categorical(["lo", "hi"] * 20, categories=["never", "lo", "hi"], ordered=True)
    X = pd.DataFrame({"codes": codes, "levels": levels, "y": [0, 1, 1, 0] * 10})
    for frame in (X, pa.Table.from_pandas(X)):
        model = DiscreteAdaBoostClassifier(n_estimators=3).fit(frame, "y")
        features = json.loads(model_bytes(model))["features"]
        assert features[0]["categories"] == ["1", "2", "3"]
        assert features[1]["categories"] == ["never", "lo", "hi"]


def test_categorical_features_are_named_in_every_container():
    X = pl.DataFrame({"a": np.zeros(40), "code": np.arange(40) % 8})
    y = np.arange(40) % 2
    table = X.to_arrow()
    for frame in (X, X.lazy(), X.to_pandas(), table, table.to_reader(), duckdb.from_arrow(table)):
        model = DiscreteAdaBoostClassifier(n_estimators=1, categorical_features=["code"])
        assert model.fit(frame, y).score(X, y) == 1.0


def test_pandas_categories_of_integers_are_categories():
    X = pd.DataFrame({"code": pd.Categorical(np.arange(40) % 8)})
    y = np.arange(40) % 2
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.predict(X[X["code"].isin([3, 4])]).tolist() == [1, 0] * 5


def test_negative_decimals_keep_their_value_at_every_width():
    numbers = [-300.25, -2.5, -0.01, 0.0, 0.01, 2.5, 300.25, None]
    for dtype in (
        pa.decimal32(9, 2),
        pa.decimal64(9, 2),
        pa.decimal128(9, 2),
        pa.decimal256(50, 2),
    ):
        decimals = [None if x is None else Decimal(str(x)) for x in numbers]
        X = pa.table({"x": pa.array(decimals, dtype)})
        model = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, [0, 1] * 4)
        cuts = json.loads(model_bytes(model))["features"][0]["cuts"]
        assert cuts == [-200.0, -1.0, -0.005, 0.005, 1.0, 200.0], dtype


ARRAY = np.random.default_rng(2).integers(0, 100, (ROWS, 4)).astype(np.float64)


def unaligned() -> np.ndarray:
    raw = np.zeros(ARRAY.nbytes + 1, np.uint8)
    view = raw[1:].view(np.float64).reshape(ARRAY.shape)
    view[:] = ARRAY
    assert not view.flags.aligned
    return view


def read_only() -> np.ndarray:
    array = ARRAY.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "fortran": lambda: np.asfortranarray(ARRAY),
    "rows backwards": lambda: ARRAY[::-1].copy()[::-1],
    "both backwards": lambda: np.ascontiguousarray(ARRAY[::-1, ::-1])[::-1, ::-1],
    "every second": lambda: np.repeat(np.repeat(ARRAY, 2, axis=0), 3, axis=1)[::2, ::3],
    "big-endian": lambda: ARRAY.astype(">f8"),
    "big-endian integers": lambda: ARRAY.astype(">i4"),
    "read-only": read_only,
    "unaligned": unaligned,
    "long double": lambda: ARRAY.astype(np.longdouble),
    "objects": lambda: ARRAY.astype(object),
    "lists": lambda: ARRAY.tolist(),
    **{
        f"{dtype} {order}": lambda dtype=dtype, order=order: ARRAY.astype(dtype, order=order)
        for dtype in ("f2", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
        for order in "CF"
    },
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_array_gives_the_same_model_and_scores(name):
    booster = DiscreteAdaBoostClassifier(n_estimators=30)
    expected = booster.fit(ARRAY, LABELS)
    scores, stored = expected.decision_function(ARRAY), model_bytes(expected)
    model = DiscreteAdaBoostClassifier(n_estimators=30).fit(LAYOUTS[name](), LABELS)
    assert model_bytes(model) == stored
    assert np.array_equal(expected.decision_function(LAYOUTS[name]()), scores)
    assert not hasattr(model, "feature_names_in_")


def test_an_array_of_booleans_counts_as_zero_and_one():
    flags = ARRAY > 50
    of_flags = DiscreteAdaBoostClassifier(n_estimators=9).fit(flags, LABELS)
    of_numbers = DiscreteAdaBoostClassifier(n_estimators=9).fit(flags.astype(float), LABELS)
    as_numbers = model_bytes(of_flags).replace(b'"kind":"boolean"', b'"kind":"number"')
    assert as_numbers == model_bytes(of_numbers) != model_bytes(of_flags)


@pytest.mark.parametrize("name", ["chunked", "pandas", "pyarrow views", "pyarrow dictionary"])
@some_mixed_pairs
def test_every_learner_reads_every_container_alike(booster, learner, name):
    model = booster(weak(booster, learner), n_estimators=8)
    models = [clone(model).fit(X, LABELS) for X in (FRAME, CONTAINERS[name]())]
    assert model_bytes(models[0]) == model_bytes(models[1])
    scores = models[0].decision_function(FRAME)
    assert np.array_equal(models[1].decision_function(CONTAINERS[name]()), scores)


@every_pair
def test_arrays_and_frames_of_the_same_numbers_score_alike(booster, learner):
    frame = pl.DataFrame(ARRAY, schema=["a", "b", "c", "d"])
    model = booster(weak(booster, learner), n_estimators=8, random_state=0)
    of_frame, of_array = (clone(model).fit(X, LABELS) for X in (frame, ARRAY))
    scores = of_frame.decision_function(frame)
    for model, X in ((of_frame, ARRAY), (of_array, frame), (of_array, ARRAY)):
        assert np.array_equal(model.decision_function(X), scores)


def test_masked_entries_are_missing():
    hidden = np.arange(ARRAY.size).reshape(ARRAY.shape) % 7 == 0
    masked = np.ma.MaskedArray(ARRAY, mask=hidden)
    with_gaps = np.where(hidden, np.nan, ARRAY.astype(float))
    of_masked, of_gaps = (
        DiscreteAdaBoostClassifier(n_estimators=9).fit(X, LABELS) for X in (masked, with_gaps)
    )
    assert model_bytes(of_masked) == model_bytes(of_gaps)


@some_mixed_pairs
def test_frames_in_pieces_are_read_in_place(booster, learner, monkeypatch):
    monkeypatch.setattr(frames, "_PIECE_ROWS", 1)
    whole = FRAME.drop("kind")
    # Not dropped, because Polars would make one chunk of columns that break at different rows.
    pieces = pl.DataFrame([chunked()[name] for name in whole.columns])
    n_chunks = pieces.n_chunks("all")
    assert len(set(n_chunks)) > 1
    model = booster(weak(booster, learner), n_estimators=8)
    models = [clone(model).fit(X, LABELS) for X in (whole, pieces)]
    assert model_bytes(models[0]) == model_bytes(models[1])
    scores = models[0].decision_function(whole)
    assert np.array_equal(models[1].decision_function(pieces), scores)
    # To hand it out in one, Polars would have made one chunk of the user's own frame.
    assert pieces.n_chunks("all") == n_chunks


def test_small_pieces_and_categories_are_copied_into_one():
    assert isinstance(frames.as_frame(chunked()), pl.DataFrame)
    large = pl.concat([FRAME] * 100, rechunk=False)
    assert isinstance(frames.as_frame(large), pl.DataFrame)
    halves = pl.concat([large.rechunk()] * 2, rechunk=False)
    assert isinstance(frames.as_frame(halves), pl.DataFrame)
    pieces = frames.as_frame(halves.drop("kind"))
    assert [len(piece) for piece in pieces] == [100 * ROWS, 100 * ROWS]
    assert pieces.columns == halves.drop("kind").columns
