"""Programs that are not solved are warned of."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import weakforce as wf
from weakforce import reweighting


def test_a_gap_as_large_as_the_objective_is_warned_of(monkeypatch):
    X, y = wf.datasets.make_xd6(300, noise=0.2, seed=1)
    model = wf.DiscreteAdaBoostClassifier(n_estimators=30).fit(X, y)
    for C in (1e-3, 1.0, 1e12):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = wf.reweight(model, X, y, method="l1", C=C)
        is_large = found.duality_gap_ > 1e-3 * abs(found.objective_) + 1e-6
        assert is_large == any(each.category is ConvergenceWarning for each in caught)
    reported = reweighting.reweighted

    def unsolved(*given):
        found = reported(*given)
        found.duality_gap_ = abs(found.objective_)
        return found

    monkeypatch.setattr(reweighting, "reweighted", unsolved)
    with pytest.warns(ConvergenceWarning, match=r"reweight: the program was not solved: .* C may"):
        wf.reweight(model, X, y, method="l1", C=1.0)


def test_a_gap_in_some_problems_is_counted(monkeypatch):
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(90, 2)), np.arange(90) % 3
    model = wf.DiscreteAdaBoostClassifier(n_estimators=5).fit(X, y)
    found = wf.reweight(model, X, y, method="lp-reg", C=2.0)
    found.duality_gap_ = np.array([0.0, 0.5, 0.0])
    with pytest.warns(ConvergenceWarning, match="in 1 of the problems"):
        reweighting._warn_of_gap("reweight", found)
