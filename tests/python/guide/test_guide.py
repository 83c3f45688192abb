"""The guide has one line for each estimator, and its words follow from its numbers."""

import subprocess
import sys

import polars as pl

import weakforce
from weakforce._estimator.base import estimators
from weakforce._guide import LINES

COLUMNS = ["name", "paper", "purpose", "classes", "speed", "robustness"]


def own_estimators():
    return [each for each in estimators() if each.__module__.startswith("weakforce.")]


def test_every_estimator_has_exactly_one_line_in_the_order_of_the_list():
    assert weakforce.guide()["name"].to_list() == [each.__name__ for each in own_estimators()]
    assert weakforce.guide()["name"][0] == "WeakForceClassifier"


def test_columns_are_words_and_numbers_and_nothing_is_left_out():
    frame = weakforce.guide()
    assert frame.columns == [*COLUMNS, "error", "noisy_error", "seconds"]
    assert set(frame.select(COLUMNS).dtypes) == {pl.String}
    assert frame.null_count().sum_horizontal()[0] == 0
    for name in ("error", "noisy_error", "seconds"):
        assert (frame[name] > 0).all()
    assert frame["purpose"].n_unique() == frame.height
    assert frame["purpose"].str.len_chars().max() <= 84


def test_classes_are_what_the_parameters_say():
    said = dict(weakforce.guide().select("name", "classes").iter_rows())
    for each in own_estimators():
        two = hasattr(each, "multi_class")
        assert said[each.__name__] == ("two, more by multi_class" if two else "any")


def test_words_follow_from_numbers():
    frame = weakforce.guide()
    for word, number in (("speed", "seconds"), ("robustness", "noisy_error")):
        ordered = frame.sort(number)[word].to_list()
        runs = [each for at, each in enumerate(ordered) if at == 0 or ordered[at - 1] != each]
        assert len(runs) == len(set(runs)) > 1


def test_the_default_is_the_most_robust_one():
    best = min(LINES, key=lambda line: line.noisy_error)
    assert best.name == "WeakForceClassifier"


def test_the_table_loads_nothing_heavy_and_its_name_stays_a_function():
    code = (
        "import sys, weakforce._guide; assert 'polars' not in sys.modules\n"
        "from weakforce.command_line import program\n"
        "import weakforce; print(weakforce.guide().height)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(LINES)
