"""What a rule prints, read back by a small parser of its own, selects the rows on which it fired.

In: frames with every kind of column, awkward names, categories and thresholds. A printed rule is
compared with the rows it counts, with what it adds to the staged scores, and on new rows with
missing values and categories that were not there before.
"""

import datetime as dt
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.registry import SLOW_TO_MOVE, every_single_booster
from weakforce import RealAdaBoostClassifier, Rule, Stump

# A parser


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
UNITS = {"d": 86_400_000_000, "h": 3_600_000_000, "m": 60_000_000, "s": 10**6, "ms": 1000, "us": 1}


class Reader:
    """Reads a condition from left to right."""

    def __init__(self, text):
        self.text = text

    def take(self, pattern):
        """Take what matches at the front, or None."""
        found = re.match(pattern, self.text, re.DOTALL)
        if found:
            self.text = self.text[found.end() :]
            return found.group()
        return None

    def take_quoted(self, mark):
        quoted = self.take(rf"{mark}(?:[^{mark}\\]|\\.)*{mark}")
        return quoted and re.sub(r"\\(u[0-9a-f]{4}|.)", unescape, quoted[1:-1])

    def take_category(self):
        quoted = self.take_quoted('"')
        return self.take(r"[^\s,}]+") if quoted is None else quoted


def unescape(found):
    letter = found.group(1)
    return chr(int(letter[1:], 16)) if len(letter) == 5 else ESCAPES.get(letter, letter)


def parse(condition):
    """A condition as a list of (column name, what is asked, of what)."""
    if condition == "always":
        return []
    reader, literals = Reader(condition), []
    while True:
        name = reader.take_quoted("`") or reader.take(r"\w+")
        sign = reader.take(r" (is not null|is null|not in|in|≤|>|=|≠)").strip()
        value = None
        if sign in ("in", "not in"):
            assert reader.take(" {")
            value = {reader.take_category()}
            while reader.take(", "):
                value.add(reader.take_category())
            assert reader.take("}")
        elif "null" not in sign:
            reader.take(" ")
            value = reader.take_quoted('"')
            value = reader.take(r".+?(?= and |$)") if value is None else value
        literals.append((name, sign, value))
        if not reader.text:
            return literals
        assert reader.take(" and "), reader.text


def number_of(text, dtype):
    """A printed threshold as the number that the values of its column are compared with."""
    if dtype in (pl.Date, pl.Datetime):
        return float(np.datetime64(text.replace(" ", "T"), "us").astype(int))
    if dtype == pl.Duration:
        parts = re.findall(r"([\d.]+)(d|h|ms|us|m|s)", text)
        return (-1 if text[0] == "-" else 1) * sum(float(n) * UNITS[unit] for n, unit in parts)
    return float(text)


def numbers_of(column):
    if column.dtype in (pl.Date, pl.Datetime):
        column = column.cast(pl.Datetime("us")).to_physical()
    elif column.dtype == pl.Duration:
        column = column.dt.total_microseconds()
    return column.cast(pl.Float64)


def holds(literal, X, known):
    """The rows of a frame for which a parsed literal holds."""
    name, sign, asked = literal
    column = X[name]
    if name in known:  # categories: what was not there before is missing
        column = column.cast(pl.String)
        column = column.set(~column.is_in(list(known[name])), None)
        values = {asked} if isinstance(asked, str) else asked
        claim = None if asked is None else column.is_in(list(values))
        claim = ~claim if sign in ("≠", "not in") else claim
    elif column.dtype == pl.Boolean and asked is not None:
        claim = column == {"true": True, "false": False}[asked]
    elif asked is not None:
        numbers, than = numbers_of(column), number_of(asked, column.dtype)
        claim = {"≤": numbers <= than, ">": numbers > than}[sign]
    if sign in ("is null", "is not null"):
        return (column.is_null() == (sign == "is null")).to_numpy()
    return claim.fill_null(False).to_numpy()


def fires(condition, X, known):
    fired = np.ones(len(X), dtype=bool)
    for literal in parse(condition):
        fired &= holds(literal, X, known)
    return fired


# Frames


JOBS = [
    "nurse",
    "a and b",
    'say "x"',
    "back\\slash",
    "new\nline",
    "",
    "→ +1",
    "ü",
    "{x, y}",
    "null",
]
START = dt.datetime(2024, 2, 27, 23, 59, 59, 999_999)


def people(rows, seed, jobs=JOBS):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "blood pressure": rng.normal(size=rows) / 3,
            "a and b": rng.integers(0, 2, rows) > 0,
            'job`s "name"\\': rng.choice(jobs, rows),
            "null": rng.integers(1, 6, rows),
            "größe": np.exp(12 * rng.normal(size=rows)),
            "day": [START.date() + dt.timedelta(days=int(i)) for i in rng.integers(0, 9, rows)],
            "at": [
                START + dt.timedelta(microseconds=int(i) ** 4) for i in rng.integers(0, 999, rows)
            ],
            "stay": [dt.timedelta(seconds=int(i) / 8) for i in rng.integers(-999, 9999, rows)],
            "level": pl.Series(rng.choice(["low", "mid", "high"], rows), dtype=pl.Enum(LEVELS)),
        }
    )
    gaps = {name: pl.Series(rng.random(rows) < 0.12) for name in frame.columns}
    return frame.with_columns(
        pl.when(~gaps[name]).then(pl.col(name)).alias(name) for name in frame.columns
    )


LEVELS = ["low", "mid", "high", "unused"]
CATEGORIES = ('job`s "name"\\', "null", "level")


def known_categories(X):
    known = {name: set(X[name].cast(pl.String)) - {None} for name in CATEGORIES}
    return {**known, "level": set(LEVELS)}


def check_every_rule(model, X, known, frames):
    """Each rule must fire where its text says, on the training rows and on others."""
    for rule in model.estimators_:
        assert str(rule).startswith(f"{rule.condition} → ")
        assert fires(rule.condition, X, known).sum() == rule.rows_inside
    for frame in frames:
        before = np.zeros(len(frame))
        stages = list(model.staged_decision_function(frame))
        for rule, weight, after in zip(
            model.estimators_, model.estimator_weights_, stages, strict=True
        ):
            said = np.where(fires(rule.condition, frame, known), rule.inside, rule.outside)
            np.testing.assert_allclose(after - before, weight * said, rtol=0, atol=1e-9)
            before = after


@pytest.mark.slow
@every_single_booster
@pytest.mark.parametrize("max_literals", [1, 2, 4])
def test_a_printed_rule_selects_the_rows_on_which_it_fired(booster, max_literals):
    X = people(400, seed=max_literals)
    y = np.random.default_rng(9).integers(0, 2, 400)
    learner = Rule(max_literals=max_literals)
    model = booster(learner, n_estimators=40, categorical_features=["null"]).fit(X, y)
    assert model.n_iter_ == 40 or model.stop_reason_ == "optimal"
    later = people(300, seed=70, jobs=[*JOBS[:5], "never seen", "Nurse"])
    later = later.with_columns(pl.col("null") + 2)
    check_every_rule(model, X, known_categories(X), [X, later, later.clear()])
    used = {literal.name for rule in model.estimators_ for literal in rule.literals}
    assert len(used) > 5 or booster._kind in SLOW_TO_MOVE


def test_every_sign_is_printed_and_read():
    X = people(600, seed=1).with_columns(pl.all().shuffle(seed=1))
    y = np.random.default_rng(2).integers(0, 2, 600)
    model = RealAdaBoostClassifier(Rule(max_literals=5), n_estimators=150, max_bins=6)
    model.fit(X, y)
    signs = {sign for rule in model.estimators_ for _, sign, _ in parse(rule.condition)}
    assert signs == {"≤", ">", "=", "≠", "in", "not in", "is null", "is not null"}
    known = {name: values for name, values in known_categories(X).items() if name != "null"}
    check_every_rule(model, X, known, [X])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=12, unique=True),
    bits=st.integers(0, 2**12 - 1),
)
def test_printed_thresholds_are_the_ones_that_run(values, bits):
    X = pl.DataFrame({"x": values})
    y = [bits >> place & 1 for place in range(len(values))]
    y[:2] = [0, 1]
    model = RealAdaBoostClassifier(Rule(max_literals=2), n_estimators=5).fit(X, y)
    # A value just at a threshold is on the same side in print and at work.
    parsed = [literal for rule in model.estimators_ for literal in parse(rule.condition)]
    edges = [float(asked) for _, _, asked in parsed]
    near = [np.nextafter(edge, to) for edge in edges for to in (-np.inf, np.inf)]
    probe = pl.DataFrame({"x": [*edges, *near]}, schema={"x": pl.Float64})
    check_every_rule(model, X, {}, [X, probe])


def test_merged_rules_print_conditions_that_still_select_their_rows():
    X = people(300, seed=4)
    y = (X["age"].fill_null(0) > 40).to_numpy() ^ (np.random.default_rng(5).random(300) < 0.2)
    model = RealAdaBoostClassifier(Rule(max_literals=2), n_estimators=30)
    model.set_params(categorical_features=["null"]).fit(X, y)
    known = known_categories(X)
    for table in (model.rules(), model.rules(merge=True)):
        for condition, fired in table.select("rule", "rows_fired").iter_rows():
            assert fires(condition, X, known).sum() == fired
        scores = np.zeros(len(X))
        for condition, weight, inside, outside in table.select(
            "rule", "weight", "inside", "outside"
        ).iter_rows():
            scores += weight * np.where(fires(condition, X, known), inside, outside)
        np.testing.assert_allclose(scores, model.decision_function(X), rtol=0, atol=1e-9)


def test_printed_stumps_are_read_back_too():
    X = people(300, seed=6).drop(CATEGORIES)
    y = np.random.default_rng(7).integers(0, 2, 300)
    model = RealAdaBoostClassifier(Stump(), n_estimators=40).fit(X, y)
    before = np.zeros(len(X))
    stages = model.staged_decision_function(X)
    for stump, weight, after in zip(
        model.estimators_, model.estimator_weights_, stages, strict=True
    ):
        inside = fires(stump.condition.removesuffix(" or null"), X, {})
        if stump.condition.endswith(" or null"):
            inside |= X[stump.name].is_null().to_numpy()
        said = np.where(inside, stump.inside, stump.outside)
        np.testing.assert_allclose(after - before, weight * said, rtol=0, atol=1e-9)
        before = after
