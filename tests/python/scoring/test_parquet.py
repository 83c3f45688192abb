"""Parquet files that the core reads itself are scored as their rows are in memory, to the bit.

Whatever wrote the file, however it is cut into row groups and tiles; what the core cannot read it
leaves to others, and damaged files end in an error that names the column.
"""

import io
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weakforce
from support.column_types import series_by_type
from support.mixed_frames import mixed_frame, noisy_labels
from support.random_frames import problems
from support.registry import every_mixed_pair, weak
from weakforce import (
    DiscreteAdaBoostClassifier,
    RBFNet,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    Tree,
    _core,
)

MANY = 10**7
TYPES = series_by_type()
#: Types that Parquet, or its Rust reader, does not have.
FOREIGN = ("Int128", "UInt128")


def opened(model, path, tile_cells=MANY, n_jobs=None):
    return _core.ParquetScores.open(model.fitted_model_.core, path, n_jobs, tile_cells)


def scores_of(model, path, tile_cells=MANY, n_jobs=None) -> np.ndarray:
    tiles = opened(model, path, tile_cells, n_jobs)
    assert tiles is not None
    return np.concatenate(list(tiles))


@pytest.fixture(scope="module")
def rows():
    return mixed_frame(1_500, 7)


@pytest.fixture(scope="module")
def model():
    train = mixed_frame(500, 1)
    return RealAdaBoostClassifier(Tree(max_leaf_nodes=6), n_estimators=10).fit(
        train, noisy_labels(train, 2)
    )


@every_mixed_pair
def test_every_model_scores_a_file_as_it_scores_the_frame(booster, learner, rows, tmp_path):
    train = mixed_frame(300, 1)
    model = booster(weak(booster, learner), n_estimators=5).fit(train, noisy_labels(train, 2))
    path = tmp_path / "rows.parquet"
    rows.write_parquet(path, row_group_size=400)
    expected = model.fitted_model_.core.decision_function(rows, None)
    assert (scores_of(model, path, 1_000) == expected).all()


def test_rows_with_several_scores_keep_their_order(rows, tmp_path):
    train = mixed_frame(500, 1)
    labels = np.random.default_rng(3).integers(0, 4, 500) * noisy_labels(train, 2)
    model = SAMMEClassifier(Rule(), n_estimators=10).fit(train, labels)
    rows.write_parquet(tmp_path / "rows.parquet", row_group_size=200)
    found = scores_of(model, tmp_path / "rows.parquet", 3_000)
    assert found.shape == (1_500, 4)
    assert (found == model.decision_function(rows)).all()


@pytest.mark.parametrize("tile_cells", [0, 5, 100, 2_000, 30_000, MANY])
@pytest.mark.parametrize("row_group", [1, 7, 100, 1_499, 5_000])
def test_neither_tiles_nor_row_groups_nor_threads_change_a_score(
    model, rows, tmp_path, tile_cells, row_group
):
    rows = rows[:200] if row_group == 1 or tile_cells == 0 else rows
    path = tmp_path / "rows.parquet"
    pq.write_table(rows.to_arrow(), path, row_group_size=row_group)
    expected = model.decision_function(rows)
    for n_jobs in (1, 3):
        tiles = list(opened(model, path, tile_cells, n_jobs))
        assert (np.concatenate(tiles) == expected).all()
    # Of five columns, a tile has a fifth of the cells; row groups of up to four tiles stay whole.
    most = max(1, tile_cells // 5)
    assert max(map(len, tiles)) <= max(most, min(row_group, 4 * most))


def test_row_groups_without_rows_are_passed_over(model, rows, tmp_path):
    path = tmp_path / "rows.parquet"
    table = rows.to_arrow()
    with pq.ParquetWriter(path, table.schema) as writer:
        for start, length in ((0, 0), (0, 800), (800, 0), (800, 0), (800, 50), (850, 650), (0, 0)):
            writer.write_table(table.slice(start, length))
    assert pq.ParquetFile(path).num_row_groups == 7
    expected = model.decision_function(rows)
    for tile_cells in (500, 3_000, MANY):
        assert (scores_of(model, path, tile_cells) == expected).all()


def test_models_that_look_at_no_column_count_the_rows(rows, tmp_path):
    constant = pl.DataFrame({"fine": [1.0] * 8})
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(constant, [0, 1] * 4)
    rows.write_parquet(tmp_path / "rows.parquet", row_group_size=100)
    found = scores_of(model, tmp_path / "rows.parquet", 700)
    assert (found == model.decision_function(rows)).all()
    assert model.n_iter_ == 0


def test_a_file_of_many_pages_is_read_through(model, tmp_path):
    rows = mixed_frame(60_000, 9)
    path = tmp_path / "rows.parquet"
    pq.write_table(rows.to_arrow(), path, data_page_size=2_000, row_group_size=60_000)
    expected = model.decision_function(rows)
    for tile_cells in (20_000, MANY):
        assert (scores_of(model, path, tile_cells) == expected).all()


@pytest.mark.parametrize("name", [name for name in TYPES if name not in FOREIGN])
def test_every_type_is_read_as_polars_reads_it(name, tmp_path):
    X = pl.DataFrame({"x": TYPES[name].sample(200, with_replacement=True, seed=1)})
    X = X.with_columns(pl.when(pl.int_range(pl.len()) % 9 > 0).then(pl.col("x")))
    y = X["x"].rank("dense").fill_null(0).to_numpy() % 3 == 0
    model = RealAdaBoostClassifier(n_estimators=8).fit(X, y)
    path = tmp_path / "x.parquet"
    X.write_parquet(path, row_group_size=64)
    expected = model.decision_function(pl.read_parquet(path))
    assert len(set(expected.tolist())) > 1
    assert (scores_of(model, path) == expected).all()
    # As another writer, who knows nothing of Polars' types, would have it.
    if name not in ("Null", "Decimal 38"):
        pq.write_table(pa.table(X.to_arrow()), path, store_schema=False)
        reread = pl.read_parquet(path)
        found = opened(model, path)
        if found is None:  # without its schema a duration is a number, which the model refuses
            with pytest.raises(TypeError, match="as during fit"):
                model.decision_function(reread)
        else:
            assert (np.concatenate(list(found)) == model.decision_function(reread)).all()


@pytest.mark.parametrize(
    "how",
    [
        {"compression": "none"},
        {"compression": "snappy"},
        {"compression": "zstd"},
        {"compression": "lz4"},
        {"use_dictionary": False},
        {"data_page_version": "2.0"},
        {"data_page_version": "2.0", "compression": "zstd"},
        {"use_dictionary": False, "column_encoding": {"fine": "BYTE_STREAM_SPLIT"}},
        {
            "use_dictionary": False,
            "column_encoding": {"coarse": "DELTA_BINARY_PACKED", "word": "DELTA_BYTE_ARRAY"},
        },
        {"version": "1.0", "write_statistics": False},
    ],
)
def test_encodings_and_compressions_do_not_matter(model, rows, tmp_path, how):
    path = tmp_path / "rows.parquet"
    pq.write_table(rows.to_arrow(), path, row_group_size=400, **how)
    assert (scores_of(model, path) == model.decision_function(rows)).all()


def test_files_of_duckdb_and_pandas_are_read(model, rows, tmp_path):
    expected = model.decision_function(rows)
    duckdb.from_arrow(rows.to_arrow()).write_parquet(str(tmp_path / "duck.parquet"))
    assert (scores_of(model, tmp_path / "duck.parquet") == expected).all()
    frame = rows.to_pandas()
    frame["word"] = frame["word"].astype("category")
    frame.to_parquet(tmp_path / "pandas.parquet")
    assert (scores_of(model, tmp_path / "pandas.parquet") == expected).all()


def test_categories_of_any_type_and_unseen_ones_are_what_they_are_in_memory(model, tmp_path):
    rows = mixed_frame(300, 5, words=["word 3", "never seen", "word 13"])
    expected = model.decision_function(rows)
    for dtype in (pl.String, pl.Categorical, pl.Enum(["never seen", "word 13", "word 3", "z"])):
        path = tmp_path / "rows.parquet"
        rows.with_columns(pl.col("word").cast(dtype)).write_parquet(path, row_group_size=70)
        assert (scores_of(model, path) == expected).all()


@pytest.mark.slow
@given(problems(), st.integers(1, 50), st.integers(0, 200))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_frames_are_scored_as_in_memory_or_left_alone(problem, row_group, tile_cells):
    X, y, weights = problem
    try:
        model = RealAdaBoostClassifier(Rule(), n_estimators=4).fit(X, y, weights)
    except ValueError:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.parquet")
        X.write_parquet(path, row_group_size=row_group)
        tiles = opened(model, path, tile_cells)
        if tiles is None:
            assert any(dtype in (pl.Int128, pl.Null) for dtype in X.dtypes)
            return
        expected = model.decision_function(pl.read_parquet(path))
        assert (np.concatenate(list(tiles)) == expected).all()


def test_what_others_have_to_read_is_left_to_them(model, rows, tmp_path):
    path = tmp_path / "rows.parquet"

    def is_left(frame=rows, of=model, **how):
        pq.write_table(frame.to_arrow(), path, **how)
        return opened(of, path) is None

    assert not is_left()
    assert is_left(rows.head(0))
    assert is_left(rows.drop("fine"))
    assert is_left(rows.rename({"fine": "Fine"}))
    assert is_left(rows.with_columns(pl.col("fine").cast(pl.String)))
    assert is_left(rows.with_columns(pl.col("word").str.len_chars()))
    assert is_left(rows.with_columns(fine=pl.struct("fine", "coarse")))
    assert is_left(rows.with_columns(fine=pl.concat_list("fine")))
    assert is_left(compression="gzip")
    assert is_left(compression="brotli")
    assert opened(model, tmp_path) is None
    assert opened(model, tmp_path / "nowhere.parquet") is None
    path.write_bytes(b"PAR1 is not enough PAR1")
    assert opened(model, path) is None
    numbers = rows.select(pl.col("fine").fill_null(0).clip(-9, 9))
    net = RealAdaBoostClassifier(RBFNet(n_centers=2), n_estimators=2, random_state=0).fit(
        numbers, numbers["fine"] > 0
    )
    assert is_left(numbers, of=net)
    unnamed = RealAdaBoostClassifier(n_estimators=2).fit(numbers.to_numpy(), numbers["fine"] > 0)
    assert is_left(numbers, of=unnamed)


def test_further_columns_of_any_kind_and_order_do_not_matter(model, rows, tmp_path):
    path = tmp_path / "rows.parquet"
    more = rows.select(
        pl.struct("code", "fine").alias("both"),
        pl.concat_list("code").alias("list"),
        *reversed(rows.columns),
        pl.lit("x").cast(pl.Binary).alias("bytes"),
    )
    more.write_parquet(path)
    assert (scores_of(model, path) == model.decision_function(rows)).all()


def damaged(rows: pl.DataFrame, column: str) -> bytes:
    """A file of which the data of one column are nonsense."""
    file = io.BytesIO()
    pq.write_table(rows.to_arrow(), file, compression="zstd")
    content = bytearray(file.getvalue())
    chunk = pq.ParquetFile(file).metadata.row_group(0).column(rows.columns.index(column))
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    for at in range(start, start + chunk.total_compressed_size):
        content[at] = 0xFF
    return bytes(content)


def test_columns_that_no_hypothesis_looks_at_are_not_read(rows, tmp_path):
    model = RealAdaBoostClassifier(n_estimators=1).fit(rows, rows["code"].fill_null(0) > 4)
    assert model.estimators_[0].name == "code"
    path = tmp_path / "rows.parquet"
    path.write_bytes(damaged(rows, "word"))
    assert (scores_of(model, path) == model.decision_function(rows)).all()


def test_damaged_columns_are_named(model, rows, tmp_path):
    path = tmp_path / "rows.parquet"
    path.write_bytes(damaged(rows, "word"))
    for tile_cells in (100, MANY):
        with pytest.raises(OSError, match="column 'word': "):
            scores_of(model, path, tile_cells)


@pytest.mark.slow
def test_damage_is_an_error_that_prints_nothing(model, rows, tmp_path, capfd):
    file = io.BytesIO()
    pq.write_table(rows[:300].to_arrow(), file, row_group_size=128, data_page_size=512)
    whole = file.getvalue()
    generator = np.random.default_rng(11)
    path = tmp_path / "rows.parquet"
    n_read = n_refused = 0
    for _ in range(600):
        content = bytearray(whole)
        for at in generator.integers(0, len(content), generator.integers(1, 6)):
            content[at] = generator.integers(0, 256)
        if generator.random() < 0.2:
            content = content[: generator.integers(0, len(content))]
        path.write_bytes(content)
        try:
            tiles = opened(model, path, 100)
            n_read += tiles is not None and len(np.concatenate(list(tiles))) >= 0
        except OSError:
            n_refused += 1
    assert n_read > 50
    assert n_refused > 50
    assert capfd.readouterr() == ("", "")


def test_a_file_that_shrinks_is_an_error(model, rows, tmp_path):
    path = tmp_path / "rows.parquet"
    rows.write_parquet(path, row_group_size=100)
    tiles = opened(model, path, 500)
    next(tiles)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(OSError, match="column 'fine'"):
        list(tiles)


def test_models_of_files_read_files_too(model, rows, tmp_path):
    model.save(tmp_path / "model.json")
    rows.write_parquet(tmp_path / "rows.parquet")
    loaded = weakforce.load(tmp_path / "model.json")
    found = scores_of(loaded, tmp_path / "rows.parquet")
    assert (found == model.decision_function(rows)).all()
