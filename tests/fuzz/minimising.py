"""From a case that fails to the smallest one that was found to fail in the same way.

In: a case and a test of whether a smaller one still fails. Out: a case. Lists are halved, then
shortened one by one; entries are taken away or set to what is usual.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

Case = dict[str, Any]
Test = Callable[[Case], bool]


def minimised(case: Case, fails: Test, seconds: float) -> Case:
    """Return a smaller case that fails as well, found within about so many seconds."""
    deadline = time.monotonic() + seconds

    def still_fails(smaller: Case) -> bool:
        return time.monotonic() < deadline and fails(smaller)

    while True:
        before = case
        if "edits" in case:
            case = _shorter(case, still_fails, len(case["edits"]), _with_edits)
        else:
            case = _simpler(case, still_fails)
            n_rows = len(case["labels"]["values"])
            case = _shorter(case, still_fails, len(case["columns"]), _with_columns)
            case = _shorter(case, still_fails, n_rows, _with_rows)
        if case == before:
            return case


def _simpler(case: Case, fails: Test) -> Case:
    progress = True
    while progress:
        progress = False
        for smaller in _simplifications(case):
            if smaller != case and fails(smaller):
                case, progress = smaller, True
                break
    return case


def _simplifications(case: Case) -> Iterator[Case]:
    """Yield cases with one thing less."""
    for name, usual in (("then", []), ("weights", None), ("validation", None), ("other", None)):
        yield {**case, name: usual}
    for at in range(len(case["then"])):
        yield {**case, "then": case["then"][:at] + case["then"][at + 1 :]}
    yield {**case, "learner": None}
    for name in case["parameters"]:
        yield {**case, "parameters": {k: v for k, v in case["parameters"].items() if k != name}}
    for name in ("n_estimators", "n_layers", "n_trees"):
        if name in case["parameters"]:
            yield {**case, "parameters": {**case["parameters"], name: 1}}
    if isinstance(case["learner"], dict) and "learner" in case["learner"]:
        kind, parameters = case["learner"]["learner"]
        for name in parameters:
            rest = {key: value for key, value in parameters.items() if key != name}
            yield {**case, "learner": {"learner": [kind, rest]}}
    yield {**case, "container": "polars"}
    for name in ("labels", "weights"):
        if case[name] is not None:
            yield {**case, name: {**case[name], "as": "list"}}


def _shorter(case: Case, fails: Test, count: int, keep: Callable[[Case, list[int]], Case]) -> Case:
    """Return a case with as few of some entries as it takes (delta debugging)."""
    kept = list(range(count))
    size = max(1, count // 2)
    while size:
        at = 0
        while at < len(kept):
            rest = kept[:at] + kept[at + size :]
            if rest and fails(keep(case, rest)):
                kept = rest
            else:
                at += size
        size //= 2
    return case if len(kept) == count else keep(case, kept)


def _with_edits(case: Case, kept: list[int]) -> Case:
    return {**case, "edits": [case["edits"][at] for at in kept]}


def _with_columns(case: Case, kept: list[int]) -> Case:
    smaller = deepcopy(case)
    smaller["columns"] = [case["columns"][at] for at in kept]
    validation, other = case["validation"], case["other"]
    if validation is not None:
        smaller["validation"]["columns"] = [validation["columns"][at] for at in kept]
    if other is not None and len(other) == len(case["columns"]):
        smaller["other"] = [other[at] for at in kept]
    return smaller


def _with_rows(case: Case, kept: list[int]) -> Case:
    smaller = deepcopy(case)
    for column in smaller["columns"]:
        column["values"] = [column["values"][at] for at in kept]
    for name in ("labels", "weights"):
        if smaller[name] is not None:
            values = smaller[name]["values"]
            smaller[name]["values"] = [values[at] for at in kept if at < len(values)]
    return smaller
