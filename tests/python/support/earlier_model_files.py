"""Model files that earlier versions wrote."""

from pathlib import Path

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
#: Rows that these models were fitted to.
X = pl.DataFrame(
    {
        "n": [1.5, 2.0, None, 4.0, 5.25, 6.0, 2.0, 1.5],
        "t": ["a", "b", None, "c", "d", "a", "b", "a"],
        "flag": [True, False, True, None, False, True, True, False],
    }
)
