"""Suspect labels where rows have any number of them: each label is judged by itself."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sklearn.metrics import roc_auc_score

from weakforce import datasets, suspect_labels

N_ROWS = 400


def members(share=0.1):
    """Three labels that follow from the rows, a share of them turned, and which ones."""
    X, y = datasets.make_waveform(N_ROWS, n_classes=3, seed=2)
    y = y.to_numpy()
    clean = np.column_stack([y == 0, y != 1, X["x7"].to_numpy() > 2.0])
    wrong = np.random.default_rng(1).random(clean.shape) < share
    return X, clean ^ wrong, wrong


@pytest.mark.parametrize("method", ["one-fit", "cross-fit"])
def test_every_label_is_judged_like_one_of_two_classes(method):
    X, given, wrong = members()
    options = {"method": method, "n_reasons": 0}
    found = suspect_labels(X, given.astype(int), **options)
    assert found.columns[-1] == "label"
    assert found["score"].is_sorted(descending=True)
    assert found.height == 3 * N_ROWS
    for at in range(3):
        own = found.filter(pl.col("label") == at).drop("label")
        assert_frame_equal(own, suspect_labels(X, given[:, at], **options), check_exact=True)
    is_wrong = wrong[found["row"], found["label"]]
    assert roc_auc_score(is_wrong, found["score"]) > 0.9


def test_lists_of_labels_and_matrices_are_the_same_and_reasons_name_the_label():
    X, given, _ = members()
    names = np.array(["red", "sea blue", "green"])
    lists = pl.Series("y", [names[line].tolist() for line in given])
    found = suspect_labels(X, lists, method="one-fit")
    order = np.argsort(names)
    other = suspect_labels(X, given[:, order].astype(int), method="one-fit")
    known = pl.Series(names[order])
    same = ["row", "given", "suggested", "margin", "influence", "score"]
    assert_frame_equal(found[same], other[same], check_exact=True)
    assert found["label"].to_list() == known.gather(other["label"]).to_list()
    blue = found.filter((pl.col("label") == "sea blue") & (pl.col("given") != pl.col("suggested")))
    for suggested, text in blue.select("suggested", "reasons").iter_rows():
        title = 'for "sea blue": ' if suggested else 'for not "sea blue": '
        assert text.startswith(title)


def test_a_label_that_all_rows_have_is_never_suspect():
    X, given, _ = members()
    given[:, 1] = True
    found = suspect_labels(X, given.astype(int), method="one-fit")
    always = found.filter(pl.col("label") == 1)
    assert always["given"].all()
    assert always["suggested"].all()
    assert (always["score"] == 0.0).all()
