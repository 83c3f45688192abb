"""SFBoost beside a naive reference, and what paper 003 and algorithms A8 say of it."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris

import reference.sfboost as reference
import weakforce
from reference.sfboost import buckets_of, counted, fired
from weakforce import Rule, SFBoostClassifier, Stump, Tree, datasets

LEARNERS = [Stump(), Rule(max_literals=2), Tree(max_leaf_nodes=5)]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def small_problem(seed, m=60, n=3, levels=6):
    """Rows with many ties, and noisy labels ±1."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, size=(m, n)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] > levels - 1, 1, -1) * np.where(rng.random(m) < 0.15, -1, 1)
    return X, y


# The reference


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [1e-4, 0.02])
@pytest.mark.parametrize("seed", range(6))
def test_exhaustive_search_by_row_weights_finds_no_better_tests(seed, smoothing, weighted):
    X, y = small_problem(seed)
    u = np.random.default_rng(seed + 100).random(len(y)) + 0.1 if weighted else np.ones(len(y))
    settings = {"n_estimators": 20, "prune": False, "random_state": seed, "smoothing": smoothing}
    model = SFBoostClassifier(**settings).fit(X, y, u)
    chosen = [fired(stump, X) for stump in model.estimators_]
    first, rounds = reference.run(X, y, u, chosen, smoothing)
    if model.n_iter_ < 20 and model.stop_reason_ != "perfect":
        assert model.stop_reason_ == "no_new_test"
        assert not reference.new_candidates(X, {reference.partition(fires) for fires in chosen})
    np.testing.assert_allclose(model.z_, [first, *(step.z for step in rounds)], rtol=1e-9)
    staged = list(model.staged_decision_function(X))
    answers = np.zeros(len(y), dtype=int)
    for step, stump, H in zip(rounds, model.estimators_, staged, strict=True):
        assert step.loss <= step.best + 1e-9
        answers += fired(stump, X)
        np.testing.assert_allclose(np.clip(step.scores, -18, 18)[answers], H, atol=1e-9)
    np.testing.assert_allclose(model.row_weights_, rounds[-1].weights, atol=1e-12)


# Facts of A8


@pytest.mark.parametrize("n_rounds", [1, 2, 5, 12])
@every_learner
def test_scores_are_half_the_log_odds_of_the_counts(learner, n_rounds):
    X, y = small_problem(1, m=150)
    model = SFBoostClassifier(learner, n_estimators=n_rounds, smoothing=0.0).fit(X, y)
    counts = model.bucket_counts_
    assert counts.sum() == len(y)
    mixed = (counts > 0).all(axis=1)
    assert mixed.any()
    expected = 0.5 * np.log(counts[mixed, 1] / counts[mixed, 0])
    np.testing.assert_allclose(model.bucket_scores_[mixed], expected, atol=1e-12)


def test_weighted_scores_are_half_the_log_odds_of_the_weights():
    X, y = small_problem(2, m=150)
    u = np.random.default_rng(0).random(len(y))
    model = SFBoostClassifier(n_estimators=6, smoothing=0.0).fit(X, y, u)
    by_bucket = counted(buckets_of(model, X), y, u / u.sum(), 7, (-1, 1))
    np.testing.assert_allclose(model.bucket_weights_, by_bucket, atol=1e-12)
    mixed = (by_bucket > 0).all(axis=1)
    expected = 0.5 * np.log(by_bucket[mixed, 1] / by_bucket[mixed, 0])
    np.testing.assert_allclose(model.bucket_scores_[mixed], expected, atol=1e-9)


@every_learner
def test_both_classes_weigh_the_same_in_every_bucket(learner):
    X, y = small_problem(3, m=200)
    model = SFBoostClassifier(learner, n_estimators=6, smoothing=0.0).fit(X, y)
    H = model.decision_function(X)
    for score in np.unique(H[np.abs(H) < 18]):
        inside = score == H
        positive, negative = (model.row_weights_[inside & (y == sign)].sum() for sign in (1, -1))
        np.testing.assert_allclose(positive, negative, rtol=1e-9)


@pytest.mark.parametrize("smoothing", [0.0, None, 0.05])
@every_learner
def test_the_product_of_all_z_is_the_exponential_loss(learner, smoothing):
    X, y = small_problem(4, m=120)
    model = SFBoostClassifier(learner, n_estimators=10, smoothing=smoothing).fit(X, y)
    losses = [np.mean(np.exp(-y * H)) for H in model.staged_decision_function(X)]
    np.testing.assert_allclose(np.cumprod(model.z_)[1:], losses, rtol=1e-6)
    if smoothing == 0.0:
        W = model.bucket_weights_
        np.testing.assert_allclose(np.prod(model.z_), 2 * np.sqrt(W.prod(axis=1)).sum(), atol=1e-7)


@every_learner
def test_row_weights_are_those_of_the_exponential_loss(learner):
    X, y = small_problem(5, m=120)
    u = np.random.default_rng(5).integers(1, 4, len(y))
    model = SFBoostClassifier(learner, n_estimators=7).fit(X, y, u)
    weights = u * np.exp(-y * model.decision_function(X))
    np.testing.assert_allclose(model.row_weights_, weights / weights.sum(), rtol=1e-9)


def test_z_may_rise_above_one_and_the_run_goes_on():
    X, y = load_iris(return_X_y=True)
    model = SFBoostClassifier(
        n_estimators=15, prune=False, random_state=0, multi_class="shared"
    ).fit(X, y)
    assert model.z_[1:].max() > 1.001
    assert model.n_iter_ == 15
    assert model.stop_reason_ == "n_estimators"


def test_empty_buckets_lie_between_their_neighbours():
    X, y = datasets.make_long_servedio(1000, noise=0.2, seed=0)
    model = SFBoostClassifier(n_estimators=21).fit(X, y)
    known = np.flatnonzero(model.bucket_counts_.sum(axis=1))
    expected = np.interp(np.arange(22), known, model.bucket_scores_[known])
    assert len(known) < 22
    np.testing.assert_allclose(model.bucket_scores_, expected, atol=1e-12)


# Ties and moves that were made before


@pytest.mark.parametrize("learner", [Stump(), Rule(max_literals=3)], ids=repr)
def test_no_partition_of_the_rows_is_made_twice(learner):
    X, y = small_problem(4, m=80)
    X = pl.DataFrame(X, schema=["a", "b", "c"])
    model = SFBoostClassifier(learner, n_estimators=40, prune=False).fit(X, y)
    inside = [X.select(held=each.expression())["held"].to_numpy() for each in model.estimators_]
    made = {reference.partition(fires.astype(int)) for fires in inside}
    assert len(made) == model.n_iter_ > 10


def test_a_run_ends_when_every_test_was_used():
    X, y = datasets.make_long_servedio(500, noise=0.3, seed=0)
    model = SFBoostClassifier(n_estimators=100, prune=False).fit(X, y)
    assert model.stop_reason_ == "no_new_test"
    assert model.n_iter_ == 21
    assert sorted(stump.column for stump in model.estimators_) == list(range(21))


def test_equal_tests_are_drawn_by_seed():
    X, y = tied()
    drawn = {
        SFBoostClassifier(n_estimators=1, random_state=seed, prune=False)
        .fit(X, y)
        .estimators_[0]
        .column
        for seed in range(20)
    }
    assert len(drawn) > 3


def tied():
    """Columns that each tell one row of 12 from the others; a symmetric problem."""
    return np.eye(12), np.arange(12) % 2


@pytest.mark.parametrize("n_jobs", [2, 7])
def test_draws_do_not_depend_on_threads(n_jobs):
    X, y = small_problem(7, m=100, n=6)
    runs = [
        SFBoostClassifier(n_estimators=15, random_state=5, n_jobs=jobs).fit(X, y)
        for jobs in (1, n_jobs)
    ]
    np.testing.assert_array_equal(runs[0].decision_function(X), runs[1].decision_function(X))


@pytest.mark.slow
@pytest.mark.parametrize("problem", [1, 3])
def test_training_errors_fall_to_zero_on_monks_without_noise(problem):
    X, y = datasets.make_monks(problem=problem, noise=0.0)
    rule = Rule(max_literals=3)
    errors = [
        1 - SFBoostClassifier(rule, n_estimators=800, random_state=seed).fit(X, y).score(X, y)
        for seed in range(5)
    ]
    assert np.median(errors) == 0.0


# Noise


@pytest.mark.parametrize("seed", range(5))
def test_long_servedio_with_thirty_per_cent_noise_is_no_problem(seed):
    X, y = datasets.make_long_servedio(4000, noise=0.3, seed=seed)
    clean_X, clean_y = datasets.make_long_servedio(10_000, seed=1000 + seed)
    assert SFBoostClassifier(n_estimators=21).fit(X, y).score(clean_X, clean_y) == 1.0


# SFBoost*


@pytest.mark.parametrize("seed", range(5))
@every_learner
def test_pruning_keeps_the_rounds_up_to_the_smallest_product(learner, seed):
    X, y = small_problem(seed, m=80, n=2)
    settings = {"n_estimators": 25, "random_state": seed}
    plain = SFBoostClassifier(learner, prune=False, **settings).fit(X, y)
    products = np.cumprod(plain.z_)
    best = int(np.argmax(products < products.min() + 1e-12))
    pruned = SFBoostClassifier(learner, prune=True, **settings).fit(X, y)
    assert pruned.n_iter_ == best
    np.testing.assert_allclose(pruned.z_, plain.z_[: best + 1])
    np.testing.assert_array_equal(pruned.train_score_, plain.train_score_[:best])
    stages = [np.full(len(y), pruned.bucket_scores_[0]), *plain.staged_decision_function(X)]
    np.testing.assert_array_equal(pruned.decision_function(X), stages[best])
    weights = np.exp(-y * stages[best])
    np.testing.assert_allclose(pruned.row_weights_, weights / weights.sum(), rtol=1e-9)
    assert len(pruned.estimators_) == best
    assert pruned.bucket_counts_.shape == (best + 1, 2)
    assert pruned.bucket_counts_.sum() == len(y)


def test_pruning_may_leave_nothing_but_the_prior():
    X = np.array([[0.0], [1.0]] * 20)
    y = np.array([0, 0, 1, 1] * 10)
    model = SFBoostClassifier(n_estimators=5, smoothing=0.0).fit(X, y)
    assert model.n_iter_ == 0
    np.testing.assert_array_equal(model.decision_function(X), np.zeros(40))
    np.testing.assert_allclose(model.predict_proba(X), 0.5)
    assert "bucket" in model.summary()


# Users


def test_margins_have_a_symmetric_kind():
    X, y = small_problem(7, m=150)
    model = SFBoostClassifier(n_estimators=6).fit(X, y)
    H, share = model.decision_function(X), (y == 1).mean()
    V = 0.5 * abs(np.log(share / (1 - share)))
    np.testing.assert_allclose(model.margins(X, y, kind="symmetric"), y * H / V)
    np.testing.assert_allclose(
        model.margins(X, y), y * H / np.abs(model.bucket_scores_).max(), atol=1e-12
    )
    even_X, even_y = np.vstack([X, X]), np.concatenate([y, -y])
    model = SFBoostClassifier(n_estimators=6).fit(even_X, even_y)
    expected = even_y * model.decision_function(even_X)
    np.testing.assert_allclose(model.margins(even_X, even_y, kind="symmetric"), expected)
    with pytest.raises(ValueError, match=r"'normalized' or 'logistic'$"):
        weakforce.DiscreteAdaBoostClassifier(n_estimators=2).fit(X, y).margins(X, y, "symmetric")


@every_learner
def test_summary_prints_the_rules_and_the_buckets(learner):
    X, y = small_problem(8, m=150)
    text = SFBoostClassifier(learner, n_estimators=3, prune=True).fit(X, y).summary()
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("bucket  "))
    assert lines[start].split() == ["bucket", "rows", "of", "-1", "rows", "of", "1", "score"]
    assert [line.split()[0] for line in lines[start + 1 :]] == ["0", "1", "2", "3"]


@every_learner
def test_a_file_brings_all_of_it_back(learner, tmp_path):
    X, y = small_problem(9, m=150)
    model = SFBoostClassifier(learner, n_estimators=5).fit(X, y)
    model.save(tmp_path / "model.json")
    back = weakforce.load(tmp_path / "model.json")
    for name in ("bucket_scores_", "bucket_counts_", "bucket_weights_", "z_", "train_score_"):
        np.testing.assert_array_equal(getattr(back, name), getattr(model, name))
    for ours, theirs in zip(
        back.staged_decision_function(X), model.staged_decision_function(X), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("prune", [False, True])
@every_learner
def test_a_warm_start_goes_on_as_one_run_would(learner, prune):
    X, y = small_problem(10, m=100)
    settings = {"prune": prune, "random_state": 3}
    whole = SFBoostClassifier(learner, n_estimators=12, **settings).fit(X, y)
    parts = SFBoostClassifier(learner, n_estimators=4, warm_start=True, **settings).fit(X, y)
    parts.set_params(n_estimators=12).fit(X, y)
    np.testing.assert_allclose(parts.z_, whole.z_, rtol=1e-12)
    np.testing.assert_array_equal(parts.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"learning_rate": 0.5}, "'learning_rate': got 0.5, expected 1"),
        ({"smoothing": -1.0}, "'smoothing': got -1"),
        ({"estimator": weakforce.RBFNet()}, r"'estimator': got RBFNet, expected Stump\(\)"),
        ({"estimator": "tree"}, "estimator"),
    ],
)
def test_what_cannot_be_is_refused_by_name(parameters, message):
    X, y = small_problem(0)
    with pytest.raises((ValueError, TypeError), match=message):
        SFBoostClassifier(**parameters).fit(X, y)


def test_categories_and_missing_values_find_their_bucket():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", None], 300)
    size = np.where(rng.random(300) < 0.2, np.nan, rng.normal(size=300))
    y = ((colour == np.array("red", dtype=object)) | np.isnan(size)).astype(int)
    frame = pl.DataFrame({"colour": colour.tolist(), "size": size})
    model = SFBoostClassifier(n_estimators=6).fit(frame, y)
    assert model.score(frame, y) == 1.0
    unseen = pl.DataFrame({"colour": ["violet"], "size": [None]}, schema=frame.schema)
    missing = pl.DataFrame({"colour": [None], "size": [None]}, schema=frame.schema)
    np.testing.assert_array_equal(model.decision_function(unseen), model.decision_function(missing))


@pytest.mark.slow
def test_threads_do_not_matter():
    X, y = datasets.make_waveform(70_000, seed=1)
    settings = {"n_estimators": 5, "random_state": 1}
    models = [SFBoostClassifier(n_jobs=n, **settings).fit(X, y) for n in (1, 2, 3)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.z_, models[0].z_)
        np.testing.assert_array_equal(model.row_weights_, models[0].row_weights_)
