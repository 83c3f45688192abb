"""multi_class="ecoc-max": codes whose rows are as far from each other as a search finds them."""

import numpy as np
import pytest

from support.small_multiclass_problems import blobs
from weakforce import AdaBoostRClassifier, RealAdaBoostClassifier
from weakforce._fitting.code_search import most_distance, spread_rows
from weakforce._fitting.codes import code_for


def code(name, n_classes, seed):
    return code_for(name, np.arange(n_classes), seed).matrix


def smallest_distance(matrix):
    return min((a != b).sum() for i, a in enumerate(matrix) for b in matrix[:i])


def is_code(matrix):
    columns = {tuple(column * column[0]) for column in matrix.T}
    both = (np.abs(matrix.sum(axis=0)) < len(matrix)).all()
    return set(np.unique(matrix)) == {-1, 1} and both and len(columns) == matrix.shape[1]


@pytest.mark.parametrize("n_classes", [3, 5, 7, 8, 11, 26])
def test_rows_are_never_nearer_than_those_of_random_codes(n_classes):
    seeds = range(3)
    random = [code("ecoc", n_classes, seed) for seed in seeds]
    spread = [code("ecoc-max", n_classes, seed) for seed in seeds]
    assert all(is_code(matrix) for matrix in spread)
    assert {matrix.shape for matrix in spread} == {matrix.shape for matrix in random}
    least = min(map(smallest_distance, spread))
    assert least >= max(map(smallest_distance, random))
    most = most_distance(*random[0].shape)
    assert max(map(smallest_distance, spread)) <= most
    assert least >= most - 1


@pytest.mark.parametrize("n_classes", [3, 4, 5])
def test_few_classes_have_all_columns_there_are(n_classes):
    matrix = code("ecoc-max", n_classes, 0)
    assert matrix.shape[1] == 2 ** (n_classes - 1) - 1
    assert smallest_distance(matrix) == 2 ** (n_classes - 2) == most_distance(*matrix.shape)


@pytest.mark.parametrize("n_classes", [4, 8, 12])
def test_the_search_finds_the_distances_of_hadamard_matrices(n_classes):
    # n rows of n − 1 columns: no two rows can all be farther apart than n/2.
    n_columns = n_classes - 1
    assert most_distance(n_classes, n_columns) == n_classes // 2
    found = 0
    for seed in range(4):
        generator = np.random.default_rng(seed)
        columns: dict[tuple[int, ...], np.ndarray] = {}
        while len(columns) < n_columns:
            drawn = generator.choice(np.array([-1, 1], dtype=np.int8), n_classes)
            if abs(drawn.sum()) < n_classes:
                columns.setdefault(tuple(drawn * drawn[0]), drawn)
        start = np.column_stack(list(columns.values()))
        raw = np.random.PCG64(seed).random_raw
        better = spread_rows(start, raw)
        assert is_code(better)
        assert smallest_distance(better) >= smallest_distance(start)
        found = max(found, smallest_distance(better))
    assert found >= n_classes // 2 - (n_classes > 8)


@pytest.mark.parametrize(("n_rows", "n_columns", "most"), [(6, 26, 14), (5, 15, 8), (7, 29, 16)])
def test_the_bound_counts_columns_that_are_there(n_rows, n_columns, most):
    assert most_distance(n_rows, n_columns) == most
    assert smallest_distance(code("ecoc-max", n_rows, 3)) == most


def test_codes_are_drawn_by_the_seed():
    X, y = blobs(120, 6, spread=1.5)
    make = lambda seed: AdaBoostRClassifier(  # noqa: E731
        n_estimators=2, multi_class="ecoc-max", random_state=seed
    )
    first = make(0).fit(X, y)
    assert np.array_equal(make(0).fit(X, y).code_, first.code_)
    assert not np.array_equal(make(1).fit(X, y).code_, first.code_)
    again = AdaBoostRClassifier(n_estimators=2, multi_class=first.code_).fit(X, y)
    assert again.decision_function(X).tobytes() == first.decision_function(X).tobytes()


def test_a_warm_start_keeps_its_code():
    X, y = blobs(120, 6, spread=1.5)
    model = RealAdaBoostClassifier(n_estimators=2, multi_class="ecoc-max", warm_start=True)
    before = model.fit(X, y).code_
    after = model.set_params(n_estimators=4).fit(X, y).code_
    assert np.array_equal(before, after)
    assert model.n_iter_ == 4
