"""Every model prints a summary, and notebooks show estimators as they show scikit-learn's."""

from inspect import getattr_static

import pytest
from sklearn.base import BaseEstimator

from support.registry import LEARNERS, every_booster, pairs_of, weak
from weakforce import datasets


@pytest.mark.parametrize(("booster", "learner"), pairs_of(LEARNERS))
def test_every_model_has_a_summary(booster, learner, capfd):
    X, y = datasets.make_twonorm(120, seed=1)
    model = booster(weak(booster, learner), n_estimators=4).fit(X, y)
    title, facts, *body = model.summary(3).splitlines()
    assert title.startswith(booster.__name__)
    assert learner.__name__ in title
    assert model.stop_reason_ in facts
    assert "training score" in facts
    assert body
    assert capfd.readouterr() == ("", "")


@every_booster
def test_notebooks_show_what_scikit_learn_shows(booster):
    X, y = datasets.make_xd6(100, seed=1)
    model = booster(n_estimators=2).fit(X, y)
    for name in ("_repr_html_", "_repr_mimebundle_", "__repr__"):
        assert getattr_static(type(model), name) is getattr_static(BaseEstimator, name)
    assert booster.__name__ in model._repr_html_()
