"""Hypotheses as people read them: what is printed, parsed back, is what the model runs.

In: hand-made and random descriptions as the core gives them. The reader of the text is
reference/rule_parser.py, which shares nothing with the library.
"""

import datetime as dt
import json
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.rule_parser import as_compared, fires, holds, parse
from support.core_descriptions import DAY, MARCH_5, describe, literal, rule, stump, tree
from weakforce import Literal, TreeHypothesis
from weakforce._reading.hypotheses import hypothesis_from_core


def test_a_rule_reads_as_a_person_would_write_it():
    text = str(
        rule(
            describe("age", "number", "above", 37.0), describe("job", "text", "is", None, ["nurse"])
        )
    )
    assert text == 'age > 37 and job = "nurse" → +0.83, else −0.12'
    assert str(rule()) == "always → +0.83, else −0.12"
    assert rule().condition == "always"


LITERALS = {
    "age ≤ 37": describe("age", "number", "at_most", 37.0),
    "age > -0.25": describe("age", "number", "above", -0.25),
    "age > 1234567": describe("age", "number", "above", 1234567.0),
    "age > 1e+22": describe("age", "number", "above", 1e22),
    "age is null": describe("age", "number", "missing"),
    "age is not null": describe("age", "number", "present"),
    "smoker = false": describe("smoker", "boolean", "at_most", 0.0),
    "smoker = true": describe("smoker", "boolean", "above", 0.0),
    'job ≠ "nurse"': describe("job", "text", "is_not", None, ["nurse"]),
    'job in {"a", "b"}': describe("job", "text", "is", None, ["a", "b"]),
    'job not in {"a", "b"}': describe("job", "text", "is_not", None, ["a", "b"]),
    "zip = 3": describe("zip", "numbered_category", "is", None, ["3"]),
    "zip not in {2.5, 3}": describe("zip", "numbered_category", "is_not", None, ["2.5", "3"]),
    "signup > 2024-03-05": describe("signup", "instant", "above", MARCH_5),
    "signup ≤ 2024-03-05 14:30": describe("signup", "instant", "at_most", MARCH_5 + 52_200e6),
    "signup > 2024-03-05 00:00:01": describe("signup", "instant", "above", MARCH_5 + 1e6),
    "signup > 2024-03-05 00:00:00.001": describe("signup", "instant", "above", MARCH_5 + 1e3),
    "signup > 1969-12-31 23:59:59.999999": describe("signup", "instant", "above", -1.0),
    "signup > 11574-07-31": describe("signup", "instant", "above", 3_508_000 * DAY),
    "start ≤ 08:30": describe("start", "time_of_day", "at_most", 30_600e6),
    "start ≤ 00:00:00.5": describe("start", "time_of_day", "at_most", 5e5),
    "wait > 1d12h": describe("wait", "duration", "above", 1.5 * DAY),
    "wait > -1ms500us": describe("wait", "duration", "above", -1500.0),
    "wait > 0s": describe("wait", "duration", "above", 0.0),
    "`blood pressure` ≤ 1.5": describe("blood pressure", "number", "at_most", 1.5),
    "`null` is null": describe("null", "number", "missing"),
    "`a``b`".replace("``", "\\`") + " is null": describe("a`b", "number", "missing"),
    "größe > 3": describe("größe", "number", "above", 3.0),
    "`` is null": describe("", "number", "missing"),
    'job = "say \\"a\\\\b\\"\\n"': describe("job", "text", "is", None, ['say "a\\b"\n']),
}


@pytest.mark.parametrize("text", LITERALS)
def test_literals_read_as_a_person_would_write_them(text):
    assert str(Literal.from_core(LITERALS[text])) == text


def test_long_sets_are_cut_short_beyond_twenty_names():
    names = [f"n{i}" for i in range(21)]
    whole = str(literal("job", "text", "is", None, names[:20]))
    assert whole == f"job in {{{', '.join(json.dumps(n) for n in names[:20])}}}"
    assert parse(whole)[0].value == tuple(names[:20])
    short = str(literal("job", "text", "is", None, names))
    assert short.endswith('"n19", … 21 in all}')


def test_stumps_read_with_the_same_words():
    assert str(stump(threshold=-0.062932)) == "x ≤ -0.062932 → −1, else +1"
    assert stump(threshold=3.0, missing_inside=True).condition == "x ≤ 3 or null"
    assert stump(threshold=None).condition == "x is not null"
    assert stump(threshold=None, missing_inside=True).condition == "always"
    assert stump(kind="boolean", threshold=0.0).condition == "x = false"
    assert stump(kind="text", categories=["a"]).condition == 'x = "a"'
    text = stump(kind="text", categories=["a", "b"], missing_inside=True).condition
    assert text == 'x in {"a", "b"} or null'
    assert stump(kind="text", categories=[], missing_inside=True).condition == "x is null"


def test_a_tree_prints_indented_inside_first():
    assert str(tree()).splitlines() == [
        "if age ≤ 37 or null:",
        '    if job in {"nurse", "cook"}:',
        "        if age ≤ 20 → +0.83",
        "        else → +1",
        "    else → +0.5",
        "else:",
        "    if `signed up` ≤ 2024-03-05 → −0.12",
        "    else → −18",
    ]
    assert (tree().n_leaves, tree().depth) == (5, 3)
    assert tree() == tree()
    assert isinstance(tree(), TreeHypothesis)


def test_a_tree_of_one_leaf_is_a_constant():
    empty = ["column", "name", "column_kind", "threshold", "categories", "missing_inside"]
    arrays = {name: [] for name in [*empty, "inside", "outside"]}
    constant = tree(**arrays, values=[0.25], weights=[1.0], rows=[4])
    assert str(constant) == "always → +0.25"
    assert (constant.n_leaves, constant.depth) == (1, 0)


@pytest.mark.slow
def test_a_deep_tree_prints_without_recursion():
    n = 5000
    chain = {"column": [0] * n, "name": ["x"] * n, "column_kind": ["number"] * n}
    chain |= {"threshold": [float(i) for i in range(n)], "categories": [None] * n}
    chain |= {"inside": [-1 - i for i in range(n)], "missing_inside": [False] * n}
    chain |= {"outside": [*range(1, n), -1 - n], "values": [1.0] * (n + 1)}
    deep = tree(**chain, weights=[0.0] * (n + 1), rows=[1] * (n + 1))
    assert deep.depth == n
    assert len(str(deep).splitlines()) == 2 * n


def test_a_net_is_equal_to_its_copy_and_cannot_be_changed():
    described = {"kind": "rbf_net", "centers": np.eye(3), "widths": np.ones(3)}
    described |= {"outputs": np.arange(3.0), "answer": "vote"}
    net = hypothesis_from_core(described)
    assert net == hypothesis_from_core(described)
    assert net != hypothesis_from_core({**described, "widths": np.zeros(3)})
    assert len({net, hypothesis_from_core(described)}) == 1
    assert str(net) == "RBF net of 3 centres over 3 columns, answers vote"
    with pytest.raises(ValueError, match="read-only"):
        net.centers[0, 0] = 5.0


def test_a_classifier_of_somebody_elses_stays_what_it_is():
    thing = object()
    assert hypothesis_from_core(thing) is thing


doubles = st.floats(allow_nan=False, allow_infinity=False)
times = st.one_of(
    st.integers(-(10**18), 10**18).map(float),
    st.floats(-1e15, 1e15, allow_nan=False),
    st.integers(-(10**5), 10**5).map(lambda n: n * DAY),
    st.integers(-(10**9), 10**9).map(lambda n: n / 1000),
)


@given(doubles, st.sampled_from(["at_most", "above"]))
def test_printed_numbers_are_the_same_doubles(threshold, test):
    parsed = parse(str(literal("x", "number", test, threshold)))
    assert parsed[0].value == threshold
    assert parsed[0].sign == {"at_most": "≤", "above": ">"}[test]


@given(times, st.sampled_from(["instant", "duration", "time_of_day"]))
def test_printed_times_are_the_same_doubles(threshold, kind):
    threshold = abs(threshold) % DAY if kind == "time_of_day" else threshold
    assert parse(str(literal("x", kind, "above", threshold)))[0].value == threshold


@pytest.mark.slow
@given(st.text(), st.lists(st.text(), min_size=1, max_size=4, unique=True), st.booleans())
def test_names_and_categories_come_back_whatever_they_hold(name, categories, negated):
    one = literal(name, "text", "is_not" if negated else "is", None, categories)
    text = str(one)
    assert text.isprintable()
    other = literal("other", "number", "above", 2.0)
    for condition in (f"{text} and {other}", f"{other} and {text}"):
        parsed = {entry.name: entry for entry in parse(condition)}
        if name != "other":
            assert parsed[name].value == tuple(categories)
            assert (parsed[name].sign in ("≠", "not in")) == negated


NANO = [0, 1, 999, 1000, 1001, 1500, -1, -1500, -1000, 1709596800 * 10**9 + 250, None]
COLUMNS = {
    "float": pl.Series([0.5, -0.0, float("nan"), None, float("inf"), -float("inf"), 37.0]),
    "integer": pl.Series([37, 38, None, 2**53 + 1, -5], dtype=pl.Int64),
    "small": pl.Series([0, 255, None, 7], dtype=pl.UInt8),
    "decimal": pl.Series(["0.10", "0.25", None]).cast(pl.Decimal(10, 2)),
    "flag": pl.Series([True, False, None]),
    "text": pl.Series(["a", "b", None, ""]),
    "enum": pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a", "c"])),
    "categorical": pl.Series(["a", "b", None], dtype=pl.Categorical),
    "zip": pl.Series([1.0, 2.5, float("nan"), None, 3.0]),
    "date": pl.Series([dt.date(2024, 3, 4), dt.date(2024, 3, 5), dt.date(1969, 1, 1), None]),
    "far": pl.Series([3_508_000, -900_000, None], dtype=pl.Int32).cast(pl.Date),
    "milli": pl.Series([1709596800_000, 1709596800_001, -1, None]).cast(pl.Datetime("ms")),
    "micro": pl.Series([1709596800_000_000, -1, 0, 1, None]).cast(pl.Datetime("us")),
    "nano": pl.Series(NANO, dtype=pl.Int64).cast(pl.Datetime("ns")),
    "zoned": pl.Series([0, 1, None]).cast(pl.Datetime("us")).dt.replace_time_zone("Asia/Tokyo"),
    "wait_us": pl.Series([0, 1, -1500, None], dtype=pl.Int64).cast(pl.Duration("us")),
    "wait_ns": pl.Series(NANO, dtype=pl.Int64).cast(pl.Duration("ns")),
    "start": pl.Series([dt.time(0), dt.time(8, 30), dt.time(8, 30, 0, 1), None]),
}
KIND_OF = {"flag": "boolean", "zip": "numbered_category", "start": "time_of_day"}
KIND_OF |= dict.fromkeys(["text", "enum", "categorical"], "text")
KIND_OF |= dict.fromkeys(["date", "far", "milli", "micro", "nano", "zoned"], "instant")
KIND_OF |= dict.fromkeys(["wait_us", "wait_ns"], "duration")


def literals_on(name):
    """Every literal that makes sense on one of the columns above, around each of its values."""
    kind, values = KIND_OF.get(name, "number"), as_compared(COLUMNS[name])
    found = [describe(name, kind, "missing"), describe(name, kind, "present")]
    present = sorted({value for value in values if value is not None})
    if kind in ("text", "numbered_category"):
        texts = (
            present
            if kind == "text"
            else [np.format_float_positional(v, trim="-") for v in present]
        )
        for test in ("is", "is_not"):
            found += [describe(name, kind, test, None, [text]) for text in texts]
            found.append(describe(name, kind, test, None, texts))
    elif kind == "boolean":
        found += [describe(name, kind, test, 0.0) for test in ("at_most", "above")]
    else:
        finite = [value for value in present if np.isfinite(value)]
        cuts = {cut for value in finite for cut in (value, np.nextafter(value, -np.inf))}
        cuts |= {low / 2 + high / 2 for low, high in pairwise(finite)}
        cuts = {abs(cut) for cut in cuts} if kind == "time_of_day" else cuts
        tests = ("at_most", "above")
        found += [describe(name, kind, test, float(cut)) for cut in cuts for test in tests]
    return found


@pytest.mark.parametrize("name", COLUMNS)
def test_expressions_hold_on_the_rows_that_the_text_names(name):
    frame, values = COLUMNS[name].to_frame(name), as_compared(COLUMNS[name])
    fired = set()
    for described in literals_on(name):
        one = Literal.from_core(described)
        (parsed,) = parse(str(one))
        expected = [holds(parsed, value) for value in values]
        found = frame.select(one.expression().alias("fires"))["fires"]
        assert found.dtype == pl.Boolean
        assert found.to_list() == expected, str(one)
        assert frame.lazy().filter(one.expression()).collect().height == sum(expected)
        fired.add(tuple(expected))
    assert len(fired) > 2


def test_the_expression_of_a_conjunction_needs_all_of_it():
    frame = pl.DataFrame({"age": [30, 40, None, 50], "job": ["nurse", "nurse", "nurse", None]})
    both = rule(
        describe("age", "number", "above", 37.0), describe("job", "text", "is", None, ["nurse"])
    )
    assert frame.select(fires=both.expression())["fires"].to_list() == [False, True, False, False]
    assert fires(both.condition, frame).tolist() == [False, True, False, False]


def test_the_empty_rule_fires_everywhere():
    frame = pl.DataFrame({"age": [30, None]})
    assert frame.select(fires=rule().expression())["fires"].to_list() == [True, True]
    assert frame.filter(rule().expression()).height == 2
    assert frame.clear().filter(rule().expression()).height == 0


@pytest.mark.parametrize("missing_inside", [True, False])
def test_the_expression_of_a_stump_says_where_missing_values_are(missing_inside):
    frame = pl.DataFrame({"x": [1.0, 5.0, None, float("nan")]})
    found = frame.select(fires=stump(threshold=3.0, missing_inside=missing_inside).expression())
    assert found["fires"].to_list() == [True, False, missing_inside, missing_inside]
    texts = pl.DataFrame({"x": ["a", "b", None]})
    split = stump(kind="text", categories=["a"], missing_inside=missing_inside)
    found = texts.select(fires=split.expression())["fires"].to_list()
    assert found == [True, False, missing_inside]
