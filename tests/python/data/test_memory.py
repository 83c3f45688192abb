"""Memory is estimated before it is taken."""

from __future__ import annotations

import numpy as np
import pytest

import weakforce as wf

N_ROWS = 200_000


@pytest.mark.parametrize("booster", [wf.AdaBoostMHClassifier, wf.DiscreteAdaBoostClassifier])
def test_a_fit_that_needs_more_than_there_is_says_so(booster: type[wf.BoostingClassifier]) -> None:
    # 50,000 classes times 200,000 rows: a third of a terabyte of scores and weights.
    labels = np.char.add("label ", (np.arange(N_ROWS) % 50_000).astype(str))
    X = np.arange(N_ROWS, dtype=np.float32)[:, None]
    with pytest.raises(
        MemoryError, match=r"this fit would take about .* GiB .*available"
    ) as caught:
        booster(n_estimators=1).fit(X, labels)
    assert "scores of rows by class or problem" in str(caught.value)


def test_problems_of_too_many_pairs_are_not_made() -> None:
    model = wf.DiscreteAdaBoostClassifier(multi_class="ovo", n_estimators=1)
    labels = np.char.add("label ", np.arange(20_000).astype(str))
    with pytest.raises(MemoryError, match="scores of rows by class or problem"):
        model.fit(np.arange(20_000.0)[:, None], labels)


def test_many_bins_and_classes_are_counted_before_histograms_are_made() -> None:
    generator = np.random.default_rng(0)
    X = generator.random((70_000, 40))
    labels = np.char.add("label ", (np.arange(70_000) % 3_000).astype(str))
    model = wf.SAMMEClassifier(wf.Tree(max_leaf_nodes=8), n_estimators=1, max_bins=65_535)
    with pytest.raises(MemoryError, match=r"histograms by class and bin .* GiB"):
        model.fit(X, labels)


def test_a_refused_fit_leaves_the_estimator_as_it_was() -> None:
    model = wf.AdaBoostMHClassifier(n_estimators=2)
    X = np.arange(N_ROWS, dtype=np.float32)[:, None]
    model.fit(X[:30], np.arange(30) % 3)
    labels = np.char.add("label ", (np.arange(N_ROWS) % 50_000).astype(str))
    with pytest.raises(MemoryError):
        model.fit(X, labels)
    assert list(model.classes_) == [0, 1, 2]
