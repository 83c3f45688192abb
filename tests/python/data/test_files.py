"""Fits to files, tile by tile: the same model as from the frame that the files hold, to the byte.

In: a frame of numbers, codes, words, times and gaps in Parquet, CSV and Arrow files. Out: models
whose files are those of fits in memory; errors that name the file and the column.
"""

import os
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

import weakforce
from support.mixed_frames import mixed_frame, noisy_labels
from support.registry import every_mixed_pair, in_rounds, some_mixed_pairs, weak
from weakforce import DiscreteAdaBoostClassifier, RBFNet, Tree
from weakforce._files import batches
from weakforce._fitting.tiled_frames import TiledFrame, tiled
from weakforce._reading.model_file import to_bytes

N_ROWS = 400


def labelled(n_rows=N_ROWS, seed=0):
    frame = mixed_frame(n_rows, seed)
    start = datetime(2024, 1, 1)
    return frame.with_columns(
        pl.Series("when", [start + timedelta(hours=7 * row % 501) for row in range(n_rows)]),
        pl.col("code").cast(pl.Float32),
        pl.Series("weight", np.random.default_rng(seed + 1).integers(0, 4, n_rows)),
        pl.Series("label", noisy_labels(frame, seed)).replace_strict({True: "yes", False: "no"}),
    )


def write_parts(frame, folder, ends, **how):
    """Write the rows between the ends to one Parquet file each; return their names."""
    names = []
    for at, (start, end) in enumerate(zip([0, *ends], [*ends, len(frame)], strict=True)):
        names.append(str(folder / f"part-{at:02}.parquet"))
        frame[start:end].write_parquet(names[-1], **how)
    return names


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of a few rows, so that small files come in several."""
    monkeypatch.setattr(batches, "_FEWEST", 1)
    monkeypatch.setattr(batches, "_BATCH_BYTES", 3_000)


@pytest.fixture
def parts(tmp_path, small_tiles):
    """A frame, and its rows in three files of several row groups."""
    frame = labelled()
    return frame, write_parts(frame, tmp_path, [7, 250], row_group_size=23)


def model_bytes(model):
    return to_bytes(model.fitted_model_, model._saved_parameters())


def assert_same(model, found, expected, **named):
    """Fit the model to both and compare the bytes of the files."""
    want = model_bytes(model.fit(expected, "label", **named))
    weights = model.row_weights_
    assert model_bytes(model.fit(found, "label", **named)) == want
    np.testing.assert_array_equal(model.row_weights_, weights)


@pytest.fixture(params=["columns", "tiles"])
def reading(request, monkeypatch):
    """Read columns in the core, and frames of all columns as where it cannot."""
    if request.param == "tiles":
        monkeypatch.setattr(TiledFrame, "parquet_files", None)


@some_mixed_pairs
def test_every_booster_fits_files_as_it_fits_their_frame(parts, reading, booster, learner):
    frame, names = parts
    model = booster(weak(booster, learner), max_bins=17, **in_rounds(booster, 4))
    assert_same(model, names, frame, sample_weight="weight")


def test_the_core_reads_plain_parquet_files_itself(parts, monkeypatch):
    frame, names = parts
    monkeypatch.setattr(TiledFrame, "tiles", lambda self: pytest.fail(f"{self} came in tiles"))
    assert_same(DiscreteAdaBoostClassifier(Tree(), n_estimators=3), names, frame)


@pytest.mark.slow
@every_mixed_pair
def test_without_weights_and_with_validation_rows(parts, booster, learner):
    frame, names = parts
    rest = frame.drop("weight")
    model = booster(weak(booster, learner), random_state=0, **in_rounds(booster, 3))
    if "early_stopping" in model.get_params():
        model.set_params(early_stopping=True, validation_fraction=0.3)
    assert_same(model, pl.scan_parquet(names).drop("weight"), rest)


def test_the_default_estimator(parts):
    frame, names = parts
    model = weakforce.WeakForceClassifier(n_estimators=5, random_state=3)
    assert_same(model, names, frame)
    oob = model.oob_score_
    assert model.fit(frame, "label").oob_score_ == oob


@pytest.mark.parametrize("booster", ["SAMMEClassifier", "AdaBoostMHClassifier"])
def test_a_temperature_is_learned_from_rows_that_are_read_again(parts, booster):
    frame, names = parts
    model = getattr(weakforce, booster)(n_estimators=5)
    assert_same(model, names, frame.with_columns(label=pl.col("label")))
    assert model.fitted_model_.calibration.factor != 1.0


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 60), max_size=5).map(sorted),
    st.integers(1, 40),
    st.sampled_from([2, 5, 255]),
    st.integers(0, 3),
    st.booleans(),
)
def test_wherever_files_and_row_groups_end(
    tmp_path_factory, ends, group_rows, max_bins, seed, in_tiles
):
    frame = labelled(60, seed)
    names = write_parts(frame, tmp_path_factory.mktemp("parts"), ends, row_group_size=group_rows)
    model = DiscreteAdaBoostClassifier(n_estimators=3, max_bins=max_bins)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "_FEWEST", 1)
        patch.setattr(batches, "_BATCH_BYTES", 1_000)
        if in_tiles:
            patch.setattr(TiledFrame, "parquet_files", None)
        assert_same(model, names, frame, sample_weight="weight")


def test_a_pattern_names_files_in_order(parts):
    frame, names = parts
    pattern = os.path.join(os.path.dirname(names[0]), "part-*.parquet")
    assert_same(DiscreteAdaBoostClassifier(n_estimators=3), pattern, frame)


@pytest.mark.parametrize("form", ["csv", "tsv", "arrow", "feather"])
def test_other_formats(tmp_path, small_tiles, form):
    frame = labelled().with_columns(pl.col("code").cast(pl.Int64))
    path = tmp_path / f"rows.{form}"
    if form in ("csv", "tsv"):
        separator = {"csv": ",", "tsv": "\t"}[form]
        frame.write_csv(path, separator=separator)
        frame = pl.read_csv(path, separator=separator, try_parse_dates=True)
    else:
        frame.write_ipc(path)
    assert_same(DiscreteAdaBoostClassifier(Tree(), n_estimators=3), path, frame)


def test_enums_keep_their_order_and_categoricals_are_texts(tmp_path, small_tiles):
    words = ["z", "b", "never", "a"]
    picked = [words[at] for at in np.random.default_rng(0).choice([0, 1, 3], 200)]
    frame = pl.DataFrame(
        {
            "declared": pl.Series(picked, dtype=pl.Enum(words)),
            "found": pl.Series(picked[::-1], dtype=pl.Categorical),
            "label": np.arange(200) % 2,
        }
    )
    names = write_parts(frame, tmp_path, [90])
    model = DiscreteAdaBoostClassifier(n_estimators=3)
    assert_same(model, names, frame)


def test_types_that_unite(tmp_path):
    frame = pl.DataFrame({"a": np.arange(50) % 9, "none": [None] * 50, "label": np.arange(50) % 2})
    first, second = frame[:20], frame[20:].with_columns(pl.col("a").cast(pl.Float32))
    filled = second.with_columns(none=pl.Series(np.arange(30.0)))
    names = [str(tmp_path / name) for name in ("1.parquet", "2.parquet")]
    first.write_parquet(names[0])
    filled.write_parquet(names[1])
    whole = pl.concat([first, filled], how="vertical_relaxed")
    assert_same(DiscreteAdaBoostClassifier(n_estimators=3), names, whole)


def test_validation_rows_may_be_files_too(parts, tmp_path):
    frame, names = parts
    more = labelled(90, seed=5)
    more.write_parquet(tmp_path / "more.parquet")
    model = DiscreteAdaBoostClassifier(n_estimators=4)
    model.fit(frame, "label", X_val=more, y_val="label")
    expected = model.validation_score_
    model.fit(names, "label", X_val=tmp_path / "more.parquet", y_val="label")
    np.testing.assert_array_equal(model.validation_score_, expected)


def test_a_warm_start_goes_on_from_files(parts):
    frame, names = parts
    model = DiscreteAdaBoostClassifier(n_estimators=3, warm_start=True).fit(names, "label")
    model.set_params(n_estimators=6).fit(names, "label")
    expected = DiscreteAdaBoostClassifier(n_estimators=6, warm_start=True).fit(frame, "label")
    assert model_bytes(model) == model_bytes(expected)


def test_labels_and_weights_may_be_given_beside_the_files(parts):
    frame, names = parts
    columns = frame.drop("label", "weight")
    only = [name.replace("part", "only") for name in names]
    starts = [0, 7, 250, N_ROWS]
    for at, name in enumerate(only):
        columns[starts[at] : starts[at + 1]].write_parquet(name)
    model = DiscreteAdaBoostClassifier(n_estimators=3)
    want = model_bytes(model.fit(columns, frame["label"], frame["weight"]))
    assert model_bytes(model.fit(only, frame["label"], frame["weight"])) == want
    with pytest.raises(ValueError, match=f"y: got 3 labels, expected one for each of {N_ROWS}"):
        model.fit(only, ["a", "b", "a"])


def test_lazy_frames_that_only_read_are_not_collected(parts):
    frame, names = parts
    lazy = pl.scan_parquet(names)
    assert isinstance(tiled(lazy), TiledFrame)
    assert isinstance(tiled(lazy.select("fine", "label").rename({"fine": "f"})), TiledFrame)
    for other in (lazy.filter(pl.col("coarse") > 3), lazy.sort("fine"), frame.lazy()):
        assert tiled(other) is other
    model = DiscreteAdaBoostClassifier(n_estimators=3)
    assert_same(model, lazy.filter(pl.col("coarse") > 3), frame.filter(pl.col("coarse") > 3))


class TestErrors:
    model = DiscreteAdaBoostClassifier(n_estimators=2)

    def refused(self, kind, message, X, y="label", model=None, **named):
        model = self.model if model is None else model
        with pytest.raises(kind, match=message):
            model.fit(X, y, **named)

    def test_names(self, parts, tmp_path):
        _, names = parts
        self.refused(FileNotFoundError, "no file matches", str(tmp_path / "none-*.parquet"))
        self.refused(FileNotFoundError, "cannot read .*absent", str(tmp_path / "absent.parquet"))
        self.refused(ValueError, "rows.xls.* ends in none of .parquet", str(tmp_path / "rows.xls"))
        self.refused(
            ValueError, "y names the column 'labels', but X has only fine", names, "labels"
        )
        self.refused(ValueError, "sample_weight names the column 'w'", names, sample_weight="w")

    def test_columns_that_differ_between_files(self, parts):
        frame, names = parts
        frame[:9].drop("word").write_parquet(names[1])
        self.refused(ValueError, "column 'word' is in .*00.* but not in .*01", names)
        frame[:9].with_columns(more=1).write_parquet(names[1])
        self.refused(ValueError, "column 'more' is in .*01.* but not in .*00", names)
        frame[:9].with_columns(fine=pl.lit("a")).write_parquet(names[1])
        self.refused(TypeError, "column 'fine' has type String in .*01.*, but Float64", names)

    def test_files_that_change_between_two_readings(self, parts):
        frame, names = parts
        rows = tiled(names)
        frame[:9].write_parquet(names[2])
        with pytest.raises(OSError, match=r"part-02.* changed while it was read"):
            list(rows.tiles())

    def test_fewer_rows_than_labels(self, parts, tmp_path):
        frame, names = parts
        columns = [name.replace("part", "columns") for name in names]
        for name, column in zip(names, columns, strict=True):
            pl.read_parquet(name).drop("label").write_parquet(column)
        rows = tiled(columns)

        class Longer(TiledFrame):
            n_rows = N_ROWS + 1

        longer = Longer(rows._parts)
        y = frame["label"].append(frame["label"][:1])
        self.refused(ValueError, "got 400 rows when it was read again", longer, y)

    def test_fewer_rows_than_before(self, parts):
        _, names = parts

        class Shrinking(TiledFrame):
            parquet_files = None

            def tiles(self):
                return iter(list(super().tiles())[:-1])

        rows = Shrinking(tiled(names)._parts)
        y = rows.column("label")
        self.refused(ValueError, "rows when it was read again, expected 400, as before", rows, y)

    def test_what_needs_rows_in_memory(self, parts):
        _, names = parts
        nets = DiscreteAdaBoostClassifier(RBFNet())
        self.refused(ValueError, "reads numbers .RBFNet.*X is not in memory", names, model=nets)
        neighbours = DiscreteAdaBoostClassifier(KNeighborsClassifier(), resample=True)
        self.refused(
            TypeError, "read from files .* expected rows in memory", names, model=neighbours
        )
        calibrated = DiscreteAdaBoostClassifier(calibrate="sigmoid", n_estimators=2)
        self.refused(TypeError, "read from files .* calibrate=", names, model=calibrated)

    def test_labels_that_are_missing_in_a_file(self, parts):
        frame, names = parts
        gone = frame[:20].with_columns(label=pl.lit(None, dtype=pl.String))
        gone.write_parquet(names[1])
        self.refused(ValueError, "label of row 7 is None", names)

    def test_a_failed_fit_leaves_the_model_as_it_was(self, parts):
        frame, names = parts
        model = DiscreteAdaBoostClassifier(n_estimators=2).fit(frame, "label")
        before = model_bytes(model)
        self.refused(ValueError, "y names the column", names, "labels", model=model)
        assert model_bytes(model) == before
