"""The layout of the model file: plain JSON with a version, arrays of numbers per field.

Version 1 knew only stumps, stored as one object; version 2 had a list of runs, one for each stretch
of rounds with the same kind of hypothesis, and two classes; version 3 had any number of classes,
and scores that were sums; version 4 had buckets and grids; version 5 knew how many training rows
have each code and come past each literal. Such files are still read. Version 6 names the combiner.
"""

import json

import numpy as np
import polars as pl
import pytest

import weakforce
from support.earlier_model_files import (
    VERSION_1,
    VERSION_2,
    VERSION_2_NETS,
    VERSION_3,
    VERSION_4,
    VERSION_5,
    X,
    as_version_5,
)
from support.registry import MIXED_LEARNERS, every_learner
from weakforce import (
    DiscreteAdaBoostClassifier,
    MartiBoostClassifier,
    RealAdaBoostClassifier,
    Rule,
    SAMMEClassifier,
    SFBoostClassifier,
    Stump,
    Tree,
)
from weakforce._reading.model_file import from_bytes

Y = ["yes", "no", "yes", "no", "yes", "no", "no", "yes"]
#: What that model said of X.
SCORES = [
    *[3.6265891698871413, -2.091970833483413, 7.20176197240489, -2.091970833483413],
    *[3.9397318190787365, -2.3192037777559444, -2.091970833483413, 3.6265891698871413],
]
#: What the models of version 2 said of X.
SCORES_2 = [
    *[0.44056679598398263, 0.545935957821374, 0.44056679598398263, 0.44962644825374026],
    *[2.357337716540356, -2.0148531661733458, -1.7426496684267738, 2.5043341949903453],
]
SCORES_2_NETS = [
    *[-0.20563530677830424, 0.008804789763884546, -0.2741621545063545, 0.04176457308826076],
    *[0.4301703334124029, -0.5180461532900301, -0.21160703022632188, 0.5428813222589235],
]
#: What the model of version 3 said of X.
SCORES_3 = [
    [0.0, 0.0, 9.590829494014173],
    [4.007333185232472, 5.583496308781701, 0.0],
    [6.646390514847731, 2.944438979166441, 0.0],
    [0.0, 5.583496308781701, 4.007333185232472],
    [0.0, 0.0, 9.590829494014173],
    [0.0, 6.951772164398913, 2.6390573296152593],
    [6.646390514847731, 2.944438979166441, 0.0],
    [0.0, 0.0, 9.590829494014173],
]
#: What the model of version 5 said of X.
SCORES_5 = [
    [-16.168219176935178, -19.831780823064822, 36.0],
    [0.0, 36.0, -36.0],
    [19.831780823064822, -19.831780823064822, 0.0],
    [-36.0, 36.0, 0.0],
    [-36.0, 0.0, 36.0],
    [-36.0, 36.0, 0.0],
    [19.831780823064822, 16.168219176935178, -36.0],
    [-36.0, 0.0, 36.0],
]


def stored(model):
    return json.loads(
        model.fitted_model_.core.to_json(
            weakforce._reading.model_file.describe(
                model.fitted_model_, model.get_params(deep=False)
            )
        )
    )


def test_a_file_of_version_1_is_read():
    model = weakforce.load(VERSION_1)
    assert json.loads(VERSION_1.read_bytes())["version"] == 1
    assert type(model) is RealAdaBoostClassifier
    assert repr(model.estimator) == "Stump(answer='gentle', criterion='z')"
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.n_iter_, model.stop_reason_) == (4, "n_estimators")
    np.testing.assert_allclose(model.decision_function(X), SCORES, rtol=1e-14)
    assert [stump.name for stump in model.estimators_] == ["n", "t", "t", "n"]
    assert [stump.threshold for stump in model.estimators_] == [1.75, None, None, 5.625]
    assert model.estimators_[1].categories == ("a", "b", "c")


def test_a_file_of_version_2_is_read():
    model = weakforce.load(VERSION_2)
    assert json.loads(VERSION_2.read_bytes())["version"] == 2
    assert type(model) is RealAdaBoostClassifier
    assert repr(model.estimator) == "Stump(criterion='gini')"
    assert model.multi_class == "ovr"  # a parameter that the file does not know
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.n_iter_, model.stop_reason_) == (8, "n_estimators")
    np.testing.assert_allclose(model.decision_function(X), SCORES_2, rtol=1e-14)
    assert model.estimator_weights_.shape == model.edges_.shape == model.train_score_.shape == (8,)
    assert model.estimator_weights_[1] == 0.6030899911700822
    assert model.validation_score_[2] == 0.5833333333333334
    kinds = [type(hypothesis).__name__ for hypothesis in model.estimators_]
    assert kinds[::2] == [
        *["StumpHypothesis", "RuleHypothesis", "TreeHypothesis", "StumpHypothesis"]
    ]
    assert str(model.estimators_[2]) == 'flag = false and t ≠ "b" → +0.696, else −0.0495'
    assert model.estimators_[4].values[2] == -0.6399363850725531
    staged = list(model.staged_decision_function(X))
    np.testing.assert_allclose(staged[-1], SCORES_2, rtol=1e-12)
    assert (model.predict(X) == np.where(np.array(SCORES_2) >= 0, "yes", "no")).all()


def test_a_file_of_version_2_with_nets_is_read():
    numbers = X.select("n", pl.col("flag").cast(float))
    model = weakforce.load(VERSION_2_NETS)
    assert type(model.estimators_[0]).__name__ == "RBFNetHypothesis"
    np.testing.assert_allclose(model.decision_function(numbers), SCORES_2_NETS, rtol=1e-12)


def test_a_file_of_version_3_is_read():
    model = weakforce.load(VERSION_3)
    assert json.loads(VERSION_3.read_bytes())["version"] == 3
    assert type(model) is SAMMEClassifier
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert (model.n_iter_, model.stop_reason_) == (3, "n_estimators")
    np.testing.assert_allclose(model.decision_function(X), SCORES_3, rtol=1e-14)
    assert len(list(model.staged_decision_function(X))) == 3


def test_a_file_of_version_4_is_read():
    model = weakforce.load(VERSION_4)
    assert json.loads(VERSION_4.read_bytes())["version"] == 4
    assert type(model) is SFBoostClassifier
    assert model.bucket_counts_.tolist() == [[0, 4], [4, 0]]
    assert [str(rule) for rule in model.estimators_] == ['n > 1.8 and t ≠ "d" → +1, else +0']
    scores = np.where(np.array(Y) == "yes", 0.8047189562170501, -0.8047189562170501)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-14)


def test_old_versions_know_neither_buckets_nor_grids():
    for model in (SFBoostClassifier(n_estimators=2), MartiBoostClassifier(n_layers=2)):
        document = {**as_version_5(stored(model.fit(X, Y))), "version": 3}
        with pytest.raises(ValueError, match=r"model file: .*version 3"):
            from_bytes(json.dumps(document).encode())


def test_a_file_of_version_5_is_read():
    model = weakforce.load(VERSION_5)
    assert json.loads(VERSION_5.read_bytes())["version"] == 5
    assert type(model) is MartiBoostClassifier
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert (model.n_layers_, model.multi_class) == (3, "ovo")
    np.testing.assert_allclose(model.decision_function(X), SCORES_5, rtol=1e-14)


@pytest.mark.parametrize(
    "model",
    [
        SAMMEClassifier(n_estimators=3),
        RealAdaBoostClassifier(n_estimators=3, multi_class="ovo"),
        SFBoostClassifier(n_estimators=3, multi_class="shared"),
        MartiBoostClassifier(n_layers=3, multi_class="ovr"),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("labels", [Y, ["a", "b", "c", "d"] * 2], ids=["two", "four"])
def test_a_model_of_version_5_is_that_of_version_6(model, labels):
    new = stored(model.fit(X, labels))
    old = as_version_5(new)
    assert "combiner" not in old
    again = from_bytes(json.dumps(old).encode())
    assert stored(again) == new
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()


OLD = [VERSION_1, VERSION_2, VERSION_2_NETS, VERSION_3, VERSION_4, VERSION_5]


@pytest.mark.parametrize("path", OLD, ids=lambda p: p.stem)
def test_an_old_model_is_saved_as_version_6_and_says_the_same(path, tmp_path):
    frame = X.select("n", pl.col("flag").cast(float)) if path is VERSION_2_NETS else X
    model = weakforce.load(path)
    model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_bytes())["version"] == 6
    again = weakforce.load(tmp_path / "model.json")
    assert again.decision_function(frame).tobytes() == model.decision_function(frame).tobytes()
    assert again.estimators_ == model.estimators_
    assert again.get_params(deep=False).keys() == model.get_params(deep=False).keys()


def test_a_model_of_version_2_goes_on():
    model = weakforce.load(VERSION_2).set_params(n_estimators=10, callbacks=None)
    model.fit(X, Y)
    assert model.n_iter_ == 10
    staged = list(model.staged_decision_function(X))
    # Its class weights were start weights then, and are a prior from now on.
    np.testing.assert_allclose(staged[7] - np.log(2.5) / 2, SCORES_2, rtol=1e-12)


def test_old_versions_know_no_many_classes():
    many = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, ["a", "b", "c", "d"] * 2)
    for version in (1, 2):
        document = {**as_version_5(stored(many)), "version": version}
        with pytest.raises(ValueError, match="model file"):
            from_bytes(json.dumps(document).encode())


def test_a_model_of_version_1_goes_on_and_is_saved_as_version_6(tmp_path):
    model = weakforce.load(VERSION_1)
    model.set_params(estimator=Rule(), warm_start=True, n_estimators=6).fit(X, Y)
    assert model.n_iter_ == 6
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_bytes())
    assert document["version"] == 6
    assert [run["kind"] for run in document["hypotheses"]] == ["stump", "rule"]
    again = weakforce.load(tmp_path / "model.json")
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert again.estimators_[:4] == weakforce.load(VERSION_1).estimators_


def test_version_1_holds_one_run_and_version_2_a_list():
    old = json.loads(VERSION_1.read_bytes())
    new = {**old, "version": 2, "hypotheses": [old["hypotheses"]]}
    scores = from_bytes(json.dumps(new).encode()).decision_function(X)
    np.testing.assert_allclose(scores, SCORES, rtol=1e-14)
    for version, hypotheses in ((1, new["hypotheses"]), (2, old["hypotheses"])):
        mixed = {**old, "version": version, "hypotheses": hypotheses}
        with pytest.raises(ValueError, match=r"model file: .*hypotheses"):
            from_bytes(json.dumps(mixed).encode())


def test_the_file_is_plain_json_with_a_version(tmp_path):
    DiscreteAdaBoostClassifier(n_estimators=2).fit(X, Y).save(str(tmp_path / "model.json"))
    document = json.loads((tmp_path / "model.json").read_text("utf-8"))
    assert document["format"] == "weakforce-model"
    assert document["version"] == 6
    assert document["library"] == weakforce.__version__
    assert [feature["name"] for feature in document["features"]] == X.columns


@every_learner
def test_hypotheses_are_arrays_per_field(learner):
    frame = X if learner._takes_categories else X.select("n", "flag")
    model = RealAdaBoostClassifier(learner(), n_estimators=5).fit(frame, Y)
    [run] = stored(model)["hypotheses"]
    assert run.pop("kind") == learner._kind
    for field, entries in run.items():
        assert isinstance(entries, list), field
        flat = [
            each for entry in entries for each in (entry if isinstance(entry, list) else [entry])
        ]
        assert all(isinstance(each, (int, float)) for each in flat), field


def test_a_change_of_learner_begins_a_run():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    model = RealAdaBoostClassifier(n_estimators=0, warm_start=True)
    order = [Stump(), Tree(max_leaf_nodes=3), Stump(), Rule(), Rule(max_literals=1)]
    for learner in order:
        model.set_params(estimator=learner, n_estimators=model.n_estimators + 2).fit(X, y)
    runs = [run["kind"] for run in stored(model)["hypotheses"]]
    assert runs == ["stump", "tree", "stump", "rule"]
    assert [type(hypothesis).__name__ for hypothesis in model.estimators_[::2]] == [
        *["StumpHypothesis", "TreeHypothesis", "StumpHypothesis"],
        *["RuleHypothesis", "RuleHypothesis"],
    ]


def test_a_model_without_rounds_has_no_runs():
    model = DiscreteAdaBoostClassifier().fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert stored(model)["hypotheses"] == []
    assert from_bytes(json.dumps(stored(model)).encode()).n_iter_ == 0


def test_thousands_of_trees_are_loaded_quickly_and_whole(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    model = RealAdaBoostClassifier(Tree(max_leaf_nodes=4), n_estimators=3000, learning_rate=0.01)
    model.fit(X, y).save(tmp_path / "model.json")
    again = weakforce.load(tmp_path / "model.json")
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert (tmp_path / "model.json").stat().st_size < 3000 * 400


def test_every_learner_that_takes_categories_is_tried():
    assert {Stump, Rule, Tree} <= set(MIXED_LEARNERS)
