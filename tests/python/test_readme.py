"""The README's example runs as printed, and its table names what the package exports."""

import re
from pathlib import Path

import weakforce

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_example_runs_as_printed(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    for claimed in ("test error 0.069", "x18 ≤ -0.063 → −1, else +1", "98 of 100"):
        assert claimed in example
        assert claimed in printed
    assert len([line for line in example.splitlines() if line.strip()]) <= 10


def test_every_booster_and_learner_is_in_the_table():
    for name in [booster.__name__ for booster in weakforce.boosters()] + ["Stump"]:
        assert f"`{name}" in README


def test_relative_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)]+)\)", README):
        assert (Path(__file__).parents[2] / target).exists(), target
