"""The stump search against exhaustive search on raw values, for all criteria and answers.

Checked on many small frames: numbers with ties, categories, missing values and weights. Stumps have
no fit of their own, so each is the first hypothesis of a real AdaBoost run.
"""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings

from reference.boosting import Round, real
from reference.learners import (
    CRITERIA,
    Search,
    Split,
    all_candidates,
    answer_of,
    best_candidates,
    is_categorical,
    make_stump,
    to_frame,
)
from support.small_problems import problems_full_of_ties, random_problem, shares
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier, Stump

ANSWERS = ("vote", "logistic", "gentle")
COMBINATIONS = list(itertools.product(CRITERIA, ANSWERS))
SMOOTHING = 0.03


def first_stump(columns, y, weights, criterion, answer, smoothing=SMOOTHING):
    """Return the fitted stump, or None if it has no edge."""
    learner = Stump(criterion=criterion, answer=answer, smoothing=smoothing)
    model = RealAdaBoostClassifier(learner, n_estimators=1, max_bins=1000)
    model.fit(to_frame(columns), np.asarray(y), sample_weight=weights)
    return model.estimators_[0] if model.n_iter_ else None


def as_split(stump, columns):
    """Return a fitted stump's test in the oracle's terms."""
    column = columns[stump.column]
    known = frozenset(value for value in column if value is not None)
    categories = None if stump.categories is None else frozenset(stump.categories)
    known = known if is_categorical(column) else frozenset()
    return Split(stump.column, stump.threshold, categories, known, stump.missing_inside)


def partition(rows_inside):
    """Name a test by what it separates, whichever side is called inside."""
    flipped = tuple(not inside for inside in rows_inside)
    return min(rows_inside, flipped)


def check_against_exhaustive_search(columns, y, weights, criterion, answer):
    w = shares(weights)
    candidates = all_candidates(columns, y, w, criterion)
    best = best_candidates(candidates)
    stump = first_stump(columns, y, weights, criterion, answer)
    if stump is None:
        expected = make_stump(best[0], answer, SMOOTHING)
        assert real(Round(w, list(y), expected.answers(columns), 0.0))[-1] == "drop"
        return
    column = columns[stump.column]
    search = Search(columns, y, w, criterion, tuple(range(len(y))))
    chosen = search.weigh(as_split(stump, columns))
    assert chosen.score == pytest.approx(best[0].score, abs=1e-12)
    assert stump.inside == pytest.approx(answer_of(answer, *chosen.inside, SMOOTHING), abs=1e-9)
    assert stump.outside == pytest.approx(answer_of(answer, *chosen.outside, SMOOTHING), abs=1e-9)
    near_best = best_candidates(candidates, tolerance=1e-9)
    splits = {(c.split.column, partition(c.rows_inside)) for c in near_best}
    if len(splits) == 1:
        assert (stump.column, partition(chosen.rows_inside)) in splits
        assert stump.threshold == near_best[0].split.threshold
        if None in column or abs(sum(chosen.inside) - sum(chosen.outside)) > 1e-9:
            expected = make_stump(near_best[0], answer, SMOOTHING)
            to_missing = expected.inside if expected.split.missing_inside else expected.outside
            got = stump.inside if stump.missing_inside else stump.outside
            assert got == pytest.approx(to_missing, abs=1e-9)


@pytest.mark.parametrize(("criterion", "answer"), COMBINATIONS)
def test_stump_equals_the_exhaustive_search_on_generic_weights(criterion, answer):
    rng = np.random.default_rng([list(CRITERIA).index(criterion), ANSWERS.index(answer)])
    for _ in range(60):
        columns, y, weights = random_problem(rng)
        check_against_exhaustive_search(columns, y, weights, criterion, answer)


@pytest.mark.slow
@pytest.mark.parametrize(("criterion", "answer"), COMBINATIONS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(problem=problems_full_of_ties())
def test_stump_reaches_the_least_criterion_value_among_ties(problem, criterion, answer):
    check_against_exhaustive_search(*problem, criterion, answer)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(problem=problems_full_of_ties())
def test_ties_go_to_the_lowest_column_then_the_lowest_cut(problem, criterion):
    columns, y, weights = problem
    numeric = [column for column in columns if not is_categorical(column)]
    assume(numeric)
    w = shares(weights)
    best = best_candidates(all_candidates(numeric, y, w, criterion))[0]
    stump = first_stump(numeric, y, weights, criterion, "logistic")
    assume(stump is not None)
    assert stump.column == best.split.column
    assert stump.threshold == best.split.threshold


@pytest.mark.slow
def test_a_tied_side_votes_for_the_positive_class():
    # Class weights of one side are equal: k against a + b, whatever the other rows weigh.
    X, y = [[0.0], [0.0], [0.0], [1.0]], [1, -1, -1, 1]
    for a, b, rest in itertools.product((1, 2, 3), (2, 4, 5), range(1, 40)):
        model = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y, [a + b, a, b, rest])
        stump = model.estimators_[0]
        assert (stump.inside, stump.outside) == (1.0, 1.0), (a, b, rest)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_present_against_missing_is_a_test_of_its_own(criterion):
    columns = [[1.0, 2.0, 3.0, 4.0, None, None]]
    stump = first_stump(columns, [-1, -1, -1, -1, 1, 1], [1.0] * 6, criterion, "vote")
    assert (stump.threshold, stump.missing_inside) == (None, False)
    assert (stump.inside, stump.outside) == (-1.0, 1.0)
    assert str(stump) == "c0 is not null → −1, else +1"


@pytest.mark.parametrize(
    ("values", "missing_answer"),
    [
        ([1.0, 2.0, 3.0, 4.0, 5.0], -1.0),
        ([1.0, 2.0, 4.0, 5.0, 6.0], 1.0),
        (["a", "a", "a", "b", "b"], -1.0),
        (["a", "a", "b", "b", "b"], 1.0),
    ],
)
def test_what_is_missing_only_later_goes_to_the_heavier_side(values, missing_answer):
    first_positive = 3 if missing_answer < 0 else 2
    y = [-1] * first_positive + [1] * (5 - first_positive)
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(to_frame([values]), y)
    dtype = pl.String if isinstance(values[0], str) else pl.Float64
    later = pl.DataFrame({"c0": pl.Series([None], dtype=dtype)})
    assert model.predict(later)[0] == missing_answer
    if dtype == pl.String:
        assert model.predict(pl.DataFrame({"c0": ["never seen"]}))[0] == missing_answer


def test_default_smoothing_is_the_share_of_the_lightest_row_with_weight():
    rng = np.random.default_rng(5)
    columns, y, weights = random_problem(rng)
    weights[2] = 0.0
    for taken in (weights, (weights > 0).astype(float)):
        share = taken[taken > 0].min() / taken.sum()
        default = first_stump(columns, y, taken, "z", "logistic", smoothing=None)
        expected = first_stump(columns, y, taken, "z", "logistic", smoothing=share)
        assert default.inside == pytest.approx(expected.inside, abs=1e-12)
        assert default.outside == pytest.approx(expected.outside, abs=1e-12)
        other = first_stump(columns, y, taken, "z", "logistic", smoothing=1 / len(y))
        answers, others = (default.inside, default.outside), (other.inside, other.outside)
        assert answers != pytest.approx(others, abs=1e-12)


@pytest.mark.parametrize("answer", ["logistic", "gentle"])
def test_a_pure_side_answers_finitely_without_smoothing(answer):
    model = RealAdaBoostClassifier(Stump(answer=answer, smoothing=0.0), n_estimators=1)
    model.fit([[0.0], [0.0], [1.0]], [0, 0, 1])
    largest = {"logistic": 18.0, "gentle": 1.0}[answer]
    assert (model.estimators_[0].inside, model.estimators_[0].outside) == (-largest, largest)


def test_a_frame_without_any_cut_gets_the_majority():
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(np.ones((5, 2)), [0, 1, 1, 1, 1])
    assert model.n_iter_ == 1  # after the update both classes weigh the same
    assert model.stop_reason_ == "no_edge"
    assert model.estimator_errors_[0] == pytest.approx(0.2)
    assert (model.predict(np.zeros((2, 2))) == 1).all()


def test_a_column_without_values_says_nothing_about_later_ones():
    frame = pl.DataFrame({"a": pl.Series([None] * 5, dtype=pl.Float64), "b": [1.0] * 5})
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(frame, ["no", "no", "no", "no", "yes"])
    assert model.predict(pl.DataFrame({"a": [7.0], "b": [1.0]})).tolist() == ["no"]
