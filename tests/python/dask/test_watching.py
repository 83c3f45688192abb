"""Callbacks and the progress bar of a fit on a cluster, and rounds that end it."""

from __future__ import annotations

import pytest

import weakforce
from support.clusters import sha, spread
from weakforce import DiscreteAdaBoostClassifier

pytestmark = pytest.mark.slow

HOLDERS = [(0, 200), (1, 400)]


def test_callbacks_see_the_rounds_that_they_see_in_one_process(cluster, rows):
    columns = rows.drop("kind", "weight")
    seen, expected = [], []
    model = DiscreteAdaBoostClassifier(n_estimators=12, callbacks=seen.append)
    weakforce.dask.fit(model, spread(cluster, columns, HOLDERS), "label", client=cluster)
    one = DiscreteAdaBoostClassifier(n_estimators=12, callbacks=expected.append)
    one.fit(columns, "label")
    assert seen == expected
    assert model.callbacks == seen.append


def test_a_callback_that_returns_true_ends_the_fit_in_that_round(cluster, rows, tmp_path):
    columns = rows.drop("kind", "weight")
    model = DiscreteAdaBoostClassifier(
        n_estimators=50, callbacks=lambda info: info.round == 7, random_state=0
    )
    weakforce.dask.fit(model, spread(cluster, columns, HOLDERS), "label", client=cluster)
    assert model.stop_reason_ == "callback"
    assert model.n_iter_ == 7
    model.callbacks = None
    one = DiscreteAdaBoostClassifier(n_estimators=50, random_state=0)
    one.set_params(callbacks=lambda info: info.round == 7).fit(columns, "label")
    assert sha(one.set_params(callbacks=None), tmp_path) == sha(model, tmp_path)


def test_the_progress_bar_shows_all_rounds(cluster, rows, capsys):
    columns = rows.drop("kind", "weight")
    model = DiscreteAdaBoostClassifier(n_estimators=9, verbose=1)
    weakforce.dask.fit(model, spread(cluster, columns, HOLDERS), "label", client=cluster)
    assert "9/9" in capsys.readouterr().err
