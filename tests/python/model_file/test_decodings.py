"""Files of decoded models: what `save` writes comes back, files of the default are as they were,
and damaged decodings are refused.
"""

import json
import pickle

import numpy as np
import polars as pl
import pytest

import weakforce
from reference.multiclass import one_vs_one
from support.command_runs import run_here
from support.small_model_files import changed, file_of, refuse
from support.small_multiclass_problems import blobs
from weakforce import DiscreteAdaBoostClassifier, MartiBoostClassifier
from weakforce._reading.model_file import from_bytes

X, CODES = blobs(90, 3, columns=2)
Y = np.array(["ash", "elm", "oak"])[CODES]
KINDS = [("ovr", "loss"), ("ovr", "hamming"), ("ecoc", "loss"), ("ovo", "loss")]
KINDS += [("ovo", "hamming"), ("ovo", "vote"), ("ovo", "coupling")]


def fit(multi_class, decode, booster=DiscreteAdaBoostClassifier):
    rounds = {booster.capabilities().rounds: 4}
    model = booster(multi_class=multi_class, decode=decode, random_state=0, **rounds)
    return model.fit(X, Y)


@pytest.mark.parametrize("booster", [DiscreteAdaBoostClassifier, MartiBoostClassifier])
@pytest.mark.parametrize(("multi_class", "decode"), KINDS)
def test_a_decoded_model_comes_back_as_it_was(multi_class, decode, booster, tmp_path):
    model = fit(multi_class, decode, booster)
    model.save(tmp_path / "model.json")
    for again in (weakforce.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert again.decode == decode
        assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
        assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
        assert (again.predict(X) == model.predict(X)).all()
        assert again.train_score_[-1] == again.score(X, Y)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "ecoc"])
def test_files_of_sums_know_nothing_of_decodings(multi_class, tmp_path):
    model = fit(multi_class, "score")
    model.save(tmp_path / "model.json")
    written = (tmp_path / "model.json").read_text()
    assert "decod" not in written
    combiner = json.loads(written)["combiner"]
    if multi_class == "ovr":
        assert combiner == {"by_class": {"n_classes": 3}}
    else:
        assert combiner == {"coded": {"code": model.code_.tolist()}}
    assert weakforce.load(tmp_path / "model.json").decode == "score"


def test_files_name_the_decoding_and_what_it_takes():
    combiner = json.loads(file_of(fit("ovo", "coupling")))["combiner"]["coded"]
    assert combiner["decoding"] == {"coupling": {"class_rows": [30.0] * 3}}
    combiner = json.loads(file_of(fit("ovr", "loss")))["combiner"]["by_class"]
    assert combiner == {"n_classes": 3, "decoding": {"loss": "exponential"}}


def coupled(rows, **more):
    return {"coupling": {"class_rows": rows, **more}}


DAMAGE = [
    *("", "sum", "loss", "coupling", 3, [], {}, {"loss": "square"}, {"loss": None}),
    *(coupled([0.5, 0.5]), coupled([0.5, 0.25, 0.25], more=1), coupled([0.0, 0.0, 0.0])),
    *(coupled([0.5, -0.25, 0.75]), coupled([1e300, 0.0, 0.0]), coupled([0.5, None, 0.5])),
    *({"coupling": {}}, {"coupling": None}, coupled([1.0, 0.0, 0.0, 0.0])),
]


@pytest.mark.parametrize("wrong", DAMAGE)
def test_damaged_decodings_are_refused(wrong):
    refuse(changed(file_of(fit("ovo", "coupling")), "combiner.coded.decoding", wrong), "combiner")


@pytest.mark.parametrize("decoding", ["vote", coupled([0.5, 0.25, 0.25])])
def test_decodings_of_pairs_are_refused_where_there_are_none(decoding):
    one_vs_rest, code = file_of(fit("ovr", "loss")), file_of(fit("ovo", "vote"))
    refuse(changed(one_vs_rest, "combiner.by_class.decoding", decoding), "each pair of classes")
    twice = np.column_stack([one_vs_one(3)[:, :2], one_vs_one(3)[:, :1]]).tolist()
    broken = changed(code, "combiner.coded.code", twice)
    refuse(changed(broken, "combiner.coded.decoding", decoding), "each pair of classes")


def test_another_decoding_of_the_same_sums_is_a_model_of_its_own():
    voted = file_of(fit("ovo", "vote"))
    turned = from_bytes(changed(voted, "combiner.coded.decoding", "hamming"))
    assert (turned.predict(X) == fit("ovo", "hamming").predict(X)).all()


@pytest.mark.parametrize(("multi_class", "decode"), KINDS)
def test_files_and_the_command_line_decode_as_python_does(multi_class, decode, tmp_path):
    rows = pl.DataFrame(X, schema=["a", "b"], orient="row")
    rows.with_columns(label=pl.Series(Y)).write_csv(tmp_path / "train.csv")
    rows.write_parquet(tmp_path / "rows.parquet")
    fitted = run_here(
        *("fit", "train.csv", "--target", "label", "--booster", "discrete", "--n-estimators", "4"),
        *("--multi-class", multi_class, "--decode", decode, "--random-state", "0"),
        *("--out", "model.json"),
        cwd=tmp_path,
    )
    assert fitted == 0
    model = weakforce.load(tmp_path / "model.json")
    expected = DiscreteAdaBoostClassifier(
        multi_class=multi_class, decode=decode, n_estimators=4, random_state=0
    ).fit(rows, Y)
    assert model.decision_function(rows).tobytes() == expected.decision_function(rows).tobytes()
    predicted = run_here(
        *("predict", "model.json", "rows.parquet", "--proba", "--scores", "--out", "found.parquet"),
        cwd=tmp_path,
    )
    assert predicted == 0
    by_command = pl.read_parquet(tmp_path / "found.parquet")
    by_library = weakforce.predict_file(model, tmp_path / "rows.parquet", proba=True, scores=True)
    assert by_command.equals(by_library)
    shares = by_library.select(pl.selectors.starts_with("probability_")).to_numpy()
    assert shares.tobytes() == expected.predict_proba(rows).tobytes()
    assert by_library["prediction"].to_list() == expected.predict(rows).tolist()
