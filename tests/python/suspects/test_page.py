"""The examples of docs/wrong_labels.md run."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "wrong_labels.md"


def test_the_examples_run_one_after_the_other(capsys):
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(examples) == 3
    names = {}
    for example in examples:
        exec(compile(example, PAGE.name, "exec"), names)
    assert 0.07 < names["noise"].rate < 0.14
    assert 80 < names["noise"].n_worth_checking(0.8) < 140
    assert names["model"].n_changed_ > 50
    assert "for 1: bit_" in capsys.readouterr().out
