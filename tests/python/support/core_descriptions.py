"""Descriptions of hypotheses as the core gives them, made by hand.

Out: what `hypothesis_from_core` makes of them, for the tests of text and tables.
"""

from weakforce import Literal
from weakforce._reading.hypotheses import hypothesis_from_core

DAY = 86_400e6
MARCH_5 = 1709596800e6  # 2024-03-05


def describe(name, kind, test, threshold=None, categories=None, column=0):
    return {
        "column": column,
        "name": name,
        "column_kind": kind,
        "test": test,
        "threshold": threshold,
        "categories": categories,
    }


def literal(*args, **kwargs):
    return Literal.from_core(describe(*args, **kwargs))


def rule(*literals, inside=0.83, outside=-0.12, rows=120, weight=0.31):
    described = {"kind": "rule", "literals": list(literals), "inside": inside, "outside": outside}
    return hypothesis_from_core({**described, "rows_inside": rows, "weight_inside": weight})


def stump(name="x", kind="number", missing_inside=False, **test):
    described = {"kind": "stump", "column": 0, "name": name, "column_kind": kind}
    return hypothesis_from_core(
        {**described, "missing_inside": missing_inside, "inside": -1.0, "outside": 1.0, **test}
    )


def tree(**arrays):
    described = {"kind": "tree", "column": [0, 1, 0, 2]}
    described |= {"name": ["age", "job", "age", "signed up"]}
    described |= {"column_kind": ["number", "text", "number", "instant"]}
    described |= {"threshold": [37.0, None, 20.0, MARCH_5], "missing_inside": [True] + [False] * 3}
    described |= {"categories": [None, ["nurse", "cook"], None, None]}
    described |= {"inside": [1, 2, -1, -2], "outside": [3, -3, -4, -5]}
    described |= {"values": [0.83, -0.12, 0.5, 1.0, -18.0], "weights": [0.2] * 5, "rows": [9] * 5}
    return hypothesis_from_core({**described, **arrays})
