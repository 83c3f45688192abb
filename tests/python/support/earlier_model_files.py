"""Model files that earlier versions wrote."""

from pathlib import Path
from typing import Any

import polars as pl

_FOLDER = Path(__file__).parents[1] / "model_file"

#: Written by weakforce 0.1.0.
VERSION_1 = _FOLDER / "model_of_version_1.json"
#: Stumps, rules, trees and stumps again; and nets.
VERSION_2 = _FOLDER / "model_of_version_2.json"
VERSION_2_NETS = _FOLDER / "model_of_version_2_nets.json"
#: Three classes, a tree for each round.
VERSION_3 = _FOLDER / "model_of_version_3.json"
#: Buckets, with one rule.
VERSION_4 = _FOLDER / "model_of_version_4.json"
#: Grids for the pairs of three classes.
VERSION_5 = _FOLDER / "model_of_version_5.json"
#: Rows that these models were fitted to.
X = pl.DataFrame(
    {
        "n": [1.5, 2.0, None, 4.0, 5.25, 6.0, 2.0, 1.5],
        "t": ["a", "b", None, "c", "d", "a", "b", "a"],
        "flag": [True, False, True, None, False, True, True, False],
    }
)


def as_version_5(document: dict[str, Any]) -> dict[str, Any]:
    """The document of a model as version 5 wrote it: the combiner as a set of optional fields."""
    old = {**document, "version": 5, "outputs": _outputs_of(document["combiner"])}
    del old["combiner"]
    if "outputs" in document:
        old["columns"] = document["outputs"]
    return old


def _outputs_of(combiner: Any) -> dict[str, Any]:
    if combiner == "sign":
        return {"n_classes": 2, "n_columns": 1}
    [(kind, fields)] = combiner.items()
    if kind == "by_class":
        return {**fields, "n_columns": fields["n_classes"]}
    if kind == "coded":
        code = fields["code"]
        return {"n_classes": len(code), "n_columns": len(code[0]), "code": code}
    if kind == "buckets":
        table = {name: value for name, value in fields.items() if name != "n_classes"}
        return {"n_classes": fields["n_classes"], "n_columns": 1, "buckets": table}
    grid = {"n_layers": fields["n_layers"], "layers": fields["layers"]}
    problems = _outputs_of(fields["problems"])
    return {**problems, "n_columns": problems["n_columns"] * (grid["n_layers"] + 1), "grid": grid}
