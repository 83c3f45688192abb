"""Bucket pictures show the table of buckets of SFBoost, and of nothing else."""

import numpy as np
import pytest

from support.pictures import close
from support.registry import BOOSTERS, COUNTING
from weakforce import BucketDisplay, SFBoostClassifier, Stump, datasets

TWO = datasets.make_long_servedio(400, noise=0.2, seed=3)
THREE = datasets.make_waveform(150, n_classes=3, seed=3)


def heights(bars):
    return [bar.get_height() for bar in bars]


@pytest.mark.parametrize("domain", [TWO, THREE], ids=["two", "three"])
def test_bars_are_the_rows_of_each_class_in_the_buckets_that_have_some(domain):
    model = SFBoostClassifier(n_estimators=12, multi_class="shared").fit(*domain)
    display = BucketDisplay.from_estimator(model)
    occupied = np.flatnonzero(model.bucket_counts_.sum(axis=1))
    shown = slice(occupied[0], occupied[-1] + 1)
    assert len(display.bars_) == len(model.classes_)
    bottom = np.zeros(shown.stop - shown.start)
    for bars, counts in zip(display.bars_, model.bucket_counts_[shown].T, strict=True):
        assert heights(bars) == list(counts)
        assert [bar.get_y() for bar in bars] == list(bottom)
        bottom += counts
    assert sum(sum(heights(bars)) for bars in display.bars_) == len(domain.y)
    scores = model.bucket_scores_[shown].reshape(len(bottom), -1).T
    for line, numbers in zip(display.score_lines_, scores, strict=True):
        assert list(line.get_ydata()) == list(numbers)
        assert list(line.get_xdata()) == list(range(shown.start, shown.stop))
    close(display)


def test_axes_and_classes_have_names():
    y = np.where(TWO.y.to_numpy() == 1, "yes", "no")
    model = SFBoostClassifier(n_estimators=5).fit(TWO.X, y)
    display = BucketDisplay.from_estimator(model)
    named = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert named == ["rows of no", "rows of yes", "score"]
    assert display.score_ax_.get_ylabel() == "score (above 0: yes)"
    assert display.ax_.get_ylabel() == "training rows"
    close(display)


def test_many_classes_have_bars_but_no_thicket_of_lines():
    y = np.arange(150) % 6
    model = SFBoostClassifier(n_estimators=8, multi_class="shared").fit(THREE.X, y)
    display = BucketDisplay.from_estimator(model)
    assert len(display.bars_) == 6
    assert display.score_lines_ == []
    close(display)


@pytest.mark.parametrize("booster", [b for b in BOOSTERS if b._kind not in COUNTING])
def test_boosters_without_buckets_are_refused_by_name(booster):
    model = booster(Stump(), n_estimators=3).fit(*TWO)
    with pytest.raises(TypeError, match=f"got {booster.__name__}, which has no buckets"):
        BucketDisplay.from_estimator(model)


def test_a_table_for_each_problem_is_refused():
    model = SFBoostClassifier(n_estimators=2).fit(*THREE)
    with pytest.raises(TypeError, match=r"a table for each of 3 .*multi_class='shared'"):
        BucketDisplay.from_estimator(model)
