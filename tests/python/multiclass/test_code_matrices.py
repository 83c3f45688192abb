"""Code matrices of decompositions: random ones, none for two classes, those that are refused."""

import numpy as np
import pytest

import weakforce
from reference.boosting import RULES
from reference.multiclass import one_vs_rest
from support.code_figures import FIGURE_A, FIGURE_C
from support.small_multiclass_problems import blobs
from weakforce import (
    AdaBoostRClassifier,
    DiscreteAdaBoostClassifier,
    RealAdaBoostClassifier,
    SAMMEClassifier,
    Stump,
)

BOOSTERS = {booster._kind: booster for booster in weakforce.boosters()}


# Random codes


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [3, 4, 5, 8, 12, 26])
def test_random_codes_are_codes(n_classes):
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(n_classes)] * 2)
    X = rng.normal(size=(len(y), 2))
    make = lambda seed: AdaBoostRClassifier(  # noqa: E731
        n_estimators=1, multi_class="ecoc", random_state=seed
    )
    code = make(0).fit(X, y).code_
    most = 2 ** (n_classes - 1) - 1
    assert code.dtype == np.int8
    assert code.shape == (n_classes, min(int(np.ceil(10 * np.log2(n_classes))), most))
    assert set(np.unique(code)) == {-1, 1}
    assert (np.abs(code.sum(axis=0)) < n_classes).all()
    turned = {tuple(column * column[0]) for column in code.T}
    assert len(turned) == code.shape[1]
    distances = [(a != b).sum() for i, a in enumerate(code) for b in code[:i]]
    assert min(distances) > 0
    assert min(distances) >= 0.2 * code.shape[1]
    assert np.array_equal(make(0).fit(X, y).code_, code)
    if n_classes > 4:
        assert not np.array_equal(make(1).fit(X, y).code_, code)


def test_random_codes_are_the_same_code_given_by_hand():
    X, y = blobs(150, 5, spread=1.5)
    model = RealAdaBoostClassifier(n_estimators=4, multi_class="ecoc", random_state=2).fit(X, y)
    again = RealAdaBoostClassifier(n_estimators=4, multi_class=model.code_).fit(X, y)
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert model.score(X, y) > 0.6


# Two classes, and bad codes


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("multi_class", ["ovo", "ecoc"])
def test_two_classes_need_no_code(kind, multi_class):
    X, y = blobs(60, 2, spread=2.0)
    plain = BOOSTERS[kind](n_estimators=5).fit(X, y)
    model = BOOSTERS[kind](n_estimators=5, multi_class=multi_class).fit(X, y)
    assert model.fitted_model_.core.to_json("{}") == plain.fitted_model_.core.to_json("{}")
    assert not hasattr(model, "code_")
    assert model.decision_function(X).shape == (60,)
    three = BOOSTERS[kind](n_estimators=5).fit(*blobs(60, 3))
    assert three.fit(X, y).decision_function(X).shape == (60,)
    assert not hasattr(three, "code_")


BAD_CODES = {
    "unknown name": "one-vs-many",
    "no code": None,
    "number": 3,
    "too few rows": one_vs_rest(3),
    "too many rows": one_vs_rest(5),
    "one dimension": [1, -1, 1, -1],
    "no columns": np.zeros((4, 0)),
    "other numbers": 2 * FIGURE_A,
    "fractions": FIGURE_A * 0.5,
    "missing": np.where(FIGURE_C == 0, np.nan, FIGURE_C),
    "words": [["a"] * 5] * 4,
    "constant column": np.column_stack([FIGURE_A, np.ones(4)]),
    "column without negatives": np.column_stack([FIGURE_A, [1, 0, 0, 0]]),
    "column of zeros": np.column_stack([FIGURE_A, np.zeros(4)]),
    "equal rows": FIGURE_A[[0, 1, 2, 0]],
    "ragged": [[1, -1], [1], [-1], [1]],
}


@pytest.mark.parametrize("name", BAD_CODES)
def test_codes_that_make_no_sense_are_refused_by_name(name):
    X, y = blobs(60, 4)
    model = RealAdaBoostClassifier(n_estimators=2).fit(X, y)
    before = dict(vars(model))
    model.multi_class = BAD_CODES[name]
    with pytest.raises((ValueError, TypeError), match="'multi_class'"):
        model.fit(X, y)
    model.multi_class = "ovr"
    assert all(vars(model)[key] is value for key, value in before.items())


def test_codes_may_be_lists_and_floats():
    X, y = blobs(60, 4)
    expected = RealAdaBoostClassifier(n_estimators=2, multi_class=FIGURE_A).fit(X, y)
    for code in (FIGURE_A.tolist(), FIGURE_A.astype(float), FIGURE_A.astype(np.int8)):
        model = RealAdaBoostClassifier(n_estimators=2, multi_class=code).fit(X, y)
        assert model.decision_function(X).tobytes() == expected.decision_function(X).tobytes()


def test_only_binary_boosters_are_decomposed():
    assert "multi_class" not in SAMMEClassifier().get_params()
    with pytest.raises(TypeError, match="multi_class"):
        SAMMEClassifier(multi_class="ovo")


def test_resampling_draws_for_every_column_and_by_the_seed():
    X, y = blobs(90, 3, spread=1.5)
    make = lambda **more: DiscreteAdaBoostClassifier(  # noqa: E731
        Stump(), n_estimators=6, resample=True, **more
    )
    files = [
        make(random_state=1, n_jobs=jobs).fit(X, y).fitted_model_.core.to_json("{}")
        for jobs in (1, 2, 3)
    ]
    assert len(set(files)) == 1
    assert make(random_state=2).fit(X, y).fitted_model_.core.to_json("{}") not in files
