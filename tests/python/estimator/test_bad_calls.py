"""Calls that cannot be answered: before fit, with other columns than at fit, by wrong names.

Also what fit prints: nothing, or with verbose=1 a bar on stderr.
"""

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from support.registry import BOOSTERS
from weakforce import DiscreteAdaBoostClassifier, RealAdaBoostClassifier

X = pl.DataFrame({"size": [1.0, 2.0, 3.0, 4.0, 5.0, None], "colour": list("rgbrgb")})
Y = [0, 1, 0, 1, 1, 0]

SCORERS = {
    "predict": lambda model, X: model.predict(X),
    "predict_proba": lambda model, X: model.predict_proba(X),
    "predict_log_proba": lambda model, X: model.predict_log_proba(X),
    "decision_function": lambda model, X: model.decision_function(X),
    "staged_decision_function": lambda model, X: list(model.staged_decision_function(X)),
    "staged_predict": lambda model, X: list(model.staged_predict(X)),
    "staged_predict_proba": lambda model, X: list(model.staged_predict_proba(X)),
    "staged_score": lambda model, X: list(model.staged_score(X, Y)),
    "score": lambda model, X: model.score(X, Y),
    "margins": lambda model, X: model.margins(X, Y),
}


@pytest.mark.parametrize("booster", BOOSTERS)
def test_nothing_is_scored_before_fit(booster):
    for score in SCORERS.values():
        with pytest.raises(NotFittedError, match=booster.__name__):
            score(booster(), X)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_nothing_is_saved_or_shown_before_fit(booster, tmp_path):
    with pytest.raises(NotFittedError, match=booster.__name__):
        booster().save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(NotFittedError, match=booster.__name__):
        _ = booster().estimators_


OTHER_COLUMNS = {
    "missing": (X.select("size"), "'colour'.*size"),
    "renamed": (X.rename({"size": "length"}), "'size'.*length, colour"),
    "text for a number": (X.with_columns(size=pl.lit("big")), "'size'.*number"),
    "number for a text": (X.with_columns(colour=pl.lit(3)), "'colour'.*string"),
    "Boolean for a text": (X.with_columns(colour=pl.lit(True)), "'colour'.*Boolean.*string"),
    "date for a number": (X.with_columns(size=pl.date(2024, 1, 1)), "'size'.*Date.*number"),
    "duration for a number": (X.with_columns(size=pl.duration(days=1)), "'size'.*Duration.*number"),
    "list for a number": (X.with_columns(size=pl.lit([1.0])), "'size'.*List"),
    "bytes for a text": (X.with_columns(colour=pl.lit(b"r")), "'colour'.*Binary"),
    "no rows and re-typed": (X.clear().with_columns(size=pl.lit("big")), "'size'.*number"),
    "unnamed and too few": (np.zeros((6, 1)), "1 features.*2 features"),
    "unnamed and re-typed": (np.zeros((6, 2)), "'(x1|colour)'"),
}


@pytest.mark.parametrize("name", OTHER_COLUMNS)
@pytest.mark.parametrize("scorer", SCORERS)
def test_other_columns_than_at_fit_are_refused_by_name(name, scorer):
    model = RealAdaBoostClassifier(n_estimators=3).fit(X, Y)
    scores = model.decision_function(X)
    frame, culprit = OTHER_COLUMNS[name]
    with pytest.raises((ValueError, TypeError), match=culprit):
        SCORERS[scorer](model, frame)
    assert np.array_equal(model.decision_function(X), scores)


@pytest.mark.parametrize("columns", [0, 1, 3])
def test_arrays_of_another_width_are_refused(columns):
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(np.arange(12.0).reshape(6, 2), Y)
    with pytest.raises(ValueError, match=f"{columns} feature"):
        model.predict(np.zeros((6, columns)))
    with pytest.raises(TypeError, match="'first'"):
        model.predict(pl.DataFrame({"first": ["a"], "second": [1]}))


def test_text_columns_stay_text_and_dates_stay_dates():
    dates = pl.DataFrame(
        {"day": pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 6), eager=True)}
    )
    model = DiscreteAdaBoostClassifier(n_estimators=2).fit(dates, Y)
    for other, kind in ((pl.Int64, "Int64"), (pl.String, "Utf8"), (pl.Duration("us"), "Duration")):
        retyped = dates.cast(pl.Int64).cast(other)
        with pytest.raises(TypeError, match=f"'day'.*{kind}.*date or datetime"):
            model.predict(retyped)


def test_margins_refuse_unknown_kinds_labels_and_lengths():
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match=r"'kind'.*'exact'.*'normalized'.*'logistic'"):
        model.margins(X, Y, kind="exact")
    with pytest.raises(ValueError, match=r"y.*label 7.*0, 1"):
        model.margins(X, [0, 1, 0, 1, 7, 0])
    with pytest.raises(ValueError, match=r"y.*'[01]'.*0, 1"):
        model.margins(X, [str(label) for label in Y])
    for labels in (Y[:3], Y * 2):
        with pytest.raises(ValueError, match=rf"y.*{len(labels)} labels.*6"):
            model.margins(X, labels)
        with pytest.raises(ValueError, match=rf"y.*{len(labels)} labels.*6"):
            list(model.staged_score(X, labels))


@pytest.mark.parametrize("like", [float, bool, np.int8, pl.Series])
def test_labels_equal_to_the_classes_are_known_whatever_their_type(like):
    model = DiscreteAdaBoostClassifier(n_estimators=3).fit(X, Y)
    labels = pl.Series(Y) if like is pl.Series else [like(label) for label in Y]
    assert np.array_equal(model.margins(X, labels), model.margins(X, Y))


@pytest.mark.parametrize("booster", BOOSTERS)
def test_a_callback_that_raises_ends_the_fit_with_its_error(booster):
    def fail(info):
        raise LookupError(f"round {info.round}")

    model = booster(n_estimators=5).fit(X, Y)
    before = dict(vars(model))
    model.callbacks = fail
    with pytest.raises(LookupError, match="round 1"):
        model.fit(X, Y)
    model.callbacks = None
    assert all(vars(model)[name] is value for name, value in before.items())


def test_a_callback_that_raises_late_leaves_an_unfitted_estimator_unfitted():
    def fail(info):
        if info.round == 3:
            raise LookupError

    model = RealAdaBoostClassifier(n_estimators=50, callbacks=fail)
    with pytest.raises(LookupError):
        model.fit(np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_fit_and_predict_print_nothing(booster, capfd):
    booster(n_estimators=20, early_stopping=True).fit(X, Y).predict(X)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == ""


@pytest.mark.parametrize("booster", BOOSTERS)
def test_verbose_shows_a_bar_on_stderr_only(booster, capfd):
    y = np.random.default_rng(0).integers(0, 2, 80)
    booster(n_estimators=20, verbose=1).fit(np.arange(160.0).reshape(80, 2) % 37, y)
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "20/20" in captured.err
    assert "boosting" in captured.err


@pytest.mark.parametrize("n_estimators", [0, -1, "ten", None])
def test_a_verbose_fit_still_refuses_by_name(n_estimators):
    model = DiscreteAdaBoostClassifier(n_estimators=n_estimators, verbose=1)
    with pytest.raises((ValueError, TypeError), match="n_estimators"):
        model.fit(X, Y)


def test_warm_start_refuses_fewer_rounds_and_other_labels():
    model = DiscreteAdaBoostClassifier(n_estimators=5, warm_start=True).fit(X, Y)
    before = dict(vars(model))
    model.n_estimators = 2
    with pytest.raises(ValueError, match=r"n_estimators.*2.*at least"):
        model.fit(X, Y)
    model.n_estimators = 5
    with pytest.raises(ValueError, match=r"y.*label 5"):
        model.fit(X, [0, 5] * 3)
    with pytest.raises(ValueError, match="'colour'"):
        model.fit(X.select("size"), Y)
    assert all(vars(model)[name] is value for name, value in before.items())
