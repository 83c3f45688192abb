"""Damaged files: models that the library saved, and Parquet files, with some bytes changed.

In: a case with the bytes of a sound file and the edits to it. Out: "fitted" if what is left can be
read, "refused" if not; findings are raised. An edit is [position, bytes to delete, bytes to add].
"""

from __future__ import annotations

import base64
import io
import re
import tempfile
import zlib
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl

import weakforce
from weakforce._reading.model_file import from_bytes

from .promises import refused
from .refusals import must_hold

_TOKENS = [
    *(b"null", b"true", b"[]", b"{}", b"-1", b"0", b"1e999", b"-1e308", b"1e308", b"NaN", b'""'),
    *(b"18446744073709551615", b"4294967296", b"65535", b"0.5", b"[[]]", b'"\\ud800"', b"1" * 400),
]


def packed(content: bytes) -> str:
    """Return bytes as a text for JSON."""
    return base64.b64encode(zlib.compress(content, 9)).decode()


def edited(case: dict[str, Any]) -> bytes:
    """Return the damaged bytes of a case."""
    content = zlib.decompress(base64.b64decode(case["base"]))
    for position, deleted, inserted in case["edits"]:
        at = min(position, len(content))
        content = content[:at] + bytes.fromhex(inserted) + content[at + deleted :]
    return content


# Model files


def run_model(case: dict[str, Any]) -> str:
    """Load a damaged model; if that succeeds, use all that it offers."""
    model = refused(lambda: from_bytes(edited(case)))
    if model is None:
        return "refused"
    frame = rows(20, 5)
    model.set_params(n_jobs=1)
    for call in (
        lambda: model.decision_function(frame),
        lambda: model.predict_proba(frame),
        lambda: model.predict(frame),
        lambda: list(model.staged_decision_function(frame)),
        lambda: model.contributions(frame),
        lambda: model.summary(),
        lambda: model.rules(merge=True),
        lambda: [str(found) for found in model.estimators_],
        model.to_polars,
        lambda: model.to_sql("rows"),
        lambda: model.feature_importances_,
        lambda: model.fitted_model_.core.to_json("null"),
    ):
        refused(call)
    return "fitted"


def draw_model(random: Random) -> dict[str, Any]:
    """Return a model file with a few edits, most of them to numbers and names."""
    base = _saved(random.randrange(len(_MODELS)))
    edits = [_draw_edit(random, base) for _ in range(random.choice([1, 1, 1, 2, 3, 8]))]
    return {"target": "model", "base": packed(base), "edits": edits}


def _draw_edit(random: Random, base: bytes) -> list[Any]:
    chance = random.random()
    if chance < 0.5:
        tokens = list(re.finditer(rb'-?\d[\d.e+-]*|"[^"]*"|null|true|false', base))
        token = random.choice(tokens)
        new = random.choice(
            [
                random.choice(_TOKENS),
                random.choice(tokens).group(),
                str(random.randint(-3, 300)).encode(),
            ]
        )
        return [token.start(), len(token.group()), new.hex()]
    position = random.randrange(len(base))
    if chance < 0.7:
        return [position, 1, bytes([random.randrange(256)]).hex()]
    if chance < 0.85:
        return [position, random.randrange(1, 30), ""]
    start = random.randrange(len(base))
    return [position, 0, base[start : start + random.randrange(1, 60)].hex()]


_MODELS: list[tuple[str, Any, dict[str, Any], int]] = [
    ("RealAdaBoostClassifier", ("Stump", {"criterion": "z"}), {"class_weight": {0: 1, 1: 2.5}}, 2),
    ("DiscreteAdaBoostClassifier", ("Rule", {}), {"max_bins": 3, "calibrate": "sigmoid"}, 2),
    ("LogitBoostClassifier", ("Tree", {"max_leaf_nodes": 3}), {}, 3),
    ("GentleBoostClassifier", ("Tree", {"max_leaf_nodes": 3}), {"calibrate": "isotonic"}, 2),
    ("SAMMEClassifier", ("Rule", {}), {"learning_rate": 0.5}, 3),
    ("AdaBoostMHClassifier", ("Stump", {}), {}, 3),
    ("AdaBoostM2Classifier", ("Tree", {"max_leaf_nodes": 3}), {}, 3),
    ("SFBoostClassifier", ("Stump", {}), {"random_state": 0}, 2),
    ("SFBoostClassifier", ("Stump", {}), {"random_state": 0, "multi_class": "ovr"}, 3),
    ("MartiBoostClassifier", ("Stump", {}), {"n_layers": 3}, 2),
    ("DiscreteAdaBoostClassifier", ("Stump", {}), {"multi_class": "ovo", "decode": "coupling"}, 3),
    ("LPBoostClassifier", ("Stump", {}), {}, 2),
    ("SoftmaxBoostClassifier", ("Stump", {}), {"random_state": 0, "cost": None}, 3),
    ("BaggedClassifier", ("Tree", {"max_leaf_nodes": 3}), {"random_state": 0}, 3),
    ("WeakForceClassifier", None, {"n_trees": 1, "n_estimators": 2, "random_state": 0}, 2),
]
_SAVED: dict[int, bytes] = {}


def model_files() -> list[bytes]:
    """Return the file of a small model of every kind."""
    return [_saved(place) for place in range(len(_MODELS))]


def _saved(place: int) -> bytes:
    """Return the file of a small model of some kind."""
    if place not in _SAVED:
        name, learner, parameters, n_classes = _MODELS[place]
        chosen = dict(parameters)
        if learner is not None:
            chosen["estimator"] = getattr(weakforce, learner[0])(**learner[1])
        if "n_layers" not in chosen:
            chosen.setdefault("n_estimators", 4)
        frame = rows(30, 1)
        model = getattr(weakforce, name)(**chosen).fit(frame, np.arange(30) * n_classes // 30)
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder, "model.json"))
            _SAVED[place] = Path(folder, "model.json").read_bytes()
    return _SAVED[place]


def rows(n_rows: int, seed: int) -> pl.DataFrame:
    """Return rows with a number, a text, a whole number and a time."""
    random = np.random.default_rng(seed)
    number = np.round(random.normal(size=n_rows) + np.arange(n_rows) / 4, 2)
    frame = pl.DataFrame(
        {
            "n": number,
            "t": random.choice(["a", "b", "c", "d"], n_rows),
            "w": random.integers(0, 4, n_rows),
            "z": pl.Series(random.integers(0, 10**6, n_rows)).cast(pl.Datetime("us")),
        }
    )
    return frame.with_columns(
        pl.when(pl.int_range(n_rows) % 6 > 0).then(pl.col("n", "t")).name.keep()
    )


# Parquet files


def run_parquet(case: dict[str, Any]) -> str:
    """Predict a damaged Parquet file; rows must not vanish."""
    frame = rows(60, 1)
    model = weakforce.RealAdaBoostClassifier(weakforce.Rule(), n_estimators=6)
    model.fit(frame, np.arange(60) >= 30)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        path.write_bytes(edited(case))
        found = refused(lambda: weakforce.predict_file(model, path, keep=["w"], scores=True))
        bare = refused(lambda: weakforce.predict_file(model, path, scores=True))
        counted = _rows_of_groups(path)
    for frame in (found, bare):
        if frame is not None and counted is not None:
            must_hold(frame.height == counted, "no row is lost", f"{frame.height} of {counted}")
    return "refused" if found is None else "fitted"


def _rows_of_groups(path: Path) -> int | None:
    """Return the rows of all row groups by the footer; None if it cannot be read."""
    import pyarrow.parquet as pq

    try:
        footer = pq.ParquetFile(path).metadata
        return sum(footer.row_group(at).num_rows for at in range(footer.num_row_groups))
    except Exception:
        return None


def draw_parquet(random: Random) -> dict[str, Any]:
    """Return a Parquet file with a few bytes changed, most of them in its footer."""
    base = parquet_file(random)
    footer = int.from_bytes(base[-8:-4], "little") + 8
    edits = []
    for _ in range(random.choice([1, 1, 2, 5])):
        low = len(base) - footer if random.random() < 0.6 else 0
        position = random.randrange(low, len(base))
        byte = random.choice([0, 1, 127, 128, 255, base[position] ^ 1 << random.randrange(8)])
        edits.append([position, 1, bytes([byte]).hex()])
    if random.random() < 0.1:
        edits.append([random.randrange(len(base)), random.randrange(1, 200), ""])
    return {"target": "parquet", "base": packed(base), "edits": edits}


def parquet_file(random: Random) -> bytes:
    """Return a sound Parquet file of 60 rows."""
    import pyarrow.parquet as pq

    file = io.BytesIO()
    frame = rows(60, 1)
    pq.write_table(
        frame.to_arrow(),
        file,
        row_group_size=random.choice([7, 25, 60]),
        compression=random.choice(["none", "snappy", "zstd"]),
        data_page_version=random.choice(["1.0", "2.0"]),
        use_dictionary=random.random() < 0.6,
    )
    return file.getvalue()
